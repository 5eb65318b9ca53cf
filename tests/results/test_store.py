"""The store: shared by several xtests, bounded, and never in the way of a run."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from threading import Timer

import pytest

from harness.files import cache_folder
from harness.results.store import FILE_NAME, Space, Store, StoreError

ONE, TWO = Space("test", "one"), Space("test", "two")


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    """The file of a store, in a folder that does not exist yet."""
    return tmp_path / "deep" / "cache" / FILE_NAME


@pytest.fixture(name="store")
def _store(file: Path) -> Iterator[Store]:
    with closing(Store(str(file.parent))) as store:
        yield store


def test_entries_are_kept_by_space_and_key(store: Store, file: Path) -> None:
    store.put(ONE, [(b"b", b"1"), (b"a", b"\0\xff"), (b"b", b"2")])
    store.put(TWO, [(b"a", b"3")])
    store.close()
    with closing(Store(str(file.parent))) as again:
        assert again.entries(ONE) == [(b"a", b"\0\xff"), (b"b", b"2")]
        assert (again.get(TWO, b"a"), again.get(TWO, b"b")) == (b"3", None)
        assert (again.has(ONE), again.has(Space("test", "no"))) == (True, False)
        again.put(ONE, [(b"c", b"4")], replace=True)
        assert again.entries(ONE) == [(b"c", b"4")]


def test_the_folder_and_the_file_are_private(store: Store, file: Path) -> None:
    store.put(ONE, [])
    store.close()
    assert [path.stat().st_mode & 0o777 for path in (file.parent, file)] == [0o700, 0o600]
    assert os.listdir(file.parent) == [FILE_NAME]


def test_a_failed_write_changes_nothing(store: Store) -> None:
    def entries() -> Iterator[tuple[bytes, bytes]]:
        yield b"b", b"2"
        raise KeyboardInterrupt

    store.put(ONE, [(b"a", b"1")])
    with pytest.raises(KeyboardInterrupt):
        store.put(ONE, entries(), replace=True)
    assert store.entries(ONE) == [(b"a", b"1")]


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    def write(writer: int) -> None:
        with closing(Store(str(tmp_path))) as store:
            for number in range(200):
                store.put(ONE, [(b"%d %d" % (writer, number), b"x")])

    writers = [get_context("fork").Process(target=write, args=(writer,)) for writer in range(3)]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    assert [each.exitcode for each in writers] == [0, 0, 0]
    with closing(Store(str(tmp_path))) as store:
        assert len(store.entries(ONE)) == 600


def test_a_lock_is_waited_for(store: Store, file: Path) -> None:
    store.put(ONE, [(b"a", b"1")])
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        release = Timer(0.2, other.execute, ["ROLLBACK"])
        release.start()
        store.put(ONE, [(b"b", b"2")])
        release.join()


def test_a_lock_that_stays_is_reported(file: Path) -> None:
    store = Store(str(file.parent), busy_s=0.05)
    store.put(ONE, [(b"a", b"1")])
    with closing(store), closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert store.get(ONE, b"a") == b"1"  # readers need no lock
        with pytest.raises(StoreError) as problem:
            store.put(ONE, [(b"b", b"2")])
        assert str(problem.value) == f"{file}: database is locked"
        other.execute("ROLLBACK")
        store.put(ONE, [(b"b", b"2")])
        assert len(store.entries(ONE)) == 2


@pytest.mark.parametrize("spoil", [b"x" * 9_999, b"SQLite format 3\0" + b"\xff" * 9_999])
def test_a_corrupt_file_is_removed_and_recreated(store: Store, file: Path, spoil: bytes) -> None:
    store.put(ONE, [(b"a", b"1")])
    store.close()
    file.write_bytes(spoil)
    with pytest.raises(StoreError) as problem:
        store.put(ONE, [(b"a", b"2")])
    assert str(problem.value) == f"{file}: file is not a database; removed"
    store.put(ONE, [(b"a", b"3")])
    assert store.entries(ONE) == [(b"a", b"3")]


def test_a_damaged_page_is_noticed_and_the_file_removed(store: Store, file: Path) -> None:
    store.put(ONE, [(b"%d" % number, b"x" * 99) for number in range(999)])
    store.close()
    data = file.read_bytes()
    file.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    with pytest.raises(StoreError):
        store.entries(ONE)
    assert (file.exists(), store.entries(ONE)) == (False, [])


def test_links_are_not_followed_and_other_files_are_reported(store: Store, file: Path) -> None:
    file.parent.mkdir(parents=True)
    mine = file.with_name("mine")
    mine.touch()
    file.symlink_to(mine)
    with pytest.raises(StoreError):
        store.put(ONE, [(b"a", b"1")])
    assert mine.read_bytes() == b""
    file.unlink()
    file.mkdir()
    with pytest.raises(StoreError) as problem:
        store.entries(ONE)
    assert str(problem.value) == f"{file}: is a directory"


def test_the_least_recently_used_spaces_are_dropped(tmp_path: Path) -> None:
    def write(name: str, *used: str) -> None:
        with closing(Store(str(tmp_path), most_bytes=200_000)) as store:
            for each in used:
                store.has(Space("test", each))
            store.put(Space("test", name), [(b"%d" % at, b"x" * 500) for at in range(120)])

    for name in ("a", "b"):
        write(name)
    write("c", "a")  # which makes b the one that was not used for longest
    with closing(Store(str(tmp_path))) as store:
        assert [store.has(Space("test", name)) for name in "abc"] == [True, False, True]
        assert len(store.entries(Space("test", "c"))) == 120


def test_the_folder_is_where_the_environment_puts_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert cache_folder({}) == "/home/me/.cache/xtest"
    assert cache_folder({"XDG_CACHE_HOME": "/c"}) == "/c/xtest"
    assert cache_folder({"XDG_CACHE_HOME": "relative"}) == "/home/me/.cache/xtest"
    assert cache_folder({"XTEST_CACHE": "here", "XDG_CACHE_HOME": "/c"}) == "here"
    assert cache_folder({"XTEST_CACHE": ""}) == "/home/me/.cache/xtest"
