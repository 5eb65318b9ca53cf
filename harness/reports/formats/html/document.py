"""Write the HTML report: one file that works offline and runs only its own script.

Output of programs is always text: Jinja2 escapes it, and the script sets it as text. Runs are lines
of JSON for the script, bounded, as a browser must load the file. Source: docs/reports.md.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from harness.analysis.failure_kinds import FailureKinds
from harness.analysis.grades import Gradebook
from harness.model.events import Excerpt, RunResult
from harness.model.tally import UNEXPECTED_PASS, UNEXPECTED_PASS_NAME, RunOutcome, outcome_of
from harness.model.verdict import Verdict
from harness.reports.formats.html.page_values import (
    ReportTotals,
    RunList,
    head_of,
    slowest_of,
    table_of,
)
from harness.reports.pages import page as web
from harness.reports.pictures import (
    Picture,
    PictureSet,
    Renderer,
    Rendering,
    RenderJob,
    Thumbnail,
    ValueSide,
    renderers_of,
)
from harness.reports.source import Source
from harness.reports.text.differences import escaped_sides
from harness.reports.text.phrases import format_use
from harness.text import (
    escape_nonprintable,
    format_number,
    shell_line,
    shorten,
    truncate,
)

_AT_ONCE: Final = 64  # runs whose pictures are drawn together
_TEXT: Final = 6_000  # characters of a stream
_ROWS: Final = 200
_MESSAGE: Final = 2_000
_COMMAND: Final = 4_000
_BUDGET: Final = 32 * 1024 * 1024  # characters of all details of a report
_KIND: Final = 160  # characters
_FULL: Final = "The report is full: the command below shows the output of this run."

_OUTCOMES: Final = {outcome: number for number, outcome in enumerate(RunOutcome)}
_SCRIPT: Final = "\n".join(
    [web.PARTS, web.page_text("report/table.js"), web.page_text("report/report.js")]
)

# Draws pictures in the order of the jobs.
Draw = Callable[[Sequence[RenderJob]], Sequence[Picture]]


def document(source: Source, folders: Mapping[str, Path]) -> Iterator[str]:
    """Return the page in pieces; renderers of the suites in `folders`, by name, draw pictures."""
    return page(source, renderers_of(folders), Renderer().draw)


def page(source: Source, renderers: Mapping[str, Rendering], draw: Draw) -> Iterator[str]:
    """Return the page in pieces; the source is read several times."""
    totals = ReportTotals(source())
    # Filled while the runs are written, for the parts of the page after them.
    gallery, listed, kinds = PictureSet(renderers, draw), RunList(), FailureKinds(by_subject=False)
    names: dict[str, Any] = {
        **{kind: [*map(escape_nonprintable, table)] for kind, table in totals.tables.items()},
        "facts": [web.verdict_facts(Verdict(name)) for name in totals.tables["verdicts"]],
        "known_icon": web.KNOWN_ICON,
        "unexpected_pass": [UNEXPECTED_PASS_NAME, UNEXPECTED_PASS],
    }
    yield from web.TEMPLATES.page(
        "report/report.html",
        style=web.STYLE,
        script=_SCRIPT,
        head=head_of(totals),
        table=table_of(totals),
        names=Markup(web.script_json(names)),
        entries=_separated(_entries(source, totals, gallery, listed, kinds)),
        pictures=_separated(f'"{b64encode(svg).decode()}"' for svg in gallery),
        kinds=_separated(_kind_names(kinds)),
        listed=listed,
        slowest=slowest_of(totals),
    )


def _entries(
    source: Source, totals: ReportTotals, gallery: PictureSet, listed: RunList, kinds: FailureKinds
) -> Iterator[str]:
    numbers = {
        kind: {name: number for number, name in enumerate(table)}
        for kind, table in totals.tables.items()
    }
    details = RunDetails(totals.book)
    runs = totals.order.runs(source)
    while part := list(islice(runs, _AT_ONCE)):
        wanted = [(event, gallery.values_of(event.suite, event.evidence)) for event in part]
        gallery.prepare((event.suite, values) for event, values in wanted)
        for event, values in wanted:
            listed.add(event)
            deliveries = totals.differing.get((f"{event.suite}/{event.case}", event.subject), "")
            detail = details.of(event, gallery.thumbnails(event.suite, values), deliveries)
            kind = kinds.add(event)
            yield entry(event, numbers, detail if kind is None else {**detail, "g": kind.number})


def _kind_names(kinds: FailureKinds) -> Iterator[str]:
    """Yield verdict and message of each kind as JSON, by number."""
    for key in kinds.kinds:
        yield web.script_json([key.verdict, truncate(key.message, _KIND)])


def _separated(texts: Iterable[str]) -> Iterator[Markup]:
    """Yield the elements of a JSON array, one per line."""
    for number, text in enumerate(texts):
        yield Markup(f",\n{text}" if number else text)


# Runs.


class RunDetails:
    """Makes the details of runs, within a budget for the whole report."""

    def __init__(self, book: Gradebook) -> None:
        self._has_points = book.has_points
        # Runs come suite by suite and subject by subject.
        self._grades = lru_cache(maxsize=1)(book.case_grades)
        self._left = _BUDGET

    def of(
        self, event: RunResult, pictures: Sequence[Thumbnail], deliveries: str
    ) -> dict[str, Any]:
        """Return the details of a run; when the report is full, only its message and command."""
        details = _details(event, pictures, deliveries)
        if event.evidence is not None:
            size = len(json.dumps(details))
            if size > self._left:
                details = {**_head(event, deliveries), "w": _FULL}
            else:
                self._left -= size
        if self._has_points:
            details["p"] = str(self._grades(event.subject, event.suite)[event.case])
        return details


def entry(
    event: RunResult, numbers: Mapping[str, Mapping[str, int]], details: Mapping[str, Any]
) -> str:
    """Return a run as JSON; `numbers` are indexes in the page's lists of names."""
    columns = [
        numbers["suites"][event.suite],
        numbers["subjects"][event.subject],
        escape_nonprintable(event.case),
        numbers["deliveries"][event.delivery],
        numbers["verdicts"][event.verdict.value],
        round(event.wall_s * 1000),
        _OUTCOMES[outcome_of(event)],
    ]
    return web.script_json([*columns, details] if details else columns)


# The details of a run. The keys have one letter, as there are thousands of runs.


def _details(event: RunResult, pictures: Sequence[Thumbnail], deliveries: str) -> dict[str, Any]:
    evidence = event.evidence
    details = _head(event, deliveries)
    if evidence is None or event.verdict is Verdict.NOT_STARTED:
        return details
    details["e"] = _ending(event)
    expected, _ = escaped_sides(evidence)
    if pictures:
        sides = {ValueSide.EXPECTED: expected}
        details["b"] = [[sides.get(one.side, one.side.value), *one[1:]] for one in pictures]
    if evidence.talk:
        details["c"] = [web.conversation_row(each) for each in evidence.talk]
    rows, are_all = web.difference_rows(evidence, _ROWS)
    if rows:
        details["r"] = rows
        details["n"] = evidence.differences_total
        details["h"] = expected
    if not are_all:
        details["w"] = "There are more differences than shown here."
    title = f"Printed by {expected}" if evidence.expected_by else "Expected output"
    details["s"] = [
        _stream("Script" if evidence.talk else "Input", evidence.stdin),
        _stream(title, evidence.expected),
        _stream("Printed", evidence.stdout),
    ]
    if evidence.stderr.total:
        details["s"].append(_stream("Standard error", evidence.stderr, at_end=True))
    for each in evidence.companions:
        title = escape_nonprintable(f"Companion {each.name} {each.ended}")
        details["s"].append(_stream(title, each.printed, at_end=True))
    return details


def _head(event: RunResult, deliveries: str) -> dict[str, Any]:
    details: dict[str, Any] = {}
    if event.verdict is not Verdict.PASSED:
        details["m"] = shorten(event.message, _MESSAGE)
    if event.info is not None:
        info = event.info
        shown = [info.title, info.description, info.link, info.group]
        if info.hint and event.verdict is not Verdict.PASSED:
            shown.append(f"Hint: {info.hint}")
        details["i"] = [*map(escape_nonprintable, shown)]
    if event.near_limits:
        details["l"] = ", ".join(map(format_use, event.near_limits))
    if event.tags:
        details["t"] = [escape_nonprintable(tag) for tag in event.tags]
    if event.known is not None:
        known = event.known
        reason, link, file = map(escape_nonprintable, (known.reason, known.link, known.file))
        details["k"] = [reason, link, known.holds, file]
    if deliveries:
        details["d"] = escape_nonprintable(deliveries)
    if event.repeat and "m" in details and event.verdict is not Verdict.INVALID_CASE:
        line = shell_line(event.repeat)
        # A truncated command would be another command.
        details["x"] = line if len(line) <= _COMMAND else "(the command is too long to show)"
    return details


def _ending(event: RunResult) -> list[str]:
    ending = "" if event.exit is None else f"exit status {event.exit}"
    if event.signal is not None:
        ending = "ended by xtest" if event.verdict.is_limit else f"ended by {event.signal}"
    facts = [ending]
    if event.wall_s:  # 0 if it was not measured, as of a finding of xtest fuzz
        facts += [f"after {event.wall_s:.3f} s", f"{event.cpu_s:.3f} s of processor time"]
    if event.peak_mib is not None:
        facts.append(f"{format_number(round(event.peak_mib, 1))} MiB")
    if event.processes > 1:
        facts.append(f"{event.processes} processes")
    return [escape_nonprintable(fact) for fact in facts if fact]


def _stream(name: str, excerpt: Excerpt, *, at_end: bool = False) -> list[Any]:
    shown, is_whole = web.excerpt_text(excerpt, _TEXT, at_end=at_end)
    note = "" if is_whole else "end" if at_end else "beginning"
    return [name, shown, excerpt.total, note]
