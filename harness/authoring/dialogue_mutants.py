"""Replay a dialogue with a program that says something else. Pure. Source: docs/care.md.

The program of a mutant sends its messages at the same points of the conversation as the reference:
after as many messages from xtest as had been sent before. What it ignores stays the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from harness.dialogue.conversation import Conversation
from harness.dialogue.framing import framed
from harness.jsonio.decoder import Json, encode
from harness.jsonio.fast import decode
from harness.model.dialogue import Action, EntryKind, Script, TalkEntry
from harness.model.limits import Limit
from harness.model.transcript import Exited, Transcript

_TO_PROGRAM: Final = (EntryKind.SENT, EntryKind.CLOSED)


class _Timed(NamedTuple):
    """A message of the program: when it comes, and how much xtest must have sent before."""

    at_s: float
    sent: int
    text: bytes
    value: Json
    is_expected: bool


def taken_messages(script: Script, transcript: Transcript) -> list[Json]:
    """Return the messages of a program that steps of the script took."""
    return [each.value for each in _messages(script, transcript) if each.is_expected]


def replay(
    script: Script, reference: Transcript, lines: Sequence[bytes], status: int
) -> Transcript:
    """Return the transcript of a program with these expected messages in place of its own."""
    conversation = Conversation(script, 0.0)
    stdout, now = bytearray(), 0.0
    for message in _rescheduled(list(_messages(script, reference)), lines):
        now = max(now, message.at_s)
        _pass_time(conversation, script, now)
        if _sent(conversation.record().entries) < message.sent:
            break
        data = framed(message.text, script.rules.framing)
        stdout += data
        conversation.receive(data, now)
    conversation.end_output(now)
    _pass_time(conversation, script, math.inf)
    limit = Limit.WALL if conversation.awaits_message else None
    output = bytes(stdout)
    return Transcript(
        Exited(status), output, stdout_bytes=len(output), limit=limit, talk=conversation.record()
    )


def _messages(script: Script, transcript: Transcript) -> Iterator[_Timed]:
    record = transcript.talk
    assert record is not None
    for at, entry in enumerate(record.entries):
        if entry.kind not in _TO_PROGRAM:
            text = transcript.stdout[entry.begin : entry.end]
            (value,) = decode(text, allow=script.allow).values
            text = encode(value).encode("utf-8", "surrogatepass")
            is_expected = entry.kind is EntryKind.RECEIVED
            yield _Timed(entry.at_s, _sent(record.entries[:at]), text, value, is_expected)


def _sent(entries: Sequence[TalkEntry]) -> int:
    return sum(entry.kind in _TO_PROGRAM for entry in entries)


def _rescheduled(messages: Sequence[_Timed], lines: Sequence[bytes]) -> Iterator[_Timed]:
    """Yield the messages with these lines in place of the expected ones."""
    expected = [each for each in messages if each.is_expected]
    slots = _slots([each.text for each in expected], lines)
    left = list(zip(slots, lines, strict=True))
    number = 0
    for each in messages:
        if each.is_expected:
            while left and left[0][0] == number:
                yield each._replace(text=left.pop(0)[1])
            number += 1
        else:
            yield each
    last = messages[-1] if messages else _Timed(0.0, 0, b"", None, True)
    yield from (last._replace(text=line) for _, line in left)


def _slots(old: Sequence[bytes], lines: Sequence[bytes]) -> list[int]:
    """Return, for each line, the number of the message with which it comes, ascending.

    As many lines come when the messages did. Of more or fewer, each comes with the message that it
    equals, and others with the next one.
    """
    if len(lines) == len(old):
        return list(range(len(old)))
    slots, following = [], 0
    for line in lines:
        is_next = line in old[following : following + 1]
        if following and line == old[following - 1] and not is_next:
            slots.append(following - 1)  # once more
        elif line in old[following:]:
            slots.append(old.index(line, following))
            following = slots[-1] + 1
        else:
            slots.append(following)
    return slots


def _pass_time(conversation: Conversation, script: Script, now: float) -> None:
    """Let the time go on until a moment, at which the program may still end by itself."""
    while conversation.stop is None and conversation.due_at < now:
        if script.steps[conversation.record().step].action is Action.EXIT:
            return
        conversation.tick(conversation.due_at)
