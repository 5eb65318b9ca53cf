"""Reports of a fest: what each reader sees, and that nothing foreign becomes code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.chromium import Browser
from support.events import bytes_of
from support.fest import ENDED, STARTED, judged, scores_of
from support.golden import Golden

from harness.fest.events import (
    CaseStatus,
    Duplicates,
    FestEvent,
    FestPlan,
    FestProgram,
    Role,
    Ruling,
    Submitted,
    WheatAnswer,
    WheatsDiffer,
)
from harness.fest.report_values import Reveal, pseudonyms
from harness.fest.reports import FEST_FORMATS, score_lines
from harness.model.events import Diagnostic, Evidence, RunResult
from harness.model.verdict import Verdict

EVIL = "=<img src=x onerror='window.pwned = 1'>"
RIGHT, WRONG, TIE, SLOW = "a" * 16, "b" * 16, "c" * 16, "d" * 16
MESSAGE = "1 difference: SECRET-ANSWER"


def events() -> Iterator[FestEvent]:
    """Yield a fest of a team whose name and outputs are HTML, and of an ordinary one."""
    programs = [("one", Role.WHEAT), ("two", Role.WHEAT), ("sly", Role.CHAFF)]
    programs += [(EVIL, Role.TEAM), ("red", Role.TEAM)]
    declared = tuple(FestProgram(name, role, name) for name, role in programs)
    yield STARTED
    yield Diagnostic(EVIL, "no suite.toml")
    yield FestPlan((EVIL, "red"), Duplicates.EACH, declared, ())
    right = Submitted(EVIL, "1", RIGHT, RIGHT, None, bytes_of("[1]\n"), bytes_of("[2]\n"))
    wrong = Submitted(EVIL, "2", RIGHT, WRONG, None, bytes_of("[1]\n"), bytes_of("[9]\n"))
    tie = Submitted("red", "<b>-1", TIE, TIE, None, bytes_of(f'"{EVIL}"\n'), bytes_of("1\n"))
    slow = Submitted("red", "3", SLOW, SLOW, None, bytes_of("[]\n"), bytes_of("1\n"))
    yield from (right, wrong, tie, Submitted("red", "2", reason="too large"), slow)
    for name, role in programs:
        for case in (right, wrong, tie):
            is_right = role is Role.WHEAT or name == EVIL
            passes = is_right if case is right else case is tie and name == "one"
            yield result(case, role, name, passes=passes)
        if role is Role.WHEAT:
            yield judged(slow, role, name, Verdict.SILENT, "nothing in 10 s", wall_s=10.0)
    answers = WheatAnswer(("one",), bytes_of("1\n"), 0), WheatAnswer(("two",), None)
    yield WheatsDiffer(TIE, answers)
    yield ENDED


def result(case: Submitted, role: Role, name: str, *, passes: bool) -> RunResult:
    verdict = (Verdict.PASSED, "") if passes else (Verdict.DIFFERS, MESSAGE)
    assert case.stdin is not None and case.stdout is not None
    printed = bytes_of(f"{EVIL}\n"), bytes_of("No module named chess\n")
    evidence = Evidence(case.stdin, case.stdout, *printed)
    run = judged(case, role, name, *verdict, evidence=evidence, exit=0)
    return run._replace(wall_s=0.5, cpu_s=0.25)


def document(name: str, reveal: Reveal = Reveal.SCORES) -> dict[str, str]:
    """Return the texts of a format by file name."""
    return dict(FEST_FORMATS[name].documents(scores_of(events()), reveal))


@pytest.mark.parametrize("name", ["csv", "gradescope", "markdown"])
def test_a_format_writes_what_is_recorded(name: str, golden: Golden) -> None:
    texts = [f"{file}\n{text}\n" for file, text in document(name).items()]
    golden(f"fest-{name}.txt", "".join(texts))


@pytest.mark.parametrize(
    ("reveal", "seen"), [(Reveal.SCORES, 1), (Reveal.CASES, 2), (Reveal.INPUTS, 5)]
)
@pytest.mark.parametrize("name", ["pages", "gradescope"])
def test_the_report_for_a_team_shows_no_more_than_its_level(
    name: str, reveal: Reveal, seen: int
) -> None:
    reports = document(name, reveal)
    (report,) = (text for text in reports.values() if re.search("b(>|&gt;)-1", text))
    pseudonym = pseudonyms(scores_of(events()))[EVIL]
    everything = ["failures: 1 differs", f"{pseudonym}/1", "[1]", "SECRET-ANSWER", "chess"]
    assert [each for each in everything if each in report] == everything[:seen]
    for secret in ("sly", "<img"):
        assert secret not in report or name == "gradescope"
    assert name == "gradescope" or not any("red" in file or "img" in file for file in reports)
    # Its author alone sees why a case is invalid, at the last level.
    assert ("SECRET-ANSWER" in "".join(reports.values())) == (reveal is Reveal.INPUTS)


def test_a_team_without_a_program_is_told_so() -> None:
    found = [
        each._replace(programs=each.programs[:-1], teams=("red", EVIL))
        if isinstance(each, FestPlan)
        else each
        for each in events()
        if not isinstance(each, RunResult) or each.subject != "team red"
    ]
    scores = scores_of(found)
    assert next(line for line in score_lines(scores) if "red" in line).split()[-1] == "none"
    for name in ("pages", "gradescope"):
        reports = FEST_FORMATS[name].documents(scores, Reveal.CASES)
        (report,) = (text for text in reports.values() if re.search("b(>|&gt;)-1", text))
        assert "no program was submitted" in report
        assert "program fails" not in report


def test_an_impossible_ruling_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be valid: too large"):
        scores_of(events(), Ruling("red", "2", CaseStatus.VALID))


@pytest.mark.system
def test_the_page_for_staff_runs_nothing_and_fits_a_phone(tmp_path: Path, browser: Browser) -> None:
    page = tmp_path / "fest.html"
    page.write_text(document("html")["fest.html"], encoding="utf-8")
    with browser.tab(width=390, dark=True) as tab:
        tab.open(page.as_uri())
        assert tab.value("window.pwned") is None
        assert tab.value("document.documentElement.scrollWidth") == 390
        cells = "[...document.querySelectorAll('table:not(.heat) tbody th')]"
        assert tab.value(f"{cells}.every(cell => cell.scrollWidth <= cell.clientWidth)")
        heat = "[...document.querySelectorAll('.heat tbody tr')].map(row => row.innerText)"
        assert tab.value(heat) == [f"{EVIL}\t–\t0"]
        assert EVIL in tab.value(
            "document.getElementById('bugs').nextElementSibling.nextElementSibling.innerText"
        )
        assert (tab.complaints(), tab.requests()) == ([], [page.as_uri()])
