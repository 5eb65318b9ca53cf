"""Laws of grouping: equal outputs are in one group in any order; the smallest items are kept."""

from __future__ import annotations

import json
from random import Random
from typing import Final

from hypothesis import given
from hypothesis import strategies as st
from support.json_texts import nested

from harness.judging.equality import differences
from harness.judging.grouping import comparable_output, group_outputs
from harness.judging.judge import output_values
from harness.model.case import ExitRange, Policy
from harness.model.compared import Groups
from harness.model.comparison import Comparison
from harness.model.transcript import Ending, Exited, Signalled, Transcript

_SCALARS: Final = st.sampled_from([None, True, 0, 1, 1.0, -0.0, "a", "é", ""])
_VALUES: Final = nested(_SCALARS, st.sampled_from("ab"), max_size=3, max_leaves=4)
_TEXTS: Final = st.lists(_VALUES, max_size=2).map(lambda vs: " ".join(map(json.dumps, vs)))
_PRINTED: Final = (_TEXTS | st.sampled_from(["[1", "oops", "[1, 2]", "[2, 1]"])).map(str.encode)
_ENDINGS: Final[st.SearchStrategy[Ending]] = st.sampled_from(
    [Exited(0), Exited(0), Exited(0), Exited(1), Signalled(11)]
)
# Not st.builds: it would generate the fields with defaults, too.
_SEEN: Final = st.tuples(_ENDINGS, _PRINTED).map(lambda both: Transcript(*both))
_MANY: Final = st.lists(_SEEN, min_size=1, max_size=6)
_COMPARISONS: Final = st.sampled_from(
    [Comparison(), Comparison(unordered=("/*",)), Comparison(ignore=("/*/a",))]
)
_EXITS: Final = st.sampled_from([ExitRange(), ExitRange(0, 1)])
_POLICIES: Final = st.tuples(_COMPARISONS, _EXITS).map(lambda both: Policy(*both))


def grouped(many: list[Transcript], policy: Policy) -> Groups:
    return group_outputs([comparable_output(each, policy) for each in many], policy.comparison)


@given(_MANY, _POLICIES, st.randoms(use_true_random=False))
def test_the_order_of_the_subjects_does_not_matter(
    many: list[Transcript], policy: Policy, random: Random
) -> None:
    order = random.sample(range(len(many)), len(many))
    others = grouped([many[number] for number in order], policy)
    renamed = {frozenset(order[place] for place in group) for group in others}
    assert renamed == set(map(frozenset, grouped(many, policy)))


@given(_SEEN, _SEEN, _POLICIES)
def test_two_subjects_are_in_one_group_if_nothing_differs(
    one: Transcript, other: Transcript, policy: Policy
) -> None:
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
