"""Reachable states, games and images; docs/games/tictactoe.md and the corpus have the rules."""

from __future__ import annotations

from engines.tictactoe import (
    Player,
    canonical,
    images,
    mirrored,
    parse,
    reachable,
    symbols,
    tree,
)


def test_reachable_states_ascend() -> None:
    start = parse("XX.OO.XOX").value()
    assert [symbols(state) for state in reachable(start, Player.O)] == [
        *("XX.OO.XOX", "XXOOO.XOX", "XXOOOXXOX", "XX.OOOXOX"),
    ]


def test_a_draw_is_a_game_that_nobody_wins() -> None:
    last_move = tree(parse("XOXXOOOX.").value(), Player.X)
    assert (last_move.games, last_move.draws, last_move.nodes) == (1, 1, 2)


def test_a_state_without_symmetry_has_eight_images_and_one_canonical_state() -> None:
    state = parse("XO.......").value()
    assert len({*images(state)}) == 8
    assert canonical(mirrored(state)) == canonical(state)
