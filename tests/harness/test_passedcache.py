"""What passed, from one run of xtest to the next: bounded, and never in the way."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from harness.eventlines import event_line
from harness.events import Basis, Evidence, Judged, Known
from harness.records import Verdict
from harness.runs import passedcache
from harness.runs.passedcache import PassedCache, may_be_cached

BASIS = Basis("s", "x", "0123")
PASSED = Judged(*("s", "1", "x", "plain", Verdict.PASSED, "as expected"), content="00" * 8)


def cached(memory: Path, *bases: Basis) -> list[Judged]:
    """What the cache in a folder has."""
    cache = PassedCache(str(memory), bases or (BASIS,))
    with closing(cache):
        return list(cache.events())


def remember(memory: Path, *events: Judged, basis: Basis = BASIS) -> None:
    """One run of xtest, in which this happens."""
    cache = PassedCache(str(memory), [basis])
    for event in events:
        cache.add(event)
    cache.close()


@pytest.mark.parametrize("verdict", list(Verdict))
def test_only_what_passed_may_be_cached(verdict: Verdict) -> None:
    assert may_be_cached(PASSED._replace(verdict=verdict)) is (verdict is Verdict.PASSED)


def test_what_nobody_expected_to_pass_and_what_could_not_be_read_is_not_cached() -> None:
    assert not may_be_cached(PASSED._replace(known=Known("why", holds=False)))
    assert not may_be_cached(PASSED._replace(content=""))


def test_what_passed_comes_back_for_the_same_basis_by_the_names_of_now(tmp_path: Path) -> None:
    remember(tmp_path, PASSED._replace(repeat=("xtest", "run"), wall_s=2.5))
    expected = PASSED._replace(wall_s=2.5, cached=True, suite="t", subject="y")
    assert cached(tmp_path, Basis("t", "y", "0123")) == [expected]
    assert not cached(tmp_path, Basis("s", "x", "4567"))


def test_what_fell_short_and_what_is_cached_already_is_not_written(tmp_path: Path) -> None:
    remember(tmp_path, PASSED._replace(verdict=Verdict.DIFFERS), PASSED._replace(cached=True))
    assert not os.listdir(tmp_path)


def test_several_runs_write_one_behind_the_other_and_a_cut_line_does_no_harm(
    tmp_path: Path,
) -> None:
    remember(tmp_path, PASSED)
    (file,) = (tmp_path / "passed-1").iterdir()
    with file.open("ab") as open_file:
        open_file.write(event_line(PASSED._replace(case="2")).encode()[:40])
    remember(tmp_path, PASSED._replace(case="3"))
    remember(tmp_path, PASSED._replace(case="4"))
    assert [event.case for event in cached(tmp_path)] == ["1", "3", "4"]


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\0\xff\n",
        b"[1]\n",
        event_line(PASSED._replace(delivery="by pigeon")).encode(),
        event_line(PASSED._replace(verdict=Verdict.CRASHED)).encode(),
        b'{"event":"problem","where":"s","message":"m"}\n',
        b"[" * 99_999 + b"\n",
    ],
)
def test_nonsense_in_the_file_is_passed_over(tmp_path: Path, nonsense: bytes) -> None:
    remember(tmp_path, PASSED)
    (file,) = (tmp_path / "passed-1").iterdir()
    file.write_bytes(nonsense + file.read_bytes())
    assert [event.case for event in cached(tmp_path)] == ["1"]


def test_a_cache_that_cannot_be_written_or_read_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    remember(tmp_path / "file", PASSED)
    assert not cached(tmp_path / "file")
    (tmp_path / "passed-1").mkdir()
    (tmp_path / "passed-1" / "0123.jsonl").mkdir()
    remember(tmp_path, PASSED)
    assert not cached(tmp_path)


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "passed-1").mkdir()
    (tmp_path / "mine").write_bytes(b"")
    (tmp_path / "passed-1" / "0123.jsonl").symlink_to(tmp_path / "mine")
    remember(tmp_path, PASSED)
    assert (tmp_path / "mine").read_bytes() == b""


def test_a_file_has_an_end_and_begins_anew_when_it_has_grown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = len(event_line(PASSED))
    monkeypatch.setattr(passedcache, "MOST_BYTES", 3 * line)
    remember(tmp_path, *(PASSED._replace(case=str(case)) for case in range(1, 9)))
    assert [event.case for event in cached(tmp_path)] == ["1", "2", "3"]
    remember(tmp_path, PASSED._replace(case="9"))
    assert [event.case for event in cached(tmp_path)] == ["9"]


def test_what_was_read_can_be_read_again_whoever_removes_it_meanwhile(tmp_path: Path) -> None:
    remember(tmp_path, PASSED)
    with closing(PassedCache(str(tmp_path), [BASIS])) as cache:
        before = list(cache.events())
        (tmp_path / "passed-1" / "0123.jsonl").unlink()
        assert list(cache.events()) == before != []


def test_what_was_not_used_longest_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passedcache, "MOST_FILES", 3)
    bases = [Basis("s", "x", str(number)) for number in range(5)]
    for age, basis in enumerate(bases[:4]):
        remember(tmp_path, PASSED, basis=basis)
        os.utime(tmp_path / "passed-1" / f"{basis.key}.jsonl", (age, age))
    # Used, and not written.
    remember(tmp_path, basis=bases[1])
    remember(tmp_path, PASSED, basis=bases[4])
    assert sorted(os.listdir(tmp_path / "passed-1")) == ["1.jsonl", "3.jsonl", "4.jsonl"]


def test_nothing_of_a_subjects_output_is_kept(tmp_path: Path) -> None:
    remember(tmp_path, PASSED)
    (event,) = cached(tmp_path)
    assert event.evidence is None and not isinstance(event.evidence, Evidence)
