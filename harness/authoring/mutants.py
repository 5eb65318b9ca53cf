"""Make mutants of correct outputs: one consistent change to all of them, as a bug would make.

Mutants are not random: the same outputs always have the same ones. docs/care.md lists them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from math import isfinite
from operator import itemgetter
from typing import Final, NamedTuple, TypeVar
from unicodedata import normalize

from harness.authoring.json_shape import (
    EveryElement,
    ShapePath,
    Step,
    ValueChange,
    format_shape_path,
    outline_outputs,
    replace_value,
)
from harness.jsonio.decoder import Json, Number, encode
from harness.jsonio.pointers import describe_place
from harness.model.judgement import MISSING
from harness.model.transcript import Transcript
from harness.text import pluralize, shorten_to_width

T = TypeVar("T")


class OutputText(NamedTuple):
    text: bytes
    status: int


class ReferenceOutput(NamedTuple):
    """The correct output of one case: its values, each as a line, and the whole output.

    Of a dialogue, the values are the messages that its steps took in the run of `transcript`.
    """

    values: list[Json]
    lines: list[str]
    printed: OutputText
    transcript: Transcript | None = None


class Mutant(NamedTuple):
    """A change at a path, or to whole outputs if `where` is empty.

    `outputs` are the changed outputs of the cases that have the path, by index. A mutant with an
    `unchanged_reason` counts as survived if no output differs; others then have no effect.
    """

    where: str
    what: str
    outputs: Mapping[int, OutputText]
    path: ShapePath | None = None
    unchanged_reason: str = ""


def reference_output(
    values: list[Json], status: int, transcript: Transcript | None = None
) -> ReferenceOutput:
    lines = [_line(value) for value in values]
    printed = OutputText("".join(lines).encode("utf-8", "surrogatepass"), status)
    return ReferenceOutput(values, lines, printed, transcript)


def mutants_of(outputs: Sequence[ReferenceOutput]) -> Iterator[Mutant]:
    """Yield every mutant: of whole outputs, then path by path. Some change nothing."""
    if outputs:
        yield from _whole_mutants(outputs)
    paths = list(outline_outputs([each.values for each in outputs]))
    children: dict[tuple[Step, ...], list[ShapePath]] = {path.steps: [] for path in paths}
    for path in paths[1:]:
        children[path.steps[:-1]].append(path)
    for path in paths:
        if path.steps:
            yield from _path_mutants(outputs, path)
        yield from _swapped_neighbours(outputs, children[path.steps])


def _line(value: Json) -> str:
    return f"{encode(value)}\n"


# Mutants of whole outputs.

STREAM_MUTATORS: Final[dict[str, Callable[[list[Json]], list[Json]]]] = {
    "prints nothing": lambda values: [],
    "prints only an empty array": lambda values: [[]],
    "prints only null": lambda values: [None],
    "drops the first value": lambda values: values[1:],
    "drops the second value": lambda values: values[:1] + values[2:],
    "drops the last value": lambda values: values[:-1],
    "repeats the first value": lambda values: values[:1] + values,
    "repeats the last value": lambda values: values + values[-1:],
    "repeats every value": lambda values: [each for value in values for each in (value,) * 2],
    "swaps the first two values": lambda values: values[1::-1] + values[2:],
    "reverses the values": lambda values: values[::-1],
    "prints the first value for all": lambda values: values[:1] * len(values),
    "prints all values in one array": lambda values: [values],
    "appends null": lambda values: [*values, None],
    **{
        f"stops after {pluralize(most, 'value')}": itemgetter(slice(most))
        for most in (1, 2, 5, 10, 100)
    },
}
_TEXT_MUTATORS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "cuts the last character": lambda text: text.rstrip()[:-1],
    "prints only the first half": lambda text: text[: len(text) // 2],
    "prints a line of text first": lambda text: b"ready\n" + text,
    "prints Latin-1": lambda text: _to_latin_1(text),
}
_STATUS_MUTATORS: Final[dict[str, Callable[[int], int]]] = {
    "always exits with 0": lambda status: 0,
    "always exits with 1": lambda status: 1,
    "exits with a status one higher": lambda status: (status + 1) % 256,
}


def _whole_mutants(outputs: Sequence[ReferenceOutput]) -> Iterator[Mutant]:
    printed = [each.printed for each in outputs]
    common = Counter(printed).most_common(1)[0][0]
    unchanged_reason = f"all outputs are equal ({pluralize(len(outputs), 'case')})"
    always = _whole("always prints the most common output", [common] * len(printed))
    yield always._replace(unchanged_reason=unchanged_reason)
    yield _whole("always prints the output of the first case", printed[:1] * len(printed))
    yield _whole("prints the output of the previous case", [*printed[-1:], *printed[:-1]])
    for what, stream in STREAM_MUTATORS.items():
        texts = ("".join(map(_line, stream(each.values))).encode() for each in outputs)
        mutated = zip(printed, texts, strict=True)
        yield _whole(what, [right._replace(text=text) for right, text in mutated])
    for what, change in _TEXT_MUTATORS.items():
        yield _whole(what, [right._replace(text=change(right.text)) for right in printed])
    for what, status in _STATUS_MUTATORS.items():
        yield _whole(what, [right._replace(status=status(right.status)) for right in printed])


def _whole(what: str, mutated: Sequence[OutputText]) -> Mutant:
    return Mutant("", what, dict(enumerate(mutated)))


# Mutants at a path.

_MOST_WORDS: Final = 8  # distinct values that are mistaken for each other
_SHOWN: Final = 40  # characters of a value in a report


def _path_mutants(outputs: Sequence[ReferenceOutput], path: ShapePath) -> Iterator[Mutant]:
    # Removing a whole value, or an element of any array, is another mutant already.
    is_removable = len(path.steps) > 1 and not isinstance(path.steps[-1], EveryElement)
    for what, change in MUTATORS.items():
        if what != REMOVED or is_removable:
            yield _mutant(outputs, path, what, path.steps, change)
    yield from _mistaken_values(outputs, path)
    key = path.steps[-1]
    if isinstance(key, str):
        other = swap_case(key)
        what = f"renamed to {_shorten(encode(other))}"
        yield _mutant(outputs, path, what, path.steps[:-1], _rename_key(key, other))


def _mistaken_values(outputs: Sequence[ReferenceOutput], path: ShapePath) -> Iterator[Mutant]:
    """Yield a mutant that always has the most common value, and some that confuse two values."""
    counts = Counter(encode(value) for value in path.all_values if _is_word(value))
    words = {encode(value): value for value in path.all_values if _is_word(value)}
    if counts:
        common = counts.most_common(1)[0][0]
        change = _substitute({text: words[common] for text in words})
        always = _mutant(outputs, path, f"always {_shorten(common)}", path.steps, change)
        if counts.total() == len(path.all_values):
            cases = pluralize(len(path.values), "case")
            always = always._replace(
                unchanged_reason=f"no output has another value there ({cases})"
            )
        yield always
    if 1 < len(words) <= _MOST_WORDS:
        for text, other in pairwise((*words, *list(words)[:1])):
            what = f"{_shorten(other)} for {_shorten(text)}"
            yield _mutant(outputs, path, what, path.steps, _substitute({text: words[other]}))


def _is_word(value: Json) -> bool:
    return not isinstance(value, (list, dict)) or not value


def _shorten(text: str) -> str:
    return shorten_to_width(text, _SHOWN)


def _substitute(replacements: Mapping[str, Json]) -> ValueChange:
    return lambda value: replacements.get(encode(value), value) if _is_word(value) else value


def _swapped_neighbours(
    outputs: Sequence[ReferenceOutput], paths: Sequence[ShapePath]
) -> Iterator[Mutant]:
    """Yield mutants with two neighbours of one type swapped, in an array or an object."""
    by_kind: dict[frozenset[type], list[ShapePath]] = {}
    for path in paths:
        if len(path.steps) > 1 and not isinstance(path.steps[-1], EveryElement):
            by_kind.setdefault(frozenset(map(type, path.all_values)), []).append(path)
    for left, right in chain.from_iterable(map(pairwise, by_kind.values())):
        what = f"swapped with {_shorten(format_shape_path(right.steps[-1:]))}"
        change = _swap(left.steps[-1], right.steps[-1])
        swapped = _mutant(outputs, left, what, left.steps[:-1], change)
        both = {number: swapped.outputs[number] for number in left.values if number in right.values}
        equal = f"the two are equal in all outputs ({pluralize(len(both), 'case')})"
        yield swapped._replace(outputs=both, unchanged_reason=equal if both else "")


def _swap(left: Step, right: Step) -> ValueChange:
    def swap(value: Json) -> Json:
        if isinstance(value, list) and isinstance(left, int) and isinstance(right, int):
            swapped = list(value)
            swapped[left], swapped[right] = value[right], value[left]
            return swapped
        if isinstance(value, dict) and left in value and right in value:
            others = {left: value[right], right: value[left]}
            return {key: others.get(key, member) for key, member in value.items()}
        return value

    return swap


def _rename_key(key: str, other: str) -> ValueChange:
    def rename(value: Json) -> Json:
        if not isinstance(value, dict):
            return value
        return {other if name == key else name: member for name, member in value.items()}

    return rename


def _mutant(
    outputs: Sequence[ReferenceOutput],
    path: ShapePath,
    what: str,
    steps: tuple[Step, ...],
    change: ValueChange,
) -> Mutant:
    """Return the mutant that applies a change at `steps`, and is reported at `path`."""
    mutated = {number: _mutate(outputs[number], steps, change) for number in path.values}
    alone = all(len(each.values) <= 1 for each in outputs)
    where = describe_place(format_shape_path(path.steps), alone=alone)
    return Mutant(where or "the value", what, mutated, path)


def _mutate(right: ReferenceOutput, steps: tuple[Step, ...], change: ValueChange) -> OutputText:
    values = replace_value(right.values, steps, change)
    if values is right.values or not isinstance(values, list):
        return right.printed
    lines = (
        line if value is old else _line(value)
        for value, old, line in zip(values, right.values, right.lines, strict=True)
    )
    return right.printed._replace(text="".join(lines).encode())


def _to_latin_1(text: bytes) -> bytes:
    try:
        return text.decode().encode("latin-1")
    except UnicodeEncodeError:
        return text


# Mutators of one value, which return the value itself where they do not apply.

REMOVED: Final = "removed"

_INT_DIGITS: Final = 4_000  # int() rejects more than 4,300 digits
_WORD: Final = 2**31


def mutated_values(value: Json) -> Iterator[Json]:
    """Yield values that differ from this one: similar ones, and the simplest of each type."""
    if isinstance(value, Number):
        yield _stepped(value, 1)
        yield _stepped(value, -1)
    elif isinstance(value, str):
        yield f"{value}x"
    elif isinstance(value, list):
        yield from ([inner] for inner in _SIMPLEST)
    yield from (simple for simple in _SIMPLEST if encode(simple) != encode(value))


def swap_case(text: str) -> str:
    """Return a text with its case swapped, or with an underscore added if it has no letters."""
    swapped = text.swapcase()
    return swapped if swapped != text else f"{text}_"


_SIMPLEST: Final[tuple[Json, ...]] = (None, False, True, Number("0"), "", "a", [], {})


def _on(kind: type[T], change: Callable[[T], Json]) -> ValueChange:
    return lambda value: change(value) if isinstance(value, kind) else value


def _on_integer(change: Callable[[int], int]) -> ValueChange:
    def mutate(number: Number) -> Json:
        whole = _integer(number)
        # An equal number is not a change: "-0" keeps its spelling.
        return number if whole is None or change(whole) == whole else Number(str(change(whole)))

    return _on(Number, mutate)


# Numbers.


def _integer(value: Json) -> int | None:
    if not isinstance(value, Number) or len(value.text) > _INT_DIGITS:
        return None
    return int(value.text) if value.text.lstrip("-").isdecimal() else None


def _stepped(number: Number, step: int) -> Json:
    whole = _integer(number)
    return Number("0" if whole is None else str(whole + step))


def _round_to_double(whole: int) -> int:
    try:
        return int(float(whole))
    except OverflowError:
        return whole


def _negated(number: Number) -> Json:
    if not number.text.strip("-0.eE+"):
        return number
    return Number(number.text[1:] if number.text.startswith("-") else f"-{number.text}")


def _with_point(number: Number) -> Json:
    return Number(f"{number.text}.0") if number.text.lstrip("-").isdecimal() else number


def _without_fraction(number: Number) -> Json:
    whole, point, fraction = number.text.partition(".")
    return Number(whole) if point and "e" not in fraction.lower() else number


def _nearly(number: Number) -> Json:
    if _integer(number) is not None:
        return number
    near = float(number.text) * (1 + 1e-6)
    return Number(repr(near)) if isfinite(near) else number


# Strings.


def _digits_rounded(text: str) -> str:
    if not _is_canonical_integer(text) or len(text) >= _INT_DIGITS:
        return text
    return str(_round_to_double(int(text)))


def _is_canonical_integer(text: str) -> bool:
    """Return whether a text is an integer without plus or leading zeros."""
    digits = text.removeprefix("-")
    plain = digits.isascii() and digits.isdecimal()
    return plain and (digits == "0" or not digits.startswith("0"))


# Arrays.


def _rank(value: Json) -> tuple[int, int, str]:
    whole = _integer(value)
    return (1, 0, encode(value)) if whole is None else (0, whole, "")


def _flattened(array: list[Json]) -> list[Json]:
    return [each for one in array for each in (one if isinstance(one, list) else [one])]


# By their names in reports.
MUTATORS: Final[dict[str, ValueChange]] = {
    REMOVED: lambda value: MISSING,
    "null": lambda value: None,
    "wrapped in an array": lambda value: [value],
    "as a string": lambda value: value if isinstance(value, (str, list, dict)) else encode(value),
    "encoded twice": lambda value: encode(value) if isinstance(value, (list, dict)) else value,
    "true and false swapped": _on(bool, lambda value: not value),
    "1 for true, 0 for false": _on(bool, lambda value: Number(str(int(value)))),
    "false for null": lambda value: False if value is None else value,
    "plus 1": _on_integer(lambda whole: whole + 1),
    "minus 1": _on_integer(lambda whole: whole - 1),
    "negated": _on(Number, _negated),
    "with a decimal point": _on(Number, _with_point),
    "without its fraction": _on(Number, _without_fraction),
    "a millionth larger": _on(Number, _nearly),
    "beyond 2^53 rounded to a double": _on_integer(_round_to_double),
    "beyond 32 bits wrapped": _on_integer(lambda whole: (whole + _WORD) % (2 * _WORD) - _WORD),
    "case swapped": _on(str, str.swapcase),
    "emptied string": _on(str, lambda text: ""),
    "last character dropped": _on(str, lambda text: text[:-1]),
    "trailing space added": _on(str, lambda text: f"{text} "),
    "? for non-ASCII characters": _on(str, lambda text: text.encode("ascii", "replace").decode()),
    "decomposed (NFD)": _on(str, lambda text: normalize("NFD", text)),
    "digits as a number": _on(str, lambda t: Number(t) if _is_canonical_integer(t) else t),
    "digits rounded to a double": _on(str, _digits_rounded),
    "emptied array": _on(list, lambda array: []),
    "first element dropped": _on(list, lambda array: array[1:]),
    "last element dropped": _on(list, lambda array: array[:-1]),
    "first element twice": _on(list, lambda array: array[:1] + array),
    "last element twice": _on(list, lambda array: array + array[-1:]),
    "first two elements swapped": _on(list, lambda array: array[1::-1] + array[2:]),
    "reversed": _on(list, lambda array: array[::-1]),
    "sorted": _on(list, lambda array: sorted(array, key=_rank)),
    "duplicates removed": _on(list, lambda array: list({encode(e): e for e in array}.values())),
    "inner arrays flattened": _on(list, _flattened),
    "null appended": _on(list, lambda array: [*array, None]),
    "emptied object": _on(dict, lambda value: {}),
    "extra member": _on(dict, lambda value: {**value, "debug": None}),
}
