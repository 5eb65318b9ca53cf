"""Laws of the rules and of the strategies, over random boards.

Legality is held to the plain way of benchmarks/tsuro_plain.py: rows of tiles, copied for every
option.
"""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import NamedTuple

import tsuro_plain as plain
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.tsuro import (
    COLORS,
    DEGREES,
    PORTS,
    SECOND,
    STRATEGIES,
    THIRD,
    TILES,
    Board,
    BoardPosition,
    ColorString,
    Fate,
    InitialChoice,
    InitialMove,
    InitialRefusal,
    InitialTiles,
    Layout,
    Option,
    Placement,
    Player,
    Square,
    Tile,
    TileIndex,
    TilePattern,
    TurnRefusal,
    TurnTiles,
    Ways,
    ends,
    initial_refusal,
    is_at_rest,
    layout_of,
    layout_with,
    options,
    placement,
    state_of,
    tile_pattern,
    turn_outcome,
    with_fate,
)
from engines.tsuro.positions import FACED

_law = settings(deadline=None, max_examples=250)

# --- random values

# All wires back, all round a corner, and such: loops and leaving are then no rare events.
_TIGHT = (2, 4, 7, 22, 24, 32, 33, 34)

_indices = st.builds(TileIndex, st.sampled_from(_TIGHT) | st.integers(0, 34))
_patterns = st.builds(TilePattern, _indices, st.sampled_from(DEGREES))
_tiles = _patterns.map(lambda pattern: tile_pattern(*pattern))
_pairs = st.tuples(_indices, _indices) | _indices.map(lambda index: (index, index))


class Turn(NamedTuple):
    """A board, a player whose turn it is, and its two tiles."""

    layout: Layout
    player: ColorString
    given: TurnTiles


@st.composite
def _turns(draw: st.DrawFn) -> Turn:
    """A dense block of tiles somewhere, often at the edge, round an empty square, and one to five
    avatars at rest, most of them before that square."""
    # By a seed: to draw some fifty values one by one takes ten times as long.
    chance = Random(draw(st.integers(0, 2**32)))
    hole, tiles = _block(chance)
    near = [(square, port) for square in tiles for port in PORTS if FACED[square][port] == hole]
    resting = [(s, port) for s in tiles for port in PORTS if is_at_rest(tiles, (s, port))]
    colors = chance.sample(COLORS, chance.randint(1, 5))
    avatars = {color: chance.choice(near if chance.random() < 0.7 else resting) for color in colors}
    avatars[colors[0]] = chance.choice(near)
    return Turn(Layout(tiles, avatars), colors[0], draw(_pairs))


def _block(chance: Random) -> tuple[Square, dict[Square, Tile]]:
    width, height = chance.randint(2, 4), chance.randint(2, 4)
    left, top = _begin(chance, width), _begin(chance, height)
    squares = [Square(10 * (top + j) + left + i) for j in range(height) for i in range(width)]
    hole = chance.choice(squares)
    beside = chance.choice([square for square in squares if hole in FACED[square]])
    lying = [square for square in squares if square != hole and chance.random() < 0.8]
    return hole, {square: _tile(chance) for square in {*lying, beside}}


def _begin(chance: Random, length: int) -> int:
    return chance.choice((0, 10 - length, chance.randint(0, 10 - length)))


def _tile(chance: Random) -> Tile:
    index = chance.choice(_TIGHT) if chance.random() < 0.5 else chance.randrange(35)
    return tile_pattern(index, chance.choice(DEGREES))


def _plain(layout: Layout) -> plain.PlainBoard:
    rows: list[list[list[int] | None]] = [[None] * 10 for _ in range(10)]
    for square, tile in layout.tiles.items():
        rows[square // 10][square % 10] = [*tile.exits]
    avatars = {
        str(player): (square % 10, square // 10, int(port))
        for player, (square, port) in layout.avatars.items()
    }
    return plain.PlainBoard(rows, avatars)


def _plain_flaws(turn: Turn) -> list[str]:
    tiles = [TILES[index].exits for index in turn.given]
    return plain.flaws(_plain(turn.layout), turn.player, tiles)


_FLAWS = {"": None, "loop": TurnRefusal.LOOPS, "suicide": TurnRefusal.SUICIDE}

# --- turns


@given(_turns())
@_law
def test_the_eight_options_are_those_of_the_plain_way(turn: Turn) -> None:
    """Each given tile at each of its turns, in this order, with the same flaw."""
    found = list(options(*turn))
    assert [option.pattern for option in found] == [
        (index, degrees) for index in turn.given for degrees in DEGREES
    ]
    assert [option.flaw for option in found] == [_FLAWS[flaw] for flaw in _plain_flaws(turn)]


@given(_turns(), st.integers(0, 1), st.integers(0, 3))
@_law
def test_what_is_legal_is_so_the_plain_way(turn: Turn, number: int, quarters: int) -> None:
    """For every choice among the eight; what is refused is refused for its flaw."""
    tiles = [TILES[index].exits for index in turn.given]
    legal = plain.is_legal(_plain(turn.layout), turn.player, tiles, (number, quarters))
    choice = TilePattern(turn.given[number], DEGREES[quarters])
    outcome = turn_outcome(*turn, choice)
    assert isinstance(outcome, Placement) == legal
    if not legal:
        assert outcome is _FLAWS[_plain_flaws(turn)[4 * number + quarters]]


@given(_turns(), _patterns)
@_law
def test_a_legal_turn_does_what_movement_says(turn: Turn, choice: TilePattern) -> None:
    """Its tile, its square and everybody's end; and what was given is as it was."""
    layout, player, pair = turn
    before = deepcopy((dict(layout.tiles), dict(layout.avatars)))
    outcome = turn_outcome(layout, player, pair, choice)
    assert (outcome is TurnRefusal.NOT_GIVEN) == (choice.tile_index not in pair)
    if isinstance(outcome, Placement):
        assert outcome == placement(layout, player, tile_pattern(*choice)).value()
    assert (layout.tiles, layout.avatars) == before


@given(_turns(), st.lists(_tiles, min_size=1, max_size=6), st.data())
@_law
def test_the_ways_round_a_square_are_those_over_a_board_with_the_tile(
    turn: Turn, tried: list[Tile], data: st.DataObject
) -> None:
    """For tile after tile, in whatever order, and for avatars that are not at rest, too."""
    tiles, avatars = turn.layout
    spots = st.tuples(st.sampled_from(sorted(tiles)), st.sampled_from(PORTS))
    avatars = {**avatars, **data.draw(st.dictionaries(st.sampled_from(COLORS), spots))}
    empty = sorted({Square(number) for number in range(100)} - set(tiles))
    square = data.draw(st.sampled_from(empty))
    ways = Ways(Layout(tiles, avatars), square)
    for tile in tried:
        found = ways.ends(tile)
        assert found == ends({**tiles, square: tile}, avatars)
        assert list(found) == [color for color in COLORS if color in avatars]


@given(_turns())
@_law
def test_the_order_of_the_two_tiles_makes_nothing_legal(turn: Turn) -> None:
    """The other way round, the same choices are legal, and the others refused as they were."""
    swapped = turn._replace(given=(turn.given[1], turn.given[0]))
    for option in options(*turn):
        assert repr(turn_outcome(*turn, option.pattern)) == repr(
            turn_outcome(*swapped, option.pattern)
        )


@given(_turns())
@_law
def test_a_turn_without_a_legal_option_has_both_flaws(turn: Turn) -> None:
    """All refused: some loop, and some are suicides."""
    outcomes = [turn_outcome(*turn, option.pattern) for option in options(*turn)]
    refusals = {outcome for outcome in outcomes if isinstance(outcome, TurnRefusal)}
    if all(isinstance(outcome, TurnRefusal) for outcome in outcomes):
        assert refusals == {TurnRefusal.LOOPS, TurnRefusal.SUICIDE}
    for outcome, option in zip(outcomes, options(*turn), strict=True):
        loops = with_fate(option.placed.ends, Fate.LOOPS)
        assert (option.flaw is TurnRefusal.LOOPS) == bool(loops)
        assert outcome == option.placed or outcome is option.flaw


# --- players


def _legal(turn: Turn, found: list[Option]) -> list[TilePattern]:
    return [
        option.pattern
        for option in found
        if isinstance(turn_outcome(*turn, option.pattern), Placement)
    ]


@given(_turns())
@_law
def test_second_and_third_take_the_first_legal_option_or_what_is_left(turn: Turn) -> None:
    """The second begins with the first tile, the third with the second; where nothing is legal,
    they play that tile at 0 degrees."""
    found = list(options(*turn))
    for player, order in ((SECOND, found), (THIRD, found[4:] + found[:4])):
        legal = _legal(turn, order) or [order[0].pattern]
        assert player.turn(*turn) == legal[0]


_beginners = st.lists(
    st.tuples(st.sampled_from(sorted(STRATEGIES)), st.tuples(_indices, _indices, _indices)),
    min_size=1,
    max_size=5,
)


@given(_beginners)
@_law
def test_every_strategy_begins_as_the_rules_allow(
    beginners: list[tuple[str, InitialTiles]],
) -> None:
    """Up to five of them, in any order, on one board; and then everybody is at rest."""
    layout = Layout({}, {})
    for color, (name, tiles) in zip(COLORS, beginners, strict=False):
        player: Player = STRATEGIES[name]
        choice = player.initial_placement(layout, color, tiles)
        assert choice.pattern == (tiles[2], 0)
        assert initial_refusal(layout, color, tiles, choice) is None
        layout = layout_with(layout, color, choice)
    assert len(layout.tiles) == len(layout.avatars) == len(beginners)
    assert all(is_at_rest(layout.tiles, spot) for spot in layout.avatars.values())


# --- initial placements

_positions = st.builds(BoardPosition, st.integers(0, 9), st.integers(0, 9))
_choices = st.builds(InitialChoice, _patterns, _positions, st.sampled_from(PORTS))


@given(st.lists(st.tuples(st.sampled_from(COLORS), _choices), max_size=12))
@_law
def test_the_rules_and_a_board_agree_on_initial_placements(
    choices: list[tuple[ColorString, InitialChoice]],
) -> None:
    """The same are refused, if the tiles are given; and what is taken gives the same board."""
    layout, board = Layout({}, {}), Board()
    for color, choice in choices:
        tiles = (choice.pattern.tile_index, TileIndex(0), TileIndex(0))
        refusal = initial_refusal(layout, color, tiles, choice)
        move = InitialMove(choice.position, tile_pattern(*choice.pattern), choice.port, color)
        assert (refusal is None) == board.initial_move(move).is_ok()
        if refusal is None:
            layout = layout_with(layout, color, choice)
        other = TileIndex((choice.pattern.tile_index + 1) % 35)
        not_given = initial_refusal(layout, color, (other, other, other), choice)
        assert not_given in (InitialRefusal.ON_BOARD, InitialRefusal.NOT_GIVEN)
    assert layout_of(state_of(layout)) == layout_of(board.get_board_state())
