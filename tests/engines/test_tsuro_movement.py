"""Movement by hand-made examples; tests/property/test_tsuro_laws.py holds it to a second engine."""

from __future__ import annotations

from engines.tsuro import (
    PORT_LETTERS,
    BoardPosition,
    ColorString,
    End,
    Fate,
    Layout,
    Spot,
    Square,
    Tile,
    collided,
    ends,
    is_at_rest,
    layout_after,
    placement,
    port_id,
    square_of,
    tile_pattern,
    with_fate,
)

# All wires straight across; all wires from a side to the next; all wires back to their own side.
_STRAIGHT = tile_pattern(2, 0)
_CORNERS = tile_pattern(4, 0)
_BACK = tile_pattern(34, 0)


def _square(x: int, y: int) -> Square:
    return square_of(BoardPosition(x, y))


def _spot(x: int, y: int, letter: str) -> Spot:
    return _square(x, y), port_id(PORT_LETTERS.index(letter))


def _end(fate: Fate, x: int, y: int, letter: str) -> End:
    return End(fate, *_spot(x, y, letter))


def _tiles(tiles: dict[tuple[int, int], Tile]) -> dict[Square, Tile]:
    return {_square(x, y): tile for (x, y), tile in tiles.items()}


def test_an_avatar_at_rest_stays_where_it_is() -> None:
    tiles = _tiles({(3, 6): _STRAIGHT})
    assert ends(tiles, {"blue": _spot(3, 6, "G")}) == {"blue": _end(Fate.RESTS, 3, 6, "G")}


def test_an_avatar_follows_the_wires_up_to_an_empty_square() -> None:
    # East into (4, 6), there a corner to the north, straight over (4, 5), to the empty (4, 4).
    corner = tile_pattern(4, 0)
    tiles = _tiles({(3, 6): _STRAIGHT, (4, 6): corner, (4, 5): _STRAIGHT})
    assert ends(tiles, {"blue": _spot(3, 6, "C")}) == {"blue": _end(Fate.RESTS, 4, 5, "A")}


def test_an_avatar_whose_wires_lead_off_the_board_leaves_it_from_the_last_port() -> None:
    tiles = _tiles({(1, 6): _BACK, (0, 6): _STRAIGHT})
    assert ends(tiles, {"red": _spot(0, 6, "D")}) == {"red": _end(Fate.LEAVES, 0, 6, "H")}


def test_an_avatar_on_the_edge_that_faces_off_the_board_leaves_at_once() -> None:
    tiles = _tiles({(0, 0): _STRAIGHT})
    assert ends(tiles, {"red": _spot(0, 0, "H")}) == {"red": _end(Fate.LEAVES, 0, 0, "H")}


def test_an_avatar_that_comes_back_to_its_start_is_in_a_loop() -> None:
    square_dance = _tiles({(5, 2): _CORNERS, (6, 2): _CORNERS, (6, 3): _CORNERS, (5, 3): _CORNERS})
    moved = ends(square_dance, {"white": _spot(6, 3, "H")})
    assert moved == {"white": _end(Fate.LOOPS, 6, 3, "H")}


def test_crossing_ones_own_path_by_another_wire_is_no_loop() -> None:
    # In at the west of (2, 2), round by (3, 2), (3, 3) and (2, 3), and over (2, 2) northwards.
    tiles = _tiles(
        {(1, 2): _STRAIGHT, (2, 2): _STRAIGHT, (3, 2): _CORNERS, (3, 3): _CORNERS, (2, 3): _CORNERS}
    )
    moved = ends(tiles, {"white": _spot(1, 2, "D")})
    assert moved == {"white": _end(Fate.RESTS, 2, 2, "B")}


def test_avatars_do_not_block_each_other_and_may_pass_the_same_port() -> None:
    tiles = _tiles({(x, 4): _STRAIGHT for x in range(2, 6)})
    moved = ends(tiles, {"green": _spot(4, 4, "C"), "black": _spot(2, 4, "C")})
    assert moved == {
        "black": _end(Fate.RESTS, 5, 4, "C"),
        "green": _end(Fate.RESTS, 5, 4, "C"),
    }


def test_ends_stand_in_the_order_of_the_colours_whatever_order_came() -> None:
    tiles = _tiles({(7, 7): _STRAIGHT})
    avatars: dict[ColorString, Spot] = {
        "blue": _spot(7, 7, "A"),
        "white": _spot(7, 7, "C"),
        "green": _spot(7, 7, "E"),
        "black": _spot(7, 7, "G"),
        "red": _spot(7, 7, "H"),
    }
    assert list(ends(tiles, avatars)) == ["white", "black", "red", "green", "blue"]


def test_square_0_and_port_0_are_real_ones() -> None:
    # From (0, 1) north into (0, 0), by its wire from F back down by E, and again up: square 0 is
    # passed, and the port reached is A of (0, 1), number 0, where it began.
    tiles = _tiles({(0, 0): _BACK, (0, 1): _BACK})
    assert ends(tiles, {"red": _spot(0, 1, "A")}) == {"red": _end(Fate.LOOPS, 0, 1, "A")}
    alone = _tiles({(0, 1): _STRAIGHT})
    assert is_at_rest(alone, _spot(0, 1, "A"))
    placed = placement(Layout(alone, {"red": _spot(0, 1, "A")}), "red", _BACK).value()
    assert placed.square == 0


def test_at_rest_is_who_faces_an_empty_square_of_the_board() -> None:
    tiles = _tiles({(9, 0): _STRAIGHT, (9, 1): _BACK})
    assert [letter for letter in PORT_LETTERS if is_at_rest(tiles, _spot(9, 0, letter))] == [
        "G",
        "H",
    ]


def test_a_placement_moves_everyone_who_faces_the_square_and_nobody_else() -> None:
    layout = Layout(
        _tiles({(3, 6): _STRAIGHT, (4, 5): _STRAIGHT, (8, 8): _BACK}),
        {"blue": _spot(3, 6, "C"), "red": _spot(4, 5, "F"), "black": _spot(8, 8, "B")},
    )
    placed = placement(layout, "blue", _CORNERS).value()
    assert placed.square == _square(4, 6)
    assert placed.tile is _CORNERS
    # Both meet in the new tile, and go on over the other's tile: its wires are straight.
    assert placed.ends == {
        "black": _end(Fate.RESTS, 8, 8, "B"),
        "red": _end(Fate.RESTS, 3, 6, "H"),
        "blue": _end(Fate.RESTS, 4, 5, "A"),
    }


def test_a_placement_changes_nothing_of_the_layout() -> None:
    layout = Layout(_tiles({(3, 6): _STRAIGHT}), {"blue": _spot(3, 6, "C")})
    placement(layout, "blue", _CORNERS)
    assert set(layout.tiles) == {_square(3, 6)}
    assert layout.avatars == {"blue": _spot(3, 6, "C")}


def test_after_a_placement_the_tile_lies_there_and_who_left_is_gone() -> None:
    layout = Layout(
        _tiles({(0, 6): _STRAIGHT, (5, 5): _BACK}),
        {"red": _spot(0, 6, "D"), "black": _spot(5, 5, "E")},
    )
    after = layout_after(layout, placement(layout, "red", _BACK).value())
    assert after.tiles == {**layout.tiles, _square(1, 6): _BACK}
    assert after.avatars == {"black": _spot(5, 5, "E")}


def test_only_an_avatar_on_the_board_places_a_tile() -> None:
    layout = Layout(_tiles({(3, 6): _STRAIGHT}), {"blue": _spot(3, 6, "C")})
    refused = placement(layout, "red", _BACK)
    assert refused.error() == "red is not on the board, so it cannot place a tile"


def test_no_tile_is_placed_off_the_board() -> None:
    layout = Layout(_tiles({(0, 6): _STRAIGHT}), {"blue": _spot(0, 6, "G")})
    refused = placement(layout, "blue", _BACK)
    assert refused.error() == "blue at (0, 6) faces off the board: no square for a tile"


def test_no_tile_is_placed_on_another() -> None:
    layout = Layout(_tiles({(0, 6): _STRAIGHT, (0, 5): _BACK}), {"blue": _spot(0, 6, "B")})
    refused = placement(layout, "blue", _BACK)
    assert refused.error() == "blue faces (0, 5), which holds a tile already"


def test_avatars_are_told_by_their_fate() -> None:
    moved: dict[ColorString, End] = {
        "white": _end(Fate.LEAVES, 0, 6, "H"),
        "black": _end(Fate.RESTS, 4, 6, "H"),
        "green": _end(Fate.LEAVES, 2, 0, "A"),
    }
    assert with_fate(moved, Fate.LEAVES) == ("white", "green")
    assert with_fate(moved, Fate.RESTS) == ("black",)
    assert not with_fate(moved, Fate.LOOPS)


def test_avatars_at_rest_on_one_port_have_collided() -> None:
    moved: dict[ColorString, End] = {
        "white": _end(Fate.RESTS, 4, 6, "H"),
        "black": _end(Fate.RESTS, 4, 6, "G"),
        "green": _end(Fate.RESTS, 4, 6, "H"),
    }
    assert collided(moved) == ("white", "green")


def test_avatars_that_left_by_one_port_have_not_collided() -> None:
    moved: dict[ColorString, End] = {
        "white": _end(Fate.LEAVES, 0, 6, "H"),
        "green": _end(Fate.LEAVES, 0, 6, "H"),
    }
    assert not collided(moved)
