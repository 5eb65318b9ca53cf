"""Compare Isolation's perft with plain counting: python benchmarks/isolation_perft.py [depth]

Prints sequences per second after 57 and 0, and the ratio to the engine's `perft` of the engine's
public methods and of the plain state, with the last ply played or only counted.
"""

from __future__ import annotations

import sys
from pathlib import Path

import isolation_reference as plain
from isolation_timing import report

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

# The line above makes a checkout importable without installation.
# pylint: disable-next=wrong-import-position
from engines.isolation import Isolation, perft


def by_public_methods(state: Isolation, depth: int) -> int:
    """Return perft using only the public methods of the engine."""
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
