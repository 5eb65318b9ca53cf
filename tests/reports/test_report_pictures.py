"""Pictures in reports: the values to draw, checks of SVG, and renderers as real programs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.events import evidence_with
from support.golden import Golden
from support.suites import write_program
from support.tables import transcript_of

from harness.files import test_cases_folder as bundled_suites
from harness.model.judgement import ShownDifference
from harness.model.transcript import Exited, Transcript
from harness.reports import pictures
from harness.reports.pictures import (
    LIMITS,
    DrawnValue,
    Picture,
    PictureSet,
    Renderer,
    Rendering,
    RenderJob,
    ValueSide,
    picture_of,
    renderers_of,
    values_to_draw,
)
from harness.suites.settings import RenderedSide

OUTPUT = Rendering(("r",), "/s", (RenderedSide.OUTPUT,))
BOTH = OUTPUT._replace(draws=(RenderedSide.INPUT, RenderedSide.OUTPUT))
INPUT, EXPECTED, PRINTED = ValueSide


def test_the_first_values_that_differ_are_drawn(golden: Golden) -> None:
    renderings = {"output": OUTPUT, "both": BOTH, "conversation": BOTH._replace(conversation=True)}

    def drawn(given: tuple[str, tuple[str, str, str], list[tuple[str | None, ...]]]) -> str:
        rendering, streams, differences = given
        found = [ShownDifference(*each) for each in differences]  # type: ignore[arg-type]  # literals
        values = values_to_draw(evidence_with((*streams, ""), *found), renderings[rendering])
        return ", ".join(" ".join(map(str, (one.side.value, *one[1:]))) for one in values)

    golden.table("drawn_values.txt", drawn)


def test_svg_is_a_picture_and_anything_else_a_note(golden: Golden) -> None:
    def shown(run: dict[str, Any]) -> str:
        found = picture_of(transcript_of(run), "r")
        assert found.svg == (b"" if found.note else run["stdout"])
        return found.note or "a picture"

    golden.table("printed_pictures.txt", shown)
    assert len(picture_of(Transcript(Exited(1), b"", b"x" * 10_000), "r").note) < 350


def draw_even(jobs: Sequence[RenderJob]) -> list[Picture]:
    drawn = {job: Picture(f"<svg>{job.value}".encode()) for job in jobs}
    return [Picture(b"", "odd") if int(job.value) % 2 else drawn[job] for job in jobs]


def drawn_values(*values: tuple[ValueSide, int, int]) -> list[DrawnValue]:
    """Return values to draw: side, number and group."""
    return [DrawnValue(side, f"/{group}", str(number), group) for side, number, group in values]


def test_pictures_are_shown_with_informative_notes(golden: Golden) -> None:
    def shown(values: list[tuple[str, int, int]]) -> str:
        gallery = PictureSet({"s": BOTH}, draw_even)
        found = drawn_values(*((ValueSide(side), number, group) for side, number, group in values))
        gallery.prepare([("s", found)])
        thumbnails = gallery.thumbnails("s", found)
        return ", ".join(" ".join(map(str, (one.side.value, *one[1:]))) for one in thumbnails)

    golden.table("thumbnails.txt", shown)


def test_equal_values_are_drawn_once_and_pictures_are_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[str] = []

    def draw_and_note(jobs: Sequence[RenderJob]) -> list[Picture]:
        drawn.extend(job.value for job in jobs)
        return draw_even(jobs)

    gallery = PictureSet({"s": BOTH}, draw_and_note)
    first, second = drawn_values((EXPECTED, 2, 0), (PRINTED, 4, 0)), drawn_values((EXPECTED, 4, 0))
    gallery.prepare([("s", first), ("s", second)])
    gallery.prepare([("s", second)])
    numbers = [one.number for one in gallery.thumbnails("s", first)]
    assert (drawn, numbers) == (["2", "4"], [0, 1])
    assert list(gallery) == [b"<svg>2", b"<svg>4"]
    seen = evidence_with(("1", "1", "2", ""))
    assert gallery.values_of("other", seen) == gallery.values_of("s", None) == []
    third = drawn_values((INPUT, 6, -1))
    for name, limit in (("_PICTURES", 2), ("_BYTES", 5)):
        with monkeypatch.context() as patched:
            patched.setattr(pictures, name, limit)
            gallery.prepare([("s", third)])
            (full,) = gallery.thumbnails("s", third)
            assert (full.number, full.note) == (-1, "no picture: the report has reached its limit")
    assert drawn == ["2", "4"]


def draw(folder: Path, script: str, *values: str) -> list[Picture]:
    write_program(folder / "renderer", script)
    renderer = OUTPUT._replace(command=("./renderer", "an argument"), folder=str(folder))
    return Renderer().draw([RenderJob(renderer, value) for value in values])


@pytest.mark.needs("samples")
def test_a_renderer_that_hangs_is_killed_and_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "LIMITS", LIMITS._replace(wall_s=0.2))
    begun = time.monotonic()
    found = draw(tmp_path, "sleep 60", *map(str, range(40)))
    assert time.monotonic() - begun < 30
    name = "no picture: ./renderer an argument"
    assert found[0].note == f"{name} took more than 10 s and was killed"
    assert found[39].note == f"{name} timed out 3 times"


def test_all_drawing_of_a_report_has_a_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "_ALL_S", 0.0)
    (found,) = draw(tmp_path, "echo '<svg/>'", "1")
    assert found.note == "no picture: the renderers have used the 0 s that a report allows"


@pytest.mark.parametrize(
    ("suite", "settings", "rendering"),
    [
        (
            *("s", 'conversation = true\n[render]\ncommand = "draw x"\ndraws = "input"\n'),
            Rendering(("draw", "x"), "", (RenderedSide.INPUT,), conversation=True),
        ),
        ("xrules", None, Rendering(("xdraw", "tsuro"), "", (RenderedSide.INPUT,))),
        ("s", "[render", None),
        ("s", "title = 'x'", None),
        ("s", None, None),
    ],
)
def test_the_renderer_is_read_from_the_suite(
    tmp_path: Path, suite: str, settings: str | None, rendering: Rendering | None
) -> None:
    if settings is not None:
        (tmp_path / "suite.toml").write_text(settings, encoding="utf-8")
    folder = bundled_suites() / suite if suite == "xrules" else tmp_path
    expected = rendering and rendering._replace(folder=str(folder))
    assert renderers_of({suite: folder}).get(suite) == expected
