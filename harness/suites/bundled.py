"""Locate the schemas and suites that come with xtest.

They are inside this package in a wheel, and at the top of an editable checkout.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["schemas_folder", "test_cases_folder"]

_HERE = Path(__file__).resolve().parent.parent


def schemas_folder() -> Path:
    return _find("schemas")


def test_cases_folder() -> Path:
    return _find("test_cases")


def _find(name: str) -> Path:
    packed = _HERE / "bundled_data" / name
    return packed if packed.is_dir() else _HERE.parent / name
