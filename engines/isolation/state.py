"""The rules of Isolation: states, legal actions, results, the end of the game and its winner.

Source: the original documentation; docs/games/isolation.md resolves its contradictions.
"""

from __future__ import annotations

from enum import Enum
from math import inf
from operator import index
from typing import NamedTuple

from engines.deferred import draw
from engines.isolation.encoding import GRID
from engines.isolation.moves import REACH, Action, count_sequences, open_cells, open_steps

__all__ = ["IllegalAction", "IllegalActionReason", "Isolation", "perft"]


class Isolation(NamedTuple):
    """An immutable state: the open cells, the number of actions played and the places of both
    pieces.

    `board` has a one for each open cell (docs/games/isolation.md gives the bit of each). A cell is
    closed once a piece has stood on it. `locs` holds the cells of player 0 and player 1, None for a
    piece not yet placed. The fields are not validated: unreachable states are allowed.
    """

    board: int = GRID.open_board
    ply_count: int = 0
    locs: tuple[int | None, int | None] = (None, None)

    def actions(self) -> list[int] | list[Action]:
        """Return a new list of the actions of the player to move.

        Cells in ascending order for a piece not yet placed, otherwise `Action` values in their
        order; empty if the piece cannot move. The opponent's piece is ignored, so a game that is
        over can still have actions.
        """
        loc = self.locs[self.player()]
        if loc is None:
            return open_cells(self.board)
        return list(open_steps(self.board, loc))

    def player(self) -> int:
        """Return the player to move: 0 or 1."""
        return self.ply_count % 2

    def result(self, action: int) -> Isolation:
        """Return the state after an action: a member of `actions()` or an equal integer.

        Raises IllegalAction for any other integer, and TypeError for what is not an integer.
        """
        mover = self.ply_count % 2
        mine, theirs = self.locs[mover], self.locs[1 - mover]
        target = index(action) if mine is None else mine + index(action)
        if target < 0 or not (REACH[mine] & self.board) >> target & 1:
            raise IllegalAction(self, action, target)
        locs = (theirs, target) if mover else (target, theirs)
        return Isolation(self.board ^ 1 << target, self.ply_count + 1, locs)

    def terminal_test(self) -> bool:
        """Return whether the game is over: at least one piece, of either player, cannot move."""
        first, second = self.locs
        return REACH[first] & self.board == 0 or REACH[second] & self.board == 0

    def utility(self, player_id: int) -> float:
        """Return the value of the state for a player: inf if won, -inf if lost, the integer 0 if
        undecided.

        If neither piece can move, the player to move has lost. Raises ValueError if `player_id` is
        neither 0 nor 1.
        """
        if player_id not in (0, 1):
            raise ValueError(f"player_id is {player_id}: expected 0 (player 1) or 1 (player 2)")
        if not self.terminal_test():
            return 0
        can_play = REACH[self.locs[self.player()]] & self.board != 0
        return inf if can_play == (player_id == self.player()) else -inf

    def liberties(self, loc: int | None) -> list[int]:
        """Return the open cells one step from the cell `loc`, in the order of `Action`.

        For None, a piece not yet placed, return all open cells in ascending order. Raises NotACell
        if the index is not a cell.
        """
        if loc is None:
            return open_cells(self.board)
        return [loc + step for step in open_steps(self.board, loc)]

    def _repr_svg_(self) -> str:
        return draw(self)


class IllegalActionReason(Enum):
    """Why an action is illegal; the value completes the sentence "cell n ..."."""

    NOT_A_STEP = "is not one step away"
    OFF_THE_BOARD = "is off the board"
    OCCUPIED = "is taken by a piece"
    BLOCKED = "is blocked"


class IllegalAction(ValueError):
    """Raised for an action that is not in `actions()`.

    Fields: the `state`; the `action` given; the `cell` it would lead to, which may be off the
    board; the `reason`.
    """

    def __init__(self, state: Isolation, action: int, cell: int) -> None:
        super().__init__(state, action, cell)
        self.state = state
        self.action = action
        self.cell = cell
        self.reason = _illegal_action_reason(state, action, cell)

    def __str__(self) -> str:
        mover = self.state.player()
        loc = self.state.locs[mover]
        what = "placing it" if loc is None else f"action {int(self.action)} from cell {loc}"
        return (
            f"player {mover + 1} to move, {what}: cell {self.cell} {self.reason.value}; "
            f"expected {_format_legal_actions(self.state)}"
        )


def perft(state: Isolation, depth: int) -> int:
    """Return the number of sequences of `depth` legal actions from a state; 1 for depth 0.

    Sequences end where the game is over. Raises ValueError for a negative depth.
    """
    if depth < 0:
        raise ValueError(f"depth is {depth}: expected 0 or more")
    if depth == 0:
        return 1
    mover = state.player()
    mine, theirs = state.locs[mover], state.locs[1 - mover]
    return count_sequences(state.board, REACH[mine], REACH[theirs], depth)


def _illegal_action_reason(state: Isolation, action: int, cell: int) -> IllegalActionReason:
    if state.locs[state.player()] is not None and action not in list(Action):
        return IllegalActionReason.NOT_A_STEP
    if cell < 0 or not REACH[None] >> cell & 1:
        return IllegalActionReason.OFF_THE_BOARD
    return IllegalActionReason.OCCUPIED if cell in state.locs else IllegalActionReason.BLOCKED


def _format_legal_actions(state: Isolation) -> str:
    if state.locs[state.player()] is None:
        return "an open cell"
    names = [f"{Action(action).name} ({action})" for action in state.actions()]
    return ", ".join(names) if names else "nothing: the piece has nowhere to go"
