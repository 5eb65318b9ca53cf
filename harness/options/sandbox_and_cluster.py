"""Set up what --sandbox and --cluster name. Source: docs/howto/cluster.md."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import chain
from typing import TYPE_CHECKING

from harness.cluster.spec import INSTALL, parse_cluster
from harness.errors import Refused, UsageError
from harness.files import TooManyFiles
from harness.model.protection import Protection, SandboxKind
from harness.model.subject import Subject
from harness.options import common, messages
from harness.process.cgroups import detect_accounting
from harness.process.inventory import Exposure
from harness.process.sandbox import Sandbox, find_sandbox
from harness.project.builds import BuildStep
from harness.project.program_lookup import dependency_files
from harness.project.subjects import configured_suites, find_project
from harness.suites.bundled import test_cases_folder
from harness.suites.discovery import resolve_suites
from harness.suites.loading import CorpusError, Suite
from harness.text import escape_nonprintable

if TYPE_CHECKING:
    from harness.cluster.cluster import Cluster


def choose_sandbox(
    choice: str | None,
    suites: Sequence[Suite],
    subjects: Iterable[Subject],
    results: Sequence[str],
    shown: Sequence[str],
) -> Sandbox | None:
    """Return the sandbox that the value of --sandbox chooses, or None without one.

    A subject sees the paths `shown` and the files that it `depends` on, but not the suites and the
    files `results`. Raises UsageError if the sandbox does not work here, or if it lacks a
    protection that a suite requires.
    """
    if shown and not choice:
        raise UsageError("--show requires --sandbox")
    sandbox = None
    if choice:
        exposure = _exposure(suites, results, shown)
        sandbox = _find_sandbox(choice, exposure._replace(dependencies=_visible_parts(subjects)))
    _require_protections(suites, sandbox)
    return sandbox


def _require_protections(suites: Sequence[Suite], sandbox: Sandbox | None) -> None:
    """Raise UsageError if a suite requires a protection that this run lacks."""
    present = frozenset(sandbox.protections) if sandbox is not None else frozenset()
    if any(suite.settings.sandbox.require for suite in suites):
        present |= detect_accounting().protections
    for suite in suites:
        missing = [each for each in suite.settings.sandbox.require if each not in present]
        if missing:
            names = ", ".join(each.value for each in missing)
            is_offered = sandbox is None and missing != [Protection.MEMORY_ACCOUNTING]
            fix = "add --sandbox" if is_offered else "xtest doctor shows what this machine supports"
            raise UsageError(f"{suite.name}: its suite.toml requires {names}; {fix}")


def _exposure(suites: Iterable[Suite], results: Sequence[str], shown: Sequence[str]) -> Exposure:
    hidden = [str(test_cases_folder()), *(str(suite.folder) for suite in suites)]
    with suppress(CorpusError):  # reported when the suite is used
        found = resolve_suites(configured_suites(find_project(), ()))
        hidden += (str(each.folder) for each in found)
    hidden += filter(None, results)
    for name in shown:
        if not os.path.exists(name):
            raise UsageError(f"--show {escape_nonprintable(name)}: no such file or folder")
    shared = (suite.shared_files for suite in suites)
    visible = (*map(os.path.abspath, shown), *chain(*shared))
    return Exposure(visible, tuple(map(os.path.abspath, hidden)))


def _visible_parts(subjects: Iterable[Subject]) -> dict[str, list[str]]:
    """Return the paths that subjects depend on, by their folders."""
    parts: dict[str, list[str]] = {}
    for subject in subjects:
        if subject.context is not None:
            try:
                paths = chain(*dependency_files(subject).values())
                parts.setdefault(subject.context.folder, []).extend(paths)
            except TooManyFiles:
                messages.print_note(
                    f"[subjects.{subject.name}] depends: too many files for the sandbox; only its"
                    " folder is visible"
                )
    return parts


def _find_sandbox(choice: str, exposure: Exposure) -> Sandbox:
    kinds = list(SandboxKind) if choice == common.AUTO else [SandboxKind(choice)]
    reasons: list[str] = []
    for kind in kinds:
        sandbox = find_sandbox(kind, exposure)
        if not isinstance(sandbox, Refused):
            if reasons:
                lacks = Protection.of_sandboxes() - set(sandbox.protections)
                names = ", ".join(sorted(each.value for each in lacks))
                messages.print_note(f"{reasons[0]}; using {kind.value}, which lacks {names}")
            return sandbox
        reasons.append(sandbox.reason)
    raise UsageError(f"--sandbox: {'; '.join(reasons)}")


def connect_cluster(
    where: str,
    tls: str,
    jobs: int | None,
    depends: tuple[str, ...] = (),
    results: str = "",
    *,
    ships: bool = False,
    builds: Sequence[BuildStep] = (),
) -> AbstractContextManager[Cluster | None]:
    """Return a connection to the cluster, or to None without one. Raises UsageError.

    `where`, `tls` and `results` are the values of --cluster, --cluster-tls and --results, "" if not
    given. For the other arguments, see ClusterOptions.
    """
    if not where:
        if tls:
            raise UsageError("--cluster-tls requires --cluster tls://HOST:PORT")
        if ships:
            raise UsageError("--ship requires --cluster")
        return nullcontext()
    spec = parse_cluster(where, tls)
    try:
        # An optional dependency, which takes a second to import.
        # pylint: disable-next=import-outside-toplevel
        from harness.cluster.cluster import ClusterOptions, open_cluster
    except ModuleNotFoundError as problem:
        raise UsageError(f"--cluster requires {problem.name}; install it: {INSTALL}") from None
    written = (results,) if results else ()
    options = ClusterOptions(jobs, depends, written, messages.print_note, ships, tuple(builds))
    return open_cluster(spec, options)
