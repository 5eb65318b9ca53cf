"""A session: planned runs in, events out, as they come. The one place where the parts meet.

Reads a case when its turn comes, hands it to the process package, has the transcript judged, and
keeps nothing of it. What is shown, written or counted happens to the events, elsewhere.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, nullcontext
from typing import Final, NamedTuple

from harness.corpus import read_case
from harness.deliveries import Delivery, summary
from harness.events import (
    DeliveriesDiffer,
    Event,
    Judged,
    Origin,
    Problem,
    RunEnded,
    RunStarted,
    judged,
)
from harness.judge import judge, judge_invalid
from harness.lookup import find_program
from harness.parcels import packed, unpacked
from harness.plan import PlannedRun, repeat_command
from harness.process.crew import Crew, Parcels
from harness.process.loop import run
from harness.process.sandbox import Sandbox, ending_outside
from harness.records import (
    Case,
    InvalidCase,
    Job,
    Judgement,
    NotStarted,
    Transcript,
    Verdict,
)
from harness.repetition import Attempt, combined
from harness.version import VERSION

__all__ = ["EXIT_FAULT", "EXIT_INTERRUPTED", "EXIT_OK", "EXIT_SHORT", "Check", "Order", "events"]

EXIT_OK = 0  # everything passed
EXIT_SHORT = 1  # a subject fell short
EXIT_FAULT = 2  # a fault of usage, of the corpus, or of our own
EXIT_INTERRUPTED = 130  # what a shell reports of a program that SIGINT ended

_WORTH_A_FORK: Final = 32  # runs for each process; to fork takes as long as a few

# Says what is wrong with a case beyond its text (the empty text: nothing).
Check = Callable[[Case], str]


class Order(NamedTuple):
    """What a session is asked to do. The runs are gone through twice: to count them, and to make
    them. `wall_s` overrides the suites' limit; `check` judges cases before they are run; each run
    is made `repeat` times; `sandbox` is what they run in."""

    runs: Iterable[PlannedRun]
    problems: tuple[Problem, ...]
    parallel: int
    wall_s: float | None = None
    check: Check | None = None
    repeat: int = 1
    sandbox: Sandbox | None = None


def events(order: Order) -> Iterator[Event]:
    """Run everything, several at once, and yield each event as it happens.

    Runs end in any order. When KeyboardInterrupt comes, what runs is killed, and the stream ends
    with a `RunEnded` that says so.
    """
    started = time.monotonic()
    tally: Counter[Verdict] = Counter()
    planned = Counter(one.target.suite.name for one in order.runs)
    faulty = bool(order.problems) or not planned
    interrupted = False
    # Before anybody is told of anything: a reporter may start threads, and a fork must see none.
    crew = _crew(order, planned.total())
    with closing(crew) if crew is not None else nullcontext():
        yield RunStarted(VERSION, _now(), tuple(planned), planned.total(), order.parallel)
        yield from order.problems
        try:
            yield from _counted(crew.outcomes() if crew is not None else _happening(order), tally)
        except KeyboardInterrupt:
            interrupted = True
        if crew is not None:
            crew.stop()
            # There are some left only after an interruption.
            yield from _counted(crew.outcomes(), tally)
            for loss in crew.losses():
                faulty = True
                yield Problem("xtest", loss)
    yield RunEnded(
        counts={verdict.value: tally[verdict] for verdict in Verdict if tally[verdict]},
        wall_s=round(time.monotonic() - started, 6),
        exit=EXIT_INTERRUPTED if interrupted else _exit_status(tally, faulty=faulty),
        interrupted=interrupted,
    )


def _counted(happening: Iterator[Event], tally: Counter[Verdict]) -> Iterator[Event]:
    for event in happening:
        if isinstance(event, Judged):
            tally[event.verdict] += 1
        yield event


def _crew(order: Order, runs: int) -> Crew[Event] | None:
    """As many processes of ours as can be of use; None: this one is enough."""
    hands = min(order.parallel, os.cpu_count() or 1, runs // _WORTH_A_FORK)
    if hands < 2:
        return None

    def work(numbers: Iterator[int], place: int) -> Iterator[Event]:
        share = (order.parallel + hands - 1 - place) // hands
        return _happening(order._replace(runs=_drawn(order.runs, numbers), parallel=share))

    return Crew(work, Parcels(packed, unpacked), runs, hands)


def _drawn(runs: Iterable[PlannedRun], numbers: Iterator[int]) -> Iterator[PlannedRun]:
    """The runs with these numbers, which ascend; each is drawn when it is wanted."""
    wanted = next(numbers, None)
    for number, planned in enumerate(runs):
        if wanted is None:
            return
        if number == wanted:
            yield planned
            wanted = next(numbers, None)


class _Unit:
    """One case that is under way: its runs that are still to come back, and what came."""

    __slots__ = ("_attempts", "case", "outcomes", "planned")

    def __init__(self, planned: PlannedRun, case: Case, deliveries: Sequence[Delivery]) -> None:
        self.planned = planned
        self.case = case
        self.outcomes: dict[Delivery, Verdict | None] = dict.fromkeys(deliveries)
        self._attempts: dict[Delivery, list[Attempt]] = {}

    def add(self, delivery: Delivery, attempt: Attempt, repeat: int) -> Iterator[Event]:
        """One more run came back: the events that this completes."""
        attempts = self._attempts.setdefault(delivery, [])
        attempts.append(attempt)
        if len(attempts) < repeat:
            return
        transcript, judgement = combined(attempts)
        yield judged(self.case, transcript, judgement, _origin(self.planned, delivery))
        if len(self.outcomes) == 1:
            return
        self.outcomes[delivery] = judgement.verdict
        known = {way: verdict for way, verdict in self.outcomes.items() if verdict is not None}
        if len(known) == len(self.outcomes):
            yield from self._difference(known)

    def _difference(self, outcomes: dict[Delivery, Verdict]) -> Iterator[Event]:
        message = summary(outcomes)
        if message is not None:
            yield DeliveriesDiffer(
                where=f"{self.case.suite}/{self.case.name}",
                subject=self.planned.target.subject.name,
                passed=sum(verdict is Verdict.PASSED for verdict in outcomes.values()),
                of=len(outcomes),
                message=message,
            )


# A unit, and the delivery of the run; or what was judged without being run.
_Key = tuple[_Unit, Delivery] | Judged

_NOT_RUN: Final = Transcript(NotStarted("there is nothing to run"))


def _happening(order: Order) -> Iterator[Event]:
    runs = run(_jobs(order), order.parallel, dict(os.environ), sole_parent=True)
    # Closed by name: an exception on the way must not leave subjects running until it is forgotten.
    with closing(runs):
        for key, seen in runs:
            if isinstance(key, Judged):
                yield key
                continue
            unit, delivery = key
            if order.sandbox is not None:
                seen = seen._replace(ending=ending_outside(seen.ending))
            yield from unit.add(delivery, (seen, _judge(unit.case, seen)), order.repeat)


def _judge(case: Case, transcript: Transcript) -> Judgement:
    try:
        return judge(transcript, case, case.policy)
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as fault:
        # The judge is total; should it not be, that is never blamed on the subject.
        return Judgement(Verdict.HARNESS_FAULT, f"the judge failed: {fault!r}; please report this")


def _jobs(order: Order) -> Iterator[tuple[_Key, Job | Transcript]]:
    """The jobs of all valid cases; what needs no process is judged at once, and goes the same way:
    kept aside, the invalid cases of a large suite would pile up."""
    programs: dict[str, str | None] = {}
    for planned in order.runs:
        case = _read(planned, order)
        if isinstance(case, InvalidCase):
            origin = _origin(planned, Delivery.PLAIN)
            yield judged(case, None, judge_invalid(case), origin), _NOT_RUN
            continue
        command = planned.target.subject.command
        if command[0] not in programs:
            programs[command[0]] = find_program(command[0])
        program = programs[command[0]]
        if program is None:
            reason = f"{command[0]}: no such program, neither beside this Python nor on PATH"
            missing = Transcript(NotStarted(reason))
            origin = _origin(planned, Delivery.PLAIN)
            yield judged(case, missing, _judge(case, missing), origin), missing
            continue
        argv = (program, *command[1:])
        if order.sandbox is not None:
            argv = order.sandbox.wrap(argv)
        yield from _jobs_of(planned, case, argv, order.repeat)


def _jobs_of(
    planned: PlannedRun, case: Case, argv: tuple[str, ...], repeat: int
) -> Iterator[tuple[_Key, Job]]:
    """The jobs of one case: each delivery that makes a difference, as often as is asked for."""
    deliveries = planned.deliveries
    if deliveries != (Delivery.PLAIN,):
        # Imported where inputs are dressed: a plain run is spared it.
        from harness.dressing import distinct  # pylint: disable=import-outside-toplevel

        conversation = planned.target.suite.settings.conversation
        deliveries = distinct(deliveries, case.stdin, case.kind, conversation=conversation)
    unit = _Unit(planned, case, deliveries)
    for delivery in deliveries:
        for _ in range(repeat):
            yield (unit, delivery), _job(argv, case, delivery)


def _job(argv: tuple[str, ...], case: Case, delivery: Delivery) -> Job:
    limits = case.policy.limits
    if delivery is Delivery.PLAIN:
        return Job(argv, case.stdin, limits)
    from harness.dressing import dressed, feed  # pylint: disable=import-outside-toplevel

    if delivery.is_paced:
        return Job(argv, b"", limits, feed(delivery, case.stdin, case.kind))
    return Job(argv, dressed(delivery, case.stdin), limits)


def _read(planned: PlannedRun, order: Order) -> Case | InvalidCase:
    case = read_case(planned.target.suite, planned.name, planned.at)
    if isinstance(case, InvalidCase):
        return case
    wrong = order.check(case) if order.check is not None else ""
    if wrong:
        return InvalidCase(case.suite, case.name, wrong)
    return case if order.wall_s is None else _within(order.wall_s, case)


def _within(wall_s: float, case: Case) -> Case:
    limits = case.policy.limits._replace(wall_s=wall_s)
    return case._replace(policy=case.policy._replace(limits=limits))


def _origin(planned: PlannedRun, delivery: Delivery) -> Origin:
    return Origin(planned.target.subject.name, delivery.value, repeat_command(planned, delivery))


def _exit_status(tally: Counter[Verdict], *, faulty: bool) -> int:
    if faulty or tally[Verdict.INVALID_CASE] or tally[Verdict.HARNESS_FAULT]:
        return EXIT_FAULT
    return EXIT_OK if tally[Verdict.PASSED] == tally.total() else EXIT_SHORT


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
