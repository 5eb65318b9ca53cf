"""The plan: which runs, in what order, and how each is repeated by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.records import Setting, Subject
from harness.runs.deliveries import DELIVERIES, Delivery
from harness.runs.plan import (
    Plan,
    PlannedRun,
    Selection,
    Shard,
    Target,
    idle_patterns,
    idle_tags,
    parse_shard,
    repeat_command,
)
from harness.suites.corpus import Suite
from harness.suites.naming import CaseName, selects
from harness.suites.policy import CaseRule, SuiteSettings


def target(name: str, *cases: CaseName, argument: str = "", own: bool = False) -> Target:
    """A target with these cases; its own program, or one that the user gave."""
    files = {case: (f"{case.text}-in.json", f"{case.text}-out.json") for case in cases}
    suite = Suite(name, Path(name), SuiteSettings(), files)
    subject = Subject("./prog", ("./prog", "-x", "a b"))
    return Target(suite, argument or name, subject, is_default_subject=own)


ONE, TWO, BAD = CaseName("", 1), CaseName("", 2), CaseName("bad", 1)
TARGETS = [target("s", ONE, TWO, BAD), target("t", TWO, BAD)]


@pytest.mark.parametrize(
    ("patterns", "runs"),
    [
        ((), ["s/1", "s/2", "s/bad-1", "t/2", "t/bad-1"]),
        (("2",), ["s/2", "t/2"]),
        (("bad-*", "1"), ["s/1", "s/bad-1", "t/bad-1"]),
        (("1-9", "2"), ["s/1", "s/2", "t/2"]),
        (("9",), []),
    ],
)
def test_the_runs_are_those_that_a_pattern_means_suite_by_suite(
    patterns: tuple[str, ...], runs: list[str]
) -> None:
    planned = list(Plan(TARGETS, Selection(patterns), (Delivery.SLOW,)))
    assert [f"{run.target.suite.name}/{run.name.text}" for run in planned] == runs
    assert {run.deliveries for run in planned} <= {(Delivery.SLOW,)}


def test_a_suite_is_fed_plain_and_in_the_ways_that_it_declares() -> None:
    says = SuiteSettings(deliveries=("slow", "compact"))
    declared = TARGETS[0].suite._replace(settings=says)
    (first, *_) = Plan([TARGETS[0]._replace(suite=declared)], Selection(("1",)), None)
    assert first.deliveries == (Delivery.PLAIN, Delivery.COMPACT, Delivery.SLOW)
    (first, *_) = Plan(TARGETS, Selection(("1",)), None)
    assert first.deliveries == DELIVERIES  # it declares nothing: no way of feeding it may matter


def test_a_delivery_that_is_not_plain_is_repeated_by_its_name() -> None:
    run = PlannedRun(target("s", own=True), ONE, (Delivery.PLAIN, Delivery.CUT), 0)
    words = ("xtest", "run", "s", "--case", "1", "--deliver", "cut")
    assert repeat_command(run, Delivery.CUT) == words


def test_a_pattern_that_means_no_case_of_any_suite_is_idle() -> None:
    assert idle_patterns(TARGETS, Selection(("1", "9", "bad-*", "worse-*"))) == ("9", "worse-*")
    assert not idle_patterns(TARGETS, Selection())
    assert idle_patterns([], Selection(("1",))) == ("1",)


def tagged() -> Target:
    """The target s, whose case 1 is slow, and whose cases 1 and 2 are easy."""
    rules = (CaseRule("1-2", tags=("easy",)), CaseRule("1", tags=("slow", "easy")))
    made = TARGETS[0]
    return made._replace(suite=made.suite._replace(settings=SuiteSettings(rules=rules)))


@pytest.mark.parametrize(
    ("tags", "runs"),
    [
        (("easy",), ["1", "2"]),
        (("slow", "easy"), ["1", "2"]),
        (("easy", "!slow"), ["2"]),
        (("!slow", "easy"), ["2"]),
        (("!slow", "!easy"), ["bad-1"]),
        (("!fast",), ["1", "2", "bad-1"]),
        (("fast",), []),
        (("slow", "!slow"), []),
    ],
)
def test_tags_take_those_that_have_one_and_leave_those_that_have_one_behind_a_mark(
    tags: tuple[str, ...], runs: list[str]
) -> None:
    assert [run.name.text for run in Plan([tagged()], Selection(tags=tags), ())] == runs


def test_a_tag_that_no_case_has_is_idle_unless_it_is_to_be_left_out() -> None:
    selection = Selection(tags=("easy", "fast", "!fast", "slow", "none", "fast"))
    assert idle_tags([TARGETS[1], tagged()], selection) == ("fast", "none")
    assert not idle_tags([tagged()], Selection())
    assert idle_tags([], Selection(tags=("a",))) == ("a",)


def test_shards_are_dealt_over_all_suites_and_after_names_and_tags() -> None:
    def names(shard: Shard) -> list[str]:
        plan = Plan(TARGETS, Selection(("1-9", "bad-*"), shard=shard), ())
        return [f"{run.target.suite.name}/{run.name.text}" for run in plan]

    assert names(Shard(1, 2)) == ["s/1", "s/bad-1", "t/bad-1"]
    assert names(Shard(2, 2)) == ["s/2", "t/2"]
    assert names(Shard(6, 6)) == []


def test_what_is_not_picked_is_passed_over() -> None:
    first, second = (target.key for target in TARGETS)
    picks = {first: bytearray([0, 1, 0]), second: bytearray([1, 0])}
    plan = Plan(TARGETS, Selection(), (), picks)
    assert [(run.name, run.at) for run in plan] == [(TWO, 1), (TWO, 0)]


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
    ("run", "words"),
    [
        (
            PlannedRun(target("s", own=True), ONE, (Delivery.PLAIN,), 0),
            ("xtest", "run", "s", "--case", "1"),
        ),
        (
            PlannedRun(target("s", argument="../my/s"), CaseName("a*", 7), (Delivery.PLAIN,), 0),
            ("xtest", "run", "../my/s", "--case", "a[*]-7", "--", "./prog", "-x", "a b"),
        ),
        (
            PlannedRun(
                target("s", argument="-s", own=True), CaseName("40", 59), (Delivery.PLAIN,), 0
            ),
            ("xtest", "run", "./-s", "--case", "[4]0-59"),
        ),
    ],
)
def test_a_run_is_repeated_by_a_command_that_means_just_it(
    run: PlannedRun, words: tuple[str, ...]
) -> None:
    assert repeat_command(run, Delivery.PLAIN) == words


NAMES = st.builds(
    CaseName,
    st.one_of(st.text(max_size=4), st.sampled_from(["", "4", "40", "[4]0", "*"])),
    st.integers(0, 99),
)


@given(NAMES, NAMES)
@settings(deadline=None)
def test_the_pattern_in_that_command_means_its_own_case_only(
    name: CaseName, other: CaseName
) -> None:
    """The pattern selects its case, and another one exactly if it is the same."""
    pattern = repeat_command(PlannedRun(target("s"), name, (), 0), Delivery.PLAIN)[4]
    assert selects(pattern, name)
    assert selects(pattern, other) == (name == other)


def test_a_configured_subject_is_repeated_by_its_name() -> None:
    subject = Subject("js", ("node", "a.js"), Setting("/impl"))
    run = PlannedRun(target("s", ONE)._replace(subject=subject), ONE, (), 0)
    words = repeat_command(run, Delivery.PLAIN, ("--check",))
    assert words == ("xtest", "run", "s", "--case", "1", "--check", "--subject", "js")
