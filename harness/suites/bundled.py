"""Locate the schemas and suites that come with xtest.

They are inside this package in a wheel, and at the top of an editable checkout.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent.parent
_PACKED = _HERE / "bundled_data"


def schemas_folder() -> Path:
    return _find("schemas")


def test_cases_folder() -> Path:
    return _find("test_cases")


def is_installed(suite: Path) -> bool:
    """Return whether the folder of a suite was installed with xtest."""
    return suite.is_relative_to(_PACKED)


def _find(name: str) -> Path:
    packed = _PACKED / name
    return packed if packed.is_dir() else _HERE.parent / name
