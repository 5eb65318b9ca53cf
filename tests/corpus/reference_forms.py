"""What the references of the corpus share: faults, small forms, and programs that serve requests.

Written from docs/errors.md, slow and obvious; imports nothing of the project, so that a mistake
would have to be made twice to pass. Objects and arrays are looked at before their parts, parts in
their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, Union

from reference_json import Malformed, Numeral, Value, values_of

__all__ = [
    "Answer",
    "Wrong",
    "elements",
    "error_of",
    "members",
    "one_of",
    "printed_for",
    "status",
    "word_of",
]

# What is printed, as plain Python values; an error object comes without its message.
Answer: TypeAlias = Union[None, bool, str, int, list["Answer"], dict[str, "Answer"]]


class Wrong(Exception):
    """An input or a request cannot be accepted: its kind of fault, and where."""

    def __init__(self, kind: str, at: str) -> None:
        super().__init__(kind, at)
        self.kind = kind
        self.at = at


def error_of(fault: Wrong | Malformed) -> Answer:
    """The error object that is printed for a fault."""
    if isinstance(fault, Malformed):
        return {"error": {"kind": "malformed-json", "at": {"byte": fault.byte}}}
    return {"error": {"kind": fault.kind, "at": fault.at}}


# Programs that serve requests.


def printed_for(text: bytes, answer: Callable[[Value, str], Answer]) -> list[Answer]:
    """All that such a program prints for this input, if it answers each request so."""
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


def status(text: bytes) -> int:
    """The exit status of such a program."""
    try:
        list(values_of(text))
    except Malformed:
        return 1
    return 0


# The small forms.


def members(
    value: Value, at: str, required: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[tuple[str, Value, str]]:
    """The members of an object with their places, one by one, so that what is wrong with one comes
    before a later one that should not be there."""
    if not isinstance(value, dict) or not set(required) <= set(value):
        raise Wrong("invalid-spec", at)
    for name, part in value.items():
        here = at + "/" + name.replace("~", "~0").replace("/", "~1")
        if name not in [*required, *optional]:
            raise Wrong("invalid-spec", here)
        yield name, part, here


def elements(value: Value, at: str, lengths: tuple[int, ...] = ()) -> list[Value]:
    """The elements of an array, which has one of these lengths, if there are any."""
    if not isinstance(value, list) or (lengths and len(value) not in lengths):
        raise Wrong("invalid-spec", at)
    return value


def one_of(numbers: range | tuple[int, ...], value: Value, at: str) -> int:
    """The number among these that is written so, and in no other way."""
    for number in numbers:
        if value == Numeral(str(number)):
            return number
    raise Wrong("invalid-spec", at)


def word_of(words: str | tuple[str, ...], value: Value, at: str) -> str:
    """The word among these (for a text: the letter) that this is."""
    if not isinstance(value, str) or value not in list(words):
        raise Wrong("invalid-spec", at)
    return value
