"""When two JSON numbers are equal, by their digits: exactly, at any length, without floats.

Pure arithmetic on spelled numbers; which of the ways holds where is said by comparison.py.
No number that a program prints makes this slow: its cost grows with digits, not with exponents.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from harness.judging.comparison import Numbers, Tolerance

if TYPE_CHECKING:
    from decimal import Context, Decimal

__all__ = ["equal_numbers", "is_finite", "normal"]

_INT_DIGITS: Final = 4_000  # int() refuses texts of more than 4,300 digits, and is slow before that
_SHORT: Final = 60  # characters of a number that decimals take as it is


def equal_numbers(left: str, right: str, numbers: Numbers | Tolerance) -> bool:
    """Whether two JSON numbers are equal. Exact: the same kind (integer, or with fraction or
    exponent) and the same value, where -0 is not 0. By value: 1 = 1.0 = 10e-1, and -0 = 0. Within
    a tolerance, the bound included: `left` is the expected one. NaN and the infinities, where they
    are allowed, are each equal to themselves only."""
    if left == right:
        return True
    if isinstance(numbers, Tolerance):
        return is_finite(left) and is_finite(right) and _within(left, right, numbers)
    return normal(left, numbers) == normal(right, numbers)


def is_finite(number: str) -> bool:
    """Whether this is a number of JSON: neither NaN nor an infinity."""
    return number[-1] not in "Ny"


def normal(number: str, numbers: Numbers) -> str:
    """The one way to write all numbers that equal this one: as 0.DIGITS times ten to the EXPONENT,
    with no 0 at either end of the digits, so that zero has none; where kind counts, it comes first.
    """
    if not is_finite(number):
        return number
    unsigned = number.removeprefix("-")
    mantissa, _, power = unsigned.replace("E", "e").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    sign = "-" if unsigned != number else ""
    if numbers is Numbers.EXACT:
        sign += "integer " if whole == unsigned else "real "
    elif not digits:
        sign = ""  # minus zero has the value of zero
    if not digits:
        return f"{sign}0"
    exponent = _sum(power, len(digits) - len(fraction))
    return f"{sign}0.{digits.rstrip('0')}e{exponent}"


def _sum(power: str, shift: int) -> str:
    """A written exponent and a count of digits, exactly, however long the exponent is."""
    if len(power) <= _INT_DIGITS:
        return str(int(power or 0) + shift)
    return str(_exact().add(_decimal(power), shift))


# Tolerances.


class _Term(NamedTuple):
    """A number as `digits` times ten to the `exponent`. Both are integers; as decimals, since those
    grow long without growing slow."""

    digits: Decimal
    exponent: Decimal

    @property
    def top(self) -> Decimal:
        """The power of ten that is just above it."""
        return _exact().add(self.exponent, self.digits.adjusted() + 1)


def _within(expected: str, actual: str, tolerance: Tolerance) -> bool:
    texts = (expected, actual, *tolerance)
    near = _short_within if all(map(_is_short, texts)) else _long_within
    return near(expected, actual, tolerance)


def _is_short(number: str) -> bool:
    # With an exponent of three digits at most, a sum has some thousands of digits.
    power = number.replace("E", "e").partition("e")[2]
    return len(number) <= _SHORT and len(power) <= 4


def _short_within(expected: str, actual: str, tolerance: Tolerance) -> bool:
    exact, left = _exact(), _decimal(expected)
    off = exact.subtract(left, _decimal(actual)).copy_abs()
    absolute, relative = map(_decimal, tolerance)
    return off <= absolute or off <= exact.multiply(relative, left.copy_abs())


def _long_within(expected: str, actual: str, tolerance: Tolerance) -> bool:
    left, right = _term(expected), _term(actual)
    absolute, relative = map(_term, tolerance)
    share = _Term(
        _exact().multiply(relative.digits, left.digits.copy_abs()),
        _exact().add(relative.exponent, left.exponent),
    )
    return any(
        _sign_of_sum([left, _negative(right), _negative(most)]) <= 0
        and _sign_of_sum([right, _negative(left), _negative(most)]) <= 0
        for most in (absolute, share)
    )


def _term(number: str) -> _Term:
    mantissa, _, power = number.replace("E", "e").partition("e")
    whole, _, fraction = mantissa.partition(".")
    exponent = _exact().subtract(_decimal(power or "0"), len(fraction))
    return _Term(_decimal(whole + fraction), exponent)


def _negative(term: _Term) -> _Term:
    return _Term(term.digits.copy_negate(), term.exponent)


def _sign_of_sum(terms: list[_Term]) -> int:
    """-1, 0 or 1. From the highest exponent down: before a term is added the sum is written with
    that term's exponent, unless what is left is too small to matter, whatever it is. So the sum
    grows by no more digits than the terms have, also for 1e999999999 and 1."""
    exact = _exact()
    terms = [term for term in terms if term.digits]
    left = sorted(terms, key=lambda term: term.exponent, reverse=True)
    total, exponent = _decimal("0"), _decimal("0")
    while left:
        # Two terms, each below ten to the top, are together below ten to (top + 1).
        if total and exponent > max(term.top for term in left):
            break
        term = left.pop(0)
        gap = exact.subtract(exponent, term.exponent) if total else 0
        total = exact.add(exact.scaleb(total, gap), term.digits)
        exponent = term.exponent
    return (total > 0) - (total < 0)


# Imported late: whoever compares no such numbers does not pay for decimals.


def _decimal(text: str) -> Decimal:
    from decimal import Decimal as made  # pylint: disable=import-outside-toplevel

    return made(text)


@lru_cache(maxsize=1)
def _exact() -> Context:
    """No sum is ever rounded or too large."""
    import decimal  # pylint: disable=import-outside-toplevel

    return decimal.Context(decimal.MAX_PREC, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
