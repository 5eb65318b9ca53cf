"""Reports of a fest: what each reader sees, and that nothing foreign becomes code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.chromium import Browser
from support.events import bytes_of
from support.fest import scores_of
from support.golden import Golden

from harness.fest.events import (
    Answered,
    CaseStatus,
    CaseVerdict,
    Duplicates,
    FestEnded,
    FestEvent,
    FestProgram,
    FestStarted,
    Role,
    Ruling,
    Submitted,
    WheatAnswer,
    WheatsDiffer,
)
from harness.fest.report_values import Reveal, pseudonyms
from harness.fest.reports import FEST_FORMATS, score_lines
from harness.model.events import Diagnostic
from harness.model.verdict import Verdict

EVIL = "=<img src=x onerror='window.pwned = 1'>"
RIGHT, WRONG, TIE, SLOW = "a" * 16, "b" * 16, "c" * 16, "d" * 16
PASSED = CaseVerdict(RIGHT, Verdict.PASSED)
DIFFERS = CaseVerdict(RIGHT, Verdict.DIFFERS, "1 difference: SECRET-ANSWER")


def events() -> Iterator[FestEvent]:
    """Yield a fest of a team whose name and outputs are HTML, and of an ordinary one."""
    programs = [("one", Role.WHEAT), ("two", Role.WHEAT), ("sly", Role.CHAFF)]
    programs += [(EVIL, Role.TEAM), ("red", Role.TEAM)]
    declared = tuple(FestProgram(name, role, name) for name, role in programs)
    yield FestStarted("0.1", "now", (EVIL, "red"), 4, Duplicates.EACH, declared, ())
    yield Diagnostic(EVIL, "no suite.toml")
    yield Submitted(EVIL, "1", RIGHT, RIGHT, None, bytes_of("[1]\n"), bytes_of("[2]\n"))
    yield Submitted(EVIL, "2", RIGHT, WRONG, None, bytes_of("[1]\n"), bytes_of("[9]\n"))
    yield Submitted("red", "<b>-1", TIE, TIE, None, bytes_of(f'"{EVIL}"\n'), bytes_of("1\n"))
    yield Submitted("red", "2", reason="too large")
    yield Submitted("red", "3", SLOW, SLOW, None, bytes_of("[]\n"), bytes_of("1\n"))
    for name, role in programs:
        is_right = role is Role.WHEAT or name == EVIL
        verdicts = (PASSED if is_right else DIFFERS, DIFFERS._replace(expected=WRONG))
        stdout = bytes_of(f"{EVIL}\n")
        stderr = bytes_of("No module named chess\n")
        yield Answered(name, role, name, RIGHT, 0, verdicts, 0.5, 0.25, 0, stdout, stderr)
        tied = (CaseVerdict(TIE, Verdict.PASSED if name == "one" else Verdict.DIFFERS),)
        yield Answered(name, role, name, TIE, 0, tied, 0.5, 0.25, 0, stdout)
        if role is Role.WHEAT:
            silent = (CaseVerdict(SLOW, Verdict.SILENT, "nothing in 10 s"),)
            yield Answered(name, role, name, SLOW, 0, silent, 10.0, 0.0)
    answers = WheatAnswer(("one",), bytes_of("1\n"), 0), WheatAnswer(("two",), None)
    yield WheatsDiffer(TIE, answers)
    yield FestEnded(12, 0, 1.0, interrupted=False)


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
    plan, *others = events()
    assert isinstance(plan, FestStarted)
    plan = plan._replace(programs=plan.programs[:-1], teams=("red", EVIL))
    rest = [each for each in others if not isinstance(each, Answered) or each.program != "red"]
    scores = scores_of([plan, *rest])
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
