"""Where the schemas and the corpus that come with xtest are.

They travel inside this package in a wheel, and stand at the top of a checkout that is installed
with `pip install -e`. Nothing is read here.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["schemas_folder", "test_cases_folder"]

_HERE = Path(__file__).resolve().parent.parent


def schemas_folder() -> Path:
    """The folder of the bundled JSON Schemas."""
    return _find("schemas")


def test_cases_folder() -> Path:
    """The folder of the bundled suites, one folder each."""
    return _find("test_cases")


def _find(name: str) -> Path:
    packed = _HERE / "bundled_data" / name
    return packed if packed.is_dir() else _HERE.parent / name
