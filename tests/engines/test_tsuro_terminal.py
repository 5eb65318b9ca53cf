"""Boards as text, whole."""

from __future__ import annotations

from engines.tsuro import BoardPosition, BoardState, Port, Tile, board_text, tile_pattern

_QUIET = "      0     1     2     3     4     5     6     7     8     9"


def _state(tiles: dict[tuple[int, int], Tile]) -> BoardState:
    return BoardState([[tiles.get((x, y)) for x in range(10)] for y in range(10)])


def test_a_board_is_shown_with_tiles_by_pattern_and_avatars_on_their_ports() -> None:
    state = _state(
        {
            (0, 0): tile_pattern(7, 0),
            (1, 0): tile_pattern(34, 0),
            (1, 1): tile_pattern(12, 90),
            (9, 9): tile_pattern(6, 270),
        }
    )
    state.live_players = {
        "red": (BoardPosition(9, 9), Port.TopRight),
        "blue": (BoardPosition(0, 0), Port.BottomLeft),
        "black": (BoardPosition(1, 1), Port.LeftBottom),
        "green": (BoardPosition(1, 0), Port.RightTop),
        "white": (BoardPosition(1, 0), Port.RightTop),
    }
    assert board_text(state).split("\n") == [
        _QUIET,
        "   +-----+-----+",
        "0  |   7 |  34 *  .     .     .     .     .     .     .     .",
        "   |   0 |   0 |",
        "   +-B---+-----+",
        "1     .  |  12 |  .     .     .     .     .     .     .     .",
        "         K  90 |",
        "         +-----+",
        *_quiet_rows(2, 9),
        "                                                         +---R-+",
        "9     .     .     .     .     .     .     .     .     .  |   6 |",
        "                                                         | 270 |",
        "                                                         +-----+",
        "W  white at (1, 0), port C",
        "K  black at (1, 1), port G",
        "R  red at (9, 9), port B",
        "G  green at (1, 0), port C",
        "B  blue at (0, 0), port F",
    ]


def _quiet_rows(first: int, end: int) -> list[str]:
    """The lines of rows without tiles, without the borders above and below them."""
    lines = [line for y in range(first, end) for line in (f"{y}" + "     ." * 10, "", "")]
    return lines[:-1]


def test_avatars_on_both_sides_of_a_border_share_a_sign() -> None:
    state = _state({(0, 0): tile_pattern(7, 0), (1, 0): tile_pattern(34, 0)})
    state.live_players = {
        "red": (BoardPosition(0, 0), Port.RightTop),
        "blue": (BoardPosition(1, 0), Port.LeftTop),
    }
    assert board_text(state).split("\n")[2].startswith("0  |   7 *  34 |")


def test_an_empty_board_is_all_dots() -> None:
    assert board_text(BoardState()).split("\n") == [_QUIET, "", *_quiet_rows(0, 10), ""]
