"""--cached as its users meet it: whole processes, and what they start their subject for."""

from __future__ import annotations

from pathlib import Path

import pytest
from spied_runs import SUBJECT, events, judged, last_line, made_place, started, xtest


@pytest.fixture(name="place")
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a suite and its subject, and a cache of its own."""
    monkeypatch.setenv("XTEST_CACHE", str(tmp_path / "cache"))
    return made_place(tmp_path)


def test_what_passed_is_not_run_again_and_what_fell_short_is(place: Path) -> None:
    words = ("s", "--cached", "-v", "-j1", "--results", "r", "--", "./prog")
    first = xtest(*words, folder=place, part=1)
    assert last_line(first) == "7 of 10 passed: 1 crashed, 1 malformed, 1 differs"
    again = xtest(*words, folder=place, part=2)
    assert started(place, 2) == ["7", "8", "9"]
    assert last_line(again) == "7 of 10 passed: 1 crashed, 1 malformed, 1 differs; 7 cached"
    assert again.stdout.count(" ms (cached)\n") == 7
    assert len(judged(place)) == 10
    spared = [event["case"] for event in events(place) if event.get("cached") is True]
    assert spared == [*("1", "2", "3", "4", "5", "6", "10")]


def test_where_everything_is_cached_nothing_is_run_and_all_is_well(place: Path) -> None:
    words = ("s", "--cached", "-q", "--case", "1-6", "--", "./prog")
    assert xtest(*words, folder=place).returncode == 0
    done = xtest(*words, folder=place, part=1)
    assert (done.returncode, last_line(done)) == (0, "all 6 passed; 6 cached")
    assert not started(place, 1)


def test_what_changed_is_not_taken_from_the_cache(place: Path) -> None:
    words = ("s", "--cached", "-q", "--case", "1-6", "--", "./prog")
    xtest(*words, folder=place)
    (place / "s/2-in.json").write_text("2 ", encoding="utf-8")
    xtest(*words, folder=place, part=1)
    assert started(place, 1) == ["2"]
    (place / "prog").write_text(f"{SUBJECT}#\n", encoding="utf-8")
    xtest(*words, folder=place, part=2)
    assert len(started(place, 2)) == 6


def test_a_case_that_breaks_the_schema_under_check_is_not_spared_by_the_cache(
    place: Path,
) -> None:
    settings = 'input = "in.schema.json"\n'
    (place / "s/suite.toml").write_text(settings, encoding="utf-8")
    schema = place / "s/in.schema.json"
    schema.write_text("{}", encoding="utf-8")
    words = ("s", "--cached", "--check", "-q", "--case", "1-2", "--", "./prog")
    assert xtest(*words, folder=place).returncode == 0
    schema.write_text('{"items": {"const": 1}}', encoding="utf-8")
    done = xtest(*words, folder=place)
    assert (done.returncode, last_line(done)) == (2, "1 of 2 passed: 1 invalid-case; 1 cached")


def test_both_at_once_take_from_the_file_first(place: Path) -> None:
    xtest("s", "-q", "--cached", "--case", "1-3", "--", "./prog", folder=place)
    words = ("s", "-q", "--results", "r", "--resume", "--cached", "--", "./prog")
    done = xtest(*words, folder=place, part=1)
    assert last_line(done).endswith("; 3 cached")
    assert sorted(started(place, 1), key=int) == ["4", "5", "6", "7", "8", "9", "10"]
    done = xtest(*words, folder=place, part=2)
    assert last_line(done).endswith("; 10 resumed; 3 cached")
    assert not started(place, 2)
