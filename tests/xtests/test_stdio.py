"""Streams, arguments and exit statuses: real programs over real pipes."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

Start = Callable[[str], Popen[bytes]]

QUERY = b'[6,90,"D"]'
ANSWER = b'["if ","D"," is the entrance, ","E"," is the exit."]\n'
BOARD = b'[[[6,90],"red","D",3,7]]'
MOVED = b'{"moves":[8],"ask":["player"]}'

# A program that fails after its first answer.
FAILING = """
from xtests import stdio
stdio.serve_stream(
    "failing", lambda value, at: 10 // len(value), requires=None, survives_errors=True
)
"""
# xtiles, if its output may not grow beyond 20 bytes.
CRAMPED = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))
from xtests.xtiles import main
main()
"""


@pytest.fixture(name="start")
def _start() -> Iterator[Start]:
    """Start a program, to converse with. What a failed test leaves behind is killed."""
    with ExitStack() as started:

        def start(program: str) -> Popen[bytes]:
            process = started.enter_context(
                Popen(
                    [sys.executable, "-m", f"xtests.{program}"],
                    stdin=PIPE,
                    stdout=PIPE,
                    stderr=PIPE,
                    bufsize=0,
                )
            )
            started.callback(process.kill)  # before Popen's own exit, which waits
            return process

        yield start


def _finish(process: Popen[bytes]) -> tuple[bytes, bytes, int]:
    """Close the input, if a test left it open; return what is printed then, and the status."""
    out, errors = process.communicate()
    return out, errors, process.returncode


@pytest.mark.parametrize(
    ("program", "sent", "answer"),
    [
        ("xtiles", QUERY, ANSWER),
        ("xtiles", b'\n[6,90,"\\u0044"]', ANSWER),
        ("xtictactoe", b'{"ask":["player"],"moves":[8]}', b'{"player":"O"}\n'),
    ],
)
def test_a_value_is_answered_at_its_last_byte(
    start: Start, program: str, sent: bytes, answer: bytes
) -> None:
    process = start(program)
    assert process.stdin and process.stdout
    for _ in range(2):
        for k in range(len(sent)):
            process.stdin.write(sent[k : k + 1])
        assert process.stdout.readline() == answer
    assert _finish(process) == (b"", b"", 0)


@pytest.mark.parametrize(
    ("program", "sent", "error"),
    [
        ("xtiles", b'[6,90,"D","E"]', b'"kind":"invalid-spec","at":"/0"'),
        ("xtiles", QUERY + b"]", b'"kind":"malformed-json","at":{"byte":10}'),
        ("xtictactoe", b'{"ask":[],}', b'"kind":"malformed-json","at":{"byte":10}'),
    ],
)
def test_an_error_ends_a_conversation_before_the_input_is_closed(
    start: Start, program: str, sent: bytes, error: bytes
) -> None:
    process = start(program)
    assert process.stdin and process.stdout and process.stderr
    process.stdin.write(sent)
    assert error in process.stdout.read()
    assert (process.stderr.read(), process.wait()) == (b"", 1)


def test_a_refused_request_is_answered_and_the_next_is_served(start: Start) -> None:
    process = start("xtictactoe")
    assert process.stdin and process.stdout
    process.stdin.write(b'{"moves":[2,2],"ask":["player"]}')
    assert b'"kind":"illegal-move","at":"/0/moves/1"' in process.stdout.readline()
    process.stdin.write(b'{"moves":[2],"ask":["player"]}')
    assert process.stdout.readline() == b'{"player":"O"}\n'
    assert _finish(process) == (b"", b"", 0)


def test_characters_are_read_and_written_as_utf_8_however_they_are_cut(start: Start) -> None:
    process = start("xref")
    assert process.stdin
    for byte in '["é","～","😀"]'.encode():
        process.stdin.write(bytes([byte]))
    answer = '{"winners":[["é"]],"cheaters":["～","😀"]}\n'
    assert _finish(process) == (answer.encode(), b"", 0)


def test_a_batch_program_reads_its_input_to_the_end_after_malformed_bytes(start: Start) -> None:
    process = start("xboard")
    assert process.stdin
    process.stdin.write(b"}")
    for _ in range(32):
        process.stdin.write(b" " * 65_536)  # beyond the pipe's capacity: raises if not read
    out, _, status = _finish(process)
    assert b'"kind":"malformed-json","at":{"byte":0}' in out and status == 1


@pytest.mark.parametrize(
    ("program", "sent"), [("xtiles", QUERY), ("xboard", BOARD), ("xtictactoe", MOVED)]
)
def test_a_closed_output_ends_quietly(start: Start, program: str, sent: bytes) -> None:
    process = start(program)
    assert process.stdin and process.stdout and process.stderr
    process.stdout.close()
    process.stdin.write(sent)
    process.stdin.close()
    assert (process.stderr.read(), process.wait()) == (b"", 141)


def test_an_interrupt_ends_quietly(start: Start) -> None:
    process = start("xtiles")
    assert process.stdin and process.stdout and process.stderr
    process.stdin.write(QUERY)
    assert process.stdout.readline() == ANSWER  # the program has started
    process.send_signal(signal.SIGINT)
    assert (process.stderr.read(), process.wait()) == (b"", 130)


def test_an_answer_that_is_written_in_part_is_reported(tmp_path: Path) -> None:
    with open(tmp_path / "answers", "wb") as answers:
        words = [sys.executable, "-c", CRAMPED]
        ran = subprocess.run(words, input=QUERY, stdout=answers, stderr=PIPE, check=False)
    assert (tmp_path / "answers").read_bytes() == ANSWER[:20]
    assert ran.stderr == b"xtiles: standard output cannot be written: File too large\n"
    assert ran.returncode == 2


def test_an_internal_error_is_reported_and_answers_are_kept() -> None:
    words = [sys.executable, "-c", FAILING]
    ran = subprocess.run(words, input=b"[1,2][][3]", capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, b"5\n")
    first, *_, last = ran.stderr.decode().splitlines()
    assert first == (
        "failing: internal error; please report it: Traceback (most recent call last):"
    )
    assert last == "ZeroDivisionError: integer division or modulo by zero"
