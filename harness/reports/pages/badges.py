"""Draw a badge for each subject, in all and by suite: an SVG, and JSON for shields.io.

Pure. Source: the endpoint schema that shields.io documents; docs/site.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import Final, NamedTuple

from harness.analysis.matrix import Matrix, Score
from harness.reports.per_subject import file_stems
from harness.reports.text.phrases import not_claimed
from harness.text import escape_nonprintable, percent, shorten

_LABEL: Final = 40  # characters
# The widths of characters in pixels, at a font size of 11.
_USUAL_WIDTH: Final = 7.0
_WIDTHS: Final = {**dict.fromkeys("fijlrtI .,:;|!'()[]/-", 4.5), **dict.fromkeys("mwMW%@", 10.5)}
_PADDING: Final = 12  # pixels
_COLOURS: Final = (
    (100, "2e7d32"),
    (90, "4c8f2f"),
    (50, "b26a00"),
    (0, "b3261e"),
)  # from a percentage
_GREEN: Final = 90  # from this percentage
_GREY: Final = "757575"  # without a percentage, or of a part that passed


class Badge(NamedTuple):
    """A badge: its file without ending, its two texts, and its colour."""

    stem: str
    label: str
    message: str
    colour: str


def badge_files(matrix: Matrix) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of each file."""
    for badge in _badges_of(matrix):
        shown = {"label": badge.label, "message": badge.message}
        texts = {name: escape_nonprintable(text) for name, text in shown.items()}
        members = {"schemaVersion": 1, **texts, "color": badge.colour}
        yield f"{badge.stem}.svg", _svg_of(badge)
        yield f"{badge.stem}.json", json.dumps(members, indent=2) + "\n"


def _badges_of(matrix: Matrix) -> Iterator[Badge]:
    """Yield the badge of each subject, followed by the badges of its suites."""
    subjects, suites = file_stems(matrix.subjects), file_stems(matrix.suites)
    for subject, stem in subjects.items():
        yield _badge(stem, subject, matrix.score(subject), matrix.left_out(subject))
        for suite, part in suites.items() if len(suites) > 1 else ():
            score = matrix.score(subject, suite)
            if score.cases or score.skipped:
                left_out = matrix.left_out(subject, suite)
                yield _badge(f"{stem}--{part}", f"{subject}: {suite}", score, left_out)


def _badge(stem: str, label: str, score: Score, left_out: int) -> Badge:
    """Return a badge, which is not green if cases were left out."""
    if not score.cases:
        return Badge(stem, label, "not claimed" if score.skipped else "not run", _GREY)
    message = f"{score.passed:,} of {score.cases:,} ({percent(score.passed, score.cases)})"
    share = 100 * score.passed / score.cases
    colour = next(colour for least, colour in _COLOURS if share >= least)
    message += not_claimed(score.skipped)
    if left_out:
        message += f"; {left_out:,} not run"
        colour = _GREY if share >= _GREEN else colour
    return Badge(stem, label, message, colour)


def _svg_of(badge: Badge) -> str:
    """Return a badge as an SVG of 20 pixels in height."""
    texts = [shorten(escape_nonprintable(text), _LABEL) for text in (badge.label, badge.message)]
    left, right = (_width(text) + _PADDING for text in texts)
    label, message = map(escape, texts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img"'
        f' aria-label="{label}: {message}"><title>{label}: {message}</title>'
        f'<clipPath id="r"><rect width="{left + right}" height="20" rx="4"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="#{badge.colour}"/></g>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{_text(label, _PADDING / 2, left)}{_text(message, left + _PADDING / 2, right)}"
        "</g></svg>\n"
    )


def _width(text: str) -> int:
    return round(sum(_WIDTHS.get(character, _USUAL_WIDTH) for character in text))


def _text(text: str, x: float, width: int) -> str:
    # The length is fixed, as fonts differ.
    return f'<text x="{x:g}" y="14" textLength="{width - _PADDING}">{text}</text>'
