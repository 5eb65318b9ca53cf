"""Standard input and output: real programs over real pipes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import PIPE, CompletedProcess, Popen
from typing import IO

import pytest

Run = Callable[[str, bytes], CompletedProcess[bytes]]
Start = Callable[[str], Popen[bytes]]

QUERY = b'[6,90,"D"]'
ANSWER = b'["if ","D"," is the entrance, ","E"," is the exit."]\n'
BOARD = b'[[[6,90],"red","D",3,7]]'
RED = b'[[6,90],"red","D",3,7]\n'
TURN = BOARD + b'[["red",[9,0]],9,2]'
LEGAL = b'"legal"\n'

# Two small programs, made with the same module: one that has a fault of its own after its first
# answer, and one that goes on after a request that it cannot serve.
FAULTY = """
from xtests import stdio
stdio.answer_each("faulty", lambda value, at: 10 // len(value), requires=None, goes_on=True)
"""
GOING_ON = """
from xtests import form, stdio
stdio.answer_each(
    "echo",
    lambda value, at: form.array(value, at, (1,), "one thing in an array")[0],
    requires=None,
    goes_on=True,
)
"""

# xtiles, where its output may grow to no more than 20 bytes.
CRAMPED = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))
from xtests.xtiles import main
main()
"""


def _ends(process: Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    assert process.stdin and process.stdout and process.stderr
    return process.stdin, process.stdout, process.stderr


def _run_words(words: Sequence[str], sent: bytes) -> CompletedProcess[bytes]:
    return subprocess.run([sys.executable, *words], input=sent, capture_output=True, check=False)


def test_a_query_is_answered_before_the_next_is_sent(start: Start) -> None:
    process = start("xtiles")
    to, answers, complaints = _ends(process)
    for _ in range(3):
        to.write(QUERY)  # without white space: the bracket ends it
        assert answers.readline() == ANSWER
    to.close()
    assert (answers.read(), complaints.read(), process.wait()) == (b"", b"", 0)


def test_a_query_that_comes_byte_by_byte_is_answered_at_its_last_byte(start: Start) -> None:
    process = start("xtiles")
    to, answers, complaints = _ends(process)
    for text in (b'\n[6,90,"\\u0044"]', b"  " + QUERY):
        for k in range(len(text)):
            to.write(text[k : k + 1])
        assert answers.readline() == ANSWER
    to.close()
    assert (answers.read(), complaints.read(), process.wait()) == (b"", b"", 0)


def test_a_refused_query_ends_a_conversation_at_once(start: Start) -> None:
    process = start("xtiles")
    to, answers, _ = _ends(process)
    to.write(b'[6,90,"D","E"]')  # and nothing is closed
    assert b'"kind":"invalid-spec","at":"/0"' in answers.readline()
    assert process.wait() == 1


def test_a_fault_of_the_text_ends_a_conversation_at_once(start: Start) -> None:
    process = start("xtiles")
    to, answers, _ = _ends(process)
    to.write(QUERY + b"]")  # and nothing is closed
    assert answers.readline() == ANSWER
    assert b'"kind":"malformed-json","at":{"byte":10}' in answers.readline()
    assert process.wait() == 1


def test_a_character_may_be_cut_between_two_pieces(start: Start) -> None:
    process = start("xboard")
    to, answers, _ = _ends(process)
    for byte in '["é"]'.encode():
        to.write(bytes([byte]))
    to.close()
    assert answers.read().decode() == (
        '{"error":{"kind":"invalid-spec","at":"/0/0","message":"a state-pat, [tile-pat, x, y] or '
        '[tile-pat, colour, port, x, y], expected at /0/0, found \\"é\\""}}\n'
    )
    assert process.wait() == 1


def test_whoever_writes_to_xboard_is_not_cut_off_after_a_fault(start: Start) -> None:
    process = start("xboard")
    to, answers, _ = _ends(process)
    to.write(b"}")
    for _ in range(32):
        to.write(b" " * 65_536)  # far more than the pipe holds; raises if nobody reads
    to.close()
    assert b'"kind":"malformed-json","at":{"byte":0}' in answers.read()
    assert process.wait() == 1


@pytest.mark.parametrize(
    ("program", "sent"), [("xtiles", QUERY), ("xboard", BOARD), ("xrules", TURN)]
)
def test_a_closed_output_ends_quietly(start: Start, program: str, sent: bytes) -> None:
    process = start(program)
    to, answers, complaints = _ends(process)
    answers.close()
    to.write(sent)
    to.close()
    assert (complaints.read(), process.wait()) == (b"", 141)


def test_an_interrupt_ends_quietly(start: Start) -> None:
    process = start("xtiles")
    to, answers, complaints = _ends(process)
    to.write(QUERY)
    assert answers.readline() == ANSWER  # by now it is at work
    process.send_signal(signal.SIGINT)
    assert (complaints.read(), process.wait()) == (b"", 130)


def test_an_output_that_cannot_be_written_is_no_fault_of_the_input() -> None:
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "xtests.xtiles"],
            input=QUERY,
            stdout=full,
            stderr=PIPE,
            check=False,
        )
    assert ran.stderr == b"xtiles: standard output cannot be written: No space left on device\n"
    assert ran.returncode == 2


def test_an_answer_that_is_written_in_part_is_no_success(tmp_path: Path) -> None:
    with open(tmp_path / "answers", "wb") as answers:
        ran = subprocess.run(
            [sys.executable, "-c", CRAMPED], input=QUERY, stdout=answers, stderr=PIPE, check=False
        )
    assert (tmp_path / "answers").read_bytes() == ANSWER[:20]
    assert ran.stderr == b"xtiles: standard output cannot be written: File too large\n"
    assert ran.returncode == 2


def test_an_input_that_cannot_be_read_is_no_fault_of_the_input() -> None:
    # A file that is open for writing only stands where the input should be.
    with open(os.devnull, "wb") as unreadable:
        ran = subprocess.run(
            [sys.executable, "-m", "xtests.xtiles"],
            stdin=unreadable,
            capture_output=True,
            check=False,
        )
    assert ran.stderr == b"xtiles: standard input cannot be read: Bad file descriptor\n"
    assert (ran.returncode, ran.stdout) == (2, b"")


def test_an_argument_is_refused_rather_than_ignored() -> None:
    ran = _run_words(["-m", "xtests.xboard", "1-in.json"], BOARD)
    assert ran.stderr == b"xboard: no arguments expected; it reads JSON from standard input\n"
    assert (ran.returncode, ran.stdout) == (2, b"")


def test_a_fault_of_its_own_is_told_on_standard_error_and_keeps_the_answers() -> None:
    ran = _run_words(["-c", FAULTY], b"[1,2][][3]")
    assert ran.stdout == b"5\n"
    told = ran.stderr.decode().splitlines()
    assert told[0] == (
        "faulty: a fault of its own, please report it: Traceback (most recent call last):"
    )
    assert told[-1] == "ZeroDivisionError: integer division or modulo by zero"
    assert ran.returncode == 2


def test_a_program_that_goes_on_answers_the_requests_after_a_refused_one() -> None:
    ran = _run_words(["-c", GOING_ON], b'["a"] "b" [3]')
    assert ran.stdout == (
        b'"a"\n'
        b'{"error":{"kind":"invalid-spec","at":"/1","message":'
        b'"one thing in an array expected at /1, found \\"b\\""}}\n'
        b"3\n"
    )
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_program_that_goes_on_fails_where_the_stream_is_malformed() -> None:
    ran = _run_words(["-c", GOING_ON], b'["a"] "b')
    assert ran.stdout == (
        b'"a"\n'
        b'{"error":{"kind":"malformed-json","at":{"byte":8},"message":'
        b'"the text ends inside a string, at byte 8 of the input"}}\n'
    )
    assert (ran.returncode, ran.stderr) == (1, b"")


def test_a_stream_that_may_be_empty_has_no_answers() -> None:
    ran = _run_words(["-c", GOING_ON], b"\n")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    ("program", "sent", "answer"),
    [("xtiles", QUERY, ANSWER), ("xboard", BOARD, RED), ("xrules", TURN, LEGAL)],
)
def test_white_space_does_not_count_however_much_there_is(
    run: Run, program: str, sent: bytes, answer: bytes
) -> None:
    ran = run(program, b" \n" * 700_000 + sent + b"\t\r\n " * 350_000)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, answer, b"")


@pytest.mark.parametrize(
    ("sent", "byte"),
    [
        (b"[" * 100_000, 512),
        (b"[" * 100_000 + b"]" * 100_000, 512),
        (b'{"a":' * 100_000, 512 * 5),
        (b"[[6,90,NaN]]", 7),
        (b"\xef\xbb\xbf" + QUERY, 0),
        (b'[6,90,"\xff"]', 7),
        (b'["\\ud800"]', 2),
        (b'[{"a":1,"a":2}]', 8),
        (b"[6,90", 5),
        (b"[6,90,]", 6),
        (b"[01]", 2),
        (b"'A'", 0),
    ],
)
@pytest.mark.parametrize("program", ["xtiles", "xboard", "xrules"])
def test_what_is_no_json_is_refused_at_its_byte(
    run: Run, program: str, sent: bytes, byte: int
) -> None:
    ran = run(program, sent)
    begin = b'{"error":{"kind":"malformed-json","at":{"byte":%d},"message":"' % byte
    assert ran.stdout.startswith(begin)
    assert ran.stdout.count(b"\n") == 1
    assert (ran.returncode, ran.stderr) == (1, b"")


@pytest.mark.parametrize(
    ("program", "sent", "at"),
    [
        ("xtiles", b"[" + b"6" * 10_000 + b',90,"D"]', b"/0/0"),
        ("xtiles", b'[6,90,"D"] [6,90,"' + b"D" * 100_000 + b'"]', b"/1/2"),
        ("xboard", b"[[[6,-" + b"9" * 10_000 + b"],3,7]]", b"/0/0/0/1"),
        ("xboard", b"[" * 512 + b"]" * 512, b"/0/0"),
        ("xboard", b"[[[6,90],0." + b"0" * 10_000 + b",7]]", b"/0/0/1"),
        ("xboard", b"[[[6,90],1e999999999,7]]", b"/0/0/1"),
    ],
)
def test_a_monstrous_value_is_refused_in_a_short_message(
    run: Run, program: str, sent: bytes, at: bytes
) -> None:
    ran = run(program, sent)
    last = ran.stdout.splitlines()[-1]
    assert last.startswith(b'{"error":{"kind":"invalid-spec","at":"%s","message":"' % at)
    assert len(last) < 300
    assert (ran.returncode, ran.stderr) == (1, b"")
