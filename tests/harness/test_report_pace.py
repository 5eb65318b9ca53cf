"""How long a run will go on, by what was seen; and the line that says so, at every width."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.report.pace import (
    Glyphs,
    Moment,
    Pace,
    Running,
    drawn,
    progress_words,
    time_words,
)
from harness.report.text import PLAIN


def pace_of(*walls: float) -> Pace:
    """What is known after runs that took so long."""
    pace = Pace()
    for wall_s in walls:
        pace.add(wall_s)
    return pace


def simulated(walls: list[float], parallel: int, clock_s: float, at: float) -> tuple[float, float]:
    """A run of these, as the loop makes it, stopped at a time: what is estimated then to be left,
    and what is."""
    free, ends = [0.0] * parallel, []
    for wall_s in walls:
        begun = min(free)
        free[free.index(begun)] = begun + wall_s
        ends.append((begun, begun + wall_s))
    pace = pace_of(*(end - begun for begun, end in ends if end <= at))
    running = [
        Running(str(number), at - begun, clock_s)
        for number, (begun, end) in enumerate(ends)
        if begun <= at < end
    ]
    done = sum(end <= at for _, end in ends)
    left = pace.left_s(Moment(at, done, len(walls), running))
    assert left is not None
    return left, max(free) - at


def test_nothing_is_known_before_anything_runs() -> None:
    assert Pace().left_s(Moment(0.0, 0, 10)) is None


def test_alike_runs_are_estimated_to_the_point() -> None:
    left, real = simulated([0.1] * 1000, 4, 10.0, at=5.0)
    assert left == pytest.approx(real, rel=0.05)


def test_what_waits_for_its_clock_counts_with_all_of_it() -> None:
    # Of 50 cases one hangs. After a second three of four places hang: by the mean of what has ended
    # it would be over in 9 s.
    walls = [10.0 if number % 50 == 3 else 0.01 for number in range(1000)]
    left, real = simulated(walls, 4, 10.0, at=1.0)
    assert real == pytest.approx(51, abs=3)
    assert real / 2 < left < 2 * real


def test_the_last_ones_to_hang_are_awaited_to_their_clock() -> None:
    left, real = simulated([0.05] * 99 + [10.0], 2, 10.0, at=6.0)
    assert left == pytest.approx(real, abs=0.01)


def test_where_all_hang_the_clock_is_the_measure() -> None:
    left, real = simulated([10.0] * 8, 2, 10.0, at=2.0)
    assert left == pytest.approx(real, rel=0.05) or left > real
    assert left <= 60


def test_a_slow_one_is_expected_to_take_as_long_as_others_did_that_were_slow() -> None:
    pace = pace_of(*[0.01] * 50, 2.0, 2.0)
    assert pace.left_s(Moment(4.0, 52, 53, [Running("", 0.9, 10.0)])) == pytest.approx(1.1)


def test_a_case_that_is_fed_in_several_ways_counts_with_all_its_runs() -> None:
    pace = pace_of(*[0.1] * 30)  # ten cases, three ways each, one at a time
    assert pace.left_s(Moment(3.0, 10, 20)) == pytest.approx(3.0)


def test_the_ways_of_the_first_case_do_not_count_as_cases() -> None:
    # Ten runs of two cases are over, and two more of them under way: a hundred cases of about six.
    pace = pace_of(*[0.1] * 10)
    running = [Running("s/1", 0.0, 10.0), Running("s/2", 0.0, 10.0)]
    left = pace.left_s(Moment(0.5, 0, 100, running))
    assert left == pytest.approx(100 * 6 * 0.1 / 2, rel=0.1)


def test_a_clock_that_has_fallen_promises_nothing_less_than_now() -> None:
    assert pace_of().left_s(Moment(12.0, 0, 1, [Running("", 12.0, 10.0)])) == 0.0


def test_a_run_without_a_past_is_as_long_as_it_was_so_far() -> None:
    assert pace_of().left_s(Moment(0.2, 0, 3, [Running("", 0.2, 10.0)])) == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.0, "1 s"),
        (8.2, "9 s"),
        (59, "59 s"),
        (59.5, "1 min"),
        (61, "1 min 10 s"),
        (200, "3 min 20 s"),
        (599, "10 min"),
        (601, "11 min"),
        (3600, "1 h"),
        (7300, "2 h 2 min"),
    ],
)
def test_times_are_said_no_more_exactly_than_they_are_known(seconds: float, said: str) -> None:
    assert time_words(seconds) == said


WORDS = progress_words(412, 1000, 3, 12.0, [Running("s/7", 1.0, 9), Running("xboard/17", 4, 9)])


def test_the_line_says_what_is_done_left_wrong_and_slow() -> None:
    text, columns = drawn(WORDS, 0.4, 100, PLAIN, Glyphs("#", "-"))
    said = "412 of 1,000  12 s left  3 fell short  xboard/17 for 4 s"
    assert text == f"{'#' * 16}{'-' * 24}  {said}"
    assert columns == len(text)


def test_a_narrow_terminal_gets_the_first_words_of_it() -> None:
    assert drawn(WORDS, 0.4, 40, PLAIN, Glyphs())[0] == "412 of 1,000  12 s left  3 fell short"
    assert drawn(WORDS, 0.4, 15, PLAIN, Glyphs())[0] == "412 of 1,000"
    assert drawn(WORDS, 0.4, 5, PLAIN, Glyphs()) == ("", 0)


def test_what_has_just_begun_is_not_named_and_nothing_wrong_is_not_counted() -> None:
    assert progress_words(0, 2, 0, None, [Running("s/1", 1.9, 9)]) == (("0 of 2", "strong"),)


def test_a_name_cannot_act_on_the_terminal_nor_fill_it() -> None:
    text = progress_words(0, 2, 0, None, [Running("\x1b[31m" * 20, 2.0, 9)])[-1][0]
    assert "\x1b" not in text
    assert len(text) < 50


@settings(deadline=None)
@given(st.integers(0, 300), st.floats(0, 1), st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_line_never_takes_more_than_the_width(
    width: int, part: float, done: int, short: int
) -> None:
    words = progress_words(done, 10**6, short, 5.0, [])
    text, columns = drawn(words, part, width, PLAIN, Glyphs())
    assert len(text) == columns <= width
