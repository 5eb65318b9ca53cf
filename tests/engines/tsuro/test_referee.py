"""The referee: one game, its ranking and record, untrusted players, and observers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, repeat
from random import Random
from typing import Any, NamedTuple

import hypothesis
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from support.tsuro import STRAIGHT, exactly, pattern, square

from engines import tsuro
from engines.tsuro import (
    FIRST,
    SECOND,
    THIRD,
    ColorString,
    InitialTiles,
    Layout,
    Strategy,
    TileIndex,
    TilePattern,
    TurnTiles,
    play_game,
)

Start = Callable[[Layout, ColorString, InitialTiles], Any]
Take = Callable[[Layout, ColorString, TurnTiles], Any]


class Scripted(NamedTuple):
    """A player whose methods are any functions."""

    initial_placement: Start
    turn: Take


def _at(x: int, y: int, port: int) -> Start:
    """Return a start on this square and port with the third tile, unrotated."""

    def start(layout: Layout, player: ColorString, given: InitialTiles) -> tsuro.InitialChoice:
        assert player not in layout.avatars
        return tsuro.InitialChoice(pattern(given[2]), tsuro.BoardPosition(x, y), tsuro.PortID(port))

    return start


def _take_first(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
    assert player in layout.avatars
    return pattern(given[0])


def _raise(*_: object) -> object:
    raise RuntimeError("no idea")


# White faces (2, 0), black goes right along the bottom, red up the right edge.
STARTS: tuple[Start, ...] = (_at(1, 0, 2), _at(0, 9, 2), _at(9, 9, 0))


def _play(*takes: Take, tiles: Sequence[int] = (), starts: Sequence[Start] = STARTS) -> tsuro.Game:
    """Play with these turns, then first tiles; the deck has straight tiles after the given ones."""
    takes = takes + (_take_first,) * (3 - len(takes))
    players = [Scripted(start, take) for start, take in zip(starts, takes, strict=True)]
    return play_game(players, map(TileIndex, [*tiles, *[2] * 400]))


INITIAL_TILES = (2, 2, 2) * 3


@pytest.mark.parametrize(
    ("count", "deck", "message"),
    [
        (2, [], "a game needs three to five players, not 2"),
        (6, [], "a game needs three to five players, not 6"),
        (3, [0, 1, 2, 3], "the deck ran out: 3 tiles needed, 1 left"),
        (3, repeat(35), "a tile index must be an integer from 0 to 34, not 35"),
    ],
)
def test_invalid_players_and_decks_are_refused(
    count: int, deck: Iterator[int] | list[int], message: str
) -> None:
    with pytest.raises(ValueError) as caught:
        play_game([FIRST] * count, map(TileIndex, deck))
    assert str(caught.value) == message


def test_an_unavoidable_loop_places_no_tile_and_eliminates() -> None:
    game = _play(tiles=[2, 2, 34, *INITIAL_TILES[3:], 34, 34])
    turn = game.rounds[0][0]
    assert (turn.choice, turn.offence) == (pattern(34), None)
    assert (turn.looped, turn.left) == (("white",), ())
    after = list(tsuro.replay(game))[3]
    assert (set(after.avatars), len(after.tiles)) == ({"black", "red"}, 3)
    assert (game.ranking, game.cheaters) == ((("red",), ("black",), ("white",)), ())


def test_the_avatar_of_a_cheater_is_removed_at_once_and_its_tile_stays() -> None:
    seen: list[Layout] = []

    def look(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        seen.append(layout)
        return _take_first(layout, player, given)

    _play(_raise, look)
    assert (set(seen[0].avatars), len(seen[0].tiles)) == ({"black", "red"}, 3)


class _Masked:
    """Raises on any access, even to its class."""

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(name)


@pytest.mark.parametrize(
    "answer", [None, (2, 0), pattern(35), pattern(2, 45), pattern(True), _Masked]
)
def test_an_unreadable_answer_disqualifies_and_the_game_continues(answer: object) -> None:
    def choose(*_: object) -> object:
        return _Masked() if answer is _Masked else answer

    game = _play(choose)
    assert (game.rounds[0][0].offence, game.rounds[0][0].choice) == (
        tsuro.TurnRefusal.NO_CHOICE,
        None,
    )
    assert (game.ranking, game.cheaters) == ((("red",), ("black",)), ("white",))
    game = _play(starts=(choose, *STARTS[1:]))
    assert game.beginnings[0].offence is tsuro.InitialRefusal.NO_CHOICE
    assert game.beginnings[0].choice is None
    assert (game.ranking, game.cheaters) == ((("red",), ("black",)), ("white",))


def test_an_interrupt_propagates() -> None:
    def interrupt(*_: object) -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _play(interrupt)


class _Incomparable:
    """Raises on comparison, with the hash of square 1."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("do not compare me")

    def __hash__(self) -> int:
        return 1


CHANGES: dict[str, Callable[[Any], object]] = {
    "rotated tile": lambda layout: layout.tiles.update({1: layout.tiles[1].rotate()}),
    "added tile": lambda layout: layout.tiles.update({55: STRAIGHT}),
    "added key": lambda layout: layout.tiles.update({99: None}),
    "replaced tile": lambda layout: layout.tiles.update({1: _Incomparable()}),
    "cleared": lambda layout: layout.tiles.clear(),
    "moved avatar": lambda layout: layout.avatars.update({"black": (1, 2)}),
    "removed avatar": lambda layout: layout.avatars.pop("black"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_changing_the_layout_disqualifies_and_does_not_affect_the_game(
    change: Callable[[Layout], object],
) -> None:
    def take(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        change(layout)
        return _take_first(layout, player, given)

    game, undisturbed = _play(take), _play(_raise)
    assert game.rounds[0][0].offence is tsuro.Misconduct.CHANGED
    assert game.cheaters == ("white",)
    assert game.rounds[0][1:] == undisturbed.rounds[0][1:]
    assert game.rounds[1:] == undisturbed.rounds[1:]


def test_a_layout_that_cannot_be_compared_disqualifies() -> None:
    def take(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        # The lookup of (1, 0) meets another key with the same hash.
        tiles: Any = layout.tiles
        del tiles[square(1, 0)]
        tiles[_Incomparable()] = None
        return _take_first(layout, player, given)

    game = _play(take)
    assert game.rounds[0][0].offence is tsuro.Misconduct.RAISED
    assert game.ranking == (("red",), ("black",))


def test_changing_the_layout_after_the_turn_has_no_effect() -> None:
    kept: list[Layout] = []

    def take(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        for old in kept:
            CHANGES["cleared"](old)
        kept.append(layout)
        return _take_first(layout, player, given)

    assert _play(take) == _play()


class _Observer(tsuro.GameObserver):
    """Passes what it gets on to a function, and clears the boards."""

    def __init__(self, notice: Callable[[object], object]) -> None:
        self._notice = notice

    def game_began(self, players: tuple[ColorString, ...]) -> None:
        self._notice(players)

    def move_made(self, move: tsuro.Move, layout: Layout) -> None:
        self._notice((move, Layout(dict(layout.tiles), dict(layout.avatars))))
        CHANGES["cleared"](layout)

    def game_ended(self, game: tsuro.Game) -> None:
        self._notice(game)


class _Idle(tsuro.GameObserver):
    """Overrides nothing."""


def test_observers_get_all_events_and_cannot_disturb_the_game() -> None:
    one, other = list[object](), list[object]()
    observers = [_Observer(one.append), _Observer(_raise), _Idle(), _Observer(other.append)]
    game = play_game([SECOND, THIRD, FIRST], tsuro.endless_deck(), observers)
    assert game == play_game([SECOND, THIRD, FIRST], tsuro.endless_deck())
    moves = zip(game.moves(), tsuro.replay(game), strict=True)
    assert one == other == [("white", "black", "red"), *moves, game]


# Random games.


class _Erratic:
    """The second strategy, but in one turn of `one_in` it raises, answers nonsense or cheats."""

    def __init__(self, seed: int, one_in: int) -> None:
        self._random = Random(seed)
        self._one_in = one_in

    def initial_placement(
        self, layout: Layout, player: ColorString, given: InitialTiles
    ) -> tsuro.InitialChoice:
        self._err(layout)
        return SECOND.initial_placement(layout, player, given)

    def turn(self, layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        self._err(layout)
        chosen = SECOND.turn(layout, player, given)
        return chosen if self._random.randrange(self._one_in) else chosen[:1]  # type: ignore[return-value]  # nonsense

    def _err(self, layout: Layout) -> None:
        if self._random.randrange(self._one_in) == 0:
            raise RuntimeError("erratic")
        if self._random.randrange(self._one_in) == 0 and layout.tiles:
            layout.tiles.clear()  # type: ignore[attr-defined]  # what must not be done


_HONEST: st.SearchStrategy[Strategy] = st.sampled_from([FIRST, SECOND, THIRD, THIRD])
_ERRATIC: st.SearchStrategy[Strategy] = st.builds(_Erratic, st.integers(0, 99), st.integers(2, 30))


def _deck(seed: int) -> Iterator[TileIndex]:
    # Some decks have few kinds of tiles, so that loops and suicides are frequent.
    random = Random(seed)
    kinds = random.choice([range(35), [2, 34], [34, 4, 2], [34]])
    while True:
        yield TileIndex(random.choice(kinds))


@hypothesis.given(st.lists(_HONEST | _ERRATIC, min_size=3, max_size=5), st.integers(0, 999))
@settings(max_examples=60)
def test_the_record_of_a_game_is_consistent(players: list[Strategy], seed: int) -> None:
    events = list[Any]()
    game = play_game(players, _deck(seed), [_Observer(events.append)])
    replayed = list(tsuro.replay(game))
    assert [*map(exactly, replayed)] == [exactly(layout) for _, layout in events[1:-1]]
    assert exactly(tsuro.state_of(replayed[-1])) == exactly(replayed[-1])
    ranked = [player for rank in game.ranking for player in rank]
    assert sorted([*ranked, *game.cheaters]) == sorted(tsuro.COLORS[: len(players)])
    assert all(game.ranking)
    survivors = set(replayed[-1].avatars)
    assert not survivors or set(game.ranking[0]) == survivors
    dealt = [index for move in game.moves() for index in move.given]
    assert dealt == list(islice(_deck(seed), len(dealt)))
