"""Measure the memory that judging an output takes, as a multiple of the size of the output.

    python benchmarks/judge_memory.py [MEBIBYTES]

The judge process holds the request, the values of both texts, and what comparing them needs. Once
the output is compared with a small expected one, once with one of its own size that is equal.
"""

from __future__ import annotations

import marshal
import os
import resource
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from random import Random
from typing import Final

from harness.engine.judge_process import judge_here
from harness.jsonio.fast import decode
from harness.model.case import Case
from harness.model.limits import MIB
from harness.model.transcript import Exited, Transcript
from harness.process.killable import Bounds, KillableProcess, Stopped

MOST: Final = 30  # times the size of both texts


def _objects(random: Random) -> str:
    number, score = random.randrange(10**6), random.random() * 100
    return f'{{"id": {number}, "name": "user {number}", "score": {score:.3f}, "tags": ["a", "b"]}}'


KINDS: Final[dict[str, Callable[[Random], str]]] = {
    "objects": _objects,
    "numbers": lambda random: str(random.randrange(10 ** random.randrange(1, 9))),
    "digits": lambda random: str(random.randrange(10)),
    "rows of digits": lambda _: "[1,2,3,4]",
    "strings": lambda random: f'"text {random.randrange(10**6)}"',
    "nested strings": lambda _: '["a",["b",["c",{"d":"e"}]]]',
    "empty arrays": lambda _: "[]",
}


def output(kind: str, size: int) -> bytes:
    """Return an array of about this many bytes."""
    random = Random(0)
    some = ",".join(KINDS[kind](random) for _ in range(10_000))
    return f"[{','.join([some] * (size // len(some) + 1))}]".encode()


def peak_memory(request: bytes) -> bytes:
    """Judge a run in this process; return by how many bytes its memory grew."""
    before = _resident()
    expected, printed = marshal.loads(request)
    case = Case("s", "1", b"", expected, decode(expected).values)
    judge_here(case, Transcript(Exited(0), printed, stdout_bytes=len(printed)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return str(peak - before + len(request)).encode()  # the request was there before


def _resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def ratio(expected: bytes, printed: bytes) -> float:
    """Return the memory of a judgement by the size of both texts, or infinity beyond 2 GiB."""
    with closing(KillableProcess(peak_memory, Bounds(seconds=600))) as process:
        peak = process.call(marshal.dumps((expected, printed)))
    return float("inf") if isinstance(peak, Stopped) else int(peak) / len(expected + printed)


def measured(size: int) -> Iterator[tuple[str, float, float]]:
    """Yield each kind with the ratios for a small and for an equal expected output."""
    for kind in KINDS:
        printed = output(kind, size)
        yield kind, ratio(b"[0]", printed), ratio(printed + b"\n", printed)


def main() -> int:
    """Print the table; return 1 if a ratio is too high."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    print(f"{size} MiB of".ljust(20) + f"{'small expected output':>24}{'equal one':>12}")
    worst = 0.0
    for kind, small, equal in measured(size * MIB):
        print(f"{kind:20}{small:>23.1f}x{equal:>11.1f}x", flush=True)
        worst = max(worst, small, equal)
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
