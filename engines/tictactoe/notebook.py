"""The notebook "Tic-Tac-Toe via Bitboards" as a module: its names, in its order, more strictly.

The one module of the engines that reads and writes: `get_move` and `final_msg` talk to a person,
`create_canvas` and `draw` to a notebook. It decides nothing: the rules are in `board`. What is
stricter here than in the notebook, and why, is in docs/tictactoe.md. A state that no board can show
is refused by every function that takes one, with a ValueError.
"""

# pylint: disable=invalid-name  # The names are the notebook's: that is what this module is for.

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
    """The integer in which exactly these bits are set; counting starts with 0."""
    return mask_of(Bits)


def set_bit(n: int) -> int:
    """The integer in which exactly the bit n is set."""
    return bit(n)


def to_board(s: State) -> str:
    """The board as text: seven lines of a frame with the marks in it, each with its newline."""
    rule = "+-+-+-+\n"
    rows = (f"|{'|'.join(get_symbol(s, row, col) for col in range(3))}|\n" for row in range(3))
    return rule + "".join(row + rule for row in rows)


def next_states(S: State, player: int) -> list[State]:
    """The states that this player, 0 for X and 1 for O, can move to, ascending by the cell that is
    marked; none once the game is over. Raises ValueError where there is no such player."""
    return list(board.next_states(_held(S), _granted(board.player_of(player))))


gAllLines: list[int] = list(LINES)


def utility(s: State) -> int | None:
    """1 where X, the computer, has won, -1 where O has, 0 for a draw; None in an open game."""
    return board.utility(_held(s))


def finished(s: State) -> bool:
    """Whether the game is over. The notebook describes this function, and does not define it."""
    return board.finished(_held(s))


def get_move(S: State) -> State:
    """The state after O's move, which a person enters as "row,col"; asks until it is a legal one.

    An answer that is no move is answered with what is expected. The end of the input (EOFError) and
    Ctrl-C (KeyboardInterrupt) end the asking: they are the caller's. Raises ValueError where the
    game is over, as no answer could be right.
    """
    state = _held(S)
    if board.finished(state):
        raise ValueError(f"there is no move in {S}: the game is over, expected one that goes on")
    while True:
        # Not within a try: what goes wrong in reading is no answer, and would go wrong for ever.
        cell = _cell_entered(input("Enter move here: "))
        if cell is None:
            continue
        after = board.place(state, board.Player.O, cell)
        if after.is_ok():
            return after.value()
        print("Don't cheat! Please try again.")


def final_msg(S: State) -> bool:
    """Tell the person, who is O, how the game has ended; whether it has."""
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


# Drawing the board. The notebook imports ipycanvas here; this module does so when it makes a
# canvas, and by name, so that all else works, and is checked, where ipycanvas is not installed.


class Canvas(Protocol):
    """What `draw` uses of an `ipycanvas.Canvas`."""

    font: str
    text_align: str
    text_baseline: str
    line_width: float
    fill_style: str

    def clear(self) -> None:
        """Make the whole canvas blank."""

    def stroke_rect(self, x: float, y: float, width: float, height: float) -> None:
        """Draw the outline of a rectangle."""

    def fill_text(self, text: str, x: float, y: float) -> None:
        """Draw a text at a point, placed there as `text_align` and `text_baseline` say."""


size = 150


def create_canvas() -> Canvas:
    """A new canvas for `draw`, 450 pixels wide and 500 high, which the notebook shows at once.

    Raises ModuleNotFoundError where ipycanvas is not installed.
    """
    canvas: Canvas = _ipycanvas().Canvas(width=size * 3, height=size * 3 + 50)
    import_module("IPython.display").display(canvas)
    return canvas


def get_symbol(S: State, row: int, col: int) -> str:
    """The mark in this row and column, both from 0 to 2: "X", "O", or " " where there is none.
    Raises ValueError where there is no such cell."""
    mark = board.mark_at(_held(S), _granted(board.cell_at(row, col)))
    return " " if mark is None else mark.name


def draw(S: State, canvas: Canvas, value: str) -> None:
    """Draw the board onto the canvas, instead of what it shows, and `value` below the board."""
    state = _held(S)
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


def _ipycanvas() -> ModuleType:
    try:
        return import_module("ipycanvas")
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            "a canvas needs ipycanvas: install it with pip install 'xtest-harness[notebook]'",
            name=missing.name,
        ) from missing


def _cell_entered(answer: str) -> board.Cell | None:
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


def _held(number: int) -> board.State:
    return _granted(board.state_of(number))


def _granted(result: Result[T]) -> T:
    if result.is_error():
        raise ValueError(result.error())
    return result.value()
