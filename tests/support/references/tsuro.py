"""xtiles and xboard with letters and dictionaries, from docs/xtiles.md, xboard.md and errors.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from support.references.forms import Answer, Wrong, elements, error_of, one_of, word_of
from support.references.json_stream import Malformed, Value, values_of

TILES: Final = (
    *("AE BF CH DG", "AE BF CG DH", "AF BE CH DG", "AE BD CG FH", "AH BC DE FG"),
    *("AE BC DH FG", "AE BC DG FH", "AD BG CF EH", "AD BF CG EH", "AD BE CH FG"),
    *("AD BE CG FH", "AD BC EH FG", "AC BH DF EG", "AC BH DE FG", "AC BG DF EH"),
    *("AC BG DE FH", "AC BF DH EG", "AC BF DG EH", "AC BE DH FG", "AC BE DG FH"),
    *("AC BD EH FG", "AC BD EG FH", "AB CH DG EF", "AB CH DF EG", "AB CH DE FG"),
    *("AB CG DH EF", "AB CG DF EH", "AB CG DE FH", "AB CF DH EG", "AB CF DG EH"),
    *("AB CE DH FG", "AB CE DG FH", "AB CD EH FG", "AB CD EG FH", "AB CD EF GH"),
)
LETTERS: Final = "ABCDEFGH"
COLOURS: Final = ("white", "black", "red", "green", "blue")
ANGLES: Final = (0, 90, 180, 270)
AHEAD: Final = {
    **{"A": (0, -1), "B": (0, -1), "C": (1, 0), "D": (1, 0)},
    **{"E": (0, 1), "F": (0, 1), "G": (-1, 0), "H": (-1, 0)},
}
TOUCHES: Final = {"A": "F", "F": "A", "B": "E", "E": "B", "C": "H", "H": "C", "D": "G", "G": "D"}

Wires = dict[str, str]  # from either end to the other
Place = tuple[int, int, str]  # x, y, port
TilePat = tuple[int, int]  # index, degrees
Action = tuple[str, TilePat]


# The two programs.


def xtiles(text: bytes) -> list[Answer]:
    """Return what xtiles prints for an input."""
    answers: list[Answer] = []
    try:
        for query in values_of(text):
            answers.append(exit_of(query, f"/{len(answers)}"))
        if not answers:
            raise Wrong("incomplete-input", "/0")
    except (Wrong, Malformed) as fault:
        answers.append(error_of(fault))
    return answers


def xboard(text: bytes) -> list[Answer]:
    """Return the one value that xboard prints for an input."""
    try:
        return [_outcome(list(values_of(text)))]
    except (Wrong, Malformed) as fault:
        return [error_of(fault)]


def exit_of(query: Value, at: str) -> Answer:
    """Return the answer to a query of xtiles."""
    parts = elements(query, at, (3,))
    pattern = (one_of(range(35), parts[0], f"{at}/0"), one_of(ANGLES, parts[1], f"{at}/1"))
    port = word_of(LETTERS, parts[2], f"{at}/2")
    return ["if ", port, " is the entrance, ", wires_of(pattern)[port], " is the exit."]


def _outcome(values: list[Value]) -> Answer:
    last: Answer = "red never played"
    for move in moves(values):
        last = move.outcome
    return last


# The board.


class StatePat(NamedTuple):
    """A tile on a square, with the colour and port of an avatar or None."""

    pattern: TilePat
    x: int
    y: int
    colour: str | None = None
    port: str | None = None


class Move(NamedTuple):
    """The result of one action, or of none for the state itself.

    `outcome` is what xboard would print if it were the last one; `paths` are the places of every
    avatar on it, `looping` and `leaving` the colours; `patterns` are all tiles then on the board.
    """

    outcome: Answer
    paths: dict[str, list[Place]]
    looping: list[str]
    leaving: list[str]
    patterns: dict[tuple[int, int], TilePat]

    @property
    def colliding(self) -> list[str]:
        """The avatars still on the board that share their place with another."""
        ends = {
            colour: path[-1]
            for colour, path in self.paths.items()
            if colour not in self.looping + self.leaving
        }
        return [colour for colour in ends if list(ends.values()).count(ends[colour]) > 1]


def moves(values: list[Value]) -> Iterator[Move]:
    """Yield the state and every performed action, or nothing if red never played."""
    state, actions = form_of(values)
    check_facts(state)
    patterns = {(part.x, part.y): part.pattern for part in state}
    avatars = {
        part.colour: (part.x, part.y, part.port) for part in state if part.colour and part.port
    }
    if "red" not in avatars:
        return
    first = Move("", {colour: [place] for colour, place in avatars.items()}, [], [], patterns)
    yield first._replace(outcome=red_state_pat(patterns, avatars["red"]))
    for number, (colour, pattern) in enumerate(actions, 1):
        if colour not in avatars:
            raise Wrong("illegal-move", f"/{number}")
        patterns = {**patterns, faced_by(avatars[colour]): pattern}
        move = _performed(patterns, avatars)
        yield move
        if isinstance(move.outcome, str):
            return
        avatars = {c: path[-1] for c, path in move.paths.items() if c not in move.leaving}


def _performed(patterns: dict[tuple[int, int], TilePat], avatars: dict[str, Place]) -> Move:
    move = Move("", {}, [], [], patterns)
    for colour, place in avatars.items():
        path = [place]
        while faced_by(path[-1]) in patterns and path[-1] not in path[:-1]:
            x, y = faced_by(path[-1])
            path.append((x, y, wires_of(patterns[x, y])[TOUCHES[path[-1][2]]]))
        move.paths[colour] = path
        if path[-1] in path[:-1]:
            move.looping.append(colour)
        elif not is_on_board(faced_by(path[-1])):
            move.leaving.append(colour)
    return move._replace(outcome=_outcome_of(move))


def _outcome_of(move: Move) -> Answer:
    if move.looping:
        return "infinite"
    if move.colliding:
        return "collision"
    if "red" in move.leaving:
        return "red died"
    return red_state_pat(move.patterns, move.paths["red"][-1])


def red_state_pat(patterns: dict[tuple[int, int], TilePat], place: Place) -> Answer:
    """Return the state-pat of red with the least degrees."""
    x, y, port = place
    index, degrees = patterns[x, y]
    same = [turn for turn in ANGLES if wires_of((index, turn)) == wires_of((index, degrees))]
    return [[index, min(same)], "red", port, x, y]


def wires_of(pattern: TilePat) -> Wires:
    """Return the wires of a turned tile: ports move on by a letter for every 45 degrees."""
    index, degrees = pattern
    wires: Wires = {}
    for ends in TILES[index].split():
        one, other = [LETTERS[(LETTERS.index(end) + degrees // 45) % 8] for end in ends]
        wires[one], wires[other] = other, one
    return wires


def faced_by(place: Place) -> tuple[int, int]:
    """Return the square that an avatar faces, which may be off the board."""
    x, y, port = place
    return x + AHEAD[port][0], y + AHEAD[port][1]


def is_on_board(square: tuple[int, int]) -> bool:
    """Return whether a square is on the board."""
    return 0 <= square[0] <= 9 and 0 <= square[1] <= 9


# Parsing of the input. Containers are checked before their parts, parts in document order.


def form_of(values: list[Value]) -> tuple[list[StatePat], list[Action]]:
    """Return the well-formed state and actions of an input."""
    if not values:
        raise Wrong("incomplete-input", "/0")
    state = state_of(values[0], "/0")
    return state, [action_of(value, f"/{number}") for number, value in enumerate(values[1:], 1)]


def state_of(value: Value, at: str) -> list[StatePat]:
    """Return the parts of a state."""
    parts = elements(value, at)
    return [_state_pat(part, f"{at}/{number}") for number, part in enumerate(parts)]


def action_of(value: Value, at: str) -> Action:
    """Return the colour and tile of an action."""
    colour, pattern = elements(value, at, (2,))
    return word_of(COLOURS, colour, f"{at}/0"), _tile_pat(pattern, f"{at}/1")


def check_facts(state: list[StatePat]) -> None:
    """Raise Wrong for the first part of a state that contradicts the others."""
    squares = [(part.x, part.y) for part in state]
    for number, part in enumerate(state):
        on_same = [other for other in state[:number] if (other.x, other.y) == (part.x, part.y)]
        if any(wires_of(other.pattern) != wires_of(part.pattern) for other in on_same):
            raise Wrong("invalid-spec", f"/0/{number}")
        if part.port is None:
            continue
        ahead = faced_by((part.x, part.y, part.port))
        if ahead in squares or not is_on_board(ahead):
            raise Wrong("invalid-spec", f"/0/{number}")
        if part.colour in [other.colour for other in state[:number]]:
            raise Wrong("invalid-spec", f"/0/{number}/1")


def _state_pat(value: Value, at: str) -> StatePat:
    parts = elements(value, at, (3, 5))
    pattern = _tile_pat(parts[0], f"{at}/0")
    colour = port = None
    if len(parts) == 5:
        colour = word_of(COLOURS, parts[1], f"{at}/1")
        port = word_of(LETTERS, parts[2], f"{at}/2")
    x = one_of(range(10), parts[-2], f"{at}/{len(parts) - 2}")
    y = one_of(range(10), parts[-1], f"{at}/{len(parts) - 1}")
    return StatePat(pattern, x, y, colour, port)


def _tile_pat(value: Value, at: str) -> TilePat:
    index, degrees = elements(value, at, (2,))
    return one_of(range(35), index, f"{at}/0"), one_of(ANGLES, degrees, f"{at}/1")
