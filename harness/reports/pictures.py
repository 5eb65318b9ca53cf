"""Choose the values of runs to draw, and run the renderers of suites, in parallel within limits.

The caller names the folders of suites: those that results name are not trusted.
Source: "Pictures" in docs/suites.md.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
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
from harness.process.loop import in_order, run
from harness.project.program_lookup import find_program, missing_program
from harness.suites.loading import read_settings
from harness.suites.settings import RenderedSide
from harness.text import escape_nonprintable, format_number, shorten, signal_name

# The limits of a renderer for one picture.
LIMITS: Final = Limits(wall_s=10.0, cpu_s=10.0, memory_mib=512.0, output_mib=0.5, processes=64)

_MOST_PAIRS: Final = 4  # drawn pairs of an expected and a printed value, of a run
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

    renderer: Rendering
    value: str


class DrawnValue(NamedTuple):
    """A value to draw. Values of one `group` are shown side by side; other inputs have -1."""

    side: ValueSide
    pointer: str
    json: str
    group: int


class Picture(NamedTuple):
    svg: bytes
    note: str = ""


class Thumbnail(NamedTuple):
    """A picture of a run, or a note; `group` is its row, `pointer` empty if there is only one."""

    side: ValueSide
    pointer: str
    number: int  # of the picture, or -1
    note: str
    group: int = 0


# The renderers.


def renderers_of(folders: Mapping[str, Path]) -> dict[str, Rendering]:
    """Return the renderers of suites by name, as far as the suites declare one."""
    renderings = {}
    for suite, folder in folders.items():
        with suppress(OSError, ValueError):  # missing or invalid
            settings = read_settings(folder)
            if settings.render is not None:
                command, draws = settings.render
                place = os.path.abspath(folder)
                renderings[suite] = Rendering(command, place, draws, settings.conversation)
    return renderings


class Renderer:
    """Draws pictures within the limits of a report: time in all, and timeouts of each renderer."""

    def __init__(self) -> None:
        self._timeouts: Counter[tuple[str, ...]] = Counter()
        self._took_s = 0.0

    def draw(self, jobs: Sequence[RenderJob]) -> list[Picture]:
        pictures: dict[int, Picture] = {}
        begun = time.monotonic()
        deadline = begun + _ALL_S - self._took_s
        runs = run(
            in_order(self._process_jobs(jobs, deadline)), os.cpu_count() or 1, dict(os.environ)
        )
        # An exception must not leave renderers running.
        with closing(runs):
            for number, transcript in runs:
                command = jobs[number].renderer.command
                self._timeouts[command] += transcript.limit in (Limit.WALL, Limit.CPU)
                pictures[number] = picture_of(transcript, escape_nonprintable(" ".join(command)))
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
            name, *arguments = job.renderer.command
            argv = (find_program(name) or name, *arguments)
            stdin = f"{job.value}\n".encode("utf-8", "surrogatepass")
            yield number, Job(argv, stdin, LIMITS, None, ExecutionContext(job.renderer.folder))

    def _reason_not_to_run(self, job: RenderJob, deadline: float) -> str:
        """Return why a job is not run, or empty."""
        if time.monotonic() >= deadline:
            return f"the renderers have used the {_ALL_S:g} s that a report allows"
        command = job.renderer.command
        if self._timeouts[command] >= _TIMEOUTS:
            return f"{' '.join(command)} timed out {_TIMEOUTS} times"
        missing = missing_program(command[0], ExecutionContext(job.renderer.folder))
        return "" if missing is None else missing.reason


def picture_of(transcript: Transcript, name: str) -> Picture:
    """Return the picture that a run of the renderer `name` printed, or a note on its failure."""
    if isinstance(transcript.ending, NotStarted):
        return _no_picture(transcript.ending.reason)
    if transcript.limit is not None:
        return _no_picture(
            f"{name} {_LIMIT_NOTES.get(transcript.limit, 'reached a limit')} and was killed"
        )
    if not isinstance(transcript.ending, Exited):
        return _no_picture(f"{name} was killed by {signal_name(transcript.ending.number)}")
    if transcript.ending.status != 0:
        status = f"{name} exited with status {transcript.ending.status}"
        lines = transcript.stderr.decode("utf-8", "backslashreplace").strip().splitlines()
        return _no_picture(lines[-1] if lines else status)
    if not _SVG.match(transcript.stdout):
        return _no_picture(f"{name} printed no SVG")
    return Picture(transcript.stdout)


_LIMIT_NOTES: Final = {
    Limit.WALL: f"took more than {format_number(LIMITS.wall_s)} s",
    Limit.OUTPUT: f"printed more than {format_number(LIMITS.output_mib * 1024)} KiB",
}


def _no_picture(note: str) -> Picture:
    return Picture(b"", f"no picture: {shorten(note, _NOTE)}")


# The values to draw.


def values_to_draw(evidence: Evidence, rendering: Rendering) -> list[DrawnValue]:
    """Return the values of a run to draw: those that differ first, or the first ones if none do."""
    streams = evidence.stdin, evidence.expected, evidence.stdout
    # The values before the end of a truncated or malformed stream.
    input_values, expected, printed = (decode(stream.data).values for stream in streams)
    side_by_side = zip_longest(range(len(expected)), range(len(printed)), fillvalue=-1)
    pairs = (_differing_pairs(evidence.differences) or list(side_by_side))[:_MOST_PAIRS]
    if RenderedSide.INPUT not in rendering.draws:
        input_values = []
    drawn: list[DrawnValue] = []
    if not rendering.conversation:
        drawn += _values_at(ValueSide.INPUT, input_values, range(_MOST_PAIRS), -1)
    for group, (expected_index, printed_index) in enumerate(pairs):
        if rendering.conversation:
            drawn += _values_at(
                ValueSide.INPUT, input_values, [max(expected_index, printed_index)], group
            )
        if RenderedSide.OUTPUT in rendering.draws:
            drawn += _values_at(ValueSide.EXPECTED, expected, [expected_index], group)
            drawn += _values_at(ValueSide.PRINTED, printed, [printed_index], group)
    return drawn


# The indices of an expected and a printed value, or -1.
_IndexPair = tuple[int, int]


def _differing_pairs(differences: Iterable[ShownDifference]) -> list[_IndexPair]:
    pairs: dict[_IndexPair, None] = {}
    for one in differences:
        expected, printed = _first_step(one.pointer), _first_step(one.actual_pointer or one.pointer)
        if expected < 0:
            return []  # the stream as a whole
        is_whole = one.pointer.count("/") == 1
        expected = -1 if is_whole and one.expected is None else expected
        printed = -1 if is_whole and one.actual is None else printed
        pairs[expected, printed] = None
    return list(pairs)


def _first_step(pointer: str) -> int:
    steps = pointer.split("/", 2)
    return int(steps[1]) if len(steps) > 1 and steps[1].isdecimal() else -1


def _values_at(
    side: ValueSide, values: list[Json], wanted: Iterable[int], group: int
) -> Iterator[DrawnValue]:
    for index in wanted:
        if 0 <= index < len(values):
            yield DrawnValue(side, f"/{index}", encode(values[index]), group)


class PictureSet:
    """The pictures of a report, without duplicates; `draw` returns a picture for each job."""

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

    def __iter__(self) -> Iterator[bytes]:
        """Yield the different pictures by number."""
        yield from self._numbers

    def values_of(self, suite: str, evidence: Evidence | None) -> list[DrawnValue]:
        rendering = self._renderings.get(suite)
        return [] if rendering is None or evidence is None else values_to_draw(evidence, rendering)

    def prepare(self, wanted: Iterable[tuple[str, Sequence[DrawnValue]]]) -> None:
        """Draw the values of runs, each with its suite, as far as there is room."""
        jobs = (self._job(suite, value) for suite, values in wanted for value in values)
        missing = [job for job in dict.fromkeys(jobs) if job not in self._drawn]
        if self._size < _BYTES:
            missing = missing[: max(0, _PICTURES - len(self._numbers))]
            for job, picture in zip(missing, self._draw(missing), strict=True):
                self._drawn[job] = picture
                self._size += len(picture.svg)

    def thumbnails(self, suite: str, values: Sequence[DrawnValue]) -> list[Thumbnail]:
        """Return the prepared pictures of a run, and notes where they are informative."""
        full = Picture(b"", "no picture: the report has reached its limit")
        shown = [(value, self._drawn.get(self._job(suite, value), full)) for value in values]
        if not any(picture.svg for _, picture in shown):
            return [Thumbnail(value.side, "", -1, picture.note) for value, picture in shown[:1]]
        # A note is informative beside the picture of the other side; an input may simply contain
        # values that cannot be drawn.
        pairs = {value.group for value, picture in shown if picture.svg and value.side in _OUTPUTS}
        kept = [
            (value, picture)
            for value, picture in shown
            if picture.svg or (value.side in _OUTPUTS and value.group in pairs)
        ]
        several = len({value.side for value, _ in kept}) < len(kept)
        return [
            Thumbnail(
                value.side,
                value.pointer if several else "",
                self._numbers.setdefault(picture.svg, len(self._numbers)) if picture.svg else -1,
                picture.note,
                value.group if several else 0,
            )
            for value, picture in kept
        ]

    def _job(self, suite: str, value: DrawnValue) -> RenderJob:
        return RenderJob(self._renderings[suite], value.json)
