"""Measure games and tournaments of Tsuro per second: python benchmarks/tsuro_games.py [games]

Games have five players of the second strategy and random decks. Tournaments have eighteen players,
as in xadmin, in this process and as whole processes.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING

TOP = Path(__file__).parents[1]
# Runs with plain python, from any folder of a checkout.
sys.path.insert(0, str(TOP))

# The line above makes a checkout importable without installation.
# pylint: disable=wrong-import-position
from engines.tsuro import SECOND, TileIndex, play_game, replay
from harness.jsonio.decoder import PROGRAM_DEPTH, Decoder
from xtests import xadmin

# pylint: enable=wrong-import-position

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SEED = 1
RUNS = 15
STRATEGIES = ("first-s", "second-s", "third-s")


def deck(dealer: random.Random) -> Iterator[TileIndex]:
    """Yield random tiles endlessly."""
    while True:
        yield TileIndex(dealer.randrange(35))


def players(count: int, strategies: tuple[str, ...]) -> bytes:
    """Return an input of xadmin that repeats these strategies."""
    entrants = [
        {"name": f"player {k}", "strategy": strategies[k % len(strategies)]} for k in range(count)
    ]
    return json.dumps(entrants).encode()


def games(count: int) -> None:
    """Time games and their replays."""
    dealer = random.Random(SEED)
    start = process_time()
    played = [play_game([SECOND] * 5, deck(dealer)) for _ in range(count)]
    taken = process_time() - start
    moves = sum(len(game.moves()) for game in played)
    print(
        f"{count} random games of five second-s players: {taken:.2f} s of processor time, "
        f"{taken / count * 1000:.2f} ms a game of {moves / count:.0f} moves; "
        f"10,000 take {taken / count * 10_000:.0f} s"
    )
    start = process_time()
    boards = sum(1 for game in played for _ in replay(game))
    taken = process_time() - start
    print(f"replayed, {boards} boards: {taken:.2f} s")


def tournaments() -> None:
    """Time tournaments of eighteen players, in process and as processes."""
    for strategies in (STRATEGIES, ("second-s",), ("third-s",), ("second-s", "third-s")):
        sent = players(18, strategies)
        decoder = Decoder(PROGRAM_DEPTH)
        values = decoder.feed(sent) + decoder.close()
        held = _median(partial(xadmin.answer, values))
        ran = _median(partial(_run, ("-m", "xtests.xadmin"), sent))
        print(
            f"a tournament of 18, {' and '.join(strategies)}: {held * 1000:.1f} ms; "
            f"as a process {ran * 1000:.0f} ms"
        )
    bare = _median(partial(_run, ("-c", "pass"), b""))
    print(f"an interpreter that does nothing: {bare * 1000:.0f} ms")


def _run(arguments: tuple[str, ...], sent: bytes) -> None:
    words = [sys.executable, *arguments]
    subprocess.run(words, input=sent, capture_output=True, check=True, cwd=TOP)


def _median(what: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        start = perf_counter()
        what()
        times.append(perf_counter() - start)
    return median(times)


if __name__ == "__main__":
    games(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
    tournaments()
