"""Going on: what a results file and the cache have of a plan, and where its events are written now.

Reads both, and the cases as they are; what holds is decided in resuming.py. Imported only where
--resume or --cached is asked for. Source: docs/resuming.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Final, NamedTuple

from harness.events import Basis, Event, Judged, RunStarted
from harness.records import InvalidCase
from harness.runs.deliveries import Delivery
from harness.runs.passedcache import PassedCache
from harness.runs.plan import PlannedRun, Target, repeat_command
from harness.runs.resultsfile import BadResults, ContinuedFile, read_events
from harness.runs.resuming import Done, Kept, Look, Now, is_over
from harness.runs.session import Check, Earlier
from harness.suites.content import content_of
from harness.suites.corpus import content_in, read_case
from harness.usage import UsageFault
from harness.words import as_written, clip, count_of, quoted, visible

__all__ = ["Continued", "Situation", "continued"]

_SHOWN: Final = 60  # characters of a name in a message
_DELIVERIES: Final = frozenset(delivery.value for delivery in Delivery)

# Is told of each run that is over: the target, the case's place in its suite, and the event.
Note = Callable[[Target, int, Judged], None]


class Situation(NamedTuple):
    """What is to be run, and what that rests on: the whole plan, its targets and their bases, what
    judges cases first, the options that a run depends on, and who is told of runs."""

    plan: Iterable[PlannedRun]
    targets: Sequence[Target]
    bases: tuple[Basis, ...]
    check: Check | None
    options: tuple[str, ...]
    note: Note


class Continued(NamedTuple):
    """What is left of a plan, what is told before it is run, who is told of each run, and the
    results file, if one is gone on with."""

    left: Iterable[PlannedRun]
    earlier: Earlier
    note: Note
    sink: ContinuedFile | None


def continued(
    situation: Situation, results: str | None, memory: str | None, open_things: ExitStack
) -> Continued:
    """Go on with the file `results` (None: with none), and use the cache in the folder `memory`
    (None: none). What is opened is closed by `open_things`. Raises UsageFault."""
    look = _look(situation.check)
    going = _Going(situation)
    note, sink, started = situation.note, None, ""
    if results is not None:
        sink = open_things.enter_context(closing(_continued_file(results)))
        started, kept = _from_file(situation, results, look)
        going.keep(kept, _holding(results, situation) if kept.runs else ())
    resumed = going.runs
    if memory is not None:
        cache = open_things.enter_context(closing(PassedCache(memory, situation.bases)))
        going.keep(Kept(going.left, _all_of(cache.events()), look), cache.events())
        note = _both(note, cache)
    earlier = Earlier(_in_turn(going.told, sink), going.cases, resumed, started)
    return Continued(going.left, earlier, note, sink)


class _Going:
    """What is left of a plan, what is told instead, how many runs that is, and how many cases of
    each suite it leaves nothing of; after one source of events, or after two."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
        self.left: Iterable[PlannedRun] = situation.plan
        self.told: list[Iterator[Event]] = []
        self.runs = 0
        self.cases: dict[str, int] = {}

    def keep(self, kept: Kept, events: Iterable[Judged]) -> None:
        """What of these events is kept is not run."""
        self.left = kept.left
        self.told.append(_told(kept, events, self._situation))
        self.runs += kept.runs
        for suite, number in kept.cases.items():
            self.cases[suite] = self.cases.get(suite, 0) + number


def _look(check: Check | None) -> Look:
    def look(run: PlannedRun) -> Now | None:
        suite = run.target.suite
        if run.deliveries == (Delivery.PLAIN,) and check is None:
            content = content_in(suite, run.name, run.at)
            return Now(content, run.deliveries) if content else None
        case = read_case(suite, run.name, run.at)
        if isinstance(case, InvalidCase) or (check is not None and check(case)):
            return None
        deliveries = run.deliveries
        if deliveries != (Delivery.PLAIN,):
            from harness.runs.dressing import distinct  # pylint: disable=import-outside-toplevel

            talks = suite.settings.conversation
            deliveries = distinct(deliveries, case.stdin, case.kind, conversation=talks)
        return Now(content_of(case.stdin, case.expected_text), deliveries)

    return look


def _both(note: Note, cache: PassedCache) -> Note:
    def tell(target: Target, at: int, event: Judged) -> None:
        note(target, at, event)
        cache.add(event)

    return tell


def _in_turn(parts: list[Iterator[Event]], sink: ContinuedFile | None) -> Iterator[Event]:
    for part in parts:
        yield from part
    # Whoever wanted the next event has written the last one.
    if sink is not None:
        sink.settle()


def _told(kept: Kept, events: Iterable[Judged], situation: Situation) -> Iterator[Event]:
    """Those of the events that hold, once each, and what there is to say behind them."""
    for event in events:
        told = kept.told(event)
        if told is None:
            continue
        run, differs = told
        # By the names of now, which may be no UTF-8, and the command line of now.
        event = event._replace(
            suite=run.target.suite.name,
            subject=run.target.subject.name,
            case=run.name.text,
            repeat=repeat_command(run, Delivery(event.delivery), situation.options),
        )
        situation.note(run.target, run.at, event)
        yield event
        if differs is not None:
            yield differs


def _all_of(events: Iterable[Judged]) -> Done:
    done = Done()
    for event in events:
        done.add(event)
    return done


# The results file.


def _continued_file(results: str) -> ContinuedFile:
    try:
        return ContinuedFile(results)
    except BadResults as problem:
        raise UsageFault(f"--resume: {problem}") from None
    except OSError as problem:
        raise UsageFault(
            f"--results {visible(results)}: {(problem.strerror or '').lower()}"
        ) from None


def _from_file(situation: Situation, results: str, look: Look) -> tuple[str, Kept]:
    """When the run in the file began, and which of its runs hold."""
    asked = _keys(situation)
    started, done = "", Done()
    try:
        for heading, event in _over(results, frozenset(asked)):
            started = started or heading.started
            if event is not None and _key(heading, event) == asked[event.suite, event.subject]:
                done.add(event)
    except BadResults as problem:
        raise UsageFault(f"--resume: {problem}") from None
    kept = Kept(situation.plan, done, look)
    _refuse_strays(results, [*kept.unasked, *_strays(done, situation.targets)])
    return started, kept


def _holding(results: str, situation: Situation) -> Iterator[Judged]:
    """The runs in a file that are over, and rest on what runs rest on now."""
    keys = _keys(situation)
    for heading, event in _over(results, frozenset(keys)):
        if event is not None and _key(heading, event) == keys[event.suite, event.subject]:
            yield event


def _keys(situation: Situation) -> dict[tuple[str, str], str]:
    """The keys of now, by suite and subject as they are written."""
    return {
        (as_written(basis.suite), as_written(basis.subject)): basis.key for basis in situation.bases
    }


def _over(
    results: str, asked: frozenset[tuple[str, str]]
) -> Iterator[tuple[RunStarted, Judged | None]]:
    """The runs in a file that are over, with the beginning of the run that they are of; None:
    there is only the beginning. A file that is not there has none. Raises BadResults."""
    if not os.path.exists(results):
        return
    heading: RunStarted | None = None
    for place, event in read_events(results):
        where = f"{visible(results)}, line {place.line:,}"
        if isinstance(event, RunStarted):
            heading = event
            _refuse_others(where, event, asked)
            yield event, None
        elif heading is None:
            raise BadResults(f"{where}: a results file begins with run-started")
        elif isinstance(event, Judged) and is_over(event):
            if not _key(heading, event):
                raise BadResults(f"{where}: nothing says what this run rests on; begin anew")
            if event.delivery not in _DELIVERIES:
                raise BadResults(f"{where}: no delivery is called {quoted(event.delivery, _SHOWN)}")
            yield heading, event


def _refuse_others(where: str, heading: RunStarted, asked: frozenset[tuple[str, str]]) -> None:
    for basis in heading.basis:
        if (basis.suite, basis.subject) not in asked:
            subject, suite = (clip(visible(name), _SHOWN) for name in (basis.subject, basis.suite))
            raise BadResults(
                f"{where}: a run of {subject} on {suite}, which is not asked for now; give the same"
                " suites and command, or begin anew without --resume"
            )


def _key(heading: RunStarted, event: Judged) -> str:
    for basis in heading.basis:
        if (basis.suite, basis.subject) == (event.suite, event.subject):
            return basis.key
    return ""


def _strays(done: Done, targets: Sequence[Target]) -> list[str]:
    """The cases that were run, still are there, and are not asked for."""
    remaining = list(done.remaining())
    if not remaining:
        return []
    there = {
        (as_written(target.suite.name), as_written(target.subject.name), as_written(name.text))
        for target in targets
        for name in target.suite.names
    }
    return [
        f"{suite}/{case}" for suite, subject, case in remaining if (suite, subject, case) in there
    ]


def _refuse_strays(results: str, strays: list[str]) -> None:
    if strays:
        raise UsageFault(
            f"--resume: {visible(results)} has {count_of(len(strays), 'run')} that this command"
            f" line does not select ({clip(visible(strays[0]), _SHOWN)}, for one), and would lose;"
            " select the same cases and deliveries, or use another file"
        )
