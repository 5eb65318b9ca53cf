"""xadmin: hold a tournament of Tsuro, and print the ranking of its last game.

docs/games/tsuro-games.md specifies the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from engines.tsuro.referee import endless_deck, play_game
from engines.tsuro.tournament import hold_tournament, standing_of
from xtests import stdio
from xtests.errors import element, member
from xtests.parsing import parse_members
from xtests.players import (
    PLAYERS_AT,
    check_unique_names,
    parse_name,
    parse_players,
    parse_strategy,
    sort_ranks,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engines.tsuro.strategies import Strategy
    from engines.tsuro.tournament import Standing
    from harness.jsonio.decoder import Json, Printable
    from xtests.errors import Pointer

__all__ = ["Entrant", "answer", "main", "parse_input"]

_LENGTHS: Final = tuple(range(3, 21))
_PLAYERS: Final = "an array of 3 to 20 players"
_PLAYER: Final = 'a player {"name": string, "strategy": path}'


class Entrant(NamedTuple):
    """A participant of the tournament: name and strategy."""

    name: str
    player: Strategy


def parse_input(values: list[Json]) -> tuple[Entrant, ...]:
    """Return the players, oldest first.

    Raise InputError for the first malformed part in document order, or for a repeated name.
    """
    entrants = parse_players(values, _LENGTHS, _PLAYERS, _parse_entrant)
    places = [member(element(PLAYERS_AT, k), "name") for k in range(len(entrants))]
    check_unique_names([entrant.name for entrant in entrants], places)
    return entrants


def answer(values: list[Json]) -> Printable:
    """Return the ranking of the tournament and, if there are any, its cheaters."""
    players = {entrant.name: entrant.player for entrant in parse_input(values)}
    held = hold_tournament([*players], lambda group: _play(players, group))
    printed: dict[str, Printable] = {"winners": sort_ranks(held.winners)}
    if held.cheaters:
        printed["cheaters"] = sorted(held.cheaters)
    return printed


def main() -> NoReturn:
    """Run the program."""
    stdio.serve_batch("xadmin", answer)


def _play(players: Mapping[str, Strategy], group: tuple[str, ...]) -> Standing[str]:
    return standing_of(play_game([players[name] for name in group], endless_deck()), group)


def _parse_entrant(value: Json, at: Pointer) -> Entrant:
    own_name, player = "", None
    for name, part, place in parse_members(value, at, ("name", "strategy"), (), _PLAYER):
        if name == "name":
            own_name = parse_name(part, place)
        else:
            player = parse_strategy(part, place)
    assert player is not None  # parse_members requires it
    return Entrant(own_name, player)


if __name__ == "__main__":
    main()
