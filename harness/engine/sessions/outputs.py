"""Lay out the inputs of several cases for one process, and attribute its output to the cases.

Pure. Source: docs/sessions.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from harness.jsonio.decoder import Json, Number, encode
from harness.jsonio.fast import decode
from harness.model.case import Case, InputKind, stream_text
from harness.model.limits import usage_of_one
from harness.model.sessions import SessionKind
from harness.model.transcript import Exited, NotStarted, Signalled, Transcript
from harness.text import last_bytes, pluralize, shorten, signal_name, to_utf8_text

PROTOCOL: Final = 1  # the version of the protocol
PROTOCOL_ENVIRONMENT: Final = ("XTEST_SESSION", SessionKind.PROTOCOL.value)

_GREETING: Final = 0  # the id of the first request
# One of them is in each response, with a value of this type.
_MEMBERS: Final = {"protocol": Number, "out": list, "error": str, "skipped": str}
_NOISE_SHOWN: Final = 3  # lines
_TAIL: Final = 4_096  # bytes of standard error
_SHOWN: Final = 200  # characters of a line

_Reply = Mapping[str, Json]


class SessionOutput(NamedTuple):
    """The output of a session for each of its cases; None where that is not certain.

    `answered` counts the leading cases whose answers are complete: the session probably ended in
    the next one. If no answer can be trusted, `void` says why, and all outputs are None.
    """

    outputs: Sequence[bytes | None]
    answered: int
    void: str = ""
    noise: tuple[str, ...] = ()
    skipped: tuple[tuple[int, str], ...] = ()  # cases that the program skips, and why
    refused: tuple[tuple[int, str], ...] = ()  # ... and that it answers with an error


def can_share_process(case: Case) -> bool:
    """Return whether other cases may share a process with this one."""
    policy = case.policy
    return (
        case.is_parsed
        and case.kind is not InputKind.RAW
        and policy.exit.accepts(0)
        and not policy.comparison.allow
    )


def lay_out(kind: SessionKind, cases: Sequence[Case]) -> bytes:
    """Return the standard input of a session with these cases."""
    if kind is SessionKind.STREAM:
        # No blank lines: a program may read line by line.
        return b"\n".join(case.stdin.removesuffix(b"\n") for case in cases) + b"\n"
    return b"".join(_requests(cases))


def session_output(
    kind: SessionKind, cases: Sequence[Case], transcript: Transcript
) -> SessionOutput:
    """Attribute what a session printed to its cases."""
    if kind is SessionKind.STREAM:
        output = _counted(cases, transcript.stdout)
    else:
        output = _numbered(len(cases), transcript.stdout)
    fault = _fault_of(transcript)
    return _void(output, fault) if fault else output


def _fault_of(transcript: Transcript) -> str:
    """Return why a session did not end as it must, or ""."""
    if transcript.limit is not None:
        return f"{transcript.limit.value} was reached"
    match transcript.ending:
        case NotStarted(reason):
            return reason
        case Signalled(number):
            return f"killed by {signal_name(number)}"
        case Exited(status) if status:
            return f"exit status {status}"
    return "" if len(transcript.stdout) == transcript.stdout_bytes else "too much output"


def _void(output: SessionOutput, reason: str) -> SessionOutput:
    nothing = [None] * len(output.outputs)
    return output._replace(outputs=nothing, void=reason, skipped=(), refused=())


# Streams.


def _counted(cases: Sequence[Case], stdout: bytes) -> SessionOutput:
    """Attribute values by their number: each case has as many as are expected."""
    texts = [case.expected_text for case in cases]
    # "1" and "2" would be read as "12".
    if stdout == b"".join(texts) and all(text.endswith(b"\n") for text in texts):
        return SessionOutput(texts, len(cases))
    values, fault = decode(stdout)
    outputs: list[bytes | None] = []
    begin = answered = 0
    for case in cases:
        end = begin + len((case.alternatives or (case.expected,))[0])
        outputs.append(stream_text(values[begin:end]))
        answered += end <= len(values)
        begin = end
    output = SessionOutput(outputs, answered)
    if fault is not None:
        return _void(output, "the output is not JSON")
    if begin != len(values):
        return _void(output, f"{pluralize(len(values), 'value')} printed, {begin:,} expected")
    return output


# The protocol.


def _requests(cases: Sequence[Case]) -> Iterator[bytes]:
    yield f'{{"id": {_GREETING}, "protocol": {PROTOCOL}}}\n'.encode()
    for number, case in enumerate(cases, _GREETING + 1):
        values = ", ".join(map(encode, decode(case.stdin).values))
        yield f'{{"id": {number}, "in": [{values}]}}\n'.encode()


def _numbered(total: int, stdout: bytes) -> SessionOutput:
    """Attribute responses by their ids."""
    *lines, rest = stdout.split(b"\n")
    replies, noise = _replies(total, lines)
    noise += [_shown(rest)] if rest else []
    numbers = range(_GREETING + 1, total + 1)
    skipped, refused = (
        tuple(
            (number - 1, reason)
            for number in numbers
            if isinstance(reason := replies.get(number, {}).get(member), str)
        )
        for member in ("skipped", "error")
    )
    output = SessionOutput(
        [_output(replies.get(number, {})) for number in numbers],
        # In any order: the first request without a response is probably what ended the session.
        answered=next((index for index in range(total) if index + 1 not in replies), total),
        noise=tuple(noise[:_NOISE_SHOWN]),
        skipped=tuple((number, shorten(reason, _SHOWN)) for number, reason in skipped),
        refused=refused,
    )
    greeting = replies.get(_GREETING, {}).get("protocol")
    if not isinstance(greeting, Number) or greeting.text != str(PROTOCOL):
        return _void(output, f"no response with id {_GREETING} and protocol {PROTOCOL}")
    return _void(output, "the last line has no line ending") if rest else output


def _replies(total: int, lines: Sequence[bytes]) -> tuple[dict[int, _Reply], list[str]]:
    """Return the responses by their ids, an empty one in place of several, and the other lines.

    Only the first of several responses to a request is not among the other lines.
    """
    replies: dict[int, _Reply] = {}
    noise: list[str] = []
    for line in lines:
        reply = _reply(line)
        number = _id_of(reply)
        if number is None or number > total:
            noise.append(_shown(line))
        elif number in replies:
            noise.append(_shown(line))
            replies[number] = {}
        else:
            replies[number] = reply
    return replies, noise


def last_lines(text: bytes) -> tuple[str, ...]:
    """Return the last lines of a standard error that are not blank, as a message shows them."""
    lines = [line for line in last_bytes(text, _TAIL).splitlines() if line.strip()]
    return tuple(map(_shown, lines[-_NOISE_SHOWN:]))


def _shown(line: bytes) -> str:
    return shorten(to_utf8_text(line.decode("utf-8", "replace")), _SHOWN)


def _reply(line: bytes) -> _Reply:
    values, fault = decode(line)
    if fault is None and len(values) == 1 and isinstance(values[0], dict):
        return values[0]
    return {}


def _id_of(reply: _Reply) -> int | None:
    """Return the id of a response, or None if the line is not a response."""
    number = reply.get("id")
    if not isinstance(number, Number) or not number.text.isdecimal() or len(number.text) > 9:
        return None
    members = [member for member in _MEMBERS if member in reply]
    is_response = len(members) == 1 and isinstance(reply[members[0]], _MEMBERS[members[0]])
    return int(number.text) if is_response else None


def _output(reply: _Reply) -> bytes | None:
    values = reply.get("out")
    return stream_text(values) if isinstance(values, list) else None


def transcript_of_case(transcript: Transcript, output: bytes, cases: int) -> Transcript:
    """Return the part of a session of several cases that belongs to one of them."""
    return Transcript(
        Exited(0),
        output,
        stdout_bytes=len(output),
        wall_s=transcript.wall_s / cases,
        usage=usage_of_one(transcript.usage, cases),
        accounting=transcript.accounting,
    )
