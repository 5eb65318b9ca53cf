"""The order of reachable states; docs/games/tictactoe.md and the corpus have the rules."""

from __future__ import annotations

from engines.tictactoe import Player, parse, reachable, symbols


def test_reachable_states_ascend() -> None:
    start = parse("XX.OO.XOX").value()
    assert [symbols(state) for state in reachable(start, Player.O)] == [
        *("XX.OO.XOX", "XXOOO.XOX", "XXOOOXXOX", "XX.OOOXOX"),
    ]
