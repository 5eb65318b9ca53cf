"""Laws of alignment: it finds as many equal elements as the slow definition does, leaves nothing
out, and never has a say in whether two streams differ."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from support.json_texts import nested, value_at

from harness.jsonio.decoder import Json, Number
from harness.judging.array_diff import aligned_differences
from harness.judging.equality import differences
from harness.model.comparison import Comparison
from harness.model.judgement import MISSING, Difference

_law = settings(max_examples=200)

_SCALARS: st.SearchStrategy[Json] = st.sampled_from(
    [None, True, "a", "ab", "abc", Number("1"), Number("1.0"), Number("2")]
)
_VALUES = nested(_SCALARS, st.sampled_from("ab"), max_size=5, max_leaves=12)
_STREAMS = st.lists(_VALUES, max_size=5)
_PATHS = st.sampled_from([(), ("/*",), ("/1",), ("/*/a",), ("/**/b",), ("/**/0",), ("/0/*",)])
_COMPARISONS = st.builds(lambda i, u: Comparison(ignore=i, unordered=u), _PATHS, _PATHS)


@given(_STREAMS, _STREAMS, _COMPARISONS)
@_law
def test_alignment_does_not_decide_whether_streams_differ(
    expected: list[Json], actual: list[Json], comparison: Comparison
) -> None:
    by_index = next(differences(expected, actual, comparison), None)
    aligned = next(aligned_differences(expected, actual, comparison), None)
    assert (aligned is None) == (by_index is None)


@given(_STREAMS, _STREAMS)
@_law
def test_the_pointers_of_a_difference_lead_to_its_values(
    expected: list[Json], actual: list[Json]
) -> None:
    for one in aligned_differences(expected, actual, Comparison()):
        pointer = one.actual_pointer or one.pointer
        assert one.expected is MISSING or value_at(expected, one.pointer) is one.expected
        assert one.actual is MISSING or value_at(actual, pointer) is one.actual


@given(st.lists(_SCALARS, max_size=8), st.lists(_SCALARS, max_size=8))
@_law
def test_the_differences_turn_the_expected_values_into_the_actual_ones(
    expected: list[Json], actual: list[Json]
) -> None:
    found = list(aligned_differences(expected, actual, Comparison()))
    # Rarely there is one more than by index, because similar values are paired first.
    assert len(found) <= len(expected) + len(actual)
    assert changed(expected, found) == actual


def changed(expected: list[Json], found: list[Difference]) -> list[Json]:
    gone = {int(one.pointer[1:]) for one in found if one.actual is MISSING}
    other = {int(one.pointer[1:]): one.actual for one in found if one.expected is not MISSING}
    made = [other.get(i, value) for i, value in enumerate(expected) if i not in gone]
    for one in found:
        if one.expected is MISSING and one.actual is not MISSING:
            made.insert(int(one.pointer[1:]), one.actual)
    return [value for value in made if value is not MISSING]
