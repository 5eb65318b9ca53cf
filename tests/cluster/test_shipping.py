"""Paths on machines that files are shipped to, and archives that cannot be used."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest

from harness.cluster.archives import has_archive, receive_part, unpacked
from harness.cluster.members import ArchiveTransfers
from harness.cluster.shipping import Archive, PathMapping, Shipment
from harness.errors import UsageError

_DASK: Final[Any] = None  # nothing is sent
_MOVED = PathMapping(
    "/R", Shipment("", "", ("/home/ann", "/srv/a"), ("/home/ann/bin",), ("/course",))
)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("/home/ann", "/R/home/ann"),
        ("/home/ann/x/../y.py", "/R/home/ann/y.py"),
        ("/home/anna/y.py", "/home/anna/y.py"),
        ("/home/ann/bin/python3", "/home/ann/bin/python3"),
        ("/course", "/R/course"),
        ("/course/below", "/course/below"),
        ("y.py", "y.py"),
        ("--file=/srv/a/b", "--file=/R/srv/a/b"),
        ("/usr/bin:/home/ann/lib:lib", "/usr/bin:/R/home/ann/lib:lib"),
    ],
)
def test_words_have_the_paths_of_shipped_files(word: str, expected: str) -> None:
    assert _MOVED.text(word) == expected


def test_a_folder_gets_an_archive_once(tmp_path: Path) -> None:
    with (tmp_path / "archive").open("wb") as file:
        transfers = ArchiveTransfers(_DASK, Archive(file, 4, "digest"))
        assert transfers.wanted("worker 1", "machine 1")
        assert not transfers.wanted("worker 2", "machine 1")
        assert transfers.wanted("worker 3", "machine 2")
        assert transfers.end("worker 3", has_gone=False) == []
        assert transfers.end("worker 1", has_gone=True) == ["worker 2"]
        assert transfers.wanted("worker 2", "machine 1")


def test_a_damaged_archive_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XTEST_CACHE", str(tmp_path))
    digest = sha256(b"send").hexdigest()
    assert receive_part(digest, 0, 4, b"se") == ""
    assert not has_archive(digest)
    assert receive_part(digest, 2, 4, b"nd") == ""
    assert has_archive(digest)
    assert "damaged" in receive_part(sha256(b"other").hexdigest(), 0, 4, b"sent")
    next((tmp_path / "shipped").iterdir()).write_bytes(b"changed")
    with pytest.raises(UsageError, match="the archive was changed"):
        unpacked(digest, "1", lambda root: None)
    assert not has_archive(digest)
