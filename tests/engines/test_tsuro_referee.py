"""The referee: one game, its record, its ranking, and players that cannot be trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice, repeat

import pytest

from engines.tsuro import (
    COLORS,
    FIRST,
    SECOND,
    THIRD,
    BoardPosition,
    ColorString,
    Degrees,
    Game,
    GameObserver,
    InitialChoice,
    InitialRefusal,
    InitialTiles,
    Layout,
    Misconduct,
    Move,
    Player,
    PortID,
    Tile,
    TileIndex,
    TilePattern,
    TurnRefusal,
    TurnTiles,
    endless_deck,
    play_game,
    replay,
    square_of,
    tile_pattern,
)

Begin = Callable[[Layout, ColorString, InitialTiles], object]
Take = Callable[[Layout, ColorString, TurnTiles], object]


class Scripted:
    """A player that does what a test says, and else what the second strategy does."""

    def __init__(self, begin: Begin | None = None, take: Take | None = None) -> None:
        self.begin = begin or SECOND.initial_placement
        self.take = take or SECOND.turn

    def initial_placement(
        self, layout: Layout, player: ColorString, given: InitialTiles
    ) -> InitialChoice:
        """Whatever it says, though the types promise better."""
        return self.begin(layout, player, given)  # type: ignore[return-value]  # to be judged

    def turn(self, layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        """Likewise."""
        return self.take(layout, player, given)  # type: ignore[return-value]  # to be judged


def _at(x: int, y: int, port: int) -> Begin:
    """Begins on this square and port with the third tile, not turned."""

    def begin(layout: Layout, player: ColorString, given: InitialTiles) -> InitialChoice:
        assert player not in layout.avatars
        return InitialChoice(_pattern(given[2]), BoardPosition(x, y), PortID(port))

    return begin


def _taking(*turns: tuple[int, int]) -> Take:
    """Takes the first or second tile at these degrees, turn after turn."""
    script: Iterator[tuple[int, int]] = iter(turns)

    def take(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        assert player in layout.avatars
        number, turn = next(script)
        return _pattern(given[number], turn)

    return take


def _pattern(index: int, turn: int = 0) -> TilePattern:
    return TilePattern(TileIndex(index), Degrees(turn))


def _deck(*indices: int) -> list[TileIndex]:
    return [TileIndex(index) for index in indices]


def _raise(*_: object) -> object:
    raise RuntimeError("no idea")


# How a game goes.


def test_players_begin_and_act_in_the_order_of_the_colours_with_tiles_of_the_deck() -> None:
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


@pytest.mark.parametrize(
    ("count", "ranking", "cheaters"),
    [
        (3, [["white"]], ["red", "black"]),
        (4, [["black"]], ["green", "red", "white"]),
        (5, [["white"]], ["blue", "black", "red", "green"]),
    ],
)
def test_the_games_of_the_first_strategy_end_with_one_left_and_all_others_caught(
    count: int, ranking: list[list[str]], cheaters: list[str]
) -> None:
    game = play_game([FIRST] * count, endless_deck())
    assert [list(rank) for rank in game.ranking] == ranking
    assert sorted(game.cheaters) == sorted(cheaters)


def test_cheaters_stand_in_the_order_in_which_they_were_caught() -> None:
    assert play_game([FIRST] * 3, endless_deck()).cheaters == ("red", "black")


def test_the_deck_begins_anew_after_its_last_tile() -> None:
    assert list(islice(endless_deck(), 33, 38)) == [33, 34, 0, 1, 2]


@pytest.mark.parametrize("count", [0, 1, 2, 6])
def test_another_number_of_players_is_refused(count: int) -> None:
    with pytest.raises(ValueError) as caught:
        play_game([FIRST] * count, endless_deck())
    assert str(caught.value) == f"three to five play a game, not {count}"


def test_a_deck_that_ends_is_refused() -> None:
    with pytest.raises(ValueError) as caught:
        play_game([FIRST] * 3, _deck(0, 1, 2, 3))
    assert str(caught.value) == "the deck ended: 3 tiles to be dealt, 1 left"


def test_a_deck_with_what_is_no_tile_is_refused() -> None:
    with pytest.raises(ValueError) as caught:
        play_game([FIRST] * 3, repeat(TileIndex(35)))
    assert str(caught.value) == "a tile's index is a whole number from 0 to 34, not 35"


# Three that begin far from each other and take the first of their tiles as it is: white faces
# (2, 0), black goes to the right along the bottom, red up the right edge.
FAR: tuple[Begin, ...] = (_at(1, 0, 2), _at(0, 9, 2), _at(9, 9, 0))


def _far(*takes: Take) -> list[Player]:
    return [Scripted(begin, take) for begin, take in zip(FAR, takes, strict=True)]


def _first(_: Layout, __: ColorString, given: TurnTiles) -> TilePattern:
    return _pattern(given[0])


def _straight(*indices: int) -> list[TileIndex]:
    """These tiles, and then straight ones (2 is AF BE CH DG)."""
    return _deck(*indices, *[2] * 400)


STARTS = (2, 2, 2) * 3


def test_all_who_fall_in_one_round_share_a_rank_by_whatever_turn() -> None:
    # On straight tiles white leaves by the right edge in round 8, then black, over red's tile in
    # the corner; then red by the top, over white's.
    game = play_game(_far(_first, _first, _first), _straight(*STARTS))
    assert len(game.rounds) == 8
    assert [(turn.player, turn.left) for turn in game.rounds[7]] == [
        ("white", ("white",)),
        ("black", ("black",)),
        ("red", ("red",)),
    ]
    assert game.ranking == (("white", "black", "red"),)
    assert game.cheaters == ()


def test_a_suicide_is_legal_where_there_is_nothing_else_and_cheating_where_there_is() -> None:
    game = play_game(_far(_first, _first, _first), _straight(*STARTS, *[2, 2] * 3 * 7, 2, 34))
    last = game.rounds[7][0]
    assert (last.player, last.given, last.offence) == ("white", (2, 34), TurnRefusal.SUICIDE)
    assert last.left == ()
    assert game.ranking == (("red",), ("black",))
    assert game.cheaters == ("white",)


def test_where_all_eight_options_loop_no_tile_is_placed_and_who_loops_is_out() -> None:
    # 34 is AB CD EF GH: it leads white back to its own 34, and round and round.
    deck = _straight(2, 2, 34, *STARTS[3:], 34, 34)
    game = play_game(_far(_first, _first, _first), deck)
    turn = game.rounds[0][0]
    assert (turn.choice, turn.offence) == (_pattern(34), None)
    assert (turn.looped, turn.left) == (("white",), ())
    after = list(replay(game))[3]
    assert "white" not in after.avatars
    assert len(after.tiles) == 3  # those of the initial round
    assert game.cheaters == ()
    assert game.ranking == (("red",), ("black",), ("white",))


def test_everybody_who_loops_is_out_and_whoever_acts_may_stay() -> None:
    # White faces (2, 0) from the left, black from below: any 34 leads each of them back. Black
    # stands on 34 as well, so that it loops; white stands on 2 and would leave by the left.
    players = [
        Scripted(_at(1, 0, 2), _first),
        Scripted(_at(3, 0, 7), _first),
        *_far(*[_first] * 3)[1:2],
    ]
    deck = _straight(2, 2, 2, 2, 2, 34, 2, 2, 2, 34, 34)
    game = play_game(players, deck)
    turn = game.rounds[0][0]
    assert turn.player == "white"
    assert (turn.offence, turn.looped, turn.left) == (None, ("black",), ())
    after = list(replay(game))[3]
    assert set(after.avatars) == {"white", "red"}
    assert len(after.tiles) == 3


def test_a_loop_is_cheating_where_some_option_does_not_loop() -> None:
    deck = _straight(2, 2, 34, *STARTS[3:], 34, 2)
    game = play_game(_far(_first, _first, _first), deck)
    turn = game.rounds[0][0]
    assert (turn.offence, turn.looped) == (TurnRefusal.LOOPS, ())
    assert game.cheaters == ("white",)


def test_the_last_one_takes_its_turn_though_all_others_fell_in_the_round() -> None:
    game = play_game(_far(_raise, _raise, _first), _straight(*STARTS))
    assert [turn.player for turn in game.rounds[0]] == ["white", "black", "red"]
    assert len(game.rounds) == 1
    assert game.ranking == (("red",),)


def test_the_last_one_can_fall_in_the_round_in_which_all_others_did() -> None:
    game = play_game(_far(_raise, _raise, _raise), _straight(*STARTS))
    assert game.ranking == ()
    assert game.cheaters == ("white", "black", "red")


def test_where_all_cheat_at_once_no_round_is_played() -> None:
    game = play_game([Scripted(begin=_raise)] * 4, _straight())
    assert (game.rounds, game.ranking) == ((), ())
    assert game.cheaters == ("white", "black", "red", "green")


def test_whoever_alone_began_as_it_should_has_won() -> None:
    game = play_game([Scripted(begin=_raise), SECOND, Scripted(begin=_raise)], _straight())
    assert (game.rounds, game.ranking) == ((), (("black",),))
    assert game.cheaters == ("white", "red")


def test_the_avatar_of_a_cheater_is_gone_before_the_next_player_acts_and_its_tile_is_not() -> None:
    seen: list[Layout] = []

    def look(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        seen.append(layout)
        return _first(layout, player, given)

    game = play_game(_far(_raise, look, _first), _straight(*STARTS))
    assert set(seen[0].avatars) == {"black", "red"}
    assert len(seen[0].tiles) == 3
    assert game.cheaters == ("white",)


def test_who_falls_before_its_turn_is_dealt_no_tiles() -> None:
    # White's tile leads black, who faces the same square, off the board.
    deck = _straight(2, 2, 2, 2, 2, 2, 2, 2, 2, 22, 22, 7, 8, 9, 10)
    players = [
        Scripted(_at(1, 0, 2), _first),
        Scripted(_at(3, 0, 7), _first),
        *_far(*[_first] * 3)[1:2],
    ]
    game = play_game(players, deck)
    falls = [(move.player, move.looped + move.left) for move in game.rounds[0]]
    dealt = [index for move in game.moves() for index in move.given]
    assert dealt == list(islice(deck, len(dealt)))
    assert falls


# Players that cannot be trusted.


class _Sub(TilePattern):
    """Looks like an answer."""


class _Number(int):
    """Answers otherwise each time."""

    def __le__(self, other: object) -> bool:
        raise RuntimeError("compared")


def _without_coordinates() -> BoardPosition:
    return object.__new__(BoardPosition)


NONSENSE: tuple[object, ...] = (
    *(None, 7, "first", (2, 0), [2, 0], True, {}, TilePattern, Misconduct),
    *(_pattern(35), _pattern(-1), _pattern(2, 45), _pattern(2, 360), _pattern(2, -90)),
    TilePattern(True, False),  # type: ignore[arg-type]  # what no checker would let pass
    TilePattern(2.0, 0.0),  # type: ignore[arg-type]  # likewise
    TilePattern(_Number(2), _Number(0)),  # type: ignore[arg-type]  # likewise
    TilePattern(None, None),  # type: ignore[arg-type]  # likewise
    _Sub(TileIndex(2), Degrees(0)),
    tile_pattern(2, 0),
    InitialChoice(_pattern(2), BoardPosition(1, 0), PortID(2)),
)


@pytest.mark.parametrize("answer", NONSENSE, ids=repr)
def test_a_turn_that_cannot_be_read_makes_a_cheater_and_the_game_goes_on(answer: object) -> None:
    game = play_game(_far(lambda *_: answer, _first, _first), _straight(*STARTS))
    assert game.rounds[0][0].offence is TurnRefusal.NO_CHOICE
    assert game.cheaters == ("white",)
    assert game.ranking == (("red",), ("black",))


@pytest.mark.parametrize(
    "answer",
    [
        *NONSENSE[:-1],
        InitialChoice(_pattern(2), (1, 0), PortID(2)),  # type: ignore[arg-type]  # nonsense
        InitialChoice(_pattern(2), BoardPosition(1, 0), True),  # type: ignore[arg-type]  # likewise
        InitialChoice(_pattern(2), BoardPosition(1, 0), _Number(2)),  # type: ignore[arg-type]  # .
        InitialChoice(_pattern(2), BoardPosition(1, 0), PortID(8)),
        InitialChoice((2, 0), BoardPosition(1, 0), PortID(2)),  # type: ignore[arg-type]  # likewise
    ],
    ids=repr,
)
def test_a_beginning_that_cannot_be_read_makes_a_cheater(answer: object) -> None:
    players = [Scripted(begin=lambda *_: answer), *_far(_first, _first, _first)[1:]]
    game = play_game(players, _straight(*STARTS))
    assert game.beginnings[0].offence is InitialRefusal.NO_CHOICE
    assert game.ranking == (("red",), ("black",))
    assert game.cheaters == ("white",)


def test_an_answer_of_too_many_parts_or_without_its_own_makes_a_cheater() -> None:
    long: TilePattern = tuple.__new__(TilePattern, (2, 0, 0))
    game = play_game(_far(lambda *_: long, _first, _first), _straight(*STARTS))
    assert game.rounds[0][0].offence is TurnRefusal.NO_CHOICE
    hollow = InitialChoice(_pattern(2), _without_coordinates(), PortID(2))
    players = [Scripted(begin=lambda *_: hollow), *_far(_first, _first, _first)[1:]]
    game = play_game(players, _straight(*STARTS))
    assert game.beginnings[0].offence is InitialRefusal.NO_CHOICE


class _Masked:
    """Answers no question about itself, not even which class it is of."""

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError("guess")


def test_what_an_answer_says_of_itself_is_not_asked() -> None:
    game = play_game(_far(lambda *_: _Masked(), _first, _first), _straight(*STARTS))
    assert game.rounds[0][0].offence is TurnRefusal.NO_CHOICE
    players = [Scripted(begin=lambda *_: _Masked()), *_far(_first, _first, _first)[1:]]
    assert play_game(players, _straight(*STARTS)).cheaters == ("white",)


@pytest.mark.parametrize(
    ("begin", "why"),
    [
        (_at(4, 4, 0), InitialRefusal.NOT_ON_EDGE),
        (_at(2, 0, 2), InitialRefusal.NOT_FREE),
        (_at(5, 0, 0), InitialRefusal.FACES_OFF),
        (
            lambda *_: InitialChoice(_pattern(5), BoardPosition(5, 0), PortID(2)),
            InitialRefusal.NOT_GIVEN,
        ),
    ],
)
def test_a_beginning_against_the_rules_makes_a_cheater_whose_tile_is_not_placed(
    begin: Begin, why: InitialRefusal
) -> None:
    players = [
        *_far(_first, _first, _first)[:1],
        Scripted(begin),
        *_far(_first, _first, _first)[2:],
    ]
    game = play_game(players, _straight(*STARTS))
    assert game.beginnings[1].offence is why
    assert game.beginnings[1].choice is not None
    assert [len(layout.tiles) for layout in replay(game)][:3] == [1, 1, 2]
    assert game.cheaters == ("black",)


def test_a_tile_that_was_not_given_makes_a_cheater() -> None:
    game = play_game(_far(lambda *_: _pattern(3), _first, _first), _straight(*STARTS))
    assert game.rounds[0][0].offence is TurnRefusal.NOT_GIVEN
    assert game.rounds[0][0].choice == _pattern(3)


def test_a_player_without_the_methods_is_a_cheater() -> None:
    player: Player = object()  # type: ignore[assignment]  # what is tested
    game = play_game([player, *_far(_first, _first, _first)[1:]], _straight(*STARTS))
    assert game.beginnings[0].offence is Misconduct.RAISED


def test_what_is_no_exception_of_a_program_passes() -> None:
    def interrupt(*_: object) -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_game(_far(interrupt, _first, _first), _straight(*STARTS))


class _Rude:
    """Cannot be looked at."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("do not compare me")

    def __hash__(self) -> int:
        return 1


def _put(key: object, value: object) -> Callable[[Layout], None]:
    def put(layout: Layout) -> None:
        layout.tiles[key] = value  # type: ignore[index]  # what must not be done

    return put


def _turn_a_tile(layout: Layout) -> None:
    square = square_of(BoardPosition(1, 0))
    layout.tiles[square] = layout.tiles[square].rotate()  # type: ignore[index]  # likewise


def _move_black(layout: Layout) -> None:
    layout.avatars["black"] = (square_of(BoardPosition(1, 0)), PortID(2))  # type: ignore[index]  # .


def _remove_black(layout: Layout) -> None:
    del layout.avatars["black"]  # type: ignore[attr-defined]  # likewise


def _clear(layout: Layout) -> None:
    layout.tiles.clear()  # type: ignore[attr-defined]  # likewise


CHANGES = (
    *(_turn_a_tile, _move_black, _remove_black, _clear),
    *(_put(square_of(BoardPosition(5, 5)), tile_pattern(2, 0)), _put(99, None)),
    _put(square_of(BoardPosition(1, 0)), _Rude()),
)


@pytest.mark.parametrize("change", CHANGES)
def test_whoever_changes_what_it_was_given_is_a_cheater_and_the_board_is_as_it_was(
    change: Callable[[Layout], None],
) -> None:
    def take(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        change(layout)
        return _first(layout, player, given)

    honest = play_game(_far(_raise, _first, _first), _straight(*STARTS))
    game = play_game(_far(take, _first, _first), _straight(*STARTS))
    assert game.rounds[0][0].offence is Misconduct.CHANGED
    assert game.cheaters == ("white",)
    assert game.rounds[0][1:] == honest.rounds[0][1:]
    assert game.rounds[1:] == honest.rounds[1:]


def test_what_cannot_even_be_looked_at_makes_a_cheater() -> None:
    def take(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        # The tile of (1, 0) is looked for, and meets another key with its hash.
        del layout.tiles[square_of(BoardPosition(1, 0))]  # type: ignore[attr-defined]  # a change
        _put(_Rude(), None)(layout)
        return _first(layout, player, given)

    game = play_game(_far(take, _first, _first), _straight(*STARTS))
    assert game.rounds[0][0].offence is Misconduct.RAISED
    assert game.ranking == (("red",), ("black",))


def test_what_a_player_changes_after_its_turn_changes_nothing() -> None:
    kept: list[Layout] = []

    def take(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        for old in kept:
            _clear(old)
        kept.append(layout)
        return _first(layout, player, given)

    game = play_game(_far(take, _first, _first), _straight(*STARTS))
    assert game == play_game(_far(_first, _first, _first), _straight(*STARTS))


# Observers.


class _Recorder(GameObserver):
    """Writes down what it hears."""

    def __init__(self) -> None:
        self.heard: list[object] = []
        self.boards: list[Layout] = []

    def game_began(self, players: tuple[ColorString, ...]) -> None:
        self.heard.append(players)

    def move_made(self, move: Move, layout: Layout) -> None:
        self.heard.append(move)
        self.boards.append(Layout(dict(layout.tiles), dict(layout.avatars)))
        layout.tiles.clear()  # type: ignore[attr-defined]  # its own, so nobody minds

    def game_ended(self, game: Game) -> None:
        self.heard.append(game)


class _Raising(GameObserver):
    """Raises whatever it hears."""

    def game_began(self, players: tuple[ColorString, ...]) -> None:
        raise ValueError("began")

    def move_made(self, move: Move, layout: Layout) -> None:
        raise ValueError("moved")

    def game_ended(self, game: Game) -> None:
        raise ValueError("ended")


class _Silent(GameObserver):
    """Overrides nothing."""


def test_observers_hear_everything_in_order_and_what_they_raise_or_change_is_their_own() -> None:
    one, other = _Recorder(), _Recorder()
    watched = play_game([SECOND, THIRD, FIRST], endless_deck(), [one, _Raising(), _Silent(), other])
    assert watched == play_game([SECOND, THIRD, FIRST], endless_deck())
    assert one.heard == [("white", "black", "red"), *watched.moves(), watched]
    assert other.heard == one.heard
    assert one.boards == list(replay(watched)) == other.boards


# The record.


def test_a_record_is_immutable_and_equal_games_have_equal_ones() -> None:
    players: Sequence[Player] = [THIRD, THIRD, SECOND, THIRD]
    game = play_game(players, endless_deck())
    assert hash(game) == hash(play_game(players, cycle(map(TileIndex, range(35)))))


def test_the_one_game_of_the_three_strategies_with_a_legal_loop() -> None:
    game = play_game([THIRD, THIRD, SECOND, THIRD], endless_deck())
    turn = game.rounds[-1][-1]
    assert (turn.player, turn.looped) == ("green", ("green",))
    assert game.ranking == (("black",), ("green",), ("white", "red"))


def test_the_boards_of_a_record_are_layouts_that_can_be_drawn() -> None:
    game = play_game([SECOND] * 5, endless_deck())
    boards = list(replay(game))
    assert len(boards) == len(game.moves())
    assert all(set(board.avatars) <= set(COLORS) for board in boards)
    assert all(isinstance(tile, Tile) for tile in boards[-1].tiles.values())
