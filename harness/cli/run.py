"""`xtest run`: run suites against subjects, show what happens, and write results and reports."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from errno import ENXIO
from typing import Any, NamedTuple, TextIO

import click

from harness.cli.common import (
    HELP,
    check_option,
    jobs_option,
    report_option,
    require_command,
    resume_options,
    sandbox_options,
    selection_options,
    subject_option,
    wall_option,
)
from harness.cli.completers import complete_deliveries, complete_suites
from harness.cli.sandboxing import choose_sandbox, sandbox_words
from harness.errors import UsageError
from harness.model.case_names import CONFIG_FILE
from harness.model.events import Diagnostic, Event, RunEnded, RunFingerprint
from harness.model.exit_codes import ExitCode
from harness.model.suite_info import SuiteInfo
from harness.process.process_state import require_open_files
from harness.process.reaper import missing_protection
from harness.process.sandbox import Sandbox
from harness.project import subjects as project_subjects
from harness.project.builds import build_targets
from harness.project.config import find_config, need_config
from harness.project.subjects import Project
from harness.project.targets import Target, bundled_names, targets_of
from harness.reports.terminal.console import Reporter, Verbosity, reporter_for
from harness.reports.writer import RunReports, writes_to_stdout
from harness.runner.execution import events
from harness.runner.fingerprint import fingerprints_of
from harness.runner.last_run import LastRun
from harness.runner.request import Check, RunRequest
from harness.runner.results_file import EventSink, InvalidResultsFile, ResultsFile
from harness.runner.resume import ResumeContext, resume_run
from harness.runner.selection import requested_deliveries, select_runs, selection_of
from harness.runner.store import cache_folder
from harness.suites.bundled import schemas_folder
from harness.suites.loading import CorpusError, collect_suite_info
from harness.text import escape_nonprintable, shell_line

__all__ = ["RunOptions", "command", "output_stream", "run_suites"]


class RunOptions(NamedTuple):
    """The options of `xtest run`, by their names."""

    suites: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    shard: str | None = None
    failed: bool = False
    new: bool = False
    jobs: int | None = None
    wall: float | None = None
    deliver: str | None = None
    repeat: int = 1
    max_failures: int | None = None
    fail_fast: bool = False
    sandbox: str | None = None
    shown: tuple[str, ...] = ()
    check: bool = False
    results: str = ""
    resume: bool = False
    cached: bool = False
    depends: tuple[str, ...] = ()
    full: bool = False
    verbose: bool = False
    quiet: bool = False
    subjects: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()


@click.command("run", context_settings=HELP)
@click.argument("suites", nargs=-1, metavar="[SUITE]...", shell_complete=complete_suites)
@selection_options
@subject_option
@jobs_option
@wall_option
@click.option(
    "--deliver",
    metavar="NAME[,NAME...]",
    shell_complete=complete_deliveries,
    help='How inputs are fed: "slow", "cut", ..., or "all" that the suite declares [plain].',
)
@click.option(
    "--repeat",
    type=click.IntRange(1, 1000),
    default=1,
    metavar="N",
    help="Run everything N times; cases with different verdicts are flaky.",
)
@click.option(
    "--max-failures", type=click.IntRange(1), metavar="N", help="Stop after N failed runs."
)
@click.option("--fail-fast", is_flag=True, help="Stop after the first failed run.")
@sandbox_options
@check_option
@resume_options
@report_option
@click.option("--full", is_flag=True, help="Show failures whole: all differences and stderr.")
@click.option("-v", "--verbose", is_flag=True, help="Show passed runs, too.")
@click.option("-q", "--quiet", is_flag=True, help="Show only the last line.")
@click.pass_obj
def command(subject: tuple[str, ...] | None, /, **options: Any) -> int:
    """Run suites against a subject: xtest run [SUITE]... [-- COMMAND...]

    A SUITE is a folder of N-in.json / N-out.json pairs, a folder of such folders, or the name of a
    bundled suite. The default is the suites of xtest.toml, or every bundled suite without one.
    """
    require_command(subject)
    wanted = RunOptions(**options)
    verbosity = Verbosity.VERBOSE if wanted.verbose else Verbosity.NORMAL
    verbosity = Verbosity.QUIET if wanted.quiet else verbosity
    reporter = reporter_for(output_stream(wanted), verbosity, full=wanted.full)
    return run_suites(wanted, subject, reporter)


def output_stream(options: RunOptions) -> TextIO:
    """Return standard output, or standard error if a report goes to standard output."""
    return sys.stderr if writes_to_stdout(options.reports) else sys.stdout


def run_suites(options: RunOptions, argv: tuple[str, ...] | None, reporter: Reporter) -> int:
    """Run what the options select and return the exit status. Raises UsageError.

    Args:
        options: as on the command line
        argv: the subject's command line, or None for the subjects of xtest.toml and suite.toml
        reporter: shows the events
    """
    _refuse_contradictions(options)
    if not options.reports:
        return _run(options, argv, reporter, None)
    reports = RunReports(options.reports, options.results, continued=options.resume)
    with closing(reports):
        return reports.make(_run(options, argv, reporter, reports))


def _refuse_contradictions(options: RunOptions) -> None:
    if options.resume and not options.results:
        raise UsageError("--resume requires --results FILE")
    if options.depends and not (options.results or options.cached or options.sandbox):
        raise UsageError("--depends requires --results, --cached or --sandbox")
    if options.resume and (options.failed or options.new):
        option = "--failed" if options.failed else "--new"
        raise UsageError(
            f"--resume cannot be combined with {option}: the selection of a resumed run must not"
            f" change; leave {option} out, finished runs are not repeated"
        )


def _run(
    options: RunOptions,
    argv: tuple[str, ...] | None,
    reporter: Reporter,
    reports: RunReports | None,
) -> int:
    targets, diagnostics = _prepare_targets(options, argv, reports)
    selection = selection_of(
        options.cases, options.tags, options.shard, failed=options.failed, new=options.new
    )
    selected = select_runs(
        targets,
        selection,
        requested_deliveries(options.deliver, "--deliver"),
        cache_folder(os.environ),
    )
    last_run = LastRun(cache_folder(os.environ))
    jobs = options.jobs or os.cpu_count() or 1
    require_open_files(jobs)
    outcome_options = _options_that_affect_outcomes(options)
    request = RunRequest(
        runs=selected.plan,
        problems=(*diagnostics, *selected.problems),
        parallel=jobs,
        wall_s=options.wall,
        check=_schema_check(targets) if options.check else None,
        repeat=options.repeat,
        sandbox=_choose_sandbox(options, targets, reports),
        max_failures=1 if options.fail_fast else options.max_failures,
        note=last_run.note,
        idle=selected.idle,
        options=outcome_options,
        basis=_fingerprints(options, targets, outcome_options),
        about=_suite_info(options, targets),
        board=reporter.board(jobs),
    )
    for warning in missing_protection():
        print(f"xtest: note: {warning}", file=sys.stderr)
    try:
        with ExitStack() as stack:
            sink: EventSink | None = None
            if options.resume or options.cached:
                request, sink = _resume(request, options, targets, stack)
            if sink is None and options.results:
                sink = stack.enter_context(closing(_open_results(options.results)))
            if reports is not None:
                sink = reports.sink(sink, stack)
            stack.enter_context(closing(reporter))
            return _show(events(request), reporter, sink, options.results)
    finally:
        warning = last_run.write()  # also after an interruption
        if warning:
            print(f"xtest: note: {warning}", file=sys.stderr)


# Suites and subjects.


def _prepare_targets(
    options: RunOptions, argv: tuple[str, ...] | None, reports: RunReports | None
) -> tuple[list[Target], list[Diagnostic]]:
    """Find suites and subjects, and build the subjects of xtest.toml."""
    project, targets, diagnostics = _find_targets(options, argv)
    if reports is not None:
        subjects = list(dict.fromkeys(target.subject.name for target in targets))
        reports.check(subjects, {target.suite.name: target.suite.folder for target in targets})
    if project is not None:
        targets = build_targets(project, targets)
    return targets, diagnostics


def _find_targets(
    options: RunOptions, argv: tuple[str, ...] | None
) -> tuple[Project | None, list[Target], list[Diagnostic]]:
    """Return the project if its subjects are run, the targets, and what is wrong with them."""
    if argv is not None and options.subjects:
        raise UsageError(
            f"--subject selects subjects of {CONFIG_FILE} and cannot be combined with a command"
            " after --"
        )
    if options.subjects:
        need_config(f"--subject {escape_nonprintable(options.subjects[0])}")
    has_folders = bool(options.suites) and all(map(os.path.isdir, options.suites))
    path = None if argv is not None and has_folders else find_config()
    if path is None:
        return None, *targets_of(options.suites or _bundled_suites(argv), argv)
    project = project_subjects.read_project(path)
    if argv is not None:
        suites = project_subjects.configured_suites(project, options.suites)
        return None, *targets_of(suites or _bundled_suites(argv), argv)
    configured = project_subjects.configured_targets(project, options.suites, options.subjects)
    return project, *configured


def _bundled_suites(argv: tuple[str, ...] | None) -> list[str]:
    """Return all bundled suites. Raises UsageError for a command: it cannot serve all of them."""
    if argv:
        raise UsageError(
            f"no suite given; name the suite to run: xtest run SUITE -- {shell_line(argv)}"
        )
    return bundled_names()


def _choose_sandbox(
    options: RunOptions, targets: Sequence[Target], reports: RunReports | None
) -> Sandbox | None:
    results = (options.results, *(reports.files if reports is not None else ()))
    depends = options.depends if options.sandbox else ()
    suites = [target.suite for target in targets]
    return choose_sandbox(options.sandbox, suites, results, (*options.shown, *depends))


def _schema_check(targets: Sequence[Target]) -> Check:
    # Importing jsonschema takes 90 ms, longer than a small run.
    from harness.suites.schema_checks import suite_schema_check  # pylint: disable=import-outside-toplevel

    try:
        return suite_schema_check([target.suite for target in targets], schemas_folder())
    except CorpusError as problem:
        raise UsageError(str(problem)) from None


# Executing and recording.


def _options_that_affect_outcomes(options: RunOptions) -> tuple[str, ...]:
    words: tuple[str, ...] = ()
    if options.wall is not None:
        words += ("--wall", repr(options.wall).removesuffix(".0"))
    if options.repeat != 1:
        words += ("--repeat", str(options.repeat))
    words += sandbox_words(options.sandbox, options.shown)
    return (*words, "--check") if options.check else words


def _fingerprints(
    options: RunOptions, targets: Sequence[Target], outcome_options: tuple[str, ...]
) -> tuple[RunFingerprint, ...]:
    if not (options.results or options.cached):
        return ()
    return fingerprints_of(targets, outcome_options, options.depends, os.environ)


def _suite_info(options: RunOptions, targets: Sequence[Target]) -> tuple[SuiteInfo, ...]:
    if not (options.results or options.reports):
        return ()
    return collect_suite_info([target.suite for target in targets])


def _resume(
    request: RunRequest, options: RunOptions, targets: Sequence[Target], stack: ExitStack
) -> tuple[RunRequest, EventSink | None]:
    """Return a request for the remaining runs, and the results file that it continues."""
    assert request.note is not None
    context = ResumeContext(
        request.runs, targets, request.basis, request.check, request.options, request.note
    )
    results = options.results if options.resume else None
    cache = cache_folder(os.environ) if options.cached else None
    rest = resume_run(context, results, cache, stack)
    return request._replace(runs=rest.left, earlier=rest.earlier, note=rest.note), rest.sink


def _show(stream: Iterator[Event], reporter: Reporter, sink: EventSink | None, results: str) -> int:
    """Send every event to the results file and the reporter, and return the exit status."""
    status: int = ExitCode.FAULT
    for event in stream:
        if sink is not None:
            try:
                sink.write(event)
            except OSError as problem:
                with suppress(OSError):
                    sink.close()  # closing again later would raise the same error unhandled
                raise _unwritable(results, problem) from None
        reporter.show(event)
        if isinstance(event, RunEnded):
            status = event.exit
    return status


def _open_results(path: str) -> EventSink:
    try:
        return ResultsFile(path)
    except InvalidResultsFile as problem:
        raise UsageError(f"--results {problem}") from None
    except OSError as problem:
        raise _unwritable(path, problem) from None


def _unwritable(results: str, problem: OSError) -> UsageError:
    where = f"--results {escape_nonprintable(results)}" if results else "the events for --report"
    if problem.errno == ENXIO:
        return UsageError(f"{where}: a pipe that nobody reads; start its reader first")
    return UsageError(f"{where}: {(problem.strerror or 'cannot be written').lower()}")
