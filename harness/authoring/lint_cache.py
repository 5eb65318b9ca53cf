"""Remember the cases that conform to their schemas, so that `xtest lint` need not check them again.

Losing what is remembered costs time and nothing else. Source: docs/care.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import closing, suppress
from hashlib import sha256
from typing import Final

from harness.model.case import InputKind
from harness.runner.store import Space, Store, StoreError
from harness.version import VERSION

__all__ = ["MOST_KEPT", "Known", "lint_digest", "read_known", "write_known"]

MOST_KEPT: Final = 262_144
_DIGEST_BYTES: Final = 16
_SPACE: Final = Space("lint", "")

Known = Collection[bytes]


def lint_digest(contract: bytes, kind: InputKind, stdin: bytes, expected: bytes) -> bytes:
    """Return the digest of a case under schemas with the fingerprint `contract`, for this xtest."""
    head = repr((VERSION, kind.value, len(stdin), len(expected))).encode()
    return sha256(b"\n".join((head, contract, stdin, expected))).digest()[:_DIGEST_BYTES]


def read_known(folder: str) -> Known:
    """Return the digests in the store of this cache folder; none if it cannot be read."""
    with suppress(StoreError), closing(Store(folder)) as store:
        return frozenset(key for key, _ in store.entries(_SPACE))
    return frozenset()


def write_known(folder: str, before: Known, met: Iterable[bytes]) -> None:
    """Add digests to those known before; above `MOST_KEPT` only those met now are kept."""
    met = dict.fromkeys(met)
    new = [digest for digest in met if digest not in before]
    if not new:
        return
    is_full = len(before) + len(new) > MOST_KEPT
    kept = list(met)[-MOST_KEPT:] if is_full else new
    with suppress(StoreError), closing(Store(folder)) as store:
        store.put(_SPACE, ((digest, b"") for digest in kept), replace=is_full)
