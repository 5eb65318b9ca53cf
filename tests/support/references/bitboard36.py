"""xbitboard36 with sets of cells instead of bits, from docs/games/bitboard36.md and errors.md."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from support.references.forms import (
    Answer,
    Wrong,
    each_of,
    elements,
    members,
    one_of,
    queries,
    taking,
    word_of,
)
from support.references.json_stream import Numeral, Value

Cell = tuple[int, int]  # row, column
Cells = frozenset[Cell]
Move = tuple[Cell, Cell]

# By position: row 0 first, and in it column 0.
CELLS: Final[list[Cell]] = [(row, column) for row in range(6) for column in range(6)]
WORDS: Final = 2**36


class Board(NamedTuple):
    """The cells of each colour's pieces, and the player to move."""

    white: Cells
    black: Cells
    to_play: str

    @property
    def own(self) -> Cells:
        """The pieces of the player to move."""
        return self.white if self.to_play == "white" else self.black

    @property
    def pieces(self) -> Cells:
        return self.white | self.black


Query = Callable[[Board], Answer]


def answer_to(value: Value, at: str) -> Answer:
    board, moves, asked = request_of(value, at)
    for number, move in enumerate(moves):
        if move not in actions(board):
            raise Wrong("illegal-move", f"{at}/moves/{number}")
        board = played(board, move)
    return {name: query(board) for name, query in asked.items()}


# The board.


def number_of(cell: Cell) -> int:
    return CELLS.index(cell)


def word_for(cells: Cells) -> int:
    """Return a set of cells as an integer: a binary digit for each position, the last one first."""
    return int("".join("1" if cell in cells else "0" for cell in reversed(CELLS)), 2)


def cells_of(word: int) -> Cells:
    digits = f"{word:036b}"
    return frozenset(
        cell for cell, digit in zip(reversed(CELLS), digits, strict=True) if digit == "1"
    )


def across(cells: Cells) -> Cells:
    """Return the cells mirrored along the horizontal axis."""
    return frozenset((5 - row, column) for row, column in cells)


def sideways(cells: Cells) -> Cells:
    """Return the cells mirrored along the vertical axis."""
    return frozenset((row, 5 - column) for row, column in cells)


def count(board: Board, cell: Cell) -> int:
    """Return the number of pieces around a cell."""
    row, column = cell
    around = [(row + up, column + right) for up in (-1, 0, 1) for right in (-1, 0, 1)]
    return len([near for near in around if near != cell and near in board.pieces])


def actions(board: Board) -> list[Move]:
    empty = [cell for cell in CELLS if cell not in board.pieces]
    return [(origin, target) for origin in CELLS if origin in board.own for target in empty]


def played(board: Board, move: Move) -> Board:
    origin, target = move
    there = board.own - {origin} | {target}
    if board.to_play == "white":
        return Board(there, board.black, "black")
    return Board(board.white, there, "white")


def perft(board: Board, depth: int) -> int:
    """Return the product that the page gives, one factor after the other."""
    if depth == 0:
        return 1
    empty = 36 - len(board.pieces)
    after = board._replace(to_play="black" if board.to_play == "white" else "white")
    return len(board.own) * empty * perft(after, depth - 1)


def current_next(board: Board) -> tuple[Cells, Cells]:
    """Return the pieces of the current and of the next player, as if White were to move."""
    if board.to_play == "white":
        return board.white, board.black
    return across(board.black), across(board.white)


def base_state(board: Board) -> tuple[Cells, Cells]:
    """Return the smaller of the board without colours and its vertical mirror."""
    current, following = current_next(board)
    mirrored = sideways(current), sideways(following)
    both = [(current, following), mirrored]
    return min(both, key=lambda state: (word_for(state[0]), word_for(state[1])))


def variants(board: Board) -> dict[str, Board]:
    c, n = base_state(board)
    return {
        "white_right": Board(c, n, "white"),
        "white_left": Board(sideways(c), sideways(n), "white"),
        "black_right": Board(across(n), across(c), "black"),
        "black_left": Board(sideways(across(n)), sideways(across(c)), "black"),
    }


def drawn(board: Board) -> str:
    """Return the nine lines of the drawing."""
    lines = [f"{'White' if board.to_play == 'white' else 'Black'} to play     neighbours"]
    for row in (5, 4, 3, 2, 1, 0):
        cells = [(row, column) for column in range(6)]
        signs = ["W" if c in board.white else "B" if c in board.black else "." for c in cells]
        numbers = [str(count(board, cell)) for cell in cells]
        lines.append(f"{row}  {' '.join(signs)}    {' '.join(numbers)}")
    lines.append("   0 1 2 3 4 5    0 1 2 3 4 5")
    lines.append(f"white {hexadecimal(board.white)}  black {hexadecimal(board.black)}")
    return "\n".join(lines)


def hexadecimal(cells: Cells) -> str:
    """Return a word in nine hexadecimal digits."""
    return "0x" + hex(word_for(cells))[2:].rjust(9, "0")


# Answers.


def in_order(cells: Cells) -> Answer:
    """Return the positions of a set of cells, ascending."""
    return [number_of(cell) for cell in CELLS if cell in cells]


def of_both(query: Callable[[Cells], Answer], board: Board) -> dict[str, Answer]:
    return {"white": query(board.white), "black": query(board.black)}


def state_of(board: Board) -> Answer:
    return {**of_both(word_for, board), "to_play": board.to_play}


def two_words(state: tuple[Cells, Cells]) -> Answer:
    return {"current": word_for(state[0]), "next": word_for(state[1])}


def plane(board: Board, digit: int) -> int:
    """Return the word of the cells whose count has this binary digit."""
    return word_for(frozenset(c for c in CELLS if f"{count(board, c):04b}"[3 - digit] == "1"))


PLAIN: Final[dict[str, Query]] = {
    "state": state_of,
    "player": lambda board: board.to_play,
    "to_play": lambda board: board.to_play,
    "pieces": lambda board: word_for(board.pieces),
    "positions": lambda board: of_both(in_order, board),
    "hexadecimal": lambda board: of_both(hexadecimal, board),
    "text": drawn,
    "actions": lambda board: [[number_of(cell) for cell in move] for move in actions(board)],
    "current_next": lambda board: two_words(current_next(board)),
    "base_state": lambda board: two_words(base_state(board)),
    "variants": lambda board: {name: state_of(each) for name, each in variants(board).items()},
    "horizontal_mirror": lambda board: of_both(lambda cells: word_for(across(cells)), board),
    "vertical_mirror": lambda board: of_both(lambda cells: word_for(sideways(cells)), board),
    "neighbour_counts": lambda board: [count(board, cell) for cell in CELLS],
    "neighbour_planes": lambda board: {
        name: plane(board, digit) for digit, name in enumerate(("ones", "twos", "fours", "eights"))
    },
}


def toggled(board: Board, *changed: Cell) -> Answer:
    """Return both words after each of these cells was removed or added."""

    def toggle(cells: Cells) -> int:
        for cell in changed:
            cells = cells ^ {cell}
        return word_for(cells)

    return of_both(toggle, board)


def _cell(value: Value, at: str) -> Cell:
    return CELLS[one_of(range(36), value, at)]


def _move(value: Value, at: str) -> Move:
    origin, target = each_of(range(36), value, at, (2,))
    return CELLS[origin], CELLS[target]


def _row_and_column(value: Value, at: str) -> Cell:
    parts = members(value, at, ("row", "column"))
    lines = {name: one_of(range(6), part, here) for name, part, here in parts}
    return lines["row"], lines["column"]


TAKING: Final = {
    "value": taking(_cell, lambda board, cell: of_both(lambda cells: int(cell in cells), board)),
    "toggled": taking(_cell, toggled),
    "moved": taking(_move, lambda board, move: toggled(board, *move)),
    "neighbour_count": taking(_cell, count),
    "row_column": taking(_cell, lambda _, cell: {"row": cell[0], "column": cell[1]}),
    "position_at": taking(_row_and_column, lambda _, cell: number_of(cell)),
    "perft": taking(partial(one_of, range(8)), perft),
}


# Parsing of requests: malformed parts come before contradictions.

# The cells of a piece's colour, each with the place to report if another piece is there.
Word = dict[Cell, str]


def request_of(value: Value, at: str) -> tuple[Board, list[Move], dict[str, Query]]:
    """Return the board, the moves, which may be illegal, and the queries by name."""
    words: dict[str, Word] = {"white": {}, "black": {}}
    to_play = "white"
    moves: list[Move] = []
    asked: dict[str, Query] = {}
    for name, part, here in members(value, at, ("ask",), ("state", "moves")):
        if name == "state":
            words, to_play = _state(part, here)
        elif name == "moves":
            moves = [_move(each, f"{here}/{k}") for k, each in enumerate(elements(part, here))]
        else:
            asked = queries(part, here, PLAIN, TAKING)
    earlier, later = words.values()
    for cell, place in later.items():
        if cell in earlier:
            raise Wrong("invalid-spec", place)
    return Board(frozenset(words["white"]), frozenset(words["black"]), to_play), moves, asked


def _state(value: Value, at: str) -> tuple[dict[str, Word], str]:
    """Return the words of a state in document order, and the player to move."""
    words: dict[str, Word] = {}
    to_play = ""
    for name, part, here in members(value, at, ("white", "black", "to_play")):
        if name == "to_play":
            to_play = word_of(("white", "black"), part, here)
        else:
            words[name] = _word(part, here)
    return words, to_play


def _word(value: Value, at: str) -> Word:
    word: Word = {}
    if isinstance(value, list):
        for number, each in enumerate(value):
            cell = _cell(each, f"{at}/{number}")
            if cell in word:
                raise Wrong("invalid-spec", f"{at}/{number}")
            word[cell] = f"{at}/{number}"
        return word
    # 2^36 has eleven digits.
    if isinstance(value, Numeral) and value.text.isdigit() and len(value.text) <= 11:
        if int(value.text) < WORDS:
            return dict.fromkeys(cells_of(int(value.text)), at)
    raise Wrong("invalid-spec", at)
