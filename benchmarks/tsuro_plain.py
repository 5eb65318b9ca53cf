"""The legality of turns of Tsuro written plainly, to measure and check the engine.

For each option, the board is copied and every avatar is walked with a list of visited places.
Written from the game's documentation, independently of engines/.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

# A tile as it is turned: by port, 0 to 7 clockwise from the top left, the other end of its wire.
Exits = list[int]
Place = tuple[int, int, int]  # x, y, port

STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
TOUCHES = (5, 4, 7, 6, 1, 0, 3, 2)
QUARTERS = range(4)


class PlainBoard(NamedTuple):
    """Rows of tiles or None, and the place of each avatar by colour."""

    rows: list[list[Exits | None]]
    avatars: dict[str, Place]

    def with_tile(self, actor: str, tile: Exits) -> PlainBoard:
        """Return a copy of the board with this tile on the square that the actor faces."""
        rows, avatars = deepcopy((self.rows, self.avatars))
        x, y = _ahead(avatars[actor])
        rows[y][x] = tile
        return PlainBoard(rows, avatars)

    def fate(self, colour: str) -> str:
        """Return "rests", "leaves" or "loops", the outcome of an avatar's move."""
        seen: list[Place] = []
        place = self.avatars[colour]
        while place not in seen:
            seen.append(place)
            x, y = _ahead(place)
            if not (0 <= x <= 9 and 0 <= y <= 9):
                return "leaves"
            tile = self.rows[y][x]
            if tile is None:
                return "rests"
            place = (x, y, tile[TOUCHES[place[2]]])
        return "loops"


def turned(tile: Sequence[int], quarters: int) -> Exits:
    """Return a tile rotated clockwise by this many quarters."""
    return [(tile[(port - 2 * quarters) % 8] + 2 * quarters) % 8 for port in range(8)]


def flaw(board: PlainBoard, actor: str, tile: Exits) -> str:
    """Return "loop" if the tile loops any avatar, "suicide" if the actor leaves, or ""."""
    after = board.with_tile(actor, tile)
    fates = {colour: after.fate(colour) for colour in after.avatars}
    if "loops" in fates.values():
        return "loop"
    return "suicide" if fates[actor] == "leaves" else ""


def flaws(board: PlainBoard, actor: str, given: Sequence[Sequence[int]]) -> list[str]:
    """Return the flaw of each of the eight options: each given tile at each rotation."""
    return [flaw(board, actor, turned(tile, quarters)) for tile in given for quarters in QUARTERS]


def _ahead(place: Place) -> tuple[int, int]:
    x, y, port = place
    step_x, step_y = STEPS[port // 2]
    return x + step_x, y + step_y
