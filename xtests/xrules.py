"""xrules: print whether a turn is legal on a Tsuro board.

docs/games/tsuro.md specifies the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from engines.tsuro.rules import TurnRefusal, turn_outcome
from engines.tsuro.tiles import pattern_of
from xtests import stdio, tsuro_wire
from xtests.errors import ROOT, Pointer, element
from xtests.parsing import check_end, parse_array, require_value

if TYPE_CHECKING:
    from engines.tsuro.rules import TurnTiles
    from harness.jsonio.decoder import Json, Printable
    from xtests.tsuro_wire import PlayerAction, StatePat

__all__ = ["Turn", "TurnInput", "answer", "main", "parse_input"]

_STATE_AT: Final = element(ROOT, 0)
_TURN_AT: Final = element(ROOT, 1)

_TURN: Final = "a turn [action, index, index]"


class Turn(NamedTuple):
    """An action, and the two tiles that the player was given."""

    action: PlayerAction
    given: TurnTiles


class TurnInput(NamedTuple):
    """A state, and a turn on it."""

    state: tuple[StatePat, ...]
    turn: Turn


def parse_input(values: list[Json]) -> TurnInput:
    """Return the input. Raise InputError for its first malformed part in document order."""
    state = tsuro_wire.parse_state(require_value(values, 0, tsuro_wire.STATE), _STATE_AT)
    turn = _parse_turn(require_value(values, 1, _TURN), _TURN_AT)
    check_end(values, 2)
    return TurnInput(state, turn)


def answer(values: list[Json]) -> Printable:
    """Return "legal" or "cheating"."""
    state, turn = parse_input(values)
    board = tsuro_wire.layout(state, _STATE_AT)
    player, tile = turn.action
    # pattern_of may return fewer degrees than were written; the wires are the same.
    outcome = turn_outcome(board, player, turn.given, pattern_of(tile))
    return "cheating" if isinstance(outcome, TurnRefusal) else "legal"


def main() -> NoReturn:
    """Run the program."""
    stdio.serve_batch("xrules", answer)


def _parse_turn(value: Json, at: Pointer) -> Turn:
    action, first, second = parse_array(value, at, (3,), _TURN)
    return Turn(
        tsuro_wire.parse_action(action, element(at, 0)),
        (
            tsuro_wire.parse_tile_index(first, element(at, 1)),
            tsuro_wire.parse_tile_index(second, element(at, 2)),
        ),
    )


if __name__ == "__main__":
    main()
