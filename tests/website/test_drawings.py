"""The film of the README and the drawing of VS Code's Test Explorer show real runs."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from explorer import INI, SETTINGS, explorer_svg, run_tests
from film_scene import LINES, Film, Frame, TextRun, record
from film_svg import svg_of
from support.golden import Golden
from support.svg import elements, split_elements
from support.xtest import TOP

FILM = (TOP / "docs" / "pictures" / "run.svg").read_text(encoding="utf-8")
EXPLORER = (TOP / "docs" / "pictures" / "test-explorer.svg").read_text(encoding="utf-8")


def same_times(text: str) -> str:
    return re.sub(r"\b\d+\.\d+ s\b", "0.0 s", text)


def text_of(film: str) -> str:
    """Return the text of a film, with all times alike."""
    (description,) = elements(film, "desc")
    return same_times(description.text or "")


def lines_of(screen: Element) -> list[str]:
    """Return the lines that a screen of the film shows, with all times alike."""
    lines = {group.get("id"): "".join(group.itertext()) for group in elements(FILM, "g")}
    return [same_times(lines[use.get("href", "")[1:]]) for use in screen if "href" in use.attrib]


def test_the_film_shows_what_xtest_prints(tmp_path: Path) -> None:
    assert text_of(FILM) == text_of(svg_of(record(tmp_path))), "run: python website/film.py"


def test_the_first_screen_shows_the_failure_and_the_last_one_the_whole_scene() -> None:
    (strip,) = (group for group in elements(FILM, "g") if group.get("class") == "film")
    first, *_, last = strip
    assert any(line.startswith("differs") for line in lines_of(first))
    shown = [re.sub(r"\s", "", line) for line in lines_of(last)]
    assert shown == [re.sub(r"\s", "", line) for line in text_of(FILM).splitlines() if line]


def test_the_film_is_small_and_loads_nothing() -> None:
    assert len(FILM.encode()) < 150_000
    tags = {element.tag.partition("}")[2] for element in ElementTree.fromstring(FILM).iter()}
    assert tags == {"svg", "title", "desc", "style", "rect", "circle", "defs", "g", "text", "use"}
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|url\(|@import", FILM)


def test_a_film_uses_each_line_wherever_it_stands_and_ends_with_the_last_screen(
    golden: Golden,
) -> None:
    line = (TextRun(0, "<a> &", "red", True), TextRun(7, "b", "default", False))
    screen = (line, (), line, *[()] * (LINES - 3))
    film = Film((Frame(screen, (0, 0), 1.0), Frame(screen, (2, 0), 2.0)), ("<a> & b",))
    golden("film.svg", split_elements(svg_of(film)))


def test_the_explorer_is_drawn_from_what_pytest_reports(tmp_path: Path) -> None:
    drawn, anew = (
        [same_times(text.text or "") for text in elements(picture, "text")]
        for picture in (EXPLORER, explorer_svg(run_tests(tmp_path)))
    )
    assert drawn == anew, "run: python website/explorer.py"
    tree = ["adder", "suites", "none", "1", "2", "sums", "1", "2", "3"]
    assert drawn[drawn.index("adder") :][: len(tree)] == tree
    assert "4/5 tests passed" in drawn and "    printed    5" in drawn


def test_the_page_about_the_explorer_has_the_settings_of_the_drawing() -> None:
    page = (TOP / "docs/editors.md").read_text(encoding="utf-8")
    blocks = re.findall(r" {4}```\w+\n(.*?) {4}```", page, re.DOTALL)
    assert [re.sub("^ {4}", "", block, flags=re.MULTILINE) for block in blocks] == [INI, SETTINGS]
