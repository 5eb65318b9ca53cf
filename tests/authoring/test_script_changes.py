"""Scripts that expect what a program said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.authoring.script_changes import change_message
from harness.dialogue.templates import escape_references, fill
from harness.jsonio.decoder import Json, Number, encode
from harness.judging.equality import are_equal
from harness.model.comparison import ArrayOrder, Comparison, PlaceRule, Schema

SIMPLE = st.sampled_from(["a", "${a}", "$${a}", "<${a}>", "${", None, True, Number("1")])
VALUES: st.SearchStrategy[Json] = st.recursive(
    SIMPLE,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b", "${a}"]), inner, max_size=3)
    ),
    max_leaves=12,
)
RULES = st.sampled_from(
    [
        Comparison(),
        Comparison(unordered=("/**",)),
        Comparison(ignore=("/a",)),
        Comparison(at=(PlaceRule(("/**",), extra=True),)),
        Comparison(
            at=(PlaceRule(("/*/b",), order=ArrayOrder.SET, schema=Schema('{"type":"null"}')),)
        ),
    ]
)


@given(VALUES, VALUES, VALUES, RULES)
def test_a_changed_message_equals_the_actual_one(
    template: Json, actual: Json, captured: Json, rules: Comparison
) -> None:
    known = {"a": captured}
    expected = fill(template, known)
    new = change_message(template, expected, actual, known, rules)
    assert are_equal([fill(new, known)], [actual], rules)
    if are_equal([expected], [actual], rules):
        assert encode(new) == encode(template)


@given(VALUES)
def test_an_escaped_message_stands_for_itself(value: Json) -> None:
    assert encode(fill(escape_references(value), {"a": "x"})) == encode(value)
