"""Write the HTML report: one file that works offline and runs only its own script.

Output of programs is always text: Jinja2 escapes it, and the script sets it as text.
Source: docs/html-report.md.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from harness.model.verdict import Verdict
from harness.reports.formats.html.page_values import (
    ReportTotals,
    RunList,
    head_of,
    slowest_of,
    table_of,
)
from harness.reports.formats.html.runs import FailureKinds, RunDetails, entry
from harness.reports.pictures import (
    Picture,
    PictureSet,
    Renderer,
    Rendering,
    RenderJob,
    renderers_of,
)
from harness.reports.source import Source
from harness.reports.web import (
    KNOWN_ICON,
    PARTS,
    STYLE,
    content_policy,
    page_template,
    page_text,
    script_json,
    verdict_facts,
)
from harness.text import escape_nonprintable

_AT_ONCE: Final = 64  # runs whose pictures are drawn together

# Draws pictures in the order of the jobs.
Draw = Callable[[Sequence[RenderJob]], Sequence[Picture]]


def document(source: Source, folders: Mapping[str, Path]) -> Iterator[str]:
    """Return the page in pieces; renderers of the suites in `folders`, by name, draw pictures."""
    return page(source, renderers_of(folders), Renderer().draw)


def page(source: Source, renderers: Mapping[str, Rendering], draw: Draw) -> Iterator[str]:
    """Return the page in pieces; the source is read several times."""
    totals = ReportTotals(source())
    gallery = PictureSet(renderers, draw)
    # Filled while the runs are written, for the parts of the page after them.
    listed, kinds = RunList(), FailureKinds()
    yield from page_template("report/report.html").generate(
        head=head_of(totals),
        table=table_of(totals),
        policy=content_policy(STYLE, _SCRIPT),
        style=Markup(STYLE),
        script=Markup(_SCRIPT),
        names=Markup(script_json(_names(totals))),
        entries=_separated(_entries(source, totals, gallery, listed, kinds)),
        pictures=_separated(_pictures(gallery)),
        kinds=_separated(kinds),
        listed=listed,
        slowest=slowest_of(totals),
    )


def _entries(
    source: Source, totals: ReportTotals, gallery: PictureSet, listed: RunList, kinds: FailureKinds
) -> Iterator[str]:
    numbers = {
        kind: {name: number for number, name in enumerate(table)}
        for kind, table in _tables(totals).items()
    }
    details = RunDetails(totals.book)
    runs = totals.order.runs(source)
    while part := list(islice(runs, _AT_ONCE)):
        wanted = [(event, gallery.values_of(event.suite, event.evidence)) for event in part]
        gallery.prepare((event.suite, values) for event, values in wanted)
        for event, values in wanted:
            listed.add(event)
            pictures = gallery.thumbnails(event.suite, values)
            detail = details.of(event, pictures, totals.deliveries_of(event))
            kind = kinds.number_of(event)
            yield entry(event, numbers, detail if kind is None else {**detail, "g": kind})


def _pictures(gallery: PictureSet) -> Iterator[str]:
    # Starts after the runs are written, when all pictures are known.
    for svg in gallery.pictures:
        yield f'"{b64encode(svg).decode()}"'


def _separated(texts: Iterable[str]) -> Iterator[Markup]:
    """Yield the elements of a JSON array, one per line."""
    for number, text in enumerate(texts):
        yield Markup(f",\n{text}" if number else text)


def _tables(totals: ReportTotals) -> dict[str, list[str]]:
    return {
        "suites": [*totals.matrix.suites],
        "subjects": [*totals.matrix.subjects],
        "deliveries": [*totals.deliveries],
        "verdicts": [verdict.value for verdict in Verdict if totals.verdicts[verdict]],
    }


def _names(totals: ReportTotals) -> dict[str, Any]:
    tables = _tables(totals)
    names = {kind: [*map(escape_nonprintable, table)] for kind, table in tables.items()}
    facts = [verdict_facts(Verdict(name)) for name in tables["verdicts"]]
    return names | {"facts": facts, "known_icon": KNOWN_ICON}


_SCRIPT: Final = "\n".join([PARTS, page_text("report/table.js"), page_text("report/report.js")])
