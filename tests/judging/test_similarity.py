"""The similarity of two JSON values."""

from __future__ import annotations

import pytest

from harness.jsonio.fast import decode
from harness.judging.array_diff import fingerprint_bag, similarity


def alike(left: str, right: str) -> float:
    """The likeness of two values, in percent."""
    (one,), (other,) = decode(left.encode()).values, decode(right.encode()).values
    return round(100 * similarity(fingerprint_bag(one), fingerprint_bag(other)))


@pytest.mark.parametrize(
    ("one", "other", "percent"),
    [
        ("1", "2", 5),
        ("1", "true", 0),
        ("[]", "{}", 0),
        ("[]", "[]", 5),
        ('"banana"', '"bananas"', 91),
        ('"banana"', '"cherry"', 5),
        ('""', '"x"', 5),
        ("[1,2,3,4]", "[1,2,3,5]", 75),
        ('{"a":1,"b":2,"c":3}', '{"a":1,"b":2,"c":4}', 78),
        ('{"a":1,"b":2}', '{"a":3,"b":4}', 33),
        ('{"a":{"b":[1,"x"]}}', '{"a":{"b":[1,"y"]}}', 67),
    ],
)
def test_values_are_alike_by_what_they_have_in_common(one: str, other: str, percent: int) -> None:
    assert alike(one, other) == alike(other, one) == percent


def test_only_the_beginning_of_a_value_is_looked_at() -> None:
    many = ",".join(map(str, range(1_000)))
    assert alike(f"[{many},1]", f"[{many},2]") == 100
    assert alike(f'"{many}1"', f'"{many}2"') == 100
    long = "k" * 1_000
    kind, parts = fingerprint_bag({f"{long}{number}": long for number in range(1_000)})
    assert kind is dict
    assert max(map(len, parts)) < 200
