"""The notebook cells of docs/tictactoe.md, executed by a real kernel."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from engines.tictactoe import board_svg, parse

TOP = Path(__file__).parents[3]


def test_the_canvas_and_a_picture_are_displayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunks = (TOP / "docs" / "tictactoe.md").read_text(encoding="utf-8").split("\n```")
    sources = [chunk.removeprefix("python\n") for chunk in chunks if chunk.startswith("python\n")]
    # type: ignore, twice: nbformat's builders are untyped.
    cells = [nbformat.v4.new_code_cell(source) for source in sources]  # type: ignore[no-untyped-call]
    notebook = nbformat.v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
    # Ignore the developer's settings and startup files. The working folder is empty, as a kernel
    # removes it from Python's path.
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    client = NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}})
    client.execute(env={**os.environ, "PYTHONPATH": str(TOP)})
    (canvas,), (picture,) = (notebook.cells[number].outputs for number in (1, 3))
    assert "application/vnd.jupyter.widget-view+json" in canvas.data
    assert picture.data["image/svg+xml"] == board_svg(parse("XOXOOXXO.").value())
