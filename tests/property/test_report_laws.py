"""Laws of reports: each format is valid and complete, whatever texts events contain."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt
from schema_files import load_schema
from support.events import RUNS, STARTED, STREAMS, judged_runs, source_of_events, write_document
from xmlschema import XMLSchema10

from harness.analysis.summary import summary_of
from harness.model.events import Event, RunResult
from harness.model.tally import RunOutcome, outcome_of
from harness.reports.source import ResultSorter

JENKINS = XMLSchema10(Path(__file__).parent.parent / "data" / "junit" / "jenkins-junit.xsd")
REPORT = Draft202012Validator(load_schema("report"))
_law = settings(max_examples=40)
READER = MarkdownIt("commonmark").enable("table")


def tally(events: tuple[Event, ...]) -> Counter[RunOutcome]:
    return Counter(map(outcome_of, judged_runs(events)))


@_law
@given(STREAMS)
def test_junit_keeps_the_schema_and_counts_what_was_judged(events: tuple[Event, ...]) -> None:
    document = write_document("junit", *events)
    JENKINS.validate(document)
    root = ElementTree.fromstring(document)
    problems = len(summary_of(events).problems)
    found = tally(events)
    assert len(root.findall(".//failure")) == found[RunOutcome.FAILED]
    assert len(root.findall(".//error")) == found[RunOutcome.BROKEN] + problems
    unjudged = RunOutcome.KNOWN, RunOutcome.NOT_RUN, RunOutcome.SKIPPED
    skipped = sum(found[outcome] for outcome in unjudged)
    assert len(root.findall(".//skipped")) == skipped
    assert len(root.findall(".//testcase")) == sum(found.values()) + problems
    totals = {"failures": found[RunOutcome.FAILED], "skipped": skipped}
    for name, number in totals.items():
        assert sum(int(suite.attrib[name]) for suite in root) == number


TEST = re.compile(
    r"(not )?ok ([0-9]+) - (?:[^\\#]|\\[\\#])*( # (?:TODO|SKIP) (?:[^\\#]|\\[\\#])*)?"
)


@_law
@given(STREAMS)
def test_tap_has_a_plan_numbered_tests_and_yaml(events: tuple[Event, ...]) -> None:
    document = write_document("tap", *events)
    # Line ends only: there are others that a text may have.
    version, plan, *lines = document.removesuffix("\n").split("\n")
    tests = [line for line in lines if not line.startswith("  ")]
    found, problems = tally(events), len(summary_of(events).problems)
    assert version == "TAP version 13"
    assert re.fullmatch(rf"1\.\.{len(tests)}( # SKIP .*)?", plan)
    assert len(tests) == sum(found.values()) + problems
    for number, line in enumerate(tests, 1):
        parts = TEST.fullmatch(line)
        assert parts is not None and int(parts[2]) == number, line
    good = [line for line in tests if line.startswith("ok ") or " # TODO " in line]
    expected = RunOutcome.PASSED, RunOutcome.KNOWN, RunOutcome.SKIPPED
    assert len(good) == sum(found[outcome] for outcome in expected)
    for part in document.split("\n  ---\n")[1:]:
        details = yaml.safe_load(part.partition("\n  ...")[0])
        assert isinstance(details["message"], str) and isinstance(details["outcome"], str)


@_law
@given(STREAMS)
def test_json_keeps_its_schema_and_has_every_run(events: tuple[Event, ...]) -> None:
    report = json.loads(write_document("json", *events))
    REPORT.validate(report)
    counted = report["summary"]["runs"] + report["summary"]["skipped"]
    assert len(report["runs"]) == counted == sum(tally(events).values())


@_law
@given(STREAMS)
def test_markdown_has_only_the_markup_of_the_report(events: tuple[Event, ...]) -> None:
    document = write_document("markdown", *events)
    tokens = READER.parse(document)
    folded = [token.content for token in tokens if token.type == "html_block"]
    counts = []
    for block in folded:
        shape = re.fullmatch(
            r"(?:</details>\n)?<details><summary>"
            r"(<b>[a-z-]+</b> <code>[^<>]*</code> <code>[^<>]*</code>"
            r"(?: <code>and (?P<others>[0-9,]+) more like it: [^<>]*</code>)?"
            r"|[0-9,]+ known failures?|About this run)</summary>\n|</details>\n?",
            block,
        )
        assert shape, block
        if "<b>" in block:
            counts.append(1 + int(shape["others"] or 0))
    found = tally(events)
    failures = found[RunOutcome.FAILED] + found[RunOutcome.BROKEN]
    # Runs of one name, which are drawn seldom, count once.
    assert len(counts) <= sum(counts) <= failures
    assert bool(counts) == bool(failures)
    opened = 1 + len(counts) + bool(found[RunOutcome.KNOWN])
    assert sum(block.count("<details>") for block in folded) == opened
    inner = [child for token in tokens for child in token.children or []]
    assert {child.type for child in inner} <= {"text", "code_inline", "html_inline", "softbreak"}
    inline = {child.content for child in inner if child.type == "html_inline"}
    assert inline <= {"<code>", "</code>"}


@_law
@given(st.lists(RUNS, max_size=8), st.integers(1, 4_000))
def test_sorting_does_not_depend_on_how_much_is_held(events: list[RunResult], held: int) -> None:
    source = source_of_events(STARTED, *events)
    little, all_at_once = ResultSorter(held), ResultSorter()
    for order in (little, all_at_once):
        summary_of(source(), order.add)
    assert list(little.runs(source)) == list(all_at_once.runs(source))
    assert sorted(map(repr, little.runs(source))) == sorted(map(repr, events))
