"""Keep what xtest remembers between runs in one SQLite file of the user's cache folder.

The store maps keys to values in named spaces, one for each purpose and program. Several xtests may
use it at once. It is bounded, and it may be deleted at any time: a corrupt store is recreated, and
xtest also works without one. Source: docs/resuming.md.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from hashlib import sha256
from typing import Any, Final, NamedTuple

from harness.errors import os_reason
from harness.files import open_own
from harness.text import escape_nonprintable

FILE_NAME: Final = "store-1.sqlite3"  # the number is the version of the format
_MOST_BYTES: Final = 64 << 20
_HARD_LIMIT: Final = 4  # times that: what one run may add before anything is dropped
_PAGE_BYTES: Final = 4096
DIGEST_BYTES: Final = 16  # of what keys and values stand for
_BUSY_S: Final = 5.0
_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS spaces"
    " (id INTEGER PRIMARY KEY, kind TEXT, name TEXT, used INTEGER, UNIQUE (kind, name))",
    "CREATE TABLE IF NOT EXISTS entries"
    " (space INTEGER, key BLOB, value BLOB, PRIMARY KEY (space, key)) WITHOUT ROWID",
)
_USED_BYTES: Final = (
    "SELECT (page_count - freelist_count) * page_size"
    " FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
)

Entry = tuple[bytes, bytes]


class Space(NamedTuple):
    """A set of entries that is read, dated and dropped as a whole."""

    kind: str
    name: str


class StoreError(Exception):
    """The store cannot be used; the message names the file and the reason."""


class NoStoreFolder(StoreError):
    """There is no place for the file, or no permission to write it."""


class CorruptStore(StoreError):
    """The file was corrupt, and has been removed: a repeated write creates it anew."""


class Store:
    """The store in a cache folder; every method raises StoreError if it cannot be used.

    The file is opened on first use, and only created by a write. The connection must not be open
    while the process forks: call `close`, which a later use reopens. Above `most_bytes`, the least
    recently used spaces are dropped; a lock of another process is waited for up to `busy_s`.
    """

    def __init__(
        self, folder: str, *, most_bytes: int = _MOST_BYTES, busy_s: float = _BUSY_S
    ) -> None:
        self._path = os.path.join(folder, FILE_NAME)
        self._most_bytes = most_bytes
        self._busy_s = busy_s
        self._connection: sqlite3.Connection | None = None
        self._has_written = False

    def has(self, space: Space) -> bool:
        """Return whether a space exists, and mark it as used."""
        with self._transaction() as connection:
            return connection is not None and _number_of(connection, space) is not None

    def entries(self, space: Space) -> list[Entry]:
        """Return all entries of a space, and mark it as used."""
        if not self.has(space):
            return []
        query = (
            "SELECT key, value FROM entries JOIN spaces ON space = id WHERE kind = ? AND name = ?"
        )
        return self._rows(query, *space)

    def get(self, space: Space, key: bytes) -> bytes | None:
        """Return the value of a key, or None if the space has no such key."""
        rows = self._rows(
            "SELECT value FROM entries JOIN spaces ON space = id"
            " WHERE kind = ? AND name = ? AND key = ?",
            *(*space, key),
        )
        return bytes(rows[0][0]) if rows else None

    def put(self, space: Space, entries: Iterable[Entry], *, replace: bool = False) -> None:
        """Add entries to a space in one transaction; `replace` drops those that it had."""
        with self._transaction(create=True) as connection:
            assert connection is not None
            connection.execute("INSERT OR IGNORE INTO spaces (kind, name) VALUES (?, ?)", space)
            number = _number_of(connection, space)
            if replace:
                connection.execute("DELETE FROM entries WHERE space = ?", (number,))
            connection.executemany(
                "INSERT OR REPLACE INTO entries VALUES (?, ?, ?)",
                ((number, key, value) for key, value in entries),
            )
        self._has_written = True

    def close(self) -> None:
        """Close the file; after writes, drop the least recently used spaces if it is too large."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        with suppress(sqlite3.Error):
            if self._has_written:
                _drop_oldest(connection, self._most_bytes)
        connection.close()
        self._has_written = False

    def _rows(self, query: str, *values: str | bytes) -> list[Any]:
        with self._transaction() as connection:
            return [] if connection is None else connection.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self, *, create: bool = False) -> Iterator[sqlite3.Connection | None]:
        """Yield the file, or None if there is no file and `create` is false.

        Changes are committed, or rolled back after an exception. A corrupt file is removed; errors
        are turned into StoreError.
        """
        try:
            connection = self._connect(create=create)
            with nullcontext() if connection is None else connection:
                yield connection
        except sqlite3.OperationalError as problem:
            raise StoreError(f"{escape_nonprintable(self._path)}: {problem}") from None
        except sqlite3.DatabaseError as problem:
            self._remove()
            raise CorruptStore(f"{escape_nonprintable(self._path)}: {problem}; removed") from None
        except OSError as problem:
            is_other = isinstance(problem, FileExistsError)  # of makedirs
            reason = "not a directory" if is_other else os_reason(problem, "not usable")
            raise NoStoreFolder(f"{escape_nonprintable(self._path)}: {reason}") from None

    def _connect(self, *, create: bool) -> sqlite3.Connection | None:
        if self._connection is not None:
            return self._connection
        if create:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        try:
            os.close(open_own(self._path, os.O_CREAT if create else 0, 0o600))
        except (FileNotFoundError, NotADirectoryError):
            if create:
                raise
            return None
        # Transactions begin with the first change, and lock the file at once.
        connection = sqlite3.connect(self._path, timeout=self._busy_s, isolation_level="IMMEDIATE")
        self._connection = connection
        # Runs whose entries a crash of the machine loses are repeated.
        connection.execute("PRAGMA synchronous = OFF")
        pages = _HARD_LIMIT * self._most_bytes // _PAGE_BYTES
        connection.execute(f"PRAGMA max_page_count = {pages}")
        # With a write-ahead log readers never wait. The switch fails at once if another process
        # makes it at the same time, which is just as good.
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = WAL")
        for statement in _SCHEMA:
            connection.execute(statement)
        return connection

    def _remove(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                os.unlink(self._path + suffix)


def _number_of(connection: sqlite3.Connection, space: Space) -> int | None:
    """Return the number of a space, which is dated now, or None if it does not exist."""
    place = "WHERE kind = ? AND name = ?"
    connection.execute(f"UPDATE spaces SET used = ? {place}", (time.time_ns(), *space))
    row = connection.execute(f"SELECT id FROM spaces {place}", space).fetchone()
    return None if row is None else int(row[0])


def _drop_oldest(connection: sqlite3.Connection, most_bytes: int) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for (number,) in connection.execute("SELECT id FROM spaces ORDER BY used").fetchall():
            if connection.execute(_USED_BYTES).fetchone()[0] <= most_bytes:
                return
            connection.execute("DELETE FROM entries WHERE space = ?", (number,))
            connection.execute("DELETE FROM spaces WHERE id = ?", (number,))


def hash_of(value: object) -> bytes:
    """Return a hash of DIGEST_BYTES bytes of the representation of a value."""
    return sha256(repr(value).encode("utf-8", "surrogateescape")).digest()[:DIGEST_BYTES]
