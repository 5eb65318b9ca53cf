"""Write the scores, bugs and contested cases of a fest as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from harness.analysis.fest import FestScores
from harness.reports.fest.content import contested, shown_bugs
from harness.reports.fest.registry import Reveal
from harness.reports.terminal.fest import score_rows
from harness.text import escape_nonprintable, pluralize

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&])")


def documents(scores: FestScores, _reveal: Reveal) -> Mapping[str, str]:
    """Return the document."""
    return {"fest.md": "\n".join(_lines(scores)) + "\n"}


def _lines(scores: FestScores) -> Iterator[str]:
    heading, *rows = score_rows(scores)
    yield from ("# Test fest", "", *_table(heading, rows))
    bugs = list(shown_bugs(scores))
    if bugs:
        yield from ("", f"## {pluralize(len(bugs), 'bug')}", "")
        names = ("programs", "caught by", "smallest case", "input", "expected", "printed")
        yield from _table(
            names,
            (
                (", ".join(each.bug.programs), pluralize(len(each.bug.suites), "suite"), *each[1:])
                for each in bugs
            ),
        )
    disputes = list(contested(scores))
    if disputes:
        yield from ("", "## Contested inputs", "")
        rows = [
            (
                each.input,
                "; ".join(f"{wheats}: {answer}" for wheats, answer in each.answers),
                ", ".join(name for name, _, _ in each.expected),
            )
            for each in disputes
        ]
        yield from _table(("input", "wheats", "cases"), rows)


def _table(heading: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    names = [*heading]
    yield f"| {' | '.join(names)} |"
    yield f"|{'---|' * len(names)}"
    for row in rows:
        yield f"| {' | '.join(_SPECIAL.sub(_escape, escape_nonprintable(cell)) for cell in row)} |"


def _escape(char: re.Match[str]) -> str:
    return f"\\{char[0]}"
