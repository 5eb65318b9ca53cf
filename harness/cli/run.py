"""`xtest run`: run suites, show what happens, and write results and reports."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, suppress
from dataclasses import replace
from glob import escape
from typing import TYPE_CHECKING, Any

import click

from harness.cli.run_options import RunOptions, refuse_contradictions, run_options
from harness.engine.execution import execute_request
from harness.engine.plan import Plan
from harness.engine.request import Check, RunRequest
from harness.errors import CANNOT_WRITE, UsageError, os_reason
from harness.files import TooManyFiles, matching_paths
from harness.model.case_names import CONFIG_FILE
from harness.model.events import Diagnostic, Event, RunEnded, RunStarted
from harness.model.exit_codes import ExitCode
from harness.model.suite_info import Audience
from harness.options import common, messages
from harness.options.sandbox_and_cluster import choose_sandbox, connect_cluster
from harness.process.process_state import require_open_files
from harness.process.reaper import missing_protection
from harness.process.sandbox import Sandbox
from harness.project.builds import BuildStep, build_steps, build_targets
from harness.project.identity import Provenance, rename_subjects, short_names
from harness.project.subjects import (
    Project,
    configured_suites,
    configured_targets,
    find_project,
    missing_known_files,
    need_project,
    subjects_by_path,
)
from harness.project.targets import Target, bundled_targets, no_suite_text, targets_of
from harness.reports.terminal.console import ConsoleReporter, FailsafeReporter, Reporter, Verbosity
from harness.reports.writer import RunReports
from harness.results.description import RunDescription, brief_description, describe_run
from harness.results.file_digests import FileDigests
from harness.results.fingerprint import FingerprintContext
from harness.results.last_run import LastRun
from harness.results.results_file import EventSink, InvalidResultsFile, ResultsFile
from harness.results.resume import resume_run
from harness.results.selection import requested_deliveries, select_runs
from harness.results.store import Store, cache_folder
from harness.suites.discovery import resolve_suites
from harness.suites.loading import CorpusError, collect_suite_info
from harness.text import escape_nonprintable, quote

if TYPE_CHECKING:
    from harness.cluster.cluster import Cluster


@click.command("run", cls=common.Command, takes_command=True)
@common.suites_argument
@common.section("Cases", common.subject_option)
@common.section(
    "Order and stopping",
    click.option("--watch", is_flag=True, help="Run again when files change, until Ctrl-C."),
)
@run_options
@click.pass_obj
def command(subject: tuple[str, ...] | None, /, watch: bool, **options: Any) -> int:
    """Run suites against a program: xtest run [SUITE]... [-- COMMAND...]

    A SUITE is a folder of N-in.json / N-out.json pairs, a folder of such folders, or the name of a
    bundled suite. The default is the suites of xtest.toml.
    """
    common.require_command(subject)
    if watch:
        # Importing watchfiles takes 80 ms.
        from harness.cli.watch import watch_runs  # pylint: disable=import-outside-toplevel

        return watch_runs(RunOptions(**options), subject, run_suites)
    return run_suites(RunOptions(**options), subject)


def run_suites(
    options: RunOptions, argv: tuple[str, ...] | None, reporter: Reporter | None = None
) -> int:
    """Run what the options select and return the exit status. Raises UsageError.

    `argv` is the subject's command line, or None for the subjects of xtest.toml and suite.toml.
    Events are shown on the terminal if there is no other reporter.
    """
    if reporter is None:
        verbosity = Verbosity.VERBOSE if options.verbose else Verbosity.NORMAL
        verbosity = Verbosity.QUIET if options.quiet else verbosity
        reporter = ConsoleReporter(
            options.stream, verbosity, full=options.full, rerun=options.rerun_words(argv)
        )
    refuse_contradictions(options)
    if not (options.results or options.reports):
        return _run(options, argv, reporter, None)
    failsafe = FailsafeReporter(reporter)  # files are complete even if the terminal is gone
    status = _run_and_report(options, argv, failsafe)
    if failsafe.error is not None:
        raise failsafe.error
    return status


def _run_and_report(options: RunOptions, argv: tuple[str, ...] | None, reporter: Reporter) -> int:
    if not options.reports:
        return _run(options, argv, reporter, None)
    keeps_runs, audience = options.resume or options.append, Audience(options.audience)
    reports = RunReports(options.reports, options.results, audience, continued=keeps_runs)
    with closing(reports):
        return reports.make(_run(options, argv, reporter, reports))


def _run(
    options: RunOptions,
    argv: tuple[str, ...] | None,
    reporter: Reporter,
    reports: RunReports | None,
) -> int:
    targets, problems, project = _find_targets(options, argv, reports)
    selected = select_runs(
        targets,
        options.selection,
        requested_deliveries(options.deliver, "--deliver"),
        cache_folder(os.environ),
    )
    remote_builds = _remote_builds(options, targets, project)
    connected = _connection(options, remote_builds)
    # The checks that follow need the files that a build may write.
    targets = _build(options, targets, selected.plan, project)
    last_run = LastRun(Store(cache_folder(os.environ)))
    written = (options.results, *(reports.files if reports is not None else ()))
    sandbox = _choose_sandbox(options, targets, written)
    request = RunRequest(
        runs=replace(selected.plan, targets=targets),
        problems=(*problems, *selected.problems),
        parallel=options.parallel,
        wall_s=options.wall,
        check=_schema_check(targets) if options.check else None,
        repeat=options.repeat,
        sandbox=sandbox,
        max_failures=1 if options.fail_fast else options.max_failures,
        note=last_run.note,
        why_nothing_ran=selected.why_nothing_ran,
        options=options.outcome_words,
        **_describe(
            options,
            targets,
            Provenance(project, sandbox, {step.subject for step in remote_builds}),
            written,
        )._asdict(),
        host=os.uname().nodename,
        command_line=("xtest", *sys.argv[1:]),
        deadline=options.deadline,
        sessions=options.sessions,
    )
    for warning in missing_protection():
        messages.print_note(warning)
    try:
        return _execute(request, options, reporter, reports, targets=targets, connected=connected)
    finally:
        warning = last_run.write(is_cached=options.cached)  # also after an interruption
        if warning:
            messages.print_note(warning)


def _execute(
    request: RunRequest,
    options: RunOptions,
    reporter: Reporter,
    reports: RunReports | None,
    *,
    targets: Sequence[Target],
    connected: AbstractContextManager[Cluster | None],
) -> int:
    """Execute a request, write its events and show them, and return the exit status."""
    with ExitStack() as stack:
        request = _with_workers(request, options, reporter, stack.enter_context(connected))
        sink: EventSink | None = None
        if options.resume or options.cached:
            results = options.results if options.resume else None
            cache = cache_folder(os.environ) if options.cached else None
            request, sink = resume_run(request, targets, results, cache, stack)
            if request.earlier.left_out:
                messages.print_note(request.earlier.left_out)
        if sink is None and options.results:
            sink = _open_results(options)
            stack.callback(sink.close)
        if reports is not None:
            sink = reports.sink(sink, stack)
        stack.enter_context(closing(reporter))
        return _show(execute_request(request), options, reporter, sink)


def _remote_builds(
    options: RunOptions, targets: Sequence[Target], project: Project | None
) -> list[BuildStep]:
    """Return the builds that workers of a cluster run: they do not get files built here."""
    if project is None or not (options.ships and options.builds):
        return []
    subjects = (target.subject for target in targets if target.subject.context is not None)
    return build_steps(project, {subject.name for subject in subjects})


def _connection(
    options: RunOptions, builds: Sequence[BuildStep]
) -> AbstractContextManager[Cluster | None]:
    """Return a context manager for the cluster, or for None if cases run on this machine."""
    if not options.cluster:
        require_open_files(options.parallel)
    where = (options.cluster, options.cluster_tls, options.jobs)
    files = (options.depends, options.results)
    return connect_cluster(*where, *files, ships=options.ships, builds=builds)


def _with_workers(
    request: RunRequest, options: RunOptions, reporter: Reporter, cluster: Cluster | None
) -> RunRequest:
    """Return the request with its workers, number of parallel runs, retries and progress board."""
    if cluster is not None:
        parallel = max(1, cluster.parallel)
        request = request._replace(parallel=parallel, start_workers=cluster.start_workers)
    retry = options.retry_timeouts
    if retry is None:
        is_shared = request.parallel > 1 or bool(options.cluster)
        retry = is_shared and request.max_failures is None
    return request._replace(retry_timeouts=retry, board=reporter.board(request.parallel))


def _find_targets(
    options: RunOptions, argv: tuple[str, ...] | None, reports: RunReports | None
) -> tuple[list[Target], list[Diagnostic], Project | None]:
    if argv is not None and options.subjects:
        raise UsageError(
            f"--subject selects subjects of {CONFIG_FILE} and cannot be combined with a command"
            " after --"
        )
    project, suites = None, options.suites
    if options.subjects:
        project = need_project(f"--subject {escape_nonprintable(options.subjects[0])}")
    elif not options.bundled and (
        argv is None or not suites or not all(map(os.path.isdir, suites))
    ):
        project = find_project()
    if options.bundled:
        targets, problems = bundled_targets(suites)
    elif project is not None and argv is None:
        targets, problems = configured_targets(project, suites, options.subjects)
        for note in missing_known_files(project, targets):
            messages.print_note(note)
    else:
        suites = configured_suites(project, suites)
        if not suites:
            raise UsageError(no_suite_text("run", argv or ()))
        targets, problems = targets_of(suites, argv)
    if reports is not None:
        subjects = list(dict.fromkeys(target.subject.name for target in targets))
        reports.set_targets(
            subjects, {target.suite.name: target.suite.folder for target in targets}
        )
    if options.observer is not None:
        folders, depends = _suite_folders(options, project), options.depends
        options.observer.found(targets, project, folders, depends, builds=options.builds)
    return targets, problems, project


def _build(
    options: RunOptions, targets: list[Target], plan: Plan, project: Project | None
) -> list[Target]:
    """Build the subjects of xtest.toml that have planned runs; for --watch, all subjects."""
    observer = options.observer
    if project is not None and options.builds and not options.ships:
        planned = {run.target.subject.name for run in plan} if observer is None else None
        targets = build_targets(project, targets, planned)
        _note_idle_globs(targets)
    if observer is not None:
        observer.built(targets)
    return targets


def _suite_folders(options: RunOptions, project: Project | None) -> list[str]:
    if options.bundled:
        return []
    with suppress(CorpusError):  # reported as a problem of the run
        found = resolve_suites(configured_suites(project, options.suites))
        return [str(each.folder) for each in found]
    return []


def _describe(
    options: RunOptions, targets: Sequence[Target], provenance: Provenance, written: Sequence[str]
) -> RunDescription:
    if not (options.results or options.cached or options.reports):
        described = brief_description(targets)
        suites = [target.suite for target in targets] if options.graded else []
        return described._replace(suite_infos=collect_suite_info(suites))
    owners = {} if provenance.project is None else subjects_by_path(provenance.project)
    context = FingerprintContext(options.outcome_words, options.depends, os.environ, owners)
    required = options.resume or options.cached
    files = filter(None, (*written, *common.output_files()))
    with closing(FileDigests(cache_folder(os.environ), files)) as digests:
        return describe_run(targets, provenance, context, digests, required=required)


def _choose_sandbox(
    options: RunOptions, targets: Sequence[Target], written: Sequence[str]
) -> Sandbox | None:
    subjects = {target.subject.name: target.subject for target in targets}.values()
    shown = (*options.shown, *(options.depends if options.sandbox else ()))
    suites = [target.suite for target in targets]
    return choose_sandbox(options.sandbox, suites, subjects, written, shown)


def _note_idle_globs(targets: Iterable[Target]) -> None:
    """Print a note for each glob of `depends` that matches nothing, after builds."""
    for subject in {target.subject.name: target.subject for target in targets}.values():
        folder = subject.context.folder if subject.context is not None else ""
        for pattern in subject.depends or () if os.path.isdir(folder) else ():
            with suppress(TooManyFiles):
                if next(matching_paths(pattern), None) is None:
                    name = quote(os.path.relpath(pattern, escape(folder)))
                    messages.print_note(
                        f"[subjects.{subject.name}] depends: {name} matches no file"
                    )


def _schema_check(targets: Sequence[Target]) -> Check:
    # Importing jsonschema takes 90 ms, longer than a small run.
    from harness.suites.schema_checks import suite_schema_check  # pylint: disable=import-outside-toplevel

    return suite_schema_check([target.suite for target in targets])


def _show(
    stream: Iterator[Event], options: RunOptions, reporter: Reporter, sink: EventSink | None
) -> int:
    """Send every event to the results file and the reporter, and return the exit status."""
    status: int = ExitCode.FAULT
    shown: dict[str, str] = {}
    for event in stream:
        if options.observer is not None:
            options.observer.show(event)
        if isinstance(event, RunStarted):
            shown = short_names(each.name for each in event.subjects)
        if sink is not None:
            try:
                sink.write(event)
            except OSError as problem:
                with suppress(OSError):
                    sink.close()  # closing again later would raise the same error unhandled
                raise _write_error(options.results, problem) from None
        reporter.show(rename_subjects(event, shown))
        if isinstance(event, RunEnded):
            status = event.exit
    return status


def _open_results(options: RunOptions) -> ResultsFile:
    try:
        return ResultsFile(options.results, appends=options.append)
    except InvalidResultsFile as problem:
        raise UsageError(f"--results {problem}") from None
    except OSError as problem:
        raise _write_error(options.results, problem) from None


def _write_error(results: str, problem: OSError) -> UsageError:
    where = f"--results {escape_nonprintable(results)}" if results else "the events for --report"
    return UsageError(f"{where}: {os_reason(problem, CANNOT_WRITE)}")
