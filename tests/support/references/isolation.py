"""xisolation with cells as rows and columns, from docs/xisolation.md and docs/errors.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from support.references.forms import Answer, Wrong, elements, members, one_of, printed_for
from support.references.json_stream import Numeral, Value, values_of

ROWS: Final = range(9)  # from the bottom
COLUMNS: Final = range(11)  # from the right
# Rows up and columns to the left of each step.
STEPS: Final = {
    **{"NNE": (2, -1), "ENE": (1, -2), "ESE": (-1, -2), "SSE": (-2, -1)},
    **{"SSW": (-2, 1), "WSW": (-1, 2), "WNW": (1, 2), "NNW": (2, 1)},
}
WORDS: Final = ("state", "player", "actions", "terminal", "bitboard", "text", "picture")
WITH_ARGUMENT: Final = ("liberties", "utility", "ind2xy", "perft", "encoding")

Cell = tuple[int, int]  # row and column
Query = tuple[str, Value]  # its name, and its argument if it has one


class State(NamedTuple):
    """The open cells, the number of actions played, and the cells of the two pieces."""

    open_cells: frozenset[Cell]
    played: int
    pieces: tuple[Cell | None, Cell | None]

    @property
    def mover(self) -> int:
        """The player to move: 0 or 1."""
        return self.played % 2


class Served(NamedTuple):
    """A served request: its moves, each with the state before it, the state after the last one, and
    the queries and answers."""

    moves: list[tuple[State, int]]
    state: State
    queries: list[Query]
    answer: dict[str, Answer]


START: Final = State(
    frozenset((row, column) for row in ROWS for column in COLUMNS), 0, (None, None)
)


# The program.


def printed(text: bytes) -> list[Answer]:
    """Return what the program prints for an input."""
    return printed_for(text, _answer_to)


def served(text: bytes) -> Iterator[Served]:
    """Yield the requests of a stream that can be served."""
    for value in values_of(text):
        try:
            yield _served(value, "")
        except Wrong:
            pass


def _answer_to(value: Value, at: str) -> Answer:
    return _served(value, at).answer


def _served(value: Value, at: str) -> Served:
    state, moves, queries = _request(value, at)
    before = []
    for k, move in enumerate(moves):
        if move not in actions(state):
            raise Wrong("illegal-move", f"{at}/moves/{k}")
        before.append((state, move))
        state = after(state, move)
    answer = {name: _answer(state, name, argument) for name, argument in queries}
    return Served(before, state, queries, answer)


# The game.


def number_of(cell: Cell) -> int:
    """Return the number of a cell."""
    return 13 * cell[0] + cell[1]


def step_of(name: str) -> int:
    """Return the number of a step."""
    return number_of(STEPS[name])


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
    return {step_of(name): cell for name, cell in targets(state, piece).items()}


def actions(state: State) -> list[int]:
    """Return the actions of the player to move."""
    return list(choices(state, state.mover))


def after(state: State, move: int) -> State:
    """Return the state after one of its actions."""
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


def _answer(state: State, name: str, argument: Value) -> Answer:
    if name in WORDS:
        return _answer_to_word(state, name)
    if name == "liberties":
        reached = sorted(state.open_cells)
        if argument is not None:
            reached = list(targets(state, _cell(argument)).values())
        return [number_of(cell) for cell in reached]
    if name == "encoding":
        assert isinstance(argument, dict)
        return encoding(_integer(argument["width"]), _integer(argument["height"]))
    number = _integer(argument)
    if name == "utility":
        lost = loser(state)
        return "open" if lost is None else "loss" if lost == number else "win"
    return sequences(state, number) if name == "perft" else column_and_row(number)


def _answer_to_word(state: State, name: str) -> Answer:
    answers: dict[str, Answer] = {
        "state": written(state),
        "player": state.mover,
        "actions": list[Answer](actions(state)),
        "terminal": loser(state) is not None,
        "bitboard": bits_of(state),
        "text": text_of(state),
        "picture": picture_of(state),
    }
    return answers[name]


def written(state: State) -> Answer:
    """Return a state as printed."""
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
    """Return the squares of the board between lines."""
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
    """Return the numbering of a board of this size."""
    bits = "00".join(["1" * width] * height)
    return {
        "length": len(bits),
        **{"north": width + 2, "south": -(width + 2), "east": -1, "west": 1},
        "open_board": str(int(bits, 2)),
    }


# Parsing of requests. Containers are checked before their parts, parts in document order.


def _request(value: Value, at: str) -> tuple[State, list[int], list[Query]]:
    state: Value = None
    moves: list[int] = []
    queries: list[Query] = []
    for name, part, here in members(value, at, ("ask",), ("state", "moves")):
        if name == "state":
            _check_form_of_state(part, f"{at}/state")
            state = part
        elif name == "moves":
            for k, move in enumerate(elements(part, here)):
                moves.append(one_of(range(-27, 115), move, f"{here}/{k}"))
        else:
            queries = _queries(part, f"{at}/ask")
    return START if state is None else _state(state, f"{at}/state"), moves, queries


def _queries(value: Value, at: str) -> list[Query]:
    queries: list[Query] = []
    for k, query in enumerate(elements(value, at)):
        here = f"{at}/{k}"
        name, argument = "", query
        if isinstance(query, dict) and len(query) == 1:
            ((name, argument, _),) = members(query, here, (), WITH_ARGUMENT)
        elif isinstance(query, str) and query in WORDS:
            name = query
        if not name or name in [earlier for earlier, _ in queries]:
            raise Wrong("invalid-spec", here)
        if name in WITH_ARGUMENT:
            _check_argument(name, argument, f"{here}/{name}")
        queries.append((name, argument))
    return queries


def _check_argument(name: str, argument: Value, at: str) -> None:
    if name == "liberties":
        _check_loc(argument, at)
    elif name == "encoding":
        for _, length, side in members(argument, at, ("width", "height")):
            one_of(range(1, 33), length, side)
    else:
        numbers = {"utility": range(2), "ind2xy": range(-27, 115), "perft": range(7)}
        one_of(numbers[name], argument, at)


def _check_form_of_state(value: Value, at: str) -> None:
    for name, part, here in members(value, at, ("board", "ply_count", "locs")):
        if name == "board":
            _check_board(part, here)
        elif name == "ply_count":
            one_of(range(100), part, here)
        else:
            for k, loc in enumerate(elements(part, here, (2,))):
                _check_loc(loc, f"{here}/{k}")


def _check_board(value: Value, at: str) -> None:
    digits = value if isinstance(value, str) else ""
    is_number = digits != "" and all(digit in "0123456789" for digit in digits)
    # No board has 1000 digits, and not every Python converts five thousand.
    if not is_number or (digits[0] == "0" and digits != "0") or len(digits) > 1000:
        raise Wrong("invalid-spec", at)
    if not set(_ones(digits)) <= {number_of(cell) for cell in START.open_cells}:
        raise Wrong("invalid-spec", at)


def _ones(digits: str) -> Iterator[int]:
    for number, bit in enumerate(reversed(f"{int(digits):b}")):
        if bit == "1":
            yield number


def _check_loc(value: Value, at: str) -> None:
    if value is not None and value not in [Numeral(str(number_of(c))) for c in START.open_cells]:
        raise Wrong("invalid-spec", at)


def _state(value: Value, at: str) -> State:
    """Return a well-formed state if it is consistent."""
    assert isinstance(value, dict) and isinstance(value["locs"], list)
    assert isinstance(value["board"], str)
    ones = list(_ones(value["board"]))
    open_cells = frozenset(cell for cell in START.open_cells if number_of(cell) in ones)
    played = _integer(value["ply_count"])
    first, second = (None if loc is None else _cell(loc) for loc in value["locs"])
    state = State(open_cells, played, (first, second))
    # In document order. Of two places that contradict each other the later one is invalid.
    places: list[str] = []
    for name in value:
        places += ["locs/0", "locs/1"] if name == "locs" else [name]
    for k, place in enumerate(places):
        if any({place, earlier} in list(_contradictions(state)) for earlier in places[:k]):
            raise Wrong("invalid-spec", f"{at}/{place}")
    return state


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


def _integer(value: Value) -> int:
    """Return a number that was checked before."""
    assert isinstance(value, Numeral)
    return int(value.text)


def _cell(value: Value) -> Cell:
    """Return a cell that was checked before."""
    return divmod(_integer(value), 13)
