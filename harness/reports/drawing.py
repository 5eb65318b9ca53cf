"""Run the renderers of suites, in parallel and within limits: values in, pictures out.

Only the caller names suites: results may come from anywhere, and so may the folders that they name.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from harness.model.limits import Limit
from harness.model.subject import ExecutionContext
from harness.model.transcript import Job, NotStarted, Transcript
from harness.process.loop import run
from harness.project.program_lookup import find_program, missing_program
from harness.reports.pictures import LIMITS, Picture, Rendering, RenderJob, picture_of
from harness.suites.loading import read_settings
from harness.text import escape_nonprintable

_TIMEOUTS = 3  # of a renderer, which is then not run again
_ALL_S = 60.0  # seconds of drawing for a report


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
