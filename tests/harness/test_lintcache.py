"""What is remembered of cases that keep their schemas, and when it is forgotten."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.care import lintcache
from harness.care.lintcache import FILE_NAME, cache_file, case_digest, read_known, write_known
from harness.records import InputKind


def digests(*numbers: int) -> dict[bytes, None]:
    """Digests, in this order."""
    return {bytes([number]) * 16: None for number in numbers}


def test_what_was_written_is_read_again_the_latest_last(tmp_path: Path) -> None:
    file = tmp_path / "deep" / FILE_NAME
    write_known(file, {}, digests(1, 2, 3))
    write_known(file, read_known(file), digests(1, 4))
    assert list(read_known(file)) == list(digests(2, 3, 1, 4))
    assert [entry.name for entry in file.parent.iterdir()] == [FILE_NAME]


def test_nothing_is_written_where_nothing_changed(tmp_path: Path) -> None:
    write_known(tmp_path / "no" / FILE_NAME, digests(1, 2), digests(1, 2))
    assert not (tmp_path / "no").exists()


def test_a_digest_depends_on_all_that_a_check_depends_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = (b"contract", InputKind.JSON, b"1", b"22")
    known = {
        case_digest(*usual),
        case_digest(b"another", *usual[1:]),
        case_digest(usual[0], InputKind.OFF_SCHEMA, *usual[2:]),
        case_digest(*usual[:2], b"2", b"22"),
        case_digest(*usual[:2], b"1", b"21"),
        case_digest(*usual[:2], b"12", b"2"),
    }
    assert len(known) == 6
    assert case_digest(*usual) in known
    monkeypatch.setattr(lintcache, "VERSION", "another")
    assert case_digest(*usual) not in known


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[:-1],
        lambda data: data + b"x" * 16,
        lambda data: data[:20] + b"x" + data[21:],
        lambda data: b"",
        lambda data: b"\0" * (lintcache.MOST_KEPT + 3) * 16,
    ],
)
def test_a_file_that_is_not_as_it_was_written_is_not_believed(
    tmp_path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    file = tmp_path / FILE_NAME
    write_known(file, {}, digests(1, 2))
    file.write_bytes(spoil(file.read_bytes()))
    assert not read_known(file)


def test_a_file_that_cannot_be_used_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    write_known(tmp_path / "file" / FILE_NAME, {}, digests(1))
    assert not read_known(tmp_path / "file" / FILE_NAME)
    assert not read_known(tmp_path)  # a folder
    (tmp_path / FILE_NAME).mkdir()
    write_known(tmp_path / FILE_NAME, {}, digests(1))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", FILE_NAME]


def test_only_the_latest_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lintcache, "MOST_KEPT", 3)
    file = tmp_path / FILE_NAME
    write_known(file, digests(1, 2, 3), digests(1, 4))
    assert list(read_known(file)) == list(digests(3, 1, 4))


def test_the_file_lies_where_caches_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_file({"XDG_CACHE_HOME": "/c"}) == Path("/c/xtest/lint-1")
    monkeypatch.setenv("HOME", "/home/somebody")
    for environment in ({}, {"XDG_CACHE_HOME": ""}, {"XDG_CACHE_HOME": "relative"}):
        assert cache_file(environment) == Path("/home/somebody/.cache/xtest/lint-1")
