"""The adapters of the session protocol, and the programs that use them, pass as sessions, too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator
from support.corpus import SUITES, cases_of
from support.debian import need
from support.schemas import schema_of
from support.suites import write_suite
from support.wire import parse, without_message
from support.xtest import TOP, Xtest

from harness.jsonio.decoder import encode

LANGUAGES: Final = TOP / "languages"
# With PYTHONSAFEPATH set, a program cannot import the adapter beside it.
PLAIN: Final = {key: text for key, text in os.environ.items() if key != "PYTHONSAFEPATH"}
SUITE: Final = LANGUAGES / "session-suite"
HELLO: Final = '{"id": 0, "protocol": 1}\n'

# An answer function that prints something, for each adapter that can notice it.
TALKATIVE: Final = {
    "python": """from xtest_session import serve
serve(lambda values: print("hm") or values, "talkative")""",
    "javascript": """import { serve } from "./session.mjs";
serve((values) => { console.log("hm"); return values; }, { implementation: "talkative" });""",
    "java": """final class Mirror {
    public static void main(String[] arguments) throws Exception {
        XtestSession.serve(values -> { System.out.println("hm"); return values; }, "talkative", "");
    }
}""",
}
# Answers that are not JSON when the program runs alone.
MALFORMED: Final = {
    "javascript": """import { serve } from "./session.mjs";
serve(() => [undefined], {});""",
    "java": """final class Mirror {
    public static void main(String[] arguments) throws Exception {
        XtestSession.serve(values -> java.util.List.of("1, 2"), "malformed", "");
    }
}""",
}
SOURCES: Final = {
    "python": ("xtest_session.py", "mirror.py"),
    "javascript": ("session.mjs", "mirror.mjs"),
    "java": ("XtestSession.java", "Mirror.java"),
    "c": ("session/session.c", "session/session.h", "session/mirror.c"),
}
# Programs that run for a moment start twice as fast without the second compiler and threads that
# collect garbage.
QUICK_JAVA: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
GAMES: Final = [
    *[("javascript", program) for program in ("xtiles", "xboard", "xmoves", "xtictactoe")],
    *[("python", program) for program in SUITES],
]
each_language = pytest.mark.parametrize(
    "language",
    [
        pytest.param(each, marks=[pytest.mark.system] if each != "python" else [])
        for each in SOURCES
    ],
)


def build(language: str, folder: Path, main: str | None = None) -> list[str]:
    """Copy an adapter with its mirror, or another main file, and return the command."""
    for source in SOURCES[language]:
        text = (LANGUAGES / language / source).read_text(encoding="utf-8")
        (folder / Path(source).name).write_text(text, encoding="utf-8")
    program = folder / Path(SOURCES[language][-1]).name
    if main is not None:
        program.write_text(main, encoding="utf-8")
    if language == "python":
        return [sys.executable, str(program)]
    if language == "javascript":
        return [need("node"), str(program)]
    if language == "java":
        files = sorted(map(str, folder.glob("*.java")))
        flags = [*(f"-J{each}" for each in QUICK_JAVA), "-Xlint:all", "-Werror"]
        subprocess.run([need("javac"), *flags, *files], check=True)
        return [need("java"), *QUICK_JAVA, "-cp", str(folder), "Mirror"]
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-fsanitize=address,undefined"]
    files = sorted(map(str, folder.glob("*.c")))
    subprocess.run([need("gcc"), *flags, "-o", str(folder / "mirror"), *files], check=True)
    return [str(folder / "mirror")]


def respond(command: Sequence[str], requests: Sequence[str]) -> dict[int, dict[str, Any]]:
    """Return the responses of a session to requests without line ends, by id."""
    done = subprocess.run(
        command,
        input=HELLO + "".join(f"{request}\n" for request in requests),
        env={**PLAIN, "XTEST_SESSION": "protocol"},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    responses = [json.loads(line) for line in done.stdout.splitlines()]
    return {response["id"]: response for response in responses}


@each_language
def test_an_adapter_passes_the_suite_of_the_protocol(
    xtest: Xtest, tmp_path: Path, language: str
) -> None:
    command = build(language, tmp_path)
    # The JSON libraries of these two change the text of numbers.
    options = ["--tag", "!numbers"] if language in ("python", "javascript") else []
    options += ["--deliver", "plain,no-final-newline", "--wall", "300", "-q"]
    session = ["env", "XTEST_SESSION=protocol", *command]
    done = xtest("run", str(SUITE), *options, "--", *session, timeout=600)
    assert (done.stdout[:4], done.stderr, done.returncode) == ("all ", "", 0), done.stdout


@each_language
def test_an_adapter_serves_an_ordinary_program(xtest: Xtest, tmp_path: Path, language: str) -> None:
    cases = {
        "1": ("", ""),
        "2": (' 1\r\n[2, {"a": []}]"3"', '"3" [2, {"a": []}] 1'),
        "3": ("[1][2]\n\ntrue", "true [2] [1]"),
        "skip-1": ('"skip" 1', ""),
        "fail-1": ('"fail" 1', ""),
    }
    settings = '[[cases]]\nmatch = ["skip-*", "fail-*"]\nexit = 1\n'
    suite = write_suite(tmp_path / "suite", cases, settings)
    done = xtest("run", str(suite), "--wall", "300", "-q", "--", *build(language, tmp_path))
    assert (done.stdout[:4], done.returncode) == ("all ", 0), done.stdout


@pytest.mark.parametrize("language", MALFORMED)
@pytest.mark.system
def test_a_malformed_answer_stays_malformed_in_a_session(tmp_path: Path, language: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        respond(build(language, tmp_path, MALFORMED[language]), ['{"id": 1, "in": []}'])


@pytest.mark.system
def test_a_session_fails_if_something_is_printed_after_its_answers(tmp_path: Path) -> None:
    late = """import { serve } from "./session.mjs";
serve((values) => { setTimeout(() => console.log("late"), 9); return values; }, {});"""
    with pytest.raises(subprocess.CalledProcessError):
        respond(build("javascript", tmp_path, late), ['{"id": 1, "in": []}'])


@pytest.mark.parametrize("language", TALKATIVE)
@pytest.mark.system
def test_a_session_does_not_pass_a_program_that_prints_more(tmp_path: Path, language: str) -> None:
    command = build(language, tmp_path, TALKATIVE[language])
    alone = subprocess.run(command, input=b"[]", env=PLAIN, capture_output=True, check=True)
    assert b"hm" in alone.stdout
    responses = respond(command, ['{"id": 1, "in": [[]]}', '{"id": 2, "in": []}'])
    assert set(responses) == {0, 1, 2}
    for number in (1, 2):
        assert "hm" in responses[number]["error"] and "out" not in responses[number]


@pytest.mark.system
@pytest.mark.parametrize(("language", "program"), GAMES)
def test_a_program_answers_in_a_session_as_alone(language: str, program: str) -> None:
    cases = [case for case in cases_of(program) if case.status == "0"][::4]
    requests = [
        f'{{"id": {number}, "in": {encode(parse(case.stdin.decode()))}}}'
        for number, case in enumerate(cases, 1)
    ]
    if language == "python":
        command = [sys.executable, "-P", "-m", f"xtests.{program}"]
    else:
        command = [need("node"), str(LANGUAGES / "javascript" / f"{program}.mjs")]
    responses = respond(command, requests)
    for number, case in enumerate(cases, 1):
        answers = responses[number]["out"]
        assert [without_message(answer) for answer in answers] == case.compared, case.name


@pytest.mark.parametrize("program", ["xtiles", "xboard"])
def test_an_invalid_input_is_an_error_that_does_not_end_the_session(program: str) -> None:
    command = [sys.executable, "-P", "-m", f"xtests.{program}"]
    responses = respond(command, ['{"id": 1, "in": [7]}', '{"id": 2, "in": []}'])
    assert {frozenset(response) for response in responses.values()} == {
        frozenset({"id", "protocol", "implementation", "version", "language"}),
        frozenset({"id", "error"}),
    }
    assert set(responses) == {0, 1, 2}


def test_a_request_may_be_longer_than_a_pipe() -> None:
    queries = ", ".join(['[22, 90, "C"]'] * 6000)
    command = [sys.executable, "-P", "-m", "xtests.xtiles"]
    responses = respond(command, [f'{{"id": 1, "in": [{queries}]}}', '{"id": 2, "in": []}'])
    assert len(responses[1]["out"]) == 6000 and "error" in responses[2]


def lines_of(side: str) -> Iterator[Any]:
    for file in SUITE.glob(f"*-{side}.json"):
        yield from map(json.loads, file.read_text(encoding="utf-8").split("\n")[:-1])


def test_the_schema_accepts_the_lines_of_the_suite_and_no_others() -> None:
    schema = schema_of("session")
    Draft202012Validator.check_schema(schema)
    for side, kinds in {"in": ("hello", "request"), "out": ("greeting", "response")}.items():
        whole = {**schema, "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in kinds]}
        validator = Draft202012Validator(whole)
        assert [line for line in lines_of(side) if not validator.is_valid(line)] == []
        other = "out" if side == "in" else "in"
        assert [line for line in lines_of(other) if validator.is_valid(line)] == []


@pytest.mark.parametrize(
    "line",
    [
        *({}, [], {"id": 1}, {"id": "1", "out": []}, {"id": 1.5, "out": []}, {"id": -1, "out": []}),
        *({"id": 1, "out": 3}, {"id": 1, "error": None}, {"id": 1, "out": [], "error": "both"}),
        *({"id": 0, "out": []}, {"id": 0, "protocol": 2}, {"id": 1, "in": {}}),
    ],
)
def test_the_schema_refuses_other_lines(line: Any) -> None:
    assert not Draft202012Validator(schema_of("session")).is_valid(line)
