"""What the package exports, and what it costs to import it."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import engines.tictactoe

TOP = Path(engines.tictactoe.__file__).parents[2]
MODULES = ("board", "games", "picture", "solver", "symmetry")


def modules_after(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after this statement."""
    program = f"import sys; {statement}; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    return set(
        subprocess.run(command, cwd=TOP, capture_output=True, check=True, text=True).stdout.split()
    )


def test_the_package_exports_every_public_name_of_its_modules_and_no_other() -> None:
    public = {
        name: getattr(module, name)
        for module in (import_module(f"engines.tictactoe.{name}") for name in MODULES)
        for name in module.__all__
    }
    assert {name: getattr(engines.tictactoe, name) for name in engines.tictactoe.__all__} == public


def test_no_exported_name_is_hidden_by_a_module_of_the_package() -> None:
    # `import engines.tictactoe.x` binds x in the package, and the lazy name would be lost.
    folder = Path(engines.tictactoe.__file__).parent
    assert not {path.stem for path in folder.glob("*.py")} & {*engines.tictactoe.__all__}


def test_the_exported_names_are_listed_before_they_are_used() -> None:
    assert {*engines.tictactoe.__all__} <= {*dir(engines.tictactoe)}


def test_a_name_that_is_not_there_is_reported_as_of_any_module() -> None:
    with pytest.raises(
        AttributeError, match="^module 'engines.tictactoe' has no attribute 'chess'$"
    ):
        getattr(engines.tictactoe, "chess")


def test_importing_the_package_loads_none_of_its_modules() -> None:
    loaded = modules_after("import engines.tictactoe")
    assert not {name for name in loaded if name.startswith("engines.tictactoe.")}


def test_using_a_name_loads_its_module_and_what_that_stands_on() -> None:
    loaded = modules_after("import engines.tictactoe; engines.tictactoe.value")
    assert "engines.tictactoe.solver" in loaded
    assert not loaded & {"engines.tictactoe.picture", "engines.tictactoe.symmetry"}


def test_nothing_but_a_canvas_needs_what_is_not_in_the_standard_library() -> None:
    names = ", ".join(engines.tictactoe.__all__)
    statement = f"from engines.tictactoe import {names}; import engines.tictactoe.notebook"
    loaded = modules_after(statement)
    assert "engines.tictactoe.picture" in loaded
    heavy = {"IPython", "ipycanvas", "ipywidgets", "numpy", "json", "dataclasses"}
    assert not loaded & heavy
