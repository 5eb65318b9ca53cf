"""Laws of reports: whatever events say, readers of a format take it, and find what was judged."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt
from told_events import RUNS, STARTED, STREAMS, counted, made, source_of_events
from xmlschema import XMLSchema10

from harness.documents.order import Order
from harness.documents.summary import Outcome, outcome_of, summary_of
from harness.events import Event, Judged
from harness.suites.bundled import schemas_folder

JENKINS = XMLSchema10(Path(__file__).parent.parent / "data" / "junit" / "jenkins-junit.xsd")
REPORT = Draft202012Validator(
    json.loads(Path(schemas_folder(), "report.schema.json").read_text(encoding="utf-8"))
)
READER = MarkdownIt("commonmark").enable("table")


def tally(events: tuple[Event, ...]) -> dict[Outcome, int]:
    """How many runs have which outcome."""
    outcomes = [outcome_of(event) for event in counted(events)]
    return {outcome: outcomes.count(outcome) for outcome in Outcome}


@settings(deadline=None, max_examples=40)
@given(STREAMS)
def test_junit_keeps_the_schema_and_counts_what_was_judged(events: tuple[Event, ...]) -> None:
    """Well-formed, valid, and each outcome is an element of its own."""
    document = made("junit", *events)
    JENKINS.validate(document)
    root = ElementTree.fromstring(document)
    troubles = len(summary_of(events).troubles)
    found = tally(events)
    assert len(root.findall(".//failure")) == found[Outcome.FAILED]
    assert len(root.findall(".//error")) == found[Outcome.BROKEN] + troubles
    assert len(root.findall(".//skipped")) == found[Outcome.KNOWN]
    assert len(root.findall(".//testcase")) == sum(found.values()) + troubles
    totals = {"failures": found[Outcome.FAILED], "skipped": found[Outcome.KNOWN]}
    for name, number in totals.items():
        assert sum(int(suite.attrib[name]) for suite in root) == number


TEST = re.compile(r"(not )?ok ([0-9]+) - (?:[^\\#]|\\[\\#])*( # TODO (?:[^\\#]|\\[\\#])*)?")


@settings(deadline=None, max_examples=40)
@given(STREAMS)
def test_tap_has_a_plan_a_numbered_test_each_and_yaml(events: tuple[Event, ...]) -> None:
    """No text that a program printed is a test, a directive or the end of the YAML."""
    document = made("tap", *events)
    # Line ends only: there are others that a text may have.
    version, plan, *lines = document.removesuffix("\n").split("\n")
    tests = [line for line in lines if not line.startswith("  ")]
    found, troubles = tally(events), len(summary_of(events).troubles)
    assert version == "TAP version 13"
    assert re.fullmatch(rf"1\.\.{len(tests)}( # SKIP .*)?", plan)
    assert len(tests) == sum(found.values()) + troubles
    for number, line in enumerate(tests, 1):
        parts = TEST.fullmatch(line)
        assert parts is not None and int(parts[2]) == number, line
    good = [line for line in tests if line.startswith("ok ") or " # TODO " in line]
    assert len(good) == found[Outcome.PASSED] + found[Outcome.KNOWN]
    for part in document.split("\n  ---\n")[1:]:
        said = yaml.safe_load(part.partition("\n  ...")[0])
        assert isinstance(said["message"], str) and isinstance(said["outcome"], str)


@settings(deadline=None, max_examples=40)
@given(STREAMS)
def test_json_keeps_its_schema_and_has_every_run(events: tuple[Event, ...]) -> None:
    """One document, with each run once."""
    report = json.loads(made("json", *events))
    REPORT.validate(report)
    assert len(report["runs"]) == report["summary"]["runs"] == sum(tally(events).values())


@settings(deadline=None, max_examples=40)
@given(STREAMS)
def test_markdown_has_no_markup_but_ours(events: tuple[Event, ...]) -> None:
    """Whatever a text is, it ends neither the code nor the folding that it stands in."""
    document = made("markdown", *events)
    tokens = READER.parse(document)
    folded = [token.content for token in tokens if token.type == "html_block"]
    for block in folded:
        assert re.fullmatch(
            r"<details><summary>(<b>[a-z-]+</b> <code>[^<>]*</code> <code>[^<>]*</code>"
            r"|[0-9,]+ known failures?)</summary>\n|</details>\n?",
            block,
        ), block
    found = tally(events)
    opened = found[Outcome.FAILED] + found[Outcome.BROKEN] + bool(found[Outcome.KNOWN])
    assert sum(block.startswith("<details>") for block in folded) == opened
    inner = [child for token in tokens for child in token.children or []]
    assert {child.type for child in inner} <= {"text", "code_inline", "html_inline", "softbreak"}
    assert {child.content for child in inner if child.type == "html_inline"} <= {
        *("<code>", "</code>"),
    }


@settings(deadline=None, max_examples=40)
@given(st.lists(RUNS, max_size=8), st.integers(1, 4_000))
def test_the_order_is_that_of_all_at_once_however_little_is_held(
    events: list[Judged], held: int
) -> None:
    """Runs are neither lost nor told twice."""
    source = source_of_events(STARTED, *events)
    little, all_at_once = Order(held), Order()
    for order in (little, all_at_once):
        assert len(list(order.noting(source()))) == len(events) + 1
    assert list(little.runs(source)) == list(all_at_once.runs(source))
    assert sorted(map(repr, little.runs(source))) == sorted(map(repr, events))
