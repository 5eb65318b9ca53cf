"""Run programs of a fest on inputs: each run is judged by every output that some team expects.

Until the fest adds the teams that submitted a case, a result has the role of the program as suite,
and the number of the input as case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.engine.case_source import CaseSource, Program
from harness.engine.case_workload import CaseWorkload
from harness.engine.checking import ask_checker
from harness.engine.ipc import CaseEvent
from harness.engine.jobs import make_job, with_effective_limits
from harness.engine.judge_process import NO_MEMORY_JUDGEMENT, is_quick, judge_here
from harness.engine.plan import PlannedRun
from harness.engine.request import RunPolicy, Targets
from harness.engine.units import NO_MEMORY, Outcome, Source, Unit
from harness.engine.workload import Share
from harness.errors import Refused
from harness.fest.config import require_staff, role_of
from harness.fest.events import Role
from harness.model.case import Case
from harness.model.case_names import CaseName, input_name
from harness.model.events import Evidence, Origin, RunResult, excerpt, run_result
from harness.model.judgement import Judgement
from harness.model.sessions import SessionMode, SessionOptions
from harness.model.transcript import Job, NotStarted, Transcript
from harness.model.verdict import Verdict
from harness.process.sandbox import Sandbox
from harness.project.program_lookup import built_command
from harness.project.targets import Target
from harness.suites.shared_files import suite_variables
from harness.text import shorten

_WHEAT_BYTES: Final = 65_536  # of an answer of a wheat that are kept
_KEPT_BYTES: Final = 400  # of the output of another run, if it did not pass
_STDERR_BYTES: Final = 1_000  # of the standard error of a run, if it did not pass
SHOWN_BYTES: Final = 2_000  # of an input or expected output in the results
_MESSAGE: Final = 400  # characters


class FestInput(NamedTuple):
    """A distinct input, and a case for each distinct output that is expected, by its content."""

    digest: str
    cases: Mapping[str, Case]


def planned_run(target: Target, place: int) -> PlannedRun:
    """Return a run of a program on the input at a place."""
    return PlannedRun(target, CaseName("", place + 1), (Delivery.PLAIN,), place)


class FestWorkload(CaseWorkload):
    """Programs on inputs; a run has a result for each output that is expected."""

    remedy = "with --results, the same command runs what is missing"
    has_suites = False
    has_known_durations = False

    def __init__(
        self, inputs: Sequence[FestInput], targets: Sequence[Target], sandbox: Sandbox | None
    ) -> None:
        policy = RunPolicy(sandbox=sandbox, sessions=SessionOptions(SessionMode.OFF))
        super().__init__(policy, {target.key: target for target in targets})
        self._inputs = inputs
        self.paths = tuple(dict.fromkeys(chain(*(each.suite.shared_files for each in targets))))

    @property
    def reads_ahead(self) -> bool:
        return False

    def source(self, items: Iterator[PlannedRun], _share: Share) -> Source[CaseEvent]:
        targets = {target.key: target for target in self.targets}
        return _FestSource(items, self._policy, targets, self._inputs)

    def unrepeated(self, result: CaseEvent) -> CaseEvent:
        return result

    def shares_folder(self, result: CaseEvent) -> bool:
        return isinstance(result.event, RunResult) and result.event.shared_folder

    def place(self, targets: Sequence[Target], sandbox: Sandbox | None) -> None:
        super().place(targets, sandbox)
        require_staff(targets)


class _FestSource(CaseSource):
    def __init__(
        self,
        runs: Iterator[PlannedRun],
        policy: RunPolicy,
        targets: Targets,
        inputs: Sequence[FestInput],
    ) -> None:
        super().__init__(runs, policy, targets)
        self.inputs: Final = inputs
        self._commands = {
            key: Program(built_command(each.subject), suite_variables(each.suite.folder))
            for key, each in targets.items()
        }

    def program(self, target: Target) -> Program:
        return self._commands[target.key]

    def label(self, planned: PlannedRun, more: str = "") -> str:
        return f"{planned.target.suite.name} {planned.target.subject.name}{more}"

    def unit(self, planned: PlannedRun) -> Unit[CaseEvent]:
        return _FestUnit(self, planned)


class _FestUnit(Unit[CaseEvent]):
    """A program on an input, with all outputs that are expected."""

    def __init__(self, source: _FestSource, planned: PlannedRun) -> None:
        self._source = source
        self._planned = planned
        self._cases = source.inputs[planned.case_index].cases
        self._events: list[CaseEvent] = []

    def label(self, _number: int) -> str:
        return self._source.label(self._planned)

    def job(self, _number: int) -> Job | Transcript:
        subject = self._planned.target.subject
        command, variables = self._source.program(self._planned.target)
        if isinstance(command, Refused):
            return Transcript(NotStarted(command.reason))
        case = with_effective_limits(next(iter(self._cases.values())), subject)
        return make_job(command, case, Delivery.PLAIN, subject.context, variables)

    def ended(self, _number: int, transcript: Transcript) -> Outcome[CaseEvent]:
        """Judge a run, after the checker has been asked about each expected output."""
        suite = self._planned.target.suite
        outcomes = [
            ask_checker(self, suite, case, transcript, partial(self._judged, content, case))
            for content, case in self._cases.items()
        ]
        return Outcome(
            *(tuple(chain.from_iterable(parts)) for parts in zip(*outcomes, strict=True))
        )

    def _judged(self, content: str, case: Case, transcript: Transcript) -> Outcome[CaseEvent]:
        def results(judgement: Judgement) -> list[CaseEvent]:
            self._events.append(self._event(content, case, transcript, judgement))
            return self._events if self._events[-1].is_last else []

        if transcript is NO_MEMORY:
            return Outcome(results(NO_MEMORY_JUDGEMENT))
        if is_quick(case, transcript):
            return Outcome(results(judge_here(case, transcript)))
        planned = self._planned._replace(name=input_name(case.name))
        question = self._source.judging.question(planned, case, transcript, results)
        return Outcome(questions=(question,))

    def _event(
        self, content: str, case: Case, transcript: Transcript, judgement: Judgement
    ) -> CaseEvent:
        planned = self._planned
        suite, subject = planned.target.key
        origin = Origin(subject, Delivery.PLAIN.value, ())
        event = run_result(case, transcript, judgement, origin)._replace(
            suite=suite,
            case=planned.name.text,
            content=content,
            message=shorten(judgement.message, _MESSAGE),
            tags=(),
            info=None,  # texts about a case of another team
            evidence=self._evidence(case, transcript, judgement),
        )
        is_last = len(self._events) + 1 == len(self._cases)
        return CaseEvent(planned.case_index, event, is_last)

    def _evidence(
        self, case: Case, transcript: Transcript, judgement: Judgement
    ) -> Evidence | None:
        is_wheat = role_of(self._planned.target) is Role.WHEAT
        has_passed = judgement.verdict is Verdict.PASSED
        if has_passed and not is_wheat:
            return None
        kept = _WHEAT_BYTES if is_wheat else _KEPT_BYTES
        return Evidence(
            excerpt(case.stdin, len(case.stdin), SHOWN_BYTES),
            excerpt(case.expected_text, len(case.expected_text), SHOWN_BYTES),
            excerpt(transcript.stdout, transcript.stdout_bytes, kept),
            excerpt(transcript.stderr, transcript.stderr_bytes, 0 if has_passed else _STDERR_BYTES),
        )
