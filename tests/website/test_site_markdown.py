"""Pages mean the same on GitHub (CommonMark) and, converted, on the site (Python-Markdown)."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown import Markdown
from markdown_it import MarkdownIt
from site_markdown import python_markdown
from support.golden import Golden
from support.xtest import TOP

PAGES = sorted((TOP / "docs").rglob("*.md"))

# Those of mkdocs.yml, without the highlighter.
EXTENSIONS = ["attr_list", "sane_lists", "tables", "pymdownx.superfences"]


class _Outline(HTMLParser):
    """Collects the elements of a page that matter, and their text."""

    KEPT = {"h1", "h2", "h3", "h4", "ul", "ol", "li", "table", "th", "td", "pre", "code", "a"}
    KEPT |= {"strong", "em", "img"}

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.KEPT:
            self.seen.append(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.KEPT:
            self.seen.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.seen.append(data)


def outline(html: str) -> str:
    """Return the elements and words of a page, with all white space alike."""
    reader = _Outline()
    reader.feed(html)
    text = re.sub(r"\s+", " ", "".join(reader.seen))
    return re.sub(r" ?(</?(?:ul|ol|li|table|th|td|pre|h\d)>) ?", r"\1", text).strip()


def on_github(page: str) -> str:
    """Return the outline of a page in CommonMark with tables."""
    return outline(MarkdownIt("commonmark").enable("table").render(page))


def on_the_site(page: str) -> str:
    """Return the outline of a page after conversion."""
    return outline(Markdown(extensions=EXTENSIONS).convert(python_markdown(page)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP / "docs")))
def test_a_page_is_the_same_in_the_site(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert on_the_site(text) == on_github(text)


def test_lists_are_indented_by_four(golden: Golden) -> None:
    def converted(page: str) -> str:
        assert on_the_site(page) == on_github(page)
        return python_markdown(page)

    golden.table("lists.txt", converted)
