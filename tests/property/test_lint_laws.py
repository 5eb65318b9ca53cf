"""Laws of lint: a value is found where its steps lead, and equal inputs are never overlooked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.care.lint_values import Inputs, input_key
from harness.jsonfast import decode
from harness.records import Case
from harness.suites.positions import position_of_value

_law = settings(deadline=None, max_examples=60)

_WORDS: Final = st.sampled_from(["", "a", "é", "\\", '"]', "x\n{", "0"])
_SCALARS: Final[st.SearchStrategy[Any]] = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 9), st.sampled_from([1.5, -0.0, 1e300]), _WORDS
)
_VALUES: Final[st.SearchStrategy[Any]] = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(_WORDS, inner, max_size=4)
    ),
    max_leaves=12,
)
_STREAMS: Final = st.lists(_VALUES, max_size=4)
_STYLES: Final = st.sampled_from(
    [
        {"indent": None, "ensure_ascii": True},
        {"indent": 1, "ensure_ascii": False},
        {"separators": (" ,\r\n", "\t: "), "ensure_ascii": False},
    ]
)


def text_of(values: list[Any], style: dict[str, Any]) -> str:
    """A stream of values in a style."""
    return "\n ".join(json.dumps(value, **style) for value in values)


def places(value: Any) -> Iterator[tuple[tuple[int | str, ...], Any]]:
    """All values in a value, with the steps to each."""
    yield (), value
    members = enumerate(value) if isinstance(value, list) else ()
    for step, inner in value.items() if isinstance(value, dict) else members:
        yield from (((step, *steps), found) for steps, found in places(inner))


@_law
@given(_STREAMS, _STYLES)
def test_what_stands_where_the_steps_lead_is_that_value(
    values: list[Any], style: dict[str, Any]
) -> None:
    """From the line and column of a value on, the text reads as that value."""
    text = text_of(values, style)
    lines = text.split("\n")
    for steps, value in places(values):
        if steps:
            line, column = position_of_value(text.encode(), steps)
            rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
            found, _ = json.JSONDecoder().raw_decode(rest)
            assert json.dumps(found) == json.dumps(value)


@_law
@given(st.lists(_STREAMS, min_size=2, max_size=5), _STYLES, _STYLES)
def test_cases_whose_inputs_are_equal_are_always_compared(
    streams: list[list[Any]], one: dict[str, Any], other: dict[str, Any]
) -> None:
    """Two inputs of one key, in whatever spelling, are candidates together."""
    inputs, keys = Inputs(), list[str]()
    for at, values in enumerate(streams):
        text = text_of(values, one if at % 2 else other).encode()
        case, found = Case("s", str(at), text, b"", []), decode(text).values
        inputs.add(at, case, found)
        keys.append(input_key(case, found))
    together = list(inputs.candidates())
    for later, key in enumerate(keys):
        for first in range(later):
            if keys[first] == key:
                assert any({first, later} <= set(group) for group in together)
