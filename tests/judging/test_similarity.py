"""The similarity of two JSON values."""

from __future__ import annotations

from support.golden import Golden
from support.tables import check_table

from harness.jsonio.fast import decode
from harness.judging.array_diff import fingerprint_bag, similarity


def alike(left: str, right: str) -> float:
    """The likeness of two values, in percent."""
    (one,), (other,) = decode(left.encode()).values, decode(right.encode()).values
    return round(100 * similarity(fingerprint_bag(one), fingerprint_bag(other)))


def test_values_are_alike_by_what_they_have_in_common(golden: Golden) -> None:
    def both_ways(values: tuple[str, str]) -> str:
        assert alike(*values) == alike(*values[::-1])
        return str(alike(*values))

    check_table(golden, __file__, "similarity.txt", both_ways)


def test_only_the_beginning_of_a_value_is_looked_at() -> None:
    many = ",".join(map(str, range(1_000)))
    assert alike(f"[{many},1]", f"[{many},2]") == 100
    assert alike(f'"{many}1"', f'"{many}2"') == 100
    long = "k" * 1_000
    kind, parts = fingerprint_bag({f"{long}{number}": long for number in range(1_000)})
    assert kind is dict
    assert max(map(len, parts)) < 200
