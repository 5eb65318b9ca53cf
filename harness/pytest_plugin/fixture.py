"""The fixture `xtest`: run one case, or one input, from a test, and return its outcome."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import pytest

from harness.delivery.registry import Delivery, parse_deliveries
from harness.engine.jobs import usable_deliveries
from harness.engine.judge_process import judge_here
from harness.engine.plan import PlannedRun
from harness.engine.single_run import SingleRun, event_of
from harness.errors import UsageError
from harness.jsonio.decoder import Json, encode
from harness.judging.judge import output_values
from harness.model.case import Case, Policy
from harness.model.case_names import CaseName, selects
from harness.model.comparison import Comparison
from harness.model.judgement import MISSING, Judgement, ShownDifference
from harness.model.transcript import Transcript
from harness.model.verdict import Verdict
from harness.options.targets import FoundTargets
from harness.project.subjects import Project
from harness.project.targets import Target
from harness.pytest_plugin.selection import (
    PluginOptions,
    build_selection,
    case_runs,
    read_options,
    repeat_words,
    select_subjects,
    select_targets,
)
from harness.pytest_plugin.text import case_text
from harness.reports.text.display import Display
from harness.suites.cases import read_case
from harness.suites.loading import Suite
from harness.suites.settings import SuiteSettings
from harness.text import escape_nonprintable

# A command line or the name of a subject, as --xtest-subject takes it; or the words of a command.
Program: TypeAlias = str | Sequence[str]
# Text, taken as it is; or values, each written as a line of JSON.
StreamText: TypeAlias = str | bytes | list[Any] | tuple[Any, ...]

_WIDTH: Final = 160  # columns of CaseOutcome.text
_INPUT: Final = CaseName("input", 0)
_INPUT_SUITE: Final = "xtest"
# Hints for the command line at the end of messages (a clause with `--`, an option), and what to
# tell the caller of the fixture instead.
_ADVICE: Final = (
    (r"; [^;]*(?<=\s)--(?![\w-])[^;]*$", "; pass a program as subject=[PROGRAM, ARGUMENT, ...]"),
    (r"(?=--xtest-subject COMMAND$)", "subject= or "),
)


class OutputDifference(NamedTuple):
    """A place where the output differs from the expected one.

    `pointer` is a JSON Pointer into the array of all expected values. `actual_pointer` is the one
    into the array of printed values if it differs, otherwise None. A missing value is MISSING.
    """

    pointer: str
    expected: Any
    actual: Any
    actual_pointer: str | None = None


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CaseOutcome:
    """The outcome of a run."""

    verdict: Verdict  # docs/verdicts.md
    message: str  # the reason for the verdict, in one sentence
    text: str  # the report that `xtest run` prints
    stdout: bytes  # up to the suite's limit
    stderr: bytes  # up to 1 MiB
    exit: int | None  # the exit status, or None if the subject was killed or not started
    wall_s: float  # the duration in seconds
    _differences: tuple[ShownDifference, ...]
    _comparison: Comparison

    def __repr__(self) -> str:
        return f"<{self.verdict.value}: {self.message}>"

    @property
    def passed(self) -> bool:
        """True if the verdict is `passed`."""
        return self.verdict is Verdict.PASSED

    @property
    def differences(self) -> list[OutputDifference]:
        """The places where the output differs from the expected one."""
        return [
            OutputDifference(
                one.pointer,
                _parse_shown(one.expected),
                _parse_shown(one.actual),
                one.actual_pointer,
            )
            for one in self._differences
        ]

    @property
    def values(self) -> list[Any]:
        """The printed values, as Python's json module decodes them, up to the first invalid one.

        Raises ValueError or RecursionError for a number or nesting that the module refuses.
        """
        values = output_values(self.stdout, self._comparison).values
        return [json.loads(encode(value)) for value in values]


class Xtest:
    """The fixture.

    `subject` defaults to --xtest-subject or its ini option, otherwise to what xtest.toml or the
    suite declares. Both methods raise UsageError if the run is not possible; a subject that cannot
    be started is a verdict.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def case(
        self,
        suite: str | os.PathLike[str],
        case: str | int,
        *,
        subject: Program | None = None,
        delivery: str = "plain",
    ) -> CaseOutcome:
        """Run a case, by number or name, of a suite: a folder, or the name of a bundled one."""
        # pytest then shows a UsageError at the line of the test.
        __tracebackhide__ = True  # pylint: disable=unused-variable  # pytest looks for it
        try:
            target, project = self._target_of_suite(suite, subject)
            name, index = _find_case(target.suite, str(case))
            parsed = _parse_delivery(delivery)
            planned = PlannedRun(target, name, (parsed,), index)
            read = read_case(target.suite, name, index)
            if isinstance(read, Case) and not usable_deliveries(planned, read):
                raise UsageError(
                    f"{read.suite}/{read.name}: the delivery {parsed.value} does not apply to this"
                    " case"
                )
        except UsageError as problem:
            raise UsageError(_advise_caller(str(problem))) from None
        run = case_runs(self._config).run(planned, read, parsed)
        return _outcome_of(planned, parsed, run, repeat_words(planned, parsed, project))

    def input(
        self,
        stdin: StreamText,
        expected: StreamText | None = None,
        *,
        suite: str | os.PathLike[str] | None = None,
        subject: Program | None = None,
    ) -> CaseOutcome:
        """Run a subject on an input.

        Without `expected`, any values pass. `suite` supplies limits, equality rules and a subject.
        """
        __tracebackhide__ = True  # pylint: disable=unused-variable  # as above
        texts = (_to_bytes(stdin), b"" if expected is None else _to_bytes(expected))
        try:
            target = self._target_of_input(suite, subject)
            policy, kind = target.suite.settings.policy_for(_INPUT)
            if expected is None:
                policy = policy._replace(checker=())
            case = Case(target.suite.name, _INPUT.text, *texts, [], kind, policy=policy)
            case = case._replace(expected=_parse_expected(texts[1], policy))
        except UsageError as problem:
            raise UsageError(_advise_caller(str(problem))) from None
        judge = _judge_any_values if expected is None else judge_here
        planned = PlannedRun(target, _INPUT, (Delivery.PLAIN,), 0)
        run = case_runs(self._config).run(planned, case, Delivery.PLAIN, judge)
        return _outcome_of(planned, Delivery.PLAIN, run, ())

    def _target_of_suite(
        self, suite: str | os.PathLike[str], subject: Program | None
    ) -> tuple[Target, Project | None]:
        selection = self._build_single(select_targets(self._options(subject, os.fspath(suite))))
        return selection.targets[0], selection.project

    def _target_of_input(
        self, suite: str | os.PathLike[str] | None, subject: Program | None
    ) -> Target:
        if suite is not None:
            return self._target_of_suite(suite, subject)[0]
        options = self._options(subject)
        if not options.subjects:
            raise UsageError("xtest.input: no subject; pass subject= or suite=")
        no_cases = Suite(_INPUT_SUITE, Path.cwd(), SuiteSettings(), {})
        return self._build_single(select_subjects(options, no_cases)).targets[0]

    def _options(self, subject: Program | None, *suites: str) -> PluginOptions:
        if subject is None:
            return read_options(self._config)._replace(suites=suites)
        return PluginOptions(suites, (subject if isinstance(subject, str) else tuple(subject),))

    def _build_single(self, selection: FoundTargets) -> FoundTargets:
        """Build the one target of a selection. Raises UsageError unless there is exactly one."""
        if not selection.targets:
            raise UsageError("; ".join(problem.message for problem in selection.problems))
        suites = dict.fromkeys(target.suite.name for target in selection.targets)
        if len(suites) > 1:
            names = escape_nonprintable(", ".join(suites))
            raise UsageError(f"xtest: several suites match: {names}; name one of them")
        if len(selection.targets) > 1:
            subjects = ", ".join(target.subject.name for target in selection.targets)
            raise UsageError(
                f"xtest: several subjects match: {escape_nonprintable(subjects)};"
                " choose one with subject="
            )
        return build_selection(selection, self._config)


def _advise_caller(message: str) -> str:
    """Return a message with advice for the caller of the fixture, not for the command line."""
    for pattern, replacement in _ADVICE:
        message = re.sub(pattern, replacement, message)
    return message


def _find_case(suite: Suite, wanted: str) -> tuple[CaseName, int]:
    """Return the name and index of the one case that matches a name, number or glob."""
    cases = [(name, index) for index, name in enumerate(suite.names)]
    matching = [case for case in cases if case[0].text == wanted]
    matching = matching or [case for case in cases if selects(wanted, case[0])]
    if len(matching) == 1:
        return matching[0]
    matches = f"matches {len(matching)} cases; name one of them" if matching else "matches no case"
    raise UsageError(f"{escape_nonprintable(suite.name)}: {escape_nonprintable(wanted)} {matches}")


def _parse_delivery(name: str) -> Delivery:
    try:
        deliveries = parse_deliveries(name)
    except ValueError as problem:
        raise UsageError(str(problem)) from None
    if len(deliveries) != 1:
        raise UsageError(
            f"xtest.case: delivery must be one delivery, not {escape_nonprintable(name)}"
        )
    return deliveries[0]


def _to_bytes(text: StreamText) -> bytes:
    if isinstance(text, bytes):
        return text
    if isinstance(text, Mapping):
        raise UsageError("xtest.input: a dictionary is one value; pass a list of values")
    try:
        if isinstance(text, str):
            return text.encode()
        return "".join(f"{json.dumps(value, allow_nan=False)}\n" for value in text).encode()
    except (TypeError, ValueError, RecursionError) as problem:
        raise UsageError(f"xtest.input: {problem}") from None


def _parse_expected(text: bytes, policy: Policy) -> list[Json]:
    values, fault = output_values(text, policy.comparison)
    if fault is not None:
        raise UsageError(f"xtest.input: expected: byte {fault.offset}: {fault.reason}")
    return values


def _judge_any_values(case: Case, transcript: Transcript) -> Judgement:
    """Judge a run with its own output as the expected one, up to the first invalid value."""
    text = transcript.stdout
    values, fault = output_values(text, case.policy.comparison)
    # The judge does not parse output that equals the expected text, even if that is not JSON.
    expected_text = b"" if fault else text
    return judge_here(case._replace(expected_text=expected_text, expected=values), transcript)


def _outcome_of(
    planned: PlannedRun, delivery: Delivery, run: SingleRun, repeat: tuple[str, ...]
) -> CaseOutcome:
    verdict, message, differences, *_ = run.judgement
    if verdict is Verdict.NOT_STARTED:
        message = _advise_caller(message)
    event = event_of(planned, delivery, run)._replace(repeat=repeat, message=message)
    lines = case_text(event, Display(width=_WIDTH, most_lines=None))
    return CaseOutcome(
        verdict,
        escape_nonprintable(message),
        "\n".join(lines),
        run.transcript.stdout,
        run.transcript.stderr,
        getattr(run.transcript.ending, "status", None),
        run.transcript.wall_s,
        differences,
        run.case.policy.comparison if isinstance(run.case, Case) else Comparison(),
    )


def _parse_shown(text: str | None) -> Any:
    """Return a value of a difference, or the beginning of its text if that is cut."""
    if text is None:
        return MISSING
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
