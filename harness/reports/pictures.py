"""Choose the values of runs to draw, and run the renderers of suites, in parallel within limits.

Only the caller names suites: results may come from anywhere, and so may the folders that they name.
Source: "Pictures" in docs/suites.md.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from enum import Enum
from itertools import zip_longest
from pathlib import Path
from typing import Final, NamedTuple

from harness.jsonio.decoder import Json, encode
from harness.jsonio.fast import decode
from harness.model.events import Evidence
from harness.model.judgement import ShownDifference
from harness.model.limits import Limit, Limits
from harness.model.subject import ExecutionContext
from harness.model.transcript import Exited, Job, NotStarted, Transcript
from harness.process.loop import run
from harness.project.program_lookup import find_program, missing_program
from harness.suites.loading import read_settings
from harness.suites.settings import RenderedSide
from harness.text import escape_nonprintable, format_number, shorten, signal_name

# The limits of a renderer for one picture.
LIMITS: Final = Limits(wall_s=10.0, cpu_s=10.0, memory_mib=512.0, output_mib=0.5, processes=64)

_PLACES: Final = 4  # drawn places of a run
_PICTURES: Final = 600  # different pictures of a report
_BYTES: Final = 16 * 1024 * 1024  # bytes of all pictures
_NOTE: Final = 300  # characters of a note
_TIMEOUTS: Final = 3  # of a renderer, which is then not run again
_ALL_S: Final = 60.0  # seconds of drawing for a report

# An optional byte order mark, declaration, comments and DOCTYPE, then the root element.
_SVG: Final = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*\?>\s*)?"
    rb"(?:<!--.*?-->\s*|<!DOCTYPE[^>\[]*>\s*)*<svg[\s/>]",
    re.DOTALL,
)


class ValueSide(Enum):
    INPUT = "input"
    EXPECTED = "expected"
    PRINTED = "printed"


_OUTPUTS: Final = (ValueSide.EXPECTED, ValueSide.PRINTED)


class Rendering(NamedTuple):
    """The renderer of a suite: its command, its working folder, and which streams it draws.

    In a `conversation`, each input value belongs to the output value with the same index.
    """

    command: tuple[str, ...]
    folder: str
    draws: tuple[RenderedSide, ...]
    conversation: bool = False


class RenderJob(NamedTuple):
    """A value for a renderer, as JSON; equal jobs are run once."""

    command: tuple[str, ...]
    folder: str
    value: str


class ValueLocation(NamedTuple):
    """A value to draw: its stream, its JSON Pointer, and its JSON.

    Values of one `group` belong side by side; inputs of all outputs have group -1.
    """

    side: ValueSide
    place: str
    value: str
    group: int


class Picture(NamedTuple):
    svg: bytes
    note: str = ""


class Thumbnail(NamedTuple):
    """A picture of a run, or a note; `group` is its row, `place` empty if there is only one."""

    side: ValueSide
    place: str
    number: int  # of the picture, or -1
    note: str
    group: int = 0


# The renderers.


def renderers_of(folders: Mapping[str, Path]) -> dict[str, Rendering]:
    """Return the renderers of suites by name, as far as the suites declare one."""
    found = ((suite, _rendering(folder)) for suite, folder in folders.items())
    return {suite: rendering for suite, rendering in found if rendering is not None}


def _rendering(folder: Path) -> Rendering | None:
    try:
        settings = read_settings(folder)
    except (OSError, ValueError):  # missing or invalid
        return None
    if settings.render is None:
        return None
    command, draws = settings.render
    return Rendering(command, os.path.abspath(folder), draws, settings.conversation)


class Renderer:
    """Draws pictures, and counts the timeouts of each renderer and the total time."""

    def __init__(self) -> None:
        self._timeouts: Counter[tuple[str, ...]] = Counter()
        self._took_s = 0.0

    def draw(self, jobs: Sequence[RenderJob]) -> list[Picture]:
        pictures: dict[int, Picture] = {}
        begun = time.monotonic()
        deadline = begun + _ALL_S - self._took_s
        runs = run(self._process_jobs(jobs, deadline), os.cpu_count() or 1, dict(os.environ))
        # An exception must not leave renderers running.
        with closing(runs):
            for number, seen in runs:
                command = jobs[number].command
                self._timeouts[command] += seen.limit in (Limit.WALL, Limit.CPU)
                pictures[number] = picture_of(seen, escape_nonprintable(" ".join(command)))
        self._took_s += time.monotonic() - begun
        return [pictures[number] for number in range(len(jobs))]

    def _process_jobs(
        self, jobs: Sequence[RenderJob], deadline: float
    ) -> Iterator[tuple[int, Job | Transcript]]:
        for number, job in enumerate(jobs):
            reason = self._reason_not_to_run(job, deadline)
            if reason:
                yield number, Transcript(NotStarted(reason))
                continue
            program = find_program(job.command[0]) or job.command[0]
            stdin = f"{job.value}\n".encode("utf-8", "surrogatepass")
            argv = (program, *job.command[1:])
            yield number, Job(argv, stdin, LIMITS, None, ExecutionContext(job.folder))

    def _reason_not_to_run(self, job: RenderJob, deadline: float) -> str:
        """Return why a job is not run, or empty."""
        if time.monotonic() >= deadline:
            return f"the renderers have used the {_ALL_S:g} s that a report allows"
        if self._timeouts[job.command] >= _TIMEOUTS:
            return f"{' '.join(job.command)} timed out {_TIMEOUTS} times"
        return missing_program(job.command[0], job.folder)


def picture_of(seen: Transcript, name: str) -> Picture:
    """Return the picture that a run of the renderer `name` printed."""
    if isinstance(seen.ending, NotStarted):
        return _none(seen.ending.reason)
    if seen.limit is not None:
        reason = _LIMIT_NOTES.get(seen.limit, "reached a limit")
        return _none(f"{name} {reason} and was killed")
    if not isinstance(seen.ending, Exited):
        return _none(f"{name} was killed by {signal_name(seen.ending.number)}")
    if seen.ending.status != 0:
        lines = seen.stderr.decode("utf-8", "backslashreplace").strip().splitlines()
        return _none(lines[-1] if lines else f"{name} exited with status {seen.ending.status}")
    if not _SVG.match(seen.stdout):
        return _none(f"{name} printed no SVG")
    return Picture(seen.stdout)


_LIMIT_NOTES: Final = {
    Limit.WALL: f"took more than {format_number(LIMITS.wall_s)} s",
    Limit.FIRST_BYTE: f"took more than {format_number(LIMITS.wall_s)} s",
    Limit.OUTPUT: f"printed more than {format_number(LIMITS.output_mib * 1024)} KiB",
}


def _none(note: str) -> Picture:
    return Picture(b"", f"no picture: {shorten(note, _NOTE)}")


# The values to draw.


def spots_of(evidence: Evidence, rendering: Rendering) -> list[ValueLocation]:
    """Return the values of a run to draw: at the first differences, or the first ones if equal."""
    expected, printed = _values(evidence.expected.data), _values(evidence.stdout.data)
    side_by_side = zip_longest(range(len(expected)), range(len(printed)), fillvalue=-1)
    places = (_differing(evidence.differences) or list(side_by_side))[:_PLACES]
    given = _values(evidence.stdin.data) if RenderedSide.INPUT in rendering.draws else []
    spots: list[ValueLocation] = []
    if not rendering.conversation:
        spots += _spots(ValueSide.INPUT, given, range(_PLACES), -1)
    for group, (ours, theirs) in enumerate(places):
        if rendering.conversation:
            spots += _spots(ValueSide.INPUT, given, [max(ours, theirs)], group)
        if RenderedSide.OUTPUT in rendering.draws:
            spots += _spots(ValueSide.EXPECTED, expected, [ours], group)
            spots += _spots(ValueSide.PRINTED, printed, [theirs], group)
    return spots


def _values(data: bytes) -> list[Json]:
    # The values before the end of a truncated or malformed stream.
    return decode(data).values


# The indices of an expected and a printed value, or -1.
_IndexPair = tuple[int, int]


def _differing(found: Iterable[ShownDifference]) -> list[_IndexPair]:
    pairs: dict[_IndexPair, None] = {}
    for one in found:
        ours, theirs = _first(one.pointer), _first(one.actual_pointer or one.pointer)
        if ours < 0:
            return []  # the stream as a whole
        is_whole = one.pointer.count("/") == 1
        ours = -1 if is_whole and one.expected is None else ours
        theirs = -1 if is_whole and one.actual is None else theirs
        pairs[ours, theirs] = None
    return list(pairs)


def _first(pointer: str) -> int:
    steps = pointer.split("/", 2)
    return int(steps[1]) if len(steps) > 1 and steps[1].isdecimal() else -1


def _spots(
    side: ValueSide, values: list[Json], wanted: Iterable[int], group: int
) -> Iterator[ValueLocation]:
    for index in wanted:
        if 0 <= index < len(values):
            yield ValueLocation(side, f"/{index}", encode(values[index]), group)


# The pictures of a report.


class PictureSet:
    """The pictures of a report, without duplicates; `draw` returns them in the order of jobs."""

    def __init__(
        self,
        renderings: Mapping[str, Rendering],
        draw: Callable[[Sequence[RenderJob]], Sequence[Picture]],
    ) -> None:
        self._renderings = renderings
        self._draw = draw
        self._drawn: dict[RenderJob, Picture] = {}
        self._numbers: dict[bytes, int] = {}
        self._size = 0

    @property
    def pictures(self) -> list[bytes]:
        return list(self._numbers)

    def spots(self, suite: str, evidence: Evidence | None) -> list[ValueLocation]:
        rendering = self._renderings.get(suite)
        return [] if rendering is None or evidence is None else spots_of(evidence, rendering)

    def prepare(self, wanted: Iterable[tuple[str, Sequence[ValueLocation]]]) -> None:
        """Draw the values of runs of some suites, as far as there is room."""
        jobs = dict.fromkeys(self._job(suite, spot) for suite, spots in wanted for spot in spots)
        missing = [job for job in jobs if job not in self._drawn]
        if self._size < _BYTES:
            missing = missing[: max(0, _PICTURES - len(self._numbers))]
            for job, picture in zip(missing, self._draw(missing), strict=True):
                self._drawn[job] = picture
                self._size += len(picture.svg)

    def thumbnails(self, suite: str, spots: Sequence[ValueLocation]) -> list[Thumbnail]:
        """Return the pictures of a run, and notes where they are informative."""
        full = Picture(b"", "no picture: the report has reached its limit")
        shown = [(spot, self._drawn.get(self._job(suite, spot), full)) for spot in spots]
        if not any(picture.svg for _, picture in shown):
            return [Thumbnail(spot.side, "", -1, picture.note) for spot, picture in shown[:1]]
        # A note is informative beside the picture of the other side; an input may simply contain
        # values that cannot be drawn.
        pairs = {spot.group for spot, picture in shown if picture.svg and spot.side in _OUTPUTS}
        kept = [
            (spot, picture)
            for spot, picture in shown
            if picture.svg or (spot.side in _OUTPUTS and spot.group in pairs)
        ]
        several = len({spot.side for spot, _ in kept}) < len(kept)
        return [
            Thumbnail(
                spot.side,
                spot.place if several else "",
                self._numbers.setdefault(picture.svg, len(self._numbers)) if picture.svg else -1,
                picture.note,
                spot.group if several else 0,
            )
            for spot, picture in kept
        ]

    def _job(self, suite: str, spot: ValueLocation) -> RenderJob:
        rendering = self._renderings[suite]
        return RenderJob(rendering.command, rendering.folder, spot.value)
