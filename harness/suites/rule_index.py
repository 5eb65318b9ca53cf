"""Find the rules of a suite that match a case, among thousands of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final, Generic, Protocol, TypeVar

from harness.model.case_names import CaseName, Match, exact_text, patterns_of, selects


class _HasMatch(Protocol):
    @property
    def match(self) -> Match: ...

    @property
    def _fields(self) -> tuple[str, ...]: ...


_Rule = TypeVar("_Rule", bound=_HasMatch)


class RuleIndex(Generic[_Rule]):
    """Tables such as `[[cases]]`, by the names of the cases if they name single ones.

    A suite may have a table for each of thousands of cases, or one that names them all.
    """

    def __init__(self, rules: tuple[_Rule, ...]) -> None:
        self._rules = rules
        self._named: dict[str, list[int]] = {}
        self._others: list[int] = []
        self._last: tuple[CaseName, list[int]] | None = None
        # The keys that any of them sets.
        self.keys = {
            key for rule in rules for key in rule._fields if getattr(rule, key) is not None
        }
        for number, rule in enumerate(rules):
            texts = [exact_text(pattern) for pattern in patterns_of(rule.match)]
            if None in texts:
                self._others.append(number)
            else:
                for text in filter(None, dict.fromkeys(texts)):
                    self._named.setdefault(text, []).append(number)

    def numbers(self, name: CaseName) -> list[int]:
        """Return the places of the rules that match a case, ascending."""
        if self._last is None or self._last[0] != name:
            others = (at for at in self._others if selects(self._rules[at].match, name))
            self._last = name, sorted([*self._named.get(name.text, ()), *others])
        return self._last[1]

    def matching(self, name: CaseName) -> list[_Rule]:
        return [self._rules[number] for number in self.numbers(name)]


# By the identity of rules, which an index keeps alive: hashing thousands of them takes long.
_INDEXES: Final[dict[int, RuleIndex[Any]]] = {}
_MOST_INDEXES: Final = 1_000


def index_of(rules: tuple[_Rule, ...]) -> RuleIndex[_Rule]:
    """Return the index of some rules, made at the first call."""
    index = _INDEXES.get(id(rules))
    if index is None:
        if len(_INDEXES) >= _MOST_INDEXES:
            _INDEXES.clear()
        index = _INDEXES[id(rules)] = RuleIndex(rules)
    return index


def unmatched_patterns(patterns: Iterable[str], names: Collection[CaseName]) -> Iterator[str]:
    """Yield the patterns that match none of the cases."""
    patterns = tuple(patterns)
    left = {text for pattern in patterns if (text := exact_text(pattern)) is not None}
    for name in names if left else ():  # one pass: a packed suite is read on each
        left.discard(name.text)
    for pattern in patterns:
        text = exact_text(pattern)
        if text in left if text is not None else not any(selects(pattern, name) for name in names):
            yield pattern
