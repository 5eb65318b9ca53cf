"""The plan: which runs, in what order, and how each is repeated by hand."""

from __future__ import annotations

import pytest
from support.suites import listed_target

from harness.delivery.registry import Delivery
from harness.engine.plan import (
    Plan,
    PlannedRun,
    Selection,
    Shard,
    parse_shard,
    repeat_command,
    unmatched_tags,
)
from harness.model.case_names import CaseName
from harness.model.subject import Subject
from harness.suites.settings import CaseRule, SuiteSettings
from harness.text import shell_line

ONE, TWO, BAD = CaseName("", 1), CaseName("", 2), CaseName("bad", 1)
PROG = Subject("./prog", ("./prog", "-x", "a b"))
EASY = SuiteSettings(rules=(CaseRule("1-2", tags=("easy",)), CaseRule("1", tags=("slow", "easy"))))


def test_a_suite_is_delivered_plain_and_as_it_declares() -> None:
    declares = listed_target("s", ONE, settings=SuiteSettings(deliveries=("slow", "compact")))
    declared, other = Plan([declares, listed_target("t", ONE)], Selection(), None)
    assert declared.deliveries == (Delivery.PLAIN, Delivery.COMPACT, Delivery.SLOW)
    assert other.deliveries == tuple(Delivery)  # any of them may matter


def test_a_tag_that_no_case_has_is_unmatched_unless_it_is_negated() -> None:
    targets = [listed_target("s", ONE, TWO, BAD, settings=EASY), listed_target("t", TWO, BAD)]
    selection = Selection(tags=("easy", "fast", "!fast", "slow", "none", "fast"))
    assert unmatched_tags(targets, selection) == ("fast", "none")
    assert not unmatched_tags(targets, Selection())
    assert unmatched_tags([], Selection(tags=("a",))) == ("a",)


@pytest.mark.parametrize(
    ("text", "shard"),
    [
        ("1/1", Shard(1, 1)),
        ("2/3", Shard(2, 3)),
        ("007/10", Shard(7, 10)),
        *((text, None) for text in ("0/3", "4/3", "1/0", "1", "1/", "/3", "-1/3", "1/3/5", "a/b")),
        *((text, None) for text in ("1/3 ", "1/3\n", "", "1.0/3", "1/" + "9" * 5_000, "१/३")),
    ],
)
def test_a_shard_is_parsed_or_invalid(text: str, shard: Shard | None) -> None:
    assert parse_shard(text) == shard


@pytest.mark.parametrize(
    ("argument", "is_default", "name", "line"),
    [
        ("-s", True, CaseName("40", 59), "xtest run ./-s --case '[4]0-59'"),
        (
            *("../my/s", False, CaseName("a*", 7)),
            "xtest run ../my/s --case 'a[*]-7' -- ./prog -x 'a b'",
        ),
    ],
)
def test_the_command_that_repeats_a_run_selects_only_that_run(
    argument: str, is_default: bool, name: CaseName, line: str
) -> None:
    target = listed_target("s", subject=PROG)
    where = target._replace(argument=argument, is_default_subject=is_default)
    run = PlannedRun(where, name, (Delivery.PLAIN,), 0)
    assert shell_line(repeat_command(run, Delivery.PLAIN)) == line
