"""Compare JSON numbers by their digits: exactly, at any length, without floats.

The cost grows with the number of digits, not with the exponents, so that no printed number makes it
slow.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from math import isfinite
from typing import Final, NamedTuple

from harness.model.comparison import Numbers, Tolerance

_INT_DIGITS: Final = 4_000  # int() refuses texts of more than 4,300 digits, and is slow before that
_EXACT: Final = Context(MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)  # never rounds or overflows
_SHORT: Final = 60  # characters of a number that is compared as a decimal


def equal_numbers(left: str, right: str, numbers: Numbers | Tolerance) -> bool:
    """Return whether two JSON numbers are equal; `left` is the expected one.

    Exact: the same kind (integer, or with fraction or exponent) and value, where -0 is not 0. By
    value: 1 = 1.0 = 10e-1, and -0 = 0. Within a tolerance, inclusive. NaN and the infinities, if
    allowed, equal only themselves.
    """
    if left == right:
        return True
    if isinstance(numbers, Tolerance):
        return is_finite(left) and is_finite(right) and _within(left, right, numbers)
    return normalize_number(left, numbers) == normalize_number(right, numbers)


def is_finite(number: str) -> bool:
    """Return whether this is a JSON number, not NaN or an infinity."""
    return number[-1] not in "Ny"


def rounded_alike(left: str, right: str) -> bool:
    """Return whether two finite numbers are the same after rounding to double precision."""
    one = float(left)
    return isfinite(one) and one == float(right)


def normalize_number(number: str, numbers: Numbers) -> str:
    """Return the same text for all numbers that equal this one.

    It is 0.DIGITS times ten to the EXPONENT, where the digits neither begin nor end with 0; the
    kind precedes it if kinds count.
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


def compare_numbers(left: str, right: str) -> int:
    """Return -1, 0 or 1 if a finite number is below, equal to or above another, by value."""
    if _is_short(left) and _is_short(right):
        one, other = Decimal(left), Decimal(right)
        return (one > other) - (one < other)
    return _sign_of_sum([_term(left), _negative(_term(right))])


def is_multiple(number: str, divisor: str) -> bool:
    """Return whether a finite number is an integer times another one, which is not 0."""
    term, unit = _without_trailing_zeros(number), _without_trailing_zeros(divisor)
    if not term.digits or not unit.digits:
        return not term.digits
    gap = _EXACT.subtract(term.exponent, unit.exponent)
    if gap < 0:  # the digits end in another digit than 0, so ten does not divide them
        return False
    # Of the powers of ten, only as many matter as the divisor has factors 2 or 5.
    factors = 4 * (unit.digits.adjusted() + 1)
    scaled = _EXACT.scaleb(term.digits, min(gap, Decimal(factors)))
    return not _EXACT.remainder(scaled, unit.digits)


def _without_trailing_zeros(number: str) -> _Term:
    mantissa, _, power = number.replace("E", "e").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    significant = digits.rstrip("0")
    shift = len(digits) - len(significant) - len(fraction)
    return _Term(
        Decimal(significant if significant.strip("-") else "0"),
        _EXACT.add(Decimal(power or "0"), shift),
    )


def _sum(power: str, shift: int) -> str:
    """Return the exact sum of an exponent of any length and a count of digits."""
    if len(power) <= _INT_DIGITS:
        return str(int(power or 0) + shift)
    return str(_EXACT.add(Decimal(power), shift))


# Tolerances.


class _Term(NamedTuple):
    """A number as `digits` times ten to the `exponent`. Both are integral decimals, which grow long
    without growing slow."""

    digits: Decimal
    exponent: Decimal

    @property
    def top(self) -> Decimal:
        """Return the power of ten just above it."""
        return _EXACT.add(self.exponent, self.digits.adjusted() + 1)


def _within(expected: str, actual: str, tolerance: Tolerance) -> bool:
    texts = (expected, actual, *tolerance)
    near = _short_within if all(map(_is_short, texts)) else _long_within
    return near(expected, actual, tolerance)


def _is_short(number: str) -> bool:
    # With an exponent of at most three digits, a sum has some thousands of digits.
    power = number.replace("E", "e").partition("e")[2]
    return len(number) <= _SHORT and len(power) <= 4


def _short_within(expected: str, actual: str, tolerance: Tolerance) -> bool:
    exact, left = _EXACT, Decimal(expected)
    off = exact.subtract(left, Decimal(actual)).copy_abs()
    absolute, relative = map(Decimal, tolerance)
    return off <= absolute or off <= exact.multiply(relative, left.copy_abs())


def _long_within(expected: str, actual: str, tolerance: Tolerance) -> bool:
    left, right = _term(expected), _term(actual)
    absolute, relative = map(_term, tolerance)
    share = _Term(
        _EXACT.multiply(relative.digits, left.digits.copy_abs()),
        _EXACT.add(relative.exponent, left.exponent),
    )
    return any(
        _sign_of_sum([left, _negative(right), _negative(most)]) <= 0
        and _sign_of_sum([right, _negative(left), _negative(most)]) <= 0
        for most in (absolute, share)
    )


def _term(number: str) -> _Term:
    mantissa, _, power = number.replace("E", "e").partition("e")
    whole, _, fraction = mantissa.partition(".")
    exponent = _EXACT.subtract(Decimal(power or "0"), len(fraction))
    return _Term(Decimal(whole + fraction), exponent)


def _negative(term: _Term) -> _Term:
    return _Term(term.digits.copy_negate(), term.exponent)


def _sign_of_sum(terms: list[_Term]) -> int:
    """Return -1, 0 or 1.

    Terms are added from the highest exponent down. Before each, the sum is rescaled to the exponent
    of the term, unless the remaining terms are too small to matter. So the sum never has more
    digits than the terms, even for 1e999999999 and 1.
    """
    exact = _EXACT
    terms = [term for term in terms if term.digits]
    left = sorted(terms, key=lambda term: term.exponent, reverse=True)
    total, exponent = Decimal("0"), Decimal("0")
    while left:
        # The sum of two terms, each below ten to the top, is below ten to (top + 1).
        if total and exponent > max(term.top for term in left):
            break
        term = left.pop(0)
        gap = exact.subtract(exponent, term.exponent) if total else 0
        total = exact.add(exact.scaleb(total, gap), term.digits)
        exponent = term.exponent
    return (total > 0) - (total < 0)
