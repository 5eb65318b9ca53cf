"""Laying out the inputs of several cases, and attributing an output to them."""

from __future__ import annotations

import pytest

from harness.engine.sessions.outputs import SessionOutput, last_lines, lay_out, session_output
from harness.engine.sessions.polluters import PolluterSearch
from harness.jsonio.fast import decode
from harness.model.case import Case
from harness.model.limits import Limit
from harness.model.sessions import SessionKind, SessionMode, SessionOptions, sample_size
from harness.model.transcript import Ending, Exited, NotStarted, Signalled, Transcript

GREETING = b'{"id": 0, "protocol": 1}\n'
EMPTY = b"".join(b'{"id": %d, "out": []}\n' % number for number in (1, 2, 3))


def case(stdin: bytes, expected: bytes) -> Case:
    return Case("s", "1", stdin, expected, decode(expected).values)


CASES = [case(b"1", b"2"), case(b"[2]\n3", b"4 [6]\n"), case(b'{"a": 1.50}\n', b"true\n")]


def answered(
    kind: SessionKind, stdout: bytes, ending: Ending = Exited(0), limit: Limit | None = None
) -> SessionOutput:
    """Return what a session with three cases answered."""
    seen = Transcript(ending, stdout, stdout_bytes=len(stdout), limit=limit)
    return session_output(kind, CASES, seen)


def test_inputs_are_laid_out_as_they_are_spelled() -> None:
    assert lay_out(SessionKind.STREAM, CASES) == b'1\n[2]\n3\n{"a": 1.50}\n'
    assert lay_out(SessionKind.PROTOCOL, CASES).decode().splitlines() == [
        '{"id": 0, "protocol": 1}',
        '{"id": 1, "in": [1]}',
        '{"id": 2, "in": [[2], 3]}',
        '{"id": 3, "in": [{"a":1.50}]}',
    ]


@pytest.mark.parametrize("stdout", [b"2 4\n[6] true", b"2\n4 [6]\ntrue\n"])
def test_values_of_a_stream_are_counted(stdout: bytes) -> None:
    found = answered(SessionKind.STREAM, stdout)
    assert found == SessionOutput([b"2\n", b"4\n[6]\n", b"true\n"], 3)


def test_expected_texts_without_line_ends_are_not_compared_as_they_are() -> None:
    cases = [case(b"1", b"1"), case(b"2", b"2")]
    seen = Transcript(Exited(0), b"12", stdout_bytes=2)
    assert session_output(SessionKind.STREAM, cases, seen).void == "1 value printed, 2 expected"


@pytest.mark.parametrize(
    ("stdout", "complete", "fault"),
    [
        (b"", 0, "0 values printed, 4 expected"),
        (b"2 4\n", 1, "2 values printed, 4 expected"),
        (b"2 4 [6]\n", 2, "3 values printed, 4 expected"),
        (b"2 4 [6] true 5\n", 3, "5 values printed, 4 expected"),
        (b"2 4 [6] tr", 2, "the output is not JSON"),
        (b"2 4 [6] true ]", 3, "the output is not JSON"),
    ],
)
def test_a_stream_with_another_number_of_values_settles_nothing(
    stdout: bytes, complete: int, fault: str
) -> None:
    found = answered(SessionKind.STREAM, stdout)
    assert found == SessionOutput([None] * 3, complete, void=fault)


@pytest.mark.parametrize("kind", [SessionKind.STREAM, SessionKind.PROTOCOL])
@pytest.mark.parametrize(
    ("ending", "limit", "fault"),
    [
        (Exited(3), None, "exit status 3"),
        (Signalled(11), None, "killed by SIGSEGV"),
        (Signalled(9), Limit.WALL, "wall_s was reached"),
        (NotStarted("no such file"), None, "no such file"),
    ],
)
def test_a_session_that_ends_badly_settles_nothing(
    kind: SessionKind, ending: Ending, limit: Limit | None, fault: str
) -> None:
    stdout = GREETING + EMPTY if kind is SessionKind.PROTOCOL else b"2 4 [6] true\n"
    assert answered(kind, stdout, ending, limit) == SessionOutput([None] * 3, 3, void=fault)


def test_responses_are_attributed_by_their_ids() -> None:
    lines = b'{"id": 3, "out": [true]}\n{"id": 1, "out": [2.0]}\n{"id": 2, "out": [4, [6]]}\n'
    found = answered(SessionKind.PROTOCOL, GREETING + lines)
    assert found == SessionOutput([b"2.0\n", b"4\n[6]\n", b"true\n"], 3)


@pytest.mark.parametrize(
    ("second", "noise"),
    [
        (b"", ()),
        (b'{"id": 2, "error": "no"}\n', ()),
        (b'{"id": 2, "out": [], "error": "no"}\n', ('{"id": 2, "out": [], "error": "no"}',)),
        (b'{"id": 2, "skipped": true}\n', ('{"id": 2, "skipped": true}',)),
        (b'{"id": 2, "out": 4}\n', ('{"id": 2, "out": 4}',)),
        (b'{"id": 2, "out": [4]}\n{"id": 2, "out": [5]}\n', ('{"id": 2, "out": [5]}',)),
        (b'{"id": 2}\n', ('{"id": 2}',)),
        (b'{"id": "2", "out": [4]}\n', ('{"id": "2", "out": [4]}',)),
        (b'{"id": 2.0, "out": [4]}\n', ('{"id": 2.0, "out": [4]}',)),
        (b'{"id": -2, "out": [4]}\n', ('{"id": -2, "out": [4]}',)),
        (b'{"id": 9, "out": [4]}\n', ('{"id": 9, "out": [4]}',)),
        (b'[{"id": 2, "out": [4]}]\nhello\n\xff\n', ('[{"id": 2, "out": [4]}]', "hello", "\ufffd")),
    ],
)
def test_a_request_without_one_response_is_not_settled(
    second: bytes, noise: tuple[str, ...]
) -> None:
    first, third = b'{"id": 1, "out": [2]}\n', b'{"id": 3, "out": [true]}\n'
    found = answered(SessionKind.PROTOCOL, GREETING + first + second + third)
    assert (found.outputs, found.noise) == ([b"2\n", None, b"true\n"], noise)
    assert not found.void and not found.skipped


def test_a_program_says_which_cases_it_skips() -> None:
    lines = b'{"id": 1, "out": [2]}\n{"id": 2, "skipped": "no $ref"}\n{"id": 3, "out": [true]}\n'
    found = answered(SessionKind.PROTOCOL, GREETING + lines)
    assert found == SessionOutput([b"2\n", None, b"true\n"], 3, skipped=((1, "no $ref"),))
    assert answered(SessionKind.PROTOCOL, GREETING + lines, Exited(1)).skipped == ()


@pytest.mark.parametrize(
    "stdout", [EMPTY, GREETING * 2 + EMPTY, b'{"id": 0, "protocol": 2}\n' + EMPTY]
)
def test_a_program_that_does_not_speak_the_protocol_settles_nothing(stdout: bytes) -> None:
    assert answered(SessionKind.PROTOCOL, stdout).void == "no response with id 0 and protocol 1"


def test_a_session_without_its_last_line_end_settles_nothing() -> None:
    found = answered(SessionKind.PROTOCOL, GREETING + b'{"id": 1, "out": [2]}\n{"id": 2')
    assert (found.void, found.noise) == ("the last line has no line ending", ('{"id": 2',))


@pytest.mark.parametrize(
    ("passed", "repeated"), [(0, 0), (1, 1), (20, 19), (100, 95), (1_000, 258), (1_000_000, 299)]
)
def test_a_sample_rules_out_one_percent_of_wrong_passes(passed: int, repeated: int) -> None:
    assert sample_size(passed) == repeated


def test_the_rate_of_repetitions_follows_the_options() -> None:
    options = SessionOptions(SessionMode.VERIFY, planned=(("a", 1_000),))
    assert options.sample_rate("a") == 0.258
    assert options._replace(sample=500).sample_rate("a") == 0.5
    assert options._replace(sample=5_000).sample_rate("a") == 1
    assert options._replace(mode=SessionMode.TRUST).sample_rate("a") == 0


@pytest.mark.parametrize(
    ("total", "polluters", "found"),
    [
        *((total, {at}, [at]) for total in (1, 2, 3, 10) for at in range(total)),
        *((1_000, {at}, [at]) for at in (0, 500, 999)),
        *((total, set(), []) for total in (0, 10)),
        (4, {0, 3}, [0, 1, 2, 3]),  # polluters that act only together are named together
    ],
)
def test_polluters_are_found_in_few_trials(
    total: int, polluters: set[int], found: list[int]
) -> None:
    search, trials = PolluterSearch(range(total), thorough=True), 0
    while not search.is_over:
        search.record(passes=polluters <= set(search.candidates))
        trials += 1
    assert search.candidates == found
    assert trials <= 1 + 2 * total.bit_length()


def test_the_last_lines_of_standard_error_are_kept() -> None:
    assert not last_lines(b" \n")
    assert last_lines(b"a\n\nb\nc\nd: \xff\n") == ("b", "c", "d: \ufffd")
