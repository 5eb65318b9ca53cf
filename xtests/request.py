"""The form of a request, {"state": ..., "moves": [...], "ask": [...]}, as far as programs share it.

Small strict decoders beside those of `form`; pure. What a state, a move and a query are, each
program says itself. Source: docs/xtictactoe.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from harness.jsontext import Json, Printable, encode
from xtests.form import array, unexpected
from xtests.refusal import Kind, Pointer, Refused, element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Answerer", "Reader", "member", "members", "queries"]

P = TypeVar("P")

# A query once it is decoded: from the position that it is asked of to its answer.
Answerer: TypeAlias = Callable[[P], Printable]
# What decodes the argument of a query that has one.
Reader: TypeAlias = Callable[[Json, Pointer], Answerer[P]]


def member(container: Pointer, name: str) -> Pointer:
    """Where the member of an object stands."""
    return Pointer(f"{container}/{name.replace('~', '~0').replace('/', '~1')}")


def members(
    value: Json, at: Pointer, required: tuple[str, ...], optional: tuple[str, ...], expected: str
) -> Iterator[tuple[str, Json, Pointer]]:
    """The members of an object in document order, each with its name and place. Raises Refused: at
    once where it is no object or lacks a required one, and in its turn for one of another name."""
    if not isinstance(value, dict) or not all(name in value for name in required):
        raise unexpected(value, at, expected)
    for name, part in value.items():
        place = member(at, name)
        if name not in required + optional:
            raise _unknown(place, required + optional)
        yield name, part, place


def queries(
    value: Json,
    at: Pointer,
    plain: Mapping[str, Answerer[P]],
    with_argument: Mapping[str, Reader[P]],
) -> dict[str, Answerer[P]]:
    """The queries that are asked for, by name, in the order in which they are asked: "name" of the
    plain ones, {"name": argument} of the others. No name may be asked twice."""
    asked: dict[str, Answerer[P]] = {}
    for k, query in enumerate(array(value, at, None, "an array of queries")):
        place = element(at, k)
        name = _name(query, place, plain, with_argument)
        if name in asked:
            message = f"{encode(name)} is asked for already, found again at {place}"
            raise Refused(Kind.INVALID_SPEC, place, message)
        if isinstance(query, dict):
            asked[name] = with_argument[name](query[name], member(place, name))
        else:
            asked[name] = plain[name]
    return asked


def _name(
    query: Json, at: Pointer, plain: Mapping[str, object], with_argument: Mapping[str, object]
) -> str:
    if isinstance(query, str) and query in plain:
        return query
    if not isinstance(query, dict) or len(query) != 1:
        words = [*map(encode, plain), *(f'{{"{name}": ...}}' for name in with_argument)]
        raise unexpected(query, at, f"a query ({_either(words)})")
    (name,) = query
    if name not in with_argument:
        raise _unknown(member(at, name), tuple(with_argument))
    return name


def _unknown(at: Pointer, names: tuple[str, ...]) -> Refused:
    message = f"no member of this name expected at {at}: known here {_known(names)}"
    return Refused(Kind.INVALID_SPEC, at, message)


def _known(names: tuple[str, ...]) -> str:
    return f"{'is' if len(names) == 1 else 'are'} {', '.join(map(encode, names))}"


def _either(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
