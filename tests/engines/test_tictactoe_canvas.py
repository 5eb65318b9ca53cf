"""What the real ipycanvas sends to the browser when the notebook draws: its messages, decoded."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any, ClassVar

import comm
import pytest
from comm.base_comm import BaseComm

from engines.tictactoe.notebook import create_canvas, draw, set_bits

# X.X / OOX / XO.: a board without a symmetry of its own.
STATE = set_bits([0, 2, 5, 6, 3 + 9, 4 + 9, 7 + 9])


class Wire(BaseComm):
    """The line to a browser that keeps what is sent: `comm` says that a frontend brings its own."""

    sent: ClassVar[list[tuple[str, dict[str, Any], list[bytes]]]] = []

    def publish_msg(
        self,
        msg_type: str,
        data: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
        buffers: list[bytes] | None = None,
        **keys: Any,
    ) -> None:
        """Keep the kind of message, its data and its buffers."""
        Wire.sent.append((msg_type, data or {}, buffers or []))


@pytest.fixture(autouse=True)
def _wired(monkeypatch: pytest.MonkeyPatch) -> None:
    # ipycanvas opens its line when it is imported: so it is imported anew.
    for name in [name for name in sys.modules if name.partition(".")[0] == "ipycanvas"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(comm, "create_comm", Wire)
    Wire.sent.clear()


def drawn() -> list[tuple[Any, ...]]:
    """The commands sent, each as its name and its arguments; ("set", attribute, value) is one."""
    names = dict(enumerate(import_module("ipycanvas.canvas").COMMANDS))
    attributes = {code: name for name, code in import_module("ipycanvas").Canvas.ATTRS.items()}
    commands = []
    for _, data, buffers in Wire.sent:
        if data.get("method") == "custom":
            code, arguments, *_ = json.loads(bytes(buffers[0]))
            if names[code] == "set":
                arguments = [attributes[arguments[0]], arguments[1]]
            commands.append((names[code], *arguments))
    return [command for command in commands if command[0] != "switchCanvas"]


def opened_canvases() -> list[dict[str, Any]]:
    """The states in which canvases were opened in the browser."""
    states = [data["state"] for kind, data, _ in Wire.sent if kind == "comm_open"]
    return [state for state in states if state["_model_name"] == "CanvasModel"]


def test_the_canvas_is_450_wide_and_500_high_in_the_browser_too_bug() -> None:
    # The notebook's size=(450, 500) is ignored by ipycanvas, which then takes 700 x 500.
    canvas: Any = create_canvas()
    assert (canvas.width, canvas.height) == (450, 500)
    assert [(state["width"], state["height"]) for state in opened_canvases()] == [(450, 500)]


def test_a_new_canvas_is_shown_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    create_canvas()
    # Outside of a notebook IPython shows an object by printing it.
    assert capsys.readouterr().out.startswith("Canvas(")


def test_a_drawing_begins_with_a_blank_canvas_and_centred_letters() -> None:
    draw(STATE, create_canvas(), "-1")
    assert drawn()[:4] == [
        ("clear",),
        ("set", "font", "90px sans-serif"),
        ("set", "text_align", "center"),
        ("set", "text_baseline", "middle"),
    ]


def test_each_cell_is_framed_row_by_row() -> None:
    draw(STATE, create_canvas(), "-1")
    frames = [command[1:] for command in drawn() if command[0] == "strokeRect"]
    assert frames == [(x, y, 150, 150) for y in (0, 150, 300) for x in (0, 150, 300)]
    assert ("set", "line_width", 3.0) in drawn()[: drawn().index(("strokeRect", 0, 0, 150, 150))]


def lettered() -> list[tuple[Any, ...]]:
    """Each text drawn, with its place and the colour and the font that were set for it."""
    setting = {"fill_style": "", "font": ""}
    texts = []
    for name, *arguments in drawn():
        if name == "set":
            setting[arguments[0]] = arguments[1]
        elif name == "fillText":
            texts.append((*arguments, setting["fill_style"], setting["font"]))
    return texts


def test_the_marks_are_drawn_in_the_centres_of_their_cells_x_red_and_o_blue() -> None:
    draw(STATE, create_canvas(), "-1")
    font = "90px sans-serif"
    assert lettered()[:7] == [
        ("X", 75, 75, "red", font),
        ("X", 375, 75, "red", font),
        ("O", 75, 225, "blue", font),
        ("O", 225, 225, "blue", font),
        ("X", 375, 225, "red", font),
        ("X", 75, 375, "red", font),
        ("O", 225, 375, "blue", font),
    ]


def test_each_cell_is_labelled_with_what_to_enter_for_it_and_the_value_stands_below() -> None:
    draw(STATE, create_canvas(), "-1")
    labels = [
        (f"({row}, {col})", x, y, "green", "12px sans-serif")
        for row, y in enumerate((141, 291, 441))
        for col, x in enumerate((16, 166, 316))
    ]
    assert lettered()[7:] == [*labels, ("-1", 225.0, 480.0, "black", "20px sans-serif")]


def test_an_empty_board_has_labels_and_no_marks() -> None:
    draw(0, create_canvas(), "")
    assert [text for text, *_ in lettered() if text in ("X", "O")] == []
    assert len(lettered()) == 9 + 1


def test_without_ipycanvas_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # None in sys.modules is what makes Python say that there is no such module.
    monkeypatch.setitem(sys.modules, "ipycanvas", None)
    with pytest.raises(ModuleNotFoundError) as caught:
        create_canvas()
    assert str(caught.value) == (
        "a canvas needs ipycanvas: install it with pip install 'xtest-harness[notebook]'"
    )
    assert caught.value.name == "ipycanvas"
