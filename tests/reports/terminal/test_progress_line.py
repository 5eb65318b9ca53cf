"""The progress of runs on the screen of a terminal, in lines elsewhere, and estimates."""

from __future__ import annotations

import io
import re
import signal
import threading
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events import run
from support.golden import Golden
from support.suites import write_program, write_suite
from support.terminals import Terminal, terminal
from support.xtest import XTEST

from harness.engine.progress import InFlight, ProgressBoard
from harness.model.verdict import Verdict
from harness.reports.terminal.console import ConsoleReporter, Verbosity
from harness.reports.terminal.progress_line import (
    EtaEstimator,
    Heartbeat,
    Progress,
    format_duration,
    format_progress,
    render_progress,
)
from harness.reports.text.display import PLAIN
from harness.text import cells

# Answers when the file `go` exists, or at once to the input 1.
WAITS = """read -r x
[ "$x" = 1 ] || while [ ! -e go ]; do sleep 0.02; done
echo "$x"
"""


@pytest.fixture(name="slow")
def _slow(tmp_path: Path) -> Path:
    """A folder with a suite of four cases, one of which fails, and a program that waits."""
    write_suite(tmp_path / "s", {"1": ("1", "2"), "2": "2", "3": "3", "4": "4"})
    write_program(tmp_path / "p", WAITS)
    return tmp_path


def xtest_runs(slow: Path, *options: str, columns: int = 80) -> AbstractContextManager[Terminal]:
    command = [
        *XTEST,
        "run",
        "s",
        "-j2",
        "--wall",
        "900",
        *options,
        "--",
        "./p",
    ]
    return terminal(command, slow, columns=columns)


def foot(screen: list[str]) -> str:
    return screen[-1] if screen else ""


def test_a_long_run_shows_its_progress(slow: Path) -> None:
    pattern = r"━{2,}─+  1 of 4  (\d+ min|\d+ s) left  1 failed  s/[23] for 2 s"
    with xtest_runs(slow) as shown:
        lines = shown.await_that(lambda lines: " for 2 s" in foot(lines))
        assert re.fullmatch(pattern, foot(lines))
        (slow / "go").touch()
        lines = shown.to_the_end()
    assert not [line for line in lines if "━" in line or "left" in line]
    assert re.fullmatch(r"3 of 4 passed in \d+\.\d s: 1 differs", foot(lines))


def test_a_narrower_window_is_left_clean(slow: Path) -> None:
    with xtest_runs(slow, "-q") as shown:
        shown.await_that(lambda lines: "1 of 4" in foot(lines))
        shown.resize(30, 10)
        lines = shown.await_that(lambda lines: 0 < len(foot(lines)) < 30)
        assert foot(lines).lstrip("━─ ").startswith("1 of 4")
        (slow / "go").touch()
        (only, *rest) = shown.to_the_end()
    assert f"{only}{''.join(rest)}".startswith("3 of 4 passed in")


def test_an_interruption_removes_the_line(slow: Path) -> None:
    with xtest_runs(slow) as shown:
        shown.await_that(lambda lines: "1 of 4" in foot(lines))
        shown.running.send_signal(signal.SIGINT)
        lines = shown.to_the_end()
    assert foot(lines).startswith("interrupted after 1 run, 0 passed")
    assert not [line for line in lines if "━" in line]


def test_worker_processes_report_their_progress(slow: Path) -> None:
    write_suite(slow / "s", {str(number): str(number) for number in range(5, 90)})
    write_program(slow / "p", WAITS.replace("= 1 ]", "!= 77 ]"))
    with xtest_runs(slow, "-q") as shown:
        lines = shown.await_that(lambda lines: "s/77 for" in foot(lines))
        assert re.search(r"  88 of 89  .* left  1 failed  s/77 for \d s", foot(lines))


@pytest.mark.parametrize("columns", [31, 50])
def test_messages_are_wrapped_and_commands_are_not(slow: Path, columns: int) -> None:
    (slow / "go").touch()
    with xtest_runs(slow, columns=columns) as shown:
        text = " ".join(shown.to_the_end())
    assert "differs  s/1  2 expected, 1 printed" in text
    assert re.search(r"3 of 4 passed in \d+\.\d s: 1 differs$", text)
    repeat = re.search(rb"rerun.*? (xtest run [^\r\n]*)", shown.written)
    assert repeat is not None
    assert repeat[1] == b"xtest run s --case 1 --wall 900 -- ./p"


class Recorder(io.StringIO):
    """A stream that tells when a line was flushed."""

    def __init__(self) -> None:
        super().__init__()
        self.has_line = threading.Event()

    def flush(self) -> None:
        self.has_line.set()


def first_line(heartbeat: Heartbeat, stream: Recorder, runs: int) -> str:
    heartbeat.start(runs)
    assert stream.has_line.wait()
    heartbeat.stop()
    return stream.getvalue().splitlines()[0]


def test_outside_a_terminal_a_line_now_and_then_counts_the_cases() -> None:
    board, stream = ProgressBoard(1), Recorder()
    board.planned = 5000
    slots = board.slots()
    for _ in range(1200):
        slots.count_case()
    heartbeat = Heartbeat(stream, board, every_s=0.01)
    heartbeat.add(run("1", Verdict.DIFFERS))
    first = first_line(heartbeat, stream, 5000)
    assert re.fullmatch("xtest: 1,200 of 5,000 cases, 1 failed(, about .* left)?", first)


def test_repetitions_are_estimated_by_themselves() -> None:
    board, stream = ProgressBoard(1), Recorder()
    board.planned = 50
    heartbeat = Heartbeat(stream, board, every_s=1.2)  # no estimate is shown in the first second
    heartbeat.add(run("1", Verdict.PASSED)._replace(wall_s=1000.0))
    board.restart(5, "again")
    heartbeat.add(run("2", Verdict.PASSED)._replace(wall_s=1.0))
    board.slots().count_case()
    first = first_line(heartbeat, stream, 50)
    assert re.fullmatch("xtest: 46 of 50 cases, about [4-9] s left; again", first)


def test_a_quiet_run_has_no_heartbeat() -> None:
    assert ConsoleReporter(io.StringIO(), Verbosity.NORMAL).board(1) is not None
    assert ConsoleReporter(io.StringIO(), Verbosity.QUIET).board(1) is None
    assert ConsoleReporter(io.StringIO(), Verbosity.QUIET, heartbeat=True).board(1) is not None


# Estimates, and the text of the line.


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


def test_a_session_is_expected_to_take_as_long_as_its_cases() -> None:
    estimator = EtaEstimator()
    for _ in range(100):
        estimator.add(0.1)
    session = InFlight("s/101 and 49 more", 4.0, 300.0, cases=50)
    left = estimator.left_s(10.0, 100, 250, [session])
    # The other 100 cases take 10 s, two at once.
    assert left == pytest.approx((10 + 1) / (14 / 10))


def test_there_is_no_estimate_before_a_run_has_ended() -> None:
    running = [InFlight("s/1", 2.0, 10.0)]
    assert EtaEstimator().left_s(2.0, 0, 8, running) is None


def test_a_duration_is_rounded_up(golden: Golden) -> None:
    golden.table("durations.txt", format_duration)


RUNNING = [InFlight("s/7", 1.0, 9), InFlight("xboard/17", 4, 9)]
WORDS = format_progress(Progress(412, 1000, 3, 12.0, RUNNING))


def test_a_narrow_terminal_gets_the_first_words(golden: Golden) -> None:
    def line(width: int) -> str:
        text, columns = render_progress(WORDS, 0.4, width, PLAIN, "#-")
        assert columns == len(text)
        return text

    golden.table("progress.txt", line)


@given(st.integers(0, 300), st.floats(0, 1), st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_line_keeps_to_the_width(width: int, part: float, done: int, failed: int) -> None:
    words = format_progress(Progress(done, 10**6, failed, 5.0, [InFlight("棋盤/1", 4, 9)]))
    text, columns = render_progress(words, part, width, PLAIN, "━─")
    assert cells(text) == columns <= width
