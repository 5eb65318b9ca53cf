"""What MkDocs calls as it builds the site: pages that are made, and links out of docs/.

The pages themselves are made in the modules beside this one, which know nothing of MkDocs.
Source: mkdocs.yml.
"""

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
from site_schemas import events_page, suite_page, xtest_page

__all__ = ["on_config", "on_files", "on_page_markdown"]

TOP: Final = Path(__file__).resolve().parent.parent

_PAGES: Final[dict[str, Callable[[], str]]] = {
    "reference/command-line.md": command_line_page,
    "reference/suite-toml.md": suite_page,
    "reference/xtest-toml.md": xtest_page,
    "reference/events.md": events_page,
}

# Where files of the repository that a page links to stand in the site, as what they are: text.
_SOURCES: Final = "source"
_LINK: Final = re.compile(r"(?<=\]\()(?P<path>(?:\.\./)+[^)#\s]+)(?=[)#])")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name anchors as GitHub does, so that one link serves both."""
    config.mdx_configs["toc"]["slugify"] = anchor
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made, and the files outside docs/ that pages link to."""
    for name, page in _PAGES.items():
        files.append(File.generated(config, name, content=page()))
    for source in sorted(
        {source for file in files.documentation_pages() for source in _sources(file)}
    ):
        files.append(File.generated(config, _shown_at(source), abs_src_path=str(TOP / source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page as Python-Markdown reads it, with its links out of docs/ led to the copies."""
    del config, files
    here = posixpath.dirname(page.file.src_uri)

    def led(link: re.Match[str]) -> str:
        source = _source(here, link["path"])
        return link[0] if source is None else posixpath.relpath(_shown_at(source), here or ".")

    return python_markdown(_LINK.sub(led, markdown))


def _sources(file: File) -> Iterator[str]:
    here = posixpath.dirname(file.src_uri)
    for link in _LINK.finditer(file.content_string):
        source = _source(here, link["path"])
        if source is not None:
            yield source


def _source(here: str, link: str) -> str | None:
    """The file of the repository, from its top, that a link out of docs/ means; None: it stays in
    docs/, or there is none, which MkDocs then warns of."""
    path = posixpath.normpath(posixpath.join("docs", here, link))
    is_outside = not path.startswith(("docs/", "../"))
    return path if is_outside and (TOP / path).is_file() else None


def _shown_at(source: str) -> str:
    # Markdown that is no page of the site would become one, were it not for another ending.
    return f"{_SOURCES}/{source}.txt" if source.endswith(".md") else f"{_SOURCES}/{source}"
