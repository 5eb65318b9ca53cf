"""Which values of a run are drawn, and what is made of what a renderer printed.

Pure: events in, texts for renderers out; what ran them is drawing.py. A verdict never depends on a
picture: what cannot be drawn is a note. Source: "Pictures" in docs/suites.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import zip_longest
from typing import Final, NamedTuple

from harness.events import Evidence, ShownDifference
from harness.jsonfast import decode
from harness.jsontext import Json, encode
from harness.records import Exited, Limit, Limits, NotStarted, Transcript
from harness.suites.policy import Drawn
from harness.words import amount, cut, signal_name, visible

__all__ = [
    "LIMITS",
    "Gallery",
    "Hung",
    "Picture",
    "Rendering",
    "Sheet",
    "Side",
    "Spot",
    "picture_of",
    "spots_of",
]

# What a renderer may use for one picture.
LIMITS: Final = Limits(wall_s=10.0, cpu_s=10.0, memory_mib=512.0, output_mib=0.5, processes=64)

_PLACES: Final = 4  # of a run, at which values are drawn
_PICTURES: Final = 600  # different ones in a report
_BYTES: Final = 16 * 1024 * 1024  # of all of them
_SAID: Final = 300  # characters of a note

# What may stand before the root element: a byte order mark, a declaration, comments, a DOCTYPE.
_SVG: Final = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*\?>\s*)?"
    rb"(?:<!--.*?-->\s*|<!DOCTYPE[^>\[]*>\s*)*<svg[\s/>]",
    re.DOTALL,
)


class Side(Enum):
    """What a drawn value is."""

    INPUT = "input"
    EXPECTED = "expected"
    PRINTED = "printed"


_OUTPUTS: Final = (Side.EXPECTED, Side.PRINTED)


class Rendering(NamedTuple):
    """The renderer of a suite: its command, the folder that it runs in, and what it is given.
    `conversation`: each value of the input belongs to the value of the output at its place."""

    command: tuple[str, ...]
    folder: str
    draws: tuple[Drawn, ...]
    conversation: bool = False


class Sheet(NamedTuple):
    """One value for a renderer, as JSON; equal sheets are drawn once."""

    command: tuple[str, ...]
    folder: str
    value: str


class Spot(NamedTuple):
    """A value that is drawn: what it is, its JSON Pointer, and the value as JSON. Those of one
    `group` belong side by side; inputs that belong to no output in particular are in group -1."""

    side: Side
    place: str
    value: str
    group: int


class Picture(NamedTuple):
    """An SVG document; or, where there is none, a note that says why."""

    svg: bytes
    note: str = ""


class Hung(NamedTuple):
    """On the wall of the gallery: what it shows, where that value stands (empty: it is the only
    one), the number of its picture (-1: none), the note in its place, and whose row it is in."""

    side: Side
    place: str
    number: int
    note: str
    group: int = 0


def picture_of(seen: Transcript, name: str) -> Picture:
    """What became of one run of the renderer of this name."""
    if isinstance(seen.ending, NotStarted):
        return _none(seen.ending.reason)
    if seen.limit is not None:
        return _none(f"{name} {_LIMITS_SAID.get(seen.limit, 'used too much')}, and was ended")
    if not isinstance(seen.ending, Exited):
        return _none(f"{name} was ended by {signal_name(seen.ending.number)}")
    if seen.ending.status != 0:
        lines = seen.stderr.decode("utf-8", "backslashreplace").strip().splitlines()
        return _none(lines[-1] if lines else f"{name} ended with status {seen.ending.status}")
    if not _SVG.match(seen.stdout):
        return _none(f"{name} printed no SVG")
    return Picture(seen.stdout)


_LIMITS_SAID: Final = {
    Limit.WALL: f"took more than {amount(LIMITS.wall_s)} s",
    Limit.FIRST_BYTE: f"took more than {amount(LIMITS.wall_s)} s",
    Limit.OUTPUT: f"printed more than {amount(LIMITS.output_mib * 1024)} KiB",
}


def _none(note: str) -> Picture:
    return Picture(b"", f"no picture: {cut(visible(note), _SAID)}")


# Which values.


def spots_of(evidence: Evidence, rendering: Rendering) -> list[Spot]:
    """The values of a run that are drawn: of the first few places where expected and printed values
    differ, or of the first values where they were not compared."""
    expected, printed = _values(evidence.expected.data), _values(evidence.stdout.data)
    places = _differing(evidence.differences) or _side_by_side(expected, printed)
    places = places[:_PLACES]
    given = _values(evidence.stdin.data) if Drawn.INPUT in rendering.draws else []
    spots: list[Spot] = []
    if not rendering.conversation:
        spots += _spots(Side.INPUT, given, range(_PLACES), -1)
    for group, (ours, theirs) in enumerate(places):
        if rendering.conversation:
            spots += _spots(Side.INPUT, given, [max(ours, theirs)], group)
        if Drawn.OUTPUT in rendering.draws:
            spots += _spots(Side.EXPECTED, expected, [ours], group)
            spots += _spots(Side.PRINTED, printed, [theirs], group)
    return spots


def _values(data: bytes) -> list[Json]:
    # Of a stream that is cut, or broken, the values before that.
    return decode(data).values


# Of a pair of values: the places on either side; -1: there is none.
_Pair = tuple[int, int]


def _differing(found: Iterable[ShownDifference]) -> list[_Pair]:
    pairs: dict[_Pair, None] = {}
    for one in found:
        ours, theirs = _first(one.pointer), _first(one.actual_pointer or one.pointer)
        if ours < 0:
            return []  # the stream as a whole
        if one.pointer.count("/") == 1 and one.expected is None:
            ours = -1
        if one.pointer.count("/") == 1 and one.actual is None:
            theirs = -1
        pairs[ours, theirs] = None
    return list(pairs)


def _first(pointer: str) -> int:
    steps = pointer.split("/", 2)
    return int(steps[1]) if len(steps) > 1 and steps[1].isdecimal() else -1


def _side_by_side(expected: list[Json], printed: list[Json]) -> list[_Pair]:
    pairs = zip_longest(range(len(expected)), range(len(printed)), fillvalue=-1)
    return list(pairs)


def _spots(side: Side, values: list[Json], wanted: Iterable[int], group: int) -> Iterator[Spot]:
    for index in wanted:
        if 0 <= index < len(values):
            yield Spot(side, f"/{index}", encode(values[index]), group)


# All pictures of a report.


class Gallery:
    """The pictures of a report, each kept once. `draw` makes pictures of sheets, in their order."""

    def __init__(
        self,
        renderings: Mapping[str, Rendering],
        draw: Callable[[Sequence[Sheet]], Sequence[Picture]],
    ) -> None:
        self._renderings = renderings
        self._draw = draw
        self._drawn: dict[Sheet, Picture] = {}
        self._numbers: dict[bytes, int] = {}
        self._size = 0

    @property
    def pictures(self) -> list[bytes]:
        """The SVG documents, by their numbers."""
        return list(self._numbers)

    def spots(self, suite: str, evidence: Evidence | None) -> list[Spot]:
        """What is to be drawn of a run of this suite."""
        rendering = self._renderings.get(suite)
        if rendering is None or evidence is None:
            return []
        return spots_of(evidence, rendering)

    def prepare(self, wanted: Iterable[tuple[str, Sequence[Spot]]]) -> None:
        """Have pictures drawn of what runs of some suites show, as far as there is room."""
        sheets = dict.fromkeys(
            self._sheet(suite, spot) for suite, spots in wanted for spot in spots
        )
        missing = [sheet for sheet in sheets if sheet not in self._drawn]
        if self._size < _BYTES:
            missing = missing[: max(0, _PICTURES - len(self._numbers))]
            for sheet, picture in zip(missing, self._draw(missing), strict=True):
                self._drawn[sheet] = picture
                self._size += len(picture.svg)

    def hang(self, suite: str, spots: Sequence[Spot]) -> list[Hung]:
        """What is shown of a run: pictures, and notes where they tell something."""
        shown = [(spot, self._picture(suite, spot)) for spot in spots]
        if not any(picture.svg for _, picture in shown):
            return [Hung(spot.side, "", -1, picture.note) for spot, picture in shown[:1]]
        # Beside a board it is worth knowing why there is no other one; an input has other things in
        # it, too.
        pairs = {spot.group for spot, picture in shown if picture.svg and spot.side in _OUTPUTS}
        kept = [
            (spot, picture)
            for spot, picture in shown
            if picture.svg or (spot.side in _OUTPUTS and spot.group in pairs)
        ]
        sides = [spot.side for spot, _ in kept]
        several = len(set(sides)) < len(sides)
        return [self._hung(spot, picture, several=several) for spot, picture in kept]

    def _hung(self, spot: Spot, picture: Picture, *, several: bool) -> Hung:
        number = -1
        if picture.svg:
            number = self._numbers.setdefault(picture.svg, len(self._numbers))
        if not several:
            return Hung(spot.side, "", number, picture.note)
        return Hung(spot.side, spot.place, number, picture.note, spot.group)

    def _sheet(self, suite: str, spot: Spot) -> Sheet:
        rendering = self._renderings[suite]
        return Sheet(rendering.command, rendering.folder, spot.value)

    def _picture(self, suite: str, spot: Spot) -> Picture:
        full = Picture(b"", "no picture: the report has as many as it may have")
        return self._drawn.get(self._sheet(suite, spot), full)
