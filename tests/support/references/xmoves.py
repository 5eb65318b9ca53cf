"""xmoves with sets of squares, from docs/games/tsuro.md and docs/games/index.md."""

from __future__ import annotations

from typing import NamedTuple

from support.references.forms import Answer, Wrong, elements, one_of, word_of
from support.references.json_stream import Value
from support.references.tsuro import (
    ANGLES,
    COLOURS,
    LETTERS,
    WIRES,
    Action,
    Avatars,
    Moved,
    TilePat,
    Tiles,
    action_of,
    faced_by,
    is_on_board,
)

EDGE = {(x, y) for x in range(10) for y in range(10) if {x, y} & {0, 9}}


class Placement(NamedTuple):
    """A tile with an avatar, for a square or None."""

    pattern: TilePat
    colour: str
    port: str
    square: tuple[int, int] | None


def answer(values: list[Value]) -> Answer:
    placements, actions = _form_of(values)
    tiles: Tiles = {}
    avatars: Avatars = {}
    for number, placement in enumerate(placements, 1):
        reason = refusal_of(placement, tiles, avatars)
        if reason:
            return {"refused": {"placement": number, "reason": reason}}
        assert placement.square is not None
        tiles[placement.square] = placement.pattern
        avatars[placement.colour] = (*placement.square, placement.port)
    for number, (colour, pattern) in enumerate(actions, 1):
        if colour not in avatars:
            return {"refused": {"move": number, "reason": "not-on-board"}}
        laid = {**tiles, faced_by(avatars[colour]): pattern}
        moved = Moved(laid, avatars)
        if moved.looping:
            return {"refused": {"move": number, "reason": "loops"}}
        tiles, avatars = laid, moved.staying
    return board_printed(tiles, avatars)


def refusal_of(placement: Placement, tiles: Tiles, avatars: Avatars) -> str:
    if placement.colour in avatars:
        return "on-board"
    if placement.square is None:
        return "no-position"
    if placement.square not in EDGE:
        return "not-on-edge"
    x, y = placement.square
    if {(x, y), (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & set(tiles):
        return "not-free"
    return "" if is_on_board(faced_by((x, y, placement.port))) else "faces-off"


def board_printed(tiles: Tiles, avatars: Avatars) -> Answer:
    """Return the state-pats row by row, those of one square by colour, with the least degrees."""
    printed: list[Answer] = []
    for y, x in sorted((y, x) for x, y in tiles):
        index, degrees = tiles[x, y]
        same = [turn for turn in ANGLES if WIRES[index, turn] == WIRES[index, degrees]]
        here = [c for c in COLOURS if c in avatars and avatars[c][:2] == (x, y)]
        pattern: Answer = [index, min(same)]
        printed += [[pattern, colour, avatars[colour][2], x, y] for colour in here]
        if not here:
            printed.append([pattern, x, y])
    return printed


# Parsing of the input.


def _form_of(values: list[Value]) -> tuple[list[Placement], list[Action]]:
    if not values:
        raise Wrong("incomplete-input", "/0")
    parts = [_placement(part, f"/0/{k}") for k, part in enumerate(elements(values[0], "/0"))]
    return parts, [action_of(value, f"/{k}") for k, value in enumerate(values[1:], 1)]


def _placement(value: Value, at: str) -> Placement:
    parts = elements(value, at, (3, 5))
    pair = elements(parts[0], f"{at}/0", (2,))
    pattern = one_of(range(35), pair[0], f"{at}/0/0"), one_of(ANGLES, pair[1], f"{at}/0/1")
    colour = word_of(COLOURS, parts[1], f"{at}/1")
    port = word_of(LETTERS, parts[2], f"{at}/2")
    square = None
    if len(parts) == 5:
        square = one_of(range(10), parts[3], f"{at}/3"), one_of(range(10), parts[4], f"{at}/4")
    return Placement(pattern, colour, port, square)
