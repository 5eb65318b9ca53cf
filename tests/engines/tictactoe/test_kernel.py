"""The notebook cells of docs/tictactoe.md, executed by a real kernel."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import engines.tictactoe
from engines.tictactoe import board_svg, parse

PAGE = Path(__file__).parents[3] / "docs" / "tictactoe.md"
TOP = Path(engines.tictactoe.__file__).parents[2]


@pytest.fixture(name="outputs", scope="module")
def _outputs(tmp_path_factory: pytest.TempPathFactory) -> list[list[nbformat.NotebookNode]]:
    chunks = PAGE.read_text(encoding="utf-8").split("\n```")
    sources = [chunk.removeprefix("python\n") for chunk in chunks if chunk.startswith("python\n")]
    # Ignore the developer's settings and startup files. The working folder is empty, as a kernel
    # removes it from Python's path.
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(name, str(home / name.lower()))
        # type: ignore, twice: nbformat's builders are untyped.
        cells = [nbformat.v4.new_code_cell(source) for source in sources]  # type: ignore[no-untyped-call]
        notebook = nbformat.v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
        client = NotebookClient(notebook, resources={"metadata": {"path": str(home)}})
        client.execute(env={**os.environ, "PYTHONPATH": str(TOP)})
    return [cell.outputs for cell in notebook.cells]


def test_the_canvas_is_displayed(outputs: list[list[nbformat.NotebookNode]]) -> None:
    (shown,) = outputs[1]
    assert "application/vnd.jupyter.widget-view+json" in shown.data


def test_a_picture_is_displayed_as_svg(outputs: list[list[nbformat.NotebookNode]]) -> None:
    (shown,) = outputs[3]
    assert shown.data["image/svg+xml"] == board_svg(parse("XOXOOXXO.").value())
