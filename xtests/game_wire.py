"""What xref and xadmin share: one value that names players, and ranks of names.

Pure. Source: docs/xref.md and docs/xadmin.md.
"""

from __future__ import annotations

from typing import Final

from xtests.form import shown, unexpected
from xtests.refusal import EVERYTHING, Kind, Pointer, Refused, element, incomplete

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.jsontext import Json

__all__ = ["PLAYERS_AT", "check_end", "check_names", "first_value", "name", "ranks_by_name"]

PLAYERS_AT: Final = element(EVERYTHING, 0)


def first_value(values: list[Json], expected: str) -> Json:
    """The value that the players are in. Raises Refused where there is none."""
    if not values:
        raise incomplete(0, expected)
    return values[0]


def check_end(values: list[Json]) -> None:
    """Raise Refused where a second value follows."""
    if len(values) > 1:
        raise unexpected(values[1], element(EVERYTHING, 1), "the end of the input")


def name(value: Json, at: Pointer) -> str:
    """The name of a player: any string."""
    if not isinstance(value, str):
        raise unexpected(value, at, "a name (a string)")
    return value


def check_names(names: Sequence[str], places: Sequence[Pointer]) -> None:
    """Raise Refused for the first name that an earlier player has; `places` are those of names."""
    first: dict[str, Pointer] = {}
    for each, place in zip(names, places, strict=True):
        if each in first:
            message = (
                f"two players of one name: {shown(each)} at {first[each]}, found again at {place}"
            )
            raise Refused(Kind.INVALID_SPEC, place, message)
        first[each] = place


def ranks_by_name(ranking: Iterable[Iterable[str]]) -> list[list[str]]:
    """The ranks as they are printed: each in the order of the names' code points."""
    return [sorted(rank) for rank in ranking]
