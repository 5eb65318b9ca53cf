"""Annotations on GitHub: what they say and where, how many, and that nothing else is a command."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runner_log import Command, commands_in

from harness.about import About
from harness.documents.github import document
from harness.events import (
    Bytes,
    Event,
    Evidence,
    Judged,
    Known,
    Problem,
    RunEnded,
    RunStarted,
    ShownDifference,
)
from harness.records import Verdict
from harness.report.console import Loudness, reporter_for

TOP = Path(__file__).resolve().parent.parent.parent
ENDED = RunEnded({}, 1.25, 1)


def run(case: str, verdict: Verdict = Verdict.DIFFERS, **more: Any) -> Judged:
    """A judged run of the suite s."""
    told = {"suite": "s", "subject": "./p", "delivery": "plain", "message": "it is so"} | more
    return Judged(case=case, verdict=verdict, **told)


def evidence(stdin: str = "", expected: str = "", stdout: str = "", stderr: str = "") -> Evidence:
    """What was seen of a run."""
    data = [text.encode("utf-8", "surrogatepass") for text in (stdin, expected, stdout, stderr)]
    one, two, three, four = (Bytes(each, len(each)) for each in data)
    return Evidence(one, two, three, four, (ShownDifference("/0", expected, stdout),), 1)


def started(*said: About) -> RunStarted:
    """The first event of a run."""
    return RunStarted("0.1.0", "2026-01-31T12:00:00Z", ("s",), 9, 1, about=said)


def text_of(*events: Event) -> str:
    """The document of these events."""
    return "".join(document(lambda: iter(events)))


def commands(*events: Event) -> list[Command]:
    """What the runner reads in it."""
    text = text_of(*events)
    found = commands_in(text)
    assert len(found) == text.count("\n")
    return found


def test_of_what_passed_nothing_is_said() -> None:
    assert text_of(started(), run("1", Verdict.PASSED), ENDED) == ""


def test_a_failure_is_an_error_that_says_all_one_needs() -> None:
    event = run(
        *("2", Verdict.DIFFERS),
        message="1 difference, the first at /0",
        repeat=("xtest", "run", "s", "--case", "2"),
        evidence=evidence("[2]\n", "[4]", "100%\n[5]"),
    )
    text = text_of(started(), event, ENDED)
    assert text == (
        "::error title=differs%3A s/2::1 difference, the first at /0%0Ainput: [2]%0Aexpected: [4]"
        "%0Aprinted: 100%25\\n[5]%0Arepeat: xtest run s --case 2\n"
    )
    assert commands_in(text) == [
        Command(
            "error",
            {"title": "differs: s/2"},
            "1 difference, the first at /0\ninput: [2]\nexpected: [4]\nprinted: 100%\\n[5]\n"
            "repeat: xtest run s --case 2",
        )
    ]


def test_the_deliveries_of_a_case_are_one_annotation() -> None:
    runs = [
        run("1", Verdict.PASSED),
        run("1", Verdict.DIFFERS, delivery="slow", known=Known("it is slow")),
        run("1", Verdict.SILENT, delivery="cut", message="nothing came"),
    ]
    assert commands(started(), *runs, ENDED) == [
        Command(
            "error",
            {"title": "silent: s/1"},
            "nothing came\ndeliveries: cut, slow; 3 were tried",
        )
    ]


def test_a_known_failure_is_a_notice_and_what_is_known_no_more_an_error() -> None:
    runs = [
        run("1", known=Known("ties")),
        run("2", Verdict.PASSED, known=Known("ties", holds=False)),
    ]
    assert commands(started(), *runs, ENDED) == [
        Command("notice", {"title": "known: s/1"}, "it is so\nknown: ties"),
        Command(
            "error",
            {"title": "outgrown: s/2"},
            "it passed, and is listed as a known failure: take it out of [[known]]\nknown: ties",
        ),
    ]


def test_a_broken_case_and_a_problem_are_errors() -> None:
    event = run("1", Verdict.INVALID_CASE, repeat=("xtest", "run"))
    assert commands(started(), event, Problem("s", "a stray file"), ENDED) == [
        Command("error", {"title": "problem: s"}, "a stray file"),
        Command("error", {"title": "invalid-case: s/1"}, "it is so"),
    ]


def test_several_subjects_are_told_apart() -> None:
    runs = [run("1"), run("1", subject="./q, r")]
    titles = [command.properties["title"] for command in commands(started(), *runs, ENDED)]
    assert titles == ["differs: s/1, ./p", "differs: s/1, ./q, r"]


def test_what_is_broken_for_all_subjects_or_all_cases_is_told_once() -> None:
    events = [
        *(run("1", Verdict.INVALID_CASE, subject=subject) for subject in ("./p", "./q")),
        *(run(case, Verdict.NOT_STARTED, subject="./p", message="no such file") for case in "23"),
        *(run(case, Verdict.CRASHED, subject="./q") for case in "23"),
    ]
    found = commands(started(), *events, ENDED)
    assert [command.properties["title"] for command in found] == [
        *("invalid-case: s/1", "not-started: ./p", "crashed: s/2, ./q", "crashed: s/3, ./q")
    ]
    assert found[1].data == "no such file"


@pytest.mark.parametrize("number", [9, 10, 11, 40])
def test_there_are_no_more_than_github_shows(number: int) -> None:
    runs = [run(str(case)) for case in range(1, number + 1)]
    found = commands(started(), *runs, run("99", known=Known("x")), ENDED)
    errors = [command for command in found if command.name == "error"]
    assert len(errors) == min(number, 10)
    assert errors[8].properties["title"] == "differs: s/9"
    assert [command.name for command in found].count("notice") == 1
    if number > 10:
        assert errors[9] == Command(
            "error",
            {"title": f"and {number - 9} more errors"},
            "GitHub shows 10 of a kind; the summary of the job and the log have more",
        )


# Where they are shown.


@pytest.fixture(name="repository")
def _repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a suite in a folder of it, which we are in."""
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    suite = tmp_path / "work/s,1"
    suite.mkdir(parents=True)
    for name in ("07-in.json", "07-out.json", "8-in.json", "notes"):
        (suite / name).write_text("1", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def files(folder: str, *cases: str) -> list[str | None]:
    """The files of the annotations of cases in such a folder."""
    found = commands(started(About("s", folder)), *map(run, cases), ENDED)
    assert all((command.properties.get("line", "1")) == "1" for command in found)
    return [command.properties.get("file") for command in found]


@pytest.mark.usefixtures("repository")
def test_an_annotation_is_put_on_the_expected_output_whatever_it_is_called() -> None:
    assert files("s,1", "7", "8", "9") == ["work/s,1/07-out.json", None, None]


@pytest.mark.usefixtures("repository")
def test_the_cases_of_a_packed_suite_are_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "work/packed").mkdir()
    (tmp_path / "work/packed/cases.jsonl").write_text("", encoding="utf-8")
    assert files("packed", "7") == ["work/packed/cases.jsonl"]


@pytest.mark.usefixtures("repository")
def test_what_is_not_there_or_not_in_the_repository_has_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert files("nowhere", "7") == [None]
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "work/s,1/deep"))
    assert files("s,1", "7") == [None]


@pytest.mark.usefixtures("repository")
def test_elsewhere_paths_begin_where_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE")
    assert files("s,1", "7") == ["s,1/07-out.json"]


# Nothing else is a command.

EVIL = (
    *("::error::x", "  ::stop-commands::x", "##[set-output name=a]b", "#", "##[", "##[group]", "]"),
    *("::", ":", "%0A::error::x", "\n::add-mask::x", "\r::error::x", "\u2028::error::x", "é", "1"),
    *("\x0b::error::x", "\x1b[0m::error::x", "\udcff", '"', "[", "{", " ", "x", ",title=y", "%3A"),
)
TEXTS = st.lists(st.sampled_from(EVIL) | st.text(max_size=3), max_size=6).map("".join)


@given(TEXTS, TEXTS, TEXTS, TEXTS, st.sampled_from([Verdict.DIFFERS, Verdict.MALFORMED]))
@settings(deadline=None, max_examples=300)
def test_nothing_that_a_subject_prints_is_a_command(
    message: str, stdout: str, stderr: str, name: str, verdict: Verdict
) -> None:
    """Neither in the annotations, which are as many as there are cases, nor in the log."""
    seen = evidence("::error::x\n", '["##[group]x"]', stdout, stderr)
    event = run("1", verdict, message=f"so {message}", subject=name, evidence=seen)
    (command,) = commands(started(), event, ENDED)
    assert (command.name, list(command.properties)) == ("error", ["title"])
    log = io.StringIO()
    reporter = reporter_for(log, Loudness.VERBOSE, full=True)
    for each in (started(), event, Problem("s", message), ENDED):
        reporter.show(each)
    assert not commands_in(log.getvalue())


def test_in_a_job_the_commands_are_printed_and_the_summary_is_added_to(tmp_path: Path) -> None:
    suite = tmp_path / "s"
    suite.mkdir()
    (suite / "1-in.json").write_text("[1]", encoding="utf-8")
    (suite / "1-out.json").write_text("[2]", encoding="utf-8")
    script = "echo '##[set-output name=a]b'; printf 'x\\n  ::add-mask::x\\n' >&2"
    (tmp_path / "summary").write_text("before\n\n", encoding="utf-8")
    done = subprocess.run(
        [*(sys.executable, "-m", "harness", "run", "s", "--report", "github", "--", "sh", "-c")]
        + [script],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(TOP),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            "GITHUB_WORKSPACE": str(tmp_path),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (command,) = commands_in(done.stdout)
    assert command.properties == {"file": "s/1-out.json", "line": "1", "title": "malformed: s/1"}
    # People are told on the other stream, which is in the same log.
    assert "malformed  s/1" in done.stderr
    assert not commands_in(done.stderr)
    summary = (tmp_path / "summary").read_text(encoding="utf-8")
    assert summary.startswith("before\n\n## xtest: ")
    assert "| `s` | `sh` | 1 | 0 | 0 | 1 | 0 |" in summary


def test_a_summary_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    for side in ("in", "out"):
        (tmp_path / f"s/1-{side}.json").write_text("1", encoding="utf-8")
    done = subprocess.run(
        [*(sys.executable, "-m", "harness", "run", "s", "-q", "--report", "github", "--", "cat")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(TOP), "GITHUB_STEP_SUMMARY": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "xtest: --report github=-: is a directory"
