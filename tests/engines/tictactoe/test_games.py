"""The known numbers of tic-tac-toe, and the counts of small trees."""

from __future__ import annotations

from engines.tictactoe.board import START, Player, State, parse, symbols
from engines.tictactoe.games import Tree, reachable, tree
from engines.tictactoe.search import DRAWS, NODES, count_tree


def board(text: str) -> State:
    """Return the state of nine symbols."""
    return parse(text).value()


def test_the_full_tree_has_the_known_numbers() -> None:
    known = Tree(nodes=549_946, x_wins=131_184, o_wins=77_904, draws=46_080)
    assert tree(START, Player.X) == known
    assert known.games == 255_168


def test_reachable_states_ascend() -> None:
    assert [symbols(state) for state in reachable(board("XX.OO.XOX"), Player.O)] == [
        *("XX.OO.XOX", "XXOOO.XOX", "XXOOOXXOX", "XX.OOOXOX"),
    ]


def test_count_tree_adds_to_counts_and_leaves_the_root_to_the_caller() -> None:
    # XX. / OO. / XOX: X wins in cell 2; if X takes 5 instead, O takes 2, and it is a draw.
    for side in (0, 1):
        counts = [100, 100, 100, 100]
        count_tree(0b101_000_011, 0b010_011_000, side, counts)
        assert (counts[side], counts[1 - side], counts[DRAWS], counts[NODES]) == (
            101,
            100,
            101,
            103,
        )
