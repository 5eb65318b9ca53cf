"""Values of an expected output that count as tests: how many there are, and how many are right."""

from __future__ import annotations

import pytest

from harness.jsonio.fast import decode
from harness.judging.assertions import count_equal, count_tests
from harness.judging.judge import judge
from harness.model.case import Case, Policy
from harness.model.comparison import Comparison, Numbers
from harness.model.limits import Limit
from harness.model.transcript import Exited, Signalled, Transcript

PLAIN = Comparison()
UNORDERED = Comparison(unordered=("/0",))
ONE, TWO, OTHER = '{"a":1,"b":[2]}', '{"a":1,"b":[2,3]}', '{"a":2,"b":[2]}'


@pytest.mark.parametrize(
    ("each", "expected", "printed", "rules", "right"),
    [
        ("/0/*", "[1,2,3]", "[1,2,3]", PLAIN, 3),
        ("/0/*", "[1,2,3]", "[1,5,3]", PLAIN, 2),
        ("/0/*", "[1,2,3]", "[2,3]", PLAIN, 0),
        ("/0/*", "[1,2,3]", "[1,2]", PLAIN, 2),
        ("/0/*", "[1,2]", "[1,2,3]", PLAIN, 2),
        ("/0/*", "[1,2]", '{"0":1,"1":2}', PLAIN, 0),
        ("/0/*", "[1,2]", "", PLAIN, 0),
        ("/0/*", "[1,2] 3", "[1,2] 4", PLAIN, 2),
        ("/0/*", "[1,2]", "[1.0,2]", PLAIN, 1),
        ("/0/*", "[1,2]", "[1.0,2]", Comparison(numbers=Numbers.VALUE), 2),
        ("/0/*", "[1,2]", "[7,2]", Comparison(ignore=("/0/0",)), 2),
        ("/0/*", "[1,2,3]", "[3,4,1]", UNORDERED, 2),
        ("/0/*", "[1,2,3]", "[4,1,2,3]", UNORDERED, 3),
        ("/0/*", f"[{ONE},{ONE}]", f"[{ONE},{TWO}]", PLAIN, 1),
        ("/0/*", f"[{ONE},{TWO}]", f"[{OTHER},{ONE}]", PLAIN, 0),
        ("/0/*", '{"a":1,"b":2}', '{"b":2,"c":3}', PLAIN, 1),
        ("/*", "1 2 3", "1 2 4", PLAIN, 2),
        ("/*/a/*", '{"a":[1,2]} {"a":[3]} {"b":4}', '{"a":[1,2]} {"c":[3]} 5', PLAIN, 2),
        ("/0/tests/*/valid", '{"tests":[{"valid":1},{"valid":2}]}', "{}", PLAIN, 0),
    ],
)
def test_equal_values_count_at_their_places(
    each: str, expected: str, printed: str, rules: Comparison, right: int
) -> None:
    values = [decode(text.encode()).values for text in (expected, printed)]
    assert count_equal(values[0], values[1], each, rules) == right


@pytest.mark.parametrize(
    ("each", "expected", "tests"),
    [("/0/*", "[1,2,3]", 3), ("/0/*", "[]", 1), ("/0/*", "5", 1), ("/1/*", '1 {"a":1,"b":2}', 2)],
)
def test_an_output_without_such_values_is_one_test(each: str, expected: str, tests: int) -> None:
    assert count_tests(decode(expected.encode()).values, each) == tests


@pytest.mark.parametrize(
    ("transcript", "right"),
    [
        (Transcript(Exited(0), b"[1,2,3]"), 3),
        (Transcript(Exited(0), b"[1,2,4]"), 2),
        (Transcript(Exited(1), b"[1,2,3]"), 3),
        (Transcript(Exited(0), b"[1,2,3"), 0),
        (Transcript(Signalled(9), b"[1,2,3]"), 0),
        (Transcript(Exited(0), b"[1,2,3]", limit=Limit.WALL), 0),
        (Transcript(Exited(0), b"[9]"), 1),
    ],
)
def test_an_output_that_is_cut_off_has_no_right_tests(transcript: Transcript, right: int) -> None:
    case = Case("s", "1", b"", b"", decode(b"[1,2,3]").values, policy=Policy(each="/0/*"))
    if transcript.stdout == b"[9]":
        case = case._replace(alternatives=(case.expected, decode(b"[9,8,7,6]").values))
    judgement = judge(transcript, case, case.policy)
    assert (judgement.tests, judgement.tests_passed) == (3, right)
