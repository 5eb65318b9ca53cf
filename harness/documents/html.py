"""The HTML report: one file, which asks nothing of any network and runs nothing but its own script.

Puts the page together; templates, style and script are in page/. What a program printed is text,
wherever it stands: Jinja2 escapes it, and the script makes text of it. Source: docs/html-report.md.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from typing import Final, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from harness.about import About
from harness.documents.html_kinds import Kinds
from harness.documents.html_runs import Details, Tables, entry, in_script
from harness.documents.html_summary import Gathered, Listed, Names, gathered, head_of, table_of
from harness.documents.meanings import MEANINGS
from harness.documents.pictures import Gallery, Picture, Rendering, Sheet
from harness.documents.source import Source
from harness.records import Verdict
from harness.words import visible

__all__ = ["document", "page"]

_AT_ONCE: Final = 64  # runs whose pictures are drawn together


# What finds the renderers of suites, and what makes pictures of sheets, in their order.
Find = Callable[[Sequence[About]], dict[str, Rendering]]
Draw = Callable[[Sequence[Sheet]], Sequence[Picture]]


def document(source: Source) -> Iterator[str]:
    """The page of a source; the boards in it are drawn by the renderers of the suites, here and
    now."""
    # Imported here: who asks for a page without boards starts no process.
    # pylint: disable-next=import-outside-toplevel
    from harness.documents.drawing import Studio, renderings_of

    return page(source, renderings_of, Studio().draw)


def page(source: Source, find: Find, draw: Draw) -> Iterator[str]:
    """The pieces of the page. The source is gone through several times."""
    found = gathered(source())
    gallery = Gallery(find(found.abouts), draw)
    tables = Tables(*map(_numbered, found.names))
    told = _Told(Listed(), Kinds())
    yield from _template().generate(
        head=head_of(found),
        table=table_of(found),
        policy=_policy(),
        style=Markup(_STYLE),
        script=Markup(_SCRIPT),
        names=Markup(in_script(_shown(found.names))),
        entries=map(Markup, _separated(_entries(source, found, gallery, tables, told))),
        pictures=map(Markup, _separated(_pictures(gallery))),
        kinds=map(Markup, _separated(_kinds(told.kinds))),
        listed=told.listed,
    )


class _Told(NamedTuple):
    """What is gathered while the runs are written, and is written after them."""

    listed: Listed
    kinds: Kinds


def _entries(
    source: Source, found: Gathered, gallery: Gallery, tables: Tables, told: _Told
) -> Iterator[str]:
    details = Details()
    runs = found.order.runs(source)
    while part := list(islice(runs, _AT_ONCE)):
        wanted = [(event, gallery.spots(event.suite, event.evidence)) for event in part]
        gallery.prepare((event.suite, spots) for event, spots in wanted)
        for event, spots in wanted:
            told.listed.add(event)
            hung = gallery.hang(event.suite, spots)
            shown = details.of(event, hung, found.deliveries_of(event))
            kind = told.kinds.number_of(event)
            yield entry(event, tables, shown if kind is None else {**shown, "g": kind})


def _pictures(gallery: Gallery) -> Iterator[str]:
    # A generator: it begins when it is first asked, and then all pictures are there.
    for svg in gallery.pictures:
        yield f'"{b64encode(svg).decode()}"'


def _kinds(kinds: Kinds) -> Iterator[str]:
    # A generator, too: all kinds are there when the runs are written.
    yield from map(in_script, kinds)


def _separated(texts: Iterable[str]) -> Iterator[str]:
    """The elements of a JSON array, a line each."""
    for number, text in enumerate(texts):
        yield f",\n{text}" if number else text


def _shown(names: Names) -> dict[str, list[str]]:
    shown = {kind: [visible(name) for name in table] for kind, table in names._asdict().items()}
    return {**shown, "meanings": [MEANINGS[Verdict(name)] for name in names.verdicts]}


def _numbered(names: Sequence[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


# The page's own parts.


def _template() -> Template:
    return _ENVIRONMENT.get_template("report.html")


def _text_of(name: str) -> str:
    source, _, _ = _LOADER.get_source(_ENVIRONMENT, name)
    return source


def _policy() -> str:
    """Nothing from elsewhere; of scripts and styles only these two, whatever else is in the page;
    of images only those that are in it."""
    allowed = f"script-src '{_hash(_SCRIPT)}'; style-src '{_hash(_STYLE)}'; img-src data:"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


_LOADER: Final = PackageLoader("harness.documents", "page")
_ENVIRONMENT: Final = Environment(
    loader=_LOADER,
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_STYLE: Final = _text_of("report.css")
_SCRIPT: Final = _text_of("report.js")
