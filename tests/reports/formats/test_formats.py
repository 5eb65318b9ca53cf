"""All report formats: golden files of one stream, rules of syntax, and bounded sizes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.events import (
    ENDED,
    KNOWN,
    SINGLE,
    STARTED,
    STREAM,
    evidence,
    run,
    source_of_events,
    write_document,
)
from support.golden import Golden, compare_with_file
from support.xtest import TOP

from harness.model.event_lines import parse_event
from harness.model.events import RunEnded
from harness.model.judgement import ShownDifference
from harness.model.suite_info import SuiteInfo
from harness.model.verdict import Verdict
from harness.reports.formats.markdown import code, fenced, table_code
from harness.reports.registry import FORMATS, ReportRequest
from harness.reports.text import facts
from harness.reports.text.facts import Fact
from harness.reports.writer import make_reports

TEXTS = [name for name, each in FORMATS.items() if not each.is_folder and name != "html"]
ENDINGS = {"junit": "xml", "markdown": "md", "json": "json", "html": "html", "gradescope": "json"}


@pytest.mark.parametrize("name", TEXTS)
def test_a_format_writes_what_is_recorded(name: str, golden: Golden) -> None:
    events = SINGLE if FORMATS[name].single_subject else STREAM
    document = write_document(name, *events)
    golden(f"{name}.{ENDINGS.get(name, 'txt')}", document)
    assert document == write_document(name, *events)


@pytest.mark.parametrize("name", [name for name, each in FORMATS.items() if each.shows_facts])
def test_a_fact_that_is_declared_once_is_in_every_format(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = (*facts.FACTS, lambda summary: Fact("moon", "Moon", f"full at {summary.runs}"))
    monkeypatch.setattr(facts, "FACTS", declared)
    host = STARTED._replace(host="ada.example", command_line=("xtest", "run", "s"))
    source = source_of_events(host, run("1"), ENDED)
    assert not make_reports([ReportRequest("--to", name, str(tmp_path / "report"))], source)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    document = "".join(path.read_text("utf-8") for path in files)
    assert [
        text for text in ("ada.example", "xtest run s", "full at 1") if text not in document
    ] == []


@pytest.mark.parametrize("name", TEXTS)
def test_an_idle_run_is_reported(name: str, golden: Golden) -> None:
    idle = RunEnded({}, 0.0, 0, why_nothing_ran="nothing failed last time")
    golden(f"idle-{name}.txt", write_document(name, STARTED, idle))


def test_junit_names_have_no_dots_and_no_time_is_a_time() -> None:
    document = write_document("junit", run("1", suite="a.b", subject='"x".y'))
    assert 'classname="a_b.&quot;x&quot;_y"' in document
    assert 'timestamp="1970-01-01T00:00:00"' in document


def test_markdown_code_cannot_be_ended(golden: Golden) -> None:
    golden.table("markdown-code.txt", code)
    assert table_code("a`b") == "``a`b``"
    assert table_code("a|b") == "<code>a&#124;b</code>"
    assert fenced("diff", ["- a", "+ ````"]) == "`````diff\n- a\n+ ````\n`````\n"


@pytest.mark.parametrize("groups", [1, 3, 300])
def test_markdown_fits_into_a_comment_and_counts_what_is_left_out(groups: int) -> None:
    texts = "9" * 4_000, "8" * 4_000
    longs = [
        evidence(ShownDifference(f"/0/k{at}", *texts), stdout="7" * 9_000) for at in range(300)
    ]
    runs = [
        run(str(at), Verdict.DIFFERS, evidence=long, suite=f"s{at % groups}", message="m" * 3_000)
        for at, long in enumerate(longs)
    ]
    known = [KNOWN._replace(case=str(at)) for at in range(400)]
    document = write_document("markdown", STARTED, *runs, *known, ENDED)
    assert len(document.encode()) < 62_000
    shown = document.count("<b>differs</b>")
    assert shown > 5
    assert "more known failures, left out for size." in document
    left_out = {1: f"{300 - shown} more ways", 3: "more ways", 300: "more sections"}
    assert f"{left_out[groups]}, left out for size." in document


def test_markdown_shows_the_first_of_equal_failures_of_a_suite_and_names_the_others() -> None:
    runs = [
        run(case, Verdict.CRASHED, message="killed", suite=suite)
        for suite in "st"
        for case in "123"
    ]
    document = write_document("markdown", STARTED, *runs, ENDED)
    assert document.count("<b>crashed</b>") == 2
    assert (
        "<code>s/1</code> <code>killed</code> <code>and 2 more like it: s/2, s/3</code>" in document
    )


# docs/reports.md shows a report of the example in docs/results.md.

PAGE = TOP / "docs" / "reports.md"


def test_markdown_shows_failures_first_and_the_points_of_all_subjects() -> None:
    suite_infos = (SuiteInfo("s", "s", points=10.0, cases=1, selected=1),)
    verdicts = [Verdict.CRASHED if number == 7 else Verdict.PASSED for number in range(21)]
    runs = [run("1", each, subject=f"x{number}") for number, each in enumerate(verdicts)]
    started = STARTED._replace(suite_infos=suite_infos)
    document = write_document("markdown", started, *runs, ENDED)
    first, details, last = re.split("^###.*\n", document, flags=re.MULTILINE)
    assert first.count("| `s` |") == 1
    assert "\nLeft out: 20 rows without failures; 20 of 21 subjects have none.\n" in first
    assert "<b>crashed</b>" in details
    assert "| `x7` | 0/1 | 0/10 |" in last and "| `x8` | 1/1 | 10/10 |" in last
    single = write_document("markdown", started, runs[8], ENDED)
    assert "\nPoints: 10/10\n" in single and "All subjects" not in single


def test_the_page_names_every_format_and_shows_a_report(request: pytest.FixtureRequest) -> None:
    page, results = (path.read_text("utf-8") for path in (PAGE, PAGE.with_name("results.md")))
    assert [name for name in FORMATS if f"\n| [`{name}`](" not in page] == []
    (example,) = re.findall(r"```json\n(.*?)```", results, re.S)
    document = write_document("csv", *map(parse_event, example.splitlines()))
    before, heading, section = page.partition("\n## csv\n\n```text\n")
    after = section.partition("```\n")[2]
    page = "".join([before, heading, document.replace("\r\n", "\n"), "```\n", after])
    compare_with_file(request.node, PAGE, page)
