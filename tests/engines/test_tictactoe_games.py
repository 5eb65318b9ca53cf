"""The known numbers of tic-tac-toe, and the counts of small trees."""

from __future__ import annotations

from engines.tictactoe.board import START, Player, State, next_states, parse, symbols
from engines.tictactoe.games import Tree, perft, reachable, tree
from engines.tictactoe.symmetry import canonical


def board(text: str) -> State:
    """The state of nine symbols."""
    return parse(text).value()


def breakdown(state: State, player: Player) -> str:
    """The counts below each move: what to look at first where a count is wrong."""
    below = ((symbols(after), tree(after, player.other)) for after in next_states(state, player))
    return "\n".join(f"{shown} {counts}" for shown, counts in below)


def test_the_full_tree_has_the_known_numbers() -> None:
    known = Tree(nodes=549_946, x_wins=131_184, o_wins=77_904, draws=46_080)
    assert tree(START, Player.X) == known, breakdown(START, Player.X)
    assert known.games == 255_168


def test_the_first_moves_share_the_games_by_corner_centre_and_edge() -> None:
    games = [tree(after, Player.O).games for after in next_states(START, Player.X)]
    corner, edge, centre = 27_732, 29_592, 25_872
    assert games == [corner, edge, corner, edge, centre, edge, corner, edge, corner]


def test_when_o_starts_the_players_change_places() -> None:
    counts = tree(START, Player.O)
    assert (counts.x_wins, counts.o_wins, counts.nodes) == (77_904, 131_184, 549_946)


def test_a_game_that_is_over_is_a_tree_of_one_node() -> None:
    assert tree(board("XXX.O.O.."), Player.O) == Tree(1, x_wins=1, o_wins=0, draws=0)
    assert tree(board("OOOXX..X."), Player.X) == Tree(1, x_wins=0, o_wins=1, draws=0)
    assert tree(board("XOXXOOOXX"), Player.X) == Tree(1, x_wins=0, o_wins=0, draws=1)


def test_the_last_move_is_a_node_of_its_own() -> None:
    # .XO / XOO / XOX: cell 0 is left, with a line for X and none for O.
    assert tree(board(".XOXOOXOX"), Player.X) == Tree(2, x_wins=1, o_wins=0, draws=0)
    assert tree(board(".XOXOOXOX"), Player.O) == Tree(2, x_wins=0, o_wins=0, draws=1)


def test_the_nodes_at_each_depth_have_the_known_numbers_and_add_up_to_the_tree() -> None:
    counts = [perft(START, Player.X, depth) for depth in range(11)]
    assert counts == [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0]
    assert sum(counts) == tree(START, Player.X).nodes


def test_a_game_that_is_over_goes_nowhere() -> None:
    won = board("XXX.O.O..")
    assert [perft(won, Player.O, depth) for depth in range(3)] == [1, 0, 0]


def test_a_game_that_ends_early_is_not_counted_at_a_later_depth() -> None:
    # XX. / OO. / XOX: X wins in cell 2, or plays on in cell 5.
    state = board("XX.OO.XOX")
    assert [perft(state, Player.X, depth) for depth in range(4)] == [1, 2, 1, 0]


def test_there_are_5478_positions_and_765_up_to_symmetry() -> None:
    positions = reachable(START, Player.X)
    assert len(positions) == 5_478
    assert len({canonical(state) for state in positions}) == 765


def test_the_positions_ascend_and_the_first_is_where_they_start() -> None:
    positions = reachable(board("XX.OO.XOX"), Player.O)
    assert list(positions) == sorted(positions)
    assert [symbols(state) for state in positions] == [
        "XX.OO.XOX",
        "XXOOO.XOX",
        "XXOOOXXOX",
        "XX.OOOXOX",
    ]


def test_nothing_is_reachable_from_a_finished_game_but_itself() -> None:
    won = board("XXX.O.O..")
    assert reachable(won, Player.O) == (won,)
