"""The hot loops by themselves, on nine-bit masks."""

from __future__ import annotations

from engines.tictactoe.search import DRAWS, NODES, lines_of_play, walk, worth


def test_walking_adds_to_the_counts_and_leaves_the_root_to_the_caller() -> None:
    # X.. / OOX / XXO, X to move.
    counts = [100, 200, 300, 400]
    walk(0b011_100_001, 0b100_011_000, 0, counts)
    # X takes cell 1 or 2, and O the one that is left: two games, both drawn.
    assert counts == [100, 200, 302, 404]


def test_the_games_won_are_counted_for_the_side_that_moved() -> None:
    # XX. / OO. / XOX: X wins in cell 2; if X takes 5 instead, O takes 2, and it is a draw.
    for side, other_side in ((0, 1), (1, 0)):
        counts = [0, 0, 0, 0]
        walk(0b101_000_011, 0b010_011_000, side, counts)
        assert (counts[side], counts[other_side], counts[DRAWS], counts[NODES]) == (1, 0, 1, 3)


def test_a_full_board_is_one_drawn_game_and_no_node_more() -> None:
    counts = [0, 0, 0, 0]
    walk(0b110_001_101, 0b001_110_010, 1, counts)
    assert counts == [0, 0, 1, 0]


def test_lines_of_play_end_with_a_win() -> None:
    # XX. / OO. / XOX: a win in cell 2, and two moves otherwise.
    own, other = 0b101_000_011, 0b010_011_000
    assert [lines_of_play(own, other, moves) for moves in (1, 2, 3)] == [2, 1, 0]


def test_a_win_in_cell_0_is_found() -> None:
    assert worth(0b000_000_110, 0b000_011_000) == 1


def test_two_threats_at_once_are_a_loss_for_the_side_to_move() -> None:
    # The other side, in three corners, threatens cells 1, 3 and 4.
    assert worth(0b010_100_000, 0b001_000_101) == -1


def test_a_full_board_is_worth_nothing_to_either_side() -> None:
    assert worth(0b110_001_101, 0b001_110_010) == 0


def test_the_empty_board_is_a_draw_and_is_so_when_it_is_asked_again() -> None:
    assert [worth(0, 0), worth(0, 0)] == [0, 0]
