"""Remember the outcome of each case, and select cases by it for --failed and --new.

A case of a suite takes nine bytes of memory. The store has a few values for a target, whatever the
number of its cases. Source: docs/selecting.md.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, suppress
from itertools import chain
from typing import Final, NamedTuple

from harness.engine.plan import Plan, PlannedRun, Selection
from harness.model.events import Diagnostic, RunResult
from harness.project.targets import Target
from harness.results.store import CorruptStore, NoStoreFolder, Space, Store, StoreError, hash_of
from harness.suites.cases import case_digest
from harness.text import escape_nonprintable

# The entry of a case: a byte of flags, then the digest of its content when it last ran.
_RAN: Final = 1
_FAILED: Final = 2
_ENTRY_BYTES: Final = 9
_BLOCK_BYTES: Final = 1_024
_WINDOW_BITS: Final = 10  # of 15, which take 256 KiB
_UNKNOWN: Final = bytes(_ENTRY_BYTES)
_SEPARATOR: Final = b"\0"  # of names, which cannot have one
# The keys of a target.
_NAMES: Final = b"names"
_ENTRIES: Final = b"entries"  # in the order of the names
_MEAN: Final = b"mean seconds"


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
            store.put(_space(outcomes.target), outcomes.values(store))


class _TargetOutcomes:
    """The outcomes of a target: an entry for each case, by place; zeros if it did not run."""

    def __init__(self, target: Target) -> None:
        self.target: Final = target
        self._entries = bytearray(_ENTRY_BYTES * len(target.suite.names))
        self._runs = 0
        self._wall_s = 0.0

    def record(self, index: int, event: RunResult) -> None:
        """Record a run; a case that runs in several deliveries failed if one of them did."""
        begin, entries = _ENTRY_BYTES * index, self._entries
        if event.failed:
            entries[begin] |= _FAILED
        if event.content and event.verdict.subject_ran:
            entries[begin] |= _RAN
            entries[begin + 1 : begin + _ENTRY_BYTES] = bytes.fromhex(event.content)
            self._runs += 1
            self._wall_s += event.wall_s

    def values(self, store: Store) -> Iterator[tuple[bytes, bytes]]:
        """Yield the keys and values to store; cases that did not run keep what it has of them."""
        if self._runs:
            yield _MEAN, repr(self._wall_s / self._runs).encode()
        names, stored = _remembered(store, self.target)
        entries = self._entries
        for begin in range(0, len(entries) if stored else 0, _ENTRY_BYTES):
            flags, end = entries[begin], begin + _ENTRY_BYTES
            if not flags & _RAN:
                entries[begin:end] = stored[begin:end]
                if flags:
                    # A subject that could not be started this time may have run the case before.
                    entries[begin] = flags | stored[begin] & _RAN
        yield _NAMES, names
        yield _ENTRIES, bytes(entries + stored[len(entries) :])


def _remembered(store: Store, target: Target) -> tuple[bytes, bytes]:
    """Return packed names, and entries: of the cases of a suite, then of those it once had.

    Without entries in the store, there are none.
    """
    space, suite = _space(target), target.suite
    packed, stored = _pack_names(map(_encode, suite.name_texts)), store.get(space, _NAMES)
    entries = store.get(space, _ENTRIES)
    if stored is None or entries is None:
        return packed, b""
    if stored == packed:
        return packed, entries
    try:
        known = zlib.decompress(stored).split(_SEPARATOR)
    except zlib.error:  # a damaged value is forgotten, like a damaged store
        return packed, b""
    parts = (
        entries[begin : begin + _ENTRY_BYTES] for begin in range(0, len(entries), _ENTRY_BYTES)
    )
    by_name = dict(zip(known, parts, strict=False))
    present = b"".join(by_name.pop(name, _UNKNOWN) for name in map(_encode, suite.name_texts))
    packed = _pack_names(chain(map(_encode, suite.name_texts), by_name))
    return packed, present + b"".join(by_name.values())


def _pack_names(names: Iterable[bytes]) -> bytes:
    """Return names, which are alike, in a small part of their memory."""
    packer, begin = zlib.compressobj(1, wbits=_WINDOW_BITS, memLevel=1), bytearray()
    packed = bytearray()
    for name in names:
        begin += name + _SEPARATOR
        if len(begin) > _BLOCK_BYTES:
            packed += packer.compress(begin)
            begin.clear()
    return bytes(packed + packer.compress(begin) + packer.flush())


def select_by_last_run(
    targets: Collection[Target], plan: Plan, selection: Selection, folder: str
) -> SelectedCases:
    """Select the runs of a plan by --failed (failed in the last run) and --new (never ran, or
    changed since)."""
    picks = {target.key: bytearray(len(target.suite.names)) for target in targets}
    spaces = {target.key: _space(target) for target in targets}
    memory: dict[tuple[str, str], bytes] = {}
    problems: list[Diagnostic] = []
    has_runs = False
    with closing(Store(folder)) as store:
        try:
            for target in targets:
                if not (store.has(spaces[target.key]) or selection.new):
                    problems.append(Diagnostic(target.suite.name, _nothing_known(target)))
                memory[target.key] = _remembered(store, target)[1]
            for run in plan:
                has_runs = True
                begin = _ENTRY_BYTES * run.case_index
                value = memory[run.target.key][begin : begin + _ENTRY_BYTES] or _UNKNOWN
                picks[run.target.key][run.case_index] = _is_selected(run, value, selection)
        except StoreError as problem:
            problems.append(Diagnostic("--new" if selection.new else "--failed", str(problem)))
    if has_runs and not problems and not any(map(any, picks.values())):
        return SelectedCases(picks, problems, _idle_text(selection))
    return SelectedCases(picks, problems, "")


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
    return Space("outcomes", target_identity(target))


def target_identity(target: Target) -> str:
    """Return a hash of a target's suite and command, the same after an edit of its program."""
    where = target.subject.context or target.command_folder
    return hash_of((os.path.realpath(target.suite.folder), where, target.subject.command)).hex()


def _encode(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")
