"""The version of xtest, as in --version and results. A test compares it with pyproject.toml's."""

from typing import Final

VERSION: Final = "0.1.0"
