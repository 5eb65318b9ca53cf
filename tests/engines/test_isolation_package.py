"""The package's front: the documented import line, and nothing loaded before it is asked for."""

import pkgutil
import subprocess
import sys

import pytest

from engines import isolation


def loaded_after(statement: str) -> set[str]:
    """The modules of this project that a fresh interpreter has after a statement."""
    report = "import sys; print(*(name for name in sys.modules if name.startswith('engines')))"
    command = [sys.executable, "-c", f"{statement}\n{report}"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


def test_every_public_name_can_be_had_and_is_its_own() -> None:
    names = [name for name in isolation.__all__ if name != "GRID"]
    assert [getattr(isolation, name).__name__ for name in names] == names
    assert isolation.GRID == isolation.Encoding(11, 9)


def test_dir_lists_the_public_names() -> None:
    assert dir(isolation) == sorted(isolation.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(isolation, "Isolated")
    assert str(caught.value) == "module 'engines.isolation' has no attribute 'Isolated'"


def test_the_package_alone_loads_no_module_of_the_game() -> None:
    assert loaded_after("import engines.isolation") == {"engines", "engines.isolation"}


def test_playing_loads_neither_pictures_nor_debugging() -> None:
    loaded = loaded_after("from engines.isolation import Isolation\nIsolation().result(57)")
    assert "engines.isolation.state" in loaded
    assert not loaded & {"engines.isolation.picture", "engines.isolation.debug", "engines.svg"}


def test_no_module_hides_a_public_name() -> None:
    """A submodule named perft, once imported, would take the function's place."""
    modules = {module.name for module in pkgutil.iter_modules(isolation.__path__)}
    assert "state" in modules
    assert not modules & set(isolation.__all__)
