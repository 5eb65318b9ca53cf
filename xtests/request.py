"""Requests: the form of objects, and of the list of what is asked for, in every request stream.

What a state, a move and an answer are is each game's own, and handed in. Members are looked at in
the order in which they are written, as docs/errors.md wants it. Pure; knows no game.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

from xtests.form import array, shown, unexpected
from xtests.refusal import Kind, Pointer, Refused, element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harness.jsontext import Json

__all__ = ["asked", "check_once", "member", "members"]

T = TypeVar("T")

_ASK: Final = "an array of what is asked for"


def member(container: Pointer, name: str) -> Pointer:
    """Where the member of an object stands."""
    escaped = name.replace("~", "~0").replace("/", "~1")
    return Pointer(f"{container}/{escaped}")


def members(
    value: Json,
    at: Pointer,
    read: Mapping[str, Callable[[Json, Pointer], Any]],
    expected: str,
    *,
    required: Sequence[str],
) -> dict[str, Any]:
    """What the members of an object mean, in the order in which they are written.

    Refused are an object that lacks one that is `required`, and then the first member that `read`
    does not know or cannot read.
    """
    if not isinstance(value, dict) or any(name not in value for name in required):
        raise unexpected(value, at, expected)
    return {name: _known(name, at, read)(part, member(at, name)) for name, part in value.items()}


def asked(
    value: Json,
    at: Pointer,
    plain: Mapping[str, T],
    taking: Mapping[str, Callable[[Json, Pointer], T]],
) -> list[tuple[str, T]]:
    """What is asked for, word by word: a `plain` one as a string, `"player"`, or one `taking` a
    parameter as an object of one member, `{"perft": 3}`."""
    return [
        _query(part, element(at, k), plain, taking)
        for k, part in enumerate(array(value, at, None, _ASK))
    ]


def check_once(words: Sequence[str], at: Pointer) -> None:
    """Refuse to be asked for one thing twice: an answer has one member of a name."""
    for k, word in enumerate(words):
        if word in words[:k]:
            place = element(at, k)
            message = f'"{word}" is asked for twice: at {element(at, words.index(word))}'
            raise Refused(Kind.INVALID_SPEC, place, f"{message}, and again at {place}")


def _known(
    name: str, at: Pointer, read: Mapping[str, Callable[[Json, Pointer], Any]]
) -> Callable[[Json, Pointer], Any]:
    if name not in read:
        place = member(at, name)
        message = f"{_listed(read)} expected at {place}, found the member {shown(name)}"
        raise Refused(Kind.INVALID_SPEC, place, message)
    return read[name]


def _query(
    value: Json,
    at: Pointer,
    plain: Mapping[str, T],
    taking: Mapping[str, Callable[[Json, Pointer], T]],
) -> tuple[str, T]:
    if isinstance(value, str) and value in plain:
        return value, plain[value]
    if not isinstance(value, dict) or len(value) != 1:
        parametrised = ", ".join(f'{{"{word}": ...}}' for word in taking)
        raise unexpected(value, at, f"{_listed(plain)}, {parametrised}")
    # A list of tuples, and not a mapping: a word that comes twice must be seen.
    (query,) = members(value, at, taking, _ASK, required=()).items()
    return query


def _listed(words: Mapping[str, object]) -> str:
    return ", ".join(f'"{word}"' for word in words)
