"""Reports for students: nothing of a case that they may not see, in any format."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.events import ENDED, STARTED, evidence, evidence_with, run, source_of_events

from harness.analysis.summary import summary_of
from harness.model.events import (
    DeliveriesDiffer,
    DependsOnOrder,
    Diagnostic,
    Event,
    KnownFailure,
    RunEnded,
    RunStarted,
)
from harness.model.judgement import ShownDifference
from harness.model.suite_info import Audience, GradingRule, SuiteInfo, Visibility
from harness.model.verdict import Verdict
from harness.reports.filter import ReportFilter, filter_source
from harness.reports.registry import FORMATS, ReportRequest
from harness.reports.text.phrases import headline
from harness.reports.writer import make_reports

SECRET = "s3cret"
NUMBER: Any = 7654321
NUMBERS = (
    *("wall_s", "first_byte_s", "cpu_s", "peak_mib"),
    *("processes", "stdout_bytes", "stderr_bytes"),
)
NOT_VISIBLE = [each for each in Visibility if each is not Visibility.VISIBLE]

VISIBLE = run("1", Verdict.DIFFERS, evidence=evidence(ShownDifference("/0", "[6]", "6")))
HIDDEN = run(
    *("4", Verdict.DIFFERS),
    message=SECRET,
    tags=(SECRET,),
    evidence=evidence_with([SECRET] * 4, ShownDifference(f"/{SECRET}", SECRET, SECRET)),
    known=KnownFailure(SECRET, SECRET, holds=False),
    repeat=(SECRET,),
    signal=SECRET,
    **dict.fromkeys(NUMBERS, NUMBER),
)
LEAKS = (SECRET, "7654", "7,654", "2126 h")


def started(visibility: Visibility, selected: int = 4) -> RunStarted:
    """Return the start of a run of four cases, of which all but the first have this visibility."""
    rule = GradingRule("2-4", 2.0, visibility, 3)
    suite_info = SuiteInfo("s", "nowhere", points=7.0, worth=(rule,), cases=4, selected=selected)
    return STARTED._replace(runs=4, suite_infos=(suite_info,))


def events_with(visibility: Visibility, ended: RunEnded | None = ENDED) -> tuple[Event, ...]:
    """Return a run with something secret in each place that a hidden case can reach."""
    differing = (HIDDEN._replace(case="2", delivery=way) for way in ("plain", "cut"))
    return (
        started(visibility),
        *(VISIBLE, HIDDEN, *differing, run("3", Verdict.INVALID_CASE, message=SECRET)),
        DeliveriesDiffer("s/2", "x", 1, 2, SECRET),
        Diagnostic("s", SECRET),
        *([ended._replace(wall_s=NUMBER, not_run=7654)] if ended else []),
    )


def report(name: str, audience: Audience, folder: Path, *events: Event) -> str:
    file = folder / "report"
    request = ReportRequest("--to", name, str(file))
    assert not make_reports([request], source_of_events(*events), audience=audience)
    if file.is_file():
        return file.read_text("utf-8")
    parts = [each for each in sorted(file.rglob("*")) if each.is_file()]
    return "\n".join(f"{each.name}\n{each.read_text('utf-8')}" for each in parts)


@pytest.mark.parametrize("visibility", NOT_VISIBLE)
@pytest.mark.parametrize("name", FORMATS)
def test_a_report_for_students_has_nothing_of_a_hidden_case(
    name: str, visibility: Visibility, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_summary = tmp_path / "summary"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(job_summary))
    for ended in (ENDED, ENDED._replace(interrupted=True, exit=130), None):
        events = events_with(visibility, ended)
        document = report(name, Audience.STUDENT, tmp_path, *events)
        assert [leak for leak in LEAKS if leak in document] == []
        assert FORMATS[name].has_only_counts or SECRET in report(
            name, Audience.STAFF, tmp_path, *events
        )
        if name == "github":
            shown, _, staff = job_summary.read_text("utf-8").partition(SECRET)
            assert "s/1" in shown and staff
            job_summary.unlink()


@pytest.mark.parametrize("audience", Audience)
@pytest.mark.parametrize("visibility", Visibility)
def test_an_audience_sees_what_gradescope_shows_it(
    audience: Audience, visibility: Visibility, tmp_path: Path
) -> None:
    later, published = Visibility.AFTER_DUE_DATE, Visibility.AFTER_PUBLISHED
    sees = {
        Audience.STUDENT: {Visibility.VISIBLE},
        Audience.STUDENT_AFTER_DUE_DATE: {Visibility.VISIBLE, later},
        Audience.STUDENT_AFTER_PUBLISHED: {Visibility.VISIBLE, later, published},
        Audience.STAFF: set(Visibility),
    }
    events = (started(visibility, 2), VISIBLE, HIDDEN, ENDED)
    shown = json.loads(report("json", audience, tmp_path, *events))
    cases = ["1", "4"] if visibility in sees[audience] else ["1"]
    assert [run["case"] for run in shown["runs"]] == cases
    (subject,) = shown["matrix"]["subjects"]
    assert (subject["points"], subject["maximum"]) == (0, 1 if cases == ["1"] else 3)


def shown_to_students(*events: Event) -> list[Event]:
    student = ReportFilter(audience=Audience.STUDENT)
    return list(filter_source(source_of_events(*events), student)())


def test_a_report_for_students_says_that_cases_are_not_shown() -> None:
    some = shown_to_students(*events_with(Visibility.HIDDEN)[:3], ENDED)
    assert headline(summary_of(some)) == "0 of 1 passed: 1 failed; other cases are not shown"
    none = summary_of(shown_to_students(started(Visibility.HIDDEN), HIDDEN, ENDED))
    assert (none.why_nothing_ran, none.problems, none.groups) == (
        "no case may be shown yet",
        (),
        (),
    )
    runs = [run(case) for case in "1234"]
    everything = shown_to_students(started(Visibility.VISIBLE), *runs, ENDED)
    assert headline(summary_of(everything)) == "all 4 passed"
    part = shown_to_students(started(Visibility.VISIBLE), *runs[:3], ENDED)
    assert headline(summary_of(part)) == "all 3 passed; 1 case not selected"


@pytest.mark.parametrize(
    ("polluter", "cause", "known", "shown_cause"),
    [
        ("4", "case 4", "", "another case"),
        ("4", "4", "", "another case"),
        ("1", "case 1", "1", "case 1"),
    ],
)
def test_a_hidden_case_is_not_named_as_the_cause_of_another_verdict(
    polluter: str, cause: str, known: str, shown_cause: str
) -> None:
    message = "it passes in a session with {}, but in a fresh process its verdict is differs"
    found = DependsOnOrder("s/1", "x", polluter, message.format(cause), ("xtest", "run"))
    *_, shown, _ = shown_to_students(started(Visibility.HIDDEN), VISIBLE, HIDDEN, found, ENDED)
    assert shown == DependsOnOrder("s/1", "x", known, message.format(shown_cause), ())


def test_a_problem_is_mentioned_once_without_its_text() -> None:
    events = (*events_with(Visibility.HIDDEN)[:-1], Diagnostic("t", SECRET), ENDED)
    (problem,) = (each for each in shown_to_students(*events) if isinstance(each, Diagnostic))
    assert problem.message.endswith("Please tell the course staff.")


@pytest.mark.parametrize(
    "message",
    [
        "its build failed: cc -c [/opt/]a.c, in [/home/staff/My Course/]ada: exit status 1",
        "./p: no such file or directory in [/home/]ada",
        "its folder [/home/]ada: no such file or directory",
        r"./p in [/home/]ada has a Windows line ending (fix: sed -i 's/\r$//' ./p)",
        "./p in [/home/My Course/]ada is not executable (chmod +x ./p)",
        "./p in [/home/]ada names the interpreter [/opt/x y/bin/]python2, which cannot be run",
        "[/home/]p is not executable (chmod +x [/home/]p)",
        "[/home/]p: no such file or directory; found ../p.py",
        "its build failed: see https://example.org/help/build",
    ],
)
def test_students_see_no_folders_or_commands_of_the_staff(message: str) -> None:
    """Only staff see the text in brackets."""
    message, shown = re.sub(r"[][]", "", message), re.sub(r"\[.*?\]", "", message)
    event = run("1", Verdict.NOT_STARTED, message=message, repeat=("xtest", "run", "s"))
    source = source_of_events(started(Visibility.VISIBLE), event, ENDED)
    for_students = event._replace(message=shown, repeat=())
    for audience, expected in ((Audience.STUDENT, for_students), (Audience.STAFF, event)):
        _, found, _ = filter_source(source, ReportFilter(suites=("s",), audience=audience))()
        assert found == expected
