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
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import chain
from typing import Any, Final, NamedTuple

import click

from harness.analysis.compare import ComparisonResults
from harness.delivery.registry import Delivery
from harness.engine.compare_runs import CompareSettings, CompareWorkload
from harness.engine.plan import Plan, PlannedRun, Selection
from harness.errors import UsageError, usage_errors
from harness.files import may_execute
from harness.model.case_names import CONFIG_FILE
from harness.model.events import Diagnostic
from harness.model.exit_codes import ExitCode
from harness.model.subject import Subject
from harness.options import arguments, messages
from harness.options.arguments import ExecutionOptions
from harness.options.command import Command
from harness.options.completers import complete_compared, complete_subjects_or_programs
from harness.options.run_options import has_results
from harness.options.runs import describe_setup
from harness.options.setup import Setup, require_programs, set_up
from harness.options.targets import FoundTargets, print_stray_note
from harness.options.working import start_work
from harness.project.program_lookup import find_program, no_program_text
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
from harness.reports.text.display import display_for, neutral, style_and_width
from harness.results.compared_inputs import ComparisonFile, ComparisonStarted
from harness.results.results_file import InvalidResultsFile, find_damage
from harness.results.selection import select_runs
from harness.suites.discovery import find_inputs
from harness.suites.loading import Suite
from harness.text import (
    did_you_mean,
    escape_ci_json,
    escape_nonprintable,
    quote,
    shell_line,
)

_MOST_SUBJECTS: Final = 26  # one letter each
_SUBJECT_NAME: Final = re.compile("[^/\\s]+")  # in xtest.toml; a command may look like one
_GLOB: Final = re.compile("[^/\\s]*[*?[][^/\\s]*")  # of such names
_EXAMPLE: Final = "xtest compare 'node a.js' ./b -- SUITE"


def _no_inputs_text(words: Sequence[str]) -> str:
    """Return the message without inputs after --: the line that the words may have meant."""
    meant = _EXAMPLE
    if len(words) > 2 and os.path.isdir(words[-1]):
        meant = shell_line(("xtest", "compare", *words[:-1], "--", words[-1]))
    return f"compare requires a suite or a folder of inputs after --: {meant}"


class _CompareOptions(NamedTuple):
    """The options of `xtest compare`; subjects and inputs as written on the command line."""

    subjects: tuple[str, ...]
    inputs: tuple[str, ...]
    selection: Selection
    reference: str | None
    execution: ExecutionOptions
    limit: int
    full: bool
    results: str
    resume: bool

    @property
    def outcome_args(self) -> tuple[str, ...]:
        """The words of these options that results depend on."""
        reference = () if self.reference is None else ("--reference", self.reference)
        return (*reference, *self.execution.outcome_args)


@click.command("compare", cls=Command, takes_command=True)
@click.argument("subjects", nargs=-1, metavar="SUBJECT...", shell_complete=complete_compared)
@arguments.case_options
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
@arguments.results_option("Write the result of each input to FILE, for --resume.")
@arguments.resume_option
@arguments.format_option()
@arguments.execution_options
@arguments.session_options
@arguments.cluster_options
@click.pass_obj
@arguments.with_execution
def command(inputs: tuple[str, ...] | None, /, form: str, **values: Any) -> int:
    """Show where programs differ: xtest compare 'node a.js' ./b [SUBJECT]... -- SUITE|FOLDER...

    Every SUBJECT (a command quoted as one word, or a name, a glob or @TAG of xtest.toml) gets every
    input. Expected outputs are not needed: inputs with different outputs are shown, the smallest
    first.
    """
    if not inputs:
        raise UsageError(_no_inputs_text(values["subjects"]))
    options = _CompareOptions(inputs=inputs, **values)
    project = find_project() if any(map(_SUBJECT_NAME.fullmatch, options.subjects)) else None
    subjects = _subjects(options, project)
    names = [subject.shown for subject in subjects]
    _check_results(options)
    found_targets = _find_targets(options, subjects, project)
    setup = set_up(found_targets, options.execution, written=[*filter(None, [options.results])])
    require_programs(setup)
    plan, problems = _plan(found_targets, options)
    results = ComparisonResults(names, options.limit, has_reference=options.reference is not None)
    results.other_problems += problems
    try:
        _run(plan, setup, project, options, results)
    except KeyboardInterrupt:
        results.interrupted = True  # still print what was found
    _print(results, options, as_json=form == "json")
    if results.interrupted:
        return ExitCode.INTERRUPTED
    if results.problems or not results.totals.inputs:
        return ExitCode.FAULT
    totals = results.totals
    return ExitCode.FAILED if totals.separating or totals.shows_nothing else ExitCode.OK


def _run(
    plan: Plan,
    setup: Setup,
    project: Project | None,
    options: _CompareOptions,
    results: ComparisonResults,
) -> None:
    """Run all inputs. Full outputs are kept only for the smallest inputs that separate subjects."""
    workload = _workload(setup, options)
    with ExitStack() as at_end:
        items: Iterable[PlannedRun] = plan
        file = None
        if options.results:
            items = file = at_end.enter_context(_results_file(plan, setup, project, options))
            messages.print_notes(file.notes)
            for planned, compared in file.kept:
                results.add(workload.checked_result(planned, compared))
            results.resumed = len(file.kept)
        cluster = at_end.enter_context(setup.cluster)
        work = at_end.enter_context(
            start_work(workload, items, options.execution, cluster, noun="input")
        )
        for result in work.all_results():
            results.add(result)
            if file is not None:
                with usage_errors(f"--results {escape_nonprintable(options.results)}"):
                    file.add(result)
        damage = [] if file is None else find_damage(options.results, file.file)
        results.other_problems += (Diagnostic("xtest", each) for each in (*work.losses, *damage))


# The results file.


def _check_results(options: _CompareOptions) -> None:
    """Raise UsageError for a results file that exists without --resume, or cannot be written."""
    if not options.results:
        if options.resume:
            raise UsageError("--resume requires --results FILE")
    elif has_results(options.results) and not options.resume:
        shown = escape_nonprintable(options.results)
        raise UsageError(f"--results {shown}: the file exists; add --resume, or name another")


@contextmanager
def _results_file(
    plan: Plan, setup: Setup, project: Project | None, options: _CompareOptions
) -> Iterator[ComparisonFile]:
    """Open the results file; errors of its content are UsageErrors, too."""
    origin = describe_setup(
        setup,
        project,
        options.outcome_args,
        written=[options.results],
        required=options.resume,
    )
    args = (*options.outcome_args, "--limit", str(options.limit))
    started = ComparisonStarted(options.subjects, args, origin.fingerprints)
    with usage_errors(f"--results {escape_nonprintable(options.results)}"):
        try:
            file = ComparisonFile(options.results, started, plan)
        except InvalidResultsFile as problem:
            raise UsageError(f"--results {problem}") from None
    with closing(file):
        yield file


def _subjects(options: _CompareOptions, project: Project | None) -> list[Subject]:
    """Return the subjects, the reference first."""
    named = options.subjects
    twice = next((word for word in named if named.count(word) > 1), None)
    if twice is not None:
        raise UsageError(
            f"{escape_nonprintable(twice)}: named twice; to see whether a program is flaky, use"
            " xtest run --repeat"
        )
    selectors = list(named) if project is None else _expand_globs(project, named)
    if len(selectors) < 2:
        raise UsageError(
            f"compare requires two subjects or more, each in one shell word: {_EXAMPLE}"
        )
    if len(selectors) > _MOST_SUBJECTS:
        raise UsageError(f"{len(selectors)} subjects: at most {_MOST_SUBJECTS} can be compared")
    if options.reference is not None:
        if options.reference not in selectors:
            hint = did_you_mean(options.reference, selectors)
            raise UsageError(
                f"--reference {quote(options.reference)}: not one of the subjects; {hint}"
            )
        selectors.remove(options.reference)
        selectors.insert(0, options.reference)
    return [*_resolve_subjects(selectors, project)]


def _expand_globs(project: Project, words: Sequence[str]) -> list[str]:
    """Replace @TAG and globs by the names of subjects of xtest.toml. Raises UsageError."""
    names: dict[str, None] = {}
    for word in words:
        if word.startswith("@") or _GLOB.fullmatch(word):
            matching = project.select_subjects((word,))
            names |= dict.fromkeys(subject.name for subject in matching)
        else:
            names[word] = None
    return list(names)


def _resolve_subjects(words: Sequence[str], project: Project | None) -> Iterator[Subject]:
    """Yield the subjects that words of the command line name. Raises UsageError."""
    named = {}
    if project is not None:
        named = {name: subject_without_suite(project, one) for name, one in project.by_name.items()}
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
    if not may_execute(path):
        what = "not executable" if os.path.exists(path) else "no such file"
        raise UsageError(f"{escape_nonprintable(name)}: {what}")


# The targets and the plan.


def _find_targets(
    options: _CompareOptions, subjects: Sequence[Subject], project: Project | None
) -> FoundTargets:
    """Return each suite with all subjects. Raises UsageError."""
    inputs = options.inputs
    if not all(map(os.path.exists, inputs)):
        inputs = suite_arguments(inputs)
    suites, problems = pair_suites(find_inputs(inputs), program_targets, inputs=True)
    targets = [
        Target(each.suite, each.argument, _subject_on_suite(subject, each.suite, project))
        for each in suites
        for subject in subjects
    ]
    print_stray_note(targets)
    return FoundTargets(targets, problems, project)


def _subject_on_suite(subject: Subject, suite: Suite, project: Project | None) -> Subject:
    """Return a subject with the command and folder that it has on a suite. Raises UsageError."""
    config = None if project is None else project.by_name.get(subject.name)
    if project is None or config is None:
        return subject
    return subject_on(project, config, suite)


def _plan(
    found_targets: FoundTargets, options: _CompareOptions
) -> tuple[Plan, Sequence[Diagnostic]]:
    """Return the selected inputs, each once, and all problems."""
    # A plan needs targets, but their subjects are not used.
    once = {target.suite.name: target for target in reversed(found_targets.targets)}
    targets = [*reversed(once.values())]
    selected = select_runs(targets, options.selection, (Delivery.PLAIN,), "")
    return selected.plan, (*found_targets.problems, *selected.problems)


def _workload(setup: Setup, options: _CompareOptions) -> CompareWorkload:
    comparison = CompareSettings(
        subjects=options.subjects,
        args=options.outcome_args,
        limit=options.limit,
        wall_s=options.execution.wall,
        sessions=options.execution.sessions,
    )
    return CompareWorkload(setup.targets, setup.sandbox, comparison)


# The output.


def _print(compared: ComparisonResults, options: _CompareOptions, *, as_json: bool) -> None:
    if as_json:
        print(escape_ci_json(json.dumps(comparison_json(compared))))
        return
    display = display_for(sys.stdout, full=options.full)
    is_neutral = not compared.has_reference
    sides = display._replace(style=neutral(display.style)) if is_neutral else display
    shown = (separation_lines(each, sides) for each in compared.smallest.details)
    sums = total_lines(compared, options.limit, *style_and_width(sys.stdout))
    messages.print_lines(chain(subject_lines(compared, display.style), *shown, sums))
