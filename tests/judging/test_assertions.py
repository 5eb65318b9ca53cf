"""Values of an expected output that count as tests: how many there are, and how many are right."""

from __future__ import annotations

from typing import Any

from support.golden import Golden
from support.tables import check_table, comparison_of, transcript_of

from harness.jsonio.fast import decode
from harness.judging.assertions import count_equal, count_tests
from harness.judging.judge import judge
from harness.model.case import Case, Policy


def test_equal_values_count_at_their_places(golden: Golden) -> None:
    def right_of_all(example: tuple[str, str, str, str]) -> str:
        each, *texts = example
        expected, actual = (decode(text.encode()).values for text in texts[:2])
        right = count_equal(expected, actual, each, comparison_of(*texts[2:]))
        return f"{right} of {count_tests(expected, each)}"

    check_table(golden, __file__, "assertions.txt", right_of_all)


def test_an_output_that_is_cut_off_has_no_right_tests(golden: Golden) -> None:
    case = Case("s", "1", b"", b"", decode(b"[1,2,3]").values, policy=Policy(each="/0/*"))

    def right(run: dict[str, Any], judged: Case = case) -> str:
        judgement = judge(transcript_of(run), judged, judged.policy)
        return f"{judgement.tests_passed} of {judgement.tests}"

    check_table(golden, __file__, "cut_off_tests.txt", right)
    either = case._replace(alternatives=(case.expected, decode(b"[9,8,7,6]").values))
    assert right({"stdout": b"[9]"}, either) == "1 of 3"
