"""The version of xtest, which pyproject.toml takes from here."""

from typing import Final

VERSION: Final = "0.2.0"
