"""The package: every public name is there, and costs nothing before it is asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engines import tsuro

_ROOT = Path(tsuro.__file__).parents[2]


def _loaded_after(statement: str) -> set[str]:
    """The modules that this statement loads, in a fresh interpreter that has typing already."""
    program = (
        "import __future__, enum, functools, importlib, sys, typing\n"
        f"sys.path.insert(0, {str(_ROOT)!r})\n"
        "before = set(sys.modules)\n"
        f"{statement}\n"
        "print(*set(sys.modules) - before)"
    )
    command = [sys.executable, "-S", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_every_public_name_is_there_and_listed() -> None:
    assert all(hasattr(tsuro, name) for name in tsuro.__all__)
    assert dir(tsuro) == sorted(tsuro.__all__)


def test_a_name_is_the_one_of_its_module() -> None:
    from engines.result import Result  # pylint: disable=import-outside-toplevel  # what is tested
    from engines.tsuro.tile import Tile  # pylint: disable=import-outside-toplevel  # likewise

    assert tsuro.Tile is Tile
    assert tsuro.Result is Result


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(tsuro, "Bord")
    assert str(caught.value) == "module 'engines.tsuro' has no attribute 'Bord'"


def test_the_package_alone_loads_none_of_its_modules() -> None:
    assert _loaded_after("import engines.tsuro") == {"engines", "engines.tsuro"}


def test_movement_and_tiles_load_nothing_but_themselves() -> None:
    loaded = _loaded_after("from engines.tsuro import placement, tile_pattern, InitialMove")
    assert "engines.tsuro.movement" in loaded
    assert {name for name in loaded if not name.startswith("engines")} == set()
    assert not loaded & {"engines.tsuro.board", "engines.tsuro.state"}
