"""xref: one game, its ranking and cheaters by name, and its page."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from harness.jsontext import PROGRAM_DEPTH, Decoder, encode
from xtests import xref
from xtests.refusal import Kind, Refused

Run = Callable[[str, bytes], CompletedProcess[bytes]]

NAMES = b'["Tom", "Rosa", "Ida"]'
RESULT = b'{"winners":[["Tom"]],"cheaters":["Ida","Rosa"]}\n'


def _answer(text: str) -> str:
    decoder = Decoder(PROGRAM_DEPTH)
    return encode(xref.answer(decoder.feed(text.encode()) + decoder.close()))


def _refusal(text: str) -> Refused:
    with pytest.raises(Refused) as caught:
        _answer(text)
    return caught.value


@pytest.mark.parametrize(
    ("names", "result"),
    [
        ('["c","b","a"]', '{"winners":[["c"]],"cheaters":["a","b"]}'),
        ('["d","c","b","a"]', '{"winners":[["c"]],"cheaters":["a","b","d"]}'),
        ('["e","d","c","b","a"]', '{"winners":[["e"]],"cheaters":["a","b","c","d"]}'),
    ],
)
def test_of_three_and_five_the_oldest_is_left_and_of_four_the_next(names: str, result: str) -> None:
    assert _answer(names) == result


def test_names_are_sorted_by_code_points_and_printed_as_they_are() -> None:
    assert _answer('["w","😀","～","é","Z"]') == (
        '{"winners":[["w"]],"cheaters":["Z","é","～","😀"]}'
    )


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("[]", "/0", "an array of 3 to 5 names expected at /0, found []"),
        (
            '["a","b","c","d","e","f"]',
            "/0",
            'an array of 3 to 5 names expected at /0, found ["a","b","c","d","e","f"]',
        ),
        ('"a"', "/0", 'an array of 3 to 5 names expected at /0, found "a"'),
        ('["a",null,3]', "/0/1", "a name (a string) expected at /0/1, found null"),
        ('["a","b","c"]7', "/1", "the end of the input expected at /1, found 7"),
        (
            '["a","b","b","a"]',
            "/0/2",
            'two players of one name: "b" at /0/1, found again at /0/2',
        ),
        ('["a","a",3]', "/0/2", "a name (a string) expected at /0/2, found 3"),
        ('["a","a","b"]7', "/1", "the end of the input expected at /1, found 7"),
    ],
)
def test_a_bad_spec_is_refused_at_its_first_fault(text: str, at: str, message: str) -> None:
    refused = _refusal(text)
    assert (refused.kind, refused.at, refused.message) == (Kind.INVALID_SPEC, at, message)


def test_an_empty_input_lacks_the_names() -> None:
    refused = _refusal(" ")
    assert (refused.kind, refused.at) == (Kind.INCOMPLETE_INPUT, "/0")
    assert refused.message == ("an array of 3 to 5 names expected at /0, but the input ends there")


def test_the_program_prints_one_line(run: Run) -> None:
    ran = run("xref", NAMES)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, RESULT, b"")


def test_a_refusal_is_one_line_and_status_1(run: Run) -> None:
    ran = run("xref", b"[1]")
    assert (ran.returncode, ran.stderr) == (1, b"")
    assert ran.stdout.startswith(b'{"error":{"kind":"invalid-spec","at":"/0",')


def _call(*arguments: str, sent: bytes = NAMES) -> CompletedProcess[bytes]:
    words = [sys.executable, "-m", "xtests.xref", *arguments]
    return subprocess.run(words, input=sent, capture_output=True, check=False)


@pytest.mark.parametrize("joined", [True, False])
def test_a_page_is_written_on_demand_beside_the_answer(tmp_path: Path, joined: bool) -> None:
    file = tmp_path / "game.html"
    file.write_bytes(b"x" * 1_000_000)  # what was there is gone
    ran = _call(*([f"--html={file}"] if joined else ["--html", str(file)]))
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, RESULT, b"")
    page = file.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert page.endswith("</html>\n")
    assert "<bdi>Rosa</bdi> (black)" in page


def test_where_the_input_is_refused_no_page_is_written(tmp_path: Path) -> None:
    file = tmp_path / "game.html"
    ran = _call("--html", str(file), sent=b'["a","b","a"]')
    assert (ran.returncode, ran.stderr) == (1, b"")
    assert not file.exists()


def test_where_the_page_cannot_be_written_nothing_is_printed(tmp_path: Path) -> None:
    file = tmp_path / "no such folder" / "game.html"
    ran = _call("--html", str(file))
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.decode() == f"xref: {file} cannot be written: No such file or directory\n"


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--html"], ["--html", "a", "b"], ["a.html"], ["-", "--html=a"]]
)
def test_other_arguments_are_a_fault_of_the_call(arguments: list[str], tmp_path: Path) -> None:
    ran = _call(*arguments)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr == (
        b"xref: no arguments or --html FILE expected; it reads JSON from standard input\n"
    )
    assert not list(tmp_path.iterdir())
