"""The version of xtest, as in --version and results. A test compares it with pyproject.toml's."""

from typing import Final

__all__ = ["VERSION"]

VERSION: Final = "0.1.0"
