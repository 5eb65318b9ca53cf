"""The functions of the notebook, and its cells in docs/games/tictactoe.md."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
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
        with pytest.raises(ValueError, match=f"^{state} is not a state: "):
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


def test_the_end_of_the_input_ends_the_dialogue_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    # The notebook catches EOFError with everything else and asks forever.
    monkeypatch.setattr("sys.stdin", io.StringIO("nonsense\n"))
    with pytest.raises(EOFError):
        get_move(NOT_OVER)


def test_a_closed_input_ends_the_dialogue(monkeypatch: pytest.MonkeyPatch) -> None:
    # Reading it raises ValueError, as parsing an answer does, but must not ask again.
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr("sys.stdin", closed)
    with pytest.raises(ValueError, match="closed file"):
        get_move(NOT_OVER)


CHILD = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from engines.tictactoe.notebook import get_move
get_move(0)
"""


def test_ctrl_c_ends_the_dialogue_bug() -> None:
    # The notebook catches KeyboardInterrupt with everything else. A real signal, to a real process:
    # were it caught, the child would meet the end of its input, and report that instead.
    with subprocess.Popen(
        [sys.executable, "-c", CHILD],
        cwd=PACKAGES,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.read(len(PROMPT)) == PROMPT.encode()
        # One that comes just before the child begins to read is not noticed until the next one;
        # and its input stays open, so that there is no end of it to be noticed instead.
        while child.poll() is None:
            child.send_signal(signal.SIGINT)
            time.sleep(0.05)
        out, errors = child.communicate()
    assert (out, child.returncode) == (b"", -signal.SIGINT)
    assert errors.decode().rstrip().endswith("KeyboardInterrupt")


def test_a_kernel_displays_the_canvas_and_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunks = (TOP / "docs" / "games" / "tictactoe.md").read_text(encoding="utf-8").split("\n```")
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
