"""The cells of docs/tictactoe.md in a real notebook, executed by a real kernel."""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

import engines.tictactoe
from engines.tictactoe import board_svg, parse

PAGE = Path(__file__).parents[2] / "docs" / "tictactoe.md"
TOP = Path(engines.tictactoe.__file__).parents[2]


class Browser(NotebookClient):
    """A client that keeps the messages of widgets, as a browser would get them."""

    def __init__(self, notebook: nbformat.NotebookNode, folder: Path) -> None:
        # In a folder of its own: a kernel takes the one that it starts in off Python's path.
        super().__init__(notebook, resources={"metadata": {"path": str(folder)}})
        self.messages: list[dict[str, Any]] = []

    def handle_comm_msg(
        self, outs: list[nbformat.NotebookNode], msg: dict[str, Any], cell_index: int
    ) -> None:
        """Keep the message, and handle it as any client does."""
        self.messages.append(msg)
        super().handle_comm_msg(outs, msg, cell_index)

    def canvases(self) -> list[tuple[str, int, int]]:
        """The id, the width and the height of each canvas opened."""
        opened = [msg["content"] for msg in self.messages if msg["msg_type"] == "comm_open"]
        return [
            (
                content["comm_id"],
                content["data"]["state"]["width"],
                content["data"]["state"]["height"],
            )
            for content in opened
            if content["data"]["state"]["_model_name"] == "CanvasModel"
        ]

    def texts(self) -> list[str]:
        """The texts of all drawing commands that draw one."""
        commands = [
            json.loads(bytes(msg["buffers"][0]))
            for msg in self.messages
            if msg["content"]["data"].get("method") == "custom"
        ]
        fill_text = import_module("ipycanvas.canvas").COMMANDS["fillText"]
        return [arguments[0] for code, arguments, *_ in commands if code == fill_text]


def cells_of_the_page() -> list[str]:
    """The page's fences for a notebook."""
    chunks = PAGE.read_text(encoding="utf-8").split("\n```")
    return [chunk.removeprefix("python\n") for chunk in chunks if chunk.startswith("python\n")]


@pytest.fixture(name="browser", scope="module")
def _browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    # Neither the settings nor the startup files of whoever runs the tests.
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(name, str(home / name.lower()))
        # type: ignore, twice: nbformat has types, and its builders have none.
        cells = [
            nbformat.v4.new_code_cell(source)  # type: ignore[no-untyped-call]
            for source in cells_of_the_page()
        ]
        notebook = nbformat.v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
        browser = Browser(notebook, home)
        browser.execute(env={**os.environ, "PYTHONPATH": str(TOP)})
    return browser


def test_the_canvas_is_shown_450_wide_and_500_high(browser: Browser) -> None:
    ((canvas, width, height),) = browser.canvases()
    assert (width, height) == (450, 500)
    (shown,) = browser.nb.cells[1].outputs
    assert shown.data["application/vnd.jupyter.widget-view+json"]["model_id"] == canvas


def test_the_drawing_reaches_the_browser(browser: Browser) -> None:
    labels = [f"({row}, {col})" for row in range(3) for col in range(3)]
    assert browser.texts() == [*"XOXOOXXO", *labels, "-1"]


def test_a_picture_is_shown_as_its_svg(browser: Browser) -> None:
    (shown,) = browser.nb.cells[3].outputs
    assert shown.data["image/svg+xml"] == board_svg(parse("XOXOOXXO.").value())
