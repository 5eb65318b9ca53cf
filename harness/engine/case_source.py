"""Run planned cases: a unit is a case in its deliveries, each as often as it is repeated.

A case is read when its turn comes, and forgotten when its last run has been judged.
"""

from __future__ import annotations

import mmap
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery, deliveries_differ_event
from harness.engine.checking import ask_checker
from harness.engine.ipc import CaseEvent
from harness.engine.jobs import (
    EMPTY_TRANSCRIPT,
    event_without_run,
    make_job,
    origin_of,
    read_planned_case,
    skipped_run,
    takes_long,
    usable_deliveries,
    with_known_failure,
)
from harness.engine.judge_process import (
    NO_MEMORY_JUDGEMENT,
    CaseJudge,
    is_quick,
    judge_here,
    judging_with,
)
from harness.engine.plan import PlannedRun
from harness.engine.request import RunPolicy, Targets
from harness.engine.units import NO_MEMORY, Outcome, Pause, Source, Unit
from harness.errors import Refused, os_reason
from harness.judging.judge import Attempt, combine, judge_invalid
from harness.model.case import Case, InvalidCase
from harness.model.events import RunResult, run_result
from harness.model.judgement import Judgement
from harness.model.subject import NOT_BUILT, Subject
from harness.model.transcript import Job, NotStarted, Transcript
from harness.model.verdict import MACHINE_LIMIT, Verdict
from harness.project.program_lookup import built_command
from harness.project.targets import Target
from harness.suites.cases import parse_case
from harness.suites.loading import Suite
from harness.suites.shared_files import suite_variables

_READ_AHEAD_BYTES: Final = 65_536
_MOST_TIMEOUTS: Final = 5  # in a row
TIMEOUTS: Final = (Verdict.SILENT, Verdict.STALLED, Verdict.CPU_LIMIT)
_MOST_COUNTED: Final = 255
_GIVEN_UP: Final = Transcript(NotStarted("given up"))
_NOT_RUN: Final = Judgement(
    Verdict.NOT_RUN,
    f"given up after {_MOST_TIMEOUTS} timeouts in a row of this subject in this suite;"
    " --no-give-up runs all cases",
)


class TimeoutStreaks:
    """The timeouts in a row of each subject in each suite without points, in order of their end.

    After several, the subject is given up: an endless loop would take the limit of each case.

    Processes that are forked later share it.
    """

    def __init__(self, targets: Iterable[Target]) -> None:
        keys = dict.fromkeys(each.key for each in targets if not _has_points(each.suite))
        self._indexes = {key: index for index, key in enumerate(keys)}
        self._memory = mmap.mmap(-1, max(1, len(self._indexes)))

    def note(self, target: Target, verdict: Verdict) -> None:
        index = self._indexes.get(target.key)
        if index is not None:
            streak = self._memory[index] + 1 if verdict in TIMEOUTS else 0
            self._memory[index] = min(streak, _MOST_COUNTED)

    def gives_up(self, target: Target) -> bool:
        index = self._indexes.get(target.key)
        return index is not None and self._memory[index] >= _MOST_TIMEOUTS


def _has_points(suite: Suite) -> bool:
    settings = suite.settings
    return settings.grading.points is not None or any(
        rule.points is not None for rule in settings.rules
    )


class Program(NamedTuple):
    """The command line of a subject, or why it cannot run, and the variables of a suite."""

    argv: tuple[str, ...] | Refused
    variables: tuple[tuple[str, str], ...]


class CaseSource(Source[CaseEvent]):
    """Planned cases, each in processes of its own.

    `targets` are found by the names of suite and subject. `in_hand` returns how many of the next
    runs no other worker can take; it is None if outcomes decide what is run next. `streaks` say
    which cases do not run, unless it is None.
    """

    def __init__(
        self,
        runs: Iterator[PlannedRun],
        policy: RunPolicy,
        targets: Targets,
        in_hand: Callable[[], int] | None = None,
        streaks: TimeoutStreaks | None = None,
    ) -> None:
        self.policy: Final = policy
        self.streaks: Final = streaks
        self.judging: Final = CaseJudge(targets, judging_with(policy.check))
        # Returns the next planned case, or None if there is none.
        self.draw: Final[Callable[[], PlannedRun | None]] = partial(next, runs, None)
        self._in_hand = in_hand
        self._has_one_target = len(targets) == 1
        self._programs: dict[tuple[str, str], Program] = {}  # by the names of suite and subject
        self._unbuilt: set[str] = set()  # names of subjects
        self._units: deque[Unit[CaseEvent]] = deque()

    def next(self) -> Unit[CaseEvent] | Pause:
        if not self._units:
            self._read_ahead()
        return self._units.popleft() if self._units else Pause.DONE

    def judge(self, request: bytes) -> bytes:
        return self.judging.answer(request)

    def completes(self, result: CaseEvent) -> bool:
        return result.is_last and isinstance(result.event, RunResult)

    def label(self, planned: PlannedRun, more: str = "") -> str:
        """Return the name of a case; a subject is named if there may be several."""
        target = planned.target
        by = "" if self._has_one_target else f" by {target.subject.shown}"
        return f"{target.suite.name}/{planned.name.text}{more}{by}"

    def program(self, target: Target) -> Program:
        key = target.key
        if key not in self._programs:
            variables = suite_variables(target.suite.folder)
            self._programs[key] = Program(built_command(target.subject), variables)
        return self._programs[key]

    def unit(self, planned: PlannedRun) -> Unit[CaseEvent]:
        """Read a case, and return it as a unit."""
        policy = self.policy
        is_checked = policy.check is not None
        try:
            case = read_planned_case(planned, policy.wall_s, is_checked=is_checked)
        except (MemoryError, OSError) as problem:
            fault = NO_MEMORY_JUDGEMENT
            if isinstance(problem, OSError):
                fault = fault._replace(message=f"{MACHINE_LIMIT}: {os_reason(problem)}")
            return _SettledCase(
                self, planned, event_without_run(planned, fault, policy.repeat_args)
            )
        if isinstance(case, InvalidCase):
            invalid = event_without_run(planned, judge_invalid(case), policy.repeat_args)
            return _SettledCase(self, planned, invalid)
        if (skipped := skipped_run(planned, case)) is not None:
            return _SettledCase(self, planned, skipped)
        argv, variables = self.program(planned.target)
        if isinstance(argv, Refused):
            reason = self._why_not_started(planned.target.subject, argv)
            return _SettledCase(self, planned, self._not_started(planned, case, reason))
        return _CaseUnit(self, planned, case, argv, variables)

    def _why_not_started(self, subject: Subject, refused: Refused) -> str:
        """Return the reason for a case; that of a failed build is given for the first one only."""
        if subject.build_failure is None:
            return refused.reason
        is_first = subject.name not in self._unbuilt
        self._unbuilt.add(subject.name)
        return refused.reason if is_first else NOT_BUILT

    def _read_ahead(self) -> None:
        """Read several cases in a row if they are in hand.

        That is faster: no program evicts the processor's caches in between.
        """
        size = 0
        while (planned := self.draw()) is not None:
            unit = self.unit(planned)
            self._units.append(unit)
            size += unit.size if isinstance(unit, _CaseUnit) else 0
            if not (self._in_hand and self._in_hand() and size < _READ_AHEAD_BYTES):
                return

    def _not_started(self, planned: PlannedRun, case: Case, reason: str) -> RunResult:
        if case.policy.test_path and not case.is_parsed:
            parsed = parse_case(case, planned.target.suite, planned.name, planned.case_index)
            case = parsed if isinstance(parsed, Case) else case
        transcript = Transcript(NotStarted(reason))
        origin = origin_of(planned, Delivery.PLAIN, self.policy.repeat_args)
        return run_result(case, transcript, judge_here(case, transcript), origin)


class _SettledCase(Unit[CaseEvent]):
    """A case whose event is certain without a process.

    It takes its turn like any other: a list of the invalid cases of a large suite would take
    unbounded memory.
    """

    __slots__ = ("_event", "_planned", "_source")

    def __init__(self, source: CaseSource, planned: PlannedRun, event: RunResult) -> None:
        self._source = source
        self._planned = planned
        self._event = event

    def label(self, number: int) -> str:
        return self._source.label(self._planned)

    def job(self, number: int) -> Transcript:
        return EMPTY_TRANSCRIPT

    def ended(self, number: int, transcript: Transcript) -> Outcome[CaseEvent]:
        return Outcome([CaseEvent(self._planned.case_index, self._event, is_last=True)])


class _CaseUnit(Unit[CaseEvent]):
    """A case with runs that have not all been judged; `_awaited` deliveries have no verdict yet."""

    __slots__ = (
        "_argv",
        "_attempts",
        "_awaited",
        "_case",
        "_deliveries",
        "_is_given_up",
        "_outcomes",
        "_planned",
        "_source",
        "_variables",
        "jobs",
    )

    def __init__(
        self,
        source: CaseSource,
        planned: PlannedRun,
        case: Case,
        argv: tuple[str, ...],
        variables: tuple[tuple[str, str], ...],
    ) -> None:
        earlier = dict(planned.earlier)
        deliveries = [each for each in usable_deliveries(planned, case) if each not in earlier]
        self._source = source
        self._planned = planned
        self._case = case
        self._argv = argv
        self._variables = variables
        self._deliveries = deliveries
        self._awaited = len(deliveries)
        self._outcomes: dict[Delivery, Verdict | None] = dict.fromkeys(deliveries) | earlier
        self._attempts: dict[Delivery, list[Attempt]] = {}
        self._is_given_up = False  # decided when the first job is made
        self.jobs = len(deliveries) * source.policy.repeat

    @property
    def size(self) -> int:
        """The bytes of the texts of the case."""
        return len(self._case.stdin) + len(self._case.expected_text)

    def label(self, number: int) -> str:
        return self._source.label(self._planned)

    def takes_long(self, number: int) -> bool:
        return takes_long(self._delivery(number), self._case)

    def job(self, number: int) -> Job | Transcript:
        target, streaks = self._planned.target, self._source.streaks
        if not number:
            self._is_given_up = streaks is not None and streaks.gives_up(target)
        if self._is_given_up:
            return _GIVEN_UP
        context = target.subject.context
        return make_job(self._argv, self._case, self._delivery(number), context, self._variables)

    def ended(self, number: int, transcript: Transcript) -> Outcome[CaseEvent]:
        case, delivery = self._case, self._delivery(number)
        if transcript is NO_MEMORY:
            return Outcome(self._add(delivery, (transcript, NO_MEMORY_JUDGEMENT)))
        if transcript is _GIVEN_UP:
            return Outcome(self._add(delivery, (transcript, _NOT_RUN)))
        if not case.policy.checker:
            return self._judge_run(delivery, transcript)
        judge_run = partial(self._judge_run, delivery)
        return ask_checker(self, self._planned.target.suite, case, transcript, judge_run)

    def _judge_run(self, delivery: Delivery, transcript: Transcript) -> Outcome[CaseEvent]:
        case = self._case
        if is_quick(case, transcript):
            return Outcome(self._add(delivery, (transcript, judge_here(case, transcript))))

        def results(judgement: Judgement) -> Sequence[CaseEvent]:
            return self._add(delivery, (transcript, judgement))

        question = self._source.judging.question(self._planned, case, transcript, results)
        return Outcome(questions=(question,))

    def _delivery(self, number: int) -> Delivery:
        return self._deliveries[number // self._source.policy.repeat]

    def _add(self, delivery: Delivery, attempt: Attempt) -> list[CaseEvent]:
        """Add a run, and return the events that it completes."""
        policy, planned = self._source.policy, self._planned
        attempts = self._attempts.setdefault(delivery, [])
        attempts.append(attempt)
        if len(attempts) < policy.repeat:
            return []
        transcript, judgement = combine(attempts)
        self._awaited -= 1
        is_last = not self._awaited
        if judgement.verdict is Verdict.INVALID_CASE:  # it was parsed only now
            invalid = event_without_run(planned, judgement, policy.repeat_args)
            return [CaseEvent(planned.case_index, invalid, is_last)] if is_last else []
        if judgement.verdict is Verdict.NOT_RUN:
            event = event_without_run(planned, judgement, policy.repeat_args, delivery)
            return [CaseEvent(planned.case_index, event, is_last)]
        if self._source.streaks is not None:
            self._source.streaks.note(planned.target, judgement.verdict)
        origin = origin_of(planned, delivery, policy.repeat_args)
        event = with_known_failure(planned, run_result(self._case, transcript, judgement, origin))
        events = [CaseEvent(planned.case_index, event, is_last)]
        if len(self._outcomes) > 1:
            self._outcomes[delivery] = judgement.verdict
            verdicts = {each: verdict for each, verdict in self._outcomes.items() if verdict}
            if len(verdicts) == len(self._outcomes):
                difference = deliveries_differ_event(event, verdicts)
                if difference is not None:
                    events.append(CaseEvent(planned.case_index, difference, is_last))
        return events
