"""A session: planned runs in, events out, as they come. The one place where the parts meet.

Reads a case when its turn comes, hands it to the process package, has the transcript judged, and
keeps nothing of it. What is shown, written or counted happens to the events, elsewhere.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from harness.corpus import read_case
from harness.events import Event, Judged, Origin, Problem, RunEnded, RunStarted, judged
from harness.judge import judge, judge_invalid
from harness.lookup import find_program
from harness.plan import PlannedRun, repeat_command
from harness.process.loop import run
from harness.records import (
    Case,
    InvalidCase,
    Job,
    Judgement,
    NotStarted,
    Transcript,
    Verdict,
)
from harness.version import VERSION

__all__ = ["EXIT_FAULT", "EXIT_INTERRUPTED", "EXIT_OK", "EXIT_SHORT", "Check", "Order", "events"]

EXIT_OK = 0  # everything passed
EXIT_SHORT = 1  # a subject fell short
EXIT_FAULT = 2  # a fault of usage, of the corpus, or of our own
EXIT_INTERRUPTED = 130  # what a shell reports of a program that SIGINT ended

# Says what is wrong with a case beyond its text (the empty text: nothing).
Check = Callable[[Case], str]


@dataclass(frozen=True, slots=True)
class Order:
    """What a session is asked to do. `wall_s` overrides the suites' limit; `check` judges cases
    before they are run."""

    runs: Sequence[PlannedRun]
    problems: tuple[Problem, ...]
    parallel: int
    wall_s: float | None = None
    check: Check | None = None


def events(order: Order) -> Iterator[Event]:
    """Run everything, several at once, and yield each event as it happens.

    Runs end in any order. When KeyboardInterrupt comes, what runs is killed, and the stream ends
    with a `RunEnded` that says so.
    """
    started = time.monotonic()
    tally: Counter[Verdict] = Counter()
    faulty = bool(order.problems) or not order.runs
    interrupted = False
    suites = tuple(dict.fromkeys(planned.target.suite.name for planned in order.runs))
    yield RunStarted(VERSION, _now(), suites, len(order.runs), order.parallel)
    yield from order.problems
    try:
        for event in _judged(order):
            tally[event.verdict] += 1
            yield event
    except KeyboardInterrupt:
        interrupted = True
    yield RunEnded(
        counts={verdict.value: tally[verdict] for verdict in Verdict if tally[verdict]},
        wall_s=round(time.monotonic() - started, 6),
        exit=EXIT_INTERRUPTED if interrupted else _exit_status(tally, faulty=faulty),
        interrupted=interrupted,
    )


def _judged(order: Order) -> Iterator[Judged]:
    waiting: list[Judged] = []  # judged without being run
    with_transcripts = run(_jobs(order, waiting), order.parallel, dict(os.environ))
    for (planned, case), transcript in with_transcripts:
        yield from waiting
        waiting.clear()
        yield judged(case, transcript, _judge(case, transcript), _origin(planned))
    yield from waiting


def _judge(case: Case, transcript: Transcript) -> Judgement:
    try:
        return judge(transcript, case, case.policy)
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as fault:
        # The judge is total; should it not be, that is never blamed on the subject.
        return Judgement(Verdict.HARNESS_FAULT, f"the judge failed: {fault!r}; please report this")


def _jobs(order: Order, waiting: list[Judged]) -> Iterator[tuple[tuple[PlannedRun, Case], Job]]:
    """The jobs of all valid cases; what needs no process is judged at once, into `waiting`."""
    programs: dict[str, str | None] = {}
    for planned in order.runs:
        case = _read(planned, order)
        if isinstance(case, InvalidCase):
            waiting.append(judged(case, None, judge_invalid(case), _origin(planned)))
            continue
        command = planned.target.subject.command
        if command[0] not in programs:
            programs[command[0]] = find_program(command[0])
        program = programs[command[0]]
        if program is None:
            reason = f"{command[0]}: no such program, neither beside this Python nor on PATH"
            missing = Transcript(NotStarted(reason))
            waiting.append(judged(case, missing, _judge(case, missing), _origin(planned)))
            continue
        yield (planned, case), Job((program, *command[1:]), case.stdin, case.policy.limits)


def _read(planned: PlannedRun, order: Order) -> Case | InvalidCase:
    case = read_case(planned.target.suite, planned.name)
    if isinstance(case, InvalidCase):
        return case
    wrong = order.check(case) if order.check is not None else ""
    if wrong:
        return InvalidCase(case.suite, case.name, wrong)
    if order.wall_s is None:
        return case
    limits = replace(case.policy.limits, wall_s=order.wall_s)
    return replace(case, policy=replace(case.policy, limits=limits))


def _origin(planned: PlannedRun) -> Origin:
    return Origin(planned.target.subject.name, planned.delivery, repeat_command(planned))


def _exit_status(tally: Counter[Verdict], *, faulty: bool) -> int:
    if faulty or tally[Verdict.INVALID_CASE] or tally[Verdict.HARNESS_FAULT]:
        return EXIT_FAULT
    return EXIT_OK if tally[Verdict.PASSED] == tally.total() else EXIT_SHORT


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
