"""Isolation the plain way, to be measured beside the engine: one NamedTuple for each action that is
tried, one test for each cell. Written from the game's documentation; shares nothing with engines/.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

__all__ = ["Action", "PlainIsolation", "perft", "perft_without_the_last_ply"]

WIDTH, HEIGHT = 11, 9
SIZE = (WIDTH + 2) * HEIGHT - 2
BLANK_BOARD = sum(1 << (WIDTH + 2) * y + x for y in range(HEIGHT) for x in range(WIDTH))


class Action(IntEnum):
    """A knight's steps, as what they add to an index."""

    NNE = 25
    ENE = 11
    ESE = -15
    SSE = -27
    SSW = -25
    WSW = -11
    WNW = 15
    NNW = 27


class PlainIsolation(NamedTuple):
    """A state of the game; each question looks at one cell after the other."""

    board: int = BLANK_BOARD
    ply_count: int = 0
    locs: tuple[int | None, int | None] = (None, None)

    def player(self) -> int:
        """Who plays."""
        return self.ply_count % 2

    def is_open(self, cell: int) -> bool:
        """Whether a cell is on the board, and open."""
        return cell >= 0 and self.board & (1 << cell) != 0

    def actions(self) -> list[int] | list[Action]:
        """What the one who plays may do."""
        loc = self.locs[self.player()]
        if loc is None:
            return [cell for cell in range(SIZE) if self.is_open(cell)]
        return [action for action in Action if self.is_open(loc + action)]

    def result(self, action: int) -> PlainIsolation:
        """The state after an action, which is not checked."""
        loc = self.locs[self.player()]
        cell = action if loc is None else loc + action
        first, second = self.locs
        locs = (cell, second) if self.player() == 0 else (first, cell)
        return PlainIsolation(self.board & ~(1 << cell), self.ply_count + 1, locs)

    def terminal_test(self) -> bool:
        """Whether either player is stuck."""
        return not (self._can_move(0) and self._can_move(1))

    def _can_move(self, player: int) -> bool:
        loc = self.locs[player]
        cells: Iterable[int] = range(SIZE) if loc is None else (loc + step for step in Action)
        return any(self.is_open(cell) for cell in cells)


def perft(state: PlainIsolation, depth: int) -> int:
    """The number of sequences of actions: every one is played to its last ply."""
    if depth == 0:
        return 1
    if state.terminal_test():
        return 0
    return sum(perft(state.result(action), depth - 1) for action in state.actions())


def perft_without_the_last_ply(state: PlainIsolation, depth: int) -> int:
    """The same number for a depth of at least 1, the last actions counted and not played."""
    if state.terminal_test():
        return 0
    if depth == 1:
        return len(state.actions())
    return sum(
        perft_without_the_last_ply(state.result(action), depth - 1) for action in state.actions()
    )
