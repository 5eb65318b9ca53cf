"""Run suites as the options say: show what happens, and write results and reports."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from glob import escape
from typing import Protocol

from harness.engine.execution import execute_request
from harness.engine.plan import Plan, targets_with_runs
from harness.engine.request import RunOrigin, RunPolicy, RunRequest, schema_check
from harness.errors import CANNOT_WRITE, UsageError, os_reason
from harness.files import TooManyFiles, cache_folder, matching_paths, output_files
from harness.model.events import Event, RunEnded, RunStarted
from harness.model.exit_codes import ExitCode
from harness.model.subject import WorkspaceMode
from harness.model.suite_info import Audience
from harness.options import messages
from harness.options.run_options import RunOptions, refuse_contradictions
from harness.options.setup import Setup, set_up
from harness.options.targets import FoundTargets, find_targets
from harness.process.system import SYSTEM
from harness.project.identity import (
    Provenance,
    describe_subject,
    rename_subjects,
    shown_names,
)
from harness.project.program_lookup import cannot_start
from harness.project.subjects import Project, configured_suites, find_project, subjects_by_path
from harness.project.targets import Target, targets_by_subject
from harness.reports.terminal.console import ConsoleReporter, FailsafeReporter, Reporter, Verbosity
from harness.reports.writer import RunReports
from harness.results.file_digests import FileDigests
from harness.results.fingerprint import FingerprintContext, describe_run
from harness.results.last_run import LastRun
from harness.results.results_file import (
    ContinuedResultsFile,
    EventSink,
    InvalidResultsFile,
    ResultsFile,
    find_damage,
)
from harness.results.resume import resume_run
from harness.results.selection import SelectedRuns, requested_deliveries, select_runs
from harness.results.store import Store
from harness.suites.discovery import resolve_suites
from harness.suites.loading import CorpusError, collect_suite_info
from harness.text import escape_nonprintable, quote

EventObserver = Callable[[Event], None]


class RunObserver(Protocol):
    """Follows a run: a round of --watch."""

    def targets_found(
        self, targets: Sequence[Target], project: Project | None, suites: Sequence[str]
    ) -> None:
        """Note the targets, before they are built, and all folders of suites."""

    def built(self, targets: Sequence[Target]) -> None:
        """Note the targets after their builds; one whose build failed has a fault."""

    def show(self, event: Event) -> None: ...


def run_suites(
    options: RunOptions,
    argv: tuple[str, ...] | None,
    reporter: Reporter | None = None,
    *,
    bundled: bool = False,
    graded: bool = False,
    builds: bool = True,
    observer: RunObserver | None = None,
) -> int:
    """Run what the options select and return the exit status. Raises UsageError.

    `argv` is the subject's command line, or None for the subjects of xtest.toml and suite.toml.
    Events are shown on the terminal if there is no other reporter. `bundled`: only bundled suites
    are named. `graded`: points are computed from the events. `builds`: subjects are built first.
    """
    if reporter is None:
        verbosity = Verbosity.VERBOSE if options.verbose else Verbosity.NORMAL
        verbosity = Verbosity.QUIET if options.quiet else verbosity
        rerun = options.rerun_args("demo" if bundled else "run", argv)
        reporter = ConsoleReporter(options.stream, verbosity, full=options.full, rerun=rerun)
    refuse_contradictions(options, watched=observer is not None)
    run = _SuiteRun(options, argv, bundled, graded, builds, observer)
    if not (options.results or options.reports):
        return run.execute(reporter)
    failsafe = FailsafeReporter(reporter)  # files are complete even if the terminal is gone
    status = run.execute_and_report(failsafe)
    if failsafe.error is not None:
        raise failsafe.error
    return status


@dataclass(slots=True)
class _SuiteRun:
    """A run of suites, from the command line to the exit status."""

    options: RunOptions
    argv: tuple[str, ...] | None
    bundled: bool
    graded: bool
    builds: bool
    observer: RunObserver | None
    reports: RunReports | None = None

    def execute_and_report(self, reporter: Reporter) -> int:
        options = self.options
        if not options.reports:
            return self.execute(reporter)
        keeps_runs, audience = options.resume or options.append, Audience(options.audience)
        reports = RunReports(options.reports, options.results, audience, continued=keeps_runs)
        self.reports = reports
        with closing(reports):
            status = self.execute(reporter)
            return max(status, messages.print_failures(reports.make()))

    def execute(self, reporter: Reporter) -> int:
        """Run the suites, and return the exit status of the run."""
        options, cache = self.options, cache_folder(os.environ)
        found_targets = self._find_targets()
        deliveries = requested_deliveries(options.deliver, "--deliver")
        selected = select_runs(found_targets.targets, options.selection, deliveries, cache)
        setup = self._set_up(found_targets, selected.plan)
        self._require_program(setup, selected.plan)
        last_run = LastRun(Store(cache))
        request = self._request(found_targets, selected, setup)._replace(
            on_judged=(last_run.record,)
        )
        messages.print_notes(SYSTEM.missing_protections())
        try:
            return self._run(request, setup, reporter)
        finally:
            warning = last_run.write(is_cached=options.cached)  # also after an interruption
            if warning:
                messages.print_note(warning)

    @property
    def _written(self) -> tuple[str, ...]:
        """The files that this run writes; some may be empty texts."""
        return (self.options.results, *(self.reports.files if self.reports is not None else ()))

    def _find_targets(self) -> FoundTargets:
        options = self.options
        found = find_targets(options.suites, self.argv, options.subjects, bundled=self.bundled)
        if self.reports is not None:
            subjects = list(dict.fromkeys(target.subject.name for target in found.targets))
            folders = {target.suite.name: target.suite.folder for target in found.targets}
            self.reports.set_targets(subjects, folders)
        if self.observer is not None:
            suites = [] if self.bundled else _suite_folders(found.project, options.suites)
            self.observer.targets_found(found.targets, found.project, suites)
        return found

    def _set_up(self, found_targets: FoundTargets, plan: Plan) -> Setup:
        """Build the subjects that have planned runs; for --watch, all of them."""
        observer = self.observer
        built = None
        if observer is None:
            built = {target.subject.name for target, _ in targets_with_runs(plan)}

        def note(targets: list[Target]) -> None:
            if (
                self.builds
                and found_targets.project is not None
                and not self.options.execution.ships
            ):
                _note_idle_globs(targets)
            if observer is not None:
                observer.built(targets)

        return set_up(
            found_targets,
            self.options.execution,
            depends=self.options.depends,
            written=self._written,
            built=built if self.builds else (),
            on_built=note,
        )

    def _require_program(self, setup: Setup, plan: Plan) -> None:
        """Raise UsageError if no planned run can start, unless graders need to read why."""
        if self.options.results or self.options.reports or self.options.execution.cluster:
            return
        planned = {target.key for target, _ in targets_with_runs(plan)}
        subjects = [each.subject for each in setup.targets if each.key in planned]
        if not any(subject.fault for subject in subjects):
            refusals = list(map(cannot_start, subjects))
            if refusals and refusals[0] is not None and None not in refusals:
                raise UsageError(refusals[0].reason)

    def _request(
        self, found_targets: FoundTargets, selected: SelectedRuns, setup: Setup
    ) -> RunRequest:
        options, execution = self.options, self.options.execution
        max_failures = 1 if options.fail_fast else options.max_failures
        return RunRequest(
            runs=replace(selected.plan, targets=setup.targets),
            policy=RunPolicy(
                parallel=execution.parallel,
                wall_s=execution.wall,
                check=schema_check([each.suite for each in setup.targets])
                if options.check
                else None,
                repeat=options.repeat,
                sandbox=setup.sandbox,
                retry_timeouts=execution.retries(stops_early=max_failures is not None),
                max_failures=max_failures,
                repeat_args=options.outcome_args,
                sessions=execution.sessions,
                keeps_files=execution.workspace is WorkspaceMode.SHARED,
                gives_up=execution.give_up and options.repeat == 1 and not options.full,
            ),
            origin=self._origin(found_targets.project, setup)._replace(
                host=os.uname().nodename, command_line=("xtest", *sys.argv[1:])
            ),
            problems=(*found_targets.problems, *selected.problems),
            why_nothing_ran=selected.why_nothing_ran,
            deadline=options.deadline,
        )

    def _origin(self, project: Project | None, setup: Setup) -> RunOrigin:
        options, targets = self.options, setup.targets
        if not (options.results or options.cached or options.reports):
            suites = [target.suite for target in targets] if self.graded else []
            return RunOrigin(
                suite_infos=collect_suite_info(suites),
                subjects=tuple(map(describe_subject, targets_by_subject(targets).values())),
            )
        return describe_setup(
            setup,
            project,
            options.outcome_args,
            depends=options.depends,
            written=self._written,
            required=options.resume or options.cached,
        )

    def _run(self, request: RunRequest, setup: Setup, reporter: Reporter) -> int:
        """Execute a request, write its events and show them, and return the exit status."""
        options = self.options
        with ExitStack() as stack:
            cluster = stack.enter_context(setup.cluster)
            policy, start = request.policy, None
            if cluster is not None:
                policy = policy._replace(parallel=max(1, cluster.parallel))
                start = cluster.start
            board = reporter.board(policy.parallel)
            request = request._replace(policy=policy, board=board, start_workers=start)
            results: ResultsFile | ContinuedResultsFile | None = None
            if options.resume or options.cached:
                request, results = resume_run(
                    request,
                    setup.targets,
                    options.results if options.resume else None,
                    cache_folder(os.environ) if options.cached else None,
                    stack,
                    others=self._others,
                )
                messages.print_notes(request.earlier.notes)
            if results is None and options.results:
                results = open_results(options.results, appends=options.append)
                stack.callback(results.close)
            observers = self._observers(results, reporter)
            stack.enter_context(closing(reporter))
            status = _observe(execute_request(request), observers)
            if results is not None:
                damage = find_damage(options.results, results)
                status = max(status, messages.print_failures(damage))
            return status

    @property
    def _others(self) -> frozenset[str]:
        """The subjects whose results --resume keeps: all, if --subject selects some of them."""
        project = find_project() if self.options.subjects else None
        return frozenset(() if project is None else project.by_name)

    def _observers(self, results: EventSink | None, reporter: Reporter) -> list[EventObserver]:
        """Return what follows the events: the watch, results, reports and the terminal."""
        observers: list[EventObserver] = [] if self.observer is None else [self.observer.show]
        sinks = [] if results is None else [results]
        if self.reports is not None:
            sinks = self.reports.sinks(results)
        observers += (partial(self._write, sink) for sink in sinks)
        return [*observers, _RenamedSubjects(reporter)]

    def _write(self, sink: EventSink, event: Event) -> None:
        try:
            sink.write(event)
        except OSError as problem:
            with suppress(OSError):
                sink.close()  # closing again later would raise the same error unhandled
            raise _write_error(self.options.results, problem) from None


def describe_setup(
    setup: Setup,
    project: Project | None,
    args: tuple[str, ...],
    *,
    depends: tuple[str, ...] = (),
    written: Iterable[str] = (),
    required: bool,
) -> RunOrigin:
    """Return the description of a run, for its results, with fingerprints.

    Outcomes depend on the words `args` and the paths `depends`; the files `written` are no parts of
    subjects. A subject with too many files has no fingerprint, unless they are `required`. Raises
    UsageError.
    """
    owners = {} if project is None else subjects_by_path(project)
    context = FingerprintContext(args, depends, os.environ, owners)
    provenance = Provenance(project, setup.sandbox, messages.print_note, setup.built_remotely)
    files = filter(None, (*written, *output_files()))
    with closing(FileDigests(cache_folder(os.environ), files)) as digests:
        return describe_run(setup.targets, provenance, context, digests, required=required)


class _RenamedSubjects:
    """Shows events with the names of subjects as they are shown to people."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self._shown: dict[str, str] = {}

    def __call__(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._shown = shown_names(event.subjects)
        self._reporter.show(rename_subjects(event, self._shown))


def _observe(stream: Iterator[Event], observers: Sequence[EventObserver]) -> int:
    """Call all observers with each event, and return the exit status of the run."""
    status: int = ExitCode.FAULT
    for event in stream:
        for observe in observers:
            observe(event)
        if isinstance(event, RunEnded):
            status = event.exit
    return status


def _suite_folders(project: Project | None, suites: Sequence[str]) -> list[str]:
    with suppress(CorpusError):  # reported as a problem of the run
        return [str(each.folder) for each in resolve_suites(configured_suites(project, suites))]
    return []


def _note_idle_globs(targets: Iterable[Target]) -> None:
    """Print a note for each glob of `depends` that matches nothing, after builds."""
    for subject in {target.subject.name: target.subject for target in targets}.values():
        folder = subject.context.own_folder if subject.context is not None else ""
        for pattern in subject.depends or () if os.path.isdir(folder) else ():
            with suppress(TooManyFiles):
                if next(matching_paths(pattern), None) is None:
                    name = quote(os.path.relpath(pattern, escape(folder)))
                    messages.print_note(
                        f"[subjects.{subject.name}] depends: {name} matches no file"
                    )


def open_results(path: str, *, appends: bool) -> ResultsFile:
    """Return the file of --results. Raises UsageError."""
    try:
        return ResultsFile(path, appends=appends)
    except InvalidResultsFile as problem:
        raise UsageError(f"--results {problem}") from None
    except OSError as problem:
        raise _write_error(path, problem) from None


def _write_error(results: str, problem: OSError) -> UsageError:
    where = f"--results {escape_nonprintable(results)}" if results else "the events for --report"
    return UsageError(f"{where}: {os_reason(problem, CANNOT_WRITE)}")
