"""Laws of tiles, movement and the board, over random ones.

Movement is held to a second engine, slow and obvious, which lives here: letters for ports, a set of
the places seen, no tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from engines.tsuro import (
    COLORS,
    DEGREES,
    PORT_LETTERS,
    PORTS,
    Board,
    BoardObserver,
    BoardPosition,
    BoardState,
    ColorString,
    End,
    Fate,
    InitialMove,
    IntermediateMove,
    Layout,
    PortID,
    Spot,
    Square,
    Tile,
    ends,
    is_at_rest,
    layout_after,
    layout_of,
    pattern_of,
    placement,
    port_id,
    position_of,
    square_of,
    state_of,
    tile_pattern,
)
from engines.tsuro.positions import FACED

_law = settings(deadline=None, max_examples=80)

# --- the second engine

# By letter: the letter that it touches, and the step there.
_NEXT = {
    "A": ("F", 0, -1),
    "B": ("E", 0, -1),
    "C": ("H", 1, 0),
    "D": ("G", 1, 0),
    "E": ("B", 0, 1),
    "F": ("A", 0, 1),
    "G": ("D", -1, 0),
    "H": ("C", -1, 0),
}

_Place = tuple[int, int, str]


def _slow_end(wires: Mapping[tuple[int, int], list[str]], place: _Place) -> tuple[str, _Place]:
    """The fate of the avatar at this place, and where it meets it."""
    seen = set()
    while place not in seen:
        seen.add(place)
        x, y, letter = place
        entry, step_x, step_y = _NEXT[letter]
        x, y = x + step_x, y + step_y
        if not (0 <= x <= 9 and 0 <= y <= 9):
            return "leaves", place
        if (x, y) not in wires:
            return "rests", place
        wire = next(wire for wire in wires[x, y] if entry in wire)
        place = (x, y, wire.replace(entry, ""))
    return "loops", place


def _slow_ends(layout: Layout) -> dict[ColorString, tuple[str, _Place]]:
    wires = {
        (square % 10, square // 10): [PORT_LETTERS[a] + PORT_LETTERS[b] for a, b in tile.edges]
        for square, tile in layout.tiles.items()
    }
    return {player: _slow_end(wires, _place(*spot)) for player, spot in layout.avatars.items()}


def _place(square: Square, port: PortID) -> _Place:
    return square % 10, square // 10, PORT_LETTERS[port]


def _in_words(moved: Mapping[ColorString, End]) -> dict[ColorString, tuple[str, _Place]]:
    return {player: (end.fate.value, _place(end.square, end.port)) for player, end in moved.items()}


# --- random values

_coordinates = st.integers(0, 9)
_positions = st.builds(BoardPosition, _coordinates, _coordinates)
_ports = st.sampled_from(PORTS)
_colors = st.sampled_from(COLORS)
_tiles = st.builds(tile_pattern, st.integers(0, 34), st.sampled_from(DEGREES))
# Those that send avatars round, so that loops and leaving are no rare events.
_tight_tiles = st.sampled_from([tile_pattern(4, 0), tile_pattern(34, 0), tile_pattern(24, 90)])
_some_tiles = _tiles | _tight_tiles


@st.composite
def _layouts(draw: st.DrawFn, *, at_rest: bool) -> Layout:
    """A dense block of one to sixteen tiles anywhere on the board, and avatars anywhere on it."""
    width, height = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    left, top = draw(st.integers(0, 10 - width)), draw(st.integers(0, 10 - height))
    tiles: dict[Square, Tile] = {}
    for x in range(left, left + width):
        for y in range(top, top + height):
            tile = draw(st.none() | _some_tiles)
            if tile is None and not tiles:
                tile = draw(_some_tiles)
            if tile is not None:
                tiles[square_of(BoardPosition(x, y))] = tile
    spots: list[Spot] = [(square, port) for square in tiles for port in PORTS]
    possible = [spot for spot in spots if is_at_rest(tiles, spot)] if at_rest else spots
    avatars = draw(st.dictionaries(_colors, st.sampled_from(possible), min_size=1))
    return Layout(tiles, avatars)


@st.composite
def _turns(draw: st.DrawFn) -> tuple[Layout, ColorString, Tile]:
    """Avatars at rest, one of them, and a tile for it."""
    layout = draw(_layouts(at_rest=True))
    return layout, draw(st.sampled_from(sorted(layout.avatars))), draw(_some_tiles)


def _snapshot(board: Board) -> tuple[list[list[object]], dict[ColorString, object]]:
    """All of a board, tiles by their wires, since `==` of tiles is blind to rotation."""
    state = board.get_board_state()
    rows: list[list[object]] = [[tile and tile.edges for tile in row] for row in state.board]
    return rows, dict(state.live_players)


# --- tiles


@given(_tiles)
@_law
def test_four_turns_are_none(tile: Tile) -> None:
    """Rotating four times is the identity, and the rotations are those four steps."""
    assert tile.rotate().rotate().rotate().rotate().same_wires(tile)
    assert tile.all_rotations()[3].rotate().same_wires(tile.all_rotations()[0])


@given(_tiles, _ports)
@_law
def test_wires_turn_with_their_tile(tile: Tile, port: PortID) -> None:
    """Two ports on, clockwise, on both ends."""
    end = tile.get_port_connected_to(port)
    assert tile.rotate().get_port_connected_to(port_id((port + 2) % 8)) == (end + 2) % 8


@given(_tiles, _ports)
@_law
def test_a_wire_leads_there_and_back_and_never_to_its_own_port(tile: Tile, port: PortID) -> None:
    """The other end's other end is the port itself."""
    end = tile.get_port_connected_to(port)
    assert end != port
    assert tile.get_port_connected_to(end) == port


@given(_tiles, _tiles)
@_law
def test_equality_is_blind_to_rotation_and_to_nothing_else(one: Tile, other: Tile) -> None:
    """Tiles are equal just when they have one index, and then their hashes are, too."""
    assert (one == other) == (pattern_of(one).tile_index == pattern_of(other).tile_index)
    assert one == one.rotate()
    assert hash(one) == hash(one.rotate())


@given(_tiles, st.randoms(use_true_random=False))
@_law
def test_a_tile_is_the_same_however_its_wires_are_written(tile: Tile, random: Random) -> None:
    """Neither the order of the wires nor that of their ends matters."""
    edges = [edge if random.random() < 0.5 else (edge[1], edge[0]) for edge in tile.edges]
    random.shuffle(edges)
    assert Tile(edges).edges == tile.edges


@given(st.integers(0, 34), st.sampled_from(DEGREES))
@_law
def test_a_pattern_names_its_tile_with_the_least_degrees(index: int, degrees: int) -> None:
    """The pattern of a pattern's tile gives the same wires, and no lesser degrees would."""
    tile = tile_pattern(index, degrees)
    found = pattern_of(tile)
    assert found.tile_index == index
    assert tile_pattern(*found).same_wires(tile)
    lesser = [tile_pattern(index, turn) for turn in DEGREES if turn < found.degrees]
    assert not any(other.same_wires(tile) for other in lesser)


# --- movement


@given(_layouts(at_rest=False))
@_law
def test_movement_agrees_with_the_second_engine(layout: Layout) -> None:
    """On any tiles, from anywhere, every avatar has the same fate at the same place."""
    assert _in_words(ends(layout.tiles, layout.avatars)) == _slow_ends(layout)


@given(_layouts(at_rest=False))
@_law
def test_who_has_come_to_rest_is_at_rest(layout: Layout) -> None:
    """Moving again moves nobody who rests, and a loop comes back to where it began."""
    for player, end in ends(layout.tiles, layout.avatars).items():
        spot = (end.square, end.port)
        assert is_at_rest(layout.tiles, spot) == (end.fate is Fate.RESTS)
        assert (spot == layout.avatars[player]) or end.fate is not Fate.LOOPS
        if end.fate is Fate.RESTS:
            assert ends(layout.tiles, {player: spot}) == {player: end}


@given(_layouts(at_rest=False))
@_law
def test_turning_the_whole_board_turns_every_end(layout: Layout) -> None:
    """Movement knows no direction: turn board, tiles and avatars by 90 degrees, and so do ends."""

    def turned(square: Square, port: PortID) -> Spot:
        position = position_of(square)
        return square_of(BoardPosition(9 - position.y, position.x)), port_id((port + 2) % 8)

    tiles = {turned(square, PORTS[0])[0]: tile.rotate() for square, tile in layout.tiles.items()}
    avatars = {player: turned(*spot) for player, spot in layout.avatars.items()}
    assert ends(tiles, avatars) == {
        player: End(end.fate, *turned(end.square, end.port))
        for player, end in ends(layout.tiles, layout.avatars).items()
    }


@given(_turns())
@_law
def test_a_placement_moves_just_those_who_face_its_square(
    turn: tuple[Layout, ColorString, Tile],
) -> None:
    """Others stay where they stand; those who face it go on, leave, or are in a loop."""
    layout, player, tile = turn
    _, square, moved = placement(layout, player, tile).value()
    assert list(moved) == [color for color in COLORS if color in layout.avatars]
    for color, (here, port) in layout.avatars.items():
        stays = moved[color] == (Fate.RESTS, here, port)
        assert stays == (FACED[here][port] != square)


@given(_turns())
@_law
def test_after_a_placement_everybody_left_is_at_rest(
    turn: tuple[Layout, ColorString, Tile],
) -> None:
    """There is one tile more, on a square that was empty, and nobody who could still move."""
    layout, player, tile = turn
    placed = placement(layout, player, tile).value()
    after = layout_after(layout, placed)
    assert after.tiles == {**layout.tiles, placed.square: tile}
    assert len(after.tiles) == len(layout.tiles) + 1
    assert all(is_at_rest(after.tiles, spot) for spot in after.avatars.values())


# --- the board


class _Recorder(BoardObserver):
    """Writes down what it hears."""

    def __init__(self) -> None:
        self.exited: set[ColorString] = set()
        self.looped: set[ColorString] = set()

    def player_exited_board(self, player: ColorString) -> None:
        self.exited.add(player)

    def player_entered_loop(self, player: ColorString) -> None:
        self.looped.add(player)


@given(_layouts(at_rest=True), st.lists(st.tuples(_colors, _some_tiles), max_size=6))
@_law
def test_a_board_does_what_the_second_engine_says(
    layout: Layout, turns: list[tuple[ColorString, Tile]]
) -> None:
    """Tile after tile: who stands where, who is gone, who is told of, and what is refused."""
    board = Board.from_state(state_of(layout))
    for player, tile in turns:
        recorder = _Recorder()
        board.add_observer(recorder)
        before = _snapshot(board)
        faced = board.get_board_state().calculate_adjacent_position_of_player(player)
        moved = board.place_tile(IntermediateMove(tile, player))
        if faced.is_error():
            assert moved.is_error()
            assert _snapshot(board) == before
            continue
        position = faced.value()
        assert position is not None
        slow = _slow_ends(Layout({**layout.tiles, square_of(position): tile}, layout.avatars))
        by_fate = {
            fate: {color for color, (its, _) in slow.items() if its == fate}
            for fate in ("rests", "leaves", "loops")
        }
        assert recorder.looped == by_fate["loops"]
        assert moved.is_error() == bool(by_fate["loops"])
        if moved.is_error():
            assert not recorder.exited
            assert _snapshot(board) == before
            continue
        assert recorder.exited == by_fate["leaves"]
        layout = layout_of(board.get_board_state())
        assert {color: _place(*spot) for color, spot in layout.avatars.items()} == {
            color: slow[color][1] for color in by_fate["rests"]
        }


_initial_moves = st.builds(InitialMove, _positions | st.none(), _tiles, _ports, _colors)


@given(st.lists(_initial_moves, max_size=12))
@_law
def test_initial_moves_leave_everybody_at_rest_and_no_two_tiles_side_by_side(
    moves: list[InitialMove],
) -> None:
    """Each is taken whole, as validated, or not at all."""
    board = Board()
    taken = 0
    for move in moves:
        before = _snapshot(board)
        valid, moved = board.validate_initial_move(move), board.initial_move(move)
        assert repr(valid) == repr(moved)
        assert (_snapshot(board) == before) == moved.is_error()
        taken += moved.is_ok()
    tiles, avatars = layout_of(board.get_board_state())
    assert len(tiles) == len(avatars) == taken
    assert all(is_at_rest(tiles, spot) for spot in avatars.values())
    assert not any(FACED[square][port] in tiles for square in tiles for port in PORTS)


@given(_layouts(at_rest=False))
@_law
def test_the_two_views_of_a_board_are_one(layout: Layout) -> None:
    """From a layout to a state and back, deep copies between: wires and avatars stay."""
    back = layout_of(deepcopy(state_of(layout)))
    assert back.avatars == layout.avatars
    assert {square: tile.edges for square, tile in back.tiles.items()} == {
        square: tile.edges for square, tile in layout.tiles.items()
    }


@given(_layouts(at_rest=False))
@_law
def test_a_state_answers_for_every_player_and_every_square(layout: Layout) -> None:
    """What it is asked by position and colour is what the layout has by square."""
    state: BoardState = state_of(layout)
    for number in range(100):
        position = BoardPosition(number % 10, number // 10)
        assert state.get_tile(position) is layout.tiles.get(square_of(position))
    for player in COLORS:
        found = state.get_position_of_player(player)
        assert found.is_ok() == (player in layout.avatars)
        if found.is_ok():
            position, port = found.value()
            assert (square_of(position), port) == layout.avatars[player]
