"""Renderers as real programs: found by their suite, run within limits, never trusted."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from harness.about import About
from harness.documents import drawing
from harness.documents.drawing import Studio, renderings_of
from harness.documents.pictures import LIMITS, Picture, Rendering, Sheet
from harness.suites.bundled import test_cases_folder as bundled_suites
from harness.suites.policy import Drawn


def program(folder: Path, body: str) -> tuple[str, ...]:
    """The command of a renderer in Python that does this."""
    file = folder / "renderer"
    file.write_text(f"#!{sys.executable}\nimport os, sys, time\n{body}\n", encoding="utf-8")
    file.chmod(0o755)
    return ("./renderer", "an argument")


def drawn(folder: Path, body: str, *values: str) -> list[Picture]:
    """What such a renderer makes of values."""
    command = program(folder, body)
    return Studio().draw([Sheet(command, str(folder), value) for value in values])


def test_each_value_is_drawn_in_the_suites_folder(tmp_path: Path) -> None:
    body = "print('<svg>', sys.stdin.read().strip(), sys.argv[1], os.getcwd(), '</svg>')"
    assert drawn(tmp_path, body, '{"a":1}', "2") == [
        Picture(f"<svg> {value} an argument {tmp_path} </svg>\n".encode())
        for value in ('{"a":1}', "2")
    ]


@pytest.mark.parametrize(
    ("body", "note"),
    [
        ("sys.exit('no board in this')", "no board in this"),
        ("print('hello')", "./renderer an argument printed no SVG"),
        ("os.kill(os.getpid(), 9)", "./renderer an argument was ended by SIGKILL"),
        (
            "print('<svg>' + 'x' * 600_000)",
            "./renderer an argument printed more than 512 KiB, and was ended",
        ),
    ],
)
def test_a_renderer_that_fails_gives_a_note(tmp_path: Path, body: str, note: str) -> None:
    assert drawn(tmp_path, body, "1") == [Picture(b"", f"no picture: {note}")]


def test_a_renderer_that_is_not_there_gives_a_note(tmp_path: Path) -> None:
    said = "no such program, neither beside this Python nor on PATH"
    assert Studio().draw([Sheet(("no-such-renderer",), str(tmp_path), "1")]) == [
        Picture(b"", f"no picture: no-such-renderer: {said}")
    ]


def test_a_renderer_that_hangs_is_ended_and_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "LIMITS", LIMITS._replace(wall_s=0.2))
    begun = time.monotonic()
    pictures = drawn(tmp_path, "time.sleep(60)", *map(str, range(40)))
    assert time.monotonic() - begun < 30
    assert pictures[0].note == (
        "no picture: ./renderer an argument took more than 10 s, and was ended"
    )
    assert pictures[39].note == "no picture: ./renderer an argument took too long 3 times"


def test_all_drawing_together_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "_ALL_S", 0.0)
    assert drawn(tmp_path, "print('<svg/>')", "1") == [
        Picture(b"", "no picture: the renderers have had 0 s for this report")
    ]


# Which renderer.


def test_the_renderer_is_that_of_the_suite_and_not_of_the_results(tmp_path: Path) -> None:
    said = 'conversation = true\n[render]\ncommand = "draw x"\ndraws = "input"\n'
    (tmp_path / "suite.toml").write_text(said, encoding="utf-8")
    assert renderings_of([About("s", str(tmp_path))]) == {
        "s": Rendering(("draw", "x"), str(tmp_path), (Drawn.INPUT,), conversation=True)
    }


def test_a_bundled_suite_is_known_by_its_name() -> None:
    found = renderings_of([About("xrules", "/nowhere/xrules"), About("xref", "/nowhere")])
    folder = str(bundled_suites() / "xrules")
    assert found == {"xrules": Rendering(("xdraw", "tsuro"), folder, (Drawn.INPUT,))}


@pytest.mark.parametrize("said", ["[render", "title = 'x'", None])
def test_a_suite_that_names_none_has_none(tmp_path: Path, said: str | None) -> None:
    if said is not None:
        (tmp_path / "suite.toml").write_text(said, encoding="utf-8")
    assert not renderings_of([About("no-bundled-suite", str(tmp_path))])
