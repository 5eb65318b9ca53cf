"""Counts of inputs on which subjects agree, in pairs and in groups."""

from __future__ import annotations

from harness.analysis.compare import ComparisonTotals


def test_agreement_is_counted_in_groups_and_pairs() -> None:
    totals = ComparisonTotals(3)
    assert (totals.percent(0, 1), totals.ranked()) == (100.0, [])
    values, crash = "", "crashed"
    totals.add([values, values, values], ((0, 1, 2),))
    totals.add([values, crash, values], ((0, 2), (1,)))
    totals.add([values, crash, values], ((0, 2), (1,)))
    totals.add([crash, crash, crash], ((0, 1, 2),))
    totals.add([values, values, crash], ((0,), (1,), (2,)))
    totals.add([values, values, crash], ((0,), (1,), (2,)))
    assert (totals.inputs, totals.alike, totals.all_failed) == (6, 2, 1)
    assert [totals.agreements(2, other) for other in range(3)] == [4, 2, 6]
    assert totals.percent(0, 2) == totals.percent(2, 0) == 66.6
    assert totals.ranked() == [(((0, 1, 2),), 2), (((0,), (1,), (2,)), 2), (((0, 2), (1,)), 2)]
    assert totals.failures == ({"crashed": 1}, {"crashed": 3}, {"crashed": 3})
