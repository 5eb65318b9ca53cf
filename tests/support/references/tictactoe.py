"""xtictactoe with boards as text, from docs/games/tictactoe.md and docs/games/index.md."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Final

from support.references.forms import (
    Answer,
    Wrong,
    each_of,
    members,
    one_of,
    queries,
    taking,
    word_of,
)
from support.references.json_stream import Numeral, Value

LINES: Final = (
    *([0, 1, 2], [3, 4, 5], [6, 7, 8]),
    *([0, 3, 6], [1, 4, 7], [2, 5, 8]),
    *([0, 4, 8], [2, 4, 6]),
)
OTHER: Final = {"X": "O", "O": "X"}
CAPTIONS: Final = {1: "X has won", -1: "O has won", 0: "a draw", None: "not decided yet"}


Query = Callable[[str, str], Answer]  # of a board and the player to move


# The program.


def answer_to(value: Value, at: str) -> Answer:
    board, player, moves, asked = _request(value, at)
    if isinstance(board, int):
        # In binary: cells 8 to 0 for O, then for X.
        digits = f"{board:018b}"
        marks = {"O": digits[8::-1], "X": digits[:8:-1]}
        if any(marks["O"][cell] == marks["X"][cell] == "1" for cell in range(9)):
            raise Wrong("invalid-spec", f"{at}/state/bitboard")
        board = "".join(
            next((who for who in "XO" if marks[who][cell] == "1"), ".") for cell in range(9)
        )
        if len(holders(board)) == 2:
            raise Wrong("invalid-spec", f"{at}/state/bitboard")
    if len(holders(board)) == 2:
        raise Wrong("invalid-spec", f"{at}/state/board")
    for i, cell in enumerate(moves):
        if cell not in actions(board):
            raise Wrong("illegal-move", f"{at}/moves/{i}")
        board, player = marked(board, cell, player), OTHER[player]
    return {name: query(board, player) for name, query in asked.items()}


# The game.


def holders(board: str) -> list[str]:
    return [player for player in "XO" if lines_of(board, player)]


def lines_of(board: str, player: str) -> list[list[int]]:
    return [line for line in LINES if all(board[cell] == player for cell in line)]


@cache
def utility(board: str) -> int | None:
    """Return 1 or -1 if X or O has won, 0 for a draw, or None if the game is not over."""
    if holders(board):
        return 1 if holders(board) == ["X"] else -1
    return None if "." in board else 0


def actions(board: str) -> list[int]:
    return [] if utility(board) is not None else [c for c in range(9) if board[c] == "."]


def marked(board: str, cell: int, player: str) -> str:
    return board[:cell] + player + board[cell + 1 :]


def next_boards(board: str, player: str) -> list[str]:
    return [marked(board, cell, player) for cell in actions(board)]


@cache
def worth(board: str, player: str) -> int:
    """Return the value of the board, by plain minimax."""
    result = utility(board)
    if result is not None:
        return result
    values = [worth(after, OTHER[player]) for after in next_boards(board, player)]
    return max(values) if player == "X" else min(values)


@cache
def perft(board: str, player: str, depth: int) -> int:
    """Return the number of nodes at a depth."""
    if depth == 0:
        return 1
    return sum(perft(after, OTHER[player], depth - 1) for after in next_boards(board, player))


@cache
def games(board: str, player: str, result: int) -> int:
    if utility(board) is not None:
        return 1 if utility(board) == result else 0
    return sum(games(after, OTHER[player], result) for after in next_boards(board, player))


def tree(board: str, player: str) -> Answer:
    x_wins, o_wins, draws = (games(board, player, result) for result in (1, -1, 0))
    return {
        "nodes": sum(perft(board, player, depth) for depth in range(10)),
        "games": x_wins + o_wins + draws,
        "x_wins": x_wins,
        "o_wins": o_wins,
        "draws": draws,
    }


def reachable(board: str, player: str) -> Answer:
    """Return the numbers of distinct boards in the tree."""
    boards, new = set[str](), {board}
    while new:
        boards |= new
        new = {after for before in new for after in next_boards(before, player)}
        player = OTHER[player]
    return {"states": len(boards), "up_to_symmetry": len({canonical(each) for each in boards})}


def turned(board: str) -> str:
    """Return the board turned clockwise: its first row is the first column, read upwards."""
    rows = [board[0:3], board[3:6], board[6:9]]
    return "".join("".join(column) for column in zip(*reversed(rows), strict=True))


def mirrored(board: str) -> str:
    """Return the board with each row reversed."""
    return board[0:3][::-1] + board[3:6][::-1] + board[6:9][::-1]


def images(board: str) -> list[str]:
    found = []
    for image in (board, mirrored(board)):
        for _ in range(4):
            found.append(image)
            image = turned(image)
    return found


def bitboard(board: str) -> int:
    """Return the board as an integer: in binary, cells 8 to 0 for O, then for X."""
    return int(bits(board), 2)


def bits(board: str) -> str:
    return "".join("1" if board[cell] == who else "0" for who in "OX" for cell in range(8, -1, -1))


@cache
def canonical(board: str) -> str:
    return min(images(board), key=bitboard)


def text_of(board: str) -> str:
    """Return the board in a frame, as seven lines."""
    shown = board.replace(".", " ")
    rows = [f"|{'|'.join(shown[first : first + 3])}|\n" for first in (0, 3, 6)]
    return "+-+-+-+\n" + "".join(row + "+-+-+-+\n" for row in rows)


def picture_of(board: str) -> str:
    """Return the board in a frame with numbers, winning lines in brackets, as nine lines."""
    won = {cell for player in "XO" for line in lines_of(board, player) for cell in line}
    shown = [
        f"[{board[cell]}]" if cell in won else f" {board[cell]} ".replace(".", " ")
        for cell in range(9)
    ]
    rows = [f"{row} │{'│'.join(shown[3 * row : 3 * row + 3])}│\n" for row in range(3)]
    frame = "    0   1   2\n  ┌───┬───┬───┐\n" + "  ├───┼───┼───┤\n".join(rows)
    return f"{frame}  └───┴───┴───┘\n  {CAPTIONS[utility(board)]}"


# Answers.


def _state(board: str, player: str) -> Answer:
    return {"board": board, "player": player}


def _move_values(board: str, player: str) -> dict[int, int]:
    reached = zip(actions(board), next_boards(board, player), strict=True)
    return {cell: worth(after, OTHER[player]) for cell, after in reached}


def _best_moves(board: str, player: str) -> Answer:
    values = _move_values(board, player)
    return [cell for cell in values if values[cell] == worth(board, player)]


PLAIN: Final[dict[str, Query]] = {
    "state": _state,
    "player": lambda _, player: player,
    "to_play": lambda _, player: player,
    "bitboard": lambda board, _: bitboard(board),
    "bits": lambda board, _: bits(board),
    "marks": lambda board, _: {who: [c for c in range(9) if board[c] == who] for who in "XO"},
    "text": lambda board, _: text_of(board),
    "picture": lambda board, _: picture_of(board),
    "actions": lambda board, _: [*actions(board)],
    "next_states": lambda board, player: [
        _state(after, OTHER[player]) for after in next_boards(board, player)
    ],
    "finished": lambda board, _: utility(board) is not None,
    "terminal": lambda board, _: utility(board) is not None,
    "utility": lambda board, _: utility(board),
    "winner": lambda board, _: "".join(holders(board)) or None,
    "winning_lines": lambda board, _: [[*line] for who in "XO" for line in lines_of(board, who)],
    "value": worth,
    "best_moves": _best_moves,
    "move_values": lambda board, player: [
        {"cell": cell, "value": value} for cell, value in _move_values(board, player).items()
    ],
    "turned": lambda board, player: _state(turned(board), player),
    "mirrored": lambda board, player: _state(mirrored(board), player),
    "images": lambda board, player: [_state(image, player) for image in images(board)],
    "canonical": lambda board, player: _state(canonical(board), player),
    "tree": tree,
    "reachable": reachable,
}


def _mark(board: str, _: str, cell: int) -> Answer:
    return None if board[cell] == "." else board[cell]


def _symbol(board: str, _: str, cell: list[int]) -> Answer:
    row, column = cell
    return board[3 * row + column].replace(".", " ")


TAKING: Final = {
    "mark": taking(partial(one_of, range(9)), _mark),
    "symbol": taking(partial(each_of, range(3), lengths=(2,)), _symbol),
    "perft": taking(partial(one_of, range(10)), perft),
}


# Parsing of requests. Containers are checked before their parts, parts in document order.


def _request(value: Value, at: str) -> tuple[str | int, str, list[int], dict[str, Query]]:
    """Return the board, as text or as a number, and the player to move, the moves, which may be
    illegal, and the queries."""
    board: str | int = "........."
    player, moves = "X", list[int]()
    asked: dict[str, Query] = {}
    for name, part, place in members(value, at, ("ask",), ("state", "moves")):
        if name == "state":
            board, player = _read_state(part, place)
        elif name == "moves":
            moves = each_of(range(9), part, place)
        else:
            asked = queries(part, place, PLAIN, TAKING)
    return board, player, moves, asked


def _read_state(value: Value, at: str) -> tuple[str | int, str]:
    if isinstance(value, dict) and "bitboard" in value:
        if "board" in value:
            raise Wrong("invalid-spec", at)
        number, player = 0, ""
        for name, part, place in members(value, at, ("bitboard", "player")):
            if name == "bitboard":
                number = _number(part, place)
            else:
                player = word_of("XO", part, place)
        return number, player
    parts: dict[str, str] = {}
    for name, part, place in members(value, at, ("board", "player")):
        is_board = isinstance(part, str) and len(part) == 9 and all(each in "XO." for each in part)
        if not isinstance(part, str) or not (is_board if name == "board" else part in OTHER):
            raise Wrong("invalid-spec", place)
        parts[name] = part
    return parts["board"], parts["player"]


def _number(value: Value, at: str) -> int:
    text = value.text if isinstance(value, Numeral) else "-"
    if len(text) > 6 or any(digit not in "0123456789" for digit in text) or int(text) >= 2**18:
        raise Wrong("invalid-spec", at)
    return int(text)
