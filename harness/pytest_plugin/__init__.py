"""The public API of the pytest plugin, for tests that use the fixture `xtest`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.model.judgement import MISSING
    from harness.model.verdict import Verdict
    from harness.pytest_plugin.fixture import CaseOutcome, OutputDifference, Xtest

__all__ = ["MISSING", "CaseOutcome", "OutputDifference", "Verdict", "Xtest"]

_FIXTURE = "harness.pytest_plugin.fixture"
_MODULES = {
    "MISSING": "harness.model.judgement",
    "CaseOutcome": _FIXTURE,
    "OutputDifference": _FIXTURE,
    "Verdict": "harness.model.verdict",
    "Xtest": _FIXTURE,
}


# Names are imported on first use: pytest imports this package at each start, wherever xtest is
# installed. That takes 1 ms of CPU time; with the imports above it would take 50 ms.
def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value
