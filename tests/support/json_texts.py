"""JSON values, pointers to them, and texts that spell them in any layout with any escapes."""

from __future__ import annotations

from random import Random
from typing import Any, Final, TypeVar

from hypothesis import strategies as st

from harness.jsonio.decoder import Json, Number
from harness.model.judgement import MISSING

T = TypeVar("T")

_NUMBERS: Final = st.from_regex(
    r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,8})?", fullmatch=True
).map(Number)
_SCALARS: Final[st.SearchStrategy[Json]] = st.one_of(
    st.none(), st.booleans(), _NUMBERS, st.text(max_size=12)
)


def nested(
    scalars: st.SearchStrategy[T], keys: st.SearchStrategy[str], *, max_size: int, max_leaves: int
) -> st.SearchStrategy[T | Any]:
    return st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=max_size) | st.dictionaries(keys, inner, max_size=max_size)
        ),
        max_leaves=max_leaves,
    )


VALUES: Final = nested(_SCALARS, st.text(max_size=4), max_size=4, max_leaves=12)
STREAMS: Final = st.lists(VALUES, max_size=4)
SEEDS: Final = st.integers(0, 2**32 - 1)

_SHORT: Final = dict(zip('"\\/\b\f\n\r\t', '"\\/bfnrt', strict=True))


def value_at(value: Any, pointer: str) -> Any:
    """Return the value at a JSON Pointer, or MISSING."""
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            value = value[int(key)] if int(key) < len(value) else MISSING
        else:
            value = value.get(key, MISSING)
    return value


def _spelled(value: Json, random: Random) -> str:
    if isinstance(value, list):
        return f"[{_joined([_spelled(element, random) for element in value], random)}]"
    if isinstance(value, dict):
        members = [
            f"{_quoted(key, random)}{_white(random)}:{_white(random)}{_spelled(member, random)}"
            for key, member in value.items()
        ]
        return f"{{{_joined(members, random)}}}"
    if isinstance(value, str):
        return _quoted(value, random)
    if isinstance(value, Number):
        return value.text
    return "null" if value is None else "true" if value else "false"


def stream_text(values: list[Json], random: Random) -> bytes:
    """Return one of the many texts of a stream."""
    text = _white(random)
    for value in values:
        apart = not text.endswith(("]", "}", '"')) and not isinstance(value, (str, list, dict))
        text += (" " if apart else "") + _spelled(value, random) + _white(random)
    return text.encode()


def _joined(parts: list[str], random: Random) -> str:
    return ",".join(f"{_white(random)}{part}{_white(random)}" for part in parts) or _white(random)


def _white(random: Random) -> str:
    return random.choice(["", "", "", " ", "\n", "\t\r\n  "])


def _quoted(text: str, random: Random) -> str:
    return f'"{"".join(_character(each, random) for each in text)}"'


def _character(each: str, random: Random) -> str:
    kind = random.randrange(4)
    if kind == 0 and each in _SHORT:
        return f"\\{_SHORT[each]}"
    if kind > 1 and each not in '"\\' and each >= " ":
        return each
    units = each.encode("utf-16-be")
    codes = (f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
    return "".join(code if random.randrange(2) else f"\\u{code[2:].upper()}" for code in codes)


TEXTS: Final = st.builds(lambda values, seed: stream_text(values, Random(seed)), STREAMS, SEEDS)
