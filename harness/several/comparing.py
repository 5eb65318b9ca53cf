"""What `xtest compare` does: asks every subject every input, and prints who agrees with whom.

Starts the subjects through the process package. Which answers are equal, and what is shown, is
decided in harness/several/grouping.py and harness/several/contrast.py. Source: docs/compare.md.
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

from harness.events import Problem
from harness.lookup import command_line, find_config, find_program, no_program_text
from harness.process.loop import run
from harness.process.sandbox import Sandbox, ending_outside
from harness.records import Job, Policy, Subject, Transcript
from harness.report.console import look_for
from harness.report.groups import Compared, View, separation_lines, subject_lines, sum_lines
from harness.runs.deliveries import Delivery
from harness.runs.plan import Plan, PlannedRun, Selection, Target
from harness.runs.selecting import choose
from harness.runs.session import EXIT_FAULT, EXIT_INTERRUPTED, EXIT_OK, EXIT_SHORT
from harness.several.contrast import How, Separating, Separation, separation
from harness.several.grouping import Agreement, Answer, Smallest, answer_of, groups_of, is_repeated
from harness.several.inputs import find_inputs, read_input, read_inputs
from harness.suites.bundled import test_cases_folder
from harness.suites.corpus import BrokenCase, CorpusError, Suite
from harness.suites.naming import pattern_of
from harness.usage import UsageFault
from harness.words import count_of, did_you_mean, harmless, quoted, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.several.subjects import Project

__all__ = ["CompareOptions", "compare"]

_MOST_SUBJECTS: Final = 26  # as many as there are letters to call them by
_NAME_OF_SUBJECT: Final = re.compile("[^/\\s]+")  # of an xtest.toml; a command may look like one
_NAME: Final = 60  # characters of a name in a message


class CompareOptions(NamedTuple):
    """What `xtest compare` was asked for: subjects as they were written, suites or folders, which
    of their inputs, which subject is right, and how many separating inputs are shown."""

    subjects: tuple[str, ...]
    inputs: tuple[str, ...]
    selection: Selection = Selection()
    reference: str | None = None
    jobs: int | None = None
    wall: float | None = None
    sandbox: bool = False
    limit: int = 10
    full: bool = False
    as_json: bool = False


def compare(options: CompareOptions) -> int:
    """Compare the subjects. Returns the exit status: 0 all agree on all inputs, 1 some input
    separates them, 2 the corpus is at fault, 130 interrupted. Raises UsageFault."""
    project = _project(options)
    subjects = _subjects(options, project)
    targets, problems = _targets(options, subjects[0])
    chosen = choose(targets, options.selection, (Delivery.PLAIN,), "")
    comparing = _Comparing(options, subjects, chosen.plan, project)
    comparing.problems += (*problems, *chosen.problems)
    interrupted = False
    try:
        comparing.go_through()
    except KeyboardInterrupt:
        interrupted = True  # what was found so far is told
    comparing.ticker.clear()
    compared = comparing.compared(interrupted=interrupted)
    _print(compared, options)
    if interrupted:
        return EXIT_INTERRUPTED
    if compared.problems or not compared.agreement.inputs:
        return EXIT_FAULT
    return EXIT_SHORT if compared.separating else EXIT_OK


# What is compared.


def _project(options: CompareOptions) -> Project | None:
    """The project of an xtest.toml, where one of the subjects may be its."""
    path = find_config() if any(_NAME_OF_SUBJECT.fullmatch(w) for w in options.subjects) else None
    if path is None:
        return None
    # Imported where there is a project.
    from harness.several.subjects import read_project  # pylint: disable=import-outside-toplevel

    return read_project(path)


def _subjects(options: CompareOptions, project: Project | None) -> list[Subject]:
    """The subjects, the reference in front: it is shown, and compared with, first."""
    words = list(options.subjects)
    if len(words) < 2:
        raise UsageFault(
            "compare takes two subjects or more, each one word of the shell:"
            " xtest compare 'node a.js' ./b -- SUITE"
        )
    if len(words) > _MOST_SUBJECTS:
        raise UsageFault(f"{len(words)} subjects: {_MOST_SUBJECTS} can be compared at once")
    twice = next((word for word in words if words.count(word) > 1), None)
    if twice is not None:
        raise UsageFault(
            f"{visible(twice)}: named twice; whether a program always says the same is seen by"
            " xtest run --repeat"
        )
    if options.reference is not None:
        if options.reference not in words:
            hint = did_you_mean(options.reference, words)
            raise UsageFault(
                f"--reference {quoted(options.reference, _NAME)}: none of the subjects; {hint}"
            )
        words.remove(options.reference)
        words.insert(0, options.reference)
    return [*_looked_up(words, project)]


def _looked_up(words: Sequence[str], project: Project | None) -> Iterator[Subject]:
    """The subjects that words of the command line mean: the one place where they are looked up."""
    named = {said.name: said for said in project.config.subjects} if project is not None else {}
    if project is not None:
        from harness.several.subjects import build  # pylint: disable=import-outside-toplevel

        for fault in build(project, [word for word in words if word in named]).values():
            raise UsageFault(fault)
    for word in words:
        # Where it is run, and how it is called there, is known for each suite.
        yield Subject(word, named[word].command) if word in named else _subject(word)


def _subject(word: str) -> Subject:
    """A command that is written in one word."""
    try:
        command = tuple(shlex.split(word))
    except ValueError as problem:
        said = str(problem).lower()
        raise UsageFault(f"{quoted(word, _NAME)}: no command line: {said}") from None
    if not command:
        raise UsageFault(f"{quoted(word, _NAME)}: an empty command is no subject")
    program = find_program(command[0])
    if program is None:
        raise UsageFault(no_program_text(command[0]))
    _check_program(command[0], program)
    return Subject(word, command)


def _check_program(name: str, path: str) -> None:
    # Subjects that all cannot be started would answer alike.
    if not os.access(path, os.X_OK):
        what = "not executable" if os.path.exists(path) else "no such file"
        raise UsageFault(f"{visible(name)}: {what}")


def _targets(options: CompareOptions, subject: Subject) -> tuple[list[Target], list[Problem]]:
    """The suites, and what is wrong with them. A plan wants a subject; here it means nothing."""
    targets: list[Target] = []
    problems: list[Problem] = []
    try:
        everything = find_inputs(_meant(options.inputs), test_cases_folder())
    except CorpusError as problem:
        raise UsageFault(str(problem)) from None
    for found in everything:
        try:
            suite = read_inputs(found)
        except CorpusError as problem:
            problems.append(Problem(found.name, str(problem)))
            continue
        targets.append(Target(suite, found.argument, subject, is_default_subject=True))
        problems += (Problem(suite.name, fault) for fault in suite.faults)
    return targets, problems


def _meant(inputs: tuple[str, ...]) -> tuple[str, ...]:
    """The inputs, of which some may be suites of an xtest.toml by name. Raises UsageFault."""
    if all(map(os.path.exists, inputs)):
        return inputs
    # Imported where something is meant by name.
    from harness.several.subjects import suites_meant  # pylint: disable=import-outside-toplevel

    return suites_meant(inputs)


# Asking.


class _Unit:
    """One input that is under way, and what the subjects have said to it so far."""

    __slots__ = ("answers", "left", "planned", "place", "policy", "seen", "stdin")

    def __init__(self, place: int, planned: PlannedRun, stdin: bytes, subjects: int) -> None:
        self.place = place
        self.planned = planned
        self.stdin = stdin
        self.policy: Policy = planned.target.suite.settings.policy_for(planned.name)[0]
        self.left = subjects
        self.seen: list[Transcript | None] = [None] * subjects
        self.answers: list[Answer | None] = [None] * subjects

    def take(self, number: int, seen: Transcript) -> bool:
        """Note what a subject said. Returns whether all have spoken."""
        known = (
            answer
            for other, answer in zip(self.seen, self.answers, strict=True)
            if other is not None and is_repeated(other, seen)
        )
        self.answers[number] = next(known, None) or answer_of(seen, self.policy)
        self.seen[number] = seen
        self.left -= 1
        return not self.left


class _Comparing:
    """All inputs, one after the other. Of those that separate the subjects only the smallest few
    are kept with what was said; of the others, who agreed."""

    def __init__(
        self,
        options: CompareOptions,
        subjects: list[Subject],
        plan: Plan,
        project: Project | None,
    ) -> None:
        self._options = options
        self._project = project
        self._subjects = subjects
        self._plan = plan
        self._sandbox = _sandbox() if options.sandbox else None
        self._agreement = Agreement(len(subjects))
        self._separating: list[tuple[int, int, Separating]] = []
        self._shown = Smallest[Separation](options.limit)
        self.ticker = _Ticker()
        self.problems: list[Problem] = []

    def go_through(self) -> None:
        """Put every input to every subject."""
        parallel = self._options.jobs or os.cpu_count() or 1
        runs = run(self._jobs(), parallel, dict(os.environ), sole_parent=True)
        # Closed by name: an exception must not leave subjects running until it is forgotten.
        with closing(runs):
            for (unit, number), seen in runs:
                if self._sandbox is not None:
                    seen = seen._replace(ending=ending_outside(seen.ending))
                if unit.take(number, seen):
                    self._settle(unit)
                    self.ticker.tell(self._agreement)

    def compared(self, *, interrupted: bool) -> Compared:
        """What came of it so far."""
        return Compared(
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
                self.problems.append(Problem(where, str(flaw)))
                continue
            if suite.name not in placed:
                placed[suite.name] = [self._placed(subject, suite) for subject in self._subjects]
            unit = _Unit(place, planned, stdin, len(self._subjects))
            if self._options.wall is not None:
                limits = unit.policy.limits._replace(wall_s=self._options.wall)
                unit.policy = unit.policy._replace(limits=limits)
            for number, (subject, argv) in enumerate(placed[suite.name]):
                yield (unit, number), self._job(subject, argv, unit)

    def _job(self, subject: Subject, argv: tuple[str, ...], unit: _Unit) -> Job:
        own: dict[str, Any] = dict(subject.limits)
        if self._options.wall is not None:
            own["wall_s"] = self._options.wall
        return Job(argv, unit.stdin, unit.policy.limits._replace(**own), None, subject.setting)

    def _placed(self, subject: Subject, suite: Suite) -> tuple[Subject, tuple[str, ...]]:
        """A subject as it is run on a suite, and its command line. Raises UsageFault."""
        if self._project is not None:
            subject = _on(self._project, subject, suite)
        argv = command_line(subject, self._sandbox)
        if isinstance(argv, str):
            raise UsageFault(argv)
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
        of = Separating(planned.target.suite.name, planned.name.text, size, groups)
        self._separating.append((size, unit.place, of))
        if self._shown.has_room_for(size, unit.place):
            how = How(comparison, self._repeat(planned))
            shown = separation(of, unit.stdin, seen, answers, how)
            self._shown.add(size, unit.place, shown)

    def _repeat(self, planned: PlannedRun) -> tuple[str, ...]:
        """The command line that asks just this again."""
        options, argument = self._options, planned.target.argument
        words = ["xtest", "compare", *options.subjects, "--case", pattern_of(planned.name)]
        if options.reference is not None:
            words += ["--reference", options.reference]
        if options.wall is not None:
            words += ["--wall", repr(options.wall).removesuffix(".0")]
        if options.sandbox:
            words.append("--sandbox")
        return (*words, "--", argument)


def _on(project: Project, subject: Subject, suite: Suite) -> Subject:
    """A subject as the project has it run on a suite; a command as it is."""
    from harness.several.subjects import subject_on  # pylint: disable=import-outside-toplevel

    said = next((said for said in project.config.subjects if said.name == subject.name), None)
    if said is None:
        return subject
    subject = subject_on(project, said, suite)
    name = subject.command[0]
    if subject.setting is not None and "/" in name:
        _check_program(name, os.path.join(subject.setting.folder, name))
    return subject


def _sandbox() -> Sandbox:
    # Imported where it is asked for.
    from harness.runs.sandboxing import tried_sandbox  # pylint: disable=import-outside-toplevel

    return tried_sandbox()


# Showing.


class _Ticker:
    """A line on the terminal that says how far it has come; elsewhere nothing."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def tell(self, agreement: Agreement) -> None:
        """One more input is done."""
        apart = agreement.inputs - agreement.alike
        self._put(f"{count_of(agreement.inputs, 'input')}, {apart:,} of them separating")

    def clear(self) -> None:
        """Take the line away."""
        self._put("")

    def _put(self, text: str) -> None:
        if self._is_shown:
            print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)


def _print(compared: Compared, options: CompareOptions) -> None:
    if options.as_json:
        # Imported where it is asked for.
        from harness.report.groups_json import (  # pylint: disable=import-outside-toplevel
            comparison_json,
        )

        print(json.dumps(comparison_json(compared)))
        return
    style, width, look = look_for(sys.stdout, full=options.full)
    view = View(style, width, look)
    for line in subject_lines(compared, style):
        print(harmless(line))
    for shown in compared.shown:
        for line in separation_lines(shown, view):
            print(harmless(line))
    for line in sum_lines(compared, options.limit, style):
        print(harmless(line))
