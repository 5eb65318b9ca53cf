"""Make an input as small and simple as possible without losing what it shows.

Candidates come in a fixed order, in batches of any size: the first one that keeps the finding is
taken, so that the result depends on neither batches nor processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple, TypeVar

from harness.fuzz.edits import replaced
from harness.fuzz.mutation import InputMaker
from harness.fuzz.places import LocalDemands, Place, places
from harness.jsonio.decoder import Json, Number, encode

T = TypeVar("T")

_FIRST: Final = 8  # candidates of a batch ...
_MOST: Final = 128  # ... which doubles until one is taken
_PAIRS: Final = 16  # elements of an array of which pairs are changed together
_LONG: Final = 40  # characters of a text, or digits, that are changed one by one
_SHORT: Final = 64  # characters of a text of which runs anywhere are removed ...
_RUNS: Final = 512  # ... about so many
_DIGITS: Final = 15  # of an integer that is computed with
_POWERS: Final = ("16", "64", "128", "256", "1024", "4096", "65536")
_SCALARS: Final[tuple[Json, ...]] = (Number("0"), [], {}, "", None, True, False)
_SIMPLE: Final = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ORDER: Final = {
    ord(character): number for number, character in enumerate(dict.fromkeys(_SIMPLE + '[]{}",:-.'))
}


class _Edit(NamedTuple):
    """A value instead of those at places with the same text, none of them inside another."""

    places: Sequence[Place]
    new: Json

    def is_simpler(self) -> bool:
        """Return whether the text gets shorter, or its characters simpler."""
        old, new = self.places[0].text, encode(self.new)
        if len(new) != len(old):
            return len(new) < len(old)
        return new != old and new.translate(_ORDER) < old.translate(_ORDER)

    def is_allowed(self) -> bool:
        """Return whether the demands of each place allow the new value."""
        return all(place.demands.allow(self.new) for place in self.places)

    def text_of(self, whole: str) -> str:
        pieces, end, new = list[str](), 0, encode(self.new)
        for place in self.places:
            pieces += (whole[end : place.start], new)
            end = place.end
        return "".join((*pieces, whole[end:]))

    def value_of(self, whole: Json) -> Json:
        for place in self.places:
            whole = replaced(whole, place.path, self.new)
        return whole


class Shrinker:
    """Shrinks `best` to values that are valid or not, as it is."""

    def __init__(self, value: Json, maker: InputMaker) -> None:
        self.best = value
        self.tries = 0
        self._maker = maker
        self._is_valid = maker.accepts(value)
        self._demands = LocalDemands(((maker.schema.root,) if self._is_valid else (),))
        self._text = encode(value)
        self._tried = {self._text}
        self._edits = _simpler(places(value, self._demands))
        self._batch: list[Json] = []
        self._size = _FIRST

    def next_batch(self) -> Sequence[Json]:
        """Return values to try next; empty if none is left."""
        self._batch = []
        for edit in self._edits:
            # Most edits end here: nothing that is as large as the input is made for them.
            if not edit.is_simpler() or not edit.is_allowed():
                continue
            text = edit.text_of(self._text)
            if text not in self._tried:
                self._tried.add(text)
                value = edit.value_of(self.best)
                if self._maker.accepts(value) == self._is_valid:
                    self._batch.append(value)
                    if len(self._batch) == self._size:
                        break
        self.tries += len(self._batch)
        return self._batch

    def hear(self, keeps: Sequence[bool]) -> None:
        """Hear which values of the last batch keep the finding."""
        self._size = min(_MOST, 2 * self._size)
        found = next((n for n, is_kept in enumerate(keeps) if is_kept), None)
        if found is not None:
            self._tried.difference_update(encode(each) for each in self._batch[found + 1 :])
            self.best = self._batch[found]
            self._text = encode(self.best)
            self._edits = _simpler(places(self.best, self._demands))
            self._size = _FIRST


def _simpler(found: Sequence[Place]) -> Iterator[_Edit]:
    """Yield edits that may make a value simpler, those with the largest change first."""
    whole = found[:1]
    for value in _with_small_numbers(found):
        yield _Edit(whole, value)
    for place in found:
        for new in _structural(place.value, is_root=not place.path):
            yield _Edit((place,), new)
    for place in found:
        for new in _simpler_inside(place):
            yield _Edit((place,), new)
    yield from _together(found)
    for value in _shorter_everywhere(found):
        yield _Edit(whole, value)
    for place in found:
        if isinstance(place.value, list) and len(place.value) <= _PAIRS:
            for new in _changed_pairs(place.value):
                yield _Edit((place,), new)


def _simpler_inside(place: Place) -> Iterator[Json]:
    """Yield simpler texts, numbers, and objects with simpler keys."""
    if isinstance(place.value, str):
        yield from _simpler_texts(place.value)
    elif isinstance(place.value, Number):
        yield from map(Number, _simpler_numbers(place.value.text))
    elif isinstance(place.value, dict):
        yield from _simpler_keys(place.value, place.demands)


def _structural(value: Json, *, is_root: bool) -> Iterator[Json]:
    if not is_root:
        yield from _SCALARS
    if isinstance(value, list):
        yield from (value if not is_root else ())
        yield from _without_chunks(value)
    elif isinstance(value, dict):
        yield from (value.values() if not is_root else ())
        for items in _without_chunks(list(value.items())):
            yield dict(items)
        for key in value:
            yield {key: value[key]} | value


def _without_chunks(items: Sequence[T]) -> Iterator[list[T]]:
    size = len(items)
    while size:
        for begin in range(0, len(items), size):
            yield [*items[:begin], *items[begin + size :]]
        size //= 2


def _simpler_texts(text: str) -> Iterator[str]:
    for characters in _without_chunks(text):
        yield "".join(characters)
    yield from _without_runs(text)
    for simple in ("0", "a"):
        yield simple * len(text)
    for character in dict.fromkeys(text):
        for simple in ("0", "1", "a", "b", "A"):
            yield text.replace(character, simple)
    for at in range(min(len(text), _LONG)):
        point = ord(text[at])
        steps = (point - step for step in (4096, 256, 16, 1))
        lower = (0x10000, point // 2, (point + 0x10000) // 2, *(max(each, 32) for each in steps))
        letters = (chr(each) for each in lower if not 0xD800 <= each < 0xE000)
        for simple in ("0", "1", "a", "b", "A", *letters):
            yield text[:at] + simple + text[at + 1 :]
    if text.isalpha() and text.isascii():
        yield "".join(chr(ord(each) - 1) for each in text)


def _without_runs(text: str) -> Iterator[str]:
    """Yield a short text without its beginnings, its ends, and runs of a few characters."""
    if len(text) > _SHORT:
        return
    for at in range(1, len(text)):
        yield from (text[at:], text[:at])
    for size in range(_RUNS // max(1, len(text)), 1, -1):
        yield from (text[:at] + text[at + size :] for at in range(1, len(text) - size))


def _simpler_keys(value: dict[str, Json], demands: LocalDemands) -> Iterator[Json]:
    for key in value:
        allowed = demands.new_keys(value, key)
        if allowed is not None and not allowed:
            continue
        for new in ("", *_simpler_texts(key)):
            if new not in value and (allowed is None or new in allowed):
                yield {new if each == key else each: member for each, member in value.items()}


def _simpler_numbers(text: str) -> Iterator[str]:
    yield from (*_SIMPLE[:10], "-1", "-0", "0.0", "0.5", "1.0", "0e0", "1e0")
    yield from _respelled(text)
    if text.startswith("-"):
        yield text[1:]
    for characters in _without_chunks(text):
        shorter = "".join(characters)
        if _is_number(shorter):
            yield shorter
    yield from _POWERS if len(text) > len(_POWERS[0]) else ()
    for at, figure in enumerate(text[:_LONG]):
        for digit in ("0", "1", str(int(figure) - 1)) if figure in "123456789" else ():
            changed = text[:at] + digit + text[at + 1 :]
            if _is_number(changed):
                yield changed
    if _is_short_integer(text):
        value = int(text)
        yield from (str(value // unit) for unit in (2, 3, 5, 7) if not value % unit)
        yield from (str(value // 2), str(value - (1 if value > 0 else -1)))


def _respelled(text: str) -> Iterator[str]:
    """Yield a number without its exponent or fraction, and a large one with an exponent."""
    if len(text) > 4 and text.lstrip("-").isdecimal():
        sign = "-" * text.startswith("-")
        for figure in ("1", text.lstrip("-")[0], "9"):
            yield from (f"{sign}{figure}e{digits}" for digits in (len(text) - 1, len(text)))
    mantissa, _, power = text.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    if power:
        yield from (mantissa, f"{mantissa}e{power.lstrip('+')}")
    if fraction:
        yield whole


def _is_short_integer(text: str) -> bool:
    return len(text) <= _DIGITS and text.lstrip("-").isdecimal()


def _is_number(text: str) -> bool:
    mantissa, mark, power = text.lower().partition("e")
    whole, point, fraction = mantissa.removeprefix("-").partition(".")
    has_whole = whole.isdecimal() and (whole == "0" or whole[0] != "0")
    has_power = power.removeprefix("-").removeprefix("+").isdecimal() if mark else True
    return has_whole and has_power and (fraction.isdecimal() if point else True)


def _together(found: Sequence[Place]) -> Iterator[_Edit]:
    """Yield edits of several places: of equal values, of sums."""
    groups: dict[str, list[Place]] = {}
    for place in found[1:]:
        groups.setdefault(place.text, []).append(place)
    for group in groups.values():
        if len(group) > 1:
            old = group[0].value
            for new in (*_SCALARS, *_structural(old, is_root=False)):
                yield _Edit(group, new)
            if isinstance(old, str | Number):
                for new in _simpler_inside(group[0]):
                    yield _Edit(group, new)
    for place in found:
        if isinstance(place.value, list | dict) and len(place.value) <= _PAIRS:
            for new in _moved_amounts(place.value):
                yield _Edit((place,), new)


def _shorter_everywhere(found: Sequence[Place]) -> Iterator[Json]:
    """Yield the value without one digit or letter in all places."""
    for deleted in range(10):
        yield _without_digit(found, str(deleted))
    for letter in _letters(found)[:_LONG]:
        yield _without_letter(found[0].value, letter)


def _changed_pairs(array: Sequence[Json]) -> Iterator[list[Json]]:
    for one, other in combinations(range(len(array)), 2):
        yield [each for n, each in enumerate(array) if n not in (one, other)]
        swapped = list(array)
        swapped[one], swapped[other] = array[other], array[one]
        yield swapped


def _with_small_numbers(found: Sequence[Place]) -> Iterator[Json]:
    """Yield the value with zeros, and with short integers as small as their order allows."""
    numbers = [(each.path, each.text) for each in found if isinstance(each.value, Number)]
    short = [(path, int(text)) for path, text in numbers if _is_short_integer(text)]
    sizes = sorted({0, *(abs(number) for _, number in short)})
    ranks = [(path, sizes.index(abs(number)) * (-1 if number < 0 else 1)) for path, number in short]
    for changes in ([(path, 0) for path, _ in numbers], ranks):
        changed = found[0].value
        for path, number in changes:
            changed = replaced(changed, path, Number(str(number)))
        yield changed


def _letters(found: Sequence[Place]) -> list[str]:
    """Return the letters of all texts and keys, without their case."""
    texts = [each.value for each in found if isinstance(each.value, str)]
    keys = [key for each in found if isinstance(each.value, dict) for key in each.value]
    return list(dict.fromkeys(letter for text in (*texts, *keys) for letter in text.lower()))


def _without_letter(value: Json, letter: str) -> Json:
    """Return the value with a letter removed, in either case, where it comes first in a text."""

    def shorter(text: str) -> str:
        at = text.lower().find(letter)
        return text if at < 0 else text[:at] + text[at + 1 :]

    if isinstance(value, str):
        return shorter(value)
    if isinstance(value, list):
        return [_without_letter(each, letter) for each in value]
    if isinstance(value, dict):
        return {shorter(key): _without_letter(each, letter) for key, each in value.items()}
    return value


def _moved_amounts(container: list[Json] | dict[str, Json]) -> Iterator[Json]:
    """Yield containers whose numbers have the same sum, or the same differences."""
    members = container if isinstance(container, dict) else dict(enumerate(container))
    numbers = [
        (key, int(each.text))
        for key, each in members.items()
        if isinstance(each, Number) and _is_short_integer(each.text)
    ]
    changes: list[dict[Any, int]] = [
        {key: number - least for key, number in numbers}
        for least in dict.fromkeys(number for _, number in numbers)
    ]
    for (one, left), (other, right) in combinations(numbers, 2):
        yield _with_numbers(container, {one: left + right}, without=other)
        changes += (
            {one: left - amount, other: right + amount}
            for amount in (left, right, left // 2, -1, 1, *(-left + step for step in (1, -1)))
            if amount
        )
    for change in changes:
        yield _with_numbers(container, change)


def _with_numbers(
    container: list[Json] | dict[str, Json], numbers: Mapping[Any, int], without: object = None
) -> Json:
    """Return a container with other numbers, and without one key or index."""
    members: dict[Any, Json] = (
        container if isinstance(container, dict) else dict(enumerate(container))
    )
    changed = {
        key: Number(str(numbers[key])) if key in numbers else each
        for key, each in members.items()
        if without is None or key != without
    }
    return changed if isinstance(container, dict) else list(changed.values())


def _without_digit(found: Sequence[Place], digit: str) -> Json:
    """Return the value with a digit removed from every number that has it and others."""
    value = found[0].value
    for place in found[1:]:
        if isinstance(place.value, Number) and digit in place.text:
            shorter = place.text.replace(digit, "", 1)
            if _is_number(shorter):
                value = replaced(value, place.path, Number(shorter))
    return value
