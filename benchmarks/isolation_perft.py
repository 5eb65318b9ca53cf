"""perft of Isolation beside the plain way of counting: python benchmarks/isolation_perft.py [depth]

Prints, for 57 and 0 played, sequences a second, and how many times as long as the engine's
`perft` the others take: the engine by its public methods, and the plain state, the last ply played
or only counted.
"""

from __future__ import annotations

import sys
from pathlib import Path

import isolation_reference as plain
from isolation_timing import report

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

# The line above finds the engines of a checkout that is not installed.
# pylint: disable-next=wrong-import-position
from engines.isolation import Isolation, perft


def by_public_methods(state: Isolation, depth: int) -> int:
    """perft as a player of the game would write it."""
    if depth == 0:
        return 1
    if state.terminal_test():
        return 0
    return sum(by_public_methods(state.result(action), depth - 1) for action in state.actions())


def main() -> None:
    """Measure and print."""
    depth = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    engine = Isolation().result(57).result(0)
    other = plain.PlainIsolation().result(57).result(0)
    report(
        f"perft to depth {depth} after 57 and 0",
        "sequences",
        {
            "engine": lambda: perft(engine, depth),
            "engine, by its public methods": lambda: by_public_methods(engine, depth),
            "plain": lambda: plain.perft(other, depth),
            "plain, last ply counted": lambda: plain.perft_without_the_last_ply(other, depth),
        },
        runs=7,
    )


if __name__ == "__main__":
    main()
