"""The functions of the notebook, its canvas, and its cells in docs/tictactoe.md."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import Mock

import nbformat
import pytest
from nbclient import NotebookClient
from support.golden import Golden
from support.xtest import PACKAGES, TOP

from engines.tictactoe import board_svg, notebook, parse
from engines.tictactoe.notebook import create_canvas, draw, get_move, get_symbol, set_bits

O_HAS_WON = set_bits([0, 2, 6, 8, 1 + 9, 4 + 9, 7 + 9])
NOT_OVER = set_bits([0, 2, 5, 6, 1 + 9, 3 + 9, 4 + 9])

PROMPT = "Enter move here: "
NO_NUMBERS = "Illegal input.\nrow and col are numbers from the set {0,1,2}.\n"
NO_CELL = (
    'Illegal input. The move has to be a pair of  the form "row,col"\n'
    "where row and col are numbers from the set {0,1,2}.\n"
)
TAKEN = "Don't cheat! Please try again.\n"


def test_the_module_has_the_names_of_the_notebook() -> None:
    assert set(notebook.__all__) == set(
        "State gPlayers gStart set_bits set_bit to_board next_states gAllLines utility finished "
        "get_move final_msg size create_canvas get_symbol draw".split()
    )


def test_states_and_players_are_integers() -> None:
    names = (notebook.State, notebook.gPlayers, notebook.gStart, notebook.size)
    assert names == (int, [0, 1], 0, 150)


def test_a_symbol_off_the_board_is_refused() -> None:
    # In the notebook, row 3 has O's marks, shown as X.
    with pytest.raises(ValueError, match="^row 3, column 0 is no cell: "):
        get_symbol(O_HAS_WON, 3, 0)


BOTH_IN_CELL_4 = set_bits([4, 4 + 9])
BOTH_HAVE_WON = set_bits([0, 1, 2, 3 + 9, 4 + 9, 5 + 9])


@pytest.mark.parametrize("state", [BOTH_IN_CELL_4, BOTH_HAVE_WON, 2**18, -1])
def test_every_function_refuses_an_impossible_state(state: int) -> None:
    canvas = create_canvas()
    for refusing in (
        *(notebook.to_board, notebook.utility, notebook.finished, get_move, notebook.final_msg),
        lambda state: notebook.next_states(state, 0),
        lambda state: get_symbol(state, 0, 0),
        lambda state: draw(state, canvas, ""),
    ):
        with pytest.raises(ValueError, match=f"^{state} is no state: "):
            refusing(state)


@pytest.mark.parametrize(
    ("entered", "printed"),
    [
        *((text, NO_NUMBERS) for text in ("", "1", "1,2,0", "one,two", "1.0,2", "9" * 5000 + ",0")),
        *[("0,3", NO_CELL), ("-1,0", NO_CELL), ("1,0", TAKEN), ("2,0", TAKEN)],
    ],
)
def test_an_illegal_answer_is_explained_and_asked_again(
    entered: str, printed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{entered}\n2,2\n"))
    assert get_move(NOT_OVER) == NOT_OVER + 2 ** (9 + 8)
    assert capsys.readouterr().out == PROMPT + printed + PROMPT


@pytest.mark.parametrize(
    "error", [EOFError, KeyboardInterrupt, ValueError("I/O operation on closed file")]
)
def test_an_error_of_reading_ends_the_dialogue_bug(
    error: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The notebook catches all of them with the errors of parsing, and asks forever.
    monkeypatch.setattr("builtins.input", Mock(side_effect=["nonsense", error]))
    with pytest.raises((EOFError, KeyboardInterrupt, ValueError)):
        get_move(NOT_OVER)


# The canvas.

# X.X / OOX / XO.: a board without symmetry.
STATE = set_bits([0, 2, 5, 6, 3 + 9, 4 + 9, 7 + 9])


REAL_CANVAS = import_module("ipycanvas").Canvas


class _Recorder:
    """Records what is done with a canvas: attributes that are set, and methods that are called."""

    lines: ClassVar[list[str]] = []

    def __setattr__(self, name: str, value: object) -> None:
        assert hasattr(REAL_CANVAS, name)
        self.lines.append(f"{name} = {value}")

    def __getattr__(self, name: str) -> Callable[..., None]:
        assert callable(getattr(REAL_CANVAS, name))
        return lambda *arguments: self.lines.append(" ".join(map(str, (name, *arguments))))


def test_a_new_canvas_is_450_wide_and_500_high_and_displayed_bug(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # ipycanvas ignores the notebook's size=(450, 500) and creates 700 x 500.
    canvas: Any = create_canvas()
    assert (canvas.width, canvas.height) == (450, 500)
    # Outside of a notebook, IPython displays an object by printing it.
    assert capsys.readouterr().out.startswith("Canvas(")


def test_a_drawing_of_a_board(golden: Golden) -> None:
    canvas: Any = _Recorder()
    draw(STATE, canvas, "-1")
    golden("canvas.txt", "\n".join(canvas.lines) + "\n")


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


def test_a_kernel_displays_the_canvas_and_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunks = (TOP / "docs" / "tictactoe.md").read_text(encoding="utf-8").split("\n```")
    sources = [chunk.removeprefix("python\n") for chunk in chunks if chunk.startswith("python\n")]
    # type: ignore, twice: nbformat's builders are untyped.
    cells = [nbformat.v4.new_code_cell(source) for source in sources]  # type: ignore[no-untyped-call]
    page = nbformat.v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
    # Ignore the developer's settings and startup files. The working folder is empty, as a kernel
    # removes it from Python's path.
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    client = NotebookClient(page, resources={"metadata": {"path": str(tmp_path)}})
    client.execute(env={**os.environ, "PYTHONPATH": str(PACKAGES)})
    (canvas,), (picture,) = (page.cells[number].outputs for number in (1, 3))
    assert "application/vnd.jupyter.widget-view+json" in canvas.data
    assert picture.data["image/svg+xml"] == board_svg(parse("XOXOOXXO.").value())
