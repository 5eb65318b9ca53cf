"""Make targets ready to run: build their subjects, and set up what --sandbox and --cluster name.

All commands that run subjects do this here, so that each of them refuses a suite whose required
protections are missing. Source: docs/running.md, docs/howto/cluster.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from importlib import import_module
from itertools import chain
from typing import Final, NamedTuple

from harness.engine.workload import RemotePool
from harness.errors import Refused, UsageError
from harness.files import TooManyFiles, test_cases_folder
from harness.model.protection import Protection, SandboxKind
from harness.model.subject import Subject
from harness.options import messages
from harness.options.arguments import AUTO, ExecutionOptions
from harness.options.builds import build_subjects
from harness.options.targets import FoundTargets
from harness.process.inventory import Exposure
from harness.process.own_process import require_open_files
from harness.process.sandbox import Sandbox, find_sandbox
from harness.process.system import SYSTEM
from harness.project.builds import BuildStep, build_steps
from harness.project.program_lookup import cannot_start, dependency_files
from harness.project.subjects import configured_suites, find_project
from harness.project.targets import Target
from harness.suites.discovery import resolve_suites
from harness.suites.loading import CorpusError, Suite
from harness.text import escape_nonprintable

# Pools of workers on other machines, by the option that names one; only their modules import them.
_WORKER_POOLS: Final = {
    "--cluster": "harness.cluster.connection",
}


class Setup(NamedTuple):
    """Targets that are ready to run, the sandbox, and the cluster to connect to, if any.

    The subjects `built_remotely` are built by the workers of the cluster, not on this machine.
    """

    targets: list[Target]
    sandbox: Sandbox | None
    cluster: AbstractContextManager[RemotePool | None]
    built_remotely: frozenset[str]


def set_up(
    found_targets: FoundTargets,
    execution: ExecutionOptions,
    *,
    depends: tuple[str, ...] = (),
    written: Sequence[str] = (),
    built: Collection[str] | None = None,
    on_built: Callable[[list[Target]], None] = lambda _: None,
    choose: Callable[[Sequence[Target]], Sandbox | None] | None = None,
) -> Setup:
    """Make targets ready to run. Raises UsageError.

    The paths `depends` are parts of subjects, too. xtest writes the files `written`, which subjects
    do not see. Subjects in `built` are built, or all of them if it is None; `on_built` is called
    with the targets, of which those whose build failed have a fault. `choose` replaces the choice
    of a sandbox that hides the suites of the targets.
    """
    targets, project = list(found_targets.targets), found_targets.project
    names = {
        target.subject.name
        for target in targets
        if target.subject.context is not None and (built is None or target.subject.name in built)
    }
    steps = build_steps(project, names) if project is not None and execution.ships else []
    if not execution.cluster:
        require_open_files(execution.parallel)
    cluster = _connect_cluster(execution, depends, written, steps)
    shown = (*execution.shown, *(depends if execution.sandbox else ()))
    if choose is not None:
        sandbox = choose(targets)
    else:
        suites = list({target.suite.name: target.suite for target in targets}.values())
        sandbox = choose_sandbox(execution.sandbox, suites, targets, written, shown)
    if project is not None and not execution.ships:
        targets = build_subjects(
            project,
            targets,
            names,
            parallel=execution.parallel,
            sandbox=sandbox,
            written=written,
            rebuild=execution.rebuild,
        )
    # What follows needs the files that a build may write.
    on_built(targets)
    sandbox = _showing_built_files(sandbox, targets, shown)
    return Setup(
        targets, sandbox, cluster, frozenset(name for step in steps for name in step.subjects)
    )


def _showing_built_files(
    sandbox: Sandbox | None, targets: Sequence[Target], shown: Iterable[str]
) -> Sandbox | None:
    """Return the sandbox with the files of the subjects and the paths `shown` that exist now.

    Raises UsageError if one of these does not exist.
    """
    for name in shown:
        if not os.path.exists(name):
            raise UsageError(f"--show {escape_nonprintable(name)}: no such file or folder")
    if sandbox is None:
        return None
    parts = _visible_parts((target.subject for target in targets), notes=True)
    return sandbox.exposing(sandbox.exposure._replace(dependencies=parts))


def require_programs(setup: Setup) -> None:
    """Raise UsageError if a subject cannot start, for commands that use what it prints."""
    for target in setup.targets:
        subject = target.subject
        if subject.name in setup.built_remotely:
            continue
        if subject.fault:
            raise UsageError(f"{escape_nonprintable(subject.name)}: {subject.fault}")
        if refused := cannot_start(subject):
            raise UsageError(refused.reason)


# Protections.


def choose_sandbox(
    choice: str | None,
    suites: Sequence[Suite],
    targets: Sequence[Target],
    results: Sequence[str],
    shown: Sequence[str],
) -> Sandbox | None:
    """Return the sandbox that the value of --sandbox chooses, or None without one.

    A subject of the targets sees the paths `shown` and the files that it `depends` on, but not the
    suites and the files `results`. Raises UsageError if the sandbox does not work here, or if it
    lacks a protection that a suite requires.
    """
    if shown and not choice:
        raise UsageError("--show requires --sandbox")
    sandbox = None
    if choice:
        exposure = _exposure(suites, results, shown)
        parts = _visible_parts((target.subject for target in targets), notes=False)
        sandbox = _find_sandbox(choice, exposure._replace(dependencies=parts))
    require_protections(suites, sandbox)
    return sandbox


def require_protections(
    suites: Iterable[Suite], sandbox: Sandbox | None, fix: str = "add --sandbox"
) -> None:
    """Raise UsageError if a suite requires a protection that its subjects would lack.

    `fix` tells how to run them in a sandbox.
    """
    suites = list(suites)
    for suite in suites:
        if unmeasured := SYSTEM.unmeasured(suite.settings.limits):
            raise UsageError(
                f"{suite.name}: its suite.toml limits {', '.join(unmeasured)}, which the"
                f" {SYSTEM.name} back end cannot measure here; install psutil"
            )
    required = {suite.name: suite.settings.sandbox.require for suite in suites}
    present = frozenset(sandbox.protections) if sandbox is not None else frozenset()
    if any(required.values()):
        present |= SYSTEM.protections()
    for name, protections in required.items():
        missing = [each for each in protections if each not in present]
        if missing:
            names = ", ".join(each.value for each in missing)
            has_sandboxes = sandbox is None and SYSTEM.has_namespaces
            is_offered = has_sandboxes and not Protection.of_sandboxes().isdisjoint(missing)
            advice = fix if is_offered else "xtest doctor shows what this machine supports"
            raise UsageError(f"{name}: its suite.toml requires {names}; {advice}")


def _exposure(suites: Iterable[Suite], results: Sequence[str], shown: Sequence[str]) -> Exposure:
    hidden = [str(test_cases_folder()), *(str(suite.folder) for suite in suites)]
    with suppress(CorpusError):  # reported when the suite is used
        configured = resolve_suites(configured_suites(find_project(), ()))
        hidden += (str(each.folder) for each in configured)
    hidden += filter(None, results)
    shared = (suite.shared_files for suite in suites)
    visible = (*map(os.path.abspath, shown), *chain(*shared))
    return Exposure(visible, tuple(map(os.path.abspath, hidden)))


def _visible_parts(subjects: Iterable[Subject], *, notes: bool) -> dict[str, list[str]]:
    """Return the paths that subjects depend on, by their folders; `notes` name those left out."""
    parts: dict[str, list[str]] = {}
    for subject in {subject.name: subject for subject in subjects}.values():
        if subject.context is not None:
            try:
                paths = chain(*dependency_files(subject).values())
                parts.setdefault(subject.context.own_folder, []).extend(paths)
            except TooManyFiles:
                if notes:
                    messages.print_note(
                        f"[subjects.{subject.name}] depends: too many files for the sandbox; only"
                        " its folder is visible"
                    )
    return parts


def _find_sandbox(choice: str, exposure: Exposure) -> Sandbox:
    kinds = list(SandboxKind) if choice == AUTO else [SandboxKind(choice)]
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


# The cluster.


def _connect_cluster(
    execution: ExecutionOptions,
    depends: tuple[str, ...] = (),
    written: Sequence[str] = (),
    builds: Sequence[BuildStep] = (),
) -> AbstractContextManager[RemotePool | None]:
    """Return a connection to the cluster, or to None without one. Raises UsageError.

    The paths `depends` are parts of subjects, xtest writes the files `written`, and workers run the
    `builds`.
    """
    where, tls = execution.cluster, execution.cluster_tls
    if not where:
        if tls:
            raise UsageError("--cluster-tls requires --cluster tls://HOST:PORT")
        if execution.ships:
            raise UsageError("--ship requires --cluster")
        return nullcontext()
    pool = _WORKER_POOLS.get("--cluster")
    if pool is None:
        raise UsageError("--cluster: this xtest comes without clusters; run on this machine")
    files = tuple(filter(None, written))
    connection: AbstractContextManager[RemotePool] = import_module(pool).connect(
        execution, depends, files, builds, messages.print_note
    )
    return connection
