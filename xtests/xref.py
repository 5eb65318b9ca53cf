"""xref: one game of Tsuro among players of the first strategy, and how it ended.

Decode, let the referee play, encode. The contract is docs/xref.md.
"""

from __future__ import annotations

from typing import Final, NoReturn

from engines.tsuro.referee import FEWEST_PLAYERS, MOST_PLAYERS, endless_deck, play_game
from engines.tsuro.strategies import FIRST
from engines.tsuro.tournament import standing_of
from xtests import stdio
from xtests.form import array
from xtests.game_wire import PLAYERS_AT, check_end, check_names, first_value, name, ranks_by_name
from xtests.refusal import element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engines.tsuro.record import Game
    from harness.jsontext import Json, Printable

__all__ = ["answer", "game", "main", "page", "spec"]

_NAMES: Final = f"an array of {FEWEST_PLAYERS} to {MOST_PLAYERS} names"
_LENGTHS: Final = tuple(range(FEWEST_PLAYERS, MOST_PLAYERS + 1))


def spec(values: list[Json]) -> tuple[str, ...]:
    """The names of the players, oldest first. Raises Refused for the first fault of form in
    document order, and else for the first name that is there twice."""
    parts = array(first_value(values, _NAMES), PLAYERS_AT, _LENGTHS, _NAMES)
    names = tuple(name(part, element(PLAYERS_AT, k)) for k, part in enumerate(parts))
    check_end(values)
    check_names(names, [element(PLAYERS_AT, k) for k in range(len(names))])
    return names


def answer(values: list[Json]) -> Printable:
    """The ranking of the game and its cheaters. Raises Refused: the form is not that of names; a
    name is there twice."""
    names = spec(values)
    standing = standing_of(game(names), names)
    return {
        "winners": ranks_by_name(standing.ranking),
        "cheaters": sorted(standing.cheaters),
    }


def page(values: list[Json]) -> str:
    """The game as a page that steps through it. Raises Refused as `answer` does."""
    # pylint: disable-next=import-outside-toplevel  # paid for by who asks for a page
    from engines.tsuro.page import game_page

    names = spec(values)
    return game_page(game(names), names)


def game(names: tuple[str, ...]) -> Game:
    """The game of so many players: who they are makes no difference."""
    return play_game([FIRST] * len(names), endless_deck())


def main() -> NoReturn:
    """Serve standard input and output, and end the process."""
    stdio.answer_whole("xref", answer, page)


if __name__ == "__main__":
    main()
