"""Compare `engines.tictactoe.tree` with the notebook's way: python benchmarks/tictactoe_tree.py
[runs]

Both walk all 549,946 nodes and must agree. The notebook's way makes a set of the empty fields of
each state and tries eight lines for both sides. It is written here without the checks of
`engines.tictactoe.notebook`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

# Runs with plain python, from any folder of a checkout.
sys.path.insert(0, str(Path(__file__).parents[1]))

# pylint: disable=wrong-import-position  # after the path, by necessity
from engines.tictactoe import START, Player, Tree, tree
from engines.tictactoe.notebook import gAllLines

if TYPE_CHECKING:
    from collections.abc import Callable

KNOWN = Tree(nodes=549_946, x_wins=131_184, o_wins=77_904, draws=46_080)
AT_LEAST = 5


def notebook_utility(s: int) -> int | None:
    """Return the utility as the notebook does, trying each line for X, then for O."""
    for line in gAllLines:
        if s & line == line:
            return 1
        if (s >> 9) & line == line:
            return -1
    return None if (s & 511) | (s >> 9) != 511 else 0


def notebook_next_states(s: int, player: int) -> list[int]:
    """Return the next states as the notebook does, from a set of empty fields."""
    empty = {n for n in range(9) if s & ((1 << n) | (1 << (9 + n))) == 0}
    return [s | (1 << (player * 9 + n)) for n in empty]


def notebook_tree(s: int, player: int, counts: dict[int, int]) -> int:
    """Return the number of nodes by recursion; `counts` collects the games by utility."""
    result = notebook_utility(s)
    if result is not None:
        counts[result] += 1
        return 1
    below = notebook_next_states(s, player)
    return 1 + sum(notebook_tree(after, 1 - player, counts) for after in below)


def the_notebook_s_way() -> Tree:
    """Return the counts of the full tree."""
    counts = {1: 0, -1: 0, 0: 0}
    nodes = notebook_tree(0, 0, counts)
    return Tree(nodes, x_wins=counts[1], o_wins=counts[-1], draws=counts[0])


def our_way() -> Tree:
    """Return the counts of the full tree."""
    return tree(START, Player.X)


def timed(count: Callable[[], Tree]) -> float:
    """Return the seconds of a count, checking its result."""
    start = perf_counter()
    counted = count()
    seconds = perf_counter() - start
    assert counted == KNOWN, f"{count.__name__}: {counted}, expected {KNOWN}"
    return seconds


def main(runs: int) -> None:
    """Run both in turns and print medians and their ratio."""
    pairs = [(timed(the_notebook_s_way), timed(our_way)) for _ in range(runs)]
    theirs, ours = (median(column) for column in zip(*pairs, strict=True))
    ratio = median(one / other for one, other in pairs)
    print(f"full tree, {KNOWN.nodes:,} nodes, {KNOWN.games:,} games, medians of {runs} runs")
    print(f"  the notebook's way  {theirs * 1000:8.1f} ms")
    print(f"  engines.tictactoe   {ours * 1000:8.1f} ms")
    print(f"  ratio               {ratio:8.1f}  (wanted: at least {AT_LEAST})")
    assert ratio >= AT_LEAST, f"only {ratio:.1f} times faster, expected at least {AT_LEAST}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
