"""Run a test fest: wheats first, then chaffs and programs, only what has no answer yet.

An answer is known by the key of its program, the digest of its input and the digests of all outputs
that it was judged by. Source: docs/howto/test-fest.md.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from harness.engine.judge_process import judge_here
from harness.fest.events import (
    FEST_LINES,
    Answered,
    FestEnded,
    FestEvent,
    FestProgram,
    FestStarted,
    Role,
    Submitted,
    WheatAnswer,
    WheatsDiffer,
)
from harness.fest.runs import FestInput, FestPair, FestPlan, FestRunner
from harness.fest.submissions import Submission
from harness.judging.judge import output_values
from harness.model.case import Case, ExitRange
from harness.model.events import Diagnostic, excerpt
from harness.model.transcript import Exited, Transcript
from harness.model.verdict import Verdict
from harness.results.file_digests import hash_of
from harness.results.results_file import InvalidResultsFile, read_lines

_REPEATS: Final = 3  # runs of each wheat on an input
_DIGITS: Final = 16
_SHOWN: Final = 2_000  # bytes of an input or output in the results

_ProgramName = tuple[Role, str]


def submitted_cases(
    submissions: Mapping[str, Iterable[Submission]],
) -> tuple[list[Submitted], list[FestInput]]:
    """Return the events of the cases of all teams, and the distinct inputs among them."""
    events: list[Submitted] = []
    inputs: dict[str, dict[str, Case]] = defaultdict(dict)
    for team, cases in submissions.items():
        for name, case, reason in cases:
            if case is None:
                events.append(Submitted(team, name, reason=reason))
                continue
            given = _digest((case.stdin, case.kind.value, case.policy.limits))
            judged_by = (*case.policy[:2], *case.policy.checker)
            expected = _digest((case.expected_text, bool(case.alternatives), *judged_by))
            inputs[given].setdefault(expected, case)
            texts = case.stdin, case.expected_text
            shown = (excerpt(text, len(text), _SHOWN) for text in texts)
            events.append(Submitted(team, name, given, expected, None, *shown))
    return events, [FestInput(*each) for each in inputs.items()]


def _digest(value: object) -> str:
    return hash_of(value).hex()[:_DIGITS]


def read_fest(path: str) -> Iterator[FestEvent]:
    """Yield the events in the results file of a fest; a last line that was cut short is skipped.

    Raises InvalidResultsFile.
    """
    line = 0
    for (line, _), event in read_lines(path, FEST_LINES):
        if line > 1 and isinstance(event, FestStarted):
            raise InvalidResultsFile(path, "another fest begins; a file holds only one", line)
        yield event
    if not line:
        raise InvalidResultsFile(path, "contains no fest")


class KnownAnswers:
    """The answers of a results file that are still valid, which `take` decides."""

    def __init__(self, plan: FestPlan) -> None:
        self._keys: Final = {(each.role, each.name): each.key for each in plan.programs}
        self._expected: Final = {each.digest: each.cases.keys() for each in plan.inputs}
        self._known: Final[dict[_ProgramName, set[tuple[str, int]]]] = defaultdict(set)

    def take(self, answer: Answered) -> bool:
        """Return whether an answer is new and still valid; if so, remember it."""
        place, run = (answer.role, answer.program), (answer.input, answer.repeat)
        if not answer.key or self._keys.get(place) != answer.key or run in self._known[place]:
            return False
        judged = {each.expected for each in answer.verdicts}
        expected = self._expected.get(answer.input)
        is_fault = any(each.verdict is Verdict.HARNESS_FAULT for each in answer.verdicts)
        if expected is None or not expected <= judged or is_fault:
            return False
        self._known[place].add(run)
        return True

    def has(self, program: FestProgram, given: str, repeat: int) -> bool:
        return (given, repeat) in self._known[program.role, program.name]

    @property
    def number(self) -> int:
        return sum(map(len, self._known.values()))


def run_fest(
    plan: FestPlan,
    runner: FestRunner,
    known: KnownAnswers,
    earlier: Iterable[Answered],
) -> Iterator[FestEvent]:
    """Run what is not known; yield the answers, then where the wheats differ, and the end.

    `earlier` are the known answers of wheats. The end says if answers are missing, after a
    KeyboardInterrupt or the loss of a worker.
    """
    started = time.monotonic()
    execution = _Execution(plan, runner, known)
    interrupted = False
    try:
        for answer in earlier:
            execution.note(answer)
        yield from execution.run_wheats()
        yield from execution.disagreements()
        yield from execution.run_others()
    except KeyboardInterrupt:
        interrupted = True
    for loss in runner.losses:
        interrupted = True
        yield Diagnostic("xtest", loss)
    wall_s = round(time.monotonic() - started, 6)
    yield FestEnded(execution.runs, known.number, wall_s, interrupted)


@dataclass(slots=True)
class _Execution:
    plan: FestPlan
    runner: FestRunner
    known: KnownAnswers
    wheats: dict[str, list[Answered]] = field(default_factory=lambda: defaultdict(list))  # by input
    runs: int = 0

    def note(self, answer: Answered) -> None:
        if answer.role is Role.WHEAT:
            self.wheats[answer.input].append(answer)

    def run_wheats(self) -> Iterator[Answered]:
        """Run the wheats once, and again where one of them gave an answer."""
        everything = range(len(self.plan.inputs))
        yield from self._run("wheats", (Role.WHEAT,), everything, [0])
        yield from self._run("wheats again", (Role.WHEAT,), self._answered(), range(1, _REPEATS))

    def run_others(self) -> Iterator[Answered]:
        runnable = self._answered(self.plan.ruled)
        yield from self._run("chaffs", (Role.CHAFF,), runnable, [0])
        yield from self._run("programs", (Role.TEAM,), runnable, [0])

    def disagreements(self) -> Iterator[WheatsDiffer]:
        """Yield the inputs with an output that not all wheats pass, and on which they disagree."""
        for given in self.plan.inputs:
            runs = sorted(self.wheats[given.digest], key=lambda run: (run.program, run.repeat))
            if any(each.verdict is not Verdict.PASSED for run in runs for each in run.verdicts):
                case, *_ = given.cases.values()
                answers = _distinct_answers(case, runs)
                if len(answers) > 1:
                    is_checked = bool(case.policy.checker)
                    yield WheatsDiffer(given.digest, tuple(answers), is_checked)

    def _answered(self, ruled: frozenset[str] = frozenset()) -> list[int]:
        """Return the places of the inputs that are ruled, or answered by a wheat in time."""
        return [
            number
            for number, each in enumerate(self.plan.inputs)
            if each.digest in ruled or any(run.exit is not None for run in self.wheats[each.digest])
        ]

    def _run(
        self, step: str, roles: tuple[Role, ...], inputs: Iterable[int], repeats: Iterable[int]
    ) -> Iterator[Answered]:
        programs = self.plan.programs
        # Input by input: an interrupted run has judged some inputs by all programs.
        pairs = [
            FestPair(number, place, repeat)
            for place in inputs
            for number, program in enumerate(programs)
            if program.role in roles
            for repeat in repeats
            if not self.known.has(program, self.plan.inputs[place].digest, repeat)
        ]
        for answer in self.runner.answers(pairs, step):
            self.runs += 1
            self.note(answer)
            yield answer


def _distinct_answers(case: Case, runs: Sequence[Answered]) -> list[WheatAnswer]:
    """Return the answers that differ by the rules of the suite, with the wheats that gave each."""
    answers: list[tuple[Answered, list[str]]] = []
    for run in runs:
        for first, wheats in answers:
            if _is_same(case, first, run):
                if run.program not in wheats:
                    wheats.append(run.program)
                break
        else:
            answers.append((run, [run.program]))
    return [
        WheatAnswer(
            tuple(wheats),
            excerpt(run.stdout.data, run.stdout.total, _SHOWN)
            if run.stdout is not None and run.exit is not None
            else None,
            run.exit,
        )
        for run, wheats in answers
    ]


def _is_same(case: Case, one: Answered, other: Answered) -> bool:
    if one.exit is None or other.exit is None:  # it did not end by itself, within its limits
        return one.exit is other.exit
    if case.policy.checker:  # it alone knows which answers mean the same
        return _passed(one) == _passed(other)
    assert one.stdout is not None and other.stdout is not None
    if (one.stdout, one.exit) == (other.stdout, other.exit):
        return True
    if one.stdout.is_truncated or other.stdout.is_truncated:
        return False
    values, fault = output_values(one.stdout.data, case.policy.comparison)
    if fault is not None:
        return False
    policy = case.policy._replace(exit=ExitRange(one.exit, one.exit))
    first = case._replace(
        expected=values, expected_text=one.stdout.data, alternatives=(), policy=policy
    )
    seen = Transcript(Exited(other.exit), other.stdout.data, stdout_bytes=other.stdout.total)
    return judge_here(first, seen).verdict is Verdict.PASSED


def _passed(run: Answered) -> set[str]:
    """Return the expected outputs that a run passes."""
    return {each.expected for each in run.verdicts if each.verdict is Verdict.PASSED}
