"""Hooks of MkDocs that add what is generated, and the files outside docs/ that pages link to."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from site_commands import command_line_page
from site_markdown import anchor, python_markdown
from site_schemas import events_section

TOP: Final = Path(__file__).resolve().parent.parent

_PAGES: Final[dict[str, Callable[[], str]]] = {"reference/command-line.md": command_line_page}
_SECTIONS: Final[dict[str, Callable[[], str]]] = {"results.md": events_section}

# The folder of the site for linked files from outside docs/, as plain text.
_SOURCES: Final = "source"
_LINK: Final = re.compile(r"(?<=\]\()(?P<path>(?:\.\./)+[^)#\s]+)(?=[)#])")

# Pages that a search finds first, or after all others.
_BOOSTS: Final = {
    "reference/command-line.md": 0.5,  # its long sections have most words
    "reference/": 2,
    "games/": 0.2,
    "can-i-use.md": 2,
    "suites.md": 2,
    "equality.md": 2,
}

_BETWEEN: Final = " · "
_BUTTONS: Final = re.compile(rf"^\[[^\n]+\]\(\S+\)(?:{_BETWEEN}\[[^\n]+\]\(\S+\))+$", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name anchors as GitHub does, so that links work in both places."""
    config.mdx_configs["toc"]["slugify"] = anchor
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages, and the files outside docs/ that pages link to."""
    for name, page in _PAGES.items():
        files.append(File.generated(config, name, content=page()))
    for source in sorted(
        {source for file in files.documentation_pages() for source in _linked_sources(file)}
    ):
        files.append(File.generated(config, _site_path(source), abs_src_path=str(TOP / source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the page for Python-Markdown, with its generated section, and with links out of docs/
    pointed to the copies.

    On the home page, a line of links becomes buttons, and the navigation beside it is left out.
    """
    del config, files
    page.meta["search"] = {"boost": _boost(page.file.src_uri)}
    if page.is_homepage:
        page.meta["hide"] = ["navigation", "toc"]
        markdown = _BUTTONS.sub(_as_buttons, markdown)
    if page.file.src_uri in _SECTIONS:
        markdown += _SECTIONS[page.file.src_uri]()
    here = posixpath.dirname(page.file.src_uri)

    def redirect(link: re.Match[str]) -> str:
        source = _source(here, link["path"])
        return link[0] if source is None else posixpath.relpath(_site_path(source), here or ".")

    return python_markdown(_LINK.sub(redirect, markdown))


def _boost(page: str) -> float:
    return next((boost for start, boost in _BOOSTS.items() if page.startswith(start)), 1)


def _as_buttons(line: re.Match[str]) -> str:
    first, *others = line[0].split(_BETWEEN)
    primary = f"{first}{{ .md-button .md-button--primary }}"
    return "\n".join((primary, *(f"{link}{{ .md-button }}" for link in others)))


def _linked_sources(file: File) -> Iterator[str]:
    here = posixpath.dirname(file.src_uri)
    for link in _LINK.finditer(file.content_string):
        source = _source(here, link["path"])
        if source is not None:
            yield source


def _source(here: str, link: str) -> str | None:
    """Return the path in the repository that a link out of docs/ points to, or None if it stays in
    docs/ or no such file exists (MkDocs then warns of the link)."""
    path = posixpath.normpath(posixpath.join("docs", here, link))
    is_outside = not path.startswith(("docs/", "../"))
    return path if is_outside and (TOP / path).is_file() else None


def _site_path(source: str) -> str:
    # MkDocs would turn a file that ends in .md into a page.
    return f"{_SOURCES}/{source}.txt" if source.endswith(".md") else f"{_SOURCES}/{source}"
