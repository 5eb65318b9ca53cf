"""xtiles and xboard with letters and dictionaries, from docs/games/tsuro.md and errors.md."""

from __future__ import annotations

from typing import Final, NamedTuple

from support.references.forms import (
    Answer,
    Wrong,
    elements,
    error_of,
    one_of,
    word_of,
)
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
Tiles = dict[tuple[int, int], TilePat]
Avatars = dict[str, Place]


# The two programs.


def xtiles(text: bytes) -> list[Answer]:
    answers: list[Answer] = []
    try:
        for query in values_of(text):
            answers.append(exit_of(query, f"/{len(answers)}"))
        if not answers:
            raise Wrong("incomplete-input", "/0")
    except (Wrong, Malformed) as fault:
        answers.append(error_of(fault))
    return answers


def exit_of(query: Value, at: str) -> Answer:
    parts = elements(query, at, (3,))
    pattern = (one_of(range(35), parts[0], f"{at}/0"), one_of(ANGLES, parts[1], f"{at}/1"))
    port = word_of(LETTERS, parts[2], f"{at}/2")
    return ["if ", port, " is the entrance, ", WIRES[pattern][port], " is the exit."]


def outcome(values: list[Value]) -> Answer:
    state, actions = form_of(values)
    tiles, avatars = board_of(state)
    if "red" not in avatars:
        return "red never played"
    for number, (colour, pattern) in enumerate(actions, 1):
        if colour not in avatars:
            raise Wrong("illegal-move", f"/{number}")
        tiles[faced_by(avatars[colour])] = pattern
        moved = Moved(tiles, avatars)
        if moved.looping:
            return "infinite"
        if moved.colliding:
            return "collision"
        if "red" in moved.leaving:
            return "red died"
        avatars = moved.staying
    return red_state_pat(tiles, avatars["red"])


# The board.


class StatePat(NamedTuple):
    """A tile on a square, with the colour and port of an avatar or None."""

    pattern: TilePat
    x: int
    y: int
    colour: str | None = None
    port: str | None = None


class Moved:
    """The paths of the avatars on these tiles: their places, first the one where each begins.

    The last place of a path is in it twice if the avatar loops. `looping` and `leaving` are
    colours, `staying` the new places of the others.
    """

    def __init__(self, tiles: Tiles, avatars: Avatars) -> None:
        self.paths = {colour: _path(tiles, place) for colour, place in avatars.items()}
        self.looping = [colour for colour, path in self.paths.items() if path[-1] in path[:-1]]
        ends = {c: path[-1] for c, path in self.paths.items() if c not in self.looping}
        self.leaving = [c for c, end in ends.items() if not is_on_board(faced_by(end))]
        self.staying = {c: end for c, end in ends.items() if c not in self.leaving}

    @property
    def colliding(self) -> bool:
        """Return whether two avatars that stay share their place."""
        return len(set(self.staying.values())) < len(self.staying)


def _path(tiles: Tiles, start: Place) -> list[Place]:
    path = [start]
    while faced_by(path[-1]) in tiles and path[-1] not in path[:-1]:
        x, y = faced_by(path[-1])
        path.append((x, y, WIRES[tiles[x, y]][TOUCHES[path[-1][2]]]))
    return path


def red_state_pat(tiles: Tiles, place: Place) -> Answer:
    """Return the state-pat of red with the least degrees."""
    x, y, port = place
    index, degrees = tiles[x, y]
    same = [turn for turn in ANGLES if WIRES[index, turn] == WIRES[index, degrees]]
    return [[index, min(same)], "red", port, x, y]


def _wires_of(index: int, degrees: int) -> Wires:
    """Return the wires of a turned tile: ports move on by a letter for every 45 degrees."""
    wires: Wires = {}
    for ends in TILES[index].split():
        one, other = [LETTERS[(LETTERS.index(end) + degrees // 45) % 8] for end in ends]
        wires[one], wires[other] = other, one
    return wires


# A table, since a game looks wires up a hundred thousand times.
WIRES: Final = {(index, angle): _wires_of(index, angle) for index in range(35) for angle in ANGLES}


def faced_by(place: Place) -> tuple[int, int]:
    """Return the square that an avatar faces, which may be off the board."""
    x, y, port = place
    return x + AHEAD[port][0], y + AHEAD[port][1]


def is_on_board(square: tuple[int, int]) -> bool:
    return 0 <= square[0] <= 9 and 0 <= square[1] <= 9


# Parsing of the input. Containers are checked before their parts, parts in document order.


def form_of(values: list[Value]) -> tuple[list[StatePat], list[Action]]:
    """Return the well-formed state and actions of an input."""
    if not values:
        raise Wrong("incomplete-input", "/0")
    state = state_of(values[0], "/0")
    return state, [action_of(value, f"/{number}") for number, value in enumerate(values[1:], 1)]


def state_of(value: Value, at: str) -> list[StatePat]:
    parts = elements(value, at)
    return [_state_pat(part, f"{at}/{number}") for number, part in enumerate(parts)]


def action_of(value: Value, at: str) -> Action:
    colour, pattern = elements(value, at, (2,))
    return word_of(COLOURS, colour, f"{at}/0"), _tile_pat(pattern, f"{at}/1")


def board_of(state: list[StatePat]) -> tuple[Tiles, Avatars]:
    """Return the tiles and avatars of a state. Raise Wrong for the first part of it that
    contradicts the others."""
    squares = [(part.x, part.y) for part in state]
    tiles: Tiles = {}
    avatars: Avatars = {}
    for number, part in enumerate(state):
        earlier = tiles.setdefault((part.x, part.y), part.pattern)
        if WIRES[earlier] != WIRES[part.pattern]:
            raise Wrong("invalid-spec", f"/0/{number}")
        if part.colour is None or part.port is None:
            continue
        place = (part.x, part.y, part.port)
        if faced_by(place) in squares or not is_on_board(faced_by(place)):
            raise Wrong("invalid-spec", f"/0/{number}")
        if part.colour in avatars:
            raise Wrong("invalid-spec", f"/0/{number}/1")
        avatars[part.colour] = place
    return tiles, avatars


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
