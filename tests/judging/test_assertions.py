"""Values of an expected output that count as tests: how many there are, and how many are right."""

from __future__ import annotations

import pytest
from support.golden import Golden
from support.tables import check_table, comparison_of

from harness.jsonio.fast import decode
from harness.judging.assertions import count_equal, count_tests
from harness.judging.judge import judge
from harness.model.case import Case, Policy
from harness.model.limits import Limit
from harness.model.transcript import Exited, Signalled, Transcript


def test_equal_values_count_at_their_places(golden: Golden) -> None:
    def right_of_all(example: tuple[str, str, str, str]) -> str:
        each, *texts = example
        expected, actual = (decode(text.encode()).values for text in texts[:2])
        right = count_equal(expected, actual, each, comparison_of(*texts[2:]))
        return f"{right} of {count_tests(expected, each)}"

    check_table(golden, __file__, "assertions.txt", right_of_all)


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
