"""Runs the renderers of suites: values in, pictures out, several at once and each within limits.

A command is read from the suite.toml of the suite, and never from results, which may come from
anywhere. What is drawn, and what a run of a renderer means, is pictures.py's to know.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from harness.about import About
from harness.documents.pictures import LIMITS, Picture, Rendering, Sheet, picture_of
from harness.lookup import find_program, missing_program
from harness.process.loop import run
from harness.records import Job, Limit, NotStarted, Setting, Transcript
from harness.suites.bundled import test_cases_folder
from harness.suites.corpus import settings_text
from harness.suites.policy import parse_suite_toml
from harness.words import visible

__all__ = ["Studio", "renderings_of"]

_HANGS = 3  # of a renderer: it is not waited for again
_ALL_S = 60.0  # of drawing for a report; to see its words does not take longer than that


def renderings_of(abouts: Iterable[About]) -> dict[str, Rendering]:
    """The renderers of suites, by the suite's name; those that name none, or are not here any more,
    have none."""
    found = ((about.suite, _rendering(about)) for about in abouts)
    return {suite: rendering for suite, rendering in found if rendering is not None}


def _rendering(about: About) -> Rendering | None:
    for folder in (Path(about.folder), test_cases_folder() / about.suite):
        try:
            settings = parse_suite_toml(settings_text(folder), about.suite)
        except (OSError, ValueError):  # it is not there, or cannot be accepted
            continue
        if settings.render is None:
            return None
        command, draws = settings.render
        return Rendering(command, os.path.abspath(folder), draws, settings.conversation)
    return None


class Studio:
    """Draws, and remembers which renderers hang, and how long all of it took."""

    def __init__(self) -> None:
        self._hangs: Counter[tuple[str, ...]] = Counter()
        self._took_s = 0.0

    def draw(self, sheets: Sequence[Sheet]) -> list[Picture]:
        """A picture of each sheet, in their order."""
        pictures: dict[int, Picture] = {}
        begun = time.monotonic()
        runs = run(
            self._jobs(sheets, begun + _ALL_S - self._took_s), os.cpu_count() or 1, dict(os.environ)
        )
        # Closed by name: an exception on the way must not leave renderers running.
        with closing(runs):
            for number, seen in runs:
                command = sheets[number].command
                self._hangs[command] += seen.limit in (Limit.WALL, Limit.CPU)
                pictures[number] = picture_of(seen, visible(" ".join(command)))
        self._took_s += time.monotonic() - begun
        return [pictures[number] for number in range(len(sheets))]

    def _jobs(
        self, sheets: Sequence[Sheet], until: float
    ) -> Iterator[tuple[int, Job | Transcript]]:
        for number, sheet in enumerate(sheets):
            refused = self._refused(sheet, until)
            if refused:
                yield number, Transcript(NotStarted(refused))
                continue
            program = find_program(sheet.command[0]) or sheet.command[0]
            stdin = f"{sheet.value}\n".encode("utf-8", "surrogatepass")
            argv = (program, *sheet.command[1:])
            yield number, Job(argv, stdin, LIMITS, None, Setting(sheet.folder))

    def _refused(self, sheet: Sheet, until: float) -> str:
        """Why a sheet is not drawn; the empty text: it is."""
        if time.monotonic() >= until:
            return f"the renderers have had {_ALL_S:g} s for this report"
        if self._hangs[sheet.command] >= _HANGS:
            return f"{' '.join(sheet.command)} took too long {_HANGS} times"
        return missing_program(sheet.command[0], sheet.folder)
