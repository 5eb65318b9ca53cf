"""One game of Tsuro, from its players and a deck to the record of it.

Pure, but for what players and observers do themselves. Nobody is trusted: what a player raises,
answers or changes is judged, and the game goes on. Source: "A game" in docs/xref.md.
"""

from __future__ import annotations

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
    layout_of_others,
    layout_of_turn,
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
from engines.tsuro.tiles import TILES, TileIndex, TilePattern, tile_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from engines.tsuro.strategies import Player

__all__ = ["FEWEST_PLAYERS", "MOST_PLAYERS", "GameObserver", "endless_deck", "play_game"]

K = TypeVar("K")

FEWEST_PLAYERS: Final = 3
MOST_PLAYERS: Final = len(COLORS)


class GameObserver(Protocol):
    """Whoever wants to watch a game: inherit from it and override what matters, or just have these
    methods. Whatever Exception they raise is silenced."""

    def game_began(self, players: tuple[ColorString, ...]) -> None:
        """These play, in this order; the board is empty."""
        return  # a body, however small, makes overriding optional

    def move_made(self, move: Move, layout: Layout) -> None:
        """A player has begun, taken a turn, or cheated. `layout` is the board after it: a copy, the
        observer's own."""
        return  # likewise

    def game_ended(self, game: Game) -> None:
        """The game is over, and this is all of it."""
        return  # likewise


def endless_deck() -> Iterator[TileIndex]:
    """The deck that every game of the programs begins anew: 0, 1, ... 34, 0, 1, ..."""
    return cycle(map(TileIndex, range(len(TILES))))


def play_game(
    players: Sequence[Player], deck: Iterable[TileIndex], observers: Sequence[GameObserver] = ()
) -> Game:
    """The game of three to five players, oldest first, with tiles from this deck.

    A player is a cheater, and its avatar is gone at once, when it raises an Exception, answers what
    is not legal or cannot be read, or changes what it was given. Raises ValueError for another
    number of players, and where the deck ends too soon or has what is no index of a tile.
    """
    if not FEWEST_PLAYERS <= len(players) <= MOST_PLAYERS:
        raise ValueError(f"three to five play a game, not {len(players)}")
    seats = dict(zip(COLORS, players))
    table = _Table(seats, deck, observers)
    table.tell(lambda observer: observer.game_began(tuple(seats)))
    beginnings = tuple(table.begin(color) for color in seats)
    # This ends: a turn places a tile on one of a hundred squares, or takes an avatar off the board,
    # and a round with two avatars has a turn.
    rounds: list[tuple[Turn, ...]] = []
    while len(table.layout.avatars) > 1:
        rounds.append(tuple(_round(table)))
    game = _game(tuple(seats), beginnings, tuple(rounds), table.layout.avatars)
    table.tell(lambda observer: observer.game_ended(game))
    return game


class _Table:
    """A game as it is played: the board, the deck, who plays and who watches."""

    __slots__ = ("_deck", "_observers", "_seats", "layout")

    layout: Layout

    def __init__(
        self,
        seats: Mapping[ColorString, Player],
        deck: Iterable[TileIndex],
        observers: Sequence[GameObserver],
    ) -> None:
        self.layout = Layout({}, {})
        self._seats = seats
        self._deck = iter(deck)
        self._observers = observers

    def begin(self, color: ColorString) -> Beginning:
        """Let a player begin, or be caught."""
        first, second, third = self._dealt(3)
        given = first, second, third
        player = self._seats[color]
        answer, offence = self._asked(lambda layout: player.initial_placement(layout, color, given))
        move = Beginning(color, given, None, offence)
        if offence is None:
            move = self._begun(color, given, answer)
        self._tell_of(move)
        return move

    def take_turn(self, color: ColorString) -> Turn:
        """Let a player take its turn, or be caught."""
        first, second = self._dealt(2)
        given = first, second
        player = self._seats[color]
        answer, offence = self._asked(lambda layout: player.turn(layout, color, given))
        move = Turn(color, given, None, offence)
        if offence is None:
            move = self._turn_taken(color, given, answer)
        if move.offence is not None:
            self.layout = layout_of_others(self.layout, (color,))
        self._tell_of(move)
        return move

    def tell(self, event: Callable[[GameObserver], None]) -> None:
        """Let every observer know."""
        for observer in self._observers:
            try:
                event(observer)
            # Whatever an observer raises, the game goes on.
            except Exception:  # pylint: disable=broad-exception-caught
                pass

    def _tell_of(self, move: Move) -> None:
        self.tell(lambda observer: observer.move_made(move, _copy(self.layout)))

    def _dealt(self, count: int) -> list[TileIndex]:
        tiles = [tile_index(index) for index in islice(self._deck, count)]
        if len(tiles) < count:
            raise ValueError(f"the deck ended: {count} tiles to be dealt, {len(tiles)} left")
        return tiles

    def _asked(self, ask: Callable[[Layout], object]) -> tuple[object, Misconduct | None]:
        """What a player answers, whatever that is, and what it has done meanwhile."""
        seen = _copy(self.layout)
        try:
            answer = ask(seen)
            return answer, None if _is_as_it_was(seen, self.layout) else Misconduct.CHANGED
        # Whatever a player raises, the game goes on. To look at what it has put into the board
        # can raise as well.
        except Exception:  # pylint: disable=broad-exception-caught
            return None, Misconduct.RAISED

    def _begun(self, color: ColorString, given: InitialTiles, answer: object) -> Beginning:
        refusal = initial_refusal(self.layout, color, given, answer)
        # The rules look at anything without harm; only what they could read is touched here.
        if refusal is InitialRefusal.NO_CHOICE or not isinstance(answer, InitialChoice):
            return Beginning(color, given, None, refusal)
        if refusal is None:
            self.layout = layout_with(self.layout, color, answer)
        return Beginning(color, given, answer, refusal)

    def _turn_taken(self, color: ColorString, given: TurnTiles, answer: object) -> Turn:
        outcome = turn_outcome(self.layout, color, given, answer)
        if outcome is TurnRefusal.NO_CHOICE or not isinstance(answer, TilePattern):
            return Turn(color, given, None, TurnRefusal.NO_CHOICE)
        if isinstance(outcome, TurnRefusal):
            return Turn(color, given, answer, outcome)
        self.layout = layout_of_turn(self.layout, outcome)
        looped = with_fate(outcome.ends, Fate.LOOPS)
        left = () if looped else with_fate(outcome.ends, Fate.LEAVES)
        return Turn(color, given, answer, None, looped, left)


def _round(table: _Table) -> Iterator[Turn]:
    # Who has fallen when its turn comes is dealt nothing.
    for color in COLORS:
        if color in table.layout.avatars:
            yield table.take_turn(color)


def _game(
    players: tuple[ColorString, ...],
    beginnings: tuple[Beginning, ...],
    rounds: tuple[tuple[Turn, ...], ...],
    survivors: Iterable[ColorString],
) -> Game:
    fallen = [{player for turn in turns for player in turn.looped + turn.left} for turns in rounds]
    ranks = [rank for rank in (set(survivors), *reversed(fallen)) if rank]
    ranking = tuple(tuple(player for player in players if player in rank) for rank in ranks)
    game = Game(players, beginnings, rounds, ranking, ())
    cheaters = tuple(move.player for move in game.moves() if move.offence is not None)
    return game._replace(cheaters=cheaters)


def _copy(layout: Layout) -> Layout:
    # Tiles, spots and colours cannot be changed: the two mappings are all that there is to copy.
    return Layout(dict(layout.tiles), dict(layout.avatars))


def _is_as_it_was(seen: Layout, layout: Layout) -> bool:
    return _are_the_same(seen.tiles, layout.tiles) and _are_the_same(seen.avatars, layout.avatars)


def _are_the_same(seen: Mapping[K, object], mine: Mapping[K, object]) -> bool:
    # Not by ==, which is blind to how a tile is turned.
    return len(seen) == len(mine) and all(seen.get(key) is mine[key] for key in mine)
