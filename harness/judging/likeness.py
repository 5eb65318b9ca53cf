"""How much alike two JSON values are that are not equal, so that a changed one finds its partner.

Pure, bounded, and a guess: it decides what is shown beside what, and never what is equal. Only the
beginning of a value is looked at. Source: docs/differences.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from harness.jsontext import Json, Number, encode

__all__ = ["ONE_KIND", "Bag", "bag_of", "likeness"]

_MOST_PARTS: Final = 64  # of a value that are looked at
ONE_KIND: Final = 0.05  # the likeness of two values that have nothing else in common

# What a value consists of: its kind, and each part as often as it comes.
Bag = tuple[type, Counter[str]]


def bag_of(value: Json) -> Bag:
    """What a value consists of: a string of pairs of characters, a container of its keys and simple
    values at any depth."""
    if isinstance(value, str):
        text = value[: _MOST_PARTS + 1]
        return str, Counter(map("".join, zip(text, text[1:], strict=False)))
    if isinstance(value, (list, dict)):
        return type(value), Counter(_parts(value))
    return type(value), Counter()


def likeness(left: Bag, right: Bag) -> float:
    """From 0 (of different kinds) to 1 (all parts in common)."""
    if left[0] is not right[0]:
        return 0
    size = left[1].total() + right[1].total()
    return max(ONE_KIND, 2 * (left[1] & right[1]).total() / size) if size else ONE_KIND


def _parts(value: list[Json] | dict[str, Json]) -> Iterator[str]:
    """A key once and what stands under it twice: values tell more than the keys that all have."""
    todo: list[tuple[str, Json]] = [("", value)]
    seen = 0
    while todo and seen < _MOST_PARTS:
        label, item = todo.pop()
        seen += 1
        if label:
            yield label
        if isinstance(item, dict):
            members = list(zip(item.items(), range(_MOST_PARTS), strict=False))
            todo += [(f"{key[:_MOST_PARTS]}:", member) for (key, member), _ in reversed(members)]
        elif isinstance(item, list):
            todo += [("", element) for element in reversed(item[:_MOST_PARTS])]
        else:
            yield from [f"{label} {_simple(item)}"] * 2


def _simple(item: None | bool | str | Number) -> str:
    return encode(item[:_MOST_PARTS] if isinstance(item, str) else item)
