"""The site builds without a warning, loads nothing from elsewhere, and works without a server."""

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
from support.console import commands_of_page
from support.debian import need
from support.xtest import TOP

# The elements and attributes that make a browser load something.
LOADING = {
    ("script", "src"),
    ("img", "src"),
    ("link", "href"),
    ("iframe", "src"),
    ("source", "src"),
}


@pytest.fixture(scope="module", name="site")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site; --strict fails for a page outside the navigation and for a broken link."""
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
    """Yield the addresses that a page makes a browser load."""
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


def test_linked_files_outside_docs_are_part_of_the_site(site: Path) -> None:
    page = (site / "languages.html").read_text(encoding="utf-8")
    assert 'href="source/languages/javascript/json.mjs"' in page
    copy = site / "source" / "languages" / "javascript" / "json.mjs"
    assert copy.read_bytes() == (TOP / "languages" / "javascript" / "json.mjs").read_bytes()


def test_the_index_links_to_every_page() -> None:
    docs = TOP / "docs"
    links = re.findall(r"\]\(([^)#]+\.md)", (docs / "index.md").read_text(encoding="utf-8"))
    pages = {str(page.relative_to(docs)) for page in docs.rglob("*.md")}
    assert {*links, "index.md"} == pages


def test_no_page_is_listed_twice_in_the_navigation() -> None:
    text = (TOP / "mkdocs.yml").read_text(encoding="utf-8")
    pages = re.findall(r": (\S+\.md)$", text.partition("\nnav:\n")[2], re.MULTILINE)
    assert sorted(set(pages)) == sorted(pages)


def load_in_chromium(address: str, profile: Path) -> str:
    """Return a page after its scripts have run."""
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


@pytest.mark.system
def test_the_search_works_without_a_server(site: Path, tmp_path: Path) -> None:
    page = load_in_chromium(f"{(site / 'index.html').as_uri()}?q=tolerance", tmp_path)
    assert re.search(r'class="md-search-result__meta">\s*\d+ matching documents', page)
    assert 'href="equality.html' in page.partition("md-search-result__list")[2]


@pytest.fixture(scope="module", name="tutorial")
def _tutorial(site: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The tutorial after a click on each copy button; blocks whose code it covers are marked."""
    page = (site / "tutorial.html").read_text(encoding="utf-8")
    script = """<script>setTimeout(() => {
      for (const button of document.querySelectorAll("[data-clipboard-target]")) {
        const code = button.closest(".highlight").querySelector("code");
        const isCovered = code.getBoundingClientRect().right > button.getBoundingClientRect().left;
        code.setAttribute("data-covered", isCovered);
        button.click();
      }
    }, 2000)</script>"""
    clicked = site / "clicked.html"
    clicked.write_text(page.replace("</body>", f"{script}</body>"), encoding="utf-8")
    shown = load_in_chromium(clicked.as_uri(), tmp_path_factory.mktemp("profile"))
    clicked.unlink()
    return shown


@pytest.mark.system
def test_the_copy_button_of_a_console_copies_the_commands(tutorial: str) -> None:
    copied = re.findall(r'data-clipboard-text="([^"]*)"', tutorial)
    page_text = (TOP / "docs" / "tutorial.md").read_text(encoding="utf-8")
    commands = [command.text for command in commands_of_page(page_text)]
    assert unescape("".join(copied)) == "".join(commands)


@pytest.mark.system
def test_a_copy_button_covers_no_code(tutorial: str) -> None:
    assert set(re.findall(r'data-covered="(\w+)"', tutorial)) == {"false"}


def test_the_home_page_has_three_buttons_and_a_failure(site: Path) -> None:
    home = (site / "index.html").read_text(encoding="utf-8")
    buttons = re.findall(r'<a class="md-button[^"]*" href="([^"]+)">([^<]+)</a>', home)
    assert buttons == [
        ("tutorial.html", "Tutorial"),
        ("howto/course.html", "Grade a course"),
        ("howto/cross-language.html", "Compare implementations"),
    ]
    assert -1 < home.find(">install<") < home.find("md-button") < home.find("run.svg")
