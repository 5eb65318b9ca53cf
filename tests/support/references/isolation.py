"""xisolation with cells as rows and columns, from docs/games/isolation.md and errors.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple

from support.references.forms import (
    Answer,
    Wrong,
    elements,
    members,
    one_of,
    queries,
    taking,
    word_of,
)
from support.references.json_stream import Value

ROWS: Final = range(9)  # from the bottom
COLUMNS: Final = range(11)  # from the right
# Rows up and columns to the left of each step.
STEPS: Final = {
    **{"NNE": (2, -1), "ENE": (1, -2), "ESE": (-1, -2), "SSE": (-2, -1)},
    **{"SSW": (-2, 1), "WSW": (-1, 2), "WNW": (1, 2), "NNW": (2, 1)},
}
Cell = tuple[int, int]  # row and column


class State(NamedTuple):
    """The open cells, the number of actions played, and the cells of the two pieces."""

    open_cells: frozenset[Cell]
    played: int
    pieces: tuple[Cell | None, Cell | None]

    @property
    def mover(self) -> int:
        """The player to move: 0 or 1."""
        return self.played % 2


Query = Callable[[State], Answer]
CELLS: Final = {13 * row + column: (row, column) for row in ROWS for column in COLUMNS}
START: Final = State(frozenset(CELLS.values()), 0, (None, None))


# The program.


def answer_to(value: Value, at: str) -> Answer:
    state, moves, asked = _request(value, at)
    for k, move in enumerate(moves):
        number = _number_of_move(state, move)
        if number is None or number not in actions(state):
            raise Wrong("illegal-move", f"{at}/moves/{k}")
        state = after(state, number)
    return {name: query(state) for name, query in asked.items()}


# The game.


def number_of(cell: Cell) -> int:
    return 13 * cell[0] + cell[1]


def targets(state: State, piece: Cell) -> dict[str, Cell]:
    """Return the open cells that the steps of a piece lead to, by the name of the step."""
    found = {}
    for name, (up, left) in STEPS.items():
        cell = (piece[0] + up, piece[1] + left)
        if cell in state.open_cells:
            found[name] = cell
    return found


def choices(state: State, player: int) -> dict[int, Cell]:
    """Return the actions that the piece of a player could do, by number, with their targets."""
    piece = state.pieces[player]
    if piece is None:
        return {number_of(cell): cell for cell in sorted(state.open_cells)}
    return {number_of(STEPS[name]): cell for name, cell in targets(state, piece).items()}


def actions(state: State) -> list[int]:
    return list(choices(state, state.mover))


def _number_of_move(state: State, move: int | str) -> int | None:
    """Return the number of a move. A step by its name is none before the piece is placed."""
    if isinstance(move, int):
        return move
    return None if state.pieces[state.mover] is None else number_of(STEPS[move])


def action_names(state: State) -> list[str | int]:
    """Return the actions, steps by their names."""
    piece = state.pieces[state.mover]
    return [*actions(state)] if piece is None else [*targets(state, piece)]


def after(state: State, move: int) -> State:
    return with_piece_on(state, choices(state, state.mover)[move])


def with_piece_on(state: State, cell: Cell) -> State:
    """Return the state after the player to move has put its piece on a cell."""
    first, second = state.pieces
    pieces = (cell, second) if state.mover == 0 else (first, cell)
    return State(state.open_cells - {cell}, state.played + 1, pieces)


def loser(state: State) -> int | None:
    """Return the player who has lost, or None if the game is not over."""
    for player in (state.mover, 1 - state.mover):
        if not choices(state, player):
            return player
    return None


def sequences(state: State, depth: int) -> int:
    """Return the number of sequences of this many actions; the last one need not be played."""
    if depth == 0:
        return 1
    mine = choices(state, state.mover)
    if not mine or not choices(state, 1 - state.mover):
        return 0
    if depth == 1:
        return len(mine)
    return sum(sequences(with_piece_on(state, cell), depth - 1) for cell in mine.values())


# The answers.


def written(state: State) -> Answer:
    locs: list[Answer] = [None if piece is None else number_of(piece) for piece in state.pieces]
    return {"board": str(int(bits_of(state), 2)), "ply_count": state.played, "locs": locs}


def column_and_row(index: int) -> Answer:
    """Return the column and row of an index, counting rows up from the lowest possible one."""
    row = -3
    while 13 * (row + 1) <= index:
        row += 1
    return [index - 13 * row, row]


def bits_of(state: State) -> str:
    """Return the bits of the board: row by row, with two bits between rows that are not cells."""
    rows = [
        "".join("1" if (row, column) in state.open_cells else "0" for column in reversed(COLUMNS))
        for row in reversed(ROWS)
    ]
    return "00".join(rows)


def text_of(state: State) -> str:
    line = "+" + " - +" * 11 + "\n"
    text = "\n" + line
    for row in reversed(ROWS):
        for column in reversed(COLUMNS):
            text += f"| {_mark(state, (row, column))} "
        text += "|\n" + line
    return text


def _mark(state: State, cell: Cell) -> str:
    if cell == state.pieces[0]:
        return "1"
    if cell == state.pieces[1]:
        return "2"
    return " " if cell in state.open_cells else "X"


def picture_of(state: State) -> str:
    """Return the board with the possible actions written on it."""
    lines = [" " * 4 + "".join(f"+{column}".rjust(5) for column in reversed(COLUMNS))]
    for row in reversed(ROWS):
        cells = [_written(state, (row, column)).rjust(5) for column in reversed(COLUMNS)]
        lines.append(str(13 * row).rjust(4) + "".join(cells))
    lost = loser(state)
    player, what = (state.mover, "to move") if lost is None else (1 - lost, "wins")
    return "\n".join([*lines, "", f"     player {player + 1} {what}, ply {state.played}"])


def _written(state: State, cell: Cell) -> str:
    mark = _mark(state, cell)
    if mark in "12":
        return f"({mark})"
    if mark == "X":
        return "###"
    piece = state.pieces[state.mover]
    if loser(state) is None:
        if piece is None:
            return str(number_of(cell))
        for name, target in targets(state, piece).items():
            if target == cell:
                return name
    return "."


def encoding(width: int, height: int) -> Answer:
    bits = "00".join(["1" * width] * height)
    return {
        "length": len(bits),
        **{"north": width + 2, "south": -(width + 2), "east": -1, "west": 1},
        "open_board": str(int(bits, 2)),
    }


PLAIN: Final[dict[str, Query]] = {
    "state": written,
    "player": lambda state: state.mover,
    "to_play": lambda state: state.mover,
    "player_number": lambda state: state.mover + 1,
    "actions": lambda state: [*actions(state)],
    "action_names": lambda state: [*action_names(state)],
    "terminal": lambda state: loser(state) is not None,
    "finished": lambda state: loser(state) is not None,
    "bitboard": bits_of,
    "bits": bits_of,
    "text": text_of,
    "picture": picture_of,
}


def liberties(state: State, piece: Cell | None) -> Answer:
    cells = sorted(state.open_cells) if piece is None else targets(state, piece).values()
    return [number_of(cell) for cell in cells]


def utility(state: State, player: int) -> Answer:
    return {None: "open", player: "loss", 1 - player: "win"}[loser(state)]


def _cell_or_none(value: Value, at: str) -> Cell | None:
    return None if value is None else CELLS[one_of(CELLS, value, at)]


def _sides(value: Value, at: str) -> dict[str, int]:
    parts = members(value, at, ("width", "height"))
    return {name: one_of(range(1, 33), part, here) for name, part, here in parts}


TAKING: Final = {
    "liberties": taking(_cell_or_none, liberties),
    "utility": taking(partial(one_of, range(2)), utility),
    "ind2xy": taking(partial(one_of, range(-27, 115)), lambda _, index: column_and_row(index)),
    "perft": taking(partial(one_of, range(7)), sequences),
    "encoding": taking(_sides, lambda _, sides: encoding(**sides)),
}


# Parsing of requests. Containers are checked before their parts, parts in document order, and
# contradictions come after malformed parts.


def _request(value: Value, at: str) -> tuple[State, list[int | str], dict[str, Query]]:
    state, places = START, list[str]()
    moves: list[int | str] = []
    asked: dict[str, Query] = {}
    for name, part, here in members(value, at, ("ask",), ("state", "moves")):
        if name == "state":
            state, places = _state(part, here)
        elif name == "moves":
            parts = elements(part, here)
            moves = [_move(each, f"{here}/{k}") for k, each in enumerate(parts)]
        else:
            asked = queries(part, here, PLAIN, TAKING)
    # Of two places that contradict each other the later one is invalid.
    for k, place in enumerate(places):
        if any({place, earlier} in list(_contradictions(state)) for earlier in places[:k]):
            raise Wrong("invalid-spec", f"{at}/state/{place}")
    return state, moves, asked


def _move(value: Value, at: str) -> int | str:
    if isinstance(value, str):
        return word_of(tuple(STEPS), value, at)
    return one_of(range(-27, 115), value, at)


def _state(value: Value, at: str) -> tuple[State, list[str]]:
    """Return a state and its places in document order."""
    state = START
    places: list[str] = []
    for name, part, here in members(value, at, ("board", "ply_count", "locs")):
        if name == "board":
            state = state._replace(open_cells=_open_cells(part, here))
        elif name == "ply_count":
            state = state._replace(played=one_of(range(100), part, here))
        else:
            first, second = [
                _cell_or_none(loc, f"{here}/{k}")
                for k, loc in enumerate(elements(part, here, (2,)))
            ]
            state = state._replace(pieces=(first, second))
        places += ["locs/0", "locs/1"] if name == "locs" else [name]
    return state, places


def _open_cells(value: Value, at: str) -> frozenset[Cell]:
    digits = value if isinstance(value, str) else ""
    is_number = digits != "" and all(digit in "0123456789" for digit in digits)
    # No board has 1000 digits, and not every Python converts five thousand.
    if not is_number or (digits[0] == "0" and digits != "0") or len(digits) > 1000:
        raise Wrong("invalid-spec", at)
    ones = [k for k, bit in enumerate(reversed(f"{int(digits):b}")) if bit == "1"]
    if not set(ones) <= set(CELLS):
        raise Wrong("invalid-spec", at)
    return frozenset(CELLS[number] for number in ones)


def _contradictions(state: State) -> Iterator[set[str]]:
    if state.played != 99 - len(state.open_cells):
        yield {"board", "ply_count"}
    for player, piece in enumerate(state.pieces):
        if (state.played >= player + 1) != (piece is not None):
            yield {"ply_count", f"locs/{player}"}
        if piece in state.open_cells:
            yield {"board", f"locs/{player}"}
    if state.pieces[0] is not None and state.pieces[0] == state.pieces[1]:
        yield {"locs/0", "locs/1"}
