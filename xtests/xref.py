"""xref: play one game of Tsuro, and print its ranking and cheaters.

docs/games/tsuro-games.md specifies the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from engines.tsuro.referee import FEWEST_PLAYERS, MOST_PLAYERS, endless_deck, play_game
from engines.tsuro.strategies import FIRST
from engines.tsuro.tournament import standing_of
from xtests import stdio
from xtests.errors import element, member
from xtests.parsing import check_end, parse_array, parse_members, require_value, unexpected
from xtests.players import (
    PLAYERS_AT,
    check_unique_names,
    parse_name,
    parse_strategy,
    sort_ranks,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engines.tsuro.colors import ColorString
    from engines.tsuro.movement import Layout
    from engines.tsuro.record import Game
    from engines.tsuro.rules import InitialChoice, InitialTiles, TurnTiles
    from engines.tsuro.strategies import Strategy
    from engines.tsuro.tiles import TileIndex, TilePattern
    from harness.jsonio.decoder import Json, Printable
    from xtests.errors import Pointer

__all__ = ["GameInput", "answer", "main", "page", "parse_input"]

_GAME: Final = (
    f"an array of {FEWEST_PLAYERS} to {MOST_PLAYERS} names, "
    'or a game {"players": [...], "deck": [...]},'
)
_PLAYERS: Final = f"an array of {FEWEST_PLAYERS} to {MOST_PLAYERS} players"
_PLAYER: Final = 'a player {"name": string, "strategy": path}, with or without "placement",'
_DECK: Final = "an array of indices of tiles, at least one"
_LENGTHS: Final = tuple(range(FEWEST_PLAYERS, MOST_PLAYERS + 1))


class GameInput(NamedTuple):
    """The players of a game, oldest first, by name, and the deck."""

    names: tuple[str, ...]
    players: tuple[Strategy, ...]
    deck: Iterable[TileIndex]


class _PlacedPlayer(NamedTuple):
    """A player that begins with a given placement, legal or not, and then plays a strategy."""

    strategy: Strategy
    choice: InitialChoice

    def initial_placement(
        self, layout: Layout, player: ColorString, given: InitialTiles
    ) -> InitialChoice:
        """Return the given placement."""
        # pylint: disable=unused-argument  # required by Strategy
        return self.choice

    def turn(self, layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        """Return the choice of the strategy."""
        return self.strategy.turn(layout, player, given)


def parse_input(values: list[Json]) -> GameInput:
    """Return the players and the deck.

    Raise InputError for the first malformed part in document order, or for a repeated name.
    """
    value = require_value(values, 0, _GAME)
    if isinstance(value, dict):
        game, places = _parse_game(value, PLAYERS_AT)
    else:
        names = parse_array(value, PLAYERS_AT, _LENGTHS, _GAME)
        places = [element(PLAYERS_AT, k) for k in range(len(names))]
        parsed = tuple(parse_name(name, at) for name, at in zip(names, places, strict=True))
        game = GameInput(parsed, (FIRST,) * len(parsed), endless_deck())
    check_end(values, 1)
    check_unique_names(game.names, places)
    return game


def answer(values: list[Json]) -> Printable:
    """Return the ranking of the game and its cheaters."""
    game = parse_input(values)
    standing = standing_of(_play(game), game.names)
    return {
        "winners": sort_ranks(standing.ranking),
        "cheaters": sorted(standing.cheaters),
    }


def page(values: list[Json]) -> str:
    """Return an HTML page that steps through the game."""
    # Imported here: only --html needs it.
    from engines.tsuro.page import game_page  # pylint: disable=import-outside-toplevel

    game = parse_input(values)
    return game_page(_play(game), game.names)


def main() -> NoReturn:
    """Run the program."""
    stdio.serve_batch("xref", answer, page)


def _play(game: GameInput) -> Game:
    return play_game(game.players, game.deck)


# Games with strategies and a deck. What they need is imported here, as the course's own format
# does without it.
# pylint: disable=import-outside-toplevel


def _parse_game(value: dict[str, Json], at: Pointer) -> tuple[GameInput, list[Pointer]]:
    """Return the game, and the places of the names."""
    from itertools import cycle

    from xtests.tsuro_wire import parse_tile_index

    players: list[tuple[str, Strategy]] = []
    deck: list[TileIndex] = []
    players_at = member(at, "players")
    for name, part, place in parse_members(value, at, ("players", "deck"), (), _GAME):
        if name == "players":
            parts = parse_array(part, place, _LENGTHS, _PLAYERS)
            players = [_parse_player(each, element(place, k)) for k, each in enumerate(parts)]
        else:
            indices = parse_array(part, place, None, _DECK)
            if not indices:
                raise unexpected(indices, place, _DECK)
            deck = [parse_tile_index(each, element(place, k)) for k, each in enumerate(indices)]
    names, strategies = zip(*players, strict=True)
    places = [member(element(players_at, k), "name") for k in range(len(players))]
    return GameInput(names, strategies, cycle(deck)), places


def _parse_player(value: Json, at: Pointer) -> tuple[str, Strategy]:
    own_name = ""
    strategy: Strategy = FIRST
    choice: InitialChoice | None = None
    members = parse_members(value, at, ("name", "strategy"), ("placement",), _PLAYER)
    for name, part, place in members:
        if name == "name":
            own_name = parse_name(part, place)
        elif name == "strategy":
            strategy = parse_strategy(part, place)
        else:
            choice = _parse_choice(part, place)
    return own_name, strategy if choice is None else _PlacedPlayer(strategy, choice)


def _parse_choice(value: Json, at: Pointer) -> InitialChoice:
    from engines.tsuro.rules import InitialChoice
    from xtests.tsuro_wire import parse_pattern, parse_port, parse_position

    parts = parse_array(value, at, (4,), "a placement [tile-pat, port, x, y]")
    pattern = parse_pattern(parts[0], element(at, 0))
    port = parse_port(parts[1], element(at, 1))
    return InitialChoice(pattern, parse_position(parts, at), port)


if __name__ == "__main__":
    main()
