"""The film of the README: that it shows what xtest prints today, and is a harmless picture."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from film_scene import COLUMNS, LINES, Film, Frame, Run, recorded
from film_svg import svg_of

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "pictures" / "run.svg"
SVG = "{http://www.w3.org/2000/svg}"
_TIME = re.compile(r"\b\d+\.\d+ s\b")


def said(picture: str) -> str:
    """What a film says it shows, with all times alike."""
    text = ElementTree.fromstring(picture).findtext(f"{SVG}desc")
    assert text is not None
    return _TIME.sub("0.0 s", text)


def test_the_film_shows_what_xtest_prints(tmp_path: Path) -> None:
    film = recorded(tmp_path)
    shown = said(PICTURE.read_text(encoding="utf-8"))
    assert shown == said(svg_of(film)), "make it anew: python website/film.py"
    told = ("3 of 4 passed in", "all 4 passed in", "7 of 8 passed in")
    places = [shown.index(words) for words in told]
    assert places == sorted(places)


def test_its_last_screen_tells_the_whole_story() -> None:
    tree = ElementTree.fromstring(PICTURE.read_text(encoding="utf-8"))
    lines = {
        group.get("id"): "".join(text.text or "" for text in group)
        for group in tree.iter(f"{SVG}g")
        if group.get("id")
    }
    (strip,) = (group for group in tree.iter(f"{SVG}g") if group.get("class") == "film")
    last = [lines[use.get("href", "")[1:]] for use in list(strip)[-1].iter(f"{SVG}use")]
    text = said(PICTURE.read_text(encoding="utf-8"))
    assert [_bare(line) for line in last] == [
        re.sub(r"\s", "", line) for line in text.splitlines() if line
    ]


def _bare(line: str) -> str:
    return re.sub(r"\s", "", _TIME.sub("0.0 s", line))


def test_it_is_small_and_can_do_nothing() -> None:
    picture = PICTURE.read_text(encoding="utf-8")
    assert len(picture.encode()) < 150_000
    tags = {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(picture).iter()}
    assert tags == {"svg", "title", "desc", "style", "rect", "circle", "defs", "g", "text", "use"}
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|url\(|@import", picture)


def film_of(*lines: tuple[Run, ...]) -> Film:
    """A film of one screen."""
    blank: tuple[Run, ...] = ()
    screen = (*lines, *[blank] * (LINES - len(lines)))
    return Film((Frame(screen, (0, 0), 1.0), Frame(screen, (2, 0), 2.0)), ("<a> & b",))


def test_a_line_is_drawn_once_and_used_wherever_it_stands() -> None:
    line = (Run(0, "<a> &", "red", True), Run(7, "b", "default", False))
    picture = svg_of(film_of(line, (), line))
    assert picture.count("&lt;a&gt; &amp;</text>") == 1
    assert picture.count('<use href="#l0" y="0"/>') == 2
    assert picture.count('<use href="#l0" y="38"/>') == 2
    assert 'textLength="42" class="r b"' in picture
    assert '<text x="58.8" y="14" textLength="8.4">b</text>' in picture
    assert COLUMNS == 76  # what the README's line says of its width follows from this


def test_without_motion_the_last_screen_stands_still() -> None:
    picture = svg_of(film_of())
    assert f".film{{transform:translateY({-LINES * 19}px)}}" in picture
    assert "@media (prefers-reduced-motion:no-preference){.film{animation:film 4.00s" in picture
    assert "25.000%{transform:" in picture
