"""Follow a dialogue step by step: which message each step took, and the first wrong one. Pure.

judging/dialogue.py judges the whole. Source: docs/dialogues.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Final, NamedTuple

from harness.dialogue.framing import decode_message
from harness.dialogue.templates import capture, filled_values, matches
from harness.jsonio.decoder import Json, JsonError, Number, encode
from harness.judging.array_diff import aligned_differences
from harness.judging.dialogue_hints import is_refusal, message_hint, notification_note
from harness.judging.equality import are_equal
from harness.judging.examples import first_difference_text, with_rules
from harness.judging.explanation import excerpt_at, fault_text, format_value
from harness.judging.partners import Unpaired, pair_all
from harness.model.case import Case, Policy
from harness.model.comparison import Comparison, PlaceRule
from harness.model.dialogue import Action, EntryKind, Framing, Script, Step, TalkEntry, TalkRecord
from harness.model.judgement import MISSING, Difference, Missing
from harness.model.transcript import Transcript
from harness.model.verdict import Verdict
from harness.text import format_number

_MOST_DIFFERENCES: Final = 10_000
_MOST_SWAPPED: Final = 20  # steps in which a message of another order is looked for
_EXTRA: Final = PlaceRule(("/**",), extra=True)


class Failure(NamedTuple):
    """Where and why a dialogue failed: the index of an entry, or None for the end of the record."""

    verdict: Verdict
    message: str
    entry: int | None = None
    expected: Json | Missing = MISSING
    actual: Json | Missing = MISSING
    differences: tuple[Difference, ...] = ()


class DialogueWalk:
    """The steps of a script beside the entries of its record, with what was captured."""

    def __init__(
        self, transcript: Transcript, script: Script, record: TalkRecord, policy: Policy
    ) -> None:
        self.transcript: Final = transcript
        self.script: Final = script
        self.record: Final = record
        self._comparison = policy.comparison
        self.captured: Final[dict[str, Json]] = {}
        self._answered: set[str] = set()  # ids
        self._filled: dict[int, list[Json]] = {}

    @property
    def step(self) -> Step | None:
        """The step in progress at the end, or None if all are over."""
        steps = self.script.steps
        return steps[self.record.step] if self.record.step < len(steps) else None

    @property
    def where(self) -> str:
        return _step_name(self.step.label) if self.step is not None else "after the last step"

    def expected(self, number: int) -> list[Json]:
        """Return the messages that a step expects, with what was captured before it."""
        if number not in self._filled:
            self._filled[number] = filled_values(self.script.steps[number], self.captured)
        return self._filled[number]

    def wrong_message(self) -> Failure | None:
        """Return the first message that is not as expected, or None."""
        for number, group in self.complete_steps():
            if isinstance(group, Failure):
                return group
            failure = self._compare(number, group)
            if failure is not None:
                return failure
        return None

    def complete_steps(self) -> Iterator[tuple[int, list[tuple[int, Json]] | Failure]]:
        """Yield the number of each step that has its messages, with them.

        The last one may instead be a message that cannot be read, or that no step expects.
        """
        group: list[tuple[int, Json]] = []
        for at, entry in enumerate(self.record.entries):
            if entry.kind is not EntryKind.RECEIVED:
                continue
            value, failure = self._value(at, entry)
            if failure is None and entry.step is None:
                failure = self._unexpected(at, value)
            if failure is not None or entry.step is None:
                if failure is not None:
                    yield self.record.step, failure
                return
            group.append((at, value))
            step = self.script.steps[entry.step]
            if len(group) == step.messages:
                yield entry.step, group
                group = []
            for one in step.captures:
                self.captured[one.name] = (capture(value, one) or (None,))[0]

    def _value(self, at: int, entry: TalkEntry) -> tuple[Json, Failure | None]:
        text = self.transcript.stdout[entry.begin : entry.end]
        if entry.step is not None and text == self.script.steps[entry.step].text:
            return self.script.steps[entry.step].values[0], None
        values, fault = decode_message(text, self._comparison.allow)
        if fault is None and len(values) == 1:
            return values[0], None
        fault = fault or JsonError(0, "one value expected")
        shifted = fault._replace(offset=entry.begin + fault.offset)
        return None, Failure(Verdict.MALFORMED, fault_message(self, shifted, entry.step), at)

    def _unexpected(self, at: int, value: Json) -> Failure:
        shown = f"{self.where}: a message that no step expects"
        where = self.where
        if self.step is not None and self.step.action is Action.QUIET:
            shown = f"{where}: a message came within {seconds_text(self.step.within_s)} s of quiet"
        elif self.step is not None:
            shown = f"{where}: a message came when the program was expected to end"
        hint = ""
        if isinstance(value, dict) and is_refusal(value):
            hint = f"; it refuses a message without its id: {format_value(value['error'])}"
            hint += notification_note(self.notification_before(self.record.step))
        elif isinstance(value, dict) and "method" not in value and "id" in value:
            text = encode(value["id"])
            hint = f"; it answers request {text}{' again' if text in self._answered else ''}"
            if value["id"] is None:
                hint += notification_note(self.notification_before(self.record.step))
        elif isinstance(value, dict) and "method" in value:
            hint = "; expect it, or list it in ignore of [talk]"
        return Failure(
            Verdict.TOO_MANY, f"{shown}{hint}{self._no_request_note(value)}", at, actual=value
        )

    def _no_request_note(self, value: Json) -> str:
        """Return a remark on a message that would be answered if it had an id, or ""."""
        answers = self.script.rules.answers
        if not isinstance(value, dict) or "id" in value:
            return ""
        is_like_one = any(matches(one.when, value) for one in answers)
        return "; [[talk.answer]] answers only requests, which have an id" if is_like_one else ""

    def _compare(self, number: int, group: list[tuple[int, Json]]) -> Failure | None:
        step, wanted = self.script.steps[number], self.expected(number)
        comparison = step_comparison(step, self._comparison)
        at, actual = group[0]
        expected = wanted[0]
        if len(wanted) > 1:
            left = unpaired(wanted, [value for _, value in group], comparison)
            if not left.expected:
                self._note_answers(group)
                return None
            at, actual = group[left.actual[0]]
            expected = wanted[nearest(left.expected, wanted, actual)]
        elif are_equal([expected], [actual], comparison):
            self._note_answers(group)
            return None
        streams = [expected], [actual]
        aligned = aligned_differences(*streams, comparison)
        differences = with_rules(*streams, comparison, tuple(islice(aligned, _MOST_DIFFERENCES)))
        text = self._explanation(number, expected, actual, differences)
        if len(wanted) == 1 and self._is_swapped(number, at, expected, actual):
            text += "; the expected message came later: expect_all takes messages in any order"
        message = f"{_step_name(step.label)}: {text}{self._no_request_note(actual)}"
        return Failure(Verdict.DIFFERS, message, at, expected, actual, differences)

    def _explanation(
        self, number: int, expected: Json, actual: Json, differences: Sequence[Difference]
    ) -> str:
        """Return the first difference, a hint that says more, or both."""
        plain = () if differences[0].rule is not None else differences
        notification = self.notification_before(number)
        hint = message_hint(expected, actual, plain, self._answered, notification)
        if hint and not hint.startswith("answered with"):
            return hint
        first = first_difference_text(differences, alone=True)
        return f"{first}; {hint}" if hint else first

    def _is_swapped(self, number: int, at: int, expected: Json, actual: Json) -> bool:
        """Return whether steps that follow at once took and expect these messages."""
        later = self.script.steps[number + 1 : number + 1 + _MOST_SWAPPED]
        steps = list(takewhile(lambda step: step.action is Action.EXPECT, later))
        entries = self.record.entries[at + 1 : at + 1 + 2 * _MOST_SWAPPED]
        if not any(self._equals(step, step.values[0], actual) for step in steps):
            return False
        came = (
            decode_message(self.transcript.stdout[one.begin : one.end], self._comparison.allow)
            for one in entries
            if one.kind is EntryKind.RECEIVED
        )
        own = self.script.steps[number]
        return any(self._equals(own, expected, value) for one in came for value in one.values)

    def _equals(self, step: Step, expected: Json, actual: Json) -> bool:
        return are_equal([expected], [actual], step_comparison(step, self._comparison))

    def notification_before(self, number: int) -> str:
        """Return the method of the last notification that was sent after the message before a step.

        It is "" if there was none.
        """
        for step in reversed(self.script.steps[:number]):
            if step.messages:
                break
            value = step.values[0] if step.action is Action.SEND else None
            if isinstance(value, dict) and "id" not in value:
                method = value.get("method")
                if isinstance(method, str):
                    return method
        return ""

    def _note_answers(self, group: Sequence[tuple[int, Json]]) -> None:
        for _, value in group:
            if isinstance(value, dict) and "id" in value and "method" not in value:
                self._answered.add(encode(value["id"]))


class TakenStep(NamedTuple):
    """A step with the messages that it took; `expected` are its own with captured values."""

    step: Step
    expected: list[Json]
    messages: list[Json]
    captured: Mapping[str, Json]


def taken_steps(transcript: Transcript, case: Case) -> Iterator[TakenStep]:
    """Yield the steps of a dialogue that have their messages, right or wrong."""
    script, record = case.script, transcript.talk
    assert script is not None and record is not None
    walk = DialogueWalk(transcript, script, record, case.policy)
    for number, group in walk.complete_steps():
        if not isinstance(group, Failure):
            messages = [value for _, value in group]
            yield TakenStep(
                script.steps[number], walk.expected(number), messages, dict(walk.captured)
            )


def step_comparison(step: Step, comparison: Comparison) -> Comparison:
    """Return the equality rules for the messages of a step.

    A string or a number that it captures is an example, for which any other one may stand.
    """
    added = [_EXTRA] if step.extra else []
    for one in step.captures:
        example = capture(step.values[0], one)
        if example is not None and isinstance(example[0], (str, Number)):
            added.append(PlaceRule((f"/0{one.pointer}",), ignore=True))
    return comparison._replace(at=(*comparison.at, *added)) if added else comparison


def unpaired(expected: Sequence[Json], actual: Sequence[Json], comparison: Comparison) -> Unpaired:
    """Return the messages without a partner, of as many that are expected in any order."""
    both = range(len(expected))
    return pair_all(both, both, {}, lambda i, j: are_equal([expected[i]], [actual[j]], comparison))


def _step_name(label: str) -> str:
    """Return a step for people: "step 3", or "step 1 of start"."""
    part, _, number = label.rpartition(" ")
    return f"step {number} of {part}" if part else f"step {number}"


def nearest(numbers: Sequence[int], expected: Sequence[Json], actual: Json) -> int:
    """Return the number of the expected message with the id or method of another, or the first."""
    for key in ("id", "method"):
        for number in numbers:
            one = expected[number]
            if isinstance(one, dict) and isinstance(actual, dict) and key in one and key in actual:
                if encode(one[key]) == encode(actual[key]):
                    return number
    return numbers[0]


def seconds_text(value: float | None) -> str:
    return format_number(value or 0.0)


def fault_message(walk: DialogueWalk, fault: JsonError, step: int | None = None) -> str:
    """Return a fault of the output, in the message of a step or in that of the last one."""
    stdout = walk.transcript.stdout
    where = walk.where if step is None else _step_name(walk.script.steps[step].label)
    count = sum(0 < entry.end <= fault.offset for entry in walk.record.entries)
    is_framing = walk.record.fault is not None and _is_framing_fault(fault.reason)
    if is_framing:
        line = f"at byte {fault.offset:,}: {fault.reason}; here: {excerpt_at(stdout, fault.offset)}"
        return f"{where}: the output is malformed {line}"
    is_measured = fault.cut_short and walk.script.rules.framing is Framing.CONTENT_LENGTH
    text = fault_text(stdout, fault, values=count, printed=not is_measured)
    note = _length_note(stdout, fault) if is_measured else _other_framing(walk, fault)
    return f"{where}: the output is {text}{note}"


def _length_note(stdout: bytes, fault: JsonError) -> str:
    """Return which Content-Length ends a message that is not complete."""
    body = stdout[: fault.offset].rpartition(b"\r\n\r\n")[2]
    note = f"; that is the end by its Content-Length of {len(body)}"
    return note if body.isascii() else f"{note}, which counts bytes, not characters"


def _other_framing(walk: DialogueWalk, fault: JsonError) -> str:
    """Return which framing the output seems to have, if it is not that of the suite."""
    framing, rest = walk.script.rules.framing, walk.transcript.stdout[fault.offset :]
    if framing is not Framing.CONTENT_LENGTH and rest[:15].lower() == b"content-length:":
        return '; framing = "content-length" in [talk] is for messages with headers'
    if (
        framing is Framing.LINES
        and fault.reason.startswith("the text ends")
        and rest[:1] in (b"\r", b"\n")
    ):
        return '; framing = "values" in [talk] is for messages of several lines'
    return ""


def _is_framing_fault(reason: str) -> bool:
    signs = ("LF where", "header", "Content-Length", "must hold")
    return any(sign in reason for sign in signs)
