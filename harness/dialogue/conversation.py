"""Run a script: a bounded state machine between the messages of a program and those sent to it.

Pure: callers pass the time. While a script runs, this decides only whether a message is expected
now or ignored, which values to capture, and which message to send next. The record is judged
afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from harness.dialogue.framing import Message, Splitter, decode_message, framed, splitter
from harness.dialogue.templates import agrees, capture, filled_values, matches
from harness.jsonio.decoder import Json, encode
from harness.jsonio.fast import decode
from harness.model.dialogue import (
    Action,
    Answer,
    Capture,
    EntryKind,
    Framing,
    Script,
    Step,
    Stop,
    TalkEntry,
    TalkRecord,
)

_LARGE: Final = 1_048_576  # bytes of a message that is not read while programs are watched
_MOST_CAPTURED: Final = 65_536  # bytes of a captured value
_MOST_IGNORED: Final = 2_000  # entries of ignored messages
_MOST_ANSWERED: Final = 2_000
_MOST_UNEXPECTED: Final = 100


class Conversation:  # pylint: disable=too-many-instance-attributes  # the registers of one machine
    """A script in progress.

    After each call, `take` returns the bytes to send; `due_at` is the time of the next `tick`.
    Times are on one monotonic clock.
    """

    def __init__(
        self, script: Script, now: float, frame: Callable[[bytes], bytes] | None = None
    ) -> None:
        self.due_at = math.inf
        self.closes = False  # whether to close the input after these bytes
        self.stop: Stop | None = None
        self.has_failed = False  # whether the script cannot go on
        self._script = script
        rules = script.rules
        self._patterns: Final = (*rules.ignore, *(one.when for one in rules.answers))
        self._frame = frame or partial(framed, framing=script.rules.framing)
        self._wait_s = math.inf  # from the beginning of the step to `due_at`
        self._started_at = now
        self._stopped_at = now
        self._at = -1  # the step in progress
        self._left: list[Json] = []  # the filled messages that it still waits for
        self._outgoing = bytearray()
        self._raw: Splitter | None = None  # of what is sent, from the first raw step on
        self._held: list[bytes] = []  # answers that wait for the end of a frame
        self._captured: dict[str, Json] = {}
        self._missing = ""
        self._entries: list[TalkEntry] = []
        self._counts = {EntryKind.IGNORED: 0, EntryKind.ANSWERED: 0, EntryKind.RECEIVED: 0}
        self._left_out = 0
        self._splitter = splitter(script.rules.framing)
        self._fault: tuple[int, str, bool] | None = None
        self._advance(now)

    @property
    def awaits_message(self) -> bool:
        """Return whether the script cannot go on without a message."""
        return self.stop is None and bool(self._left)

    @property
    def is_complete(self) -> bool:
        """Return whether all steps are over."""
        return self._at == len(self._script.steps)

    @property
    def is_silent(self) -> bool:
        """Return whether nothing more will be sent."""
        return self.closes and not self._outgoing

    def take(self) -> bytes:
        """Return the bytes to write now, which may be b""."""
        data = bytes(self._outgoing)
        self._outgoing.clear()
        return data

    def receive(self, data: bytes, now: float) -> None:
        """Take a part of the output."""
        if self.has_failed:
            return
        for message in self._splitter.feed(data):
            self._take_message(message, now)
        fault = self._splitter.fault
        if fault is not None and not self.has_failed:
            self._fault = (*fault, False)
            self._end(Stop.FAULT, now)

    def end_output(self, now: float) -> None:
        """Take the end of the output, which may complete a message."""
        if not self.has_failed:
            for message in self._splitter.close():
                self._take_message(message, now)
        while not self.has_failed and self._is_quiet_until_end:
            self._advance(now)

    def tick(self, now: float) -> None:
        """Go on, or stop, if the time of a step is over."""
        if now < self.due_at:
            return
        self.due_at = math.inf
        if self.stop is None and self._step.action is Action.QUIET:
            self._advance(now)
        else:
            self._end(Stop.LATE, now)

    def restart_clock(self, now: float) -> None:
        """Give the step its whole time again: what it sent before has only now been delivered."""
        if self.due_at < math.inf:
            self.due_at = now + self._wait_s

    def record(self) -> TalkRecord:
        return TalkRecord(
            tuple(self._entries),
            self._at,
            self.stop,
            self._stopped_at - self._started_at,
            self._fault,
            self._missing,
            self._left_out,
            self._splitter.partial,
        )

    # Steps.

    @property
    def _step(self) -> Step:
        return self._script.steps[self._at]

    @property
    def _is_quiet_until_end(self) -> bool:
        """Return whether the end of the program completes the step in progress: a silence after
        `close` or before `exit`."""
        steps = self._script.steps
        if self.is_complete or self._step.action is not Action.QUIET:
            return False
        following = steps[self._at + 1 : self._at + 2]
        return self.closes or any(step.action is Action.EXIT for step in following)

    def _advance(self, now: float) -> None:
        """Go on to the next step that waits for something."""
        steps = self._script.steps
        while self._at + 1 < len(steps):
            self._at += 1
            if self._begin(steps[self._at], now):
                return
        self._at = len(steps)
        self.stop, self._stopped_at = Stop.OVER, now
        self._close(None, now)
        within_s = self._script.rules.within_s
        self._wait(within_s if self._script.rules.must_end else 0.0, now)

    def _begin(self, step: Step, now: float) -> bool:
        """Begin a step; return whether it waits for something."""
        self.due_at = math.inf
        match step.action:
            case Action.SEND:
                text = step.text
                if not text:
                    (value,) = filled_values(step, self._captured)
                    text = encode(value).encode("utf-8", "surrogatepass")
                self._send(text, self._frame(text), self._at, now)
                return False
            case Action.EXPECT | Action.EXPECT_ALL:
                self._left = filled_values(step, self._captured)
            case Action.RAW:
                self._raw = self._raw or splitter(self._script.rules.framing)
                self._send(step.raw, step.raw, self._at, now)
                return False
            case Action.CLOSE:
                self._close(self._at, now)
                return False
            case Action.QUIET | Action.EXIT:
                pass
        within_s = self._script.rules.within_s if step.within_s is None else step.within_s
        self._wait(within_s, now)
        return True

    def _wait(self, seconds: float | None, now: float) -> None:
        self._wait_s = math.inf if seconds is None else seconds
        self.due_at = now + self._wait_s

    def _send(self, text: bytes, data: bytes, step: int | None, now: float) -> None:
        self._outgoing += data
        self._entries.append(TalkEntry(EntryKind.SENT, now - self._started_at, step, text))
        if self._raw is None:
            return
        self._raw.feed(data)
        if self._held and not self._raw.partial:
            held, self._held = self._held, []
            for each in held:
                self._send(each, self._frame(each), None, now)

    def _close(self, step: int | None, now: float) -> None:
        if not self.closes:
            self.closes = True
            self._entries.append(TalkEntry(EntryKind.CLOSED, now - self._started_at, step))

    def _end(self, stop: Stop, now: float) -> None:
        """Stop a script that cannot go on."""
        if not self.has_failed:
            self.has_failed = True
            self.stop, self._stopped_at = stop, now
            self.due_at = math.inf

    # Messages.

    def _take_message(self, message: Message, now: float) -> None:
        if self.has_failed:
            return
        known = self._read(message, now)
        if known is None:
            return
        is_known, value = known
        step = self._at if self._left else None
        entry = TalkEntry(
            EntryKind.RECEIVED, now - self._started_at, step, b"", message.begin, message.end
        )
        if is_known and self._patterns and not self._expects(value):
            beside = entry._replace(step=None)
            answer = next((one for one in self._rules_for(value)), None)
            if answer is not None:
                self._answer(answer, value, beside, now)
                return
            if any(matches(pattern, value) for pattern in self._script.rules.ignore):
                self._count(beside._replace(kind=EntryKind.IGNORED), _MOST_IGNORED)
                return
        if not self._left:
            self._count(entry, _MOST_UNEXPECTED)
            if self.stop is None:
                self._end(Stop.UNEXPECTED, now)
            elif self._counts[EntryKind.RECEIVED] >= _MOST_UNEXPECTED:
                self._end(Stop.TOO_MANY, now)
            return
        self._entries.append(entry)
        self._left.pop(self._index_of(value) if is_known and len(self._left) > 1 else 0)
        captures = self._script.steps[self._at].captures
        has_all = not captures or self._captures(captures, value if is_known else None, now)
        if has_all and not self._left:
            self._advance(now)

    def _read(self, message: Message, now: float) -> tuple[bool, Json] | None:
        """Return whether the value of a message is known, and the value; None for a fault."""
        if self._left and message.text == self._script.steps[self._at].text:
            return True, self._left[0]
        if len(message.text) > _LARGE:
            return False, None
        values, fault = decode_message(message.text, self._script.allow)
        if fault is None and len(values) == 1:
            return True, values[0]
        self._fault = _fault_of(message.text, message.begin, self._script)
        self._end(Stop.FAULT, now)
        return None

    def _expects(self, value: Json) -> bool:
        """Return whether the current step expects a message that would otherwise be ignored."""
        return any(agrees(pattern, one, value) for pattern in self._patterns for one in self._left)

    def _index_of(self, value: Json) -> int:
        """Return the place among the expected messages of the one that a message probably is."""
        text = encode(value)
        return next((at for at, one in enumerate(self._left) if encode(one) == text), 0)

    def _rules_for(self, value: Json) -> list[Answer]:
        has_id = isinstance(value, dict) and "id" in value
        return [one for one in self._script.rules.answers if has_id and matches(one.when, value)]

    def _answer(self, answer: Answer, value: Json, entry: TalkEntry, now: float) -> None:
        assert isinstance(value, dict)
        self._count(entry._replace(kind=EntryKind.ANSWERED), _MOST_ANSWERED)
        if self._counts[EntryKind.ANSWERED] >= _MOST_ANSWERED:
            self._end(Stop.TOO_MANY, now)
            return
        reply: dict[str, Json] = {"jsonrpc": value["jsonrpc"]} if "jsonrpc" in value else {}
        reply["id"] = value["id"]
        reply |= {"result": answer.result} if answer.error is None else {"error": answer.error}
        text = encode(reply).encode("utf-8", "surrogatepass")
        if self._raw is not None and self._raw.partial and self._raw.fault is None:
            self._held.append(text)  # until the frame that a raw step has begun is whole
        elif not self.closes:
            self._send(text, self._frame(text), None, now)

    def _captures(self, captures: Iterable[Capture], value: Json, now: float) -> bool:
        """Capture the values that the step names; return False if there are none."""
        for one in captures:
            captured = capture(value, one)
            if captured is None or len(encode(captured[0])) > _MOST_CAPTURED:
                self._missing = one.name
                self._end(Stop.NO_CAPTURE, now)
                return False
            self._captured[one.name] = captured[0]
        return True

    # The record.

    def _count(self, entry: TalkEntry, most: int) -> None:
        """Add an entry of a kind of which a program may cause any number."""
        self._counts[entry.kind] += 1
        if self._counts[entry.kind] <= most:
            self._entries.append(entry)
        else:
            self._left_out += 1


def _fault_of(text: bytes, begin: int, script: Script) -> tuple[int, str, bool]:
    """Return why a message is not one JSON value.

    That is an offset in the output, a reason, and whether the message was cut short.
    """
    values, fault = decode(text, allow=script.allow)
    if fault is not None:
        return begin + fault.offset, fault.reason, fault.cut_short
    unit = "a line" if script.rules.framing is Framing.LINES else "a message"
    return begin, f"{unit} must hold one value, not {len(values)}", False
