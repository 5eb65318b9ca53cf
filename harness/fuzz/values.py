"""Draw numbers, texts and keys at which programs go wrong, from a seeded random source."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from math import ceil, floor
from random import Random
from typing import Final, TypeVar

from harness.jsonio.decoder import Number

T = TypeVar("T")

# Integers around which arithmetic of machines ends.
_EDGES: Final = (2**15, 2**16, 2**31, 2**32, 2**53, 2**63, 2**64, 10**19, 10**30)
INTEGERS: Final = (
    *(0, 1, -1, 2, 3, 7, 9, 10, 11, 16, 31, 32, 64, 99, 100, 101, 127, 128, 255, 256, 999, 1000),
    *(1024, 4096, 10**6),
    *(edge + step for edge in _EDGES for step in (-1, 0, 1)),
    *(-edge + step for edge in _EDGES for step in (-1, 0, 1)),
)
_REALS: Final = (
    *("0.0", "-0.0", "0.5", "-0.5", "1.5", "2.5", "0.1", "0.2", "0.30000000000000004", "1.0"),
    *("1e0", "1E+2", "-1.25e-3", "5e-324", "1e-400", "1.7976931348623157e308", "1E400", "-1E400"),
    *("9007199254740993.0", "0.99999999999999999999", "100.00", "1e23", "123456789.123456789"),
)
_PLAIN: Final = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789"
_ODD: Final = (
    "\r\n",
    *" \t\n\r\x00\x01\x1f\x7f\"\\/'`$%&<>{}[]~#:;,.-_+*?!|^=()@",
    *("\u00a0", "\u00df", "\u0130", "\u0131", "\u200b", "\u200d", "\u200f", "\u2028", "\ufeff"),
    *("\u0301", "\u0308", "\u20dd", "\u212b", "\u03c2", "\ufb01", "\u0430", "\u4e2d", "\uffff"),
    *("\U0001f600", "\U0001f468\u200d\U0001f469", "\U00010000", "\U0010ffff", "\U000e0061"),
)
_WORDS: Final = (
    *("00", "007", "-0", "0x1F", "1_000", "\r\n", "a\r\nb", "\ta", "\ufeffa", "2024-02-30"),
    *("", "0", "-1", "1.0", "1e3", "null", "true", "false", "NaN", "undefined", "[]", "{}", " "),
    *("a", "A", "aa", "ab", "b", "\u00e9", "e\u0301", "stra\u00dfe", "__proto__", "constructor"),
    *("length", "toString", "../..", "%s", "a\u0301\u0327", "\u01c4", "\U0001f1e9\U0001f1ea"),
)
_PLANES: Final = 17
_LONG: Final = 300  # characters of a long text
_LENGTHS: Final = (8, 15, 16, 17, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 257)
_EXPONENT: Final = 1_000  # a larger one is not computed with
_CONTEXT: Final = Context(2_100)
_EXACT: Final = 2**50  # a float reaches each integer of a smaller range


def chance(random: Random, share: float) -> bool:
    return random.random() < share


def pick(random: Random, items: Sequence[T]) -> T:
    """Return an item, in a third of the time of `Random.choice`."""
    return items[int(random.random() * len(items))]


def small_size(random: Random, least: int, most: int | None, usual: int = 3) -> int:
    """Return a size: often one of the bounds."""
    draw = random.random()
    if draw < 0.08:
        size = least
    elif draw < 0.25:
        size = least + 1
    elif draw < 0.35 and most is not None and most <= _LONG:
        size = most
    elif draw > 0.97:
        size = least + int(random.random() * (usual + 2) * 2)
    else:
        size = least + int(random.random() ** 1.4 * (usual + 2))
    return size if most is None else min(size, most)


def large_size(random: Random, least: int, most: int | None) -> int:
    """Return a large size: often one at which programs change how they work."""
    size = pick(random, _LENGTHS) if random.random() < 0.7 else 20 + int(random.random() * _LONG)
    return max(least, size if most is None else min(size, most))


def decimal_of(text: str) -> Decimal | None:
    """Return a number, or None if it is too large or too small to compute with."""
    value = Decimal(text)
    return value if abs(value.adjusted()) <= _EXPONENT else None


class Range:
    """The numbers that may be drawn: bounds, inclusive or not, and a divisor of all of them."""

    def __init__(
        self,
        least: Decimal | None = None,
        most: Decimal | None = None,
        *,
        opens: tuple[bool, bool] = (False, False),
        unit: Decimal | None = None,
        is_integer: bool = False,
    ) -> None:
        self.least, self.most, self.opens = least, most, opens
        if is_integer and unit is not None and unit != int(unit):
            unit = Decimal(unit.as_integer_ratio()[0])
        self.unit = Decimal(1) if is_integer and unit is None else unit
        self.is_integer = is_integer
        self.low, self.high = self._multiples()
        low, high = self.low, self.high
        self._edges = [
            each
            for each in INTEGERS
            if (low is None or each >= low) and (high is None or each <= high)
        ]

    def _multiples(self) -> tuple[int | None, int | None]:
        """Return the bounds as multiples of the unit."""
        unit = self.unit or Decimal(1)
        low = high = None
        if self.least is not None:
            low = ceil(_CONTEXT.divide(self.least, unit))
            low += self.opens[0] and low * unit == self.least
        if self.most is not None:
            high = floor(_CONTEXT.divide(self.most, unit))
            high -= self.opens[1] and high * unit == self.most
        return low, high

    @property
    def is_empty(self) -> bool:
        if self.unit is not None:
            return self.low is not None and self.high is not None and self.low > self.high
        return self.least is not None and self.most is not None and self.least > self.most

    def holds(self, value: Decimal) -> bool:
        if self.least is not None and (value < self.least or self.opens[0] and value == self.least):
            return False
        return self.most is None or value < self.most or not self.opens[1] and value == self.most

    def draw(self, random: Random) -> Number:
        """Return a number of the range, which is not empty."""
        if self.unit is not None:
            multiple = self._draw_multiple(random)
            return _spell(random, str(multiple) if self.unit == 1 else f"{multiple * self.unit:f}")
        if chance(random, 0.3):
            text = pick(random, _REALS)
            value = decimal_of(text)
            if self.holds(Decimal(text) if value is None else value):
                return Number(text)
        if self.low is None or self.high is None or self.low <= self.high:
            whole = self._draw_multiple(random)
            if chance(random, 0.6):
                return _spell(random, str(whole))
            value = whole + Decimal(random.randrange(-999, 1000)).scaleb(-random.randrange(1, 4))
            if self.holds(value):
                return Number(f"{value:f}")
        edges = [each for each in (self.least, self.most) if each is not None and self.holds(each)]
        if edges and chance(random, 0.5):
            return Number(f"{pick(random, edges):f}")
        least = self.least if self.least is not None else (self.most or 0) - Decimal(1)
        most = self.most if self.most is not None else least + 1
        middle = least + (most - least) * Decimal(random.randrange(1, 1000)) / 1000
        return Number(f"{middle:f}")

    def _draw_multiple(self, random: Random) -> int:
        low, high = self.low, self.high
        draw = random.random()
        if draw < 0.25 and not (low is None and high is None):
            ends = [low, high] if low is not None and high is not None else []
            bound = pick(random, ends) if ends else low if low is not None else high
            assert bound is not None
            step = pick(random, (0, 0, 1))
            value = bound + step if bound == low else bound - step
        elif draw < 0.5 and self._edges:
            value = pick(random, self._edges[:3] if random.random() < 0.3 else self._edges)
        elif low is not None and high is not None:
            value = _between(random, low, high)
        else:
            size = 10 ** pick(random, (1, 1, 1, 2, 2, 3, 6))
            value = _between(random, -size if low is None else 0, size - 1) + (low or 0)
        if low is not None and value < low:
            return low
        return value if high is None else min(value, high)


ANY_NUMBER: Final = Range()


def _between(random: Random, low: int, high: int) -> int:
    """Return an integer of a range, bounds included, in a third of the time of `randint`."""
    size = high - low + 1
    return low + (int(random.random() * size) if size < _EXACT else random.randrange(size))


def _spell(random: Random, text: str) -> Number:
    """Return a number in its usual spelling, or rarely in another one."""
    is_zero = text in ("0", "-0")
    if random.random() > (0.2 if is_zero else 0.05):
        return Number("0" if is_zero else text)
    if is_zero and chance(random, 0.6):
        return Number("-0")
    if "." in text:
        return Number(f"{text}0")
    zeros = 0 if is_zero else len(text) - len(text.rstrip("0"))
    if zeros and chance(random, 0.5):
        return Number(f"{text[:-zeros]}{pick(random, 'eE')}{zeros}")
    return Number(text + pick(random, (".0", ".00", "e0", "E0", "E+0")))


def draw_text(random: Random, least: int = 0, most: int | None = None) -> str:
    """Return a text with a number of code points within the bounds."""
    draw = random.random()
    if draw < 0.2:
        word = pick(random, _WORDS)
        if least <= len(word) and (most is None or len(word) <= most):
            return word
    size = small_size(random, least, most, 4)
    if 0.48 < draw < 0.5 or draw > 0.98:
        size = large_size(random, least, most)
    if draw < 0.65:
        return "".join(random.choices(_PLAIN, k=size))
    if draw < 0.72:
        return pick(random, _PLAIN) * size
    if draw < 0.83:
        return "".join(draw_character(random) for _ in range(size))
    text = "".join(pick(random, _ODD if chance(random, 0.5) else _PLAIN) for _ in range(size))
    return text if most is None else text[:most]


def draw_character(random: Random) -> str:
    """Return a character of any plane of Unicode."""
    point = int(random.random() * (_PLANES << 16))
    if chance(random, 0.5):
        point &= 0xFFFF
    return "\ufffd" if 0xD800 <= point < 0xE000 else chr(point)


def look_alike(random: Random, text: str) -> str:
    """Return a text that some programs take for this one."""
    changes = (
        text.upper(),
        text.lower(),
        text.capitalize(),
        f"{text} ",
        f" {text}",
        f"{text}\u0301",
        f"{text}\u200b",
        text.replace("a", "\u0430", 1),
        text[:-1],
        text * 2,
    )
    return pick(random, changes)


def scalar_edge(random: Random) -> Number | str | bool | None:
    """Return any scalar."""
    draw = random.random()
    if draw < 0.1:
        return None
    if draw < 0.25:
        return chance(random, 0.5)
    return draw_text(random) if draw < 0.6 else ANY_NUMBER.draw(random)
