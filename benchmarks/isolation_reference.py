"""Isolation written plainly, to compare the engine with: one test per cell, one object per state.

Written from the game's documentation, independently of engines/.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

WIDTH, HEIGHT = 11, 9
SIZE = (WIDTH + 2) * HEIGHT - 2
BLANK_BOARD = sum(1 << (WIDTH + 2) * y + x for y in range(HEIGHT) for x in range(WIDTH))


class Action(IntEnum):
    """A knight's move as the change of index."""

    NNE = 25
    ENE = 11
    ESE = -15
    SSE = -27
    SSW = -25
    WSW = -11
    WNW = 15
    NNW = 27


class PlainIsolation(NamedTuple):
    """A state of the game, queried cell by cell."""

    board: int = BLANK_BOARD
    ply_count: int = 0
    locs: tuple[int | None, int | None] = (None, None)

    def player(self) -> int:
        """Return the player to move."""
        return self.ply_count % 2

    def is_open(self, cell: int) -> bool:
        """Return whether a cell is on the board and open."""
        return cell >= 0 and self.board & (1 << cell) != 0

    def actions(self) -> list[int] | list[Action]:
        """Return the actions of the player to move."""
        loc = self.locs[self.player()]
        if loc is None:
            return [cell for cell in range(SIZE) if self.is_open(cell)]
        return [action for action in Action if self.is_open(loc + action)]

    def result(self, action: int) -> PlainIsolation:
        """Return the state after an unchecked action."""
        loc = self.locs[self.player()]
        cell = action if loc is None else loc + action
        first, second = self.locs
        locs = (cell, second) if self.player() == 0 else (first, cell)
        return PlainIsolation(self.board & ~(1 << cell), self.ply_count + 1, locs)

    def terminal_test(self) -> bool:
        """Return whether either player is stuck."""
        return not (self._can_move(0) and self._can_move(1))

    def _can_move(self, player: int) -> bool:
        loc = self.locs[player]
        cells: Iterable[int] = range(SIZE) if loc is None else (loc + step for step in Action)
        return any(self.is_open(cell) for cell in cells)


def perft(state: PlainIsolation, depth: int) -> int:
    """Return the number of sequences of actions, playing each to its last ply."""
    if depth == 0:
        return 1
    if state.terminal_test():
        return 0
    return sum(perft(state.result(action), depth - 1) for action in state.actions())


def perft_without_the_last_ply(state: PlainIsolation, depth: int) -> int:
    """Return the same number for a depth of at least 1, counting the last actions without playing
    them."""
    if state.terminal_test():
        return 0
    if depth == 1:
        return len(state.actions())
    return sum(
        perft_without_the_last_ply(state.result(action), depth - 1) for action in state.actions()
    )
