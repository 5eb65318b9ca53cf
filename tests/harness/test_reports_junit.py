"""JUnit XML: what each outcome is, and that readers with a schema take it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from told_events import ALL, DIFFERS, ENDED, KNOWN, STARTED, made, run
from xmlschema import XMLSchema10

from harness.events import Event, Known, Problem, RunEnded

JENKINS = XMLSchema10(Path(__file__).parent.parent / "data" / "junit" / "jenkins-junit.xsd")


def test_each_outcome_has_its_element() -> None:
    (suite,) = ElementTree.fromstring(made("junit", *ALL))
    assert suite.attrib == {
        "name": "s, x",
        "package": "s",
        "id": "0",
        "timestamp": "2026-01-31T12:00:00",
        "hostname": "localhost",
        "tests": "9",
        "failures": "3",
        "errors": "2",
        "skipped": "1",
        "time": "2.250",
    }
    cases = suite.findall("testcase")
    assert [(one.get("name"), [(what.tag, what.get("type")) for what in one]) for one in cases] == [
        ("2", []),
        ("2 (slow)", []),
        ("3", [("failure", "differs")]),
        ("4", [("failure", "crashed")]),
        ("5", [("skipped", None)]),
        ("6", [("failure", "outgrown")]),
        ("7", [("error", "invalid-case")]),
        ("8", [("error", "harness-fault")]),
        ("10", []),
    ]
    assert {one.get("classname") for one in cases} == {"s.x"}


def test_a_failure_has_the_message_and_all_that_a_terminal_shows() -> None:
    assert (
        made("junit", STARTED, DIFFERS, ENDED)
        == """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="s, x" package="s" id="0" timestamp="2026-01-31T12:00:00"\
 hostname="localhost" tests="1" failures="1" errors="0" skipped="0" time="0.250">
    <properties>
      <property name="suite" value="s"/>
      <property name="subject" value="x"/>
      <property name="xtest" value="0.1.0"/>
    </properties>
    <testcase classname="s.x" name="3" time="0.250">
      <failure type="differs" message="why 3">differs  s/3  why 3
    input      3
    expected   [6]
    printed    6
    stderr     oops
    ended      exit status 0, after 0.250 s
    repeat     xtest run s --case 3</failure>
    </testcase>
    <system-out/>
    <system-err/>
  </testsuite>
</testsuites>
"""
    )


def test_a_known_failure_says_why() -> None:
    bare = KNOWN._replace(case="9", known=Known("because"))
    root = ElementTree.fromstring(made("junit", STARTED, KNOWN, bare, ENDED))
    first, second = (found.text or "" for found in root.iter("skipped"))
    assert first.splitlines()[:2] == [
        "known failure: issue #5, https://example.org/5",
        "differs  s/5  why 5",
    ]
    assert second.startswith("known failure: because\n")


def test_subjects_and_suites_are_told_apart_and_dots_in_their_names_part_nothing() -> None:
    others = [run("1", suite="v1.2", subject=subject) for subject in ("./a.py", "b", "")]
    root = ElementTree.fromstring(made("junit", STARTED, run("1"), *others, ENDED))
    assert [(suite.get("id"), suite.get("name")) for suite in root] == [
        *(("0", "s, x"), ("1", "v1.2, (no name)"), ("2", "v1.2, ./a.py"), ("3", "v1.2, b")),
    ]
    classes = [case.get("classname") for case in root.iter("testcase")]
    assert classes == ["s.x", "v1_2.(no name)", "v1_2._/a_py", "v1_2.b"]


def test_problems_are_errors_of_a_suite_of_xtest() -> None:
    root = ElementTree.fromstring(made("junit", STARTED, Problem("s", "no <such> file"), run("1")))
    _, suite = root
    assert (suite.get("name"), suite.get("tests"), suite.get("errors")) == ("xtest", "2", "2")
    first, second = suite.iter("error")
    assert (first.get("type"), first.get("message"), first.text) == (
        *("problem", "no <such> file", "no <such> file"),
    )
    assert second.get("message") == "the results end early: of 9 runs, 1 were judged"


def test_characters_that_xml_cannot_carry_are_made_visible() -> None:
    event = DIFFERS._replace(message="\0\x1b[31m\ufffe]]>\U0001f600")
    root = ElementTree.fromstring(made("junit", STARTED, event, ENDED))
    (failure,) = root.iter("failure")
    assert failure.get("message") == "\\x00\\x1b[31m\\ufffe]]>\U0001f600"


@pytest.mark.parametrize(
    "events",
    [
        ALL,
        (),
        (STARTED, RunEnded({}, 0.0, 0, idle="nothing fell short")),
        (STARTED, Problem("", ""), run("")),
    ],
)
def test_the_schema_of_jenkins_is_kept_and_what_others_want_beside(
    events: tuple[Event, ...],
) -> None:
    document = made("junit", *events)
    JENKINS.validate(document)
    for suite in ElementTree.fromstring(document):
        assert [child.tag for child in suite if child.tag != "testcase"] == [
            *("properties", "system-out", "system-err"),
        ]
        # As Windy Road's schema for Ant has it.
        assert {
            "name",
            "timestamp",
            "hostname",
            "tests",
            "failures",
            "errors",
            "time",
            "package",
        } < {*suite.attrib}
        for case in suite.iter("testcase"):
            assert {*case.attrib} == {"classname", "name", "time"} and len(case) <= 1
