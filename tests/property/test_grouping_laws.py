"""Laws of grouping: equal answers stand together whoever gives them; the smallest come first."""

from __future__ import annotations

import json
from random import Random
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.judging.comparison import Comparison, Tolerance
from harness.judging.equality import differences
from harness.judging.judge import output_values
from harness.records import Ending, Exited, ExitRange, Policy, Signalled, Transcript
from harness.several.grouping import Agreement, Groups, Smallest, answer_of, groups_of

_VALUES: Final = st.recursive(
    st.sampled_from([None, True, 0, 1, 1.0, -0.0, "a", "é", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=4,
)
_TEXTS: Final = st.lists(_VALUES, max_size=2).map(lambda vs: " ".join(map(json.dumps, vs)))
_PRINTED: Final = (_TEXTS | st.sampled_from(["[1", "oops", "[1, 2]", "[2, 1]"])).map(str.encode)
_ENDINGS: Final[st.SearchStrategy[Ending]] = st.sampled_from(
    [Exited(0), Exited(0), Exited(0), Exited(1), Signalled(11)]
)
# Not built by their class alone: fields with a default would be made up, too.
_SEEN: Final = st.tuples(_ENDINGS, _PRINTED).map(lambda both: Transcript(*both))
_MANY: Final = st.lists(_SEEN, min_size=1, max_size=6)
_COMPARISONS: Final = st.sampled_from(
    [Comparison(), Comparison(unordered=("/*",)), Comparison(ignore=("/*/a",))]
)
_EXITS: Final = st.sampled_from([ExitRange(), ExitRange(0, 1)])
_POLICIES: Final = st.tuples(_COMPARISONS, _EXITS).map(lambda both: Policy(*both))
_NUMBERS: Final = st.integers(0, 9).map(lambda n: Transcript(Exited(0), f"[{n}]".encode()))
_NEAR: Final = Policy(Comparison(Tolerance(absolute="2")))


def grouped(many: list[Transcript], policy: Policy) -> Groups:
    """The groups of what was observed."""
    return groups_of([answer_of(each, policy) for each in many], policy.comparison)


def sets(groups: Groups) -> set[frozenset[int]]:
    """Groups, as nobody ordered them."""
    return {frozenset(group) for group in groups}


@settings(deadline=None)
@given(_MANY, _POLICIES)
def test_everybody_is_in_one_group(many: list[Transcript], policy: Policy) -> None:
    """The groups share the subjects out; each is in order, and so are their first members."""
    groups = grouped(many, policy)
    assert sorted(number for group in groups for number in group) == list(range(len(many)))
    assert all(list(group) == sorted(group) for group in groups)
    assert [group[0] for group in groups] == sorted(group[0] for group in groups)


@settings(deadline=None)
@given(_MANY, _POLICIES, st.randoms(use_true_random=False))
def test_the_order_of_the_subjects_does_not_matter(
    many: list[Transcript], policy: Policy, random: Random
) -> None:
    """Subjects in another order make the same groups, where there is no tolerance."""
    order = random.sample(range(len(many)), len(many))
    others = grouped([many[number] for number in order], policy)
    renamed = {frozenset(order[place] for place in group) for group in others}
    assert renamed == sets(grouped(many, policy))


@settings(deadline=None)
@given(_MANY, _POLICIES, _SEEN)
def test_one_more_subject_moves_nobody(
    many: list[Transcript], policy: Policy, other: Transcript
) -> None:
    """With one more subject behind, the others stand as they stood."""
    groups = grouped([*many, other], policy)
    left = (tuple(n for n in group if n < len(many)) for group in groups)
    assert tuple(group for group in left if group) == grouped(many, policy)


@settings(deadline=None)
@given(_SEEN, _SEEN, _POLICIES)
def test_two_stand_together_where_nothing_differs(
    one: Transcript, other: Transcript, policy: Policy
) -> None:
    """Of two that ended well: the same group, exactly where the policy knows no difference."""
    both = [output_values(each.stdout, policy.comparison) for each in (one, other)]
    ended = all(isinstance(each.ending, Exited) for each in (one, other))
    if not ended or any(decoded.fault is not None for decoded in both):
        return
    found = differences(both[0].values, both[1].values, policy.comparison)
    statuses = [
        policy.exit.accepts(each.ending.status) or each.ending.status
        for each in (one, other)
        if isinstance(each.ending, Exited)
    ]
    same = next(found, None) is None and statuses[0] is statuses[1]
    assert (len(grouped([one, other], policy)) == 1) == same


@settings(deadline=None)
@given(st.lists(_NUMBERS, min_size=1, max_size=6))
def test_within_a_tolerance_all_are_near_the_first_of_their_group(many: list[Transcript]) -> None:
    """Every member is near the first one, and near no first one of an earlier group."""
    numbers = [int(each.stdout[1:-1]) for each in many]
    groups = grouped(many, _NEAR)
    for at, group in enumerate(groups):
        assert all(abs(numbers[group[0]] - numbers[member]) <= 2 for member in group)
        for earlier in groups[:at]:
            assert all(abs(numbers[earlier[0]] - numbers[member]) > 2 for member in group)


@settings(deadline=None)
@given(st.lists(st.lists(_SEEN, min_size=3, max_size=3), max_size=6))
def test_agreement_adds_up(inputs: list[list[Transcript]]) -> None:
    """All groups together are all inputs, and two agree at least where all do."""
    agreement = Agreement(3)
    for many in inputs:
        answers = [answer_of(each, Policy()) for each in many]
        agreement.add(answers, groups_of(answers, Comparison()))
    assert sum(number for _, number in agreement.ranked()) == agreement.inputs == len(inputs)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert agreement.alike <= agreement.together(one, other) <= agreement.inputs
    assert agreement.in_vain <= agreement.alike


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), max_size=12), st.integers(1, 6))
def test_the_smallest_are_those_that_sorting_would_find(sizes: list[int], most: int) -> None:
    """Kept one by one: the first few of all, by size, and of one size by place."""
    smallest = Smallest[int](most)
    for place, size in enumerate(sizes):
        if smallest.has_room_for(size, place):
            smallest.add(size, place, place)
    assert list(smallest) == sorted(range(len(sizes)), key=lambda at: (sizes[at], at))[:most]
