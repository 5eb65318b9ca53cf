"""`xtest compare`: run subjects on the same inputs and show where they differ.

harness/engine/compare_runs.py runs them, harness/judging decides which outputs are equal.
Source: docs/compare.md.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import chain
from typing import Any, Final, NamedTuple

import click

from harness.analysis.compare import ComparisonResults
from harness.cli.run_options import outcome_words
from harness.delivery.registry import Delivery
from harness.engine.compare_runs import CompareSetup, compare_inputs, remote_results
from harness.engine.plan import Plan, Selection
from harness.engine.progress import ProgressBoard
from harness.errors import Refused, UsageError
from harness.files import is_terminal, terminal_size
from harness.model.case_names import CONFIG_FILE
from harness.model.exit_codes import ExitCode
from harness.model.sessions import SessionOptions
from harness.model.subject import Subject
from harness.options import common, messages
from harness.options.completers import complete_compared, complete_subjects_or_programs
from harness.options.sandbox_and_cluster import choose_sandbox, connect_cluster
from harness.process.process_state import require_open_files
from harness.project.builds import BuildStep, build, build_steps
from harness.project.program_lookup import command_line, find_program, no_program_text
from harness.project.subjects import (
    Project,
    find_project,
    subject_on,
    subject_without_suite,
    suite_arguments,
)
from harness.project.targets import Target, pair_suites, program_targets
from harness.reports.analysis_json import comparison_json
from harness.reports.terminal.compare import separation_lines, subject_lines, total_lines
from harness.reports.terminal.display import display_for
from harness.results.selection import SelectedRuns, select_runs
from harness.suites.discovery import find_inputs
from harness.suites.loading import Suite
from harness.text import (
    did_you_mean,
    escape_ci_json,
    escape_nonprintable,
    pluralize,
    quote,
    shorten_to_width,
)

_MOST_SUBJECTS: Final = 26  # one letter each
_SUBJECT_NAME: Final = re.compile("[^/\\s]+")  # in xtest.toml; a command may look like one
_GLOB: Final = re.compile("[^/\\s]*[*?[][^/\\s]*")  # of such names
_EXAMPLE: Final = "xtest compare 'node a.js' ./b -- SUITE"


class _CompareOptions(NamedTuple):
    """The options of `xtest compare`; subjects and inputs as written on the command line."""

    subjects: tuple[str, ...]
    inputs: tuple[str, ...]
    selection: Selection
    reference: str | None
    jobs: int | None
    wall: float | None
    sandbox: str | None
    shown: tuple[str, ...]
    sessions: SessionOptions
    limit: int
    full: bool
    cluster: str
    cluster_tls: str
    ships: bool
    board: ProgressBoard


@click.command("compare", cls=common.Command, takes_command=True, starts_programs=True)
@click.argument("subjects", nargs=-1, metavar="SUBJECT...", shell_complete=complete_compared)
@common.case_options
@click.option(
    "--reference",
    metavar="SUBJECT",
    shell_complete=complete_subjects_or_programs,
    help="Treat this subject as correct, and compare the others with it.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=10,
    metavar="N",
    help="Show the N smallest inputs that separate the subjects [10].",
)
@click.option("--full", is_flag=True, help="Show all differences, up to 200 per pair of groups.")
@common.format_option()
@common.jobs_option
@common.wall_option
@common.sandbox_options
@common.session_options
@common.cluster_options
@click.pass_obj
def command(inputs: tuple[str, ...] | None, /, form: str, **options: Any) -> int:
    """Show where programs differ: xtest compare 'node a.js' ./b [SUBJECT]... -- SUITE|FOLDER...

    Every SUBJECT (a command quoted as one word, or a name, a glob or @TAG of xtest.toml) gets every
    input. Expected outputs are not needed: inputs with different outputs are shown, the smallest
    first.
    """
    if not inputs:
        raise UsageError(f"compare requires a suite or a folder of inputs after --: {_EXAMPLE}")
    given = _CompareOptions(inputs=inputs, **options)
    project = find_project() if any(map(_SUBJECT_NAME.fullmatch, given.subjects)) else None
    subjects = _subjects(given, project)
    names = [subject.name for subject in subjects]
    # Workers of a cluster run them: they do not get files that are built here.
    builds = [] if project is None or not given.ships else build_steps(project, names)
    setup, selected = _plan(given, subjects, project, {step.subject for step in builds})
    results = ComparisonResults(names, given.limit, has_reference=given.reference is not None)
    results.other_problems += selected.problems
    try:
        _run(setup, selected.plan, given, builds, results)
    except KeyboardInterrupt:
        results.interrupted = True  # still print what was found
    _print(results, given, as_json=form == "json")
    if results.interrupted:
        return ExitCode.INTERRUPTED
    if results.problems or not results.totals.inputs:
        return ExitCode.FAULT
    return ExitCode.FAILED if results.totals.separating else ExitCode.OK


def _run(
    setup: CompareSetup,
    plan: Plan,
    options: _CompareOptions,
    builds: Sequence[BuildStep],
    results: ComparisonResults,
) -> None:
    """Run all inputs. Full outputs are kept only for the smallest inputs that separate subjects."""
    where, board = (options.cluster, options.cluster_tls), options.board
    with ExitStack() as stack:
        connected = connect_cluster(*where, options.jobs, ships=options.ships, builds=builds)
        cluster = stack.enter_context(connected)
        stack.callback(_show_progress, "")  # before notes on workers
        if cluster is None:
            parallel = options.jobs or os.cpu_count() or 1
            require_open_files(parallel)
            runs = compare_inputs(setup, plan, parallel, results.smallest.takes, board.slots())
        else:
            runs = remote_results(cluster.start_inputs(setup, plan, board), results.other_problems)
        for result in stack.enter_context(closing(runs)):
            results.add(result)
            count = pluralize(results.totals.inputs, "input")
            words = f"{count}, {results.totals.separating:,} of which separate the subjects"
            _show_progress("; ".join(filter(None, (words, board.note))))


def _subjects(options: _CompareOptions, project: Project | None) -> list[Subject]:
    """Return the subjects, the reference first."""
    given = options.subjects
    twice = next((word for word in given if given.count(word) > 1), None)
    if twice is not None:
        raise UsageError(
            f"{escape_nonprintable(twice)}: named twice; to see whether a program is flaky, use"
            " xtest run --repeat"
        )
    words = list(given) if project is None else _expand_globs(project, given)
    if len(words) < 2:
        raise UsageError(
            f"compare requires two subjects or more, each in one shell word: {_EXAMPLE}"
        )
    if len(words) > _MOST_SUBJECTS:
        raise UsageError(f"{len(words)} subjects: at most {_MOST_SUBJECTS} can be compared")
    if options.reference is not None:
        if options.reference not in words:
            hint = did_you_mean(options.reference, words)
            raise UsageError(
                f"--reference {quote(options.reference)}: not one of the subjects; {hint}"
            )
        words.remove(options.reference)
        words.insert(0, options.reference)
    return [*_resolve_subjects(words, project, builds=not options.ships)]


def _expand_globs(project: Project, words: Sequence[str]) -> list[str]:
    """Replace @TAG and globs by the names of subjects of xtest.toml. Raises UsageError."""
    names: dict[str, None] = {}
    for word in words:
        if word.startswith("@") or _GLOB.fullmatch(word):
            found = project.select_subjects((word,))
            names |= dict.fromkeys(subject.name for subject in found)
        else:
            names[word] = None
    return list(names)


def _resolve_subjects(
    words: Sequence[str], project: Project | None, *, builds: bool
) -> Iterator[Subject]:
    """Yield the subjects that words of the command line name; with `builds`, build those of
    xtest.toml first. Raises UsageError."""
    named = {}
    if project is not None:
        named = {name: subject_without_suite(project, one) for name, one in project.by_name.items()}
        faults = build(project, [*filter(named.get, words)]) if builds else {}
        for name, fault in faults.items():
            raise UsageError(f"{name}: {fault}")
    for word in words:
        # Its folder and command line depend on the suite: see _subject_on_suite.
        yield named[word] if word in named else _subject(word, named)


def _subject(word: str, known: Collection[str]) -> Subject:
    """Return the subject for a command line in one shell word. Raises UsageError."""
    try:
        argv = tuple(shlex.split(word))
    except ValueError as problem:
        reason = str(problem).lower()
        raise UsageError(f"{quote(word)}: not a command line: {reason}") from None
    if not argv:
        raise UsageError(f"{quote(word)}: an empty command cannot be run")
    program = find_program(argv[0])
    if program is None:
        subjects = f"; subjects of {CONFIG_FILE}: {', '.join(known)}" if known else ""
        raise UsageError(f"{no_program_text(argv[0])}{subjects}")
    _check_program(argv[0], program)
    return Subject(word, argv)


def _check_program(name: str, path: str) -> None:
    # Otherwise subjects that cannot start would all have the same outcome.
    if not os.access(path, os.X_OK):
        what = "not executable" if os.path.exists(path) else "no such file"
        raise UsageError(f"{escape_nonprintable(name)}: {what}")


# The plan.


def _plan(
    options: _CompareOptions,
    subjects: Sequence[Subject],
    project: Project | None,
    built: Collection[str],
) -> tuple[CompareSetup, SelectedRuns]:
    """Plan a comparison; workers build the subjects in `built`. Raises UsageError."""
    inputs = options.inputs
    if not all(map(os.path.exists, inputs)):
        inputs = suite_arguments(inputs)
    # A plan needs targets, but their subjects are not used.
    found, problems = pair_suites(find_inputs(inputs), program_targets, inputs=True)
    selected = select_runs(found, options.selection, (Delivery.PLAIN,), "")
    suites = [target.suite for target in found]
    setup = CompareSetup(
        {each.suite.name: _targets(each, subjects, project, built) for each in found},
        choose_sandbox(options.sandbox, suites, subjects, (), options.shown),
        options.wall,
        options.sessions,
        options.subjects,
        _options_that_affect_outcomes(options),
        options.limit,
    )
    return setup, selected._replace(problems=(*problems, *selected.problems))


def _targets(
    found: Target, subjects: Sequence[Subject], project: Project | None, built: Collection[str]
) -> tuple[Target, ...]:
    """Return the subjects as they run on a suite; workers build those in `built`."""
    placed = (_subject_on_suite(subject, found.suite, project, built) for subject in subjects)
    return tuple(found._replace(subject=each, is_default_subject=False) for each in placed)


def _subject_on_suite(
    subject: Subject, suite: Suite, project: Project | None, built: Collection[str]
) -> Subject:
    """Return a subject with the command and folder that it has on a suite. Raises UsageError."""
    config = None if project is None else project.by_name.get(subject.name)
    if project is not None and config is not None:
        subject = subject_on(project, config, suite)
        if subject.name in built:
            return subject
        name = subject.command[0]
        if subject.context is not None and "/" in name:
            _check_program(name, os.path.join(subject.context.folder, name))
    argv = command_line(subject)
    if isinstance(argv, Refused):
        raise UsageError(argv.reason)
    return subject


def _options_that_affect_outcomes(options: _CompareOptions) -> tuple[str, ...]:
    reference = () if options.reference is None else ("--reference", options.reference)
    shared = options.wall, options.sandbox, options.shown, options.sessions
    return (*reference, *outcome_words(*shared))


# The output.


def _show_progress(text: str) -> None:
    """Replace the progress line on a terminal; print nothing elsewhere."""
    if is_terminal(sys.stderr):
        shown = shorten_to_width(text, terminal_size(sys.stderr).columns - 1)
        print(f"\r{shown}\x1b[K", end="", file=sys.stderr, flush=True)


def _print(compared: ComparisonResults, options: _CompareOptions, *, as_json: bool) -> None:
    if as_json:
        print(escape_ci_json(json.dumps(comparison_json(compared))))
        return
    display = display_for(sys.stdout, full=options.full)
    shown = (separation_lines(each, display) for each in compared.smallest.details)
    sums = total_lines(compared, options.limit, display.style)
    messages.print_lines(chain(subject_lines(compared, display.style), *shown, sums))
