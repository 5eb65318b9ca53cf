"""What a suite catches, as lines: the whole text."""

from __future__ import annotations

from harness.care.mutation import Fault, Printed
from harness.care.strength import Finding, Outcome
from harness.report.strength import score, strength_lines


def fault(where: str, what: str) -> Fault:
    """A fault by its name."""
    return Fault(where, what, (), lambda _: Printed(b"", 0))


NOTICED = Finding(fault("/*/ok", "null"), Outcome.NOTICED, (0, 1, 2), (0, 2))
ALONE = Finding(fault("", "prints nothing"), Outcome.NOTICED, (0, 1), (1,))
UNNOTICED = Finding(fault("/0/x", "always 1"), Outcome.UNNOTICED, reason="nothing else")
HIDDEN = Finding(fault("/*/m", "empty"), Outcome.HIDDEN, (0,), reason="no difference by x")
HIDDEN_TOO = HIDDEN._replace(fault=fault("/*/m", "null"))
IDLE = Finding(fault("/*/m", "one more"), Outcome.IDLE)
FIXED = Finding(fault("/*/t", "always 1"), Outcome.IDLE, reason="by its schema")
ALL = [NOTICED, ALONE, UNNOTICED, HIDDEN, HIDDEN_TOO, IDLE, FIXED]
NAMES = ["1", "2", "bad-1"]


def test_what_was_not_noticed_is_told_and_what_is_hidden_in_a_line_for_each_place() -> None:
    assert list(strength_lines(ALL, NAMES, verbose=False)) == [
        "hidden  /*/m  2 faults: no difference by x",
        "unnoticed  /0/x  always 1: nothing else",
    ]


def test_with_verbose_every_fault_has_a_line_and_so_has_what_only_one_case_notices() -> None:
    assert list(strength_lines(ALL, NAMES, verbose=True)) == [
        "noticed  /*/ok  null: by 2 of 3 cases",
        "noticed  the answer  prints nothing: by 1 of 2 cases (2)",
        "idle  /*/m  one more: changes no answer",
        "idle  /*/t  always 1: by its schema",
        "alone  2  notices 1 fault that no other case notices",
        "together  1, bad-1: what one of these notices, another case notices, too",
        "hidden  /*/m  empty: no difference by x",
        "hidden  /*/m  null: no difference by x",
        "unnoticed  /0/x  always 1: nothing else",
    ]


def test_many_cases_are_not_all_named() -> None:
    names = [str(number) for number in range(15)]
    lines = strength_lines([NOTICED], names, verbose=True)
    (line,) = [line for line in lines if line.startswith("together")]
    assert line == (
        "together  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more:"
        " what one of these notices, another case notices, too"
    )


def test_where_each_case_is_alone_nobody_is_together() -> None:
    lines = list(strength_lines([ALONE], ["1"] * 2, verbose=True))
    assert [line for line in lines if line.startswith("together")] == [
        "together  1: what one of these notices, another case notices, too"
    ]
    only = Finding(fault("", "prints nothing"), Outcome.NOTICED, (0,), (0,))
    assert not [line for line in strength_lines([only], ["1"], verbose=True) if "together" in line]


def test_the_score_is_rounded_down() -> None:
    assert score([NOTICED] * 999 + [UNNOTICED]) == "999 of 1,000 faults noticed (99.9 %)"
    assert score([NOTICED] * 9_999 + [UNNOTICED]) == "9,999 of 10,000 faults noticed (99.9 %)"
    assert score([NOTICED]) == "1 of 1 fault noticed (100 %)"


def test_the_score_tells_what_is_not_in_it() -> None:
    assert score(ALL) == (
        "2 of 3 faults noticed (66.6 %); 1 of them by one case only;"
        " 2 make no difference by the suite's policy"
    )
    assert score([]) == "0 of 0 faults noticed (none applies)"


def test_what_a_program_prints_cannot_act_on_a_terminal_through_a_path() -> None:
    escape = Finding(fault("/0/\x1b[2J", "always 1"), Outcome.UNNOTICED, reason="a\x07")
    assert list(strength_lines([escape], ["1"], verbose=False)) == [
        r"unnoticed  /0/\x1b[2J  always 1: a\x07"
    ]
