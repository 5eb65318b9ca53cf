"""The rules, by hand-made boards; tests/property/test_tsuro_rules_laws.py holds them to a plain
way, and the suite xrules has many more boards."""

from __future__ import annotations

import pytest

from engines.tsuro import (
    DEGREES,
    PORT_LETTERS,
    BoardPosition,
    ColorString,
    Degrees,
    Fate,
    InitialChoice,
    InitialRefusal,
    InitialTiles,
    Layout,
    Placement,
    PortID,
    Spot,
    Square,
    TileIndex,
    TilePattern,
    TurnRefusal,
    TurnTiles,
    initial_refusal,
    is_free,
    layout_with,
    options,
    port_id,
    square_of,
    tile_pattern,
    turn_outcome,
    with_fate,
)


def _square(x: int, y: int) -> Square:
    return square_of(BoardPosition(x, y))


def _spot(x: int, y: int, letter: str) -> Spot:
    return _square(x, y), port_id(PORT_LETTERS.index(letter))


def _layout(
    tiles: dict[tuple[int, int], tuple[int, int]], avatars: dict[ColorString, Spot]
) -> Layout:
    return Layout(
        {_square(x, y): tile_pattern(*pattern) for (x, y), pattern in tiles.items()}, avatars
    )


def _pattern(index: int, turn: int = 0) -> TilePattern:
    return TilePattern(TileIndex(index), Degrees(turn))


def _pair(first: int, second: int) -> TurnTiles:
    return TileIndex(first), TileIndex(second)


# --- turns

# Red beside an empty square amid the board; what leads back loops.
_AMID = _layout({(3, 6): (34, 0)}, {"red": _spot(3, 6, "C")})
# Red before the corner (0, 0), and straight on is off the board.
_CORNER = _layout({(0, 1): (2, 0)}, {"red": _spot(0, 1, "A")})


def _flaws(layout: Layout, given: TurnTiles) -> list[TurnRefusal | None]:
    return [option.flaw for option in options(layout, "red", given)]


def test_the_options_are_each_given_tile_at_each_of_its_turns() -> None:
    found = list(options(_AMID, "red", _pair(34, 6)))
    assert [option.pattern for option in found] == [
        *(_pattern(34, turn) for turn in (0, 90, 180, 270)),
        *(_pattern(6, turn) for turn in (0, 90, 180, 270)),
    ]
    assert all(option.placed.square == _square(4, 6) for option in found)
    assert found[5].placed.tile is tile_pattern(6, 90)


def test_a_turn_without_a_flaw_is_legal_and_says_what_it_does() -> None:
    outcome = turn_outcome(_AMID, "red", _pair(34, 2), _pattern(2))
    assert isinstance(outcome, Placement)
    assert (outcome.tile, outcome.square) == (tile_pattern(2, 0), _square(4, 6))
    assert outcome.ends == {"red": (Fate.RESTS, *_spot(4, 6, "C"))}


def test_a_loop_is_refused_where_there_is_an_option_without() -> None:
    assert _flaws(_AMID, _pair(34, 2)) == [TurnRefusal.LOOPS] * 4 + [None] * 4
    assert turn_outcome(_AMID, "red", _pair(34, 2), _pattern(34)) is TurnRefusal.LOOPS


def test_a_suicide_is_refused_where_there_is_an_option_without() -> None:
    # In at F: straight on is off the board, and so is to the left, by tile 4; tile 34 leads back.
    assert _flaws(_CORNER, _pair(2, 34)) == [TurnRefusal.SUICIDE] * 4 + [None] * 4
    assert turn_outcome(_CORNER, "red", _pair(2, 34), _pattern(2)) is TurnRefusal.SUICIDE


def test_where_all_eight_loop_a_loop_is_legal() -> None:
    outcome = turn_outcome(_AMID, "red", _pair(34, 34), _pattern(34, 180))
    assert isinstance(outcome, Placement)
    assert with_fate(outcome.ends, Fate.LOOPS) == ("red",)


def test_where_all_eight_are_suicides_a_suicide_is_legal() -> None:
    outcome = turn_outcome(_CORNER, "red", _pair(2, 2), _pattern(2, 90))
    assert isinstance(outcome, Placement)
    assert with_fate(outcome.ends, Fate.LEAVES) == ("red",)


def test_where_some_loop_and_the_others_are_suicides_nothing_is_legal() -> None:
    layout = _layout({(0, 1): (34, 0)}, {"red": _spot(0, 1, "A")})
    given = _pair(34, 2)
    assert _flaws(layout, given) == [TurnRefusal.LOOPS] * 4 + [TurnRefusal.SUICIDE] * 4
    assert turn_outcome(layout, "red", given, _pattern(34)) is TurnRefusal.LOOPS
    assert turn_outcome(layout, "red", given, _pattern(2)) is TurnRefusal.SUICIDE


def test_a_loop_of_another_counts_and_a_leaving_of_another_does_not() -> None:
    # White, from above, is turned back by 33, AB CD EG FH, at 0 degrees, and loops; red leads on.
    looping = _layout(
        {(3, 6): (2, 0), (4, 5): (34, 0)}, {"red": _spot(3, 6, "C"), "white": _spot(4, 5, "F")}
    )
    first = next(options(looping, "red", _pair(33, 2)))
    assert with_fate(first.placed.ends, Fate.LOOPS) == ("white",)
    assert first.flaw is TurnRefusal.LOOPS
    leaving = _layout(
        {(3, 0): (2, 0), (4, 1): (2, 0)}, {"red": _spot(3, 0, "C"), "blue": _spot(4, 1, "A")}
    )
    outcome = turn_outcome(leaving, "red", _pair(2, 34), _pattern(2))
    assert isinstance(outcome, Placement)
    assert with_fate(outcome.ends, Fate.LEAVES) == ("blue",)


def test_where_one_loops_while_the_player_leaves_only_the_loop_counts() -> None:
    # Tile 22 is AB CH DG EF: white, from above, is turned back by AB, red goes straight on, off.
    layout = _layout(
        {(8, 6): (2, 0), (9, 5): (34, 0)}, {"red": _spot(8, 6, "C"), "white": _spot(9, 5, "F")}
    )
    first = next(options(layout, "red", _pair(22, 4)))
    assert with_fate(first.placed.ends, Fate.LEAVES) == ("red",)
    assert with_fate(first.placed.ends, Fate.LOOPS) == ("white",)
    assert first.flaw is TurnRefusal.LOOPS


def test_a_collision_is_legal() -> None:
    layout = _layout(
        {(3, 6): (2, 0), (4, 5): (34, 0)}, {"red": _spot(3, 6, "C"), "blue": _spot(3, 6, "C")}
    )
    outcome = turn_outcome(layout, "red", _pair(2, 4), _pattern(2))
    assert isinstance(outcome, Placement)
    assert outcome.ends["red"] == outcome.ends["blue"]


@pytest.mark.parametrize(
    ("player", "choice", "refusal"),
    [
        ("white", _pattern(2), TurnRefusal.NOT_ON_BOARD),
        ("white", _pattern(9), TurnRefusal.NOT_ON_BOARD),
        ("red", _pattern(9), TurnRefusal.NOT_GIVEN),
        ("red", _pattern(0), TurnRefusal.NOT_GIVEN),
        ("red", None, TurnRefusal.NO_CHOICE),
        ("red", "legal", TurnRefusal.NO_CHOICE),
        # The right numbers, but no TilePattern.
        ("red", (2, 0), TurnRefusal.NO_CHOICE),
        ("red", _pattern(35), TurnRefusal.NO_CHOICE),
        ("red", _pattern(-1), TurnRefusal.NO_CHOICE),
        ("red", _pattern(2, 45), TurnRefusal.NO_CHOICE),
        ("red", _pattern(2, 360), TurnRefusal.NO_CHOICE),
        ("red", _pattern(2, False), TurnRefusal.NO_CHOICE),
        ("red", _pattern(True), TurnRefusal.NO_CHOICE),
        ("white", _pattern(True), TurnRefusal.NO_CHOICE),
    ],
)
def test_a_turn_is_refused_for_the_first_reason_that_holds(
    player: ColorString, choice: object, refusal: TurnRefusal
) -> None:
    assert turn_outcome(_AMID, player, _pair(2, 1), choice) is refusal


class _Every(int):
    """A number that says that it equals every other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class _Sly(TilePattern):
    """A pattern that could answer anything when it is asked."""


@pytest.mark.parametrize(
    "choice",
    [
        TilePattern(TileIndex(_Every(9)), DEGREES[0]),
        TilePattern(TileIndex(2), Degrees(_Every(0))),
        _Sly(TileIndex(2), DEGREES[0]),
        tuple.__new__(TilePattern, (2,)),
        tuple.__new__(TilePattern, (2, 0, 0)),
        tuple.__new__(TilePattern, ([], {})),
    ],
)
def test_no_answer_fools_the_rules_or_makes_them_fail(choice: object) -> None:
    assert turn_outcome(_AMID, "red", _pair(2, 1), choice) is TurnRefusal.NO_CHOICE
    initial = InitialChoice(choice, BoardPosition(0, 0), PortID(2))  # type: ignore[arg-type]  # so may a player
    assert _refusal(initial) is InitialRefusal.NO_CHOICE


def test_index_0_is_a_tile() -> None:
    assert isinstance(turn_outcome(_AMID, "red", _pair(9, 0), _pattern(0, 90)), Placement)


@pytest.mark.parametrize("letter", ["C", "G"])
def test_an_avatar_that_is_not_at_rest_has_no_turn(letter: str) -> None:
    # Before (1, 6), which holds a tile, and before the outside.
    layout = _layout({(0, 6): (2, 0), (1, 6): (2, 0)}, {"red": _spot(0, 6, letter)})
    assert turn_outcome(layout, "red", _pair(2, 4), _pattern(2)) is TurnRefusal.NO_SQUARE
    with pytest.raises(ValueError) as caught:
        options(layout, "red", _pair(2, 4))
    assert str(caught.value) == "red has no turn: it faces no empty square of the board"


def test_who_is_not_on_the_board_has_no_options() -> None:
    with pytest.raises(ValueError) as caught:
        options(_AMID, "blue", _pair(2, 4))
    assert str(caught.value) == "blue has no turn: it is not on the board"


# --- initial placements

_GIVEN: InitialTiles = (TileIndex(5), TileIndex(0), TileIndex(9))


def _choice(x: int, y: int, letter: str, index: int = 5, turn: int = 0) -> InitialChoice:
    port = port_id(PORT_LETTERS.index(letter))
    return InitialChoice(_pattern(index, turn), BoardPosition(x, y), port)


def _refusal(choice: object, layout: Layout | None = None) -> InitialRefusal | None:
    return initial_refusal(Layout({}, {}) if layout is None else layout, "red", _GIVEN, choice)


def test_a_player_begins_along_the_edge_with_a_tile_that_it_was_given_turned_as_it_likes() -> None:
    assert _refusal(_choice(0, 0, "C")) is None
    assert _refusal(_choice(9, 4, "A", index=9, turn=270)) is None
    assert _refusal(_choice(3, 9, "H", index=0, turn=90)) is None


def test_after_an_initial_placement_the_tile_lies_there_and_the_avatar_stands_on_it() -> None:
    before = _layout({(5, 0): (2, 0)}, {"white": _spot(5, 0, "E")})
    after = layout_with(before, "red", _choice(0, 3, "D", index=9, turn=90))
    assert after.tiles == {**before.tiles, _square(0, 3): tile_pattern(9, 90)}
    assert after.tiles[_square(0, 3)].same_wires(tile_pattern(9, 90))
    assert after.avatars == {"white": _spot(5, 0, "E"), "red": _spot(0, 3, "D")}
    assert set(before.tiles) == {_square(5, 0)}


_BOARD = _layout({(5, 0): (2, 0)}, {"white": _spot(5, 0, "E")})


@pytest.mark.parametrize(
    ("choice", "refusal"),
    [
        (_choice(3, 3, "A"), InitialRefusal.NOT_ON_EDGE),
        (_choice(5, 0, "E"), InitialRefusal.NOT_FREE),
        (_choice(4, 0, "E"), InitialRefusal.NOT_FREE),
        (_choice(6, 0, "E"), InitialRefusal.NOT_FREE),
        (_choice(7, 0, "B"), InitialRefusal.FACES_OFF),
        (_choice(0, 4, "G"), InitialRefusal.FACES_OFF),
        (_choice(9, 9, "D"), InitialRefusal.FACES_OFF),
        (_choice(7, 0, "C", index=1), InitialRefusal.NOT_GIVEN),
        # Of several, the first.
        (_choice(3, 3, "A", index=1), InitialRefusal.NOT_GIVEN),
        (_choice(4, 0, "A"), InitialRefusal.NOT_FREE),
        (_choice(7, 0, "C", index=35), InitialRefusal.NO_CHOICE),
        (_choice(7, 0, "C", turn=1), InitialRefusal.NO_CHOICE),
        (None, InitialRefusal.NO_CHOICE),
        (_pattern(5), InitialRefusal.NO_CHOICE),
        (tuple(_choice(7, 0, "C")), InitialRefusal.NO_CHOICE),
        (_choice(7, 0, "C")._replace(port=PortID(8)), InitialRefusal.NO_CHOICE),
        (_choice(7, 0, "C")._replace(port=PortID(True)), InitialRefusal.NO_CHOICE),
    ],
)
def test_an_initial_placement_is_refused_for_the_first_reason_that_holds(
    choice: object, refusal: InitialRefusal
) -> None:
    assert _refusal(choice, _BOARD) is refusal


def test_an_initial_placement_needs_a_position() -> None:
    nowhere: object = InitialChoice(_pattern(5), (7, 0), PortID(2))  # type: ignore[arg-type]  # so may a player
    assert _refusal(nowhere) is InitialRefusal.NO_CHOICE


@pytest.mark.parametrize(
    "choice",
    [
        tuple.__new__(InitialChoice, ()),
        tuple.__new__(InitialChoice, (_pattern(5), BoardPosition(0, 0))),
        # A position that was never given its coordinates.
        InitialChoice(_pattern(5), object.__new__(BoardPosition), PortID(2)),
        InitialChoice(_pattern(5), BoardPosition(0, 0), PortID(_Every(9))),
    ],
)
def test_no_beginning_fools_the_rules_or_makes_them_fail(choice: object) -> None:
    assert _refusal(choice) is InitialRefusal.NO_CHOICE


def test_a_player_begins_once() -> None:
    refusal = initial_refusal(_BOARD, "white", _GIVEN, _choice(0, 4, "A", index=1))
    assert refusal is InitialRefusal.ON_BOARD


def test_a_square_is_free_where_no_tile_lies_on_it_or_beside_it() -> None:
    taken = [
        (number % 10, number // 10) for number in range(100) if not is_free(_BOARD, Square(number))
    ]
    assert taken == [(4, 0), (5, 0), (6, 0), (5, 1)]
    corner = _layout({(0, 0): (2, 0)}, {})
    assert not is_free(corner, _square(1, 0))
    # The end of one row is not beside the beginning of the next.
    assert is_free(corner, _square(9, 0))
    assert is_free(_layout({(9, 0): (2, 0)}, {}), _square(0, 1))


def test_degrees_are_the_four_that_there_are() -> None:
    assert [
        turn_outcome(_AMID, "red", _pair(2, 1), _pattern(2, turn)) is TurnRefusal.NO_CHOICE
        for turn in range(0, 361, 45)
    ] == [turn not in DEGREES for turn in range(0, 361, 45)]
