"""Run the items of a request on a worker, and read the lines of results on the client.

A line is the number of an item of the request, or "-", and a result as the workload writes it.
Nothing in it is trusted: a result belongs to an item that was asked for, or to none.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Sequence
from contextlib import closing
from math import inf
from typing import Any, Final, Generic, NamedTuple, TypeVar

from harness.engine.running import WorkloadRun
from harness.engine.workload import Workload, WorkOptions

I = TypeVar("I")
R = TypeVar("R")

Json = dict[str, Any]
_NO_ITEM: Final = "-"
_LEAST_S: Final = 1e-3  # until a deadline


class BatchResults(NamedTuple, Generic[I, R]):
    """The results of a batch, and the items that are missing."""

    results: list[R]
    missing: tuple[I, ...]


def batch_request(workload: Workload[I, R], items: Sequence[I], options: WorkOptions) -> Json:
    """Return the request that a worker runs these items."""
    left_s = None if options.ends_at == inf else options.ends_at - time.monotonic()
    return {
        "parallel": options.parallel,
        "alone": options.is_alone,
        "deadline_s": left_s,
        "items": list(map(workload.write_item, items)),
    }


def run_batch(workload: Workload[I, R], request: Json, losses: list[str]) -> Iterator[str]:
    """Run the items of a request; yield lines as they come, then add sentences on workers that
    were lost."""
    items = list(map(workload.read_item, request["items"]))
    numbers: dict[Hashable, int] = {workload.key(item): at for at, item in enumerate(items)}
    left_s = request["deadline_s"]
    ends_at = inf if left_s is None else time.monotonic() + max(left_s, _LEAST_S)
    options = WorkOptions(request["parallel"], is_alone=request["alone"], ends_at=ends_at)
    with closing(WorkloadRun(workload, items, len(items), options)) as run:
        for result in run.all_results():
            yield _line_of(workload, result, numbers)
        losses += run.losses


def read_batch(
    workload: Workload[I, R], items: Sequence[I], lines: Sequence[str]
) -> BatchResults[I, R]:
    """Return the results of the items that are complete, and of none. Raises ValueError."""
    results: dict[int, list[R]] = {number: [] for number in range(len(items))}
    complete: set[int] = set()
    others: list[R] = []
    for line in lines:
        number, text = line.split(" ", 1)
        if number == _NO_ITEM:
            others.append(workload.read_result(None, text))
            continue
        if int(number) not in results:
            raise ValueError("a result that was not asked for")
        result = workload.read_result(items[int(number)], text)
        results[int(number)].append(result)
        if workload.facts(result).is_last:
            complete.add(int(number))
    finished = [each for number in sorted(complete) for each in results[number]]
    missing = tuple(item for number, item in enumerate(items) if number not in complete)
    return BatchResults(finished + others, missing)


def _line_of(workload: Workload[I, R], result: R, numbers: dict[Hashable, int]) -> str:
    number = numbers.get(workload.facts(result).item, _NO_ITEM)
    return f"{number} {workload.write_result(result)}"
