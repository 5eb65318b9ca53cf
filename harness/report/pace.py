"""How long a run will go on, and the one line that says so while it runs.

Pure: what was seen so far goes in, seconds and texts come out. The clock, and the terminal, are
harness/report/progress.py's.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, frexp
from typing import Final, NamedTuple

from harness.report.text import Style
from harness.words import clip, visible

__all__ = ["Glyphs", "Moment", "Pace", "Running", "drawn", "progress_words", "time_words"]

_STUCK: Final = 4  # times the longest run that ended: what runs longer is waiting for its clock
_STUCK_S: Final = 0.5
_LEAST_PACE: Final = 0.1
_LEAST_WALL: Final = 1e-6  # the exponent of 0 would be that of 0.5
_TOLD_S: Final = 2.0  # a run that takes longer is named
_LEAST_BAR: Final = 10
_MOST_BAR: Final = 40
_NAME: Final = 40


class Running(NamedTuple):
    """A run that is under way: its name, for how long, and when its clock will fall."""

    name: str
    age_s: float
    clock_s: float


class Moment(NamedTuple):
    """Where a run stands: seconds since it began, cases that are done and that there are, of those
    that are run now; and what is under way."""

    elapsed_s: float
    done: int
    planned: int
    running: Sequence[Running] = ()


class Pace:
    """How long runs take: their number and sum, and the sums of those that took about as long."""

    __slots__ = ("_by_size", "_count", "_longest", "_sum")

    def __init__(self) -> None:
        self._count = 0
        self._sum = 0.0
        self._longest = 0.0
        self._by_size: dict[int, tuple[int, float]] = {}  # by the exponent of 2

    def add(self, wall_s: float) -> None:
        """One run ended, and took so long."""
        self._count += 1
        self._sum += wall_s
        self._longest = max(self._longest, wall_s)
        size = frexp(max(wall_s, _LEAST_WALL))[1]
        count, total = self._by_size.get(size, (0, 0.0))
        self._by_size[size] = (count + 1, total + wall_s)

    def left_s(self, at: Moment) -> float | None:
        """Seconds that are left, most likely; None: nothing is known yet.

        The mean of what has ended would be far too small where some wait for their clocks: these
        end last. So what is under way counts too, with as long as it will have taken.
        """
        if not (self._count or at.running):
            return None
        whole = [self._whole_s(one) for one in at.running]
        left = [total - one.age_s for total, one in zip(whole, at.running, strict=True)]
        mean = (self._sum + sum(whole)) / (self._count + len(whole))
        waiting = self._waiting(at)
        if not waiting:
            return max(left, default=0.0)
        spent = self._sum + sum(one.age_s for one in at.running)
        at_once = max(_LEAST_PACE, spent / max(at.elapsed_s, 1e-6))
        return max((waiting * mean + sum(left)) / at_once, *left, 0.0)

    def _waiting(self, at: Moment) -> float:
        """How many runs have not begun. Fed in several ways, a case has several."""
        under_way = len({one.name for one in at.running})
        begun = at.done + under_way
        runs = self._count + len(at.running)
        return max(0.0, float(at.planned - begun), at.planned * runs / max(1, begun) - runs)

    def _whole_s(self, one: Running) -> float:
        """How long something that is under way will have taken."""
        longer = [entry for size, entry in self._by_size.items() if size > frexp(one.age_s)[1]]
        if longer and one.age_s > self._sum / self._count:
            return sum(total for _, total in longer) / sum(count for count, _ in longer)
        if one.age_s > max(_STUCK_S, _STUCK * self._longest):
            return max(one.clock_s, one.age_s)
        return max(one.age_s, self._sum / self._count if self._count else one.age_s)


class Glyphs(NamedTuple):
    """What a bar is drawn with, as the terminal's encoding allows."""

    full: str = "━"
    empty: str = "─"


def progress_words(
    done: int, total: int, short: int, left_s: float | None, running: Sequence[Running]
) -> tuple[tuple[str, str], ...]:
    """The words of the line, each with its role, the most important first."""
    words: list[tuple[str, str]] = [(f"{done:,} of {total:,}", "strong")]
    if left_s is not None:
        words.append((f"{time_words(left_s)} left", ""))
    if short:
        words.append((f"{short:,} fell short", "bad"))
    longest = max(running, key=lambda one: one.age_s, default=None)
    if longest is not None and longest.age_s >= _TOLD_S:
        named = clip(visible(longest.name), _NAME)
        words.append((f"{named} for {time_words(int(longest.age_s))}", "dim"))
    return tuple(words)


def drawn(
    words: Sequence[tuple[str, str]], part: float, width: int, style: Style, glyphs: Glyphs
) -> tuple[str, int]:
    """The line as it is drawn in at most so many columns, and how many it takes: as many of the
    words as there is room for, and a bar in front of them if some is left."""
    chosen: list[tuple[str, str]] = []
    used = 0
    for text, role in words:
        more = len(text) + (2 if chosen else 0)
        if used + more > width:
            break
        chosen.append((text, role))
        used += more
    said = "  ".join(style(text, role) if role else text for text, role in chosen)
    room = min(_MOST_BAR, width - used - 2)
    if room < _LEAST_BAR or not chosen:
        return said, used
    full = min(room, int(room * part))
    line = style(glyphs.full * full, "good") + style(glyphs.empty * (room - full), "dim")
    return f"{line}  {said}", room + 2 + used


def time_words(seconds: float) -> str:
    """A time as one says it, and no more exactly than it can be known: "8 s", "3 min 20 s"."""
    whole = max(1, ceil(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 600:
        whole = -(-whole // 10) * 10  # a second more or less is not known any more
        minutes, rest = divmod(whole, 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    minutes = -(-whole // 60)
    hours, rest = divmod(minutes, 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {rest} min" if rest else f"{hours} h"
