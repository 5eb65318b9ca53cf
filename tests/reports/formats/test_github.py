"""GitHub annotations: their files, how many there are, and that output cannot be a command."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.events import ENDED, STARTED, TEXTS, evidence, run, write_document
from support.golden import Golden
from support.runner_log import Command, commands_in
from support.suites import write_suite

from harness.model.events import Diagnostic, Event, KnownFailure
from harness.model.judgement import ShownDifference
from harness.model.suite_info import SuiteInfo
from harness.model.verdict import Verdict
from harness.reports.terminal.console import ConsoleReporter, Verbosity
from harness.suites.packed import PackedCase, format_line


def commands(*events: Event) -> list[Command]:
    """Return the commands that the runner reads; each line is one."""
    text = write_document("github", *events)
    found = commands_in(text)
    assert len(found) == text.count("\n")
    return found


def test_the_deliveries_of_a_case_are_one_annotation() -> None:
    runs = [
        run("1"),
        run("1", Verdict.DIFFERS, delivery="slow", known=KnownFailure("it is slow")),
        run("1", Verdict.SILENT, delivery="cut", message="nothing came", repeat=()),
    ]
    (command,) = commands(STARTED, *runs, ENDED)
    data = "nothing came\nfailed deliveries: cut, slow (2 of 3)"
    assert command == Command("error", {"title": "silent: s/1"}, data)


def test_what_is_broken_for_all_subjects_or_all_cases_is_reported_once() -> None:
    events = [
        *(run("1", Verdict.INVALID_CASE, subject=subject) for subject in "pq"),
        *(run(case, Verdict.NOT_STARTED, subject="p", message="no such file") for case in "23"),
        *(run(case, Verdict.CRASHED, subject="q") for case in "23"),
    ]
    assert [command.properties["title"] for command in commands(STARTED, *events, ENDED)] == [
        *("invalid-case: s/1", "not-started: p", "crashed: s/2, q", "crashed: s/3, q")
    ]


def test_equal_failures_are_one_annotation_that_names_the_others() -> None:
    runs = [run(case, Verdict.CRASHED, message="killed", repeat=()) for case in "123456"]
    other = run("7", Verdict.CRASHED, message="aborted", repeat=())
    first, last = commands(STARTED, *runs, other, ENDED)
    assert first.data == "killed\nand 5 more like it: s/2, s/3, s/4, s/5, s/6"
    assert last == Command("error", {"title": "crashed: s/7"}, "aborted")


@pytest.mark.parametrize("number", [9, 10, 11, 40])
def test_there_are_no_more_annotations_than_github_shows(number: int) -> None:
    runs = [run(str(at), Verdict.DIFFERS, message=f"{at}") for at in range(1, number + 1)]
    known = run("99", Verdict.DIFFERS, known=KnownFailure("x"))
    found = commands(STARTED, *runs, known, ENDED)
    errors = [command.properties["title"] for command in found if command.name == "error"]
    assert len(errors) == min(number, 10)
    assert errors[8] == "differs: s/9"
    assert [command.name for command in found].count("notice") == 1
    if number > 10:
        assert errors[9] == f"and {number - 9} more errors"


def test_an_annotation_is_put_on_the_expected_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    """The repository has a folder `work`, the working directory."""
    write_suite(tmp_path / "work/s,1", {"07": "1"})
    (tmp_path / "work/s,1/8-in.json").touch()
    write_suite(tmp_path / "work/packed", {})
    lines = (format_line(PackedCase(case, b"1", b"1")) for case in ("a/6", "07"))
    (tmp_path / "work/packed/cases.jsonl").write_bytes(b"".join(lines))
    monkeypatch.chdir(tmp_path / "work")

    def file(example: tuple[str, str, str]) -> str:
        workspace, folder, case = example
        monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / workspace) if workspace else "")
        started = STARTED._replace(suite_infos=(SuiteInfo("s", folder),))
        (found,) = commands(started, run(case, Verdict.DIFFERS), ENDED)
        place = found.properties
        return f"{place['file']}:{place['line']}" if "file" in place else "none"

    golden.table("annotated-files.txt", file)


EVIL = (
    *("::error::x", "  ::stop-commands::x", "##[set-output name=a]b", "##[group]", "%0A::error::x"),
    *("\n::add-mask::x", "\r::error::x", "\u2028::error::x", "\x0b::error::x", ",title=y", ":"),
)
HOSTILE = st.lists(st.sampled_from(EVIL) | TEXTS.map("".join), max_size=6).map("".join)


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
@settings(max_examples=200)
def test_no_output_of_a_subject_is_a_command(
    message: str, stdout: str, stderr: str, name: str
) -> None:
    """Neither in the annotations nor in the log of a run."""
    seen = evidence(ShownDifference("/0", "::error::x", stdout), stdout=stdout, stderr=stderr)
    event = run("1", Verdict.DIFFERS, message=message, subject=name, evidence=seen)
    (command,) = commands(STARTED, event, ENDED)
    assert (command.name, list(command.properties)) == ("error", ["title"])
    log = io.StringIO()
    reporter = ConsoleReporter(log, Verbosity.VERBOSE, full=True)
    for each in (STARTED, event, Diagnostic("s", message), ENDED):
        reporter.show(each)
    assert not commands_in(log.getvalue())
