"""The input of a dialogue in chunks, and the time of its steps."""

from __future__ import annotations

import math
import os
import sys

import pytest

from harness.delivery.messages import message_format
from harness.delivery.registry import Delivery
from harness.dialogue.conversation import Conversation
from harness.dialogue.framing import framed
from harness.dialogue.script import make_script, parse_steps
from harness.jsonio.fast import decode
from harness.model.dialogue import Answer, Framing, Script, TalkRules
from harness.model.transcript import Exited, Job, Signalled, Transcript
from harness.process import streams
from harness.process.loop import run_one
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


def test_an_answer_waits_until_the_frame_that_a_raw_step_has_begun_is_whole() -> None:
    rules = TalkRules(
        Framing.CONTENT_LENGTH, answers=(Answer({"method": "roots"}, {"roots": "here"}),)
    )
    steps = parse_steps(
        decode(
            b'{"raw":"Content-Le"} {"expect":1} {"raw":"ngth: 1\\r\\n\\r\\n0"} {"quiet":1}'
        ).values
    )
    conversation = Conversation(make_script(steps, rules), 0.0)
    assert conversation.take() == b"Content-Le"
    conversation.receive(framed(b'{"id":5,"method":"roots"}', Framing.CONTENT_LENGTH), 1.0)
    assert conversation.take() == b""
    conversation.receive(framed(b"1", Framing.CONTENT_LENGTH), 2.0)
    answer = framed(b'{"id":5,"result":{"roots":"here"}}', Framing.CONTENT_LENGTH)
    assert conversation.take() == b"ngth: 1\r\n\r\n0" + answer
    conversation.receive(framed(b'{"id":6,"method":"roots"}', Framing.CONTENT_LENGTH), 3.0)
    assert conversation.take() == answer.replace(b"5", b"6")


# Ignores the end of its input, or works for a moment after it.
DEAF = "import sys, time\nfor line in sys.stdin: print(line, flush=True)\ntime.sleep(60)"
BUSY = """import sys, time
for line in sys.stdin: print(line, flush=True)
end = time.monotonic() + 0.1
while time.monotonic() < end: pass
print("done", file=sys.stderr)"""


def test_a_program_that_need_not_end_is_killed_when_it_sleeps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "_LEAVE_S", 50.0)
    steps = parse_steps(decode(b'{"send": 1} {"expect": 1}').values)
    script = make_script(steps, TalkRules(Framing.LINES, ends=False))

    def run(program: str) -> Transcript:
        return run_one(Job((sys.executable, "-c", program), b"", script=script), os.environ)

    busy = run(BUSY)
    assert (busy.ending, busy.stderr) == (Exited(0), b"done\n")
    deaf = run(DEAF)
    assert isinstance(deaf.ending, Signalled) and deaf.wall_s < 40
