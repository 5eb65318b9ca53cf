"""A state of the game, and what follows from it: actions, results, the end, and who has won.

States are values; nothing is drawn here. Source: the game's documentation, told anew in
docs/isolation.md, where each of its contradictions is settled.
"""

from __future__ import annotations

from enum import Enum
from math import inf
from typing import Final, NamedTuple

from engines.isolation.counting import sequences
from engines.isolation.encoding import GRID
from engines.isolation.moves import REACH, Action, open_cells, open_steps

__all__ = ["IllegalAction", "Isolation", "Refusal", "perft"]

_BLANK_BOARD: Final = GRID.open_board


class Isolation(NamedTuple):
    """A state: the open cells, the number of actions played, and where the two pieces stand.

    `board` has a one for each open cell (docs/isolation.md shows which bit is which cell); a cell
    that a piece stands on, or stood on, is not open. `locs` holds the cell of player 0 and that of
    player 1, None for a piece not yet placed. The fields are taken as they come: a state that no
    game can reach is the caller's own.
    """

    board: int = _BLANK_BOARD
    ply_count: int = 0
    locs: tuple[int | None, int | None] = (None, None)

    def actions(self) -> list[int] | list[Action]:
        """What the one who plays may do, as a new list.

        Cells, ascending, for a piece not yet placed, otherwise `Action` values in their order;
        empty where the piece has nowhere to go. The other player's piece does not matter here: the
        game may be over, and there may still be actions.
        """
        loc = self.locs[self.player()]
        if loc is None:
            return open_cells(self.board)
        return list(open_steps(self.board, loc))

    def player(self) -> int:
        """Who plays: 0 for the first player, 1 for the second."""
        return self.ply_count % 2

    def result(self, action: int) -> Isolation:
        """The state after an action: one of `actions()`, or an equal integer.

        Raises IllegalAction for any other.
        """
        mover = self.ply_count % 2
        mine, theirs = self.locs[mover], self.locs[1 - mover]
        target = int(action) if mine is None else mine + action
        if target < 0 or not (REACH[mine] & self.board) >> target & 1:
            raise IllegalAction(self, action, target)
        locs = (theirs, target) if mover else (target, theirs)
        return Isolation(self.board ^ 1 << target, self.ply_count + 1, locs)

    def terminal_test(self) -> bool:
        """Whether the game is over: one of the two pieces, whoever plays, has nowhere to go."""
        first, second = self.locs
        return REACH[first] & self.board == 0 or REACH[second] & self.board == 0

    def utility(self, player_id: int) -> float:
        """What the state is worth to a player: inf won, -inf lost, the integer 0 not over yet.

        Where neither piece can go on, the one who plays has lost: the other made the last move.
        Raises ValueError where `player_id` is neither 0 nor 1.
        """
        if player_id not in (0, 1):
            raise ValueError(f"player_id is {player_id}: expected 0 (player 1) or 1 (player 2)")
        if not self.terminal_test():
            return 0
        can_play = REACH[self.locs[self.player()]] & self.board != 0
        return inf if can_play == (player_id == self.player()) else -inf

    def liberties(self, loc: int | None) -> list[int]:
        """The open cells that one step leads to from the cell `loc`, in the order of `Action`.

        From None, as `locs` has it for a piece not yet placed: every open cell, ascending. Raises
        NotACell where the index is no cell.
        """
        if loc is None:
            return open_cells(self.board)
        return [loc + step for step in open_steps(self.board, loc)]

    def _repr_svg_(self) -> str:
        """The picture that a notebook shows."""
        # pylint: disable-next=import-outside-toplevel  # who draws nothing does not pay for it
        from engines.isolation.picture import board_svg

        return board_svg(self)


class Refusal(Enum):
    """Why an action is refused; the value finishes the sentence "cell n ..."."""

    NOT_A_STEP = "is not one step away"
    OFF_THE_BOARD = "is off the board"
    OCCUPIED = "is taken by a piece"
    BLOCKED = "is blocked"


class IllegalAction(ValueError):
    """An action that is not among `actions()`: the caller's mistake.

    Fields: the `state`; the `action` as given; the `cell` it would lead to, which may be none of
    the board's; the `reason`, a Refusal.
    """

    def __init__(self, state: Isolation, action: int, cell: int) -> None:
        super().__init__(state, action, cell)
        self.state = state
        self.action = action
        self.cell = cell
        self.reason = _refusal(state, action, cell)

    def __str__(self) -> str:
        mover = self.state.player()
        loc = self.state.locs[mover]
        what = "placing it" if loc is None else f"action {int(self.action)} from cell {loc}"
        return (
            f"player {mover + 1} to move, {what}: cell {self.cell} {self.reason.value}; "
            f"expected {_expected(self.state)}"
        )


def perft(state: Isolation, depth: int) -> int:
    """The number of sequences of `depth` legal actions from a state; 1 for depth 0.

    No sequence goes on from a state where the game is over. Raises ValueError for a negative
    depth.
    """
    if depth < 0:
        raise ValueError(f"depth is {depth}: expected 0 or more")
    if depth == 0:
        return 1
    mover = state.player()
    mine, theirs = state.locs[mover], state.locs[1 - mover]
    return sequences(state.board, REACH[mine], REACH[theirs], depth)


def _refusal(state: Isolation, action: int, cell: int) -> Refusal:
    if state.locs[state.player()] is not None and action not in list(Action):
        return Refusal.NOT_A_STEP
    if cell < 0 or not REACH[None] >> cell & 1:
        return Refusal.OFF_THE_BOARD
    return Refusal.OCCUPIED if cell in state.locs else Refusal.BLOCKED


def _expected(state: Isolation) -> str:
    if state.locs[state.player()] is None:
        return "an open cell"
    names = [f"{Action(action).name} ({action})" for action in state.actions()]
    return ", ".join(names) if names else "nothing: the piece has nowhere to go"
