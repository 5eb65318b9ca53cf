"""Let one process answer several cases, and take only passes from it.

Every case that a session does not settle runs in a fresh process, as do a sample of those that
passed. Source: docs/sessions.md.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from math import ceil
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.engine.ipc import CaseEvent
from harness.engine.jobs import origin_of, read_planned_case, skipped_run, usable_deliveries
from harness.engine.plan import PlannedRun, repeat_command
from harness.engine.request import RunRequest, Targets
from harness.engine.retries import is_unsettled
from harness.engine.session_batches import (
    PolluterSearch,
    answers,
    can_share_process,
    share_of_session,
)
from harness.engine.session_doubts import SessionDoubts
from harness.model.case import Case
from harness.model.case_names import pattern_of
from harness.model.events import DependsOnOrder, Event, Judged, SessionsEnded, judged
from harness.model.judgement import Judgement
from harness.model.limits import MIB, Limit
from harness.model.sessions import SessionKind, SessionMode
from harness.model.transcript import Transcript
from harness.model.verdict import Verdict
from harness.project.targets import Target
from harness.text import pluralize

_SMALLEST: Final = 8  # cases of the first batch
_LARGEST: Final = 1_000
_MOST_BYTES: Final = MIB  # of the inputs and expected outputs of a batch
_FREE_SESSIONS: Final = 8  # sessions that may settle nothing ...
_CASES_PER_SESSION: Final = 4  # ... and the cases that each further one must settle on average
_HUNG_COST: Final = 2  # a session that took the time of a whole run counts as this many
_MOST_POLLUTERS: Final = 50  # that a command repeats
_DIFFERED: Final = "a case that passed in a session failed alone"
_TIMES: Final = (Limit.WALL, Limit.FIRST_BYTE, Limit.CPU)


class Answer(NamedTuple):
    """A case of a batch, and the run that its session stands for."""

    batch: SessionBatch
    at: int  # in the batch
    transcript: Transcript

    @property
    def planned(self) -> PlannedRun:
        return self.batch.planned[self.at]

    @property
    def case(self) -> Case:
        return self.batch.cases[self.at]


@dataclass(eq=False, slots=True)
class SessionBatch:
    """Cases for one session. A batch with a `trial` only shows whether its last case passes."""

    tally: _Tally
    planned: list[PlannedRun] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    trial: _Trial | None = None
    events: list[CaseEvent] = field(default_factory=list)  # the passes
    awaited: int = 0  # answers that are being judged
    unrepeated: int = 0  # cases of the sample
    is_void: bool = False  # its passes that were not repeated do not count

    @property
    def kind(self) -> SessionKind:
        return self.tally.kind

    @property
    def target(self) -> Target:
        return self.planned[0].target

    def add(self, planned: PlannedRun, case: Case) -> None:
        self.planned.append(planned)
        self.cases.append(case)

    def part(self, begin: int, end: int) -> SessionBatch:
        return SessionBatch(self.tally, self.planned[begin:end], self.cases[begin:end])


@dataclass(eq=False, slots=True)
class _Trial:
    """The search for the case that makes a victim pass."""

    batch: SessionBatch
    victim: int
    search: PolluterSearch
    event: Judged  # of the victim in a fresh process

    def next_batch(self) -> SessionBatch:
        """Return a batch with the candidates and the victim, in their order."""
        kept = sorted((*self.search.candidates, self.victim))
        # Cases after the victim must stay in its session: the program may read them first.
        batch = SessionBatch(self.batch.tally, trial=self)
        for at in kept:
            batch.add(self.batch.planned[at], self.batch.cases[at])
        return batch


@dataclass(eq=False, slots=True)
class _Tally:
    """The counts of the sessions of a subject on a suite so far."""

    kind: SessionKind
    ended: SessionsEnded
    rate: float  # the share of passes to repeat
    size: int
    settled: int = 0
    cost: int = 0  # of the sessions, in starts of a process
    owed: float = 0.0  # passes to repeat
    fault: str = ""  # of the last session that settled nothing

    def count(self, **amounts: int) -> None:
        added = {name: getattr(self.ended, name) + more for name, more in amounts.items()}
        self.ended = self.ended._replace(**added)

    def count_session(self, *, hung: bool = False, fault: str = "") -> None:
        """Count a session, and stop if they settle too little. A fault settles nothing."""
        self.fault = fault or self.fault
        self.count(sessions=1)
        self.cost += _HUNG_COST if hung else 1
        if self.cost > _FREE_SESSIONS + self.settled / _CASES_PER_SESSION:
            sessions = pluralize(self.ended.sessions, "session")
            settled = f"verdicts for only {pluralize(self.settled, 'case')}"
            reason = f"{sessions} gave {settled if self.settled else 'no verdicts'}"
            self.stop(f"{reason} ({self.fault})" if self.fault else reason)

    def stop(self, reason: str) -> None:
        self.ended = self.ended._replace(stopped=reason)


class SessionRuns(Iterator[PlannedRun | SessionBatch]):
    """The next runs of a worker: a case in a fresh process, or a batch in a session.

    Iteration stops while the outcome of a batch is awaited, and can be continued afterwards.
    """

    def __init__(self, request: RunRequest, targets: Targets) -> None:
        self._request = request
        self._doubts = request.doubts or SessionDoubts(subject for _, subject in targets)
        self._options = request.sessions
        self._runs = iter(request.runs)
        self._returned: deque[PlannedRun] = deque()  # to be drawn again, before the others
        self._alone: deque[PlannedRun] = deque()
        self._batches: deque[SessionBatch] = deque()
        self._tallies: dict[tuple[str, str], _Tally] = {}
        # Repeated passes, by suite, subject and place: the batch, and the place in it.
        self._repeated: dict[tuple[str, str, int], tuple[SessionBatch, int]] = {}

    def __next__(self) -> PlannedRun | SessionBatch:
        if self._alone:
            return self._alone.popleft()
        if self._batches:
            return self._batches.popleft()
        while not self._alone:
            planned = self._draw()
            tally = self._tally_of(planned)
            if tally is None and not self._options.partial:
                return planned
            if tally is None or tally.ended.stopped:
                self._leave([planned])
                continue
            batch = self._fill(planned, tally)
            # Even one case may be skipped, or repeated to show a difference in a requested sample.
            is_wanted = batch.kind is SessionKind.FORK or self._options.sample is not None
            is_wanted |= planned.target.subject.may_skip
            if len(batch.planned) > 1 or batch.planned and is_wanted:
                return batch
            self._leave(batch.planned)
        return self._alone.popleft()

    def ended(self, batch: SessionBatch, seen: Transcript) -> Iterator[Answer | CaseEvent]:
        """Yield the answers of a batch, to be passed to `judged` one by one, and events."""
        tally = batch.tally
        if batch.kind is SessionKind.FORK:
            batch.awaited = 1
            yield Answer(batch, 0, seen)
            return
        found = answers(batch.kind, batch.cases, seen)
        if len(tally.ended.noise) < len(found.noise):
            tally.ended = tally.ended._replace(noise=found.noise)
        trial = batch.trial
        if trial is not None:
            victim = batch.planned.index(trial.batch.planned[trial.victim])
            output = found.outputs[victim]
            if output is not None:
                yield Answer(batch, victim, share_of_session(seen, output, len(batch.cases)))
                return
            trial.search.note(passes=False)
            yield from self._next_trial(trial)
            return
        tally.count_session(hung=seen.limit in _TIMES, fault=found.void)
        if found.void:
            self._split(batch, found.answered)
            return
        tally.size = min(_LARGEST, 2 * tally.size)
        skipped = dict(found.skipped if batch.target.subject.may_skip else ())
        for at, reason in skipped.items():
            yield self._skipped(batch, at, reason)
        given = [(at, output) for at, output in enumerate(found.outputs) if output is not None]
        answered = {*skipped, *(at for at, _ in given)}
        self._leave([each for at, each in enumerate(batch.planned) if at not in answered])
        tally.settled += len(skipped)
        batch.awaited = len(given)
        for at, output in given:
            yield Answer(batch, at, share_of_session(seen, output, len(batch.cases)))

    def count_session(self, batch: SessionBatch) -> None:
        """Count the process that forks for this case and later ones."""
        batch.tally.count_session()

    def refuse(self, batch: SessionBatch, reason: str) -> None:
        """Run this case and all later ones of the target in fresh processes."""
        batch.tally.stop(reason)
        self._leave(batch.planned)

    def judged(self, answer: Answer, event: Judged) -> Iterator[CaseEvent]:
        """Take the judgement of an answer, and yield the events that are certain with it."""
        batch = answer.batch
        if batch.trial is not None:
            batch.trial.search.note(passes=event.verdict is Verdict.PASSED)
            yield from self._next_trial(batch.trial)
            return
        batch.awaited -= 1
        if event.verdict is Verdict.PASSED:
            event = event._replace(judged_in=batch.kind.value)
            batch.events.append(CaseEvent(answer.planned.at, event, is_last=True))
        else:
            self._leave([answer.planned])
        if not batch.awaited:
            yield from self._choose_sample(batch)

    def settled(self, case_event: CaseEvent) -> Iterable[CaseEvent]:
        """Yield the event of a fresh run, and what it says about the session of the same case."""
        return self._compared(case_event) if self._repeated else (case_event,)

    def _compared(self, case_event: CaseEvent) -> Iterator[CaseEvent]:
        event = case_event.event
        yield case_event
        if not isinstance(event, Judged):
            return
        batch, at = self._repeated.pop((event.suite, event.subject, case_event.at), (None, 0))
        if batch is None:
            return
        batch.unrepeated -= 1
        if event.verdict is Verdict.PASSED:
            batch.tally.count(repeated=1)
        elif event.verdict.concerns_subject and not is_unsettled(event):
            batch.tally.count(repeated=1, differing=1)
            yield from self._doubt(batch, at, event)
        if not batch.unrepeated and not batch.is_void:
            yield from self._release(batch)

    def summaries(self) -> Iterator[SessionsEnded]:
        """Yield how the sessions of each subject went, suite by suite."""
        for tally in self._tallies.values():
            yield tally.ended

    def _skipped(self, batch: SessionBatch, at: int, reason: str) -> CaseEvent:
        planned = batch.planned[at]
        origin = origin_of(planned, Delivery.PLAIN, self._request.options)
        event = judged(batch.cases[at], None, Judgement(Verdict.SKIPPED, reason), origin)
        event = event._replace(evidence=None, judged_in=batch.kind.value)
        return CaseEvent(planned.at, event, is_last=True)

    # Batches.

    def _draw(self) -> PlannedRun:
        return self._returned.popleft() if self._returned else next(self._runs)

    def _tally_of(self, planned: PlannedRun) -> _Tally | None:
        """Return the tally of the sessions that may run a case, or None if none may."""
        target, kind = planned.target, planned.target.subject.session
        if kind is None or self._options.mode is SessionMode.OFF:
            return None
        if self._request.repeat > 1 or self._request.check is not None:
            return None
        if kind is SessionKind.STREAM and not target.suite.settings.stateless:
            return None
        if target.key not in self._tallies:
            ended = SessionsEnded(target.subject.name, kind.value, seed=self._options.seed or 0)
            rate = self._options.sample_rate(target.subject.name)
            size = 1 if kind is SessionKind.FORK else _SMALLEST
            self._tallies[target.key] = _Tally(kind, ended, rate, size)
        tally = self._tallies[target.key]
        if not tally.ended.stopped and target.subject.name in self._doubts:
            tally.stop(_DIFFERED)
        return tally

    def _fill(self, planned: PlannedRun, tally: _Tally) -> SessionBatch:
        """Return a batch of the next cases that may share a session, of the same target."""
        batch = SessionBatch(tally)
        size = 0
        for left in reversed(range(tally.size)):
            case = self._shared_case(planned)
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
            try:
                after = self._draw()
            except StopIteration:
                break
            if after.target.key != planned.target.key:
                self._returned.appendleft(after)
                break
            planned = after
        return batch

    def _shared_case(self, planned: PlannedRun) -> Case | None:
        """Return a case that may share a session, or None."""
        if Delivery.PLAIN not in planned.deliveries or planned.earlier:
            return None
        try:
            case = read_planned_case(planned, self._request.wall_s, is_checked=False)
        except (MemoryError, OSError):  # reported when it runs alone
            return None
        if not isinstance(case, Case) or skipped_run(planned, case) is not None:
            return None
        if not (planned.target.subject.session is SessionKind.FORK or can_share_process(case)):
            return None
        return case if usable_deliveries(planned, case) == (Delivery.PLAIN,) else None

    def _leave(self, planned: Sequence[PlannedRun]) -> None:
        """Leave cases to fresh processes."""
        if self._options.partial:
            return
        self._alone.extend(planned)
        for each in planned:
            tally = self._tally_of(each)
            if tally is not None:
                tally.count(alone=1)

    def _split(self, batch: SessionBatch, answered: int) -> None:
        """Try parts of a batch that settled nothing, without the case that probably ended it."""
        batch.tally.size = max(2, batch.tally.size // 2)
        total = len(batch.planned)
        if batch.tally.ended.stopped or total <= 2:
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
        tally = batch.tally
        tally.settled += len(batch.events)
        tally.owed += tally.rate * len(batch.planned)
        chosen = min(ceil(round(tally.owed, 6)), len(batch.events))
        tally.owed -= chosen
        if not chosen:
            yield from self._release(batch)
            return
        ordered = sorted(batch.events, key=self._sample_rank)
        sample, batch.events = ordered[:chosen], ordered[chosen:]
        places = {planned.at: at for at, planned in enumerate(batch.planned)}
        batch.unrepeated = chosen
        for case_event in sample:
            at = places[case_event.at]
            self._repeated[(*batch.target.key, case_event.at)] = batch, at
            self._alone.append(batch.planned[at])

    def _sample_rank(self, case_event: CaseEvent) -> bytes:
        """Return the rank of a pass in the sample, which depends on the seed and its names only."""
        event = case_event.event
        assert isinstance(event, Judged)
        text = f"{self._options.seed}\n{event.subject}\n{event.suite}\n{event.case}"
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()

    # Disagreements.

    def _doubt(self, batch: SessionBatch, at: int, event: Judged) -> Iterator[CaseEvent]:
        """Void the batch of a pass that failed alone, end all sessions, and look for the cause."""
        self._void(batch)
        is_first = event.subject not in self._doubts
        self._doubts.add(event.subject)
        batch.tally.stop(_DIFFERED)
        others = [other for other in range(len(batch.planned)) if other != at]
        trial = _Trial(batch, at, PolluterSearch(others, thorough=is_first), event)
        yield from self._next_trial(trial)

    def _next_trial(self, trial: _Trial) -> Iterator[CaseEvent]:
        if trial.search.is_over:
            yield CaseEvent(trial.batch.planned[trial.victim].at, _finding(trial), is_last=False)
        else:
            self._batches.append(trial.next_batch())

    def _release(self, batch: SessionBatch) -> Iterator[CaseEvent]:
        """Yield the passes of a batch, unless its subject has been doubted in the meantime."""
        if batch.target.subject.name in self._doubts:
            self._void(batch)
            return
        batch.tally.count(passed=len(batch.events))
        yield from sorted(batch.events)

    def _void(self, batch: SessionBatch) -> None:
        if not batch.is_void:
            batch.is_void = True
            by_place = {planned.at: planned for planned in batch.planned}
            self._leave([by_place[each.at] for each in batch.events])


def _finding(trial: _Trial) -> Event:
    planned, event = trial.batch.planned[trial.victim], trial.event
    polluters = [trial.batch.planned[at] for at in sorted(trial.search.candidates)]
    found = polluters[0].name.text if len(polluters) == 1 else ""
    cause = f"with case {found}" if found else "of its own"
    if len(polluters) > 1:
        cause = f"with {len(polluters):,} other cases"
    names = [*polluters, planned] if len(polluters) <= _MOST_POLLUTERS else [planned]
    repeat = list(repeat_command(planned, Delivery.PLAIN))
    place = repeat.index("--case") + 1
    repeat[place] = ",".join(pattern_of(each.name) for each in names)
    return DependsOnOrder(
        f"{event.suite}/{event.case}",
        event.subject,
        found,
        f"it passes in a session {cause}, but in a fresh process its verdict is"
        f" {event.verdict.value}",
        (*repeat, "--session-sample", "all", "-j1"),
    )
