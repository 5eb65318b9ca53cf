"""The site: built without a warning, loads nothing from elsewhere, is searched without a server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from consoles import TOP, consoles_of
from debian import need

# What a browser fetches by itself, by element and attribute.
LOADING = {
    ("script", "src"),
    ("img", "src"),
    ("link", "href"),
    ("iframe", "src"),
    ("source", "src"),
}


@pytest.fixture(scope="module", name="site")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    path = os.pathsep.join((str(TOP), os.environ.get("PYTHONPATH", "")))
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=TOP,
        # The variable: as in tox.ini.
        env={**os.environ, "PYTHONPATH": path, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


class _Loads(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += (value or "" for name, value in attrs if (tag, name) in LOADING)


def loaded_by(page: Path) -> Iterator[str]:
    """What a page makes a browser fetch."""
    reader = _Loads()
    reader.feed(page.read_text(encoding="utf-8"))
    yield from reader.found


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        for address in loaded_by(page):
            assert not re.match(r"(?:[a-z]+:)?//", address), f"{page.name}: {address}"
            assert (page.parent / address.partition("?")[0]).exists() or page.name == "404.html"
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//|@import", style.read_text("utf-8")), style


def test_files_outside_docs_that_pages_link_to_travel_along(site: Path) -> None:
    page = (site / "languages.html").read_text(encoding="utf-8")
    assert 'href="source/languages/javascript/json.mjs"' in page
    copy = site / "source" / "languages" / "javascript" / "json.mjs"
    assert copy.read_bytes() == (TOP / "languages" / "javascript" / "json.mjs").read_bytes()


def test_every_page_is_found_in_the_navigation(site: Path) -> None:
    home = (site / "index.html").read_text(encoding="utf-8")
    for page in (TOP / "docs").rglob("*.md"):
        name = page.relative_to(TOP / "docs").with_suffix(".html")
        assert f'href="{name}"' in home, name


def shown_by_chromium(address: str, profile: Path) -> str:
    """The page as it is after its scripts have run."""
    done = subprocess.run(
        [
            need("chromium"),
            *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *("--disable-background-networking", f"--user-data-dir={profile}"),
            *("--virtual-time-budget=10000", "--dump-dom", address),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def test_no_page_stands_twice_in_the_navigation() -> None:
    text = (TOP / "mkdocs.yml").read_text(encoding="utf-8")
    pages = re.findall(r": (\S+\.md)$", text.partition("\nnav:\n")[2], re.MULTILINE)
    assert sorted(set(pages)) == sorted(pages)


@pytest.mark.system
def test_the_search_works_on_files_without_a_server(site: Path, tmp_path: Path) -> None:
    shown = shown_by_chromium(f"{(site / 'index.html').as_uri()}?q=tolerance", tmp_path)
    assert re.search(r'class="md-search-result__meta">\s*\d+ matching documents', shown)
    assert 'href="equality.html' in shown.partition("md-search-result__list")[2]


@pytest.mark.system
def test_the_copy_button_of_a_console_copies_the_commands(site: Path, tmp_path: Path) -> None:
    page = (site / "tutorial.html").read_text(encoding="utf-8")
    script = (
        "<script>setTimeout(() => document.querySelectorAll('[data-clipboard-target]')"
        ".forEach((button) => button.click()), 2000)</script>"
    )
    clicked = site / "clicked.html"
    clicked.write_text(page.replace("</body>", f"{script}</body>"), encoding="utf-8")
    shown = shown_by_chromium(clicked.as_uri(), tmp_path)
    clicked.unlink()
    copied = re.findall(r'data-clipboard-text="([^"]*)"', shown)
    commands = [command for command, _ in consoles_of(TOP / "docs" / "tutorial.md")]
    assert unescape("".join(copied)) == "".join(commands)
