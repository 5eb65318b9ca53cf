"""The same input twice, and paths at which nothing stands."""

from __future__ import annotations

import pytest

from harness.care.lint import Rule
from harness.care.lint_values import IdlePaths, Inputs, has_place, input_key, same_input
from harness.jsonfast import decode
from harness.paths import Paths, parse_pattern
from harness.records import Case, Comparison, ExitRange, InputKind, Numbers, Policy


def case_of(
    stdin: bytes,
    expected: bytes = b"",
    *,
    kind: InputKind = InputKind.JSON,
    comparison: Comparison | None = None,
    exits: ExitRange | None = None,
) -> Case:
    """A case."""
    policy = Policy(comparison or Comparison(), exits or ExitRange())
    return Case("s", "7", stdin, expected, decode(expected).values, kind, (), policy)


def candidates(*texts: bytes, kind: InputKind = InputKind.JSON) -> list[list[int]]:
    """Which of these inputs may be the same."""
    inputs = Inputs()
    for at, text in enumerate(texts):
        inputs.add(at, case_of(text, kind=kind), decode(text).values)
    return list(inputs.candidates())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b'{"a": 1, "b": 2}', b'{"b":2,"a":1}'),
        (b"[1e2, 100.0]", b"[100.0, 1.00e2]"),
        (b'"\\u00e9"', '"é"'.encode()),
        (b"", b" \n"),
        (b"1e999", b"10e998"),
    ],
)
def test_equal_inputs_are_found_however_they_are_spelled(one: bytes, other: bytes) -> None:
    assert candidates(one, b'"between"', other) == [[0, 2]]
    keys = [input_key(case_of(text), decode(text).values) for text in (one, other)]
    assert keys[0] == keys[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"[1]", b"[2]"),
        (b"[1] 1", b"[1]"),
        (b'{"a": [1, 2, 3]}', b'{"a": [1, 2]}'),
        (b'"a"', b'"b"'),
        (b'{"a": 1}', b'{"b": 1}'),
    ],
)
def test_inputs_that_look_different_are_not_read_again(one: bytes, other: bytes) -> None:
    assert not candidates(one, other)


def test_inputs_that_only_look_alike_have_different_keys() -> None:
    one, other = b"[" + b"0," * 500 + b"1]", b"[" + b"0," * 500 + b"2]"
    assert candidates(one, other) == [[0, 1]]
    assert input_key(case_of(one), decode(one).values) != input_key(
        case_of(other), decode(other).values
    )


def test_an_object_of_very_many_members_is_only_counted() -> None:
    one = b"{" + b",".join(b'"%d": %d' % (n, n) for n in range(100)) + b"}"
    other = b"{" + b",".join(b'"x%d": 0' % n for n in range(100)) + b"}"
    assert candidates(one, other) == [[0, 1]]


def test_raw_inputs_are_the_same_byte_for_byte() -> None:
    assert candidates(b"[1]", b"[1 ]", b"[1]", kind=InputKind.RAW) == [[0, 2]]
    assert input_key(case_of(b"\xff", kind=InputKind.RAW), []) == "ff"


def test_a_copy_is_a_slip_and_another_spelling_a_choice() -> None:
    assert same_input(case_of(b"1", b"2"), case_of(b"1", b"2")) == (
        Rule.SAME_INPUT,
        "the same input as case 7, byte for byte",
    )
    assert same_input(case_of(b"1", b"2"), case_of(b"1 ", b"2")) == (
        Rule.SAME_VALUES,
        "the same input as case 7, the same values in other bytes",
    )


def test_other_outputs_for_the_same_input_contradict() -> None:
    assert same_input(case_of(b"1", b"[2]"), case_of(b"1", b"[3]")) == (
        Rule.CONTRADICTION,
        "the same input as case 7, byte for byte, and no program can pass both: at /0/0, 2 there"
        " and 3 here",
    )
    rule, said = same_input(case_of(b"1", b"2"), case_of(b"1 ", b""))
    assert rule is Rule.CONTRADICTION
    assert said.endswith("and no program can pass both: at /0, 2 there and nothing here")


def test_outputs_contradict_only_where_the_policy_tells_them_apart() -> None:
    by_value = Comparison(numbers=Numbers.VALUE, ignore=("/1",))
    rule, _ = same_input(
        case_of(b"1", b"2 3", comparison=by_value), case_of(b"1", b"2.0 4", comparison=by_value)
    )
    assert rule is Rule.SAME_INPUT


def test_exit_statuses_that_exclude_each_other_contradict() -> None:
    one = case_of(b"1", exits=ExitRange(0, 0))
    other = case_of(b"1", exits=ExitRange(1, 255))
    for first, later in ((one, other), (other, one)):
        rule, said = same_input(first, later)
        assert rule is Rule.CONTRADICTION
        assert said.endswith(
            f": exit status {first.policy.exit} there and {later.policy.exit} here"
        )
    either = case_of(b"1", exits=ExitRange(0, 1))
    assert same_input(other, either)[0] is Rule.SAME_INPUT


# Paths.


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", True),
        ("/0/a", True),
        ("/*/a/1", True),
        ("/**/c", True),
        ("/**", True),
        ("/1", False),
        ("/0/b/**/c", False),
        ("/*/*/*/*/*", False),
    ],
)
def test_a_place_is_there_or_not(path: str, found: bool) -> None:
    values = decode(b'{"a": [1, {"c": null}], "b": 2}').values
    assert has_place(values, Paths([parse_pattern(path)])) is found


def test_an_array_whose_order_does_not_count_has_to_be_an_array() -> None:
    idle = IdlePaths([("unordered", "/0"), ("ignore", "/0")])
    idle.see(decode(b"{}").values)
    assert idle.left == (("unordered", "/0"),)
    idle.see(decode(b"[]").values)
    assert not idle.left


def test_paths_are_idle_until_something_stands_there() -> None:
    idle = IdlePaths([("ignore", "/0/a"), ("ignore", "/0/b")])
    idle.see(decode(b'{"b": 1}').values)
    assert idle.left == (("ignore", "/0/a"),)
    idle.see(decode(b'{"a": 1}').values)
    assert not idle.left
