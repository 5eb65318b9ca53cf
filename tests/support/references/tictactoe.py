"""xtictactoe with boards as text, from docs/xtictactoe.md and docs/errors.md."""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from support.references.forms import Answer, Wrong, elements, members, one_of, printed_for
from support.references.json_stream import Value

LINES: Final = (
    *([0, 1, 2], [3, 4, 5], [6, 7, 8]),
    *([0, 3, 6], [1, 4, 7], [2, 5, 8]),
    *([0, 4, 8], [2, 4, 6]),
)
OTHER: Final = {"X": "O", "O": "X"}
CAPTIONS: Final = {1: "X has won", -1: "O has won", 0: "a draw", None: "not decided yet"}


class Query(NamedTuple):
    """The name of a query, and its argument (for a place: its cell) or -1."""

    name: str
    argument: int = -1


class Request(NamedTuple):
    """A well-formed request, whose board may be impossible and whose moves may be illegal."""

    board: str = "........."
    player: str = "X"
    moves: tuple[int, ...] = ()
    ask: tuple[Query, ...] = ()


# The program.


def printed(text: bytes) -> list[Answer]:
    """Return what the program prints for an input."""
    return printed_for(text, _answer_to)


def _answer_to(value: Value, at: str) -> Answer:
    request = _request(value, at)
    if len(holders(request.board)) == 2:
        raise Wrong("invalid-spec", f"{at}/state/board")
    board, player = request.board, request.player
    for i, cell in enumerate(request.moves):
        if cell not in actions(board):
            raise Wrong("illegal-move", f"{at}/moves/{i}")
        board, player = marked(board, cell, player), OTHER[player]
    return {query.name: _answered(query, board, player) for query in request.ask}


# The game.


def holders(board: str) -> list[str]:
    """Return the players who hold a line."""
    return [player for player in "XO" if lines_of(board, player)]


def lines_of(board: str, player: str) -> list[list[int]]:
    """Return the lines that a player holds."""
    return [line for line in LINES if all(board[cell] == player for cell in line)]


@cache
def utility(board: str) -> int | None:
    """Return 1 or -1 if X or O has won, 0 for a draw, or None if the game is not over."""
    if holders(board):
        return 1 if holders(board) == ["X"] else -1
    return None if "." in board else 0


def actions(board: str) -> list[int]:
    """Return the cells that may be marked."""
    return [] if utility(board) is not None else [c for c in range(9) if board[c] == "."]


def marked(board: str, cell: int, player: str) -> str:
    """Return the board with another mark."""
    return board[:cell] + player + board[cell + 1 :]


def next_boards(board: str, player: str) -> list[str]:
    """Return the boards after each action."""
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
    """Return the number of games with a result."""
    if utility(board) is not None:
        return 1 if utility(board) == result else 0
    return sum(games(after, OTHER[player], result) for after in next_boards(board, player))


def tree(board: str, player: str) -> Answer:
    """Return all counts of the tree."""
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
    """Return the eight images."""
    found = [board, turned(board), turned(turned(board)), turned(turned(turned(board)))]
    mirror = mirrored(board)
    return [*found, mirror, turned(mirror), turned(turned(mirror)), turned(turned(turned(mirror)))]


def bitboard(board: str) -> int:
    """Return the board as an integer: in binary, cells 8 to 0 for O, then for X."""
    digits = ["1" if board[cell] == who else "0" for who in "OX" for cell in range(8, -1, -1)]
    return int("".join(digits), 2)


@cache
def canonical(board: str) -> str:
    """Return the image with the smallest bitboard."""
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
    rows = [f"{row} │{'│'.join(shown[3 * row : 3 * row + 3])}│" for row in range(3)]
    return (
        "    0   1   2\n"
        "  ┌───┬───┬───┐\n"
        f"{rows[0]}\n"
        "  ├───┼───┼───┤\n"
        f"{rows[1]}\n"
        "  ├───┼───┼───┤\n"
        f"{rows[2]}\n"
        "  └───┴───┴───┘\n"
        f"  {CAPTIONS[utility(board)]}"
    )


# Answers.

PLAIN: Final = (
    *("state", "player", "bitboard", "marks", "text", "picture"),
    *("actions", "next_states", "finished", "utility", "winner", "winning_lines"),
    *("value", "best_moves", "move_values"),
    *("turned", "mirrored", "images", "canonical", "tree", "reachable"),
)
WITH_ARGUMENT: Final = ("mark", "symbol", "perft")
QUERIES: Final = PLAIN + WITH_ARGUMENT


def _answered(query: Query, board: str, player: str) -> Answer:
    if query.name in WITH_ARGUMENT:
        return _about_an_argument(query, board, player)
    after = dict(zip(actions(board), next_boards(board, player), strict=True))
    values = {cell: worth(reached, OTHER[player]) for cell, reached in after.items()}
    answers: dict[str, Answer] = {
        "state": _state(board, player),
        "player": player,
        "bitboard": bitboard(board),
        "marks": {who: [c for c in range(9) if board[c] == who] for who in "XO"},
        "text": text_of(board),
        "picture": picture_of(board),
        "actions": list(after),
        "next_states": [_state(reached, OTHER[player]) for reached in after.values()],
        "finished": utility(board) is not None,
        "utility": utility(board),
        "winner": "".join(holders(board)) or None,
        "winning_lines": [list(line) for who in "XO" for line in lines_of(board, who)],
        "value": worth(board, player),
        "best_moves": [cell for cell in values if values[cell] == worth(board, player)],
        "move_values": [{"cell": cell, "value": values[cell]} for cell in values],
        "turned": _state(turned(board), player),
        "mirrored": _state(mirrored(board), player),
        "images": [_state(image, player) for image in images(board)],
        "canonical": _state(canonical(board), player),
    }
    if query.name == "tree":
        return tree(board, player)
    if query.name == "reachable":
        return reachable(board, player)
    return answers[query.name]


def _about_an_argument(query: Query, board: str, player: str) -> Answer:
    if query.name == "perft":
        return perft(board, player, query.argument)
    symbol = board[query.argument]
    if symbol != ".":
        return symbol
    return " " if query.name == "symbol" else None


def _state(board: str, player: str) -> Answer:
    return {"board": board, "player": player}


# Parsing of requests. Containers are checked before their parts, parts in document order.


def _request(value: Value, at: str) -> Request:
    request = Request()
    for name, part, place in members(value, at, ("ask",), ("state", "moves")):
        if name == "state":
            board, player = _read_state(part, place)
            request = request._replace(board=board, player=player)
        elif name == "moves":
            moves = [
                one_of(range(9), each, f"{place}/{i}")
                for i, each in enumerate(elements(part, place))
            ]
            request = request._replace(moves=tuple(moves))
        else:
            ask: list[Query] = []
            for i, each in enumerate(elements(part, place)):
                ask.append(_query(each, f"{place}/{i}", [query.name for query in ask]))
            request = request._replace(ask=tuple(ask))
    return request


def _read_state(value: Value, at: str) -> tuple[str, str]:
    parts: dict[str, str] = {}
    for name, part, place in members(value, at, ("board", "player")):
        is_board = isinstance(part, str) and len(part) == 9 and all(each in "XO." for each in part)
        if not isinstance(part, str) or not (is_board if name == "board" else part in OTHER):
            raise Wrong("invalid-spec", place)
        parts[name] = part
    return parts["board"], parts["player"]


def _query(value: Value, at: str, earlier: list[str]) -> Query:
    if isinstance(value, str) and value in PLAIN:
        if value in earlier:
            raise Wrong("invalid-spec", at)
        return Query(value)
    if not isinstance(value, dict) or len(value) != 1:
        raise Wrong("invalid-spec", at)
    ((name, argument, place),) = members(value, at, (), tuple(WITH_ARGUMENT))
    if name in earlier:
        raise Wrong("invalid-spec", at)
    if name == "symbol":
        parts = elements(argument, place, (2,))
        row, column = [one_of(range(3), part, f"{place}/{i}") for i, part in enumerate(parts)]
        return Query(name, 3 * row + column)
    return Query(name, one_of(range(9 if name == "mark" else 10), argument, place))
