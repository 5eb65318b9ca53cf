"""The notebook's functions: their answers, what they print, and how they end."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import engines.tictactoe
from engines.tictactoe import notebook
from engines.tictactoe.notebook import (
    create_canvas,
    draw,
    final_msg,
    finished,
    gAllLines,
    get_move,
    get_symbol,
    gPlayers,
    gStart,
    next_states,
    set_bit,
    set_bits,
    size,
    to_board,
    utility,
)

TOP = Path(engines.tictactoe.__file__).parents[2]

X_HAS_WON = set_bits([0, 2, 3, 6, 1 + 9, 4 + 9, 5 + 9])
O_HAS_WON = set_bits([0, 2, 6, 8, 1 + 9, 4 + 9, 7 + 9])
DRAWN = set_bits([0, 2, 5, 6, 7, 1 + 9, 3 + 9, 4 + 9, 8 + 9])
NOT_OVER = set_bits([0, 2, 5, 6, 1 + 9, 3 + 9, 4 + 9])

PROMPT = "Enter move here: "
NO_NUMBERS = "Illegal input.\nrow and col are numbers from the set {0,1,2}.\n"
NO_CELL = (
    'Illegal input. The move has to be a pair of  the form "row,col"\n'
    "where row and col are numbers from the set {0,1,2}.\n"
)
TAKEN = "Don't cheat! Please try again.\n"


def answer(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Let a person enter these lines, and then end the input."""
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(line + "\n" for line in lines)))


# Bits and boards


def test_the_module_offers_every_name_that_the_notebook_defines_and_no_other() -> None:
    assert sorted(notebook.__all__, key=str.lower) == sorted(
        "State gPlayers gStart set_bits set_bit to_board next_states gAllLines utility finished "
        "get_move final_msg size create_canvas get_symbol draw".split(),
        key=str.lower,
    )


def test_a_state_is_an_integer_and_players_and_start_are_numbers() -> None:
    assert (notebook.State, gPlayers, gStart, size) == (int, [0, 1], 0, 150)


def test_bits_are_counted_from_0() -> None:
    assert set_bits([0, 1, 4]) == 2**0 + 2**1 + 2**4
    assert (set_bit(7), set_bit(0)) == (2**7, 1)


def test_a_board_is_printed_in_a_frame() -> None:
    assert to_board(set_bits([0, 2, 3, 5, 7, 9 + 1, 9 + 4, 9 + 6])) == (
        "+-+-+-+\n|X|O|X|\n+-+-+-+\n|X|O|X|\n+-+-+-+\n|O|X| |\n+-+-+-+\n"
    )


def test_the_lines_are_rows_columns_falling_and_rising_diagonal() -> None:
    drawn = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]
    assert gAllLines == [set_bits(line) for line in drawn]


def test_the_list_of_lines_is_the_reader_s_to_change() -> None:
    lines = gAllLines[:]
    try:
        gAllLines.clear()
        assert utility(set_bits([0, 1, 2])) == 1
    finally:
        gAllLines[:] = lines


def test_a_symbol_is_x_or_o_or_blank() -> None:
    assert [get_symbol(NOT_OVER, 0, col) for col in range(3)] == ["X", "O", "X"]
    assert [get_symbol(NOT_OVER, 2, col) for col in range(3)] == ["X", " ", " "]


@pytest.mark.parametrize(("row", "col"), [(3, 0), (0, 3), (-1, 2), (2, -1)])
def test_a_symbol_beyond_the_board_is_refused(row: int, col: int) -> None:
    # Row 3 of the notebook would be O's marks, shown as X.
    with pytest.raises(
        ValueError, match=f"^row {row}, column {col} is no cell: expected a row and"
    ):
        get_symbol(O_HAS_WON, row, col)


# States


def test_the_next_states_ascend_for_either_player() -> None:
    state = set_bits([2, 3, 5, 10, 13, 15])
    assert next_states(state, 0) == [state + 2**cell for cell in (0, 7, 8)]
    assert next_states(state, 1) == [state + 2 ** (9 + cell) for cell in (0, 7, 8)]


def test_a_game_that_is_over_has_no_next_states() -> None:
    assert [next_states(X_HAS_WON, player) for player in gPlayers] == [[], []]


def test_there_is_no_player_2() -> None:
    with pytest.raises(ValueError, match="^2 is no player: expected 0 for X or 1 for O$"):
        next_states(gStart, 2)


@pytest.mark.parametrize(
    ("state", "result"), [(X_HAS_WON, 1), (O_HAS_WON, -1), (DRAWN, 0), (NOT_OVER, None)]
)
def test_a_game_is_finished_when_it_has_a_utility_even_if_that_is_0(
    state: int, result: int | None
) -> None:
    assert (utility(state), finished(state)) == (result, result is not None)


BOTH_IN_CELL_4 = set_bits([4, 4 + 9])
BOTH_HAVE_WON = set_bits([0, 1, 2, 3 + 9, 4 + 9, 5 + 9])


@pytest.mark.parametrize("state", [BOTH_IN_CELL_4, BOTH_HAVE_WON, 2**18, -1])
def test_a_state_that_no_board_can_show_is_refused_by_every_function_that_takes_one(
    state: int,
) -> None:
    canvas = create_canvas()
    for refusing in (
        lambda: to_board(state),
        lambda: next_states(state, 0),
        lambda: utility(state),
        lambda: finished(state),
        lambda: get_move(state),
        lambda: final_msg(state),
        lambda: get_symbol(state, 0, 0),
        lambda: draw(state, canvas, ""),
    ):
        with pytest.raises(ValueError, match=f"^{state} is no state: "):
            refusing()


# Talking to a person


def test_a_legal_move_is_made_for_o(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(monkeypatch, "2,1")
    assert get_move(NOT_OVER) == NOT_OVER + 2 ** (9 + 7)
    assert capsys.readouterr().out == PROMPT


def test_cell_0_can_be_moved_to_and_blanks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, " 0 , 0 ")
    assert get_move(gStart) == 2**9


@pytest.mark.parametrize(
    ("entered", "told"),
    [
        ("", NO_NUMBERS),
        ("1", NO_NUMBERS),
        ("1,2,0", NO_NUMBERS),
        ("one,two", NO_NUMBERS),
        ("1.0,2", NO_NUMBERS),
        ("9" * 5000 + ",0", NO_NUMBERS),
        ("0,3", NO_CELL),
        ("-1,0", NO_CELL),
        ("1,0", TAKEN),
        ("2,0", TAKEN),
    ],
)
def test_an_answer_that_is_no_move_is_told_what_is_expected_and_asked_again(
    entered: str,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer(monkeypatch, entered, "2,2")
    assert get_move(NOT_OVER) == NOT_OVER + 2 ** (9 + 8)
    assert capsys.readouterr().out == PROMPT + told + PROMPT


def test_the_end_of_the_input_ends_the_asking_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    # The notebook catches EOFError with everything else, and asks for ever.
    answer(monkeypatch, "nonsense")
    with pytest.raises(EOFError):
        get_move(NOT_OVER)


def test_a_closed_input_ends_the_asking_too(monkeypatch: pytest.MonkeyPatch) -> None:
    # Reading it raises ValueError, as int() does of an answer: still it is not asked again.
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


def test_ctrl_c_ends_the_asking_bug() -> None:
    # The notebook catches KeyboardInterrupt with everything else. A real signal, to a real process:
    # were it caught, the child would meet the end of its input, and report that instead.
    with subprocess.Popen(
        [sys.executable, "-c", CHILD],
        cwd=TOP,
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


@pytest.mark.parametrize("state", [X_HAS_WON, O_HAS_WON, DRAWN])
def test_nobody_is_asked_for_a_move_once_the_game_is_over(state: int) -> None:
    with pytest.raises(ValueError) as caught:
        get_move(state)
    assert str(caught.value) == (
        f"there is no move in {state}: the game is over, expected one that goes on"
    )


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (X_HAS_WON, "The computer has won!\n"),
        (O_HAS_WON, "You have won!\n"),
        (DRAWN, "It's a draw.\n"),
        (NOT_OVER, ""),
    ],
)
def test_the_final_message_tells_how_the_game_has_ended_if_it_has(
    state: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert final_msg(state) is (told != "")
    assert capsys.readouterr().out == told
