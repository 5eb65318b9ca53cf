"""Declare a dialogue: a script of steps, its rules, and the record of one conversation.

harness/dialogue/ parses and runs scripts, judging/dialogue.py judges records.
Source: docs/dialogues.md.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from harness.jsonio.decoder import Json


class Framing(Enum):
    """The way in which messages follow each other."""

    VALUES = "values"  # JSON values, with or without white space between them
    LINES = "lines"  # a value a line
    CONTENT_LENGTH = "content-length"  # as in the Language Server Protocol


class Transport(Enum):
    """The channel that carries the messages."""

    STDIO = "stdio"  # standard input and output
    CONNECT = "connect"  # xtest connects to the program, which listens
    LISTEN = "listen"  # the program connects to xtest


class Action(Enum):
    """The action of a step, by its member."""

    SEND = "send"
    EXPECT = "expect"
    EXPECT_ALL = "expect_all"
    QUIET = "quiet"
    RAW = "raw"
    CLOSE = "close"
    EXIT = "exit"


class Capture(NamedTuple):
    """A value of a message that later steps use: its name, and the steps to it."""

    name: str
    path: tuple[str, ...]
    pointer: str


class Step(NamedTuple):
    """One step of a script; `values` are what is sent or expected."""

    action: Action
    values: tuple[Json, ...] = ()
    raw: bytes = b""
    within_s: float | None = None  # for QUIET, its length
    status: int = 0
    extra: bool = False  # whether members that are not named are allowed
    captures: tuple[Capture, ...] = ()
    label: str = ""  # for people: "3", or "start 1"
    is_template: bool = False  # whether its values may have references to captured ones
    text: bytes = b""  # of its message as `encode` writes it, if it is known

    @property
    def messages(self) -> int:
        """The number of messages that the step waits for."""
        return len(self.values) if self.action in (Action.EXPECT, Action.EXPECT_ALL) else 0


class Answer(NamedTuple):
    """One `[[talk.answer]]`: requests of the program that match `when` are answered at once."""

    when: Json
    result: Json = None
    error: Json = None


class TalkRules(NamedTuple):
    """The `[talk]` table: what all scripts of a suite have in common."""

    framing: Framing = Framing.VALUES
    within_s: float | None = None  # the time limit of each expectation; that of the run if not set
    transport: Transport = Transport.STDIO
    ends: bool | None = None  # whether the program must end by itself; see `must_end`
    ignore: tuple[Json, ...] = ()
    answers: tuple[Answer, ...] = ()
    start: tuple[Step, ...] = ()
    end: tuple[Step, ...] = ()

    @property
    def must_end(self) -> bool:
        """Return whether the program must end after the script; most that listen go on."""
        return self.transport is not Transport.CONNECT if self.ends is None else self.ends


class Script(NamedTuple):
    """The steps of a case, with those before and after it, and the rules of its suite."""

    steps: tuple[Step, ...]
    rules: TalkRules
    allow: tuple[str, ...] = ()  # extensions of JSON in messages of the program

    @property
    def expected(self) -> list[Json]:
        """The messages that its steps expect, before captured values are filled in."""
        return [value for step in self.steps if step.messages for value in step.values]

    def without_extra(self) -> Script:
        """Return the script in which no step allows members that it does not name."""
        steps = tuple(step._replace(extra=False) for step in self.steps)
        return Script(steps, self.rules, self.allow)


class EntryKind(Enum):
    """The kind of an entry of a record."""

    SENT = "sent"
    RECEIVED = "received"
    IGNORED = "ignored"  # matches a pattern of `ignore`, and no step expected it
    ANSWERED = "answered"  # a request of the program, answered at once
    CLOSED = "closed"  # xtest closed the input
    # Only for people:
    MISSING = "missing"  # an expected message that did not come
    ENDED = "ended"  # how the program ended
    LEFT_OUT = "left-out"  # a note on entries that are not shown


class TalkEntry(NamedTuple):
    """One message or event: when, and the number of its step, or None if it belongs to none.

    `sent` is the text of a message that xtest sent; one of the program is
    `stdout[begin:end]`.
    """

    kind: EntryKind
    at_s: float
    step: int | None = None
    sent: bytes = b""
    begin: int = 0
    end: int = 0


class Stop(Enum):
    """The reason why a script did not go on."""

    FAULT = "fault"  # the output is not framed as it must be
    LATE = "late"  # the time limit of a step
    UNEXPECTED = "unexpected"  # a message where none was expected
    NO_CAPTURE = "no-capture"  # a message has no value to capture
    TOO_MANY = "too-many"  # messages that no step expects
    UNCONNECTED = "unconnected"  # it never began
    OVER = "over"  # it is complete


class TalkRecord(NamedTuple):
    """Everything observed of a conversation.

    `step` is the step in progress at the end, or the number of steps. `fault` is an offset in the
    output, a reason, and whether the text was cut short; `capture` the name of a missing value.
    """

    entries: tuple[TalkEntry, ...] = ()
    step: int = 0
    stop: Stop | None = None
    stopped_s: float = 0.0
    fault: tuple[int, str, bool] | None = None
    capture: str = ""
    left_out: int = 0  # ignored messages beyond the number that is kept
    partial: int = 0  # bytes of an incomplete message at the end
    port: int | None = None  # of the connection
    listening: tuple[str, ...] = ()  # where a program without a connection listened
    is_reset: bool = False  # whether the program reset the connection
