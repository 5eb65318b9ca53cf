"""Time the making and shrinking of inputs of `xtest fuzz`, by the suites of this project.

    python benchmarks/fuzzing.py [INPUTS]

Prints processor time per input (of 4,000) or candidate, and the ratio of that to reading and
writing the same inputs with the decoder and encoder of xtest.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

from measuring import TOP

sys.path.insert(0, str(TOP))
# pylint: disable=wrong-import-position  # after the checkout is on the path
from harness.fuzz.making import make_inputs
from harness.fuzz.mutation import InputMaker
from harness.fuzz.shrinker import Shrinker
from harness.jsonio.decoder import Json, encode
from harness.jsonio.fast import decode
from harness.suites.loading import read_suite

_SHRUNK = 20  # of the inputs
_TRIES = 300  # of a shrink


def main(inputs: int) -> None:
    """Print the table."""
    print(f"{'suite':16}{'make, ms':>10}{'ratio':>8}{'shrink, ms':>12}{'ratio':>8}")
    for folder in sorted(each for each in (TOP / "test_cases").iterdir() if each.is_dir()):
        maker = make_inputs(read_suite(folder.name, folder), 1).maker
        made: list[Json] = []
        cells = costs(partial(make_all, maker, inputs, made), made)
        values = sorted(made, key=lambda value: len(encode(value)))[:: inputs // _SHRUNK]
        tried: list[Json] = []
        cells += costs(partial(shrink, maker, values, tried), tried)
        print(f"{folder.name:16}{cells[0]:10.3f}{cells[1]:8.1f}{cells[2]:12.3f}{cells[3]:8.1f}")


def make_all(maker: InputMaker, inputs: int, made: list[Json]) -> None:
    made += (value for n in range(inputs) if (value := maker.make(n)[0]) is not None)


def shrink(maker: InputMaker, values: list[Json], tried: list[Json]) -> None:
    """Shrink inputs of which every third candidate keeps the finding."""
    for value in values:
        shrinker, mine = Shrinker(value, maker), 0
        while mine < _TRIES and (batch := shrinker.next_batch()):
            mine += len(batch)
            tried += batch
            shrinker.hear([number % 3 == 2 for number in range(len(batch))])


def costs(work: Callable[[], None], values: list[Json]) -> list[float]:
    """Return the milliseconds of `work` for each of the values that it makes, and the ratio."""
    made_s = cpu_s(work)
    texts = [encode(value).encode() for value in values]
    read_s = cpu_s(lambda: [encode(each) for text in texts for each in decode(text).values])
    return [1e3 * made_s / len(values), made_s / read_s]


def cpu_s(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4_000)
