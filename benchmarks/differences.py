"""Time the comparison of large values: with aligned arrays, and element by element.

    python benchmarks/differences.py

Decoding is not counted. Element by element, a missing element makes all later ones differ. Both
stop after 10,000 differences, as the judge does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import islice
from random import Random
from typing import Final

from harness.jsonio.decoder import Json, Number
from harness.judging.array_diff import aligned_differences
from harness.judging.equality import differences
from harness.model.comparison import Comparison
from harness.model.judgement import Difference

_MOST: Final = 10_000
_MANY: Final = 100_000
_RECORDS: Final = 2_000

Find = Callable[[list[Json], list[Json], Comparison], Iterator[Difference]]


def numbers(count: int, factor: int = 7_919) -> list[Json]:
    """Return different numbers in no particular order."""
    return [Number(str(index * factor % 100_003)) for index in range(count)]


def changed(values: list[Json], *places: int) -> list[Json]:
    """Return the values with other ones at these places."""
    return [Number("-1") if index in places else value for index, value in enumerate(values)]


def record(number: int, score: int) -> Json:
    """Return an object with a few members."""
    tags: list[Json] = ["a", "b", f"t{number}"]
    return {"id": Number(str(number)), "score": Number(str(score)), "tags": tags}


def cases() -> dict[str, tuple[Json, Json]]:
    """Return pairs of expected and actual values, by name."""
    many = numbers(_MANY)
    other = changed(many, 5, _MANY // 2, _MANY - 9)
    random = Random(0)
    shuffled = random.sample(many[:20_000], 20_000)
    digits: list[Json] = [Number(str(random.randrange(3))) for _ in range(40_000)]
    records = [record(number, 1) for number in range(_RECORDS)]
    half = [record(number, number % 2) for number in range(1, _RECORDS)]
    return {
        "100,000 numbers, 3 changed": (many, other),
        "100,000 numbers, the first missing": (many, many[1:]),
        "100,000 numbers, both": (many, other[1:]),
        "20,000 numbers, all others": (many[:20_000], many[20_000:40_000]),
        "20,000 numbers, shuffled": (many[:20_000], shuffled),
        "20,000 numbers of three kinds": (digits[:20_000], digits[20_000:]),
        "2,000 records, half changed, the first missing": (records, half),
    }


def timed(find: Find, expected: Json, actual: Json) -> tuple[float, int]:
    """Return the seconds of CPU time, and the number of differences."""
    started = time.process_time()
    found = sum(1 for _ in islice(find([expected], [actual], Comparison()), _MOST))
    return time.process_time() - started, found


def main() -> None:
    """Time all cases and print the table."""
    print(f"{'':48}{'aligned':>18}{'by index':>18}")
    for name, (expected, actual) in cases().items():
        results = (timed(find, expected, actual) for find in (aligned_differences, differences))
        print(f"{name:48}" + "".join(f"{took:>9.3f} s{found:>7}" for took, found in results))


if __name__ == "__main__":
    main()
