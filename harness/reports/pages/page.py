"""Load the templates, style and script that all HTML pages share, and encode data for scripts."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from harness.model.events import Evidence, Excerpt
from harness.model.judgement import ShownMessage
from harness.model.tally import UNEXPECTED_PASS, UNEXPECTED_PASS_NAME
from harness.model.verdict import Category, Verdict
from harness.reports.text.dialogue import arrow, note_on
from harness.reports.text.diff_rows import DiffMark, DiffRow, rows_of
from harness.reports.text.emphasis import fit_parts, parts_of
from harness.text import (
    escape_nonprintable,
    first_bytes,
    last_bytes,
    shorten,
    shorten_to_width,
)

_FOLDER: Final = Path(__file__).parent / "templates"
# Paths of SVG in a box of 24 by 24, drawn as lines.
_ICONS: Final = {
    Category.PASSED: "M4 13l5 5L20 6",
    Category.FAULT: "M12 4L2.5 20h19zM12 10v4.5M12 17v.5",
    Category.SKIPPED: "M5 12h14",
    Category.NOT_STARTED: "M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M6 6l12 12",
    Category.LIMIT: "M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M12 7v5.5l3.5 2",
    Category.CRASHED: "M13 2.5L4.5 14H11l-1 7.5L19 10h-7z",
    Category.MALFORMED: (
        "M8 4C5 4 7 10.5 4 12c3 1.5 1 8 4 8M16 4c3 0 1 6.5 4 8-3 1.5-1 8-4 8M12 6v7M12 17v.5"
    ),
    Category.VALUES: "M4.5 9h15M4.5 15h15M17 4L7 20",
    Category.EXIT_STATUS: "M10 4H5v16h5M10 12h10M16 8l4 4-4 4",
    Category.FLAKY: "M3 12c3-9 6-9 9 0s6 9 9 0",
    Category.NOT_RUN: "M9 6v12M15 6v12",
}
# As `verdict_facts` returns them.
UNEXPECTED_PASS_FACTS: Final = [
    UNEXPECTED_PASS_NAME,
    "bad",
    UNEXPECTED_PASS,
    _ICONS[Category.PASSED],
]
_CELL: Final = 300  # characters of a value in a row of differences
_SAME: Final = 160  # characters of an equal value
KNOWN_ICON: Final = "M6 21V4h12l-3.5 4L18 12H6"


def verdict_facts(verdict: Verdict) -> list[str]:
    """Return name, CSS classes, description and icon of a verdict, for scripts and templates."""
    category = verdict.category
    classes = f"{verdict.colour} {category.value}"
    return [verdict.value, classes, verdict.description, _ICONS[category]]


class Templates:
    """Templates of pages in a folder, and those of this package, whose `base.html` they extend.

    All values are escaped; the filter `shown` also replaces what cannot be printed.
    """

    def __init__(self, folder: Path = _FOLDER) -> None:
        self._environment: Final = Environment(
            loader=FileSystemLoader([folder, _FOLDER]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters["shown"] = escape_nonprintable

    def page(
        self, template: str, /, *, style: str = "", script: str = "", **values: Any
    ) -> Iterator[str]:
        """Return a page in pieces; its policy allows only this style and script."""
        return self._environment.get_template(template).generate(
            policy=_content_policy(style, script),
            style=Markup(style),
            script=Markup(script),
            **values,
        )

    def rendered(self, name: str) -> str:
        """Return a template without values, such as a style sheet."""
        return self._environment.get_template(name).render()


def page_text(name: str) -> str:
    """Return a file of this package as it is."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def excerpt_text(excerpt: Excerpt, most: int, *, at_end: bool = False) -> tuple[str, bool]:
    """Return a stream as printable lines, cut to `most` characters, and whether it is whole."""
    kept = (last_bytes if at_end else first_bytes)(excerpt.data, most)
    text = kept.decode("utf-8", "backslashreplace").removesuffix("\n")
    lines = "\n".join(map(escape_nonprintable, text.split("\n")))
    shown = lines[-most:] if at_end else lines[:most]
    return shown, shown == lines and len(kept) == excerpt.total


def _content_policy(style: str, script: str) -> str:
    """Return a content security policy: only this style and script, if any, and embedded images."""
    scripts = f"script-src '{_hash(script)}'; " if script else ""
    allowed = f"{scripts}style-src '{_hash(style)}'; img-src data:"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


def script_json(value: Any) -> str:
    """Return JSON without `<`, which could close the script element or open another one."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def difference_rows(evidence: Evidence, most: int) -> tuple[list[list[Any]], bool]:
    """Return at most this many rows of the differences, and whether these are all.

    A row is a list: the mark, the depth, two values and the place. A value is a text, or, of two
    that differ in a part, its three parts.
    """
    rows = rows_of(evidence) if evidence.differences else []
    are_all = len(rows) <= most and evidence.differences_total <= len(evidence.differences)
    return [_difference_row(row) for row in rows[:most]], are_all


def _difference_row(row: DiffRow) -> list[Any]:
    name = row.mark.name.lower()
    if row.mark is DiffMark.FOLDED:
        return [name, row.depth, row.left, ""]
    if row.mark is DiffMark.SAME:
        sides = (shorten_to_width(side, _SAME) for side in (row.left, row.right))
        return [name, row.depth, *sides]
    parts = fit_parts(*parts_of(row.left, row.right), _CELL)
    texts = (list(each) if each.differing else each.before + each.after for each in parts)
    places = dict.fromkeys((row.pointer, row.actual_pointer))
    return [name, row.depth, *texts, shorten(" → ".join(places), _CELL)]


def conversation_row(message: ShownMessage) -> list[Any]:
    """Return the time, step, text and note of a message, whether it was sent, and if it failed."""
    is_sent = arrow(message) == "→"
    text, note = (escape_nonprintable(each) for each in (message.text, note_on(message)))
    return [f"{message.at_s:.3f}", message.step, text, note, int(is_sent), int(message.failed)]


TEMPLATES: Final = Templates()
STYLE: Final = page_text("page.css")
PARTS: Final = page_text("parts.js")
