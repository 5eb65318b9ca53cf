"""Where two streams differ, with the elements of arrays aligned; the similarity of values."""

from __future__ import annotations

from support.golden import Golden
from support.tables import comparison_of

from harness.jsonio.decoder import Json, Number, encode
from harness.jsonio.fast import decode
from harness.judging.array_diff import aligned_differences, bag_of, similarity
from harness.model.comparison import Comparison
from harness.model.judgement import MISSING, Missing


def spelled(value: Json | Missing) -> str:
    """A value, or that there is none."""
    return "-" if value is MISSING else encode(value)


def found(example: tuple[str, ...]) -> str:
    expected, actual, *rules = example
    left, right = decode(expected.encode()).values, decode(actual.encode()).values
    lines = [
        f"{one.pointer}{f' is {one.actual_pointer}' if one.actual_pointer else ''}:"
        f" {spelled(one.expected)} | {spelled(one.actual)}"
        for one in aligned_differences(left, right, comparison_of(*rules))
    ]
    return "; ".join(lines) or "equal"


def test_an_inserted_or_removed_element_is_one_difference(golden: Golden) -> None:
    golden.table("array_diff.txt", found)


def numbers(many: int, first: int = 0) -> list[Json]:
    return [Number(str(first + number)) for number in range(many)]


def test_a_removed_element_is_found_among_many_changed_ones() -> None:
    left: list[Json] = [[Number(str(number)), "a", "b", "c"] for number in range(400)]
    right: list[Json] = [[Number(str(number)), "a", "b", "cd"[number % 2]] for number in range(400)]
    reported = list(aligned_differences([left], [right[1:]], Comparison()))
    assert (reported[0].pointer, reported[0].actual) == ("/0/0", MISSING)
    assert [(one.pointer, one.actual_pointer) for one in reported[1:]] == [
        (f"/0/{number}/3", f"/0/{number - 1}/3") for number in range(1, 400, 2)
    ]


def test_many_elements_of_an_unordered_array_find_their_partners() -> None:
    def element(number: int, total: int) -> Json:
        lines: list[Json] = [{"n": Number(str(line)), "note": "same"} for line in range(5)]
        return {"id": f"r{number}", "total": Number(str(total)), "lines": lines}

    left: list[Json] = [element(number, 0) for number in range(400)]
    right: list[Json] = [element(number, 1) for number in reversed(range(400))]
    reported = list(aligned_differences([left], [right], Comparison(unordered=("/0",))))
    assert [(one.pointer, one.actual_pointer) for one in reported] == [
        (f"/0/{number}/total", f"/0/{399 - number}/total") for number in range(400)
    ]


def test_unordered_elements_find_their_partners_by_what_they_hold_anywhere() -> None:
    def element(number: int, name: str, lines: range) -> Json:
        held: list[Json] = [f"{number} {line} \ud800" for line in lines]
        return {"name": name, "lines": held}

    left: list[Json] = [element(number, "", range(100)) for number in range(30)]
    right: list[Json] = [element(number, "x", range(99, -1, -1)) for number in reversed(range(30))]
    unordered = Comparison(unordered=("/0", "/0/*/lines"))
    reported = list(aligned_differences([left], [right], unordered))
    assert [(one.pointer, one.actual_pointer) for one in reported] == [
        (f"/0/{number}/name", f"/0/{29 - number}/name") for number in range(30)
    ]


def test_very_different_large_arrays_are_compared_by_index() -> None:
    left, right = numbers(20_000), numbers(20_000)[::-1]
    reported = aligned_differences([left], [right], Comparison())
    assert [one.pointer for one in reported] == [f"/0/{index}" for index in range(20_000)]


def test_values_too_large_for_their_forms_are_compared_by_index() -> None:
    left: list[Json] = [numbers(2_000, number) for number in range(105)]
    reported = list(aligned_differences([left], [left[:0:-1]], Comparison()))
    assert reported[-1].pointer == "/0/104"
    assert reported[-1].actual is MISSING


def test_deep_values_are_walked_without_recursion_and_within_bounds() -> None:
    left: Json = Number("1")
    right: Json = Number("2")
    for _ in range(3_000):
        left, right = [Number("7"), left], [Number("7"), right]
    (one,) = aligned_differences([left], [right], Comparison())
    assert (one.pointer, one.actual_pointer) == ("/0" + "/1" * 3_000, None)


# Similarity.


def alike(left: str, right: str) -> float:
    """The similarity of two values, in percent."""
    (one,), (other,) = decode(left.encode()).values, decode(right.encode()).values
    return round(100 * similarity(bag_of(one), bag_of(other)))


def test_values_are_similar_by_their_common_parts(golden: Golden) -> None:
    def both_ways(values: tuple[str, str]) -> str:
        assert alike(*values) == alike(*values[::-1])
        return str(alike(*values))

    golden.table("similarity.txt", both_ways)


def test_only_the_beginning_of_a_value_is_examined() -> None:
    many = ",".join(map(str, range(1_000)))
    assert alike(f"[{many},1]", f"[{many},2]") == 100
    assert alike(f'"{many}1"', f'"{many}2"') == 100
    long = "k" * 1_000
    kind, parts = bag_of({f"{long}{number}": long for number in range(1_000)})
    assert kind is dict
    assert max(map(len, parts)) < 200
