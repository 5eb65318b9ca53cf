"""The input and output that xref and xadmin share: players, strategies, and ranks of names.

docs/games/tsuro-games.md specifies them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from engines.tsuro.strategies import FIRST, SECOND, THIRD
from xtests.errors import ROOT, InputError, Kind, Pointer, element
from xtests.parsing import check_end, describe, parse_array, require_value, unexpected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from engines.tsuro.strategies import Strategy
    from harness.jsonio.decoder import Json

__all__ = [
    "PLAYERS_AT",
    "check_unique_names",
    "parse_name",
    "parse_players",
    "parse_strategy",
    "sort_ranks",
]

T = TypeVar("T")

PLAYERS_AT: Final = element(ROOT, 0)

_STRATEGY: Final = (
    "the path of a strategy (whose last part, up to its first dot, is first-s, second-s, third-s, "
    "FirstS, SecondS or ThirdS)"
)

_STRATEGIES: Final[dict[str, Strategy]] = {
    **{"first-s": FIRST, "second-s": SECOND, "third-s": THIRD},
    **{"FirstS": FIRST, "SecondS": SECOND, "ThirdS": THIRD},
}


def parse_players(
    values: list[Json],
    lengths: tuple[int, ...],
    expected: str,
    parse_player: Callable[[Json, Pointer], T],
) -> tuple[T, ...]:
    """Return the players in the only input value, oldest first."""
    parts = parse_array(require_value(values, 0, expected), PLAYERS_AT, lengths, expected)
    players = tuple(parse_player(part, element(PLAYERS_AT, k)) for k, part in enumerate(parts))
    check_end(values, 1)
    return players


def parse_name(value: Json, at: Pointer) -> str:
    """Return the name of a player, which may be any string."""
    if not isinstance(value, str):
        raise unexpected(value, at, "a name (a string)")
    return value


def parse_strategy(value: Json, at: Pointer) -> Strategy:
    """Return the strategy that a path names."""
    if isinstance(value, str):
        last_part = value.rpartition("/")[2].partition(".")[0]
        if last_part in _STRATEGIES:
            return _STRATEGIES[last_part]
    raise unexpected(value, at, _STRATEGY)


def check_unique_names(names: Sequence[str], places: Sequence[Pointer]) -> None:
    """Raise InputError for the first name that an earlier player has."""
    first: dict[str, Pointer] = {}
    for name, place in zip(names, places, strict=True):
        if name in first:
            message = (
                f"two players of one name: {describe(name)} at {first[name]}, "
                f"found again at {place}"
            )
            raise InputError(Kind.INVALID_SPEC, place, message)
        first[name] = place


def sort_ranks(ranking: Iterable[Iterable[str]]) -> list[list[str]]:
    """Return the ranks to print, each sorted by code points."""
    return [sorted(rank) for rank in ranking]
