"""The commands that ipycanvas sends to the browser when the notebook draws a board."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any, ClassVar

import comm
import pytest
from comm.base_comm import BaseComm
from support.golden import Golden

from engines.tictactoe.notebook import create_canvas, draw, set_bits

# X.X / OOX / XO.: a board without symmetry.
STATE = set_bits([0, 2, 5, 6, 3 + 9, 4 + 9, 7 + 9])


class Wire(BaseComm):
    """A connection to a browser that records messages; `comm` lets frontends provide their own."""

    sent: ClassVar[list[tuple[str, dict[str, Any], list[bytes]]]] = []

    def publish_msg(
        self,
        msg_type: str,
        data: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
        buffers: list[bytes] | None = None,
        **keys: Any,
    ) -> None:
        Wire.sent.append((msg_type, data or {}, buffers or []))


@pytest.fixture(autouse=True)
def _wired(monkeypatch: pytest.MonkeyPatch) -> None:
    # ipycanvas connects when it is imported, so import it anew.
    for name in [name for name in sys.modules if name.partition(".")[0] == "ipycanvas"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(comm, "create_comm", Wire)
    Wire.sent.clear()


def commands() -> list[str]:
    names = dict(enumerate(import_module("ipycanvas.canvas").COMMANDS))
    attributes = {code: name for name, code in import_module("ipycanvas").Canvas.ATTRS.items()}
    sent = []
    for _, data, buffers in Wire.sent:
        if data.get("method") == "custom":
            code, arguments, *_ = json.loads(bytes(buffers[0]))
            if names[code] == "set":
                arguments = [attributes[arguments[0]], arguments[1]]
            sent.append(" ".join(map(str, [names[code], *arguments])))
    return [command for command in sent if not command.startswith("switchCanvas")]


def test_a_new_canvas_is_450_wide_and_500_high_and_displayed_bug(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # ipycanvas ignores the notebook's size=(450, 500) and creates 700 x 500.
    canvas: Any = create_canvas()
    assert (canvas.width, canvas.height) == (450, 500)
    states = [data["state"] for kind, data, _ in Wire.sent if kind == "comm_open"]
    canvases = [state for state in states if state["_model_name"] == "CanvasModel"]
    assert [(state["width"], state["height"]) for state in canvases] == [(450, 500)]
    # Outside of a notebook, IPython displays an object by printing it.
    assert capsys.readouterr().out.startswith("Canvas(")


def test_a_drawing_of_a_board(golden: Golden) -> None:
    draw(STATE, create_canvas(), "-1")
    golden("canvas.txt", "\n".join(commands()) + "\n")


def test_without_ipycanvas_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ipycanvas", None)
    with pytest.raises(ModuleNotFoundError) as caught:
        create_canvas()
    assert str(caught.value) == (
        "a canvas needs ipycanvas: install it with pip install 'xtest-harness[notebook]'"
    )
    assert caught.value.name == "ipycanvas"
