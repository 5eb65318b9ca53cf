"""Estimate the time that a run still takes, and format the progress line. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, frexp
from typing import Final, NamedTuple

from harness.reports.terminal.display import Style
from harness.text import shorten_to_width

# A run this many times longer than the longest ended one is expected to reach its time limit.
_STUCK: Final = 4
_STUCK_S: Final = 0.5
_LEAST_PACE: Final = 0.1
_LEAST_WALL: Final = 1e-6  # frexp(0) has the exponent of 0.5
_NAMED_S: Final = 2.0  # a run that takes longer is named
_LEAST_BAR: Final = 10
_MOST_BAR: Final = 40
_NAME: Final = 40


class RunState(NamedTuple):
    """A run in progress: its name, its age, and its time limit."""

    name: str
    age_s: float
    clock_s: float


class Progress(NamedTuple):
    """The progress of a run: its cases, the seconds left if known, what is running, and a note."""

    done: int
    total: int
    failed: int
    left_s: float | None
    running: Sequence[RunState]
    note: str = ""


class EtaEstimator:
    def __init__(self) -> None:
        self._count = 0
        self._sum = 0.0
        self._longest = 0.0
        self._by_size: dict[int, tuple[int, float]] = {}  # by the exponent of 2

    def add(self, wall_s: float) -> None:
        self._count += 1
        self._sum += wall_s
        self._longest = max(self._longest, wall_s)
        size = frexp(max(wall_s, _LEAST_WALL))[1]
        count, total = self._by_size.get(size, (0, 0.0))
        self._by_size[size] = (count + 1, total + wall_s)

    def left_s(
        self, elapsed_s: float, done: int, planned: int, running: Sequence[RunState]
    ) -> float | None:
        """Return the expected remaining seconds, or None before the first run has ended.

        `done` and `planned` are numbers of cases, which may have several runs. Runs in progress
        count too: runs that reach their time limit end last, so finished runs do not predict them.
        """
        if not self._count:
            return None
        expected = [self._expected_s(one) for one in running]
        left = [total - one.age_s for total, one in zip(expected, running, strict=True)]
        mean = (self._sum + sum(expected)) / (self._count + len(expected))
        begun = done + len({one.name for one in running})
        runs = self._count + len(running)
        waiting = max(0.0, float(planned - begun), planned * runs / max(1, begun) - runs)
        if not waiting:
            return max(left, default=0.0)
        spent = self._sum + sum(one.age_s for one in running)
        at_once = max(_LEAST_PACE, spent / max(elapsed_s, 1e-6))
        return max((waiting * mean + sum(left)) / at_once, *left, 0.0)

    def _expected_s(self, one: RunState) -> float:
        """Return the expected duration of a run in progress."""
        longer = [entry for size, entry in self._by_size.items() if size > frexp(one.age_s)[1]]
        if longer and one.age_s > self._sum / self._count:
            return sum(total for _, total in longer) / sum(count for count, _ in longer)
        if one.age_s > max(_STUCK_S, _STUCK * self._longest):
            return max(one.clock_s, one.age_s)
        return max(one.age_s, self._sum / self._count)


def format_progress(progress: Progress) -> tuple[tuple[str, str], ...]:
    """Return the texts of the line with their roles, most important first."""
    words = [(f"{progress.done:,} of {progress.total:,}", "strong")]
    if progress.left_s is not None:
        words.append((f"{format_duration(progress.left_s)} left", ""))
    if progress.failed:
        words.append((f"{progress.failed:,} failed", "bad"))
    if progress.note:
        words.append((progress.note, "dim"))
    longest = max(progress.running, key=lambda one: one.age_s, default=None)
    if longest is not None and longest.age_s >= _NAMED_S:
        name = shorten_to_width(longest.name, _NAME)
        words.append((f"{name} for {format_duration(int(longest.age_s))}", "dim"))
    return tuple(words)


def render_progress(
    words: Sequence[tuple[str, str]], part: float, width: int, style: Style, glyphs: str
) -> tuple[str, int]:
    """Return the line and its width: as many words as fit, after a bar if there is room.

    `part` of the bar is done, from 0 to 1; `glyphs` are the characters of both parts.
    """
    chosen: list[tuple[str, str]] = []
    used = 0
    for text, role in words:
        more = len(text) + (2 if chosen else 0)
        if used + more > width:
            break
        chosen.append((text, role))
        used += more
    line = "  ".join(style(text, role) if role else text for text, role in chosen)
    room = min(_MOST_BAR, width - used - 2)
    if room < _LEAST_BAR or not chosen:
        return line, used
    full = min(room, int(room * part))
    drawn = style(glyphs[0] * full, "good") + style(glyphs[1] * (room - full), "dim")
    return f"{drawn}  {line}", room + 2 + used


def format_duration(seconds: float) -> str:
    """Return a time in words, rounded up to what an estimate is worth: "8 s", "3 min 20 s"."""
    whole = max(1, ceil(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 600:
        minutes, rest = divmod(-(-whole // 10) * 10, 60)
        return _join_units((minutes, "min"), (rest, "s"))
    minutes = -(-whole // 60)
    hours, rest = divmod(minutes, 60)
    return _join_units((hours, "h"), (rest, "min"))


def _join_units(*parts: tuple[int, str]) -> str:
    return " ".join(f"{number} {unit}" for number, unit in parts if number)
