"""The functions of the notebook: results, dialogue and errors."""

from __future__ import annotations

import io

import pytest

from engines.tictactoe import notebook
from engines.tictactoe.notebook import get_move, get_symbol, set_bits

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
    canvas = notebook.create_canvas()
    for refusing in (
        *(notebook.to_board, notebook.utility, notebook.finished, get_move, notebook.final_msg),
        lambda state: notebook.next_states(state, 0),
        lambda state: get_symbol(state, 0, 0),
        lambda state: notebook.draw(state, canvas, ""),
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
    "error", [EOFError(), KeyboardInterrupt(), ValueError("I/O operation on closed file")]
)
def test_an_error_of_reading_ends_the_dialogue_bug(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The notebook catches all of them with the errors of parsing, and asks forever.
    answers = iter(["nonsense", error])

    def read(_prompt: str) -> str:
        answer = next(answers)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    monkeypatch.setattr("builtins.input", read)
    with pytest.raises(type(error)) as caught:
        get_move(NOT_OVER)
    assert caught.value is error
