"""Let one process answer several cases, and take only passes from it.

Every case that a session does not settle runs in a fresh process, as do a sample of those that
passed. Source: docs/sessions.md.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from hashlib import blake2b
from math import ceil
from typing import Final

from harness.delivery.registry import Delivery
from harness.engine.case_source import CaseSource
from harness.engine.ipc import CaseEvent
from harness.engine.jobs import (
    make_job,
    origin_of,
    read_planned_case,
    skipped_run,
    usable_deliveries,
    with_known_failure,
)
from harness.engine.judge_process import is_quick, judge_here
from harness.engine.plan import PlannedRun, repeat_command_like
from harness.engine.retries import is_unsettled
from harness.engine.sessions.batches import (
    DistrustedSubjects,
    SessionBatch,
    Sessions,
    Trial,
)
from harness.engine.sessions.launchers import SessionLauncher, launcher_of
from harness.engine.sessions.outputs import SessionOutput, last_lines
from harness.engine.sessions.polluters import PolluterSearch, order_finding
from harness.engine.units import Outcome, Pause, Question, Source, Unit
from harness.errors import Refused
from harness.judging.judge import passes_alike
from harness.model.case import Case
from harness.model.events import Origin, RunResult, SessionsEnded, pass_like, run_result
from harness.model.judgement import Judgement
from harness.model.limits import MIB, Limit
from harness.model.sessions import SessionKind
from harness.model.transcript import Job, NotStarted, Transcript
from harness.model.verdict import Verdict
from harness.process.workspace import Workspaces

_SMALLEST: Final = 8  # cases of the first batch
_MOST_BYTES: Final = MIB  # of the inputs and expected outputs of a batch
_DIFFERED: Final = "a case that passed in a session failed alone"
_TIMES: Final = (Limit.WALL, Limit.FIRST_BYTE, Limit.CPU)


class _SessionUnit(Unit[CaseEvent]):
    """A batch in a session of its own."""

    __slots__ = ("_job", "_source", "batch", "cases", "is_new")

    def __init__(
        self, source: SessionSource, batch: SessionBatch, job: Job | Transcript, *, is_new: bool
    ) -> None:
        self.batch = batch
        self.cases = len(batch.cases)
        self.is_new = is_new  # a process was started for it
        self._source = source
        self._job = job

    def label(self, number: int) -> str:
        return self._source.label(self.batch)

    def job(self, number: int) -> Job | Transcript:
        return self._job

    def ended(self, number: int, transcript: Transcript) -> Outcome[CaseEvent]:
        return self._source.session_ended(self, transcript)


class _KnownPass:
    """A case of a session that passed, and says that others pass that print what is expected."""

    def __init__(self) -> None:
        self._case: Case | None = None
        self._event: RunResult | None = None

    def learn(self, case: Case, text: bytes, event: RunResult) -> None:
        if text == case.expected_text and event.is_bare_pass:
            self._case, self._event = case, event

    def of(self, planned: PlannedRun, case: Case, text: bytes) -> RunResult | None:
        """Return the event of a case that printed this, or None if it must be judged."""
        case_before, event = self._case, self._event
        if case_before is None or event is None or text != case.expected_text:
            return None
        if not passes_alike(case, case_before):
            return None
        return pass_like(event, case, repeat_command_like(event.repeat, planned.name))


class SessionSource(Source[CaseEvent]):
    """The cases of a source, some of them in sessions."""

    def __init__(
        self,
        cases: CaseSource,
        distrusted: DistrustedSubjects,
        workspaces: Workspaces | None = None,
    ) -> None:
        self._cases = cases
        self._workspaces = workspaces
        self._policy = cases.policy
        self._options = cases.policy.sessions
        self._distrusted = distrusted
        self._returned: deque[PlannedRun] = deque()  # to be drawn again, before the others
        self._alone: deque[PlannedRun] = deque()
        self._batches: deque[SessionBatch] = deque()
        self._running = 0  # sessions with answers that are not yet judged
        self._sessions: dict[tuple[str, str], Sessions] = {}
        # Repeated passes, by suite, subject and index: the batch, and the number in it.
        self._repeated: dict[tuple[str, str, int], tuple[SessionBatch, int]] = {}

    def next(self) -> Unit[CaseEvent] | Pause:
        while True:
            if self._alone:
                return self._cases.unit(self._alone.popleft())
            if self._batches:
                batch = self._batches.popleft()
            elif (planned := self._draw()) is None:
                return Pause.WAIT if self._running or self._repeated else Pause.DONE
            elif (sessions := self._sessions_of(planned)) is None or sessions.ended.stopped:
                self._leave([planned])
                continue
            else:
                batch = self._fill(planned, sessions)
                # Even one case may be skipped, or repeated to show a difference in a requested
                # sample.
                is_wanted = sessions.launcher.is_worthwhile_alone
                is_wanted |= self._options.sample is not None or planned.target.subject.may_skip
                if not (len(batch.planned) > 1 or batch.planned and is_wanted):
                    self._leave(batch.planned)
                    continue
            unit = self._unit(batch)
            if unit is not None:
                self._running += 1
                return unit

    def feedback(self, unit: Unit[CaseEvent], results: Sequence[CaseEvent]) -> Iterable[CaseEvent]:
        if isinstance(unit, _SessionUnit):
            return self._judged(unit.batch, results)
        return self._compared(results) if self._repeated else results

    def judge(self, request: bytes) -> bytes:
        return self._cases.judge(request)

    def completes(self, result: CaseEvent) -> bool:
        return self._cases.completes(result)

    def summaries(self) -> Iterator[CaseEvent]:
        """Yield how the sessions of each subject went, suite by suite."""
        for sessions in self._sessions.values():
            yield CaseEvent(0, sessions.ended, is_last=False)

    def close(self) -> None:
        for sessions in self._sessions.values():
            sessions.launcher.close()

    def label(self, batch: SessionBatch) -> str:
        first, *others = batch.planned
        return self._cases.label(first, f" and {len(others):,} more" if others else "")

    # Sessions.

    def _unit(self, batch: SessionBatch) -> _SessionUnit | None:
        """Return a batch as a unit, or None if its subject can have no session.

        A session has the limits of a single case.
        """
        sessions, context = batch.sessions, batch.target.subject.context
        argv, variables = self._cases.program(batch.target)
        if isinstance(argv, Refused):
            return _SessionUnit(self, batch, Transcript(NotStarted(argv.reason)), is_new=True)
        job = make_job(argv, batch.cases[0], Delivery.PLAIN, context, variables)
        start = sessions.launcher.start(job, batch.cases)
        if isinstance(start, Refused):
            sessions.stop(start.reason)
            self._leave(batch.planned)
            return None
        return _SessionUnit(self, batch, start.job, is_new=start.is_new)

    def session_ended(self, unit: _SessionUnit, transcript: Transcript) -> Outcome[CaseEvent]:
        """Return the events of a session that are certain, and what to ask about its answers."""
        batch = unit.batch
        sessions = batch.sessions
        output = sessions.launcher.output(batch.cases, transcript)
        if len(sessions.ended.noise) < len(output.noise):
            sessions.ended = sessions.ended._replace(noise=output.noise)
        if output.void and not sessions.ended.stderr:
            sessions.ended = sessions.ended._replace(stderr=last_lines(transcript.stderr))
        answered = [n for n, each in enumerate(output.outputs) if each is not None]
        events: list[CaseEvent] = []
        if batch.trial is not None:
            victim = batch.planned.index(batch.trial.batch.planned[batch.trial.victim])
            answered = [victim] if victim in answered else []
            if not answered:
                batch.trial.search.record(passes=False)
                events += self._next_trial(batch.trial)
        else:
            if unit.is_new:
                sessions.count_session(hung=transcript.limit in _TIMES, failure=output.void)
            if output.void:
                self._split(batch, output.answered)
            else:
                sessions.size = min(sessions.launcher.largest, 2 * sessions.size)
                skipped = dict(output.skipped if batch.target.subject.may_skip else ())
                events += (self._skipped(batch, n, reason) for n, reason in skipped.items())
                others = set(range(len(batch.planned))) - {*skipped, *answered}
                self._leave([batch.planned[n] for n in sorted(others)])
                sessions.settled += len(skipped)
        batch.awaited = len(answered)
        if not answered:
            self._running -= 1
        outcome = self._answers(batch, answered, output, transcript)
        return Outcome([*events, *outcome.results], outcome.questions)

    def _answers(
        self,
        batch: SessionBatch,
        answered: Sequence[int],
        output: SessionOutput,
        transcript: Transcript,
    ) -> Outcome[CaseEvent]:
        """Judge the answers of a batch, or ask about those that may take long."""
        events: list[CaseEvent] = []
        questions: list[Question[CaseEvent]] = []
        known_pass = _KnownPass()
        for number in answered:
            planned, case, text = batch.planned[number], batch.cases[number], output.outputs[number]
            assert text is not None
            event = known_pass.of(planned, case, text)
            if event is None:
                share = batch.sessions.launcher.transcript_of_case(transcript, text, batch.cases)
                if not is_quick(case, share):
                    questions.append(self._question(batch, number, share))
                    continue
                event = self._result(batch, number, share, judge_here(case, share))
                if not planned.target.suite.settings.has_known_failures:
                    known_pass.learn(case, text, event)
            events.append(CaseEvent(planned.case_index, event, is_last=True))
        return Outcome(events, questions)

    def _question(
        self, batch: SessionBatch, number: int, transcript: Transcript
    ) -> Question[CaseEvent]:
        planned, case = batch.planned[number], batch.cases[number]

        def results(judgement: Judgement) -> list[CaseEvent]:
            event = self._result(batch, number, transcript, judgement)
            return [CaseEvent(planned.case_index, event, is_last=True)]

        return self._cases.judging.question(planned, case, transcript, results)

    def _result(
        self, batch: SessionBatch, number: int, transcript: Transcript, judgement: Judgement
    ) -> RunResult:
        """Return the result of a case of a session, as if it had run alone."""
        event = run_result(batch.cases[number], transcript, judgement, self._origin(batch, number))
        return with_known_failure(batch.planned[number], event)

    def _skipped(self, batch: SessionBatch, number: int, reason: str) -> CaseEvent:
        planned = batch.planned[number]
        skipped, origin = Judgement(Verdict.SKIPPED, reason), self._origin(batch, number)
        event = run_result(batch.cases[number], None, skipped, origin)
        return CaseEvent(planned.case_index, event._replace(evidence=None), is_last=True)

    def _origin(self, batch: SessionBatch, number: int) -> Origin:
        repeat_args, planned = self._policy.repeat_args, batch.planned[number]
        return origin_of(planned, Delivery.PLAIN, repeat_args, batch.sessions.kind.value)

    def _judged(self, batch: SessionBatch, results: Sequence[CaseEvent]) -> Iterator[CaseEvent]:
        """Hold the passes of a session, leave other cases alone, and yield what is certain."""
        for result in results:
            event = result.event
            if not isinstance(event, RunResult) or event.verdict is Verdict.SKIPPED:
                yield result
                continue
            batch.awaited -= 1
            self._running -= not batch.awaited
            if batch.trial is not None:
                batch.trial.search.record(passes=event.verdict is Verdict.PASSED)
                yield from self._next_trial(batch.trial)
                return
            if event.verdict is Verdict.PASSED:
                batch.passes.append(result)
            else:
                self._leave([batch.planned[batch.number_of(result.case_index)]])
            if not batch.awaited:
                yield from self._choose_sample(batch)

    def _compared(self, results: Sequence[CaseEvent]) -> Iterator[CaseEvent]:
        """Yield events of a fresh run, and what they say about the session of the same case."""
        for result in results:
            yield result
            event = result.event
            if not isinstance(event, RunResult):
                continue
            key = event.suite, event.subject, result.case_index
            batch, number = self._repeated.pop(key, (None, 0))
            if batch is None:
                continue
            batch.unrepeated -= 1
            if event.verdict is Verdict.PASSED:
                batch.sessions.count(repeated=1)
            elif event.verdict.concerns_subject and not is_unsettled(event):
                batch.sessions.count(repeated=1, differing=1)
                yield from self._distrust(batch, number, event)
            if not batch.unrepeated and not batch.is_void:
                yield from self._release(batch)

    # Batches.

    def _draw(self) -> PlannedRun | None:
        return self._returned.popleft() if self._returned else self._cases.draw()

    def _sessions_of(self, planned: PlannedRun) -> Sessions | None:
        """Return the sessions that may run a case, or None if none may."""
        target, kind = planned.target, planned.target.subject.session
        if kind is None:
            return None
        if kind is SessionKind.STREAM and not target.suite.settings.stateless:
            return None
        if target.suite.settings.checkers:
            return None
        if target.key not in self._sessions:
            ended = SessionsEnded(target.subject.name, kind.value, seed=self._options.seed or 0)
            rate = self._options.sample_rate(target.subject.name)
            launcher = launcher_of(
                kind,
                in_sandbox=self._policy.sandbox is not None,
                workspaces=self._workspaces,
            )
            size = min(_SMALLEST, launcher.largest)
            self._sessions[target.key] = Sessions(kind, launcher, ended, rate, size)
        sessions = self._sessions[target.key]
        if not sessions.ended.stopped and target.subject.name in self._distrusted:
            sessions.stop(_DIFFERED)
        return sessions

    def _fill(self, planned: PlannedRun, sessions: Sessions) -> SessionBatch:
        """Return a batch of the next cases that may share a session, of the same target."""
        packed = planned.target.suite.packed
        with nullcontext() if packed is None else packed.in_a_row():
            return self._draw_batch(planned, sessions)

    def _draw_batch(self, planned: PlannedRun, sessions: Sessions) -> SessionBatch:
        batch = SessionBatch(sessions)
        size = 0
        for left in reversed(range(sessions.size)):
            case = self._shared_case(planned, sessions.launcher)
            if case is None:
                self._leave([planned])
            elif batch.cases and batch.cases[0].policy.limits != case.policy.limits:
                self._returned.appendleft(planned)
                break
            else:
                batch.add(planned, case)
                size += len(case.stdin) + len(case.expected_text)
            if not left or size > _MOST_BYTES:
                break
            if (after := self._draw()) is None:
                break
            if after.target is not planned.target:
                self._returned.appendleft(after)
                break
            planned = after
        return batch

    def _shared_case(self, planned: PlannedRun, launcher: SessionLauncher) -> Case | None:
        """Return a case that may share a session, or None."""
        if Delivery.PLAIN not in planned.deliveries or planned.earlier:
            return None
        try:
            case = read_planned_case(planned, self._policy.wall_s, is_checked=False)
        except (MemoryError, OSError):  # reported when it runs alone
            return None
        if not isinstance(case, Case) or skipped_run(planned, case) is not None:
            return None
        if not launcher.takes(case):
            return None
        return case if usable_deliveries(planned, case) == (Delivery.PLAIN,) else None

    def _leave(self, planned: Sequence[PlannedRun]) -> None:
        """Leave cases to fresh processes."""
        if self._options.partial:
            return
        self._alone.extend(planned)
        for each in planned:
            sessions = self._sessions_of(each)
            if sessions is not None:
                sessions.count(alone=1)

    def _split(self, batch: SessionBatch, answered: int) -> None:
        """Try parts of a batch that settled nothing, without the case that probably ended it."""
        sessions, total = batch.sessions, len(batch.planned)
        sessions.size = max(2, sessions.size // 2)
        if sessions.ended.stopped or total <= 2:
            self._leave(batch.planned)
            return
        if answered == total:  # the end is wrong, or there is too much
            parts = [batch.part(0, total // 2), batch.part(total // 2, total)]
        else:
            parts = [batch.part(0, answered), batch.part(answered, answered + 1)]
            self._returned.extendleft(reversed(batch.planned[answered + 1 :]))
        self._batches.extend(part for part in parts if len(part.planned) > 1)
        self._leave([part.planned[0] for part in parts if len(part.planned) == 1])

    # The sample.

    def _choose_sample(self, batch: SessionBatch) -> Iterator[CaseEvent]:
        """Yield the passes of a batch, or hold them until some have been repeated."""
        sessions = batch.sessions
        sessions.settled += len(batch.passes)
        sessions.passes_to_repeat += sessions.sample_rate * len(batch.planned)
        chosen = min(ceil(round(sessions.passes_to_repeat, 6)), len(batch.passes))
        sessions.passes_to_repeat -= chosen
        if not chosen:
            yield from self._release(batch)
            return
        ordered = sorted(batch.passes, key=self._sample_rank)
        sample, batch.passes = ordered[:chosen], ordered[chosen:]
        batch.unrepeated = chosen
        for case_event in sample:
            number = batch.number_of(case_event.case_index)
            self._repeated[(*batch.target.key, case_event.case_index)] = batch, number
            self._alone.append(batch.planned[number])

    def _sample_rank(self, case_event: CaseEvent) -> bytes:
        """Return the rank of a pass in the sample, which depends on the seed and its names only."""
        event = case_event.event
        assert isinstance(event, RunResult)
        text = f"{self._options.seed}\n{event.subject}\n{event.suite}\n{event.case}"
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()

    # Disagreements.

    def _distrust(self, batch: SessionBatch, number: int, event: RunResult) -> Iterator[CaseEvent]:
        """Void the batch of a pass that failed alone, end all sessions, and look for the cause."""
        self._void(batch)
        is_first = event.subject not in self._distrusted
        self._distrusted.add(event.subject)
        batch.sessions.stop(_DIFFERED)
        others = [other for other in range(len(batch.planned)) if other != number]
        trial = Trial(batch, number, PolluterSearch(others, thorough=is_first), event)
        yield from self._next_trial(trial)

    def _next_trial(self, trial: Trial) -> Iterator[CaseEvent]:
        if trial.search.is_over:
            planned = trial.batch.planned
            victim = planned[trial.victim]
            polluters = [planned[number] for number in sorted(trial.search.candidates)]
            finding = order_finding(victim, polluters, trial.event)
            yield CaseEvent(victim.case_index, finding, is_last=False)
        else:
            self._batches.append(trial.next_batch())

    def _release(self, batch: SessionBatch) -> Iterator[CaseEvent]:
        """Yield the passes of a batch, unless its subject has been distrusted in the meantime."""
        if batch.target.subject.name in self._distrusted:
            self._void(batch)
            return
        batch.sessions.count(passed=len(batch.passes))
        yield from sorted(batch.passes)

    def _void(self, batch: SessionBatch) -> None:
        if not batch.is_void:
            batch.is_void = True
            self._leave([batch.planned[batch.number_of(each.case_index)] for each in batch.passes])
