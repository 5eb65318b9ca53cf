"""Play one game of Tsuro with given players and a deck, and record it.

Players are untrusted: exceptions, illegal answers and modified arguments disqualify a player, and
the game continues. Source: "A game" in docs/games/tsuro-games.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import cycle, islice
from typing import Final, Protocol, TypeVar

from engines.tsuro.colors import COLORS, ColorString
from engines.tsuro.movement import Fate, Layout, with_fate
from engines.tsuro.record import (
    Beginning,
    Game,
    Misconduct,
    Move,
    Turn,
    layout_after_turn,
    layout_without,
)
from engines.tsuro.rules import (
    InitialChoice,
    InitialRefusal,
    InitialTiles,
    TurnRefusal,
    TurnTiles,
    initial_refusal,
    layout_with,
    turn_outcome,
)
from engines.tsuro.strategies import Strategy
from engines.tsuro.tiles import TILES, TileIndex, TilePattern, tile_index

__all__ = ["FEWEST_PLAYERS", "MOST_PLAYERS", "GameObserver", "endless_deck", "play_game"]

K = TypeVar("K")

FEWEST_PLAYERS: Final = 3
MOST_PLAYERS: Final = len(COLORS)


class GameObserver(Protocol):
    """An observer of a game. Inherit from it and override methods, or implement all of them.

    Exceptions raised by an observer are ignored.
    """

    def game_began(self, players: tuple[ColorString, ...]) -> None:
        """Handle the start of a game by these players, in order of play; the board is empty."""
        return  # a body makes overriding optional

    def move_made(self, move: Move, layout: Layout) -> None:
        """Handle a move or a disqualification. `layout` is the observer's own copy of the board
        after it."""
        return  # as above

    def game_ended(self, game: Game) -> None:
        """Handle the end of a game; `game` is the complete record."""
        return  # as above


def endless_deck() -> Iterator[TileIndex]:
    """Return the deck of every game of the programs: 0, 1, ..., 34, 0, 1, ..."""
    return cycle(map(TileIndex, range(len(TILES))))


def play_game(
    players: Sequence[Strategy], deck: Iterable[TileIndex], observers: Sequence[GameObserver] = ()
) -> Game:
    """Return the record of a game of three to five players, oldest first, with tiles from this
    deck.

    A player is disqualified, and its avatar removed at once, if it raises an Exception, gives an
    illegal or unreadable answer, or modifies its arguments. Raises ValueError for another number of
    players, and if the deck runs out or yields a number that is not a tile index.
    """
    if not FEWEST_PLAYERS <= len(players) <= MOST_PLAYERS:
        raise ValueError(f"a game needs three to five players, not {len(players)}")
    strategies = dict(zip(COLORS, players))
    game_state = _GameInProgress(strategies, deck, observers)
    game_state.notify(lambda observer: observer.game_began(tuple(strategies)))
    beginnings = tuple(game_state.begin(color) for color in strategies)
    # Terminates: each turn places a tile on one of a hundred squares or removes an avatar, and each
    # round has a turn.
    rounds: list[tuple[Turn, ...]] = []
    while len(game_state.layout.avatars) > 1:
        rounds.append(tuple(_play_round(game_state)))
    game = _make_record(tuple(strategies), beginnings, tuple(rounds), game_state.layout.avatars)
    game_state.notify(lambda observer: observer.game_ended(game))
    return game


class _GameInProgress:
    """The mutable state of a game: board, deck, players and observers."""

    __slots__ = ("_deck", "_observers", "_strategies", "layout")

    layout: Layout

    def __init__(
        self,
        strategies: Mapping[ColorString, Strategy],
        deck: Iterable[TileIndex],
        observers: Sequence[GameObserver],
    ) -> None:
        self.layout = Layout({}, {})
        self._strategies = strategies
        self._deck = iter(deck)
        self._observers = observers

    def begin(self, color: ColorString) -> Beginning:
        """Ask a player for its initial placement, apply or refuse it, and return the record."""
        first, second, third = self._deal(3)
        given = first, second, third
        player = self._strategies[color]
        answer, offence = self._ask(lambda layout: player.initial_placement(layout, color, given))
        move = Beginning(color, given, None, offence)
        if offence is None:
            move = self._judge_placement(color, given, answer)
        self._notify_move(move)
        return move

    def take_turn(self, color: ColorString) -> Turn:
        """Ask a player for a turn, apply or refuse it, and return the record."""
        first, second = self._deal(2)
        given = first, second
        player = self._strategies[color]
        answer, offence = self._ask(lambda layout: player.turn(layout, color, given))
        move = Turn(color, given, None, offence)
        if offence is None:
            move = self._judge_turn(color, given, answer)
        if move.offence is not None:
            self.layout = layout_without(self.layout, (color,))
        self._notify_move(move)
        return move

    def notify(self, event: Callable[[GameObserver], None]) -> None:
        """Call every observer."""
        for observer in self._observers:
            try:
                event(observer)
            # Observers cannot disturb the game.
            except Exception:  # pylint: disable=broad-exception-caught
                pass

    def _notify_move(self, move: Move) -> None:
        self.notify(lambda observer: observer.move_made(move, _copy_layout(self.layout)))

    def _deal(self, count: int) -> list[TileIndex]:
        tiles = [tile_index(index) for index in islice(self._deck, count)]
        if len(tiles) < count:
            raise ValueError(f"the deck ran out: {count} tiles needed, {len(tiles)} left")
        return tiles

    def _ask(self, ask: Callable[[Layout], object]) -> tuple[object, Misconduct | None]:
        """Return a player's answer, unchecked, and its misconduct, if any."""
        seen = _copy_layout(self.layout)
        try:
            answer = ask(seen)
            return answer, None if _is_unchanged(seen, self.layout) else Misconduct.CHANGED
        # Players cannot stop the game. Comparing what they put into the layout can raise, too.
        except Exception:  # pylint: disable=broad-exception-caught
            return None, Misconduct.RAISED

    def _judge_placement(
        self, color: ColorString, given: InitialTiles, answer: object
    ) -> Beginning:
        refusal = initial_refusal(self.layout, color, given, answer)
        # Only an answer that the rules could read is safe to touch.
        if refusal is InitialRefusal.NO_CHOICE or not isinstance(answer, InitialChoice):
            return Beginning(color, given, None, refusal)
        if refusal is None:
            self.layout = layout_with(self.layout, color, answer)
        return Beginning(color, given, answer, refusal)

    def _judge_turn(self, color: ColorString, given: TurnTiles, answer: object) -> Turn:
        outcome = turn_outcome(self.layout, color, given, answer)
        if outcome is TurnRefusal.NO_CHOICE or not isinstance(answer, TilePattern):
            return Turn(color, given, None, TurnRefusal.NO_CHOICE)
        if isinstance(outcome, TurnRefusal):
            return Turn(color, given, answer, outcome)
        self.layout = layout_after_turn(self.layout, outcome)
        looped = with_fate(outcome.ends, Fate.LOOPS)
        left = () if looped else with_fate(outcome.ends, Fate.LEAVES)
        return Turn(color, given, answer, None, looped, left)


def _play_round(game_state: _GameInProgress) -> Iterator[Turn]:
    # Players eliminated before their turn are dealt no tiles.
    for color in COLORS:
        if color in game_state.layout.avatars:
            yield game_state.take_turn(color)


def _make_record(
    players: tuple[ColorString, ...],
    beginnings: tuple[Beginning, ...],
    rounds: tuple[tuple[Turn, ...], ...],
    survivors: Iterable[ColorString],
) -> Game:
    eliminated = [
        {player for turn in turns for player in turn.looped + turn.left} for turns in rounds
    ]
    ranks = [rank for rank in (set(survivors), *reversed(eliminated)) if rank]
    ranking = tuple(tuple(player for player in players if player in rank) for rank in ranks)
    game = Game(players, beginnings, rounds, ranking, ())
    cheaters = tuple(move.player for move in game.moves() if move.offence is not None)
    return game._replace(cheaters=cheaters)


def _copy_layout(layout: Layout) -> Layout:
    # Tiles, spots and colours are immutable, so copying the two mappings suffices.
    return Layout(dict(layout.tiles), dict(layout.avatars))


def _is_unchanged(seen: Layout, layout: Layout) -> bool:
    return _same_entries(seen.tiles, layout.tiles) and _same_entries(seen.avatars, layout.avatars)


def _same_entries(seen: Mapping[K, object], mine: Mapping[K, object]) -> bool:
    # By identity, as equality of tiles ignores rotation.
    return len(seen) == len(mine) and all(seen.get(key) is mine[key] for key in mine)
