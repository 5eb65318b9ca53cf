"""Inputs that several cases share, and paths that no output has."""

from __future__ import annotations

import pytest
from support.cases import case_of

from harness.authoring.lint_rules import LintRule
from harness.authoring.lint_values import (
    ComparedPath,
    UnusedPaths,
    compare_same_input,
    input_key,
    input_sketch,
)
from harness.jsonio.fast import decode
from harness.model.case import NONZERO, ExitRange, InputKind, Policy
from harness.model.case_names import CaseName
from harness.model.comparison import Comparison, Numbers


def share_a_sketch(*texts: bytes, kind: InputKind = InputKind.JSON) -> bool:
    return (
        len({input_sketch(case_of(b"", text, kind=kind), decode(text).values) for text in texts})
        == 1
    )


MANY = b"{" + b",".join(b'"%d": %d' % (n, n) for n in range(100)) + b"}"
ZEROS = b"[" + b"0," * 500


@pytest.mark.parametrize(
    ("one", "other", "are_candidates", "are_equal"),
    [
        (b'{"a": 1, "b": 2}', b'{"b":2,"a":1}', True, True),
        (b"[1e2, 100.0]", b"[100.0, 1.00e2]", True, True),
        (b'"\\u00e9"', '"é"'.encode(), True, True),
        (b"", b" \n", True, True),
        (b"1e999", b"10e998", True, True),
        (ZEROS + b"1]", ZEROS + b"2]", True, False),
        (MANY, MANY.replace(b'"', b'"x', 1), True, False),
        (b"[1]", b"[2]", False, False),
        (b"[1] 1", b"[1]", False, False),
        (b'{"a": [1, 2, 3]}', b'{"a": [1, 2]}', False, False),
        (b'{"a": 1}', b'{"b": 1}', False, False),
    ],
)
def test_equal_inputs_are_candidates_with_one_key(
    one: bytes, other: bytes, are_candidates: bool, are_equal: bool
) -> None:
    assert share_a_sketch(one, other) is are_candidates
    assert not share_a_sketch(one, b'"another"')
    keys = [input_key(case_of(b"", text), decode(text).values) for text in (one, other)]
    assert (keys[0] == keys[1]) is are_equal


def test_raw_inputs_are_equal_byte_for_byte() -> None:
    assert share_a_sketch(b"[1]", b"[1]", kind=InputKind.RAW)
    assert not share_a_sketch(b"[1]", b"[1 ]", kind=InputKind.RAW)
    assert input_key(case_of(b"", b"\xff", kind=InputKind.RAW), []) == "ff"


def test_cases_with_equal_inputs_contradict_if_no_program_passes_both() -> None:
    loose = Policy(Comparison(numbers=Numbers.VALUE, ignore=("/1",)))
    zero, nonzero = Policy(exit=ExitRange(0, 0)), Policy(exit=NONZERO)
    either = Policy(exit=ExitRange(0, 1))
    plain, same = Policy(), "byte for byte"
    for first, one, later, other, end in (
        (b"2", plain, b"", plain, "2 there and nothing here"),
        (b"2 3", loose, b"2.0 4", loose, same),
        (b"", zero, b"", nonzero, ": exit status 0 there and nonzero here"),
        (b"", nonzero, b"", zero, ": exit status nonzero there and 0 here"),
        (b"", nonzero, b"", either, same),
    ):
        pair = case_of(first, policy=one), case_of(later, policy=other)
        found, message = compare_same_input(*pair, has_other_files=False)
        assert found is (LintRule.SAME_INPUT if end == same else LintRule.CONTRADICTION)
        assert message.endswith(end)


def test_a_program_may_find_the_result_in_another_file() -> None:
    first, later = case_of(b"2"), case_of(b"3")
    found, message = compare_same_input(first, later, has_other_files=True)
    assert found is LintRule.SAME_INPUT
    assert message.endswith("which must depend on another file: at /0, 2 there and 3 here")


def test_an_implementation_may_claim_one_of_two_tags() -> None:
    for tags, is_contradiction in (((), True), (("b", "a"), True), (("b",), False)):
        first, later = case_of(b"2")._replace(tags=("a",)), case_of(b"3")._replace(tags=tags)
        found, message = compare_same_input(first, later, has_other_files=False)
        assert (found is LintRule.CONTRADICTION) is is_contradiction
        assert message.endswith("at /0, 2 there and 3 here")


def test_a_path_is_unused_until_an_output_has_it() -> None:
    paths = [ComparedPath("unordered", "/0"), ComparedPath("ignore", "/0/a")]
    unused = UnusedPaths([*paths, ComparedPath("path", "/0", "2")])
    left = []
    for number, text in ((1, b"{}"), (1, b"[]"), (1, b'{"a": null}'), (2, b"1")):
        unused.remove_used(decode(text).values, CaseName("", number))
        left.append([path.key for path, _ in unused])
    assert left == [["unordered", "ignore", "path"], ["ignore", "path"], ["path"], []]


def test_an_unused_path_may_mean_a_place_that_an_output_has() -> None:
    unused = UnusedPaths([ComparedPath("ignore", path) for path in ("/*/name", "/*/no", "")])
    unused.remove_used(decode(b'{"user": {"name": 1}}').values, CaseName("", 1))
    assert {path.path: meant for path, meant in unused} == {"/*/name": "/user/name", "/*/no": ""}
