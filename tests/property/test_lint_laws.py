"""Laws of lint: positions of values, and equal inputs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.jsonio.positions import position_of_value

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
    """Return a stream of values in a style."""
    return "\n ".join(json.dumps(value, **style) for value in values)


def places(value: Any) -> Iterator[tuple[tuple[int | str, ...], Any]]:
    """Yield the steps to each value in a value."""
    yield (), value
    members = enumerate(value) if isinstance(value, list) else ()
    for step, inner in value.items() if isinstance(value, dict) else members:
        yield from (((step, *steps), found) for steps, found in places(inner))


@_law
@given(_STREAMS, _STYLES)
def test_the_position_of_a_value_is_where_its_text_begins(
    values: list[Any], style: dict[str, Any]
) -> None:
    text = text_of(values, style)
    lines = text.split("\n")
    for steps, value in places(values):
        if steps:
            line, column = position_of_value(text.encode(), steps)
            rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
            found, _ = json.JSONDecoder().raw_decode(rest)
            assert json.dumps(found) == json.dumps(value)
