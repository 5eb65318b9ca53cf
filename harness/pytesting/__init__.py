"""xtest inside pytest: cases as items, and a fixture that runs one. Source: docs/pytest.md.

What tests import is named here, and is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.pytesting.fixture import Difference, Outcome, Xtest
    from harness.records import MISSING, Verdict

__all__ = ["MISSING", "Difference", "Outcome", "Verdict", "Xtest"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "records" if name in ("MISSING", "Verdict") else "pytesting.fixture"
    value: object = getattr(import_module(f"harness.{home}"), name)
    globals()[name] = value
    return value
