"""Errors, checks of single values, and streams of requests, from docs/games/index.md.

Containers are checked before their parts, and parts in document order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeAlias, TypeVar, Union

from support.references.json_stream import Malformed, Numeral, Value, values_of

# A printed value as a plain Python value; an error object has no message.
Answer: TypeAlias = Union[None, bool, str, int, list["Answer"], dict[str, "Answer"]]
Query = TypeVar("Query")
Argument = TypeVar("Argument")


class Wrong(Exception):
    """An input or a request is not accepted: the kind of error, and its place."""

    def __init__(self, kind: str, at: str) -> None:
        super().__init__(kind, at)
        self.kind = kind
        self.at = at


def error_of(fault: Wrong | Malformed) -> Answer:
    if isinstance(fault, Malformed):
        return {"error": {"kind": "malformed-json", "at": {"byte": fault.byte}}}
    return {"error": {"kind": fault.kind, "at": fault.at}}


# Programs that read their whole input first, and programs that serve requests.


def printed_at_the_end(text: bytes, answer: Callable[[list[Value]], Answer]) -> list[Answer]:
    """Return what a program prints that answers all values of its input together."""
    try:
        return [answer(list(values_of(text)))]
    except (Wrong, Malformed) as fault:
        return [error_of(fault)]


def printed_for(text: bytes, answer: Callable[[Value, str], Answer]) -> list[Answer]:
    """Return what a program prints that answers each request in this way."""
    answers: list[Answer] = []
    try:
        for value in values_of(text):
            answers.append(_answered(value, f"/{len(answers)}", answer))
    except Malformed as malformed:
        answers.append(error_of(malformed))
    return answers


def _answered(value: Value, at: str, answer: Callable[[Value, str], Answer]) -> Answer:
    try:
        return answer(value, at)
    except Wrong as wrong:
        return error_of(wrong)


def queries(
    value: Value,
    at: str,
    plain: Mapping[str, Query],
    with_argument: Mapping[str, Callable[[Value, str], Query]],
) -> dict[str, Query]:
    """Return the queries of a request by name, those with an argument made of it and its place."""
    found: dict[str, Query] = {}
    for number, query in enumerate(elements(value, at)):
        here = f"{at}/{number}"
        if isinstance(query, dict) and len(query) == 1:
            ((name, argument, place),) = members(query, here, (), with_argument)
            if name in found:
                raise Wrong("invalid-spec", here)
            found[name] = with_argument[name](argument, place)
        elif isinstance(query, str) and query in plain and query not in found:
            found[query] = plain[query]
        else:
            raise Wrong("invalid-spec", here)
    return found


def taking(
    argument_of: Callable[[Value, str], Argument], query: Callable[..., Answer]
) -> Callable[[Value, str], Callable[..., Answer]]:
    """Return what makes a query of a value and its place: `query` takes the argument last."""

    def made(value: Value, at: str) -> Callable[..., Answer]:
        argument = argument_of(value, at)
        return lambda *position: query(*position, argument)

    return made


# Checks of single values.


def members(
    value: Value, at: str, required: Collection[str], optional: Collection[str] = ()
) -> Iterator[tuple[str, Value, str]]:
    """Yield the members of an object with their places, one by one, so that errors come in document
    order."""
    if not isinstance(value, dict) or not set(required) <= set(value):
        raise Wrong("invalid-spec", at)
    for name, part in value.items():
        here = at + "/" + name.replace("~", "~0").replace("/", "~1")
        if name not in [*required, *optional]:
            raise Wrong("invalid-spec", here)
        yield name, part, here


def elements(value: Value, at: str, lengths: tuple[int, ...] = ()) -> list[Value]:
    """Return the elements of an array of one of these lengths, or of any if there are none."""
    if not isinstance(value, list) or (lengths and len(value) not in lengths):
        raise Wrong("invalid-spec", at)
    return value


def one_of(numbers: Collection[int], value: Value, at: str) -> int:
    """Return the number among these with exactly this spelling."""
    for number in numbers:
        if value == Numeral(str(number)):
            return number
    raise Wrong("invalid-spec", at)


def each_of(
    numbers: Collection[int], value: Value, at: str, lengths: tuple[int, ...] = ()
) -> list[int]:
    """Return the elements of an array, which are among these numbers."""
    parts = elements(value, at, lengths)
    return [one_of(numbers, part, f"{at}/{number}") for number, part in enumerate(parts)]


def word_of(words: str | tuple[str, ...], value: Value, at: str) -> str:
    """Return the word among these, or the letter of a text."""
    if not isinstance(value, str) or value not in list(words):
        raise Wrong("invalid-spec", at)
    return value
