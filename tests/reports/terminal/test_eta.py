"""The estimate of the remaining time, and the progress line at every width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.golden import Golden
from support.tables import check_table

from harness.reports.terminal.display import PLAIN
from harness.reports.terminal.progress_line import (
    EtaEstimator,
    Progress,
    format_duration,
    format_progress,
    render_progress,
)
from harness.runner.progress import InFlight


def simulate(walls: list[float], parallel: int, limit_s: float, at: float) -> tuple[float, float]:
    """Return the estimated and the real remaining time of runs at a moment."""
    free, ends = [0.0] * parallel, []
    for wall_s in walls:
        begun = min(free)
        free[free.index(begun)] = begun + wall_s
        ends.append((begun, begun + wall_s))
    running = [
        InFlight(str(number), at - begun, limit_s)
        for number, (begun, end) in enumerate(ends)
        if begun <= at < end
    ]
    done = [end - begun for begun, end in ends if end <= at]
    estimator = EtaEstimator()
    for wall_s in done:
        estimator.add(wall_s)
    left = estimator.left_s(at, len(done), len(walls), running)
    assert left is not None
    return left, max(free) - at


HANGS = [10.0 if number % 50 == 3 else 0.01 for number in range(1000)]


@pytest.mark.parametrize(
    ("walls", "parallel", "at", "least", "most"),
    [
        ([0.1] * 1000, 4, 5.0, 0.95, 1.05),
        # One case of 50 hangs: the mean of ended runs would predict 9 s instead of 51 s.
        (HANGS, 4, 1.0, 0.5, 2.0),
        ([0.05] * 99 + [10.0], 2, 6.0, 0.99, 1.01),
        ([10.0] * 8, 2, 12.0, 0.95, 1.6),
    ],
)
def test_an_estimate_is_close_to_the_real_time(
    walls: list[float], parallel: int, at: float, least: float, most: float
) -> None:
    left, real = simulate(walls, parallel, 10.0, at)
    assert least * real <= left <= most * real


def test_there_is_no_estimate_before_a_run_has_ended() -> None:
    running = [InFlight("s/1", 2.0, 10.0)]
    assert EtaEstimator().left_s(2.0, 0, 8, running) is None


def test_a_duration_is_rounded_up(golden: Golden) -> None:
    check_table(golden, __file__, "durations.txt", format_duration)


RUNNING = [InFlight("s/7", 1.0, 9), InFlight("xboard/17", 4, 9)]
WORDS = format_progress(Progress(412, 1000, 3, 12.0, RUNNING))


def test_a_narrow_terminal_gets_the_first_words(golden: Golden) -> None:
    def line(width: int) -> str:
        text, columns = render_progress(WORDS, 0.4, width, PLAIN, "#-")
        assert columns == len(text)
        return text

    check_table(golden, __file__, "progress.txt", line)


@given(st.integers(0, 300), st.floats(0, 1), st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_line_keeps_to_the_width(width: int, part: float, done: int, failed: int) -> None:
    words = format_progress(Progress(done, 10**6, failed, 5.0, []))
    text, columns = render_progress(words, part, width, PLAIN, "━─")
    assert len(text) == columns <= width
