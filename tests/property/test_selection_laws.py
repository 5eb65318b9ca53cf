"""Laws of selecting cases: shards are a partition, tags split a suite, more options mean less."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.model.case import content_digest
from harness.model.case_names import CaseName, case_order
from harness.model.subject import Subject
from harness.project.targets import Target
from harness.runner.plan import Plan, Selection, Shard
from harness.suites.loading import Suite
from harness.suites.settings import CaseRule, SuiteSettings

NAMES = st.builds(CaseName, st.sampled_from(["", "bad", "a-2"]), st.integers(0, 40))
TAGS = st.sampled_from(["slow", "errors", "x"])
PATTERNS = st.sampled_from(["1-20", "bad-*", "*", "7"])
RULES = st.lists(
    st.builds(lambda match, tags: CaseRule(match, tags=tuple(tags)), PATTERNS, st.lists(TAGS)),
    max_size=3,
).map(tuple)


@st.composite
def targets(draw: st.DrawFn) -> list[Target]:
    """A few suites, each with cases in natural order and tags for some of them."""
    made = []
    for number in range(draw(st.integers(0, 4))):
        names = sorted(draw(st.sets(NAMES, max_size=25)), key=case_order)
        says = SuiteSettings(rules=draw(RULES))
        suite = Suite(f"s{number}", Path("s"), says, {name: () for name in names})
        made.append(Target(suite, suite.name, Subject("p", ("p",)), is_default_subject=True))
    return made


SELECTIONS = st.builds(
    lambda patterns, tags: Selection(tuple(patterns), tuple(tags)),
    st.lists(PATTERNS, max_size=2),
    st.lists(TAGS | TAGS.map(lambda tag: f"!{tag}"), max_size=2),
)


def runs(within: list[Target], selection: Selection) -> list[tuple[str, str]]:
    """The suite and the name of each case of a plan."""
    return [(run.target.suite.name, run.name.text) for run in Plan(within, selection, ())]


@given(targets(), SELECTIONS, st.integers(1, 9))
@settings(deadline=None)
def test_every_case_is_in_exactly_one_shard_and_shards_are_equal(
    within: list[Target], selection: Selection, of: int
) -> None:
    """All shards together are the selection, each case once; no two differ by two cases."""
    whole = runs(within, selection)
    shards = [
        runs(within, selection._replace(shard=Shard(number, of))) for number in range(1, of + 1)
    ]
    assert sorted(run for shard in shards for run in shard) == sorted(whole)
    sizes = [len(shard) for shard in shards]
    assert max(sizes) - min(sizes) <= 1


@given(targets(), SELECTIONS, TAGS)
@settings(deadline=None)
def test_a_tag_and_its_absence_split_what_is_selected_without_tags(
    within: list[Target], selection: Selection, tag: str
) -> None:
    """Each case has a tag or has it not."""
    patterns = selection._replace(tags=())
    having = runs(within, patterns._replace(tags=(tag,)))
    lacking = runs(within, patterns._replace(tags=(f"!{tag}",)))
    assert not set(having) & set(lacking)
    assert set(having) | set(lacking) == set(runs(within, patterns))


@given(targets(), SELECTIONS)
@settings(deadline=None)
def test_a_selection_keeps_the_order_and_adds_nothing(
    within: list[Target], selection: Selection
) -> None:
    """A selection is a subsequence of all cases."""
    selected = set(runs(within, selection))
    assert runs(within, selection) == [run for run in runs(within, Selection()) if run in selected]


@given(st.binary(max_size=9), st.binary(max_size=9), st.integers(0, 17), st.integers(1, 255))
@settings(deadline=None)
def test_a_fingerprint_changes_with_every_byte_of_either_side(
    stdin: bytes, expected: bytes, at: int, change: int
) -> None:
    """One byte changed is another fingerprint, and the two sides cannot be mistaken."""
    sides = [bytearray(stdin), bytearray(expected)]
    side, place = divmod(at, 9)
    if place < len(sides[side]):
        sides[side][place] ^= change
        assert content_digest(bytes(sides[0]), bytes(sides[1])) != content_digest(stdin, expected)
    assert len(content_digest(stdin, expected)) == 16
    both = [content_digest(*sides) for sides in ((stdin, expected), (expected, stdin))]
    assert (both[0] == both[1]) == (stdin == expected)
