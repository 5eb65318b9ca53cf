"""The plan: which runs, in what order, and how each is repeated by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.delivery.registry import DELIVERIES, Delivery
from harness.model.case_names import CaseName
from harness.model.subject import ExecutionContext, Subject
from harness.project.targets import Target
from harness.runner.plan import (
    Plan,
    PlannedRun,
    Selection,
    Shard,
    parse_shard,
    repeat_command,
    unmatched_patterns,
    unmatched_tags,
)
from harness.suites.loading import Suite
from harness.suites.settings import CaseRule, SuiteSettings
from harness.text import shell_line


def target(name: str, *cases: CaseName, argument: str = "", own: bool = False) -> Target:
    """A target with these cases; its own program, or one that the user gave."""
    files = {case: (f"{case.text}-in.json", f"{case.text}-out.json") for case in cases}
    suite = Suite(name, Path(name), SuiteSettings(), files)
    subject = Subject("./prog", ("./prog", "-x", "a b"))
    return Target(suite, argument or name, subject, is_default_subject=own)


ONE, TWO, BAD = CaseName("", 1), CaseName("", 2), CaseName("bad", 1)
TARGETS = [target("s", ONE, TWO, BAD), target("t", TWO, BAD)]


def test_a_suite_is_fed_plain_and_in_the_ways_that_it_declares() -> None:
    says = SuiteSettings(deliveries=("slow", "compact"))
    declared = TARGETS[0].suite._replace(settings=says)
    (first, *_) = Plan([TARGETS[0]._replace(suite=declared)], Selection(("1",)), None)
    assert first.deliveries == (Delivery.PLAIN, Delivery.COMPACT, Delivery.SLOW)
    (first, *_) = Plan(TARGETS, Selection(("1",)), None)
    assert first.deliveries == DELIVERIES  # it declares nothing: no way of feeding it may matter


def test_a_pattern_that_means_no_case_of_any_suite_is_idle() -> None:
    assert unmatched_patterns(TARGETS, Selection(("1", "9", "bad-*", "worse-*"))) == (
        "9",
        "worse-*",
    )
    assert not unmatched_patterns(TARGETS, Selection())
    assert unmatched_patterns([], Selection(("1",))) == ("1",)


def tagged() -> Target:
    """The target s, whose case 1 is slow, and whose cases 1 and 2 are easy."""
    rules = (CaseRule("1-2", tags=("easy",)), CaseRule("1", tags=("slow", "easy")))
    made = TARGETS[0]
    return made._replace(suite=made.suite._replace(settings=SuiteSettings(rules=rules)))


def test_a_tag_that_no_case_has_is_idle_unless_it_is_to_be_left_out() -> None:
    selection = Selection(tags=("easy", "fast", "!fast", "slow", "none", "fast"))
    assert unmatched_tags([TARGETS[1], tagged()], selection) == ("fast", "none")
    assert not unmatched_tags([tagged()], Selection())
    assert unmatched_tags([], Selection(tags=("a",))) == ("a",)


def test_shards_are_dealt_over_all_suites_and_after_names_and_tags() -> None:
    def names(shard: Shard) -> list[str]:
        plan = Plan(TARGETS, Selection(("1-9", "bad-*"), shard=shard), ())
        return [f"{run.target.suite.name}/{run.name.text}" for run in plan]

    assert names(Shard(1, 2)) == ["s/1", "s/bad-1", "t/bad-1"]
    assert names(Shard(2, 2)) == ["s/2", "t/2"]
    assert names(Shard(6, 6)) == []


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
def test_a_shard_is_one_of_so_many(text: str, shard: Shard | None) -> None:
    assert parse_shard(text) == shard


def test_a_run_is_repeated_with_the_options_that_decide_what_comes_of_it() -> None:
    run = PlannedRun(target("s"), ONE, (Delivery.CUT,), 0)
    assert repeat_command(run, Delivery.CUT, ("--wall", "0.5", "--check")) == (
        *("xtest", "run", "s", "--case", "1", "--deliver", "cut", "--wall", "0.5", "--check"),
        *("--", "./prog", "-x", "a b"),
    )


@pytest.mark.parametrize(
    ("where", "name", "line"),
    [
        (target("s", own=True), ONE, "xtest run s --case 1"),
        (
            target("s", argument="-s", own=True),
            CaseName("40", 59),
            "xtest run ./-s --case '[4]0-59'",
        ),
        (
            *(target("s", argument="../my/s"), CaseName("a*", 7)),
            "xtest run ../my/s --case 'a[*]-7' -- ./prog -x 'a b'",
        ),
    ],
)
def test_a_run_is_repeated_by_a_command_that_means_just_it(
    where: Target, name: CaseName, line: str
) -> None:
    run = PlannedRun(where, name, (Delivery.PLAIN,), 0)
    assert shell_line(repeat_command(run, Delivery.PLAIN)) == line


def test_a_configured_subject_is_repeated_by_its_name() -> None:
    subject = Subject("js", ("node", "a.js"), ExecutionContext("/impl"))
    run = PlannedRun(target("s", ONE)._replace(subject=subject), ONE, (), 0)
    words = repeat_command(run, Delivery.PLAIN, ("--check",))
    assert words == ("xtest", "run", "s", "--case", "1", "--check", "--subject", "js")
