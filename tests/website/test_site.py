"""The site builds without a warning, loads nothing from elsewhere, and works without a server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import pytest
from support.chromium import Browser
from support.console import commands_of_page
from support.xtest import TOP

# The elements and attributes that make a browser load something.
LOADING = {("link", "href"), *((tag, "src") for tag in ("script", "img", "iframe", "source"))}


@pytest.fixture(scope="module", name="site")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site; --strict refuses pages outside the navigation, broken links and anchors."""
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
    """Finds the addresses that a page makes a browser load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += (value or "" for name, value in attrs if (tag, name) in LOADING)


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        reader = _Loads()
        reader.feed(page.read_text(encoding="utf-8"))
        for address in reader.found:
            assert not re.match(r"(?:[a-z]+:)?//", address), f"{page.name}: {address}"
            assert (page.parent / address.partition("?")[0]).exists() or page.name == "404.html"
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//|@import", style.read_text("utf-8")), style


def test_linked_files_outside_docs_are_part_of_the_site(site: Path) -> None:
    page = (site / "games" / "index.html").read_text(encoding="utf-8")
    assert 'href="../source/languages/javascript/json.mjs"' in page
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


# Resolves to what a function returns once that is true, or to null after a minute.
UNTIL = """const until = (look, tries = 3000) => new Promise((done) => {
  const again = () => look() || !tries-- ? done(look()) : setTimeout(again, 20);
  again();
});
"""
FIRST = """until(() =>
  /^\\s*\\d+ matching document/.test(document.querySelector(".md-search-result__meta").textContent)
  && document.querySelector(".md-search-result__link")?.pathname.split("/").at(-1))
"""
# What readers ask, and the page that the search must show first.
QUESTIONS = {
    "tolerance": "equality.html",
    "order does not matter": "equality.html",
    "no color": "output.html",
    "how long each case takes": "reports.html",
    "program kills xtest": "running.html",
    "run as another user": "running.html",
    "seed reproducible random inputs": "fuzz.html",
    "send invalid UTF-8": "can-i-use.html",
    "send results to students": "course.html",
    "Windows line endings": "suites.html",
    "convert cases from CSV": "import.html",
}
COPIED = """until(() => document.querySelector("[data-clipboard-target]")).then(() =>
  [...document.querySelectorAll("[data-clipboard-target]")].map((button) => {
    const code = button.closest(".highlight").querySelector("code");
    button.click();
    return [
      button.getAttribute("data-clipboard-text"),
      code.getBoundingClientRect().right > button.getBoundingClientRect().left,
    ];
  }))
"""


@pytest.mark.system
def test_the_search_answers_questions_without_a_server(site: Path, browser: Browser) -> None:
    home = (site / "index.html").as_uri()
    answers = {}
    with browser.tab() as tab:
        for question in QUESTIONS:
            tab.open(f"{home}?q={quote(question)}")
            answers[question] = tab.value(UNTIL + FIRST)
    assert answers == QUESTIONS


@pytest.mark.system
def test_a_copy_button_copies_the_commands_of_a_console_and_covers_no_code(
    site: Path, browser: Browser
) -> None:
    with browser.tab() as tab:
        tab.open((site / "tutorial.html").as_uri())
        buttons = tab.value(UNTIL + COPIED)
    page_text = (TOP / "docs" / "tutorial.md").read_text(encoding="utf-8")
    commands = [command.text for command in commands_of_page(page_text)]
    assert "".join(copied or "" for copied, _ in buttons) == "".join(commands)
    assert not any(is_covered for _, is_covered in buttons)


def test_the_home_page_has_three_buttons_and_a_failure(site: Path) -> None:
    home = (site / "index.html").read_text(encoding="utf-8")
    buttons = re.findall(r'<a class="md-button[^"]*" href="([^"]+)">([^<]+)</a>', home)
    assert buttons == [
        ("tutorial.html", "Tutorial"),
        ("can-i-use.html", "Can I use xtest for ...?"),
        ("howto/course.html", "Grade a course"),
    ]
    assert -1 < home.find(">install<") < home.find("md-button") < home.find("run.svg")
