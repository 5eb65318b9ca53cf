"""The input and output that xref and xadmin share: a list of players, and ranks of names.

docs/xref.md and docs/xadmin.md specify them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from xtests.errors import ROOT, InputError, Kind, Pointer, element, incomplete
from xtests.parsing import describe, unexpected

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.jsonio.decoder import Json

__all__ = [
    "PLAYERS_AT",
    "check_single_value",
    "check_unique_names",
    "first_value",
    "parse_name",
    "sort_ranks",
]

PLAYERS_AT: Final = element(ROOT, 0)


def first_value(values: list[Json], expected: str) -> Json:
    """Return the value that holds the players."""
    if not values:
        raise incomplete(0, expected)
    return values[0]


def check_single_value(values: list[Json]) -> None:
    """Raise InputError if a second value follows."""
    if len(values) > 1:
        raise unexpected(values[1], element(ROOT, 1), "the end of the input")


def parse_name(value: Json, at: Pointer) -> str:
    """Return the name of a player, which may be any string."""
    if not isinstance(value, str):
        raise unexpected(value, at, "a name (a string)")
    return value


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
