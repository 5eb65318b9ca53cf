"""The version of xtest: said by --version and in results. A test holds it to pyproject.toml's."""

from typing import Final

__all__ = ["VERSION"]

VERSION: Final = "0.1.0"
