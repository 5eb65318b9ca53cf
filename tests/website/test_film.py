"""The film of the README shows what xtest prints today, and is a harmless picture."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from film_scene import LINES, Film, Frame, TextRun, record
from film_svg import svg_of
from support.xtest import TOP

PICTURE = TOP / "docs" / "pictures" / "run.svg"
SVG = "{http://www.w3.org/2000/svg}"
_TIME = re.compile(r"\b\d+\.\d+ s\b")


def text_of(picture: str) -> str:
    """Return the text of a film, with all times alike."""
    text = ElementTree.fromstring(picture).findtext(f"{SVG}desc")
    assert text is not None
    return _TIME.sub("0.0 s", text)


def test_the_film_shows_what_xtest_prints(tmp_path: Path) -> None:
    shown = text_of(PICTURE.read_text(encoding="utf-8"))
    assert shown == text_of(svg_of(record(tmp_path))), "run: python website/film.py"


def test_the_last_screen_shows_the_whole_scene() -> None:
    tree = ElementTree.fromstring(PICTURE.read_text(encoding="utf-8"))
    lines = {
        group.get("id"): "".join(text.text or "" for text in group)
        for group in tree.iter(f"{SVG}g")
        if group.get("id")
    }
    (strip,) = (group for group in tree.iter(f"{SVG}g") if group.get("class") == "film")
    last = [lines[use.get("href", "")[1:]] for use in list(strip)[-1].iter(f"{SVG}use")]
    text = text_of(PICTURE.read_text(encoding="utf-8"))
    shown = [re.sub(r"\s", "", _TIME.sub("0.0 s", line)) for line in last]
    assert shown == [re.sub(r"\s", "", line) for line in text.splitlines() if line]


def test_the_first_screen_shows_the_failure() -> None:
    tree = ElementTree.fromstring(PICTURE.read_text(encoding="utf-8"))
    lines = {each.get("id"): "".join(each.itertext()) for each in tree.iter(f"{SVG}g")}
    (strip,) = (group for group in tree.iter(f"{SVG}g") if group.get("class") == "film")
    first = [lines[use.get("href", "")[1:]] for use in strip[0].iter(f"{SVG}use")]
    assert any(line.startswith("differs") for line in first)


def test_the_film_is_small_and_loads_nothing() -> None:
    picture = PICTURE.read_text(encoding="utf-8")
    assert len(picture.encode()) < 150_000
    tags = {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(picture).iter()}
    assert tags == {"svg", "title", "desc", "style", "rect", "circle", "defs", "g", "text", "use"}
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|url\(|@import", picture)


def test_a_film_of_one_line() -> None:
    line = (TextRun(0, "<a> &", "red", True), TextRun(7, "b", "default", False))
    screen = (line, (), line, *[()] * (LINES - 3))
    picture = svg_of(Film((Frame(screen, (0, 0), 1.0), Frame(screen, (2, 0), 2.0)), ("<a> & b",)))
    # The line is drawn once, and used wherever it stands.
    assert picture.count("&lt;a&gt; &amp;</text>") == 1
    assert picture.count('<use href="#l0" y="0"/>') == 2
    assert picture.count('<use href="#l0" y="38"/>') == 2
    assert 'textLength="42" class="r b"' in picture
    assert '<text x="58.8" y="14" textLength="8.4">b</text>' in picture
    # Without motion, the last screen is shown.
    assert f".film{{transform:translateY({-LINES * 19}px)}}" in picture
    assert "@media (prefers-reduced-motion:no-preference){.film{animation:film 3.00s" in picture
    assert "33.333%{transform:" in picture
