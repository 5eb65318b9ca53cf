"""Run a test fest: wheats first, then chaffs and programs, only what has no result yet.

A result is known by the key of its program and the content of its case. Source:
docs/howto/test-fest.md.
"""

from __future__ import annotations

import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from harness.engine.ipc import CaseEvent
from harness.engine.judge_process import judge_here
from harness.engine.plan import PlannedRun
from harness.engine.workload import RemotePool
from harness.fest.config import role_of
from harness.fest.events import (
    FEST_LINES,
    FestEvent,
    FestPlan,
    Role,
    WheatAnswer,
    WheatsDiffer,
)
from harness.fest.runs import SHOWN_BYTES, FestInput, FestWorkload, planned_run
from harness.fest.session import FestSession
from harness.judging.judge import output_values
from harness.model.case import Case, ExitRange
from harness.model.events import Diagnostic, Excerpt, RunEnded, RunResult, RunStarted, excerpt
from harness.model.exit_codes import ExitCode
from harness.model.tally import RunTally, by_name
from harness.model.transcript import Exited, Transcript
from harness.model.verdict import Verdict
from harness.options import messages
from harness.options.arguments import ExecutionOptions
from harness.options.working import start_work
from harness.project.targets import Target
from harness.results.results_file import InvalidResultsFile, read_lines
from harness.text import pluralize

_REPEATS: Final = 3  # runs of each wheat on an input

_Place = tuple[str, str]  # a subject, and the content of a case


def read_fest(path: str) -> Iterator[FestEvent]:
    """Yield the events in the results file of a fest; a last line that was cut short is skipped.

    Raises InvalidResultsFile.
    """
    has_plan = False
    for (line, _), event in read_lines(path, FEST_LINES):
        if line > 1 and isinstance(event, RunStarted):
            raise InvalidResultsFile(path, "another fest begins; a file holds only one", line)
        has_plan |= isinstance(event, FestPlan)
        if isinstance(event, RunResult) and not has_plan:
            break
        yield event
    if not has_plan:
        raise InvalidResultsFile(path, "contains no fest")


class KnownResults:
    """The results in a file that are still valid.

    Those of a program on an input are if the program is the same, and each expected output was
    judged as often.
    """

    def __init__(self, path: str, plan: FestPlan) -> None:
        """Raises InvalidResultsFile."""
        self._path = path
        self._counts: Final = Counter[_Place]()
        self._cases: Final[dict[_Place, tuple[str, str]]] = {}  # of equal ones, the first
        self._faulty: Final[set[_Place]] = set()
        keys = {each.subject: each.key for each in plan.programs}
        unchanged = frozenset[str]()
        for event in read_fest(path) if path else ():
            if isinstance(event, FestPlan):
                earlier = ((each.subject, each.key) for each in event.programs if each.key)
                unchanged = frozenset(name for name, key in earlier if keys.get(name) == key)
            elif isinstance(event, RunResult) and event.subject in unchanged:
                self._add(event)

    def _add(self, event: RunResult) -> None:
        place, case = (event.subject, event.content), (event.suite, event.case)
        if self._cases.setdefault(place, case) == case:
            self._counts[place] += 1
            if event.verdict is Verdict.HARNESS_FAULT:
                self._faulty.add(place)

    def number(self, subject: str, fest_input: FestInput) -> int:
        """Return how many valid runs of a program on an input there are."""
        places = [(subject, content) for content in fest_input.cases]
        numbers = {self._counts[place] for place in places}
        is_valid = len(numbers) == 1 and self._faulty.isdisjoint(places)
        return numbers.pop() if is_valid else 0

    def events(self, inputs: Sequence[FestInput]) -> Iterator[RunResult]:
        """Yield the valid results, each once."""
        input_of = {content: each for each in inputs for content in each.cases}
        for event in read_fest(self._path) if self._cases else ():
            if isinstance(event, RunResult) and event.content in input_of:
                case = self._cases.get((event.subject, event.content))
                if case == (event.suite, event.case):
                    if self.number(event.subject, input_of[event.content]):
                        yield event


class _WheatRun(NamedTuple):
    """A run of a wheat on an input, with the verdict for each content."""

    wheat: str
    exit: int | None  # None after a signal, and if a limit was reached
    stdout: Excerpt
    verdicts: dict[str, Verdict]

    @property
    def passed(self) -> set[str]:
        return {content for content, each in self.verdicts.items() if each is Verdict.PASSED}


class FestExecution:
    """The events of a fest; `losses` say why results are missing."""

    def __init__(
        self,
        session: FestSession,
        execution: ExecutionOptions,
        cluster: RemotePool | None = None,
    ) -> None:
        self.losses: list[str] = []
        self._session = session
        self._execution = execution
        self._cluster = cluster
        targets, sandbox = session.setup.targets, session.setup.sandbox
        self._workload = FestWorkload(session.inputs, targets, sandbox)
        self._targets = {role: [each for each in targets if role_of(each) is role] for role in Role}
        self._known = KnownResults("", session.plan)
        self._cases: dict[str, list[tuple[str, str]]] = defaultdict(list)  # by content
        for team, case, _, content, *_ in session.cases:
            if content is not None:
                self._cases[content].append((team, case))
        self._inputs = {content: each for each in session.inputs for content in each.cases}
        self._wheats: dict[str, dict[str, list[_WheatRun]]] = defaultdict(dict)  # by input
        self._tally = RunTally()
        self._earlier = 0  # results

    def opening(self, path: str) -> Iterator[FestEvent]:
        """Yield the plan, and the results in the file `path`, if any, that are still valid.

        Raises InvalidResultsFile.
        """
        session = self._session
        yield session.started
        yield from session.problems
        yield session.plan
        yield from session.cases
        has_events = os.path.exists(path) and (os.path.getsize(path) or not os.path.isfile(path))
        self._known = KnownResults(path if has_events else "", session.plan)
        for event in self._known.events(session.inputs):
            yield from self._results_of(event, event.subject)
        self._earlier = self._tally.verdicts.total()

    def events(self) -> Iterator[FestEvent]:
        """Run what is not known; yield the results, then where the wheats differ, and the end.

        The end says if results are missing, after a KeyboardInterrupt or the loss of a worker.
        """
        started, interrupted = time.monotonic(), False
        try:
            yield from self._run_wheats()
            yield from self._disagreements()
            answered = self._answered(self._session.ruled)
            for role, step in ((Role.CHAFF, "chaffs"), (Role.TEAM, "programs")):
                yield from self._run(step, role, answered, [0])
        except KeyboardInterrupt:
            interrupted = True
        yield from (Diagnostic("xtest", loss) for loss in self.losses)
        interrupted |= bool(self.losses)
        status = ExitCode.FAULT if self._tally.broken else ExitCode.OK
        yield RunEnded(
            counts=by_name(self._tally.verdicts),
            wall_s=round(time.monotonic() - started, 6),
            exit=ExitCode.INTERRUPTED if interrupted else status,
            interrupted=interrupted,
            resumed=self._earlier,
        )

    def results(self, runs: Sequence[PlannedRun], step: str = "") -> Iterator[CaseEvent]:
        """Yield the results of runs; those that timed out beside others run again, alone."""
        if not runs:
            return
        with start_work(
            self._workload, runs, self._execution, self._cluster, noun="run", step=step
        ) as work:
            yield from work.all_results()
            self.losses += work.losses

    def _run_wheats(self) -> Iterator[RunResult]:
        """Run the wheats once, and again where one of them gave an answer."""
        everything = range(len(self._session.inputs))
        yield from self._run("wheats", Role.WHEAT, everything, [0])
        yield from self._run("wheats again", Role.WHEAT, self._answered(), range(1, _REPEATS))

    def _answered(self, ruled: frozenset[str] = frozenset()) -> list[int]:
        """Return the places of the inputs that are ruled, or answered by a wheat in time."""
        return [
            place
            for place, each in enumerate(self._session.inputs)
            if each.digest in ruled
            or any(run.exit is not None for run in self._runs_on(each.digest))
        ]

    def _runs_on(self, input_digest: str) -> Iterator[_WheatRun]:
        """Yield the runs on an input, wheat by wheat."""
        for _, runs in sorted(self._wheats[input_digest].items()):
            yield from runs

    def _run(
        self, step: str, role: Role, inputs: Sequence[int], repeats: Iterable[int]
    ) -> Iterator[RunResult]:
        """Run the programs with a role on inputs, unless they have more known runs than repeats."""
        # Input by input: an interrupted run has judged some inputs by all programs.
        rounds = [
            [
                planned_run(target, place)
                for place in inputs
                for target in self._targets[role]
                if self._is_missing(target, place, repeat)
            ]
            for repeat in repeats
        ]
        if number := sum(map(len, rounds)):
            messages.print_message(f"{step}: {pluralize(number, 'run')}")
        for runs in rounds:
            for index, event, _ in self.results(runs, step):
                assert isinstance(event, RunResult)
                subject = role.subject(event.subject)
                # A run that failed before it was judged has no content.
                contents = [event.content] if event.content else self._session.inputs[index].cases
                for content in contents:
                    yield from self._results_of(event._replace(content=content), subject)

    def _is_missing(self, target: Target, place: int, repeat: int) -> bool:
        subject = role_of(target).subject(target.subject.name)
        return self._known.number(subject, self._session.inputs[place]) <= repeat

    def _results_of(self, event: RunResult, subject: str) -> Iterator[RunResult]:
        """Note a result, and yield it for each case with its content."""
        if subject.startswith(Role.WHEAT.subject("")):
            self._note_wheat(event, subject)
        has_passed = event.verdict is Verdict.PASSED
        for number, (team, case) in enumerate(self._cases[event.content]):
            evidence = None if number and has_passed else event.evidence
            result = event._replace(suite=team, case=case, subject=subject, evidence=evidence)
            self._tally.add(result)
            yield result

    def _note_wheat(self, event: RunResult, subject: str) -> None:
        runs = self._wheats[self._inputs[event.content].digest].setdefault(subject, [])
        run = next((each for each in runs if event.content not in each.verdicts), None)
        if run is None:
            stdout = Excerpt(b"", 0) if event.evidence is None else event.evidence.stdout
            status = None if event.verdict.is_limit else event.exit
            run = _WheatRun(subject.removeprefix(Role.WHEAT.subject("")), status, stdout, {})
            runs.append(run)
        run.verdicts[event.content] = event.verdict

    def _disagreements(self) -> Iterator[WheatsDiffer]:
        """Yield the inputs with an output that not all wheats pass, and on which they disagree."""
        for fest_input in self._session.inputs:
            runs = [*self._runs_on(fest_input.digest)]
            if any(len(run.passed) < len(run.verdicts) for run in runs):
                case, *_ = fest_input.cases.values()
                answers = _distinct_answers(case, runs)
                if len(answers) > 1:
                    is_checked = bool(case.policy.checker)
                    yield WheatsDiffer(fest_input.digest, tuple(answers), is_checked)


def _distinct_answers(case: Case, runs: Sequence[_WheatRun]) -> list[WheatAnswer]:
    """Return the answers that differ by the rules of the suite, with the wheats that gave each."""
    answers: list[tuple[_WheatRun, list[str]]] = []
    for run in runs:
        for first, wheats in answers:
            if _is_same(case, first, run):
                if run.wheat not in wheats:
                    wheats.append(run.wheat)
                break
        else:
            answers.append((run, [run.wheat]))
    return [
        WheatAnswer(
            tuple(wheats),
            None if run.exit is None else excerpt(run.stdout.data, run.stdout.total, SHOWN_BYTES),
            run.exit,
        )
        for run, wheats in answers
    ]


def _is_same(case: Case, one: _WheatRun, other: _WheatRun) -> bool:
    if one.exit is None or other.exit is None:  # it did not end by itself, within its limits
        return one.exit is other.exit
    if case.policy.checker:  # it alone knows which answers mean the same
        return one.passed == other.passed
    if (one.stdout, one.exit) == (other.stdout, other.exit):
        return True
    if one.stdout.is_truncated or other.stdout.is_truncated:
        return False
    values, fault = output_values(one.stdout.data, case.policy.comparison)
    if fault is not None:
        return False
    policy = case.policy._replace(exit=ExitRange(one.exit, one.exit))
    first = case._replace(
        expected=values, expected_text=one.stdout.data, alternatives=(), exits=(), policy=policy
    )
    transcript = Transcript(Exited(other.exit), other.stdout.data, stdout_bytes=other.stdout.total)
    return judge_here(first, transcript).verdict is Verdict.PASSED
