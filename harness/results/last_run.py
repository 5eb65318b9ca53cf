"""Remember the outcome of each case, and select cases by it for --failed and --new.

A case of a suite takes nine bytes of memory. Source: docs/selecting.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, suppress
from typing import Final, NamedTuple

from harness.engine.plan import Plan, PlannedRun, Selection
from harness.model.case_names import CaseName
from harness.model.events import Diagnostic, RunResult
from harness.project.targets import Target
from harness.results.fingerprint import target_identity
from harness.results.store import CorruptStore, NoStoreFolder, Space, Store, StoreError
from harness.suites.cases import case_digest
from harness.text import escape_nonprintable

# The entry of a case: a byte of flags, then the digest of its content when it last ran.
_RAN: Final = 1
_FAILED: Final = 2
_DIGEST_BYTES: Final = 8
_MEAN: Final = b"\0mean seconds"  # the key beside the names of cases, which have no zero bytes


class SelectedCases(NamedTuple):
    """The cases of each target that earlier runs select, as a byte for each place in its suite.

    `problems` say why earlier runs of a suite are not known. `why_nothing_ran` explains an empty
    selection; it is empty if cases are selected, or there was nothing to select from.
    """

    picks: dict[tuple[str, str], bytearray]
    problems: list[Diagnostic]
    why_nothing_ran: str


class LastRun:
    """Collects the outcomes of a run; `write` stores them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._outcomes: dict[tuple[str, str], _TargetOutcomes] = {}  # by the target's key

    def record(self, target: Target, index: int, event: RunResult) -> None:
        """Record the outcome of a run of the case with this index in its suite."""
        outcomes = self._outcomes.get(target.key)
        if outcomes is None:
            outcomes = self._outcomes[target.key] = _TargetOutcomes(target)
        outcomes.record(index, event)

    def write(self, *, is_cached: bool) -> str:
        """Store the outcomes; cases that did not run keep theirs. Return a warning, or "".

        `is_cached`: the run uses the store for --cached, too.
        """
        with closing(self._store) as store:
            try:
                try:
                    self._write(store)
                except CorruptStore:
                    self._write(store)
            except StoreError as problem:
                if isinstance(problem, NoStoreFolder) and not is_cached:
                    return ""  # a build server may have no home: its runs are not remembered
                uses = "--cached, --failed and --new" if is_cached else "--failed and --new"
                return f"this run was not saved for {uses}: {problem}"
        return ""

    def _write(self, store: Store) -> None:
        for outcomes in self._outcomes.values():
            store.put(_space(outcomes.target), outcomes.entries(store))


class _TargetOutcomes:
    """The outcomes of the cases of a target, by place."""

    def __init__(self, target: Target) -> None:
        self.target: Final = target
        size = len(target.suite.names)
        self._flags = bytearray(size)
        self._digests = bytearray(_DIGEST_BYTES * size)
        self._runs = 0
        self._wall_s = 0.0

    def record(self, index: int, event: RunResult) -> None:
        """Record a run; a case that runs in several deliveries failed if one of them did."""
        if event.failed:
            self._flags[index] |= _FAILED
        if event.content and event.verdict.subject_ran:
            self._flags[index] |= _RAN
            self._runs += 1
            self._wall_s += event.wall_s
            start = _DIGEST_BYTES * index
            self._digests[start : start + _DIGEST_BYTES] = bytes.fromhex(event.content)

    def entries(self, store: Store) -> Iterator[tuple[bytes, bytes]]:
        """Yield the keys and values to store; the store has those of earlier runs."""
        space = _space(self.target)
        if self._runs:
            yield _MEAN, repr(self._wall_s / self._runs).encode()
        for at, (name, flags) in enumerate(zip(self.target.suite.names, self._flags, strict=False)):
            if flags & _RAN:
                start = _DIGEST_BYTES * at
                yield _key(name), bytes([flags]) + self._digests[start : start + _DIGEST_BYTES]
            elif flags:
                # A subject that could not be started this time may have run the case before.
                value = store.get(space, _key(name)) or bytes(1)
                yield _key(name), bytes([flags | value[0] & _RAN]) + value[1:]


def select_by_last_run(
    targets: Collection[Target], plan: Plan, selection: Selection, folder: str
) -> SelectedCases:
    """Select the runs of a plan by --failed (failed in the last run) and --new (never ran, or
    changed since)."""
    picks = {target.key: bytearray(len(target.suite.names)) for target in targets}
    spaces = {target.key: _space(target) for target in targets}
    problems: list[Diagnostic] = []
    has_runs = False
    with closing(Store(folder)) as store:
        try:
            for target in targets:
                if not (store.has(spaces[target.key]) or selection.new):
                    problems.append(Diagnostic(target.suite.name, _nothing_known(target)))
            for run in plan:
                has_runs = True
                value = store.get(spaces[run.target.key], _key(run.name)) or bytes(1)
                picks[run.target.key][run.case_index] = _is_selected(run, value, selection)
        except StoreError as problem:
            problems.append(Diagnostic("--new" if selection.new else "--failed", str(problem)))
    is_idle = has_runs and not problems and not any(map(any, picks.values()))
    return SelectedCases(picks, problems, _idle_text(selection) if is_idle else "")


def mean_seconds(targets: Iterable[Target], folder: str) -> dict[tuple[str, str], float]:
    """Return how long a case took in the last run of each target, by its key, where known."""
    means = {}
    with closing(Store(folder)) as store, suppress(StoreError):
        for target in targets:
            value = store.get(_space(target), _MEAN)
            if value is not None:
                means[target.key] = float(value)
    return means


def _is_selected(run: PlannedRun, value: bytes, selection: Selection) -> bool:
    flags, digest = value[0], value[1:]
    if selection.failed and flags & _FAILED:
        return True
    if not selection.new:
        return False
    return (
        not flags & _RAN or case_digest(run.target.suite, run.name, run.case_index) != digest.hex()
    )


def _nothing_known(target: Target) -> str:
    subject = escape_nonprintable(target.subject.name)
    return f"--failed: no earlier run of {subject} on this suite is known; run it without --failed"


def _idle_text(selection: Selection) -> str:
    reasons = ["nothing failed in the last run"] if selection.failed else []
    reasons += ["no case is new or changed"] if selection.new else []
    return ", and ".join(reasons)


def _space(target: Target) -> Space:
    return Space("last-run", target_identity(target))


def _key(name: CaseName) -> bytes:
    return name.text.encode("utf-8", "surrogatepass")
