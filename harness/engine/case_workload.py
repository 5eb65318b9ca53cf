"""Declare the planned cases of a run as a workload; a result is an event."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, Final

from harness.delivery.registry import Delivery
from harness.engine.case_source import TIMEOUTS, CaseSource, TimeoutStreaks
from harness.engine.ipc import CaseEvent, pack_events, unpack_events
from harness.engine.jobs import event_without_run, with_present_names
from harness.engine.plan import PlannedRun
from harness.engine.request import RunPolicy, Targets, schema_check
from harness.engine.retries import is_disturbed, is_unsettled
from harness.engine.sessions.batches import DistrustedSubjects
from harness.engine.sessions.source import SessionSource
from harness.engine.units import Source
from harness.engine.workload import (
    PlannedWorkload,
    ResultFacts,
    ResultKind,
    Share,
    Timeout,
    WorkOptions,
)
from harness.model.event_lines import event_line, parse_event
from harness.model.events import DeliveriesDiffer, DependsOnOrder, RunResult
from harness.model.judgement import Judgement
from harness.model.sessions import SessionMode
from harness.model.verdict import Verdict
from harness.process.sandbox import Sandbox
from harness.project.targets import Target

_LAST: Final = -1.0  # the share of what was given up, which waits for repeated timeouts


class CaseWorkload(PlannedWorkload[CaseEvent]):
    """Planned cases, run as a policy says."""

    remedy = "--resume runs the cases that are missing"
    has_known_durations = True

    def __init__(self, policy: RunPolicy, targets: Targets) -> None:
        super().__init__(list(targets.values()), policy.sandbox)
        self._policy = policy
        self._has_check = policy.check is not None
        self._distrusted: DistrustedSubjects | None = None
        self._streaks: TimeoutStreaks | None = None
        self._doubted = set[tuple[str, str]]()  # targets with timeouts that others may explain
        self.keeps_files = policy.keeps_files

    def __getstate__(self) -> dict[str, Any]:
        # Each machine makes its own check and its own sandbox.
        policy = self._policy._replace(check=None)
        return self.__dict__ | {"_policy": policy, "sandbox": None, "_streaks": None}

    @property
    def reads_ahead(self) -> bool:
        # After the last failure that is allowed, no run may start, and the outcome of a session
        # decides what is run next.
        return self._policy.max_failures is None and self._distrusted is None

    def prepare(self, _items: Iterable[PlannedRun], options: WorkOptions) -> None:
        self._distrusted = self._streaks = None
        if self._policy.gives_up and not options.is_alone:
            self._streaks = TimeoutStreaks(self.targets)
        if self._uses_sessions and not options.is_alone:
            self._distrusted = DistrustedSubjects(each.subject.name for each in self.targets)

    @property
    def _uses_sessions(self) -> bool:
        """True if some runs may share a process with others."""
        policy = self._policy
        return (
            policy.sessions.mode is not SessionMode.OFF
            and policy.repeat == 1
            and policy.check is None
            and any(target.subject.session is not None for target in self.targets)
        )

    def source(self, items: Iterator[PlannedRun], share: Share) -> Source[CaseEvent]:
        targets = {target.key: target for target in self.targets}
        in_hand = share.in_hand if self.reads_ahead else None
        cases = CaseSource(items, self._policy, targets, in_hand, self._streaks)
        if self._distrusted is None:
            return cases
        return SessionSource(cases, self._distrusted, share.workspaces)

    def sent(
        self, results: Generator[list[CaseEvent], None, None]
    ) -> Generator[list[CaseEvent], None, None]:
        """Yield events up to the last failure that is allowed: after it, no run may start."""
        failures, policy = 0, self._policy
        with closing(results):
            if policy.max_failures is None:
                yield from results
            for case_events in results:
                for number, (_, event, _) in enumerate(case_events, 1):
                    if isinstance(event, RunResult) and event.failed:
                        failures += not (policy.retry_timeouts and is_unsettled(event))
                    if failures == policy.max_failures:
                        yield case_events[:number]
                        return
                yield case_events

    def pack(self, results: Sequence[CaseEvent]) -> Iterable[bytes]:
        return pack_events(results)

    def unpack(self, message: bytes) -> Sequence[CaseEvent]:
        return unpack_events(message)

    def facts(self, result: CaseEvent) -> ResultFacts:
        _, event, is_last = result
        if isinstance(event, RunResult):
            key = event.subject, f"{event.suite}/{event.case}"
            if event.verdict is Verdict.PASSED:
                return ResultFacts(key, is_last=is_last)
            timeout = None
            target = event.suite, event.subject
            if is_unsettled(event):
                cpu_share = event.cpu_s / (event.wall_s or 1)
                timeout = Timeout(event.subject, cpu_share, is_late=not is_disturbed(event))
                self._doubted.add(target)
            elif event.verdict is Verdict.NOT_RUN and target in self._doubted:
                timeout = Timeout(event.subject, _LAST)
            timed_out = event.verdict in TIMEOUTS
            return ResultFacts(key, is_last=is_last, timeout=timeout, timed_out=timed_out)
        if isinstance(event, DeliveriesDiffer):
            return ResultFacts((event.subject, event.where), ResultKind.OF_RUNS, is_last=False)
        if isinstance(event, DependsOnOrder):
            return ResultFacts((event.subject, event.where), ResultKind.REMARK, is_last=False)
        return ResultFacts(None, ResultKind.REMARK, is_last=False)

    def again(self, item: PlannedRun, settled: Sequence[CaseEvent]) -> PlannedRun:
        runs = [each.event for each in settled if isinstance(each.event, RunResult)]
        verdicts = ((Delivery(each.delivery), each.verdict) for each in runs)
        return item._replace(earlier=(*item.earlier, *verdicts))

    def with_last(self, result: CaseEvent, is_last: bool) -> CaseEvent:
        return result._replace(is_last=is_last)

    def repeated(self, result: CaseEvent) -> CaseEvent:
        event = result.event
        if isinstance(event, RunResult):
            event = event._replace(retried=True)
        return result._replace(event=event)

    def unrepeated(self, result: CaseEvent) -> CaseEvent:
        """Return a run without a digest, so that --resume runs it again."""
        event = result.event
        if isinstance(event, RunResult):
            event = event._replace(content="")
        return result._replace(event=event)

    def place(self, targets: Sequence[Target], sandbox: Sandbox | None) -> None:
        super().place(targets, sandbox)
        check = schema_check([each.suite for each in targets]) if self._has_check else None
        self._policy = self._policy._replace(sandbox=sandbox, check=check)

    def write_result(self, result: CaseEvent) -> str:
        return f"{int(result.is_last)} {event_line(result.event).rstrip()}"

    def read_result(self, item: PlannedRun | None, line: str) -> CaseEvent:
        is_last, text = line.split(" ", 1)
        event = parse_event(text)
        if isinstance(event, RunResult):
            if item is None:
                raise ValueError("a case that was not asked for")
            event = with_present_names(item, event, self._policy.repeat_args)
        index = -1 if item is None else item.case_index
        return CaseEvent(index, event, is_last == "1")

    def fault(self, item: PlannedRun, message: str) -> CaseEvent:
        judgement = Judgement(Verdict.HARNESS_FAULT, message)
        event = event_without_run(item, judgement, self._policy.repeat_args)
        return CaseEvent(item.case_index, event, is_last=True)
