"""pytest with the plugin, as whole processes in folders of their own, and suites for it."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

import pytest

import harness

__all__ = ["PLUGIN", "TOP", "cases", "plugged", "suite"]

TOP: Final = str(Path(harness.__file__).parent.parent)
# Where xtest is installed, pytest finds the plugin by itself, and takes it only once.
_IS_INSTALLED: Final = any(each.name == "xtest" for each in entry_points(group="pytest11"))
PLUGIN: Final = () if _IS_INSTALLED else ("-p", "harness.pytesting.plugin")


def plugged(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    """Run pytest with the plugin, warnings being errors."""
    with pytest.MonkeyPatch.context() as patch:
        # Each of these processes would rewrite the assertions of the whole harness anew.
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        for name in ("CI", "BUILD_NUMBER", "PY_COLORS", "FORCE_COLOR", "NO_COLOR"):
            patch.delenv(name, raising=False)  # what pytest's lines depend on
        patch.setenv("COLUMNS", "80")
        if _IS_INSTALLED:
            return pytester.runpytest_subprocess("-W", "error", *words)
        patch.setenv("PYTHONPATH", TOP)
        return pytester.runpytest_subprocess(
            "-W", "error", "-p", "harness.pytesting.plugin", *words
        )


def suite(folder: Path, settings: str = "", /, **pairs: tuple[str, str]) -> None:
    """Write a suite: by name (`bad_7` is the case bad-7), input and output."""
    folder.mkdir(parents=True)
    if settings:
        (folder / "suite.toml").write_text(settings)
    for name, (given, expected) in pairs.items():
        case = name.lstrip("_").replace("_", "-")
        (folder / f"{case}-in.json").write_text(given)
        (folder / f"{case}-out.json").write_text(expected)


def cases(result: pytest.RunResult) -> list[str]:
    """The ids that --collect-only -q printed."""
    return [line for line in result.outlines if "::" in line]
