"""What was found to keep its schema: remembered, so that it is not checked again while unchanged.

A file of digests in the user's cache folder, and nothing else; that it is lost, old, or cannot be
written costs time and no more. Bounded, and written whole or not at all. Source: docs/care.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from typing import Final

from harness.records import InputKind
from harness.version import VERSION

__all__ = [
    "FILE_NAME",
    "MOST_KEPT",
    "Known",
    "cache_file",
    "case_digest",
    "read_known",
    "write_known",
]

FILE_NAME: Final = "lint-1"  # the number is the format's
_DIGEST: Final = 16  # bytes: no two cases of all corpora share one by chance
MOST_KEPT: Final = 262_144  # digests that are kept, 4 MiB; those that were met last

# Digests, the one met last at the end.
Known = dict[bytes, None]


def cache_file(environment: Mapping[str, str]) -> Path:
    """The file, as the XDG Base Directory Specification has it: a relative path does not count."""
    base = environment.get("XDG_CACHE_HOME", "")
    folder = Path(base) if os.path.isabs(base) else Path(os.path.expanduser("~/.cache"))
    return folder / "xtest" / FILE_NAME


def case_digest(contract: bytes, kind: InputKind, stdin: bytes, expected: bytes) -> bytes:
    """The digest of a case under the schemas of this fingerprint, for this version of xtest."""
    head = repr((VERSION, kind.value, len(stdin), len(expected))).encode()
    return sha256(b"\n".join((head, contract, stdin, expected))).digest()[:_DIGEST]


def read_known(file: Path) -> Known:
    """All that is remembered; nothing where the file is missing, broken, or not ours to read."""
    try:
        seen = file.stat()
        if not S_ISREG(seen.st_mode) or seen.st_size > (MOST_KEPT + 2) * _DIGEST:
            return {}
        data = file.read_bytes()
    except OSError:
        return {}
    check, digests = data[:_DIGEST], data[_DIGEST:]
    if check != _check(digests) or len(digests) % _DIGEST:
        return {}
    return {digests[at : at + _DIGEST]: None for at in range(0, len(digests), _DIGEST)}


def write_known(file: Path, before: Known, met: Iterable[bytes]) -> None:
    """Remember what was met now, and of what was known before as much as there is room for."""
    latest = dict.fromkeys(met)
    known = [digest for digest in before if digest not in latest] + list(latest)
    if known == list(before):
        return
    digests = b"".join(known[-MOST_KEPT:])
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.write_bytes(_check(digests) + digests)
            os.replace(part, file)
        finally:
            part.unlink(missing_ok=True)


def _check(digests: bytes) -> bytes:
    """What tells that a file is whole."""
    return sha256(digests).digest()[:_DIGEST]
