"""--cached: the runs that passed are remembered, and nothing else."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from harness.model.event_lines import event_line
from harness.model.events import RunFingerprint, RunResult
from harness.model.verdict import Verdict
from harness.results.passed_cache import PassedCache, may_be_cached
from harness.results.store import FILE_NAME, Space, Store

BASIS = RunFingerprint("s", "x", "0123")
PASSED = RunResult(*("s", "1", "x", "plain", Verdict.PASSED, "as expected"), content="00" * 8)


def cached(folder: Path, *bases: RunFingerprint) -> list[RunResult]:
    with closing(PassedCache(str(folder), bases or (BASIS,))) as cache:
        return list(cache.events())


def remember(
    folder: Path, *events: RunResult, fingerprint: RunFingerprint = BASIS, most_bytes: int = 1 << 20
) -> None:
    with closing(PassedCache(str(folder), [fingerprint], most_bytes)) as cache:
        for event in events:
            cache.add(event)


@pytest.mark.parametrize("verdict", list(Verdict))
def test_only_passed_runs_may_be_cached(verdict: Verdict) -> None:
    assert may_be_cached(PASSED._replace(verdict=verdict)) is (verdict is Verdict.PASSED)


def test_a_passed_run_is_found_by_its_fingerprint_under_the_present_names(tmp_path: Path) -> None:
    remember(tmp_path, PASSED._replace(repeat=("xtest", "run"), wall_s=2.5))
    expected = PASSED._replace(wall_s=2.5, cached=True, suite="t", subject="y")
    assert cached(tmp_path, RunFingerprint("t", "y", "0123")) == [expected]
    assert not cached(tmp_path, RunFingerprint("s", "x", "4567"))


def test_cases_contents_and_deliveries_are_remembered_apart(tmp_path: Path) -> None:
    others = [PASSED._replace(delivery="slow"), PASSED._replace(content="11" * 8)]
    remember(tmp_path, PASSED, PASSED._replace(case="2"))
    remember(tmp_path, PASSED, *others)
    assert len(cached(tmp_path)) == 4


def test_a_run_is_stored_as_soon_as_it_passed(tmp_path: Path) -> None:
    with closing(PassedCache(str(tmp_path), [BASIS])) as cache:
        cache.add(PASSED)
        assert [event.case for event in cached(tmp_path)] == ["1"]
        (tmp_path / FILE_NAME).unlink()  # which takes nothing from runs that were read
        assert not list(cache.events())
    assert not cached(tmp_path)


@pytest.mark.parametrize(
    "value",
    [
        b"\0\xff\n",
        b"[1]\n",
        event_line(PASSED._replace(delivery="by pigeon")).encode(),
        event_line(PASSED._replace(verdict=Verdict.CRASHED)).encode(),
        b'{"event":"problem","where":"s","message":"m"}\n',
        b"[" * 99_999 + b"\n",
    ],
)
def test_invalid_entries_are_skipped(tmp_path: Path, value: bytes) -> None:
    remember(tmp_path, PASSED)
    with closing(Store(str(tmp_path))) as store:
        store.put(Space("passed", BASIS.key), [(b"0", value)])
    assert [event.case for event in cached(tmp_path)] == ["1"]


def test_a_full_cache_takes_no_more_and_the_next_run_starts_it_over(tmp_path: Path) -> None:
    most = 3 * len(event_line(PASSED))
    runs = [PASSED._replace(case=str(case)) for case in range(1, 9)]
    remember(tmp_path, *runs, most_bytes=most)
    assert [event.case for event in cached(tmp_path)] == ["1", "2", "3"]
    remember(tmp_path, *runs[7:], PASSED._replace(case="9"), most_bytes=most)
    assert [event.case for event in cached(tmp_path)] == ["8", "9"]
