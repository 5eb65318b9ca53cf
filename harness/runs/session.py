"""A session: planned runs in, events out, as they come. The one place where the parts meet.

Reads a case when its turn comes, hands it to the process package, has the transcript judged, and
keeps nothing of it. What is shown, written or counted happens to the events, elsewhere.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from typing import Any, Final, NamedTuple

from harness.events import (
    Basis,
    Event,
    Judged,
    Origin,
    Problem,
    RunEnded,
    RunStarted,
    judged,
)
from harness.judging.judge import judge, judge_invalid
from harness.judging.repetition import Attempt, combined
from harness.lookup import command_line
from harness.process.crew import Crew, Parcels
from harness.process.loop import run
from harness.process.sandbox import Sandbox, ending_outside
from harness.records import (
    Case,
    InvalidCase,
    Job,
    Judgement,
    NotStarted,
    Setting,
    Subject,
    Transcript,
    Verdict,
)
from harness.runs.deliveries import Delivery, difference_of
from harness.runs.parcels import Step, packed, unpacked
from harness.runs.plan import PlannedRun, Target, repeat_command
from harness.suites.corpus import read_case
from harness.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.about import About
    from harness.runs.board import Board, Desk

__all__ = [
    "EXIT_FAULT",
    "EXIT_INTERRUPTED",
    "EXIT_OK",
    "EXIT_SHORT",
    "Check",
    "Earlier",
    "Order",
    "events",
    "judgement_of",
    "job_of",
    "limited",
    "with_known",
]

EXIT_OK = 0  # everything passed
EXIT_SHORT = 1  # a subject fell short
EXIT_FAULT = 2  # a fault of usage, of the corpus, or of our own
EXIT_INTERRUPTED = 130  # what a shell reports of a program that SIGINT ended

_WORTH_A_FORK: Final = 32  # runs for each process; to fork takes as long as a few

# Says what is wrong with a case beyond its text (the empty text: nothing).
Check = Callable[[Case], str]
# Is told of every run that was judged: the target, the case's place in its suite, and the event.
Note = Callable[[Target, int, Judged], None]
# By the names of suite and subject.
_Targets = dict[tuple[str, str], Target]


class Earlier(NamedTuple):
    """What is known before a session begins: `events` of runs that are over, which are told again
    and counted, but are no part of the plan. `cases` has, for each suite of the whole plan, how
    many cases these leave nothing of. The first `resumed` runs are of an earlier part of this run,
    which began when `started` says (empty: there was none)."""

    events: Iterable[Event]
    cases: Mapping[str, int]
    resumed: int = 0
    started: str = ""


_NOTHING_EARLIER: Final = Earlier((), {})


class Order(NamedTuple):
    """What a session is asked to do. The runs are gone through twice: to count them, and to make
    them. `wall_s` overrides the suites' limit; `check` judges cases before they are run; each run
    is made `repeat` times; `sandbox` is what they run in. After `max_failures` runs that fell short
    no more are awaited. `idle` says why it is no fault when there is nothing to run. `options` are
    those words of the command line that a run depends on, for whoever repeats it. `basis` says what
    verdicts rest on, for whoever goes on with it, `about` what a report says of the suites, and
    `earlier` what need not be run. What is under way is written on the `board`, for whoever
    watches."""

    runs: Iterable[PlannedRun]
    problems: tuple[Problem, ...]
    parallel: int
    wall_s: float | None = None
    check: Check | None = None
    repeat: int = 1
    sandbox: Sandbox | None = None
    max_failures: int | None = None
    note: Note | None = None
    idle: str = ""
    options: tuple[str, ...] = ()
    basis: tuple[Basis, ...] = ()
    about: tuple[About, ...] = ()
    earlier: Earlier = _NOTHING_EARLIER
    board: Board | None = None


def events(order: Order) -> Iterator[Event]:
    """Run everything, several at once, and yield each event as it happens.

    Runs end in any order. When KeyboardInterrupt comes, or there were too many failures, what runs
    is killed, and the stream ends with a `RunEnded` that says so.
    """
    started = time.monotonic()
    score = _Score()
    earlier = order.earlier
    planned: Counter[str] = Counter()
    targets: _Targets = {}
    for one in order.runs:
        planned[one.target.suite.name] += 1
        targets[one.target.suite.name, one.target.subject.name] = one.target
    faulty = bool(order.problems) or not (planned or order.idle or any(earlier.cases.values()))
    interrupted = False
    if order.board is not None:
        order.board.planned = planned.total()
    # Before anybody is told of anything: a reporter may start threads, and a fork must see none.
    crew = _crew(order, planned.total())
    with closing(crew) if crew is not None else nullcontext():
        yield _beginning(order, planned, targets)
        yield from order.problems
        happening = _happening(order, _desk(order)) if crew is None else crew.outcomes()
        try:
            yield from _retold(earlier.events, score)
            yield from _counted(happening, order, targets, score)
        except KeyboardInterrupt:
            interrupted = True
        if crew is not None:
            crew.stop()
            if interrupted:
                # What its hands had sent before.
                yield from _counted(crew.outcomes(), order, targets, score)
            for loss in crew.losses():
                faulty = True
                yield Problem("xtest", loss)
    stopped = not interrupted and score.short_now == order.max_failures
    not_run = planned.total() - score.cases if stopped or interrupted else 0
    yield RunEnded(
        counts=_by_name(score.tally),
        wall_s=round(time.monotonic() - started, 6),
        exit=EXIT_INTERRUPTED if interrupted else _exit_status(score, faulty=faulty),
        interrupted=interrupted,
        known=_by_name(score.known),
        outgrown=score.outgrown,
        stopped=stopped and not_run > 0,
        not_run=max(0, not_run),  # a packed file may have changed since they were counted
        idle="" if planned else order.idle,
        resumed=min(earlier.resumed, score.before),
        cached=score.cached,
    )


def _beginning(order: Order, planned: Counter[str], targets: _Targets) -> RunStarted:
    earlier = order.earlier
    # Those of which all is over before have nothing planned, but their basis is known.
    subjects = dict.fromkeys(
        (*(each.subject for each in order.basis), *(who for _, who in targets))
    )
    selected = planned + Counter(earlier.cases)
    return RunStarted(
        xtest=VERSION,
        started=earlier.started or _now(),
        suites=tuple(dict.fromkeys((*earlier.cases, *planned))),
        runs=planned.total() + sum(earlier.cases.values()),
        parallel=order.parallel,
        basis=order.basis,
        resumed=earlier.resumed,
        about=tuple(each._replace(selected=selected[each.suite]) for each in order.about),
        subjects=tuple(subjects) if len(subjects) > 1 else (),
    )


class _Score:
    """How the runs have gone so far."""

    __slots__ = (
        *("before", "cached", "cases", "known", "outgrown", "short", "short_before", "tally"),
    )

    def __init__(self) -> None:
        self.tally: Counter[Verdict] = Counter()
        self.known: Counter[Verdict] = Counter()
        self.outgrown = 0
        self.short = 0  # what nobody expected
        self.before = 0  # runs that were over before
        self.short_before = 0  # of these, those that fell short
        self.cached = 0
        self.cases = 0  # whose last run was judged

    def add(self, event: Judged) -> None:
        """Count one judged run."""
        self.tally[event.verdict] += 1
        if event.falls_short:
            self.short += 1
            self.outgrown += event.verdict is Verdict.PASSED
        elif event.known is not None:
            self.known[event.verdict] += 1

    @property
    def short_now(self) -> int:
        """How many fell short now: only these count for --max-failures, or else nobody could go on
        with a run that stopped."""
        return self.short - self.short_before


def _retold(earlier: Iterable[Event], score: _Score) -> Iterator[Event]:
    """What happened before, counted on its way."""
    for event in earlier:
        if isinstance(event, Judged):
            score.add(event)
            score.before += 1
            score.short_before = score.short
            score.cached += event.cached
        yield event


def _counted(
    happening: Generator[Step, None, None], order: Order, targets: _Targets, score: _Score
) -> Iterator[Event]:
    """What happens, counted and noted on its way, up to the last failure that is allowed."""
    # Closed by name: what still runs is killed before anything is said of the end.
    with closing(happening):
        for at, event, is_last in happening:
            if not isinstance(event, Judged):
                yield event
                continue
            score.add(event)
            score.cases += is_last
            if order.note is not None:
                order.note(targets[event.suite, event.subject], at, event)
            yield event
            if score.short_now == order.max_failures:
                return


def _crew(order: Order, runs: int) -> Crew[Step] | None:
    """As many processes of ours as can be of use; None: this one is enough."""
    hands = min(order.parallel, os.cpu_count() or 1, runs // _WORTH_A_FORK)
    if hands < 2:
        return None

    def work(numbers: Iterator[int], place: int) -> Iterator[Step]:
        share = (order.parallel + hands - 1 - place) // hands
        mine = order._replace(runs=_drawn(order.runs, numbers), parallel=share)
        return _happening(mine, _desk(order, place, hands))

    return Crew(work, Parcels(packed, unpacked), runs, hands)


def _desk(order: Order, place: int = 0, of: int = 1) -> Desk | None:
    return order.board.desk(place, of) if order.board is not None else None


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

    __slots__ = ("_attempts", "_options", "case", "left", "outcomes", "planned")

    def __init__(
        self,
        planned: PlannedRun,
        case: Case,
        deliveries: Sequence[Delivery],
        options: tuple[str, ...],
    ) -> None:
        self.planned = planned
        self.case = case
        self.left = len(deliveries)
        self._options = options
        self.outcomes: dict[Delivery, Verdict | None] = dict.fromkeys(deliveries)
        self.outcomes.update(planned.earlier)
        self._attempts: dict[Delivery, list[Attempt]] = {}

    def add(self, delivery: Delivery, attempt: Attempt, repeat: int) -> Iterator[Event]:
        """One more run came back: the events that this completes."""
        attempts = self._attempts.setdefault(delivery, [])
        attempts.append(attempt)
        if len(attempts) < repeat:
            return
        transcript, judgement = combined(attempts)
        self.left -= 1
        origin = _origin(self.planned, delivery, self._options)
        event = judged(self.case, transcript, judgement, origin)
        yield with_known(self.planned, event)
        if len(self.outcomes) == 1:
            return
        self.outcomes[delivery] = judgement.verdict
        known = {way: verdict for way, verdict in self.outcomes.items() if verdict is not None}
        if len(known) == len(self.outcomes):
            difference = difference_of(event, known)
            if difference is not None:
                yield difference


# A unit, and the delivery of the run; or what was judged without being run.
_Key = tuple[_Unit, Delivery] | tuple[PlannedRun, Judged]


def _called(key: _Key) -> str:
    """What is under way, as it is called on the board."""
    planned = key[0].planned if isinstance(key[0], _Unit) else key[0]
    return f"{planned.target.suite.name}/{planned.name.text}"


_NOT_RUN: Final = Transcript(NotStarted("there is nothing to run"))


def _happening(order: Order, desk: Desk | None) -> Generator[Step, None, None]:
    jobs = _jobs(order) if desk is None else desk.watched(_jobs(order), _called)
    runs = run(jobs, order.parallel, dict(os.environ), sole_parent=True)
    # Closed by name: an exception on the way must not leave subjects running until it is forgotten.
    with closing(runs):
        for key, seen in runs:
            whose, what = key
            if desk is not None:
                desk.ended(key)
            if isinstance(what, Judged):
                assert isinstance(whose, PlannedRun)
                if desk is not None:
                    desk.count()
                yield Step(whose.at, what, is_last=True)
                continue
            assert isinstance(whose, _Unit)
            unit, delivery = whose, what
            if order.sandbox is not None:
                seen = seen._replace(ending=ending_outside(seen.ending))
            attempt = (seen, judgement_of(unit.case, seen))
            for event in unit.add(delivery, attempt, order.repeat):
                yield Step(unit.planned.at, event, is_last=not unit.left)
            if desk is not None and not unit.left:
                desk.count()


def with_known(planned: PlannedRun, event: Judged) -> Judged:
    """The event of a run with what its suite lists of such a failure."""
    target = planned.target
    settings = target.suite.settings
    if not settings.known:
        return event
    # Imported where failures are known: most suites list none.
    from harness.judging.known import known_of  # pylint: disable=import-outside-toplevel

    return event._replace(known=known_of(settings, target.subject, planned.name, event))


def judgement_of(case: Case, transcript: Transcript) -> Judgement:
    """The verdict on a run of a case under the case's own policy; never an exception."""
    try:
        return judge(transcript, case, case.policy)
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as fault:
        # The judge is total; should it not be, that is never blamed on the subject.
        return Judgement(Verdict.HARNESS_FAULT, f"the judge failed: {fault!r}; please report this")


def _jobs(order: Order) -> Iterator[tuple[_Key, Job | Transcript]]:
    """The jobs of all valid cases; what needs no process is judged at once, and goes the same way:
    kept aside, the invalid cases of a large suite would pile up."""
    programs: dict[Subject, tuple[str, ...] | str] = {}
    for planned in order.runs:
        case = _read(planned, order)
        if isinstance(case, InvalidCase):
            origin = _origin(planned, Delivery.PLAIN, order.options)
            yield (planned, judged(case, None, judge_invalid(case), origin)), _NOT_RUN
            continue
        subject = planned.target.subject
        if subject not in programs:
            programs[subject] = command_line(subject, order.sandbox)
        argv = programs[subject]
        if isinstance(argv, str):
            missing = Transcript(NotStarted(argv))
            origin = _origin(planned, Delivery.PLAIN, order.options)
            yield (planned, judged(case, missing, judgement_of(case, missing), origin)), missing
            continue
        yield from _jobs_of(planned, case, argv, order)


def _jobs_of(
    planned: PlannedRun, case: Case, argv: tuple[str, ...], order: Order
) -> Iterator[tuple[_Key, Job]]:
    """The jobs of one case: each delivery that makes a difference, as often as is asked for."""
    deliveries = planned.deliveries
    if deliveries != (Delivery.PLAIN,):
        # Imported where inputs are dressed: a plain run is spared it.
        from harness.runs.dressing import distinct  # pylint: disable=import-outside-toplevel

        conversation = planned.target.suite.settings.conversation
        deliveries = distinct(deliveries, case.stdin, case.kind, conversation=conversation)
        done = dict(planned.earlier)
        deliveries = tuple(delivery for delivery in deliveries if delivery not in done)
    unit = _Unit(planned, case, deliveries, order.options)
    for delivery in deliveries:
        for _ in range(order.repeat):
            yield (unit, delivery), job_of(argv, case, delivery, planned.target.subject.setting)


def job_of(argv: tuple[str, ...], case: Case, delivery: Delivery, setting: Setting | None) -> Job:
    """The run of a case in one of the ways that are possible for its input."""
    limits = case.policy.limits
    if delivery is Delivery.PLAIN:
        return Job(argv, case.stdin, limits, None, setting)
    from harness.runs.dressing import dressed, feed  # pylint: disable=import-outside-toplevel

    if delivery.is_paced:
        return Job(argv, b"", limits, feed(delivery, case.stdin, case.kind), setting)
    return Job(argv, dressed(delivery, case.stdin), limits, None, setting)


def _read(planned: PlannedRun, order: Order) -> Case | InvalidCase:
    case = read_case(planned.target.suite, planned.name, planned.at)
    if isinstance(case, InvalidCase):
        return case
    wrong = order.check(case) if order.check is not None else ""
    if wrong:
        return InvalidCase(case.suite, case.name, wrong)
    return limited(case, planned.target.subject, order.wall_s)


def limited(case: Case, subject: Subject, wall_s: float | None = None) -> Case:
    """A case with other limits: those that its subject has of its own, and the user's."""
    if wall_s is None and not subject.limits:
        return case
    said: dict[str, Any] = dict(subject.limits)
    if wall_s is not None:
        said["wall_s"] = wall_s
    limits = case.policy.limits._replace(**said)
    return case._replace(policy=case.policy._replace(limits=limits))


def _origin(planned: PlannedRun, delivery: Delivery, options: tuple[str, ...]) -> Origin:
    command = repeat_command(planned, delivery, options)
    return Origin(planned.target.subject.name, delivery.value, command)


def _exit_status(score: _Score, *, faulty: bool) -> int:
    if faulty or score.tally[Verdict.INVALID_CASE] or score.tally[Verdict.HARNESS_FAULT]:
        return EXIT_FAULT
    return EXIT_SHORT if score.short else EXIT_OK


def _by_name(tally: Counter[Verdict]) -> dict[str, int]:
    return {verdict.value: tally[verdict] for verdict in Verdict if tally[verdict]}


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
