"""Run inputs that were made, and shrink those that show something: a workload of the engine.

An item is a range of inputs, or one input to shrink. Its task asks for trials (inputs for all
lanes) one after another; a trial goes through sessions where subjects have them. What is reported
was seen in fresh processes. Source: docs/howto/fuzz.md.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Generator, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.engine.ipc import TRANSCRIPTS, RecordSerializer
from harness.engine.jobs import effective_limits, make_job
from harness.engine.retries import is_unsettled_run
from harness.engine.sessions.launchers import SessionLauncher, launcher_of
from harness.engine.sessions.outputs import SessionOutput
from harness.engine.units import Outcome, Pause, Question, Source, Unit
from harness.engine.workload import ResultFacts, Share, Timeout, Workload, WorkOptions
from harness.errors import Refused
from harness.fuzz.causes import Cause, Examined, examine, general
from harness.fuzz.making import make_inputs
from harness.fuzz.mutation import InputMaker
from harness.fuzz.shrinker import Shrinker
from harness.jsonio.decoder import Json
from harness.jsonio.fast import decode
from harness.model.case import Case, Policy, stream_text
from harness.model.case_names import input_name
from harness.model.compared import GroupOutput, SeparatingInput, Separation
from harness.model.event_lines import LineFormat
from harness.model.events import Evidence, Excerpt
from harness.model.judgement import ShownDifference
from harness.model.limits import Limits
from harness.model.sessions import SessionKind, SessionMode
from harness.model.transcript import Exited, Job, NotStarted, Transcript
from harness.process.killable import Stopped
from harness.process.sandbox import Sandbox
from harness.process.workspace import Workspaces
from harness.project.program_lookup import command_line, require_start
from harness.project.targets import Target
from harness.suites.shared_files import suite_variables

_EVERY: Final = 16  # of so many inputs, one is fed in another delivery, too
_MOST_TRIES: Final = 20_000  # candidates of a shrink
_MOST_SLOW: Final = 60  # ... if each takes all its time
_NAME: Final = "1"
_UNSEEN: Final = "not confirmed in fresh processes"
_FEW: Final = 4  # answers for which a session costs more than fresh processes
_MOST_SHORT: Final = 8  # such sessions of a lane in a trial; the rest runs in fresh processes


class Item(NamedTuple):
    """The inputs from `start` on; or with `stdin` one that exists, to shrink if it has a cause."""

    start: int
    inputs: int
    stdin: bytes = b""
    cause: Cause | None = None


class Found(NamedTuple):
    number: int
    stdin: bytes
    cause: Cause


class FuzzResult(NamedTuple):
    """What an item has shown.

    `hits` are branches of the schema. A shrunk input has `details`; `note` says why a finding does
    not count.
    """

    start: int
    inputs: int = 0
    missing: int = 0  # inputs for which the generator found nothing
    found: tuple[Found, ...] = ()
    hits: tuple[int, ...] = ()
    details: Separation | None = None
    tries: int = 0
    note: str = ""
    is_unsettled: bool = False


class Lane(NamedTuple):
    """One of the ways in which each input is run."""

    target: int
    delivery: Delivery = Delivery.PLAIN
    every: int = 1


class FuzzSettings(NamedTuple):
    """Settings of a run; the `lanes` of a single program are its own repetitions."""

    lanes: tuple[Lane, ...]
    seed: int
    is_invalid: bool = False
    is_single: bool = False
    wall_s: float | None = None
    session_mode: SessionMode = SessionMode.VERIFY


class _FuzzTrial(NamedTuple):
    """Inputs for all lanes; not in sessions if it is `fresh`.

    Their numbers decide which lanes run them: `start` and the next ones, or all of them `start`.
    """

    inputs: Sequence[bytes]
    start: int
    is_one_number: bool = False
    fresh: bool = False
    has_details: bool = False

    def number(self, index: int) -> int:
        return self.start if self.is_one_number else self.start + index


_KINDS: Final = (
    *(FuzzResult, Found, Cause, Examined, Separation, SeparatingInput, GroupOutput),
    *(Evidence, Excerpt, ShownDifference, Limits),
)
_RECORDS: Final = RecordSerializer(
    *TRANSCRIPTS, *(kind for kind in _KINDS if kind not in TRANSCRIPTS)
)
_LINES: Final = LineFormat[FuzzResult]("a result of fuzzing", 1, {"fuzzed": FuzzResult})
_Task = Generator[_FuzzTrial, list[Examined], FuzzResult]


class FuzzWorkload(Workload[Item, FuzzResult]):
    """Made inputs of one suite, for its targets."""

    remedy = "inputs are missing"

    def __init__(
        self, targets: Sequence[Target], sandbox: Sandbox | None, settings: FuzzSettings
    ) -> None:
        self.targets = tuple(targets)
        self.sandbox = sandbox
        self.settings: Final = settings

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("maker", "policy", "sandbox")
        } | {"sandbox": None}

    @cached_property
    def maker(self) -> InputMaker:
        settings = self.settings
        suite = self.targets[0].suite
        return make_inputs(suite, settings.seed, is_invalid=settings.is_invalid).maker

    @cached_property
    def policy(self) -> Policy:
        policy, _ = self.targets[0].suite.settings.policy_for(input_name(_NAME))
        return policy._replace(checker=())

    def prepare(self, _items: Iterable[Item], _options: WorkOptions) -> None:
        # Made once, before the workers are forked.
        _ = self.maker, self.policy

    def source(self, items: Iterator[Item], share: Share) -> Source[FuzzResult]:
        return FuzzSource(self, items, share.workspaces)

    def pack(self, result: FuzzResult) -> bytes:
        return _RECORDS.pack(result)

    def unpack(self, data: bytes) -> FuzzResult:
        result: FuzzResult = _RECORDS.unpack(data)
        return result

    def key(self, item: Item) -> Hashable:
        return item.start

    def facts(self, result: FuzzResult) -> ResultFacts:
        is_repeated = result.is_unsettled and result.details is None and not result.note
        timeout = Timeout(self.targets[0].suite.name) if is_repeated else None
        return ResultFacts(result.start, timeout=timeout)

    def again(self, held: Sequence[FuzzResult], _settled: Sequence[FuzzResult]) -> Item:
        return Item(held[0].start, held[0].inputs)

    def place(self, targets: Sequence[Target], sandbox: Sandbox | None) -> None:
        for subject in {target.subject for target in targets}:
            require_start(subject)
        super().place(targets, sandbox)

    def kind_of(self, item: Item) -> Hashable:
        return item.cause is None

    def write_item(self, item: Item) -> Any:
        cause = item.cause and (item.cause.groups, *item.cause[1:])
        return item.start, item.inputs, b64encode(item.stdin).decode(), cause

    def read_item(self, written: Any) -> Item:
        start, inputs, stdin, cause = written
        if cause is not None:
            groups, kinds, place, change = cause
            cause = Cause(tuple(map(tuple, groups)), tuple(kinds), place, change)
        return Item(start, inputs, b64decode(stdin), cause)

    def write_result(self, result: FuzzResult) -> str:
        return _LINES.line(result).rstrip()

    def read_result(self, item: Item | None, line: str) -> FuzzResult:
        result = _LINES.parse(line)
        if item is None or result.start != item.start:
            raise ValueError("inputs that were not asked for")
        return result

    def fault(self, item: Item, message: str) -> FuzzResult:
        return FuzzResult(item.start, note=message)


class FuzzSource(Source[FuzzResult]):
    """Runs the tasks of items; the next trial of a task depends on the last one."""

    def __init__(
        self, work: FuzzWorkload, items: Iterator[Item], workspaces: Workspaces | None
    ) -> None:
        self.work: Final = work
        self.commands: Final = [command_line(target.subject) for target in work.targets]
        self._items = items
        self._workspaces = workspaces
        self._units: deque[Unit[FuzzResult]] = deque()
        self._open = 0
        self._launchers: dict[int, SessionLauncher] = {}

    def next(self) -> Unit[FuzzResult] | Pause:
        if not self._units and not self._open:
            item = next(self._items, None)
            if item is None:
                return Pause.DONE
            self._open += 1
            task = _explored(self, item) if item.cause is None else _shrunk(self, item, item.cause)
            results = self.advance(task, None)
            if results:  # nothing to run
                return _Done(results)
        return self._units.popleft() if self._units else Pause.WAIT

    def advance(self, task: _Task, answers: list[Examined] | None) -> list[FuzzResult]:
        """Queue the next trial of a task, or return its result."""
        try:
            trial = next(task) if answers is None else task.send(answers)
        except StopIteration as end:
            self._open -= 1
            return [end.value]
        runs = _TrialRuns(self, task, trial)
        self._units += runs.units
        return []

    def launcher(self, target: int) -> SessionLauncher | None:
        """Return what starts sessions of a target, or None if it has none."""
        subject = self.work.targets[target].subject
        if subject.session is None or self.work.settings.session_mode is SessionMode.OFF:
            return None
        if target not in self._launchers:
            self._launchers[target] = launcher_of(
                subject.session,
                in_sandbox=self.work.sandbox is not None,
                workspaces=self._workspaces,
            )
        return self._launchers[target]

    def judge(self, request: bytes) -> bytes:
        has_details, runs = _RECORDS.unpack(request)
        violation = _output_check(self.work) if self.work.settings.is_single else None
        return _RECORDS.pack(
            tuple(
                examine(stdin, each, self.work.policy, violation=violation, has_details=has_details)
                for stdin, each in runs
            )
        )

    def close(self) -> None:
        for launcher in self._launchers.values():
            launcher.close()


def _output_check(work: FuzzWorkload) -> Any:
    # Importing jsonschema takes 90 ms: only in the judge process.
    from harness.suites.schema_checks import load_validator  # pylint: disable=import-outside-toplevel

    validator = load_validator(work.targets[0].suite)

    def violation(values: list[Json]) -> str:
        found = validator.output_violation(values)
        return "" if found is None else general(found.steps) or "/"

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


# Trials.


class _TrialRuns:
    """The runs of a trial: by lane, a transcript of each input."""

    def __init__(self, source: FuzzSource, task: _Task, trial: _FuzzTrial) -> None:
        self.source = source
        self.trial = trial
        self._task = task
        settings = source.work.settings
        self.lanes = settings.lanes
        self._runs: list[dict[int, Transcript]] = [{} for _ in self.lanes]
        self._values = [len(decode(stdin).values) for stdin in trial.inputs]
        self._cases: dict[tuple[int, int], Case] = {}
        self.short_sessions = [0 for _ in self.lanes]
        self._wanted = [
            [n for n in range(len(trial.inputs)) if trial.number(n) % lane.every == 0]
            for lane in self.lanes
        ]
        self.units: list[Unit[FuzzResult]] = []
        for number, wanted in enumerate(self._wanted):
            self.units += self.lane_units(number, wanted)
        self._left = sum(map(len, self._wanted))

    def lane_units(self, lane: int, numbers: Sequence[int]) -> list[Unit[FuzzResult]]:
        """Return the units that run inputs in a lane: in a session, or one by one."""
        if not numbers:
            return []
        launcher = self.source.launcher(self.lanes[lane].target)
        is_plain = self.lanes[lane].delivery is Delivery.PLAIN
        is_short = self.short_sessions[lane] >= _MOST_SHORT
        if launcher is None or self.trial.fresh or not is_plain or is_short:
            return [_FreshUnit(self, lane, numbers)]
        cases = {n: self.case(lane, n) for n in numbers}
        fit = [n for n in numbers if cases[n].expected and launcher.takes(cases[n])]
        units: list[Unit[FuzzResult]] = []
        for begin in range(0, len(fit), launcher.largest):
            part = fit[begin : begin + launcher.largest]
            if len(part) > 1 or launcher.is_worthwhile_alone:
                units.append(_BatchUnit(self, lane, part, launcher))
            else:
                units.append(_FreshUnit(self, lane, part))
        others = [n for n in numbers if n not in set(fit)]
        return [*units, *([_FreshUnit(self, lane, others)] if others else [])]

    def case(self, lane: int, number: int) -> Case:
        """Return an input as a case; a stream session answers each of its values with one."""
        key = self.lanes[lane].target, number
        if key not in self._cases:
            work, stdin = self.source.work, self.trial.inputs[number]
            policy = work.policy._replace(limits=self.limits(lane))
            answers: list[Json] = [None] * self._values[number]
            suite = work.targets[0].suite.name
            self._cases[key] = Case(
                suite, _NAME, stdin, b"", answers, policy=policy, is_parsed=True
            )
        return self._cases[key]

    def limits(self, lane: int) -> Limits:
        work = self.source.work
        subject = work.targets[self.lanes[lane].target].subject
        return effective_limits(work.policy, subject, work.settings.wall_s)

    def job(self, lane: int, number: int) -> Job | Transcript:
        target, delivery, _ = self.lanes[lane]
        argv, one = self.source.commands[target], self.source.work.targets[target]
        if isinstance(argv, Refused):
            return Transcript(NotStarted(argv.reason))
        variables = suite_variables(one.suite.folder)
        return make_job(argv, self.case(lane, number), delivery, one.subject.context, variables)

    def label(self, lane: int) -> str:
        target = self.source.work.targets[self.lanes[lane].target]
        return f"{target.suite.name} by {target.subject.name}"

    def ended(self, lane: int, runs: dict[int, Transcript]) -> Outcome[FuzzResult]:
        """Take transcripts of a lane; after the last ones, ask what differs."""
        self._runs[lane] |= runs
        self._left -= len(runs)
        if self._left:
            return Outcome()
        asked = [n for n in range(len(self.trial.inputs)) if self._must_ask(n)]
        if not asked:
            return Outcome(self._answer([], []))

        def request() -> bytes:
            runs = tuple((self.trial.inputs[n], tuple(self._of(n))) for n in asked)
            return _RECORDS.pack((self.trial.has_details, runs))

        def results(answer: bytes | Stopped) -> Sequence[FuzzResult]:
            if isinstance(answer, Stopped):
                return self._answer([], [])
            return self._answer(asked, _RECORDS.unpack(answer))

        return Outcome(questions=[Question(request, results)])

    @property
    def is_unsettled(self) -> bool:
        return any(is_unsettled_run(each) for runs in self._runs for each in runs.values())

    def _of(self, number: int) -> Iterator[tuple[Transcript, Limits]]:
        for lane, runs in enumerate(self._runs):
            if number in runs:
                yield runs[number], self.limits(lane)

    def _must_ask(self, number: int) -> bool:
        found = [transcript for transcript, _ in self._of(number)]
        first = found[0]
        is_alike = all(
            each.stdout == first.stdout and each.ending == first.ending and each.limit is None
            for each in found
        )
        return self.source.work.settings.is_single or not is_alike

    def _answer(self, asked: Sequence[int], answers: Sequence[Examined]) -> list[FuzzResult]:
        by_number = dict(zip(asked, answers, strict=True))
        nothing = Examined()
        examined = [by_number.get(n, nothing) for n in range(len(self.trial.inputs))]
        results = self.source.advance(self._task, examined)
        return [each._replace(is_unsettled=self.is_unsettled) for each in results]


class _FreshUnit(Unit[FuzzResult]):
    """Inputs for one lane, each in a process of its own."""

    def __init__(self, runs: _TrialRuns, lane: int, numbers: Sequence[int]) -> None:
        self._runs = runs
        self._lane = lane
        self._numbers = numbers
        self.jobs = self.cases = len(numbers)

    def label(self, number: int) -> str:
        return self._runs.label(self._lane)

    def job(self, number: int) -> Job | Transcript:
        return self._runs.job(self._lane, self._numbers[number])

    def ended(self, number: int, transcript: Transcript) -> Outcome[FuzzResult]:
        return self._runs.ended(self._lane, {self._numbers[number]: transcript})


class _BatchUnit(Unit[FuzzResult]):
    """Inputs for one lane in a session; what it does not answer runs again."""

    def __init__(
        self,
        runs: _TrialRuns,
        lane: int,
        numbers: Sequence[int],
        launcher: SessionLauncher,
    ) -> None:
        self._runs = runs
        self._lane = lane
        self._numbers = numbers
        self._launcher = launcher
        self.cases = len(numbers)

    def label(self, number: int) -> str:
        return f"{self._runs.label(self._lane)} ({len(self._numbers):,} inputs)"

    def job(self, number: int) -> Job | Transcript:
        runs, lane = self._runs, self._lane
        job = runs.job(lane, self._numbers[0])
        if isinstance(job, Transcript):
            return job
        start = self._launcher.start(job, [runs.case(lane, n) for n in self._numbers])
        return Transcript(NotStarted(start.reason)) if isinstance(start, Refused) else start.job

    def ended(self, number: int, transcript: Transcript) -> Outcome[FuzzResult]:
        numbers, runs = self._numbers, self._runs
        if isinstance(transcript.ending, NotStarted):
            return Outcome(more=[_FreshUnit(runs, self._lane, numbers)])
        cases = [runs.case(self._lane, n) for n in numbers]
        output = self._launcher.output(cases, transcript)
        ended = _end_of_session(self._kind, output, transcript)
        if ended is not None:
            before = cases[: ended.sure]
            output = self._launcher.output(before, _until(self._kind, before, transcript))
        answered = {
            n: self._launcher.transcript_of_case(transcript, text, cases)
            for n, text in zip(numbers, output.outputs, strict=False)
            if text is not None
        }
        outcome = runs.ended(self._lane, answered) if answered else Outcome[FuzzResult]()
        left = [n for n in numbers if n not in answered]
        if not left:
            return outcome
        alone = len(left) if ended is None else ended.suspects
        runs.short_sessions[self._lane] += len(answered) < _FEW
        more = [_FreshUnit(runs, self._lane, left[:alone])]
        return outcome._replace(more=[*more, *runs.lane_units(self._lane, left[alone:])])

    @property
    def _kind(self) -> SessionKind | None:
        runs = self._runs
        return runs.source.work.targets[runs.lanes[self._lane].target].subject.session


class _SessionEnd(NamedTuple):
    """`sure` inputs were answered before a session ended in one of the next `suspects`."""

    sure: int
    suspects: int


def _end_of_session(
    kind: SessionKind | None, output: SessionOutput, transcript: Transcript
) -> _SessionEnd | None:
    """Return where a session ended early, or None if that is not known or it did not."""
    is_failed = transcript.ending != Exited(0) or transcript.limit is not None
    if not output.void or not (is_failed or decode(transcript.stdout).fault):
        return None
    status = transcript.ending.status if isinstance(transcript.ending, Exited) else 0
    if kind is SessionKind.STREAM and status and output.answered:
        # Some programs print an error for what they refuse, which is the last answer then.
        return _SessionEnd(output.answered - 1, 2)
    return _SessionEnd(output.answered, 1)


def _until(kind: SessionKind | None, cases: Sequence[Case], transcript: Transcript) -> Transcript:
    """Return a session as if it had ended after these cases."""
    values = decode(transcript.stdout).values
    if kind is SessionKind.STREAM:
        values = values[: sum(len(case.expected) for case in cases)]
    text = stream_text(values)
    return transcript._replace(ending=Exited(0), limit=None, stdout=text, stdout_bytes=len(text))


# Tasks.


def _explored(source: FuzzSource, item: Item) -> _Task:
    """Run made inputs, and return those that show something."""
    maker, hits, inputs, numbers = source.work.maker, set[int](), list[bytes](), list[int]()
    if item.stdin:
        numbers, inputs = [item.start], [item.stdin]
    for number in range(item.start, item.start + item.inputs if not item.stdin else 0):
        value, taken = maker.make(number)
        if isinstance(value, list):
            hits |= taken
            numbers.append(number)
            inputs.append(stream_text(value))
    found: tuple[Found, ...] = ()
    if inputs:
        answers = yield _FuzzTrial(inputs, item.start)
        found = tuple(
            Found(number, stdin, answer.cause)
            for number, stdin, answer in zip(numbers, inputs, answers, strict=True)
            if answer.cause is not None
        )
    missing = item.inputs - len(inputs)
    return FuzzResult(item.start, item.inputs, missing, found, tuple(sorted(hits)))


def _shrunk(source: FuzzSource, item: Item, cause: Cause) -> _Task:
    """Confirm a finding in fresh processes, and make its input as small as possible."""
    unseen = FuzzResult(item.start, found=(Found(item.start, item.stdin, cause),), note=_UNSEEN)
    tries = 0
    trial = _FuzzTrial([item.stdin], item.start, is_one_number=True, fresh=True, has_details=True)
    for fresh in (False, True):
        answers = yield trial
        if answers[0].cause != cause:
            return unseen
        shrinker = _shrinker(source.work.maker, decode(item.stdin).values)
        is_slow = any("silent" in kind or "limit" in kind for kind in cause.kinds)
        while shrinker.tries < (_MOST_SLOW if is_slow else _MOST_TRIES):
            batch = shrinker.next_batch()
            if not batch:
                break
            candidates = [_text(value) for value in batch]
            examined = yield trial._replace(inputs=candidates, fresh=fresh, has_details=False)
            shrinker.hear([each.cause == cause for each in examined])
        tries += shrinker.tries
        best = _text(shrinker.best)
        answers = yield trial._replace(inputs=[best])
        if answers[0].cause == cause:
            one = Found(item.start, best, cause)
            return FuzzResult(item.start, 1, found=(one,), details=answers[0].details, tries=tries)
    return unseen


def _shrinker(maker: InputMaker, values: list[Json]) -> Shrinker:
    """Return what shrinks an input to others that are as valid."""
    is_valid = maker.accepts(values)
    return Shrinker(values, lambda value: maker.accepts(value) == is_valid)


def _text(value: Json) -> bytes:
    assert isinstance(value, list)
    return stream_text(value)
