"""Compare ways to compute all 36 neighbour counts of a board.

Run from the top of the checkout: `python -m benchmarks.bitboard36_neighbours`. All ways must give
the same counts. They run in turns, so that other load on the machine slows all alike.
"""

from __future__ import annotations

import random
import statistics
import time
from typing import TYPE_CHECKING, Final

from engines.bitboard36.neighbours import neighbour_count, neighbour_counts, neighbour_planes
from engines.bitboard36.shape import CELLS, FULL, OFFSETS, POSITIONS, SIDE
from engines.bitboard36.words import Word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_BOARDS: Final = 300
_ROUNDS: Final = 15
_SEED: Final = 36


def main() -> None:
    """Check that all ways agree, then print medians and ratios to the plain way."""
    chosen = random.Random(_SEED)
    boards = [Word(chosen.randint(0, FULL)) for _ in range(_BOARDS)]
    _assert_equal(boards)
    medians = {name: statistics.median(times) for name, times in _timed(boards).items()}
    slowest = medians[_PLAIN]
    print(f"36 neighbour counts, {_BOARDS} boards, median of {_ROUNDS} interleaved runs")
    for name, median in medians.items():
        per_board = median / _BOARDS * 1e6
        print(f"{name:<{_WIDTH}} {per_board:8.2f} us a board {slowest / median:7.1f} x")


def plain_counts(pieces: Word) -> tuple[int, ...]:
    """Count one position at a time, checking its eight offsets against the edges."""
    counts = []
    for at in POSITIONS:
        count = 0
        for offset in OFFSETS:
            near = at + offset
            if 0 <= near < CELLS and -1 <= near % SIDE - at % SIDE <= 1:
                count += pieces >> near & 1
        counts.append(count)
    return tuple(counts)


def masked_counts(pieces: Word) -> tuple[int, ...]:
    """Count one position at a time with its mask."""
    counts = [neighbour_count(pieces, at) for at in POSITIONS]
    return tuple(counts)


def counts_of_planes(pieces: Word) -> tuple[int, ...]:
    """Compute the planes and extract the 36 counts."""
    ones, twos, fours, eights = neighbour_planes(pieces)
    counts = [
        (ones >> at & 1) + 2 * (twos >> at & 1) + 4 * (fours >> at & 1) + 8 * (eights >> at & 1)
        for at in POSITIONS
    ]
    return tuple(counts)


_PLAIN: Final = "one position at a time, eight offsets"
_WAYS: Final[dict[str, Callable[[Word], tuple[int, ...]]]] = {
    _PLAIN: plain_counts,
    "one position at a time, by its mask": masked_counts,
    "planes, then 36 numbers one by one": counts_of_planes,
    "neighbour_counts: 36 numbers at once": neighbour_counts,
    "neighbour_planes: left as four words": neighbour_planes,
}
_WIDTH: Final = max(map(len, _WAYS))


def _assert_equal(boards: Sequence[Word]) -> None:
    # The planes are compared as the numbers in them.
    for pieces in boards:
        counts = plain_counts(pieces)
        assert masked_counts(pieces) == counts
        assert counts_of_planes(pieces) == counts
        assert neighbour_counts(pieces) == counts


def _timed(boards: Sequence[Word]) -> dict[str, list[float]]:
    # Seconds for all boards, a list of runs by the name of the way.
    times: dict[str, list[float]] = {name: [] for name in _WAYS}
    for _ in range(_ROUNDS):
        for name, counted in _WAYS.items():
            start = time.perf_counter()
            for pieces in boards:
                counted(pieces)
            times[name].append(time.perf_counter() - start)
    return times


if __name__ == "__main__":
    main()
