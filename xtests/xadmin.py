"""xadmin: a tournament of Tsuro, from its players to the ranking of its last game.

Decode, let the administrator hold it, encode. The contract is docs/xadmin.md.
"""

from __future__ import annotations

from typing import Final, NamedTuple, NoReturn

from engines.tsuro.referee import endless_deck, play_game
from engines.tsuro.strategies import FIRST, SECOND, THIRD
from engines.tsuro.tournament import hold_tournament, standing_of
from xtests import stdio
from xtests.form import array, unexpected
from xtests.game_wire import PLAYERS_AT, check_end, check_names, first_value, name, ranks_by_name
from xtests.refusal import element
from xtests.request import member, members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engines.tsuro.strategies import Player
    from engines.tsuro.tournament import Standing
    from harness.jsontext import Json, Printable
    from xtests.refusal import Pointer

__all__ = ["Entrant", "answer", "main", "spec"]

_LENGTHS: Final = tuple(range(3, 21))
_PLAYERS: Final = "an array of 3 to 20 players"
_PLAYER: Final = 'a player {"name": string, "strategy": path}'
_STRATEGY: Final = (
    "the path of a strategy (whose last part, up to its first dot, is first-s, second-s, third-s, "
    "FirstS, SecondS or ThirdS)"
)

# As two languages spell them.
_STRATEGIES: Final[dict[str, Player]] = {
    **{"first-s": FIRST, "second-s": SECOND, "third-s": THIRD},
    **{"FirstS": FIRST, "SecondS": SECOND, "ThirdS": THIRD},
}


class Entrant(NamedTuple):
    """Who enters the tournament, and how it plays."""

    name: str
    player: Player


def spec(values: list[Json]) -> tuple[Entrant, ...]:
    """The players, oldest first. Raises Refused for the first fault of form in document order, and
    else for the first name that is there twice."""
    parts = array(first_value(values, _PLAYERS), PLAYERS_AT, _LENGTHS, _PLAYERS)
    entrants = tuple(_entrant(part, element(PLAYERS_AT, k)) for k, part in enumerate(parts))
    check_end(values)
    names_at = [member(element(PLAYERS_AT, k), "name") for k in range(len(entrants))]
    check_names([entrant.name for entrant in entrants], names_at)
    return entrants


def answer(values: list[Json]) -> Printable:
    """The ranking of the tournament and, where there are any, its cheaters. Raises Refused: the
    form is not that of players; a name is there twice."""
    entrants = spec(values)
    players = {entrant.name: entrant.player for entrant in entrants}
    held = hold_tournament([*players], lambda group: _game(players, group))
    printed: dict[str, Printable] = {"winners": ranks_by_name(held.winners)}
    if held.cheaters:
        printed["cheaters"] = sorted(held.cheaters)
    return printed


def main() -> NoReturn:
    """Serve standard input and output, and end the process."""
    stdio.answer_whole("xadmin", answer)


def _game(players: Mapping[str, Player], group: tuple[str, ...]) -> Standing[str]:
    return standing_of(play_game([players[each] for each in group], endless_deck()), group)


def _entrant(value: Json, at: Pointer) -> Entrant:
    decoded = Entrant("", FIRST)
    for each, part, place in members(value, at, ("name", "strategy"), (), _PLAYER):
        if each == "name":
            decoded = decoded._replace(name=name(part, place))
        else:
            decoded = decoded._replace(player=_strategy(part, place))
    return decoded


def _strategy(value: Json, at: Pointer) -> Player:
    if isinstance(value, str):
        last_part = value.rpartition("/")[2].partition(".")[0]
        if last_part in _STRATEGIES:
            return _STRATEGIES[last_part]
    raise unexpected(value, at, _STRATEGY)


if __name__ == "__main__":
    main()
