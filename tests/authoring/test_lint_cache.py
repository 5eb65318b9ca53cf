"""The digests of cases that conform to their schemas, and what they depend on."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.authoring import lint_cache
from harness.authoring.lint_cache import lint_digest, read_known, write_known
from harness.model.case import InputKind


def digests(*numbers: int) -> frozenset[bytes]:
    """Return some digests."""
    return frozenset(bytes([number]) * 16 for number in numbers)


def test_new_digests_are_added_to_those_known(tmp_path: Path) -> None:
    folder = str(tmp_path)
    write_known(folder, read_known(folder), digests(1, 2))
    write_known(folder, read_known(folder), digests(1, 3))
    assert read_known(folder) == digests(1, 2, 3)


def test_a_full_cache_keeps_what_was_met_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lint_cache, "MOST_KEPT", 3)
    folder = str(tmp_path)
    write_known(folder, (), digests(1, 2, 3))
    write_known(folder, read_known(folder), digests(3, 4))
    assert read_known(folder) == digests(3, 4)


def test_a_digest_depends_on_all_that_a_check_depends_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = (b"contract", InputKind.JSON, b"1", b"22")
    known = {
        lint_digest(*usual),
        lint_digest(b"another", *usual[1:]),
        lint_digest(usual[0], InputKind.OFF_SCHEMA, *usual[2:]),
        lint_digest(*usual[:2], b"2", b"22"),
        lint_digest(*usual[:2], b"1", b"21"),
        lint_digest(*usual[:2], b"12", b"2"),
    }
    assert len(known) == 6
    assert lint_digest(*usual) in known
    monkeypatch.setattr(lint_cache, "VERSION", "another")
    assert lint_digest(*usual) not in known
