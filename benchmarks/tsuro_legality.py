"""Compare Tsuro's options of a turn with the plain way: python benchmarks/tsuro_legality.py [games]

All turns of random games of five second-s players are evaluated by the engine, which follows each
path around a square once, and with a deep copy of the board per option. Then the games themselves
are timed.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from isolation_timing import report
from tsuro_plain import PlainBoard, flaws

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

# The line above makes a checkout importable without installation.
# pylint: disable=wrong-import-position
from engines.tsuro import (
    COLORS,
    SECOND,
    TILES,
    ColorString,
    Fate,
    Layout,
    Placement,
    TileIndex,
    TurnTiles,
    layout_after,
    layout_with,
    options,
    turn_outcome,
)

# pylint: enable=wrong-import-position


class Turn(NamedTuple):
    """A board, the player to move, and its two tiles."""

    layout: Layout
    player: ColorString
    given: TurnTiles


def turns(number: int) -> Iterator[Turn]:
    """Return the turns of the game of five second-s players with this seed."""
    chance = random.Random(number)
    layout = Layout({}, {})
    for player in COLORS:
        tiles = (_drawn(chance), _drawn(chance), _drawn(chance))
        layout = layout_with(layout, player, SECOND.initial_placement(layout, player, tiles))
    while len(layout.avatars) > 1:
        for player in COLORS:
            if player in layout.avatars:
                turn = Turn(layout, player, (_drawn(chance), _drawn(chance)))
                yield turn
                layout = _layout_after(turn)


def count_flawless(every: list[Turn]) -> int:
    """Return the number of options without a flaw, by the engine."""
    return sum(option.flaw is None for turn in every for option in options(*turn))


def count_flawless_plainly(every: list[tuple[PlainBoard, str, list[list[int]]]]) -> int:
    """Return the number of options without a flaw, by the plain way."""
    return sum(flaw == "" for turn in every for flaw in flaws(*turn))


def plain(turn: Turn) -> tuple[PlainBoard, str, list[list[int]]]:
    """Convert a turn to the plain representation."""
    rows: list[list[list[int] | None]] = [[None] * 10 for _ in range(10)]
    for square, tile in turn.layout.tiles.items():
        rows[square // 10][square % 10] = [*tile.exits]
    avatars = {
        str(player): (square % 10, square // 10, int(port))
        for player, (square, port) in turn.layout.avatars.items()
    }
    return PlainBoard(rows, avatars), turn.player, [[*TILES[index].exits] for index in turn.given]


def main() -> None:
    """Measure and print."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    every = [turn for number in range(games) for turn in turns(number)]
    plain_ones = [plain(turn) for turn in every]
    report(
        f"all eight options of the {len(every)} turns of {games} games",
        "good options",
        {
            "engine": lambda: count_flawless(every),
            "plain: a deep copy for each": lambda: count_flawless_plainly(plain_ones),
        },
        runs=3,
    )
    report(
        f"{games} games of five second-s players",
        "turns",
        {"rules and strategies": lambda: sum(1 for n in range(games) for _ in turns(n))},
        runs=3,
    )


def _drawn(chance: random.Random) -> TileIndex:
    return TileIndex(chance.randrange(len(TILES)))


def _layout_after(turn: Turn) -> Layout:
    layout, player, given = turn
    outcome = turn_outcome(layout, player, given, SECOND.turn(layout, player, given))
    if not isinstance(outcome, Placement):
        return _without(layout, player)
    looping = [each for each, end in outcome.ends.items() if end.fate is Fate.LOOPS]
    return _without(layout, *looping) if looping else layout_after(layout, outcome)


def _without(layout: Layout, *gone: ColorString) -> Layout:
    return Layout(layout.tiles, {p: spot for p, spot in layout.avatars.items() if p not in gone})


if __name__ == "__main__":
    main()
