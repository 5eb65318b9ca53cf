"""xboard: what becomes of the red avatar, or of the game, when actions are performed on a board.

Decode, ask the engine, encode; what stops the actions, and in which order of precedence, is decided
here. The contract is docs/xboard.md.
"""

from __future__ import annotations

from typing import Final, NamedTuple, NoReturn

from engines.tsuro.movement import Fate, collided, layout_after, placement, with_fate
from xtests import stdio, tsuro_wire
from xtests.refusal import EVERYTHING, Kind, Pointer, Refused, element, incomplete
from xtests.tsuro_wire import Action, StatePat, state_pat_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engines.tsuro.colors import ColorString
    from engines.tsuro.movement import End, Layout, Placement
    from harness.jsontext import Json, Printable

__all__ = ["Spec", "answer", "main", "spec"]

_RED: Final = "red"
_STATE_AT: Final = element(EVERYTHING, 0)


class Spec(NamedTuple):
    """What one run is asked: a board, and what is to be done on it."""

    state: tuple[StatePat, ...]
    actions: tuple[Action, ...]


def spec(values: list[Json]) -> Spec:
    """The form of the whole input. Raises Refused for its first fault in document order."""
    if not values:
        raise incomplete(0, tsuro_wire.STATE)
    state = tsuro_wire.state(values[0], _STATE_AT)
    actions = tuple(tsuro_wire.action(value, _action_at(k)) for k, value in enumerate(values[1:]))
    return Spec(state, actions)


def answer(values: list[Json]) -> Printable:
    """Where red rests at last, or the word for what stopped the actions.

    Raises Refused: the form is not that of a board and actions; the board contradicts itself; an
    action that is to be performed cannot be.
    """
    state, actions = spec(values)
    board = first_board = tsuro_wire.layout(state, _STATE_AT)
    if _RED not in board.avatars:
        return "red never played"
    for k, action in enumerate(actions):
        placed = _placed(board, action, _action_at(k), first_board)
        word = _stopped_by(placed.ends)
        if word is not None:
            return word
        board = layout_after(board, placed)
    square, port = board.avatars[_RED]
    return state_pat_of(board.tiles[square], _RED, (square, port))


def main() -> NoReturn:
    """Serve standard input and output, and end the process."""
    stdio.answer_whole("xboard", answer)


def _action_at(index: int) -> Pointer:
    # Value 0 is the state.
    return element(EVERYTHING, index + 1)


def _placed(board: Layout, action: Action, at: Pointer, first_board: Layout) -> Placement:
    placed = placement(board, action.player, action.tile)
    if placed.is_error():
        gone = "; it left the board before" if action.player in first_board.avatars else ""
        message = f"the action at {at} cannot be performed: {placed.error()}{gone}"
        raise Refused(Kind.ILLEGAL_MOVE, at, message)
    return placed.value()


def _stopped_by(ends: Mapping[ColorString, End]) -> str | None:
    if with_fate(ends, Fate.LOOPS):
        return "infinite"
    if collided(ends):
        return "collision"
    return "red died" if ends[_RED].fate is Fate.LEAVES else None


if __name__ == "__main__":
    main()
