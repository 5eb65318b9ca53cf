"""Faults as a program may have them, put on answers that are right: one change, the same in all.

Pure, and nothing is drawn by lot: the same answers get the same faults. Whether a suite notices one
is judged in harness/care/strength.py. Source: docs/care.md, which has the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Final, NamedTuple

from harness.care.outline import Change, Every, Spot, Step, outline, replaced, spelled
from harness.care.slips import LEFT_OUT, SLIPS, other_case
from harness.jsontext import Json, encode
from harness.words import clip, count_of, visible

__all__ = ["Answer", "Fault", "Printed", "answer", "faults"]


class Printed(NamedTuple):
    """What a program with a fault does in one case: the bytes that it prints, its exit status."""

    text: bytes
    status: int


class Answer(NamedTuple):
    """What a program that is right prints in one case: the values, and the same as a text, line by
    line and as a whole."""

    values: list[Json]
    lines: list[str]
    printed: Printed


class Fault(NamedTuple):
    """One fault: where (a path; empty: the answer as a whole), what is done there, in which answers
    there is such a place; and `put`, which makes of the number of an answer what is then printed.
    `alike`: what it means where it changes no answer at all; empty: that it does not apply."""

    where: str
    what: str
    answers: tuple[int, ...]
    put: Callable[[int], Printed]
    spot: Spot | None = None
    alike: str = ""


def answer(values: list[Json], status: int) -> Answer:
    """An answer of these values, with this exit status."""
    lines = [_line(value) for value in values]
    return Answer(values, lines, Printed("".join(lines).encode(), status))


def faults(answers: Sequence[Answer]) -> Iterator[Fault]:
    """All the faults that can be thought of for these answers: first those of the whole answer,
    then spot by spot. Some may change nothing in any of them."""
    if answers:
        yield from _whole_faults(answers)
    spots = list(outline([each.values for each in answers]))
    inside: dict[tuple[Step, ...], list[Spot]] = {spot.steps: [] for spot in spots}
    for spot in spots[1:]:
        inside[spot.steps[:-1]].append(spot)
    for spot in spots:
        if spot.steps:
            yield from _spot_faults(answers, spot)
        yield from _mixed_up(answers, inside[spot.steps])


def _line(value: Json) -> str:
    return f"{encode(value)}\n"


def _text(values: list[Json]) -> bytes:
    return "".join(map(_line, values)).encode()


# Faults of the whole answer.

_Streams = Callable[[list[Json]], list[Json]]

_OF_STREAM: Final[tuple[tuple[str, _Streams], ...]] = (
    ("prints nothing", lambda values: []),
    ("prints an empty array only", lambda values: [[]]),
    ("prints null only", lambda values: [None]),
    ("the first value is dropped", lambda values: values[1:]),
    ("the second value is dropped", lambda values: values[:1] + values[2:]),
    ("the last value is dropped", lambda values: values[:-1]),
    ("the first value comes twice", lambda values: values[:1] + values),
    ("the last value comes twice", lambda values: values + values[-1:]),
    ("every value comes twice", lambda values: [each for value in values for each in (value,) * 2]),
    ("the first two values are swapped", lambda values: values[1::-1] + values[2:]),
    ("the values come in reverse", lambda values: values[::-1]),
    ("every value is the first one again", lambda values: values[:1] * len(values)),
    ("all values come in one array", lambda values: [values]),
    ("a null follows", lambda values: [*values, None]),
    *(
        # `most` is bound now, and not when the function is called.
        (f"stops after {most} value{'s' if most > 1 else ''}", lambda values, n=most: values[:n])
        for most in (1, 2, 5, 10, 100)
    ),
)
_OF_TEXT: Final[tuple[tuple[str, Callable[[bytes], bytes]], ...]] = (
    ("the last character is cut", lambda text: text.rstrip()[:-1]),
    ("only the first half is printed", lambda text: text[: len(text) // 2]),
    ("a line for people comes first", lambda text: b"ready\n" + text),
    ("printed as Latin-1", lambda text: _latin_1(text)),
)
_OF_STATUS: Final[tuple[tuple[str, Callable[[int], int]], ...]] = (
    ("the exit status is always 0", lambda status: 0),
    ("the exit status is always 1", lambda status: 1),
    ("the exit status is one more", lambda status: (status + 1) % 256),
)


def _whole_faults(answers: Sequence[Answer]) -> Iterator[Fault]:
    printed = [each.printed for each in answers]
    common = Counter(printed).most_common(1)[0][0]
    alike = f"all answers are alike ({count_of(len(answers), 'case')})"
    always = _whole("always prints the most common answer", printed, lambda n: common)
    yield always._replace(alike=alike)
    yield _whole("always prints the first case's answer", printed, lambda n: printed[0])
    yield _whole("prints the answer of the case before", printed, lambda n: printed[n - 1])
    for what, stream in _OF_STREAM:
        yield _whole(what, printed, _streamed(answers, stream))
    for what, text in _OF_TEXT:
        yield _whole(what, printed, _rewritten(printed, text))
    for what, status in _OF_STATUS:
        yield _whole(what, printed, _restated(printed, status))


def _whole(what: str, printed: list[Printed], put: Callable[[int], Printed]) -> Fault:
    return Fault("", what, tuple(range(len(printed))), put)


def _streamed(answers: Sequence[Answer], change: _Streams) -> Callable[[int], Printed]:
    return lambda n: Printed(_text(change(answers[n].values)), answers[n].printed.status)


def _rewritten(
    printed: list[Printed], change: Callable[[bytes], bytes]
) -> Callable[[int], Printed]:
    return lambda n: Printed(change(printed[n].text), printed[n].status)


def _restated(printed: list[Printed], change: Callable[[int], int]) -> Callable[[int], Printed]:
    return lambda n: Printed(printed[n].text, change(printed[n].status))


# Faults at a spot.

_MOST_WORDS: Final = 8  # distinct values at a spot that are taken one for the other
_SHOWN: Final = 40  # characters of a value in a report


def _spot_faults(answers: Sequence[Answer], spot: Spot) -> Iterator[Fault]:
    """The faults that all values at a spot have alike."""
    for what, change in SLIPS:
        if what != LEFT_OUT or _can_be_left_out(spot):
            yield _fault(answers, spot, what, (spot.steps, change))
    yield from _taken_for_another(answers, spot)
    key = spot.steps[-1]
    if isinstance(key, str):
        other = other_case(key)
        edit = (spot.steps[:-1], _renamed(key, other))
        yield _fault(answers, spot, f"called {_said(encode(other))}", edit)


def _can_be_left_out(spot: Spot) -> bool:
    """Whole values, and all elements of an array, are left out by other faults."""
    return len(spot.steps) > 1 and not isinstance(spot.steps[-1], Every)


def _taken_for_another(answers: Sequence[Answer], spot: Spot) -> Iterator[Fault]:
    """The most common value always; and, where there are few, each for the next one."""
    found = Counter(encode(value) for value in spot.all_values if _is_word(value))
    words = {encode(value): value for value in spot.all_values if _is_word(value)}
    if found:
        common = found.most_common(1)[0][0]
        change = _instead({text: words[common] for text in words})
        always = _fault(answers, spot, f"always {_said(common)}", (spot.steps, change))
        if found.total() == len(spot.all_values):
            many = count_of(len(spot.values), "case")
            always = always._replace(alike=f"nothing else stands there in any answer ({many})")
        yield always
    if 1 < len(words) <= _MOST_WORDS:
        for text, other in pairwise((*words, *list(words)[:1])):
            what = f"{_said(other)} for {_said(text)}"
            yield _fault(answers, spot, what, (spot.steps, _instead({text: words[other]})))


def _is_word(value: Json) -> bool:
    return not isinstance(value, (list, dict)) or not value


def _said(text: str) -> str:
    return clip(visible(text), _SHOWN)


def _instead(words: Mapping[str, Json]) -> Change:
    return lambda value: words.get(encode(value), value) if _is_word(value) else value


def _mixed_up(answers: Sequence[Answer], spots: Sequence[Spot]) -> Iterator[Fault]:
    """Neighbours of one kind, in an array or an object, that are taken one for the other."""
    by_kind: dict[frozenset[type], list[Spot]] = {}
    for spot in spots:
        if len(spot.steps) > 1 and not isinstance(spot.steps[-1], Every):
            by_kind.setdefault(frozenset(map(type, spot.all_values)), []).append(spot)
    for left, right in chain.from_iterable(map(pairwise, by_kind.values())):
        both = tuple(number for number in left.values if number in right.values)
        what = f"swapped with {_said(spelled(right.steps[-1:]))}"
        change = _swapped(left.steps[-1], right.steps[-1])
        swapped = _fault(answers, left, what, (left.steps[:-1], change))
        alike = f"the two are equal in all answers ({count_of(len(both), 'case')})" if both else ""
        yield swapped._replace(answers=both, alike=alike)


def _swapped(left: Step, right: Step) -> Change:
    def swap(value: Json) -> Json:
        if isinstance(value, list) and isinstance(left, int) and isinstance(right, int):
            made = list(value)
            made[left], made[right] = value[right], value[left]
            return made
        if isinstance(value, dict) and left in value and right in value:
            others = {left: value[right], right: value[left]}
            return {key: others.get(key, member) for key, member in value.items()}
        return value

    return swap


def _renamed(key: str, other: str) -> Change:
    def rename(value: Json) -> Json:
        if not isinstance(value, dict):
            return value
        return {other if name == key else name: member for name, member in value.items()}

    return rename


def _fault(
    answers: Sequence[Answer], spot: Spot, what: str, edit: tuple[tuple[Step, ...], Change]
) -> Fault:
    """A fault that is told of at a spot; the edit is made at the steps that stand in front."""

    def put(number: int) -> Printed:
        right = answers[number]
        values = replaced(right.values, *edit)
        if values is right.values or not isinstance(values, list):
            return right.printed
        text = "".join(_lines(right, values)).encode()
        return Printed(text, right.printed.status)

    return Fault(spelled(spot.steps), what, tuple(spot.values), put, spot)


def _lines(right: Answer, values: list[Json]) -> Iterator[str]:
    """The lines of changed values; most of them are as they were."""
    for value, old, line in zip(values, right.values, right.lines, strict=True):
        yield line if value is old else _line(value)


def _latin_1(text: bytes) -> bytes:
    try:
        return text.decode().encode("latin-1")
    except UnicodeEncodeError:
        return text
