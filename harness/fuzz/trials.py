"""Run inputs for all lanes: in sessions where subjects have them, or in fresh processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.engine.jobs import effective_limits, make_job
from harness.engine.retries import is_unsettled_run
from harness.engine.sessions.launchers import SessionLauncher, launcher_of
from harness.engine.sessions.outputs import SessionOutput
from harness.engine.units import Outcome, Question, Unit
from harness.errors import Refused
from harness.fuzz.causes import Examined, refusal_pattern
from harness.fuzz.items import RECORDS, FuzzResult, FuzzSettings, Lane
from harness.jsonio.decoder import Json
from harness.jsonio.fast import decode
from harness.model.case import Case, Policy, stream_text
from harness.model.limits import MIB, Limit, Limits
from harness.model.sessions import SessionKind, SessionMode
from harness.model.transcript import Exited, Job, NotStarted, Transcript
from harness.process.killable import Stopped
from harness.process.workspace import Workspaces
from harness.project.program_lookup import command_line
from harness.project.targets import Target
from harness.suites.shared_files import suite_variables

CASE: Final = "1"  # the name of each input
_FEW: Final = 2  # answers for which a session costs more than fresh processes
_JUDGED_AT_ONCE: Final = 500  # inputs of a question, ...
_JUDGED_BYTES: Final = 1 * MIB  # ... fewer of large outputs
_SHOWN_BYTES: Final = 65_536
_MOST_SHORT: Final = 8  # such sessions of a lane in a trial; the rest runs in fresh processes

OnExamined = Callable[[Sequence[Examined]], list[FuzzResult]]


class Context:
    """The targets of all trials of a worker, and the launchers of their sessions."""

    def __init__(
        self,
        targets: Sequence[Target],
        settings: FuzzSettings,
        policy: Policy,
        *,
        in_sandbox: bool,
        workspaces: Workspaces | None,
    ) -> None:
        self.targets: Final = targets
        self.settings: Final = settings
        self.policy: Final = policy
        self.commands: Final = [command_line(target.subject) for target in targets]
        self._in_sandbox = in_sandbox
        self._workspaces = workspaces
        self._launchers: dict[int, SessionLauncher] = {}

    def launcher(self, target: int) -> SessionLauncher | None:
        """Return what starts sessions of a target, or None if it has none."""
        subject = self.targets[target].subject
        if subject.session is None or self.settings.session_mode is SessionMode.OFF:
            return None
        if target not in self._launchers:
            self._launchers[target] = launcher_of(
                subject.session, in_sandbox=self._in_sandbox, workspaces=self._workspaces
            )
        return self._launchers[target]

    def close(self) -> None:
        for launcher in self._launchers.values():
            launcher.close()


class FuzzTrial(NamedTuple):
    """Inputs for all lanes; not in sessions if it is `fresh`.

    Their `numbers` decide which lanes run them.
    """

    inputs: Sequence[bytes]
    numbers: Sequence[int]
    fresh: bool = False
    has_details: bool = False


class TrialRuns:
    """The runs of a trial: by lane, a transcript of each input."""

    def __init__(self, context: Context, trial: FuzzTrial, on_examined: OnExamined) -> None:
        self.context = context
        self.trial = trial
        self._on_examined = on_examined
        self._runs: list[dict[int, Transcript]] = [{} for _ in self.lanes]
        self._values = [len(decode(stdin).values) for stdin in trial.inputs]
        self._cases: dict[tuple[int, int], Case] = {}
        self._refused: set[int] = set()  # numbers of inputs that a session refused
        self._examined: dict[int, Examined] = {}
        self.short_sessions = [0 for _ in self.lanes]
        self._wanted = [
            [n for n in range(len(trial.inputs)) if lane.takes(trial.numbers[n])]
            for lane in self.lanes
        ]
        self.units: list[Unit[FuzzResult]] = []
        for number, wanted in enumerate(self._wanted):
            self.units += self.lane_units(number, wanted)
        self._left = sum(map(len, self._wanted))

    @property
    def lanes(self) -> Sequence[Lane]:
        return self.context.settings.lanes

    def lane_units(self, lane: int, numbers: Sequence[int]) -> list[Unit[FuzzResult]]:
        """Return the units that run inputs in a lane: in a session, or one by one."""
        if not numbers:
            return []
        launcher = self.context.launcher(self.lanes[lane].target)
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
            context, stdin = self.context, self.trial.inputs[number]
            policy = context.policy._replace(limits=self.limits(lane))
            answers: list[Json] = [None] * self._values[number]
            suite = context.targets[0].suite.name
            self._cases[key] = Case(suite, CASE, stdin, b"", answers, policy=policy, is_parsed=True)
        return self._cases[key]

    def limits(self, lane: int) -> Limits:
        context = self.context
        subject = context.targets[self.lanes[lane].target].subject
        return effective_limits(context.policy, subject, context.settings.wall_s)

    def job(self, lane: int, number: int) -> Job | Transcript:
        target, delivery, _ = self.lanes[lane]
        argv, one = self.context.commands[target], self.context.targets[target]
        if isinstance(argv, Refused):
            return Transcript(NotStarted(argv.reason))
        variables = suite_variables(one.suite.folder)
        return make_job(argv, self.case(lane, number), delivery, one.subject.context, variables)

    def label(self, lane: int) -> str:
        target = self.context.targets[self.lanes[lane].target]
        return f"{target.suite.name} by {target.subject.name}"

    def ended(
        self, lane: int, runs: dict[int, Transcript], refused: Iterable[int] = ()
    ) -> Outcome[FuzzResult]:
        """Take transcripts of a lane; after the last ones, ask what differs.

        How a program ends on an input that its session `refused` is not known.
        """
        self._refused.update(refused)
        self._runs[lane] |= {n: _without_surplus(transcript) for n, transcript in runs.items()}
        self._left -= len(runs)
        if self._left:
            return Outcome()
        numbers = range(len(self.trial.inputs))
        asked = [n for n in numbers if n not in self._refused and self._must_ask(n)]
        if not asked:
            return Outcome(self._results())
        questions = [self._question(part, len(asked)) for part in self._parts(asked)]
        return Outcome(questions=questions)

    def _parts(self, numbers: Sequence[int]) -> Iterator[list[int]]:
        """Yield inputs that are judged together: one that takes long must not cost the others."""
        most = _JUDGED_AT_ONCE if self.context.policy.comparison.is_bounded else 1
        part, size = list[int](), 0
        for number in numbers:
            size += sum(len(transcript.stdout) for transcript, _ in self._of(number))
            part.append(number)
            if len(part) == most or size > _JUDGED_BYTES:
                yield part
                part, size = [], 0
        if part:
            yield part

    def _question(self, numbers: Sequence[int], of: int) -> Question[FuzzResult]:
        """Return a question about some of the inputs that are asked about."""

        def request() -> bytes:
            runs = tuple((self.trial.inputs[n], tuple(self._of(n))) for n in numbers)
            return RECORDS.pack((self.trial.has_details, runs))

        def results(answer: bytes | Stopped) -> Sequence[FuzzResult]:
            if isinstance(answer, Stopped):
                fault = Examined(fault=f"judging stopped {answer.reason}")
                self._examined |= dict.fromkeys(numbers, fault)
            else:
                self._examined |= zip(numbers, RECORDS.unpack(answer), strict=True)
            return self._results() if len(self._examined) == of else []

        return Question(request, results)

    def _of(self, number: int) -> Iterator[tuple[Transcript, Limits]]:
        for lane, runs in enumerate(self._runs):
            if number in runs:
                yield runs[number], self.limits(lane)

    def _must_ask(self, number: int) -> bool:
        transcripts = [transcript for transcript, _ in self._of(number)]
        first = transcripts[0]
        if any(isinstance(each.ending, NotStarted) for each in transcripts):
            return False
        is_alike = all(
            each.stdout == first.stdout and each.ending == first.ending and each.limit is None
            for each in transcripts
        )
        return self.context.settings.is_single or not is_alike

    def _results(self) -> list[FuzzResult]:
        """Return the results of the trial, all of whose runs have been examined."""
        refused = {n: Examined(refusal=self._refusal_of(n)) for n in self._refused}
        by_number, nothing = self._examined | refused, Examined()
        examined = [by_number.get(n, nothing) for n in range(len(self.trial.inputs))]
        results = self._on_examined(examined)
        note, transcripts = self._why_not_started(), list(self._transcripts())
        return [
            each._replace(
                note=each.note or note,
                is_unsettled=any(map(is_unsettled_run, transcripts)),
                shares_folder=any(one.shares_folder for one in transcripts),
            )
            for each in results
        ]

    def _transcripts(self) -> Iterator[Transcript]:
        return chain.from_iterable(runs.values() for runs in self._runs)

    def _refusal_of(self, number: int) -> str:
        """Return what refusals of a kind share; another text for each input that a lane answers."""
        transcripts = [transcript for transcript, _ in self._of(number)]
        if any(each.ending == Exited(0) for each in transcripts):
            return str(number)
        return refusal_pattern(self.trial.inputs[number], [each.stdout for each in transcripts])

    def _why_not_started(self) -> str:
        endings = (each.ending for each in self._transcripts())
        return next((each.reason for each in endings if isinstance(each, NotStarted)), "")


class _FreshUnit(Unit[FuzzResult]):
    """Inputs for one lane, each in a process of its own."""

    def __init__(self, runs: TrialRuns, lane: int, numbers: Sequence[int]) -> None:
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
        runs: TrialRuns,
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
        refused = {numbers[index]: _refusal(words) for index, words in output.refused}
        answered |= refused
        outcome = Outcome[FuzzResult]()
        if answered:
            outcome = runs.ended(self._lane, answered, refused)
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
        return runs.context.targets[runs.lanes[self._lane].target].subject.session


def _without_surplus(transcript: Transcript) -> Transcript:
    """Return a transcript with the beginning of an output that is too large, which is all that
    people see of it."""
    if transcript.limit is not Limit.OUTPUT:
        return transcript
    return transcript._replace(stdout=transcript.stdout[:_SHOWN_BYTES])


def _refusal(words: str) -> Transcript:
    text = words.encode("utf-8", "surrogatepass")
    return Transcript(Exited(1), text, stdout_bytes=len(text))


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
