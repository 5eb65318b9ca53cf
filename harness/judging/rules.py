"""What a comparison says at each place of a value, carried along on the way down.

Pure. Patterns are followed step by step, and each distinct outlook is made once for a comparison:
a walk of any depth looks its steps up. Of the rules for a place the last one that speaks holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from harness.judging.comparison import (
    Comparison,
    Matching,
    Numbers,
    Order,
    PlaceRule,
    Schema,
    Strings,
    Tolerance,
)
from harness.paths import Paths, meet, parse_pattern

__all__ = ["Here", "Rules", "rules_of", "unsound"]


class Here(NamedTuple):
    """All that holds at one place."""

    numbers: Numbers | Tolerance = Numbers.EXACT
    strings: Strings | Matching = Strings.EXACT
    order: Order = Order.LIST
    key: str | None = None
    schema: Schema | None = None
    ignore: bool = False

    def after(self, rule: PlaceRule, usual: Here) -> Here:
        """What holds when one more rule has spoken."""
        if rule.forget:
            return usual
        order, key = self.order, self.key
        if rule.order is not None or rule.key is not None:
            order, key = rule.order or Order.MULTISET, rule.key
        return Here(
            self.numbers if rule.numbers is None else rule.numbers,
            self.strings if rule.strings is None else rule.strings,
            order,
            key,
            self.schema if rule.schema is None else rule.schema,
            self.ignore if rule.ignore is None else rule.ignore,
        )


class Rules:
    """The rules as they are seen from a place: what holds `here`, and what `below` a step."""

    __slots__ = ("_below", "_known", "_named", "_paths", "_spoken", "_usual", "here", "is_uniform")

    def __init__(
        self,
        usual: Here,
        spoken: tuple[PlaceRule, ...],
        paths: tuple[Paths, ...],
        known: dict[tuple[Paths, ...], Rules],
    ) -> None:
        """`paths` are those of each rule, from here. `known` are the outlooks made so far."""
        here = usual
        for rule, seen in zip(spoken, paths, strict=True):
            if seen.here:
                here = here.after(rule, usual)
        self.here: Final = here
        # No path leads to this place or below it.
        self.is_uniform: Final = not any(seen.is_left for seen in paths)
        self._usual: Final = usual
        self._spoken: Final = spoken
        self._paths: Final = paths
        self._named: Final = {name for seen in paths for name in seen.first_steps}
        self._known: Final = known
        self._below: Final[dict[str | None, Rules]] = {}
        known[paths] = self

    @property
    def name_an_index(self) -> bool:
        """Whether one of the patterns speaks of one element of an array here."""
        return any(name.isdecimal() for name in self._named)

    def below(self, step: int | str) -> Rules:
        """The rules as they are seen from one step down. All steps that no pattern names lead to
        the same outlook."""
        if self.is_uniform:
            return self
        name = str(step)
        named = name if name in self._named else None
        found = self._below.get(named)
        if found is None:
            found = self._below[named] = self._outlook(name)
        return found

    def _outlook(self, name: str) -> Rules:
        paths = tuple(seen.below(name) for seen in self._paths)
        known = self._known.get(paths)
        return known or Rules(self._usual, self._spoken, paths, self._known)


@lru_cache(maxsize=16)
def rules_of(comparison: Comparison) -> Rules:
    """The rules of a comparison as they are seen from the whole stream."""
    usual = Here(comparison.numbers, comparison.strings)
    paths = tuple(Paths(map(parse_pattern, rule.paths)) for rule in comparison.rules)
    return Rules(usual, comparison.rules, paths, {})


def unsound(comparison: Comparison) -> str:
    """What makes a comparison one that cannot be decided, as a sentence; the empty text: nothing.

    To pair the elements of a set so that as many as possible are within a tolerance is another
    question than equality (near is not transitive), slow and hard to explain. It is refused, unless
    a key says which elements belong together.
    """
    spoken = (PlaceRule(("/**",), numbers=comparison.numbers), *comparison.rules)
    arrays = list(_loose_arrays(spoken))
    for number, rule in enumerate(spoken):
        if isinstance(rule.numbers, Tolerance):
            for path, array in product(rule.paths, arrays):
                if _reaches_into(path, array) and not _is_exempt(array, spoken[number + 1 :]):
                    return _UNSOUND.format(path=path, array=array)
    return ""


_UNSOUND: Final = (
    'numbers at "{path}" have a tolerance, and may stand inside "{array}", an array whose order'
    " does not count: which of its elements belong together? Give that array a key, or say for"
    ' path = "{array}/**", in a [[compare.at]] of its own at the end, numbers = "value"'
)


def _loose_arrays(spoken: tuple[PlaceRule, ...]) -> Iterator[str]:
    """The paths of arrays whose order does not count, and which have no key."""
    for number, rule in enumerate(spoken):
        if rule.order in (Order.SET, Order.MULTISET) and rule.key is None:
            for path in rule.paths:
                later = (other for other in spoken[number + 1 :] if path in other.paths)
                if not any(other.order is Order.LIST or other.key is not None for other in later):
                    yield path


def _reaches_into(path: str, array: str) -> bool:
    return meet(parse_pattern(path), (*parse_pattern(array), "*", "**"))


def _is_exempt(array: str, later: tuple[PlaceRule, ...]) -> bool:
    """Whether one of these rules takes the tolerance from all that is inside an array."""
    without = (rule.paths for rule in later if isinstance(rule.numbers, Numbers))
    return any("/**" in paths or f"{array}/**" in paths for paths in without)
