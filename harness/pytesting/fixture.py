"""The fixture `xtest`: runs one case or one input from a test, and tells what came of it.

What tests call is here; the run itself is runs/single.py's. Source: docs/pytest.md.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest

from harness.jsontext import Json, encode
from harness.judging.judge import output_values
from harness.pytesting.choosing import (
    Choice,
    Wish,
    built_choice,
    choice_of,
    repeat_words,
    subjects_without_suite,
    wish_of,
)
from harness.pytesting.words import case_text, in_python
from harness.records import MISSING, Case, Missing, Policy, Verdict
from harness.report.text import PLAIN, Look
from harness.runs.deliveries import Delivery, parse_deliveries
from harness.runs.dressing import distinct
from harness.runs.plan import PlannedRun, Target
from harness.runs.session import judgement_of
from harness.runs.single import Single, event_of, single
from harness.suites.corpus import Suite, read_case
from harness.suites.naming import CaseName, selects
from harness.suites.policy import SuiteSettings
from harness.usage import UsageFault
from harness.words import visible

__all__ = ["Difference", "Outcome", "Subject", "Text", "Xtest"]

# A command line or the name of a subject, as of --xtest-subject; or the words of a command.
Subject: TypeAlias = str | Sequence[str]
# A text as it is; or values, of which each is a line of JSON.
Text: TypeAlias = str | bytes | list[Any] | tuple[Any, ...]

_WIDTH = 160
_INPUT = "input"  # what an input of a test is called, as a case
_NO_SUITE = "xtest"  # ... and as a suite


class Difference(NamedTuple):
    """A place where what was printed differs, as a JSON Pointer into the array of all values. The
    values are Python's; MISSING: there is none."""

    pointer: str
    expected: Any
    actual: Any
    actual_pointer: str | None = None


class Outcome:
    """What came of a run: the verdict, a sentence on why, what was printed. It never changes."""

    __slots__ = ("_single", "text")

    def __init__(self, done: Single, text: str) -> None:
        self._single = done
        self.text = text

    def __repr__(self) -> str:
        return f"<{self.verdict.value}: {self.message}>"

    @property
    def verdict(self) -> Verdict:
        """The verdict, as docs/verdicts.md has them."""
        return self._single.judgement.verdict

    @property
    def passed(self) -> bool:
        """Whether the verdict is `passed`."""
        return self.verdict is Verdict.PASSED

    @property
    def message(self) -> str:
        """Why it got this verdict, in one sentence."""
        return in_python(visible(self._single.judgement.message))

    @property
    def differences(self) -> list[Difference]:
        """Each place where the values differ."""
        return [
            Difference(
                each.pointer, _plain(each.expected), _plain(each.actual), each.actual_pointer
            )
            for each in self._single.judgement.differences
        ]

    @property
    def values(self) -> list[Any]:
        """The values that were printed, as Python has them, up to where it is no JSON."""
        case = self._single.case
        policy = case.policy if isinstance(case, Case) else Policy()
        return [_plain(value) for value in output_values(self.stdout, policy.comparison).values]

    @property
    def stdout(self) -> bytes:
        """What was printed on standard output, up to the limit."""
        return self._single.transcript.stdout

    @property
    def stderr(self) -> bytes:
        """What was printed on standard error, up to 1 MiB."""
        return self._single.transcript.stderr

    @property
    def exit(self) -> int | None:
        """The exit status; None: it did not exit by itself."""
        return getattr(self._single.transcript.ending, "status", None)

    @property
    def wall_s(self) -> float:
        """How long it took, in seconds."""
        return self._single.transcript.wall_s


class Xtest:
    """Runs one case, or one input. Without `subject` that is what --xtest-subject (or the ini file)
    says, otherwise what an xtest.toml or the suite says. Raises UsageFault for what cannot be
    run; what the subject does wrong is a verdict."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def case(
        self,
        suite: str | os.PathLike[str],
        case: str | int,
        *,
        subject: Subject | None = None,
        delivery: str = "plain",
    ) -> Outcome:
        """Run a case of a suite: a folder, or the name of a bundled one."""
        # A fault of usage is that of the test's own line: pytest looks for this.
        __tracebackhide__ = True  # pylint: disable=unused-variable
        try:
            return self._case(suite, case, subject, delivery)
        except UsageFault as problem:
            raise UsageFault(in_python(str(problem))) from None

    def _case(
        self,
        suite: str | os.PathLike[str],
        case: str | int,
        subject: Subject | None,
        delivery: str,
    ) -> Outcome:
        target, choice = self._target(suite, subject)
        name, at = _found(target.suite, str(case))
        read = read_case(target.suite, name, at)
        way = _way(delivery)
        if isinstance(read, Case):
            _refuse_impossible(read, target.suite, way)
        planned = PlannedRun(target, name, (way,), at)
        return _outcome(planned, way, single(read, target.subject, way), choice)

    def input(
        self,
        stdin: Text,
        expected: Text | None = None,
        *,
        suite: str | os.PathLike[str] | None = None,
        subject: Subject | None = None,
    ) -> Outcome:
        """Run a subject on an input. Without `expected` any values are right. A `suite` lends its
        limits, its way of comparing, and its subject."""
        __tracebackhide__ = True  # pylint: disable=unused-variable  # as above
        try:
            return self._input(stdin, expected, suite, subject)
        except UsageFault as problem:
            raise UsageFault(in_python(str(problem))) from None

    def _input(
        self,
        stdin: Text,
        expected: Text | None,
        suite: str | os.PathLike[str] | None,
        subject: Subject | None,
    ) -> Outcome:
        target = self._target_of_input(suite, subject)
        name = CaseName(_INPUT, 0)
        policy, kind, _ = target.suite.settings.policy_for(name)
        wanted = b"" if expected is None else _bytes(expected)
        values, given = _expected(wanted, policy), _bytes(stdin)
        case = Case(target.suite.name, _INPUT, given, wanted, values, kind, (), policy)
        done = single(case, target.subject, Delivery.PLAIN)
        if expected is None:
            done = _judged_by_itself(done)
        return _outcome(PlannedRun(target, name, (Delivery.PLAIN,), 0), Delivery.PLAIN, done, None)

    def _target_of_input(
        self, suite: str | os.PathLike[str] | None, subject: Subject | None
    ) -> Target:
        if suite is not None:
            return self._target(suite, subject)[0]
        nothing = Suite(_NO_SUITE, Path.cwd(), SuiteSettings(), {})
        wish = self._wish((), subject)
        if not wish.subjects:
            raise UsageFault("xtest.input: say which program to run: subject= or suite=")
        return self._only(subjects_without_suite(wish, nothing))[0]

    def _wish(self, suites: tuple[str, ...], subject: Subject | None) -> Wish:
        if subject is None:
            return wish_of(self._config)._replace(suites=suites)
        words = subject if isinstance(subject, str) else tuple(subject)
        return Wish(suites, (words,))

    def _target(
        self, suite: str | os.PathLike[str], subject: Subject | None
    ) -> tuple[Target, Choice]:
        return self._only(choice_of(self._wish((os.fspath(suite),), subject)))

    def _only(self, choice: Choice) -> tuple[Target, Choice]:
        """The one target of a choice, which is built. Raises UsageFault where there are several."""
        if not choice.targets:
            raise UsageFault("; ".join(problem.message for problem in choice.problems))
        if len({target.suite.name for target in choice.targets}) > 1:
            names = ", ".join(dict.fromkeys(target.suite.name for target in choice.targets))
            raise UsageFault(f"xtest: several suites are meant: {visible(names)}")
        if len(choice.targets) > 1:
            names = ", ".join(target.subject.name for target in choice.targets)
            raise UsageFault(f"xtest: say which subject to run, by subject=: {visible(names)}")
        choice = built_choice(choice, self._config)
        return choice.targets[0], choice


def _found(suite: Suite, wanted: str) -> tuple[CaseName, int]:
    names = enumerate(suite.names)
    found = [(name, at) for at, name in names if name.text == wanted]
    found = found or [(name, at) for at, name in enumerate(suite.names) if selects(wanted, name)]
    if len(found) != 1:
        what = "no case" if not found else f"{len(found)} cases"
        raise UsageFault(f"{visible(suite.name)}: {visible(wanted)} means {what} of this suite")
    return found[0]


def _way(delivery: str) -> Delivery:
    try:
        ways = parse_deliveries(delivery)
    except ValueError as problem:
        raise UsageFault(str(problem)) from None
    if len(ways) != 1:
        raise UsageFault(f"xtest: one delivery at a time, not {visible(delivery)}")
    return ways[0]


def _refuse_impossible(case: Case, suite: Suite, way: Delivery) -> None:
    conversation = suite.settings.conversation
    if not distinct((way,), case.stdin, case.kind, conversation=conversation):
        raise UsageFault(f"{case.suite}/{case.name}: cannot be fed {way.value}")


def _bytes(text: Text) -> bytes:
    if isinstance(text, bytes):
        return text
    if isinstance(text, str):
        return text.encode()
    return "".join(f"{json.dumps(value, allow_nan=False)}\n" for value in text).encode()


def _expected(text: bytes, policy: Policy) -> list[Json]:
    values, fault = output_values(text, policy.comparison)
    if fault is not None:
        raise UsageFault(f"xtest.input: expected: byte {fault.offset}: {fault.reason}")
    return values


def _judged_by_itself(done: Single) -> Single:
    """The same, judged as if what was printed were expected, as far as it is JSON."""
    assert isinstance(done.case, Case)
    text = done.transcript.stdout
    values, fault = output_values(text, done.case.policy.comparison)
    # What is printed just as it is expected is not even parsed.
    printed = done.case._replace(expected_text=b"" if fault else text, expected=values)
    return Single(printed, done.transcript, judgement_of(printed, done.transcript))


def _outcome(
    planned: PlannedRun, delivery: Delivery, done: Single, choice: Choice | None
) -> Outcome:
    words = () if choice is None else repeat_words(planned, delivery, choice.project)
    event = event_of(planned, delivery, done)
    event = event._replace(repeat=words, message=in_python(event.message))
    return Outcome(done, "\n".join(case_text(event, PLAIN, _WIDTH, Look(None))))


def _plain(value: Json | Missing) -> Any:
    return MISSING if value is MISSING else json.loads(encode(value))
