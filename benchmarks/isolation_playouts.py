"""Compare random games of Isolation with the plain state: python benchmarks/isolation_playouts.py
[games]

Both play the same games with `terminal_test`, `actions` and `result`, and count the plies. Both
times include the random choice of actions.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from isolation_reference import PlainIsolation
from isolation_timing import report

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

# The line above makes a checkout importable without installation.
# pylint: disable-next=wrong-import-position
from engines.isolation import Isolation


def played(start: Isolation | PlainIsolation, number: int) -> Isolation | PlainIsolation:
    """Return the end of the random game with this seed."""
    chance = random.Random(number)
    state = start
    while not state.terminal_test():
        state = state.result(chance.choice(state.actions()))
    return state


def plies(start: Isolation | PlainIsolation, games: int) -> int:
    """Return the number of plies of this many games."""
    return sum(played(start, number).ply_count for number in range(games))


def main() -> None:
    """Measure and print."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for number in range(games):
        assert played(Isolation(), number) == played(PlainIsolation(), number), number
    report(
        f"{games} random games",
        "plies",
        {
            "engine": lambda: plies(Isolation(), games),
            "plain": lambda: plies(PlainIsolation(), games),
        },
        runs=7,
    )


if __name__ == "__main__":
    main()
