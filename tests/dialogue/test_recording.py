"""The script of a recorded conversation."""

from __future__ import annotations

import json

import pytest

from harness.dialogue.recording import RecordedChunk, Recording, make_recording, suggest_rules
from harness.dialogue.script import format_steps, make_script, parse_steps
from harness.jsonio.fast import decode
from harness.model.dialogue import Answer, Framing, TalkRules

UUID = "0f5a9c1e-7a51-4a70-9d0c-3a1b2c4d5e6f"


def record(
    text: str, rules: TalkRules = TalkRules(framing=Framing.LINES), status: int | None = None
) -> Recording:
    """Record a line a message: "> 1" of the client, "< 1" of the server, ">" for its end."""
    lines = [line.strip() for line in text.strip().splitlines()]
    chunks = [
        RecordedChunk(line[0] == ">", f"{line[2:]}\n".encode() if line[2:] else b"")
        for line in lines
    ]
    return make_recording(chunks, rules, status)


def shown(recording: Recording) -> list[str]:
    return [json.dumps(json.loads(line)) for line in format_steps(recording.steps).splitlines()]


def test_an_id_that_the_program_makes_up_is_captured_where_the_client_gives_it_back() -> None:
    recording = record(
        f"""
        > {{"id": 1, "method": "open"}}
        < {{"id": 1, "result": {{"sessionId": "{UUID}", "name": "seven"}}}}
        > {{"id": 2, "method": "use", "params": {{"sessionId": "{UUID}", "name": "seven"}}}}
        < {{"id": 2, "result": {{"sessionId": "{UUID}", "text": "of {UUID}"}}}}
        """
    )
    assert shown(recording)[1:] == [
        f'{{"expect": {{"id": 1, "result": {{"sessionId": "{UUID}", "name": "seven"}}}},'
        ' "as": {"sessionId": "/result/sessionId"}}',
        '{"send": {"id": 2, "method": "use", "params": {"sessionId": "${sessionId}",'
        ' "name": "seven"}}}',
        '{"expect": {"id": 2, "result": {"sessionId": "${sessionId}",'
        f' "text": "of {UUID}"}}}}}}',
    ]


def test_what_the_client_chose_is_not_captured() -> None:
    recording = record(
        """
        > {"id": 1, "method": "open", "params": {"token": "mine"}}
        < {"id": 1, "result": {"token": "mine", "id": 2}}
        > {"id": 2, "method": "use", "params": {"token": "mine"}}
        """
    )
    assert "as" not in "".join(shown(recording)) and "${" not in "".join(shown(recording))


def test_a_request_of_the_program_is_answered_with_its_own_id() -> None:
    conversation = """
        > {"id": 1, "method": "go"}
        < {"id": 0, "method": "roots/list"}
        > {"id": 0, "result": []}
        < {"id": 1, "result": true}
        """
    assert shown(record(conversation))[1:3] == [
        '{"expect": {"id": 0, "method": "roots/list"}, "as": {"request": "/id"}}',
        '{"send": {"id": "${request}", "result": []}}',
    ]
    answers = (Answer({"method": "roots/*"}, []),)
    assert shown(record(conversation, TalkRules(Framing.LINES, answers=answers))) == [
        '{"send": {"id": 1, "method": "go"}}',
        '{"expect": {"id": 1, "result": true}}',
    ]


def test_answers_to_requests_side_by_side_may_come_in_any_order() -> None:
    recording = record(
        """
        > {"id": 1, "method": "a"}
        > {"id": 2, "method": "b"}
        < {"id": 2, "result": 2}
        < {"id": 1, "result": 1}
        < {"method": "done"}
        """
    )
    assert shown(recording)[2:] == [
        '{"expect_all": [{"id": 2, "result": 2}, {"id": 1, "result": 1}]}',
        '{"expect": {"method": "done"}}',
    ]
    assert recording.notifications == ["done"]


def test_what_is_no_json_is_sent_as_it_is_and_not_expected() -> None:
    recording = record(
        """
        > {oops
        < starting
        < {"error": "a ${name}"}
        """
    )
    assert shown(recording) == ['{"raw": "{oops\\n"}', '{"expect": {"error": "a $${name}"}}']
    assert recording.notes == ['the program printed "starting", not JSON; it is not in the script']


@pytest.mark.parametrize(
    ("conversation", "status", "end"),
    [
        ("> 1\n< 1\n>", None, []),
        ("> 1\n>\n< 1", None, ['{"close": true}', '{"expect": 1}']),
        ("> 1\n< 1", 3, ['{"exit": 3}']),
        ("> 1\n< 1\n>", 3, ['{"close": true}', '{"exit": 3}']),
        ("> 1\n>\n< 1", 3, ['{"close": true}', '{"expect": 1}', '{"exit": 3}']),
    ],
)
def test_the_end_is_recorded_if_it_is_not_the_usual_one(
    conversation: str, status: int | None, end: list[str]
) -> None:
    steps = shown(record(conversation, status=status))
    assert steps[-len(end) :] == end if end else steps == ['{"send": 1}', '{"expect": 1}']


def test_a_handshake_of_the_suite_is_left_out_unless_the_client_says_another_one() -> None:
    start = parse_steps(
        decode(b'{"send": {"id": 0, "method": "hello"}} {"expect": {"id": 0, "result": 1}}').values
    )
    end = parse_steps(decode(b'{"send": {"method": "exit"}}').values)
    rules = TalkRules(Framing.LINES, start=start, end=end, ignore=({"method": "log"},))
    own = '> {"id": 1, "method": "go"}\n< {"id": 1, "result": 1}'
    usual = f"""
        > {{"id": 0, "method": "hello"}}
        < {{"method": "log"}}
        < {{"id": 0, "result": 2}}
        {own}
        > {{"method": "exit"}}
        >"""
    recording = record(usual, rules)
    assert len(recording.steps) == 2 and not recording.is_bare
    recording = record(usual.replace('"hello"', '"login"'), rules)
    assert len(recording.steps) == 5 and recording.is_bare
    recording = record(usual.replace('"hello"}', '"hello"}\n> {"method": "more"}'), rules)
    assert len(recording.steps) == 6 and recording.is_bare
    recording = record(usual.replace('> {"method": "exit"}', '> {}\n> {"method": "exit"}'), rules)
    assert len(recording.steps) == 3 and not recording.is_bare
    # A client names itself in it, and has ids of its own.
    other = usual.replace('"hello"', '"hello", "params": {"client": "x"}')
    other = other.replace('"exit"', '"exit", "params": 1')
    recording = record(other.replace('"id": 0', '"id": 7'), rules)
    assert len(recording.steps) == 2 and not recording.is_bare
    keeps = "bare = true in [[cases]] keeps that"
    assert recording.notes == [
        '[talk] sends its own "hello", not the client\'s, which differs at'
        f" /params/client; {keeps}",
        f'[talk] sends its own "exit", not the client\'s, which differs at /params; {keeps}',
    ]


@pytest.mark.parametrize(
    ("client", "server", "framing"),
    [
        (b"Content-Length: 1\r\n\r\n1", b"Content-Length: 1\r\n\r\n2", Framing.CONTENT_LENGTH),
        (b'{"id": 1}\n', b'{"id": 1}\r\n', Framing.LINES),
        (b'{"id":\n1}\n', b"1 2\n", Framing.VALUES),
    ],
)
def test_the_rules_of_a_new_suite_fit_the_conversation(
    client: bytes, server: bytes, framing: Framing
) -> None:
    rules = suggest_rules([RecordedChunk(True, client), RecordedChunk(False, server)])
    assert (rules.framing, rules.ignore) == (framing, ())


def test_what_came_unasked_is_ignored_in_a_new_suite() -> None:
    lines = b'{"method": "log"}\n{"id": 1, "method": "ask"}\n{"method": "log"}\n'
    assert suggest_rules([RecordedChunk(False, lines)]).ignore == ({"method": "log"},)


def test_values_that_may_vary_are_named() -> None:
    times = '"at": "2026-11-28T14:00:00Z", "s": 1795944569.37, "ms": 1795944569376, "n": 17959445'
    recording = record(f'< {{"id": 1, "result": {{{times}, "x": "{UUID}"}}}}')
    values = {"at": '"2026-11-28T14:00:00Z"', "s": "1795944569.37", "ms": "1795944569376"}
    values["x"] = f'"{UUID}"'
    assert recording.notes == [
        f'step 1: {value} at /result/{key} may vary; if so, ignore = ["/result/{key}"] in [compare]'
        for key, value in values.items()
    ]


def test_a_recorded_script_can_be_read() -> None:
    recording = record(
        f"""
        > {{"id": 1, "method": "a", "params": {{"text": "${{x}} \\\\ \\u0000 \\ud834\\udd1e"}}}}
        < {{"id": 1, "result": {{"2nd-id": "{UUID}", "id": "abc"}}}}
        > {{"id": 2, "method": "b", "params": {{"2nd-id": "{UUID}", "id": "abc"}}}}
        >
        < {{"id": 2, "result": null}}
        """,
        status=1,
    )
    steps = parse_steps(decode(format_steps(recording.steps)).values)
    assert len(make_script(steps, TalkRules()).steps) == 6


def test_bytes_of_the_client_that_are_not_utf_8_are_kept() -> None:
    chunks = [RecordedChunk(True, b'{"id": \xff}\n'), RecordedChunk(False, b"1\n")]
    recording = make_recording(chunks, TalkRules(framing=Framing.LINES), None)
    assert not recording.notes
    assert parse_steps(recording.steps)[0].raw == b'{"id": \xff}\n'
