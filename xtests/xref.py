"""xref: play one game of Tsuro among players of the first strategy, and print its ranking.

docs/xref.md specifies the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from engines.tsuro.referee import FEWEST_PLAYERS, MOST_PLAYERS, endless_deck, play_game
from engines.tsuro.strategies import FIRST
from engines.tsuro.tournament import standing_of
from xtests import stdio
from xtests.errors import element
from xtests.players import (
    PLAYERS_AT,
    check_unique_names,
    parse_name,
    parse_players,
    sort_ranks,
)

if TYPE_CHECKING:
    from engines.tsuro.record import Game
    from harness.jsonio.decoder import Json, Printable

__all__ = ["answer", "main", "page", "parse_input"]

_NAMES: Final = f"an array of {FEWEST_PLAYERS} to {MOST_PLAYERS} names"
_LENGTHS: Final = tuple(range(FEWEST_PLAYERS, MOST_PLAYERS + 1))


def parse_input(values: list[Json]) -> tuple[str, ...]:
    """Return the names of the players, oldest first.

    Raise InputError for the first malformed part in document order, or for a repeated name.
    """
    names = parse_players(values, _LENGTHS, _NAMES, parse_name)
    check_unique_names(names, [element(PLAYERS_AT, k) for k in range(len(names))])
    return names


def answer(values: list[Json]) -> Printable:
    """Return the ranking of the game and its cheaters."""
    names = parse_input(values)
    standing = standing_of(_play(names), names)
    return {
        "winners": sort_ranks(standing.ranking),
        "cheaters": sorted(standing.cheaters),
    }


def page(values: list[Json]) -> str:
    """Return an HTML page that steps through the game."""
    # Imported here: only --html needs it.
    from engines.tsuro.page import game_page  # pylint: disable=import-outside-toplevel

    names = parse_input(values)
    return game_page(_play(names), names)


def main() -> NoReturn:
    """Run the program."""
    stdio.serve_batch("xref", answer, page)


def _play(names: tuple[str, ...]) -> Game:
    return play_game([FIRST] * len(names), endless_deck())


if __name__ == "__main__":
    main()
