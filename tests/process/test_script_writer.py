"""The input of a dialogue in chunks, and the time of its steps."""

from __future__ import annotations

import math

import pytest

from harness.delivery.messages import message_format
from harness.delivery.registry import Delivery
from harness.dialogue.conversation import Conversation
from harness.dialogue.script import make_script, parse_steps
from harness.jsonio.fast import decode
from harness.model.dialogue import Framing, Script, TalkRules
from harness.model.transcript import Job
from harness.process.run_state import ScriptWriter


def script_of(text: bytes) -> Script:
    return make_script(parse_steps(decode(text).values), TalkRules(Framing.CONTENT_LENGTH))


def test_the_time_of_a_step_begins_when_its_message_has_been_delivered() -> None:
    script = script_of(b'{"send": {"id": 1}}{"expect": 1, "within": 5}')
    messages = message_format(Delivery.SLOW, Framing.CONTENT_LENGTH)
    writer = ScriptWriter(Job((), b"", messages=messages), script)
    chunks = []
    while pause_s := writer.advance():
        assert pause_s == pytest.approx(0.1)
        assert writer.due_at == math.inf
        assert writer.begin()
        chunks.append(writer.pending)
    assert chunks == [b"Content-Length: 8\r\n\r\n", b'{"id":1}']
    assert writer.due_at < math.inf


def test_a_step_gets_its_whole_time_again() -> None:
    conversation = Conversation(script_of(b'{"quiet": 5}{"expect": 1}'), 100.0)
    conversation.restart_clock(107.0)
    assert conversation.due_at == 112.0
    conversation.tick(112.0)
    conversation.restart_clock(113.0)
    assert conversation.due_at == math.inf
