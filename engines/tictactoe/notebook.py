"""The names of the notebook "Tic-Tac-Toe via Bitboards", in its order, with stricter checks.

The only engine module with I/O: `get_move` and `final_msg` use the terminal, `create_canvas` and
`draw` a notebook. Functions that take a state raise ValueError for one that no board can show.
docs/games/tictactoe.md lists the differences from the notebook.
"""

# pylint: disable=invalid-name  # the names are the notebook's

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Protocol, TypeAlias, TypeVar

from engines.bits import bit, mask_of
from engines.result import Result
from engines.tictactoe import board
from engines.tictactoe.masks import LINES

__all__ = [
    "State",
    "create_canvas",
    "draw",
    "final_msg",
    "finished",
    "gAllLines",
    "gPlayers",
    "gStart",
    "get_move",
    "get_symbol",
    "next_states",
    "set_bit",
    "set_bits",
    "size",
    "to_board",
    "utility",
]

T = TypeVar("T")

State: TypeAlias = int

gPlayers: list[int] = [0, 1]

gStart: State = 0


def set_bits(Bits: list[int]) -> int:
    """Return the integer with exactly these bits set, counted from 0."""
    return mask_of(Bits)


def set_bit(n: int) -> int:
    """Return the integer with exactly bit n set."""
    return bit(n)


def to_board(s: State) -> str:
    """Return the board as seven lines of framed text, each ending in a newline."""
    rule = "+-+-+-+\n"
    rows = (f"|{'|'.join(get_symbol(s, row, col) for col in range(3))}|\n" for row in range(3))
    return rule + "".join(row + rule for row in rows)


def next_states(S: State, player: int) -> list[State]:
    """Return the states after each move of player 0 (X) or 1 (O), ascending by cell.

    Empty if the game is over. Raises ValueError for another player.
    """
    return list(board.next_states(_checked_state(S), _value_or_raise(board.player_of(player))))


gAllLines: list[int] = list(LINES)


def utility(s: State) -> int | None:
    """Return 1 if X, the computer, has won, -1 if O has, 0 for a draw, or None for an open game."""
    return board.utility(_checked_state(s))


def finished(s: State) -> bool:
    """Return whether the game is over. The notebook describes this function without defining it."""
    return board.finished(_checked_state(s))


def get_move(S: State) -> State:
    """Return the state after O's move, entered by the user as "row,col"; ask until it is legal.

    An illegal answer is explained and asked again. EOFError and KeyboardInterrupt propagate. Raises
    ValueError if the game is over.
    """
    state = _checked_state(S)
    if board.finished(state):
        raise ValueError(f"there is no move in {S}: the game is over")
    while True:
        # Outside of a try: errors of reading must propagate, or they would repeat forever.
        cell = _parse_cell(input("Enter move here: "))
        if cell is None:
            continue
        after = board.place(state, board.Player.O, cell)
        if after.is_ok():
            return after.value()
        print("Don't cheat! Please try again.")


def final_msg(S: State) -> bool:
    """Print the result of a finished game to the user, who plays O; return whether it is over."""
    result = utility(S)
    if result is None:
        return False
    if result == board.O_WINS:
        print("You have won!")
    elif result == board.X_WINS:
        print("The computer has won!")
    else:
        print("It's a draw.")
    return True


# The notebook imports ipycanvas here. This module imports it by name when it creates a canvas, so
# that everything else works, and is type-checked, without ipycanvas.


class Canvas(Protocol):
    """The part of `ipycanvas.Canvas` that `draw` uses."""

    font: str
    text_align: str
    text_baseline: str
    line_width: float
    fill_style: str

    def clear(self) -> None:
        """Clear the canvas."""

    def stroke_rect(self, x: float, y: float, width: float, height: float) -> None:
        """Draw the outline of a rectangle."""

    def fill_text(self, text: str, x: float, y: float) -> None:
        """Draw a text at a point, aligned by `text_align` and `text_baseline`."""


size = 150


def create_canvas() -> Canvas:
    """Return a new canvas of 450 by 500 pixels, which the notebook displays at once.

    Raises ModuleNotFoundError if ipycanvas is not installed.
    """
    canvas: Canvas = _import_ipycanvas().Canvas(width=size * 3, height=size * 3 + 50)
    import_module("IPython.display").display(canvas)
    return canvas


def get_symbol(S: State, row: int, col: int) -> str:
    """Return "X", "O" or " " for the cell in a row and column, both from 0 to 2.

    Raises ValueError if the cell does not exist.
    """
    mark = board.mark_at(_checked_state(S), _value_or_raise(board.cell_at(row, col)))
    return " " if mark is None else mark.name


def draw(S: State, canvas: Canvas, value: str) -> None:
    """Clear the canvas and draw the board, with `value` below it."""
    state = _checked_state(S)
    canvas.clear()
    canvas.font = "90px sans-serif"
    canvas.text_align = "center"
    canvas.text_baseline = "middle"
    for row in range(3):
        for col in range(3):
            _draw_cell(state, canvas, row, col)
    _draw_labels(canvas)
    canvas.font = "20px sans-serif"
    canvas.fill_style = "black"
    canvas.fill_text(value, 1.5 * size, 3.2 * size)


def _draw_cell(state: State, canvas: Canvas, row: int, col: int) -> None:
    x, y = col * size, row * size
    canvas.line_width = 3.0
    canvas.stroke_rect(x, y, size, size)
    symbol = get_symbol(state, row, col)
    if symbol != " ":
        canvas.fill_style = "red" if symbol == "X" else "blue"
        canvas.fill_text(symbol, x + size // 2, y + size // 2)


def _draw_labels(canvas: Canvas) -> None:
    canvas.font = "12px sans-serif"
    canvas.fill_style = "green"
    for row in range(3):
        for col in range(3):
            canvas.fill_text(f"({row}, {col})", col * size + 16, row * size + 141)


def _import_ipycanvas() -> ModuleType:
    try:
        return import_module("ipycanvas")
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            "a canvas needs ipycanvas: install it with pip install 'xtest-harness[notebook]'",
            name=missing.name,
        ) from missing


def _parse_cell(answer: str) -> board.Cell | None:
    try:
        row, col = (int(part) for part in answer.split(","))
    except ValueError:
        print("Illegal input.")
        print("row and col are numbers from the set {0,1,2}.")
        return None
    cell = board.cell_at(row, col)
    if cell.is_error():
        print('Illegal input. The move has to be a pair of  the form "row,col"')
        print("where row and col are numbers from the set {0,1,2}.")
        return None
    return cell.value()


def _checked_state(number: int) -> board.State:
    return _value_or_raise(board.state_of(number))


def _value_or_raise(result: Result[T]) -> T:
    if result.is_error():
        raise ValueError(result.error())
    return result.value()
