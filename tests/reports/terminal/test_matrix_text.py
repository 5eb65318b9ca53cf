"""A matrix as text and Markdown: golden files, narrow terminals, and percentages."""

from __future__ import annotations

import pytest
from support.golden import Golden
from support.xtest import TOP

from harness.analysis.matrix import Matrix
from harness.model.events import RunResult
from harness.model.verdict import Verdict
from harness.reports.terminal.matrix import FORMATS, MatrixDisplay
from harness.text import percent

LETTERS = {"p": Verdict.PASSED, "d": Verdict.DIFFERS, "i": Verdict.INVALID_CASE}


def matrix_of(**verdicts: str) -> Matrix:
    """Return a matrix of subjects with a letter per case; "/" begins the next suite."""
    matrix = Matrix(list(verdicts))
    for subject, letters in verdicts.items():
        for suite, part in zip(("easy", "hard"), letters.split("/"), strict=False):
            for case, letter in enumerate(part, 1):
                if letter in LETTERS:
                    name = str(case)
                    matrix.add(RunResult(suite, name, subject, "plain", LETTERS[letter], ""))
    return matrix


THREE = matrix_of(js="ppi/dp", c="pdi/--", perl="ppi/pd")
NASTY = Matrix()
NASTY.add(RunResult("s\x1b" + "x" * 99, "1", "a\n<b>|", "plain", Verdict.PASSED, ""))
LANGUAGES = {"js": "Java|Script", "c": "C"}


def text(matrix: Matrix, layout: str, **display: object) -> str:
    shown = MatrixDisplay(LANGUAGES, **display)  # type: ignore[arg-type]  # fields by name
    return "\n".join([*FORMATS[layout](matrix, shown), ""])


@pytest.mark.parametrize("layout", ["text", "markdown"])
def test_a_matrix_is_what_is_recorded(layout: str, golden: Golden) -> None:
    pieces = [
        text(THREE, layout, with_cases=True),
        text(matrix_of(js="pp"), layout),
        # Pairs without a common case, and subjects that pass nothing.
        text(matrix_of(a="p", b="p/p", c="/p"), layout),
        text(matrix_of(js="pd", none="dd", c="pp", other="/p"), layout),
        text(matrix_of(a="d", b="p", c="d"), layout),
        text(NASTY, layout),
        text(matrix_of(**{"陳大文": "pd", "b": "pp"}), layout, width=40),
        text(Matrix(), layout),
    ]
    golden(f"matrix-{layout}.txt", "\n".join(pieces))


@pytest.mark.parametrize("width", [1, 30, 35])
def test_a_wide_table_continues_below(width: int, golden: Golden) -> None:
    golden(f"matrix-{width}.txt", text(THREE, "text", with_cases=True, width=width))


@pytest.mark.parametrize("width", [80, 160])
def test_forty_teams_and_ten_milestones_fit_in_a_terminal(width: int, golden: Golden) -> None:
    matrix = Matrix()
    suites = "3-board 4-states 5-timing 6-moves-and-rotations 7-referee 8-strategy 9-tournament"
    for at, suite in enumerate(f"{suites} 10-remote 11-admin 12-client".split()):
        for team in range(40):
            for case in range(20 + at if team % 9 else 0):
                verdict = Verdict.DIFFERS if case % 20 < team % 10 else Verdict.PASSED
                name = f"team-{team}"
                matrix.add(RunResult(f"course/{suite}", str(case), name, "plain", verdict, ""))
    shown = text(matrix, "text", width=width)
    with_cases = text(matrix, "text", width=width, with_cases=True)
    assert all(len(line) <= width for line in with_cases.splitlines())
    golden(f"matrix-course-{width}.txt", shown)


def test_a_style_colours_scores_and_verdicts(golden: Golden) -> None:
    shown = text(THREE, "text", with_cases=True, style=lambda cell, role: f"<{role} {cell}>")
    golden("matrix-style.txt", shown)


@pytest.mark.parametrize("layout", ["text", "markdown"])
def test_same_outcomes_of_many_subjects_are_shown_on_demand(layout: str) -> None:
    eight = dict.fromkeys("abcdefgh", "p")
    assert "same outcome" in text(matrix_of(**eight), layout)
    assert "same outcome" not in text(matrix_of(**eight, i="p"), layout)
    assert "same outcome" in text(matrix_of(**eight, i="p"), layout, with_agreement=True)


def test_only_nothing_is_0_and_only_everything_is_100_percent(golden: Golden) -> None:
    golden.table("percent.txt", lambda share: percent(*share))


def test_the_page_shows_a_real_matrix() -> None:
    page = (TOP / "docs" / "subjects.md").read_text("utf-8")
    matrix = matrix_of(js=f"{'p' * 20}/{'p' * 30}", c=f"{'p' * 20}/{'p' * 29}d")
    display = MatrixDisplay({"js": "JavaScript", "c": "C"})
    shown = "\n".join(f"    {line}".rstrip() for line in FORMATS["text"](matrix, display))
    assert f"\n{shown}\n" in page
