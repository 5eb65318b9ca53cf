"""The referee: one game, its ranking and record, untrusted players, and observers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat

import pytest
from support.tsuro import STRAIGHT, pattern, square

from engines.tsuro import (
    FIRST,
    SECOND,
    THIRD,
    BoardPosition,
    ColorString,
    Game,
    GameObserver,
    InitialChoice,
    InitialRefusal,
    InitialTiles,
    Layout,
    Misconduct,
    Move,
    PortID,
    TileIndex,
    TilePattern,
    TurnRefusal,
    TurnTiles,
    endless_deck,
    play_game,
    replay,
)

Start = Callable[[Layout, ColorString, InitialTiles], object]
Take = Callable[[Layout, ColorString, TurnTiles], object]


class Scripted:
    """A player with functions in place of the second strategy's methods."""

    def __init__(self, start: Start | None = None, take: Take | None = None) -> None:
        self.start = start or SECOND.initial_placement
        self.take = take or SECOND.turn

    def initial_placement(
        self, layout: Layout, player: ColorString, given: InitialTiles
    ) -> InitialChoice:
        """Return anything."""
        return self.start(layout, player, given)  # type: ignore[return-value]  # what is tested

    def turn(self, layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        """Return anything."""
        return self.take(layout, player, given)  # type: ignore[return-value]  # what is tested


def _at(x: int, y: int, port: int) -> Start:
    """Return a start on this square and port with the third tile, unrotated."""

    def start(layout: Layout, player: ColorString, given: InitialTiles) -> InitialChoice:
        assert player not in layout.avatars
        return InitialChoice(pattern(given[2]), BoardPosition(x, y), PortID(port))

    return start


def _take_first(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
    assert player in layout.avatars
    return pattern(given[0])


def _raise(*_: object) -> object:
    raise RuntimeError("no idea")


def _answer(value: object) -> Callable[..., object]:
    return lambda *_: value


# White faces (2, 0), black goes right along the bottom, red up the right edge.
STARTS: tuple[Start, ...] = (_at(1, 0, 2), _at(0, 9, 2), _at(9, 9, 0))


def _play(*takes: Take, tiles: Sequence[int] = (), starts: Sequence[Start] = STARTS) -> Game:
    """Play with these turns, then first tiles; the deck has straight tiles after the given ones."""
    takes = takes + (_take_first,) * (3 - len(takes))
    players = [Scripted(start, take) for start, take in zip(starts, takes, strict=True)]
    return play_game(players, map(TileIndex, [*tiles, *[2] * 400]))


INITIAL_TILES = (2, 2, 2) * 3


def test_players_act_in_the_order_of_the_colours_with_tiles_in_the_order_of_the_deck() -> None:
    game = play_game([FIRST] * 3, endless_deck())
    assert game.players == ("white", "black", "red")
    assert [move.given for move in game.moves()] == [
        *[(0, 1, 2), (3, 4, 5), (6, 7, 8)],
        *[(9, 10), (11, 12), (13, 14), (15, 16), (17, 18), (19, 20), (21, 22)],
    ]
    assert [[turn.player for turn in turns] for turns in game.rounds] == [
        ["white", "black", "red"],
        ["white", "black"],
        ["white", "black"],
    ]
    assert (game.ranking, game.cheaters) == ((("white",),), ("red", "black"))


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
    after = list(replay(game))[3]
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
    "answer",
    [
        *(_answer(None), _answer((2, 0)), _answer(pattern(35)), _answer(pattern(2, 45))),
        *(_answer(pattern(True)), lambda *_: _Masked()),
    ],
)
def test_an_unreadable_answer_disqualifies_and_the_game_continues(
    answer: Callable[..., object],
) -> None:
    game = _play(answer)
    assert (game.rounds[0][0].offence, game.rounds[0][0].choice) == (TurnRefusal.NO_CHOICE, None)
    assert (game.ranking, game.cheaters) == ((("red",), ("black",)), ("white",))
    game = _play(starts=(answer, *STARTS[1:]))
    assert game.beginnings[0].offence is InitialRefusal.NO_CHOICE
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


def _change(layout: Layout, kind: str) -> None:
    tiles: dict[object, object] = layout.tiles  # type: ignore[assignment]  # what is tested
    avatars: dict[str, object] = layout.avatars  # type: ignore[assignment]  # what is tested
    changes: dict[str, Callable[[], object]] = {
        "rotated tile": lambda: tiles.update({1: layout.tiles[square(1, 0)].rotate()}),
        "added tile": lambda: tiles.update({55: STRAIGHT}),
        "added key": lambda: tiles.update({99: None}),
        "replaced tile": lambda: tiles.update({1: _Incomparable()}),
        "cleared": tiles.clear,
        "moved avatar": lambda: avatars.update({"black": (square(1, 0), PortID(2))}),
        "removed avatar": lambda: avatars.pop("black"),
    }
    changes[kind]()


@pytest.mark.parametrize(
    "kind",
    [
        *("rotated tile", "added tile", "added key", "replaced tile", "cleared"),
        *("moved avatar", "removed avatar"),
    ],
)
def test_changing_the_layout_disqualifies_and_does_not_affect_the_game(kind: str) -> None:
    def take(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        _change(layout, kind)
        return _take_first(layout, player, given)

    game, undisturbed = _play(take), _play(_raise)
    assert game.rounds[0][0].offence is Misconduct.CHANGED
    assert game.cheaters == ("white",)
    assert game.rounds[0][1:] == undisturbed.rounds[0][1:]
    assert game.rounds[1:] == undisturbed.rounds[1:]


def test_a_layout_that_cannot_be_compared_disqualifies() -> None:
    def take(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        # The lookup of (1, 0) meets another key with the same hash.
        del layout.tiles[square(1, 0)]  # type: ignore[attr-defined]  # what is tested
        layout.tiles[_Incomparable()] = None  # type: ignore[index]  # what is tested
        return _take_first(layout, player, given)

    game = _play(take)
    assert game.rounds[0][0].offence is Misconduct.RAISED
    assert game.ranking == (("red",), ("black",))


def test_changing_the_layout_after_the_turn_has_no_effect() -> None:
    kept: list[Layout] = []

    def take(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        for old in kept:
            _change(old, "cleared")
        kept.append(layout)
        return _take_first(layout, player, given)

    assert _play(take) == _play()


class _Recorder(GameObserver):
    """Records events, and clears the boards it gets."""

    def __init__(self) -> None:
        self.events: list[object] = []
        self.boards: list[Layout] = []

    def game_began(self, players: tuple[ColorString, ...]) -> None:
        self.events.append(players)

    def move_made(self, move: Move, layout: Layout) -> None:
        self.events.append(move)
        self.boards.append(Layout(dict(layout.tiles), dict(layout.avatars)))
        _change(layout, "cleared")

    def game_ended(self, game: Game) -> None:
        self.events.append(game)


class _Raising(GameObserver):
    """Raises on every event."""

    def game_began(self, players: tuple[ColorString, ...]) -> None:
        raise ValueError("began")

    def move_made(self, move: Move, layout: Layout) -> None:
        raise ValueError("moved")

    def game_ended(self, game: Game) -> None:
        raise ValueError("ended")


class _Idle(GameObserver):
    """Overrides nothing."""


def test_observers_get_all_events_and_cannot_disturb_the_game() -> None:
    one, other = _Recorder(), _Recorder()
    game = play_game([SECOND, THIRD, FIRST], endless_deck(), [one, _Raising(), _Idle(), other])
    assert game == play_game([SECOND, THIRD, FIRST], endless_deck())
    assert one.events == other.events == [("white", "black", "red"), *game.moves(), game]
    assert one.boards == other.boards == list(replay(game))
