"""The programs in languages/ behave like those in Python; each test needs a compiler or Node.js."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from support.debian import need
from support.xtest import TOP, Xtest

pytestmark = pytest.mark.system

C_FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
# Faults of memory and arithmetic end the program, with a message on standard error.
SANITIZED = ["-O2", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

SHARDS = {"xtiles": "1/50", "xboard": "1/120", "xmoves": "1/100", "xtictactoe": "1/80"}


def javascript_command(program: str) -> list[str]:
    return [need("node"), str(TOP / "languages" / "javascript" / f"{program}.mjs")]


def build_in_c(folder: Path, *flags: str) -> list[str]:
    """Build xtictactoe in C into a folder, without a warning, and return its command."""
    sources = sorted(map(str, (TOP / "languages" / "c").glob("*.c")))
    built = str(folder / "xtictactoe")
    subprocess.run([need("gcc"), *C_FLAGS, *flags, "-o", built, *sources], check=True)
    return [built]


def assert_passes(xtest: Xtest, program: str, command: list[str]) -> None:
    """Run two or three cases of a program's bundled suite in every delivery.

    All cases in all deliveries take minutes.
    """
    options = ["--deliver", "all", "--shard", SHARDS[program], "--wall", "300", "-q"]
    done = xtest("run", program, *options, "--", *command, timeout=600)
    assert (done.stdout[:4], done.stderr, done.returncode) == ("all ", "", 0), done.stdout


@pytest.mark.parametrize("program", ["xtiles", "xboard", "xmoves", "xtictactoe"])
def test_a_program_in_javascript_passes_in_every_delivery(xtest: Xtest, program: str) -> None:
    assert_passes(xtest, program, javascript_command(program))


def test_the_program_in_c_passes_in_every_delivery_with_sanitizers(
    xtest: Xtest, tmp_path: Path
) -> None:
    assert_passes(xtest, "xtictactoe", build_in_c(tmp_path, *SANITIZED))


def test_javascript_and_c_pass_the_suites_that_they_serve(xtest: Xtest, tmp_path: Path) -> None:
    need("node")
    need("gcc")
    for language in ("javascript", "c"):
        shutil.copytree(TOP / "languages" / language, tmp_path / language)
    config = (TOP / "languages" / "xtest.toml").read_text(encoding="utf-8")
    # Other tests run the programs in Python.
    others, removed = re.subn(r"\[subjects\.python\]\n(.+\n)+\n", "", config)
    assert removed == 1
    (tmp_path / "xtest.toml").write_text(others, encoding="utf-8")
    # An eighth of the cases: tox -e examples runs all of them. By default, 300 of the passes in
    # sessions are repeated, which only takes time here.
    options = ["--format", "markdown", "--wall", "300", "--session-sample", "10"]
    options += ["--shard", "1/8"]
    done = xtest("matrix", *options, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    table = done.stdout.partition("\n\n")[0]
    assert re.findall(r"(?m)^\| (javascript|c) \|.* (\S+) 100 % \|$", table) == [
        ("javascript", "106/106"),
        ("c", "30/30"),
    ]


@pytest.mark.slow
def test_fuzz_finds_no_input_on_which_python_and_javascript_disagree(xtest: Xtest) -> None:
    # Of the programs in two languages, only this one refuses nothing that needs fresh processes.
    need("node")
    sides = ("--subject", "python", "--subject", "javascript")
    words = ("--inputs", "600", "--seed", "39", "--wall", "300", "-j1")
    suite = str(TOP / "test_cases" / "xtictactoe")
    done = xtest("fuzz", suite, *sides, *words, cwd=TOP / "languages")
    assert "seed 39: nothing found" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0


QUESTIONS = {"xtiles": b'[22,90,"C"]', "xtictactoe": b'{"ask":["player"]}'}


def stream_programs(folder: Path) -> list[tuple[list[str], bytes]]:
    """Return each program that answers value by value, with a value that it answers."""
    found = [(javascript_command(program), question) for program, question in QUESTIONS.items()]
    return [*found, (build_in_c(folder, "-O0"), QUESTIONS["xtictactoe"])]


def test_programs_refuse_arguments(tmp_path: Path) -> None:
    for command, _ in [*stream_programs(tmp_path), (javascript_command("xboard"), b"")]:
        done = subprocess.run([*command, "x"], input=b"", capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (2, b""), command
        assert done.stderr.startswith(b"no arguments expected"), command


def test_programs_answer_at_once_and_end_with_130_when_interrupted(tmp_path: Path) -> None:
    for command, question in stream_programs(tmp_path):
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            assert program.stdin is not None and program.stdout is not None
            program.stdin.write(question)
            program.stdin.flush()
            assert program.stdout.readline().endswith(b"\n"), command
            program.send_signal(signal.SIGINT)
            assert program.wait() == 130, command


def test_programs_end_with_141_when_their_output_is_closed(tmp_path: Path) -> None:
    for command, question in stream_programs(tmp_path):
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            assert program.stdout is not None
            program.stdout.close()
            program.communicate(question)
            assert program.returncode == 141, command
