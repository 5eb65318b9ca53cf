"""xrules: whether a turn is legal on a board.

Decode, ask the engine, encode; what makes a turn legal is the engine's. The contract is
docs/xrules.md.
"""

from __future__ import annotations

from typing import Final, NamedTuple, NoReturn

from engines.tsuro.rules import TurnRefusal, turn_outcome
from engines.tsuro.tiles import pattern_of
from xtests import stdio, tsuro_wire
from xtests.form import array, unexpected
from xtests.refusal import EVERYTHING, Pointer, element, incomplete
from xtests.tsuro_wire import Action, StatePat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engines.tsuro.rules import TurnTiles
    from harness.jsontext import Json, Printable

__all__ = ["Spec", "Turn", "answer", "main", "spec"]

_STATE_AT: Final = element(EVERYTHING, 0)
_TURN_AT: Final = element(EVERYTHING, 1)

_TURN: Final = "a turn [action, index, index]"


class Turn(NamedTuple):
    """What a player wants to do, and the two tiles that it was given."""

    action: Action
    given: TurnTiles


class Spec(NamedTuple):
    """What one run is asked: a board, and a turn on it."""

    state: tuple[StatePat, ...]
    turn: Turn


def spec(values: list[Json]) -> Spec:
    """The form of the whole input. Raises Refused for its first fault in document order."""
    if not values:
        raise incomplete(0, tsuro_wire.STATE)
    state = tsuro_wire.state(values[0], _STATE_AT)
    if len(values) == 1:
        raise incomplete(1, _TURN)
    turn = _turn(values[1], _TURN_AT)
    if len(values) > 2:
        raise unexpected(values[2], element(EVERYTHING, 2), "the end of the input")
    return Spec(state, turn)


def answer(values: list[Json]) -> Printable:
    """Whether the turn is legal, as a word.

    Raises Refused: the form is not that of a board and a turn; the board contradicts itself.
    """
    state, turn = spec(values)
    board = tsuro_wire.layout(state, _STATE_AT)
    player, tile = turn.action
    # With the least degrees, perhaps other ones than were written: the wires are the same.
    outcome = turn_outcome(board, player, turn.given, pattern_of(tile))
    return "cheating" if isinstance(outcome, TurnRefusal) else "legal"


def main() -> NoReturn:
    """Serve standard input and output, and end the process."""
    stdio.answer_whole("xrules", answer)


def _turn(value: Json, at: Pointer) -> Turn:
    action, first, second = array(value, at, (3,), _TURN)
    return Turn(
        tsuro_wire.action(action, element(at, 0)),
        (
            tsuro_wire.tile_index(first, element(at, 1)),
            tsuro_wire.tile_index(second, element(at, 2)),
        ),
    )


if __name__ == "__main__":
    main()
