"""Run the tasks of items: the next inputs of a task depend on what the last ones have shown.

What is reported was seen in fresh processes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Final

from harness.engine.units import Outcome, Pause, Source, Unit
from harness.fuzz.causes import Cause, Examined, examine, general
from harness.fuzz.items import RECORDS, Found, FuzzResult, FuzzSettings, Item, Lane
from harness.fuzz.mutation import InputMaker
from harness.fuzz.shrinker import BATCH_SIZES, Shrinker
from harness.fuzz.trials import Context, FuzzTrial, TrialRuns
from harness.jsonio.decoder import Json
from harness.jsonio.fast import decode
from harness.model.case import ExitRange, stream_text
from harness.model.transcript import Job, NotStarted, Transcript

_MOST_TRIES: Final = 20_000  # candidates of a shrink
_MOST_SLOW: Final = 60  # ... if each takes all its time
_TIMEOUTS: Final = 2  # more that confirm one

_CONFIRMED: Final = 2  # refusals of a pattern, and one more ...
_SAMPLED: Final = 16  # ... of so many

_Task = Generator[FuzzTrial, Sequence[Examined], FuzzResult]


class FuzzSource(Source[FuzzResult]):
    """Yields the runs of one item after another."""

    def __init__(self, context: Context, maker: InputMaker, items: Iterator[Item]) -> None:
        self._context = context
        self._maker = maker
        self._items = items
        self._units: deque[Unit[FuzzResult]] = deque()
        self._open = 0

    def next(self) -> Unit[FuzzResult] | Pause:
        if not self._units and not self._open:
            item = next(self._items, None)
            if item is None:
                return Pause.DONE
            self._open += 1
            if item.cause is None:
                task = _explored(self._maker, self._context.settings, item)
            else:
                task = _shrunk(self._maker, item, item.cause)
            results = self._advance(task, None)
            if results:  # nothing to run
                return _Done(results)
        return self._units.popleft() if self._units else Pause.WAIT

    def _advance(self, task: _Task, answers: Sequence[Examined] | None) -> list[FuzzResult]:
        """Queue the next trial of a task, or return its result."""
        try:
            trial = next(task) if answers is None else task.send(answers)
        except StopIteration as end:
            self._open -= 1
            return [end.value]
        self._units += TrialRuns(self._context, trial, partial(self._advance, task)).units
        return []

    def judge(self, request: bytes) -> bytes:
        has_details, runs = RECORDS.unpack(request)
        violation, exits = None, frozenset[ExitRange]()
        if self._context.settings.is_single:
            violation, exits = _output_check(self._context), self._exits
        checked = partial(
            examine,
            policy=self._context.policy,
            violation=violation,
            exits=exits,
            has_details=has_details,
        )
        return RECORDS.pack(tuple(checked(stdin, each) for stdin, each in runs))

    @cached_property
    def _exits(self) -> frozenset[ExitRange]:
        suite = self._context.targets[0].suite
        return frozenset(suite.settings.policy_for(name)[0].exit for name in suite.names)

    def close(self) -> None:
        self._context.close()


def _output_check(context: Context) -> Any:
    # Importing jsonschema takes 90 ms: only in the judge process.
    from harness.suites.schema_checks import load_validator  # pylint: disable=import-outside-toplevel

    validator = load_validator(context.targets[0].suite)

    def violation(values: list[Json]) -> str:
        problem = validator.output_violation(values)
        return "" if problem is None else general(problem.steps) or "/"

    return violation


class _Done(Unit[FuzzResult]):
    """A result that needs no process."""

    def __init__(self, results: Sequence[FuzzResult]) -> None:
        self._results = results

    def label(self, number: int) -> str:
        return ""

    def job(self, number: int) -> Job | Transcript:
        return Transcript(NotStarted(""))

    def ended(self, number: int, transcript: Transcript) -> Outcome[FuzzResult]:
        return Outcome(self._results)


# Tasks.


def _explored(maker: InputMaker, settings: FuzzSettings, item: Item) -> _Task:
    """Run the inputs of an item, equal ones once, and return those that show something."""
    hits, inputs = set[int](), dict[int, bytes]()
    for number in range(item.start, item.start + item.inputs):
        if settings.existing:
            inputs[number] = settings.existing[number]
            continue
        value, taken = maker.make(number)
        if isinstance(value, list):
            hits |= taken
            inputs[number] = stream_text(value)
    first_of = _first_equal(settings, inputs)
    unlike = list(dict.fromkeys(first_of.values()))
    answers: dict[int, Examined] = {}
    if unlike:
        trial = FuzzTrial([inputs[each] for each in unlike], unlike)
        answers = dict(zip(unlike, (yield from _settled(trial)), strict=True))
    found = tuple(
        Found(number, inputs[number], cause)
        for number, first in first_of.items()
        if (cause := answers[first].cause) is not None
    )
    faults = list(filter(None, (answers[first].fault for first in first_of.values())))
    return FuzzResult(
        item.start,
        item.inputs,
        missing=item.inputs - len(inputs),
        found=found,
        hits=tuple(sorted(hits)),
        unjudged=len(faults),
        fault=next(iter(faults), ""),
    )


def _first_equal(settings: FuzzSettings, inputs: Mapping[int, bytes]) -> dict[int, int]:
    """Return the number of the first equal input that runs in the same lanes, for each input."""
    firsts: dict[tuple[bytes, tuple[Lane, ...]], int] = {}
    numbers = {}
    for number, stdin in inputs.items():
        lanes = tuple(lane for lane in settings.lanes if lane.takes(number))
        numbers[number] = firsts.setdefault((stdin, lanes), number)
    return numbers


def _settled(trial: FuzzTrial) -> Generator[FuzzTrial, Sequence[Examined], Sequence[Examined]]:
    """Run a trial, and confirm in fresh processes what its sessions refuse.

    Programs word their refusals as they like. So a few inputs of each pattern run alone, and the
    others, too, if those disagree.
    """
    answers = list((yield trial))
    patterns: dict[str, list[int]] = {}
    for index, answer in enumerate(answers):
        if answer.refusal:
            patterns.setdefault(answer.refusal, []).append(index)
    asked = []
    for group in patterns.values():
        asked += group[: _CONFIRMED + len(group) // _SAMPLED]
    while asked:
        inputs = [trial.inputs[index] for index in asked]
        numbers = [trial.numbers[index] for index in asked]
        fresh_answers = yield trial._replace(inputs=inputs, numbers=numbers, fresh=True)
        for index, answer in zip(asked, fresh_answers, strict=True):
            answers[index] = answer
        asked = [
            index
            for group in patterns.values()
            if any(answers[each].cause is not None for each in group)
            for index in group
            if answers[index].refusal
        ]
    return answers


def _shrunk(maker: InputMaker, item: Item, cause: Cause) -> _Task:
    """Confirm a finding in fresh processes, and make its input as small as possible.

    If fresh processes show another cause than a session, that one is shrunk.
    """
    unseen = FuzzResult(item.start, found=(Found(item.start, item.stdin, cause),))
    trial = FuzzTrial([item.stdin], [item.start], fresh=True, has_details=True)
    answers = yield trial
    fresh_cause = answers[0].cause
    # Other programs may have taken the processor once.
    for _ in range(_TIMEOUTS if fresh_cause is not None and fresh_cause.has_timeout else 0):
        answers = yield trial
        if answers[0].cause != fresh_cause:
            return unseen
    if fresh_cause is None:
        return unseen
    cause = fresh_cause
    for fresh in (False, True):  # what shrinks in sessions may be lost without them
        # A candidate of a slow cause takes so long that none is tried in vain.
        sizes = (1, 1) if cause.is_slow else BATCH_SIZES
        shrinker = Shrinker(decode(item.stdin).values, maker, sizes)
        yield from _tried(shrinker, FuzzTrial([], [item.start], fresh=fresh), cause)
        best = _text(shrinker.best)
        answers = yield trial._replace(inputs=[best])
        if answers[0].cause == cause:
            one = Found(item.start, best, cause)
            return FuzzResult(item.start, 1, found=(one,), details=answers[0].details)
    return unseen


def _tried(
    shrinker: Shrinker, trial: FuzzTrial, cause: Cause
) -> Generator[FuzzTrial, Sequence[Examined], None]:
    """Run candidates, all with the number of the trial, until none is left."""
    while shrinker.tries < (_MOST_SLOW if cause.is_slow else _MOST_TRIES):
        batch = shrinker.next_batch()
        if not batch:
            return
        candidates = [_text(value) for value in batch]
        numbers = [trial.numbers[0]] * len(candidates)
        examined = yield from _settled(trial._replace(inputs=candidates, numbers=numbers))
        shrinker.hear([each.cause == cause for each in examined])


def _text(value: Json) -> bytes:
    assert isinstance(value, list)
    return stream_text(value)
