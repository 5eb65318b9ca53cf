"""Time contestants that must agree, in turns, so that other load slows all alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter


def report(title: str, unit: str, contestants: Mapping[str, Callable[[], int]], runs: int) -> None:
    """Print the median time of each contestant, its speed in `unit` per second, and its ratio to
    the first (the median of the ratios, run by run).

    A contestant returns its number of units. Raises AssertionError if they differ.
    """
    rounds = [{name: _timed(run) for name, run in contestants.items()} for _ in range(runs)]
    made = {count for timed in rounds for count, _ in timed.values()}
    assert len(made) == 1, f"the contestants disagree: {made}"
    count = made.pop()
    first = next(iter(contestants))
    print(f"{title}: {count:,} {unit}, medians of {runs} interleaved runs")
    for name in contestants:
        seconds = median(timed[name][1] for timed in rounds)
        ratio = median(timed[name][1] / timed[first][1] for timed in rounds)
        speed = f"{count / seconds:12,.0f} {unit}/s"
        print(f"  {name:34} {seconds * 1000:9.2f} ms {speed} {ratio:7.1f} x")


def _timed(run: Callable[[], int]) -> tuple[int, float]:
    start = perf_counter()
    count = run()
    return count, perf_counter() - start
