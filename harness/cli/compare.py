"""`xtest compare`: run subjects on the same inputs and show where they differ.

Which outputs are equal, and which differences are shown, is decided in harness/analysis.
Source: docs/compare.md.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, Final, NamedTuple

import click

from harness.analysis.divergence import (
    ComparisonMode,
    ComparisonTotals,
    SeparatingInput,
    Separation,
    separation,
)
from harness.analysis.grouping import (
    OutcomeGroups,
    OutputGroup,
    Smallest,
    answer_of,
    groups_of,
    is_repeated,
)
from harness.cli.common import HELP, case_options, jobs_option, sandbox_options, wall_option
from harness.cli.completers import complete_subjects_or_programs
from harness.cli.sandboxing import choose_sandbox, sandbox_words
from harness.delivery.registry import Delivery
from harness.errors import UsageError
from harness.model.case_names import pattern_of
from harness.model.events import Diagnostic
from harness.model.exit_codes import ExitCode
from harness.model.policy import Policy
from harness.model.subject import Subject
from harness.model.transcript import Job, Transcript
from harness.process.process_state import require_open_files
from harness.process.sandbox import run_in
from harness.project.builds import build
from harness.project.config import find_config
from harness.project.program_lookup import command_line, find_program, no_program_text
from harness.project.subjects import Project, matching_suites, read_project, subject_on
from harness.project.targets import Target
from harness.reports.analysis_json import comparison_json
from harness.reports.terminal.console import display_options
from harness.reports.terminal.groups import GroupDisplay, separation_lines, subject_lines, sum_lines
from harness.runner.plan import PlannedRun, Selection
from harness.runner.selection import select_runs, selection_of
from harness.suites.bundled import test_cases_folder
from harness.suites.cases import BrokenCase
from harness.suites.inputs import find_inputs, read_input, read_inputs
from harness.suites.loading import CorpusError, Suite
from harness.text import did_you_mean, escape_ci_commands, escape_nonprintable, pluralize, quote

__all__ = ["command"]

_MOST_SUBJECTS: Final = 26  # one letter each
_SUBJECT_NAME: Final = re.compile("[^/\\s]+")  # in xtest.toml; a command may look like one
_NAME: Final = 60  # characters of a name in a message
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
    limit: int
    full: bool


@click.command("compare", context_settings=HELP)
@click.argument(
    "subjects", nargs=-1, metavar="SUBJECT...", shell_complete=complete_subjects_or_programs
)
@case_options
@click.option(
    "--reference",
    metavar="SUBJECT",
    shell_complete=complete_subjects_or_programs,
    help="This subject is right; the others are compared with it.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=10,
    metavar="N",
    help="Show the N smallest inputs that separate the subjects [10].",
)
@click.option("--full", is_flag=True, help="Show every difference, however many there are.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Lines for people, or one JSON object [text].",
)
@jobs_option
@wall_option
@sandbox_options
@click.pass_obj
def command(
    inputs: tuple[str, ...] | None,
    /,
    cases: tuple[str, ...],
    tags: tuple[str, ...],
    shard: str | None,
    form: str,
    **options: Any,
) -> int:
    """Show where programs differ: xtest compare 'node a.js' ./b [SUBJECT]... -- SUITE|FOLDER...

    Every SUBJECT (a command in one shell word, or a subject of xtest.toml) gets every input.
    Expected outputs are not needed: inputs with different outputs are shown, the smallest first.
    """
    if not inputs:
        raise UsageError(f"compare requires a suite or a folder of inputs after --: {_EXAMPLE}")
    selection = selection_of(cases, tags, shard, failed=False, new=False)
    asked = _CompareOptions(inputs=inputs, selection=selection, **options)
    project = _project(asked)
    subjects = _subjects(asked, project)
    comparison = _Comparison(asked, subjects, project)
    interrupted = False
    try:
        comparison.run()
    except KeyboardInterrupt:
        interrupted = True  # still print what was found
    comparison.ticker.clear()
    totals = comparison.totals(interrupted=interrupted)
    _print(totals, asked, as_json=form == "json")
    if interrupted:
        return ExitCode.INTERRUPTED
    if totals.problems or not totals.agreement.inputs:
        return ExitCode.FAULT
    return ExitCode.FAILED if totals.separating else ExitCode.OK


def _project(options: _CompareOptions) -> Project | None:
    """Return the project if one of the subjects may be one of its xtest.toml, otherwise None."""
    path = find_config() if any(_SUBJECT_NAME.fullmatch(w) for w in options.subjects) else None
    if path is None:
        return None
    return read_project(path)


def _subjects(options: _CompareOptions, project: Project | None) -> list[Subject]:
    """Return the subjects, the reference first."""
    words = list(options.subjects)
    if len(words) < 2:
        raise UsageError(
            f"compare requires two subjects or more, each in one shell word: {_EXAMPLE}"
        )
    if len(words) > _MOST_SUBJECTS:
        raise UsageError(f"{len(words)} subjects: at most {_MOST_SUBJECTS} can be compared")
    twice = next((word for word in words if words.count(word) > 1), None)
    if twice is not None:
        raise UsageError(
            f"{escape_nonprintable(twice)}: named twice; to see whether a program is flaky, use"
            " xtest run --repeat"
        )
    if options.reference is not None:
        if options.reference not in words:
            hint = did_you_mean(options.reference, words)
            raise UsageError(
                f"--reference {quote(options.reference, _NAME)}: not one of the subjects; {hint}"
            )
        words.remove(options.reference)
        words.insert(0, options.reference)
    return [*_looked_up(words, project)]


def _looked_up(words: Sequence[str], project: Project | None) -> Iterator[Subject]:
    """Resolve the words of the command line to subjects, and build those of xtest.toml."""
    named = {each.name: each for each in project.config.subjects} if project is not None else {}
    if project is not None:
        for fault in build(project, [word for word in words if word in named]).values():
            raise UsageError(fault)
    for word in words:
        # Its folder and command line depend on the suite: see _subject_on.
        yield Subject(word, named[word].command) if word in named else _subject(word)


def _subject(word: str) -> Subject:
    """Return the subject for a command line in one shell word. Raises UsageError."""
    try:
        argv = tuple(shlex.split(word))
    except ValueError as problem:
        reason = str(problem).lower()
        raise UsageError(f"{quote(word, _NAME)}: not a command line: {reason}") from None
    if not argv:
        raise UsageError(f"{quote(word, _NAME)}: an empty command cannot be run")
    program = find_program(argv[0])
    if program is None:
        raise UsageError(no_program_text(argv[0]))
    _check_program(argv[0], program)
    return Subject(word, argv)


def _check_program(name: str, path: str) -> None:
    # Otherwise subjects that cannot start would all have the same outcome.
    if not os.access(path, os.X_OK):
        what = "not executable" if os.path.exists(path) else "no such file"
        raise UsageError(f"{escape_nonprintable(name)}: {what}")


def _targets(options: _CompareOptions, subject: Subject) -> tuple[list[Target], list[Diagnostic]]:
    """Find the suites. The subject of a target is not used: a plan needs one."""
    targets: list[Target] = []
    problems: list[Diagnostic] = []
    try:
        everything = find_inputs(_resolve_inputs(options.inputs), test_cases_folder())
    except CorpusError as problem:
        raise UsageError(str(problem)) from None
    for found in everything:
        try:
            suite = read_inputs(found)
        except CorpusError as problem:
            problems.append(Diagnostic(found.name, str(problem)))
            continue
        targets.append(Target(suite, found.argument, subject, is_default_subject=True))
        problems += (Diagnostic(suite.name, fault) for fault in suite.faults)
    return targets, problems


def _resolve_inputs(inputs: tuple[str, ...]) -> tuple[str, ...]:
    """Replace names of suites of xtest.toml by their folders. Raises UsageError."""
    if all(map(os.path.exists, inputs)):
        return inputs
    return matching_suites(inputs)


# Running the subjects.


class _Unit:
    """One input in progress, and the outputs of the subjects so far."""

    __slots__ = ("answers", "left", "limits", "planned", "place", "policy", "seen", "stdin")

    def __init__(self, place: int, planned: PlannedRun, stdin: bytes, subjects: int) -> None:
        self.place = place
        self.planned = planned
        self.stdin = stdin
        self.policy: Policy = planned.target.suite.settings.policy_for(planned.name)[0]
        self.left = subjects
        self.limits = [self.policy.limits] * subjects  # of each subject
        self.seen: list[Transcript | None] = [None] * subjects
        self.answers: list[OutputGroup | None] = [None] * subjects

    def take(self, number: int, seen: Transcript) -> bool:
        """Add the transcript of one subject. Return whether all subjects are done."""
        known = (
            answer
            for other, answer in zip(self.seen, self.answers, strict=True)
            if other is not None and is_repeated(other, seen)
        )
        policy = self.policy._replace(limits=self.limits[number])
        self.answers[number] = next(known, None) or answer_of(seen, policy)
        self.seen[number] = seen
        self.left -= 1
        return not self.left


class _Comparison:
    """Run all inputs. Full outputs are kept only for the smallest inputs that separate subjects."""

    def __init__(
        self,
        options: _CompareOptions,
        subjects: list[Subject],
        project: Project | None,
    ) -> None:
        targets, problems = _targets(options, subjects[0])
        selected = select_runs(targets, options.selection, (Delivery.PLAIN,), "")
        self._options = options
        self._project = project
        self._subjects = subjects
        self._plan = selected.plan
        suites = [target.suite for target in targets]
        self._sandbox = choose_sandbox(options.sandbox, suites, (), options.shown)
        self._agreement = OutcomeGroups(len(subjects))
        self._separating: list[tuple[int, int, SeparatingInput]] = []
        self._shown = Smallest[Separation](options.limit)
        self.ticker = _Ticker()
        self.problems = [*problems, *selected.problems]

    def run(self) -> None:
        """Run every subject on every input."""
        parallel = self._options.jobs or os.cpu_count() or 1
        require_open_files(parallel)
        environment = dict(os.environ)
        runs = run_in(self._sandbox, self._jobs(), parallel, environment, sole_parent=True)
        # Closed explicitly: an exception would keep subjects running as long as its traceback.
        with closing(runs):
            for (unit, number), seen in runs:
                if unit.take(number, seen):
                    self._settle(unit)
                    self.ticker.show(self._agreement)

    def totals(self, *, interrupted: bool) -> ComparisonTotals:
        """Return the results so far."""
        return ComparisonTotals(
            subjects=tuple(subject.name for subject in self._subjects),
            has_reference=self._options.reference is not None,
            agreement=self._agreement,
            separating=[of for _, _, of in sorted(self._separating, key=lambda each: each[:2])],
            shown=list(self._shown),
            problems=self.problems,
            interrupted=interrupted,
        )

    def _jobs(self) -> Iterator[tuple[tuple[_Unit, int], Job]]:
        placed: dict[str, list[tuple[Subject, tuple[str, ...]]]] = {}
        for place, planned in enumerate(self._plan):
            suite = planned.target.suite
            try:
                stdin = read_input(suite, planned.name, planned.at)
            except BrokenCase as flaw:
                where = f"{suite.name}/{planned.name.text}"
                self.problems.append(Diagnostic(where, str(flaw)))
                continue
            if suite.name not in placed:
                placed[suite.name] = [self._placed(subject, suite) for subject in self._subjects]
            unit = _Unit(place, planned, stdin, len(self._subjects))
            for number, (subject, argv) in enumerate(placed[suite.name]):
                own: dict[str, Any] = dict(subject.limits)
                if self._options.wall is not None:
                    own["wall_s"] = self._options.wall
                limits = unit.policy.limits._replace(**own)
                unit.limits[number] = limits
                yield (unit, number), Job(argv, stdin, limits, None, subject.context)

    def _placed(self, subject: Subject, suite: Suite) -> tuple[Subject, tuple[str, ...]]:
        """Return a subject as it runs on a suite, and its command line. Raises UsageError."""
        if self._project is not None:
            subject = _subject_on(self._project, subject, suite)
        argv = command_line(subject)
        if isinstance(argv, str):
            raise UsageError(argv)
        return subject, argv

    def _settle(self, unit: _Unit) -> None:
        answers = [answer for answer in unit.answers if answer is not None]
        seen = [each for each in unit.seen if each is not None]
        comparison = unit.policy.comparison
        groups = groups_of(answers, comparison)
        self._agreement.add(answers, groups)
        if len(groups) == 1:
            return
        planned, size = unit.planned, len(unit.stdin)
        of = SeparatingInput(planned.target.suite.name, planned.name.text, size, groups)
        self._separating.append((size, unit.place, of))
        if self._shown.has_room_for(size, unit.place):
            how = ComparisonMode(comparison, self._repeat(planned))
            shown = separation(of, unit.stdin, seen, answers, how)
            self._shown.add(size, unit.place, shown)

    def _repeat(self, planned: PlannedRun) -> tuple[str, ...]:
        """Return the command line that repeats the comparison of one input."""
        options, argument = self._options, planned.target.argument
        words = ["xtest", "compare", *options.subjects, "--case", pattern_of(planned.name)]
        if options.reference is not None:
            words += ["--reference", options.reference]
        if options.wall is not None:
            words += ["--wall", repr(options.wall).removesuffix(".0")]
        words += sandbox_words(options.sandbox, options.shown)
        return (*words, "--", argument)


def _subject_on(project: Project, subject: Subject, suite: Suite) -> Subject:
    """Return a subject of the project as it runs on this suite; a plain command unchanged."""
    config = next((each for each in project.config.subjects if each.name == subject.name), None)
    if config is None:
        return subject
    subject = subject_on(project, config, suite)
    name = subject.command[0]
    if subject.context is not None and "/" in name:
        _check_program(name, os.path.join(subject.context.folder, name))
    return subject


# Showing.


class _Ticker:
    """A progress line on a terminal; nothing elsewhere."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def show(self, agreement: OutcomeGroups) -> None:
        """Update the line after an input."""
        apart = agreement.inputs - agreement.alike
        self._put(f"{pluralize(agreement.inputs, 'input')}, {apart:,} of them separating")

    def clear(self) -> None:
        """Erase the line."""
        self._put("")

    def _put(self, text: str) -> None:
        if self._is_shown:
            print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)


def _print(compared: ComparisonTotals, options: _CompareOptions, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(comparison_json(compared)))
        return
    style, width, look = display_options(sys.stdout, full=options.full)
    view = GroupDisplay(style, width, look)
    for line in subject_lines(compared, style):
        print(escape_ci_commands(line))
    for shown in compared.shown:
        for line in separation_lines(shown, view):
            print(escape_ci_commands(line))
    for line in sum_lines(compared, options.limit, style):
        print(escape_ci_commands(line))
