"""How often subjects agree, in pairs and in groups."""

from __future__ import annotations

from harness.analysis.compare import OutcomeGroups


def test_agreement_is_counted_in_groups_and_pairs() -> None:
    agreement = OutcomeGroups(3)
    assert (agreement.percent(0, 1), agreement.ranked()) == (100.0, [])
    values, crash = "", "crashed"
    agreement.add([values, values, values], ((0, 1, 2),))
    agreement.add([values, crash, values], ((0, 2), (1,)))
    agreement.add([values, crash, values], ((0, 2), (1,)))
    agreement.add([crash, crash, crash], ((0, 1, 2),))
    agreement.add([values, values, crash], ((0,), (1,), (2,)))
    agreement.add([values, values, crash], ((0,), (1,), (2,)))
    assert (agreement.inputs, agreement.alike, agreement.all_failed) == (6, 2, 1)
    assert [agreement.agreements(2, other) for other in range(3)] == [4, 2, 6]
    assert agreement.percent(0, 2) == agreement.percent(2, 0) == 66.6
    assert agreement.ranked() == [(((0, 1, 2),), 2), (((0,), (1,), (2,)), 2), (((0, 2), (1,)), 2)]
    assert agreement.failures == ({"crashed": 1}, {"crashed": 3}, {"crashed": 3})
