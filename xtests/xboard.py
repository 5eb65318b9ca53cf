"""xboard: perform actions on a Tsuro board, and print where red rests or what stopped them.

docs/games/tsuro.md specifies the program and the precedence of what stops the actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from engines.tsuro.movement import Fate, collided, layout_after, placement, with_fate
from xtests import stdio, tsuro_wire
from xtests.errors import ROOT, InputError, Kind, Pointer, element
from xtests.parsing import require_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engines.tsuro.colors import ColorString
    from engines.tsuro.movement import End, Layout, Placement
    from harness.jsonio.decoder import Json, Printable
    from xtests.tsuro_wire import PlayerAction, StatePat

__all__ = ["BoardInput", "answer", "main", "parse_input"]

_RED: Final = "red"
_STATE_AT: Final = element(ROOT, 0)


class BoardInput(NamedTuple):
    """A state and the actions to perform on it."""

    state: tuple[StatePat, ...]
    actions: tuple[PlayerAction, ...]


def parse_input(values: list[Json]) -> BoardInput:
    """Return the input. Raise InputError for its first malformed part in document order."""
    state = tsuro_wire.parse_state(require_value(values, 0, tsuro_wire.STATE), _STATE_AT)
    actions = tuple(
        tsuro_wire.parse_action(value, _action_at(k)) for k, value in enumerate(values[1:])
    )
    return BoardInput(state, actions)


def answer(values: list[Json]) -> Printable:
    """Return the state-pat on which red rests, or the word for what stopped the actions."""
    state, actions = parse_input(values)
    board = first_board = tsuro_wire.layout(state, _STATE_AT)
    if _RED not in board.avatars:
        return "red never played"
    for k, action in enumerate(actions):
        placed = _perform(board, action, _action_at(k), first_board)
        word = _find_stop(placed.ends)
        if word is not None:
            return word
        board = layout_after(board, placed)
    square, port = board.avatars[_RED]
    return tsuro_wire.print_state_pat(board.tiles[square], _RED, (square, port))


def main() -> NoReturn:
    """Run the program."""
    stdio.serve_batch("xboard", answer)


def _action_at(index: int) -> Pointer:
    return element(ROOT, index + 1)  # value 0 is the state


def _perform(board: Layout, action: PlayerAction, at: Pointer, first_board: Layout) -> Placement:
    placed = placement(board, action.player, action.tile)
    if placed.is_error():
        gone = "; it left the board before" if action.player in first_board.avatars else ""
        message = f"the action at {at} cannot be performed: {placed.error()}{gone}"
        raise InputError(Kind.ILLEGAL_MOVE, at, message)
    return placed.value()


def _find_stop(ends: Mapping[ColorString, End]) -> str | None:
    if with_fate(ends, Fate.LOOPS):
        return "infinite"
    if collided(ends):
        return "collision"
    return "red died" if ends[_RED].fate is Fate.LEAVES else None


if __name__ == "__main__":
    main()
