"""Make an input as small and simple as possible without losing what it shows.

Candidates come in a fixed order, in batches of any size: the first one that keeps the finding is
taken, so that the result depends on neither batches nor processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from itertools import chain, combinations
from string import digits
from typing import Any, Final, NamedTuple, TypeVar

from harness.fuzz.edits import replaced
from harness.fuzz.mutation import InputMaker
from harness.fuzz.places import NO_DEMANDS, LocalDemands, Place, places
from harness.jsonio.decoder import Json, Number, encode
from harness.model.judgement import MISSING

T = TypeVar("T")

BATCH_SIZES: Final = 8, 128  # candidates of the first batch, and at most; each doubles the last
_PAIRS: Final = 16  # elements of an array of which pairs are changed together
_LONG: Final = 40  # characters of a text, or digits, that are changed one by one
_SHORT: Final = 64  # characters of a text of which runs anywhere are removed ...
_RUNS: Final = 512  # ... about so many
_DIGITS: Final = 15  # of an integer that is computed with
_EXPONENT: Final = 4  # digits that an exponent must save to make a number simpler
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

    def is_simpler(self, new: str) -> bool:
        """Return whether the text, now `new`, gets shorter, or its characters simpler."""
        old = self.places[0].text
        cost, old_cost = _cost(new, self.new), _cost(old, self.places[0].value)
        if cost != old_cost:
            return cost < old_cost
        return new != old and new.translate(_ORDER) < old.translate(_ORDER)

    def is_allowed(self) -> bool:
        """Return whether the demands of each place allow the new value."""
        new = self.new
        for place in self.places:
            if not place.demands.allow(new):
                return False
        return True

    def text_of(self, whole: str, new: str) -> str:
        pieces, end = list[str](), 0
        for place in self.places:
            pieces += (whole[end : place.start], new)
            end = place.end
        return "".join((*pieces, whole[end:]))

    def value_of(self, whole: Json) -> Json:
        for place in self.places:
            whole = replaced(whole, place.path, self.new)
        return whole


def _cost(text: str, value: Json) -> int:
    """Return the length of a value's text, and more for an exponent."""
    return len(text) + (_EXPONENT if isinstance(value, Number) and "e" in text.lower() else 0)


class Shrinker:
    """Shrinks `best` to values that are valid or not, as it is.

    A batch has as many candidates as the first of the `sizes`, then more, up to the second one.
    """

    def __init__(
        self, value: Json, maker: InputMaker, sizes: tuple[int, int] = BATCH_SIZES
    ) -> None:
        self.best = value
        self.tries = 0
        self._maker = maker
        self._is_valid = maker.accepts(value)
        self._demands = maker.demands if self._is_valid else NO_DEMANDS
        self._text = encode(value)
        self._tried = {self._text}
        self._edits = _simpler(places(value, self._demands))
        self._batch: list[Json] = []
        self._first, self._most = sizes
        self._size = self._first

    def next_batch(self) -> Sequence[Json]:
        """Return values to try next; empty if none is left."""
        self._batch = []
        for edit in self._edits:
            # Most edits end here: nothing that is as large as the input is made for them.
            if not edit.is_allowed() or not edit.is_simpler(new := encode(edit.new)):
                continue
            text = edit.text_of(self._text, new)
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
        self._size = min(self._most, 2 * self._size)
        found = next((n for n, is_kept in enumerate(keeps) if is_kept), None)
        if found is not None:
            self._tried.difference_update(encode(each) for each in self._batch[found + 1 :])
            self.best = self._batch[found]
            self._text = encode(self.best)
            self._edits = _simpler(places(self.best, self._demands))
            self._size = self._first


def _simpler(found: Sequence[Place]) -> Iterator[_Edit]:
    """Yield edits that may make a value simpler, those with the largest change first."""
    whole = found[:1]
    for value in _with_small_numbers(found):
        yield _Edit(whole, value)
    for place in found:
        for new in _structural(place.value, is_root=not place.path):
            yield _Edit((place,), new)
    for value in _without_common_letters(found):
        yield _Edit(whole, value)
    for place in found:
        for new in _simpler_inside(place):
            yield _Edit((place,), new)
    yield from _together(found)
    for value in _changed_everywhere(found):
        yield _Edit(whole, value)
    for place in found:
        for new in _with_changed_pairs(place.value):
            yield _Edit((place,), new)


def _simpler_inside(place: Place) -> Iterator[Json]:
    """Yield simpler texts, numbers, and objects with simpler keys."""
    if (options := place.demands.options) is not None:
        yield from options
    elif isinstance(place.value, str):
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
    for size in range(min(len(text) - 2, _RUNS // max(1, len(text))), 1, -1):
        for at in range(1, len(text) - size):
            yield text[:at] + text[at + size :]


def _simpler_keys(value: dict[str, Json], demands: LocalDemands) -> Iterator[Json]:
    for key in value:
        allowed = demands.new_keys(value, key)
        for new in ("", *_simpler_texts(key)) if allowed is None else sorted(allowed):
            if new not in value:
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
    if power and len(power) < 3:
        yield f"{Decimal(text):f}"
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
        yield from _as_number_and_text(found, group, groups.get(encode(group[0].text), ()))
        if len(group) > 1:
            yield _Edit(found[:1], _without_elements(found[0].value, group))
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


def _without_elements(value: Json, group: Sequence[Place]) -> Json:
    """Return the value without the last of these places in each array."""
    last = {place.path[:-1]: place for place in group if isinstance(place.path[-1], int)}
    for place in reversed(last.values()):
        value = replaced(value, place.path, MISSING)
    return value


def _as_number_and_text(
    found: Sequence[Place], numbers: Sequence[Place], texts: Sequence[Place]
) -> Iterator[_Edit]:
    """Yield edits that change a number and the texts that spell it alike."""
    if texts and isinstance(numbers[0].value, Number):
        for text in _simpler_numbers(numbers[0].text):
            value = found[0].value
            for place in (*numbers, *texts):
                is_text = isinstance(place.value, str)
                value = replaced(value, place.path, text if is_text else Number(text))
            yield _Edit(found[:1], value)


def _changed_everywhere(found: Sequence[Place]) -> Iterator[Json]:
    """Yield the value without a digit, and without a letter or with a simpler one, everywhere."""
    numbers = "".join(each.text for each in found if isinstance(each.value, Number)).lower()
    texts = "".join(each.value for each in found if isinstance(each.value, str)).lower()
    objects = (each.value for each in found if isinstance(each.value, dict))
    keys = "".join(key for each in objects for key in each).lower()
    for digit in sorted(set(numbers) & set(digits)):
        yield _without_digit(found, digit)
    for changed, in_keys in ((texts + numbers, False), (keys, True)):
        # Others would change nothing, or no more than before.
        for letter in filter(changed.__contains__, list(dict.fromkeys(texts + keys))[:_LONG]):
            for change in _letter_changes(letter):
                yield _with_changed_texts(found[0].value, change, letter, in_keys=in_keys)


def _letter_changes(letter: str) -> Iterator[Callable[[str], str]]:
    """Yield functions that remove a letter from a text, once, or replace it, in both cases."""
    yield lambda text: _without_character(text, text.lower().find(letter))
    yield lambda text: _without_character(text, text.lower().rfind(letter))
    for new in "0ab":
        table = str.maketrans({letter.upper()[:1]: new.upper(), letter: new})
        yield partial(_translate, table=table)


def _without_character(text: str, at: int) -> str:
    return text if at < 0 else text[:at] + text[at + 1 :]


def _translate(text: str, table: dict[int, str]) -> str:
    return text.translate(table)


def _with_changed_pairs(value: Json) -> Iterator[Json]:
    if isinstance(value, list | dict) and len(value) > _PAIRS:
        return
    if isinstance(value, list):
        yield from _changed_pairs(value)
    elif isinstance(value, dict):
        yield from map(dict, _changed_pairs(list(value.items())))


def _changed_pairs(array: Sequence[T]) -> Iterator[list[T]]:
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


def _without_common_letters(found: Sequence[Place]) -> Iterator[Json]:
    """Yield the value without a letter that several texts have."""
    texts = [place for place in found if isinstance(place.value, str)]
    counts = Counter(chain.from_iterable(set(str(place.value)) for place in texts))
    for letter in [each for each, count in counts.items() if count > 1][:_LONG]:
        value = found[0].value
        for place in texts:
            value = replaced(value, place.path, str(place.value).replace(letter, ""))
        yield value


def _with_changed_texts(
    value: Json, change: Callable[[str], str], letter: str, *, in_keys: bool
) -> Json:
    """Return the value with all its texts, and the numbers that have the letter, changed."""

    def walk(value: Json) -> Json:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, Number) and letter in value.text:
            text = change(value.text)
            return Number(text) if _is_number(text) else value
        if isinstance(value, list):
            return list(map(walk, value))
        if isinstance(value, dict):
            return {change(key) if in_keys else key: walk(each) for key, each in value.items()}
        return value

    return walk(value)


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
