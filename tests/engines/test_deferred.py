"""Packages load names and pictures on first use, and nothing more."""

from __future__ import annotations

import pkgutil
import re
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable
from html import unescape
from types import ModuleType
from zlib import decompress

import pytest
from support.svg import elements
from support.xtest import PACKAGES

from engines import bitboard36, isolation, tictactoe, tsuro
from engines.deferred import draw

ENGINES = (bitboard36, isolation, tictactoe, tsuro)


def loaded_after(statement: str) -> set[str]:
    """Return the modules that a fresh interpreter loads for a statement."""
    program = (
        f"import sys; sys.path.insert(0, {str(PACKAGES)!r}); before = set(sys.modules)\n"
        f"{statement}\nprint(*set(sys.modules) - before)"
    )
    command = [sys.executable, "-S", "-c", program]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    return set(ran.stdout.split())


@pytest.mark.parametrize("package", ENGINES)
def test_every_public_name_can_be_loaded_and_is_listed(package: ModuleType) -> None:
    assert all(hasattr(package, name) for name in package.__all__)
    assert set(dir(package)) == set(package.__all__)
    # Importing a submodule binds its name in the package, which would replace a public name.
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert not modules & set(package.__all__)


@pytest.mark.parametrize("package", ENGINES)
def test_an_unknown_name_is_an_attribute_error(package: ModuleType) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(package, "chess")
    assert str(caught.value) == f"module {package.__name__!r} has no attribute 'chess'"


@pytest.mark.parametrize("package", ENGINES)
def test_importing_a_package_loads_none_of_its_modules(package: ModuleType) -> None:
    loaded = loaded_after(f"import {package.__name__}")
    ours = {module for module in loaded if module.startswith("engines")}
    assert ours == {"engines", "engines.deferred", package.__name__}


@pytest.mark.parametrize(
    ("statement", "needed", "unneeded"),
    [
        ("engines.bitboard36.position(0)", "shape", "boards neighbours pictures words"),
        ("engines.bitboard36.Board(1, 2)", "boards", "drawing neighbours pictures"),
        ("engines.isolation.Isolation().result(57)", "state", "debug picture"),
        ("engines.tictactoe.value", "solver", "picture symmetry"),
        ("engines.tsuro.placement", "movement", "board picture state"),
        ("engines.tsuro.Board", "board", "picture referee terminal"),
    ],
)
def test_a_name_loads_only_what_it_needs(statement: str, needed: str, unneeded: str) -> None:
    package = statement.rpartition("(")[0] if "(" in statement else statement
    package = ".".join(package.split(".")[:2])
    loaded = loaded_after(f"import {package}; {statement}")
    assert f"{package}.{needed}" in loaded
    assert not loaded & {*(f"{package}.{name}" for name in unneeded.split()), "engines.svg"}


def test_engines_load_no_slow_module() -> None:
    imports = "; ".join(f"from {package.__name__} import *" for package in ENGINES)
    loaded = loaded_after(f"{imports}; import engines.tictactoe.notebook")
    assert "engines.tictactoe.notebook" in loaded
    assert not loaded & {"IPython", "ipycanvas", "ipywidgets", "numpy", "json", "dataclasses"}


@pytest.mark.parametrize(
    ("value", "svg_of"),
    [
        (bitboard36.Board(1, 2), bitboard36.board_svg),
        (bitboard36.State(1, 2), bitboard36.state_svg),
        (bitboard36.variants(bitboard36.State(1, 2)), bitboard36.variants_svg),
        (isolation.Isolation(), isolation.board_svg),
        (isolation.DebugState.from_state(isolation.Isolation()), isolation.board_svg),
        (tictactoe.START, tictactoe.board_svg),
        (tictactoe.Picture(tictactoe.START), lambda picture: tictactoe.board_svg(picture.state)),
        (tsuro.BoardState(), tsuro.board_svg),
        (tsuro.Board(), lambda board: tsuro.board_svg(board.get_board_state())),
        (tsuro.Layout({}, {}), lambda layout: tsuro.board_svg(tsuro.state_of(layout))),
        (tsuro.TILES[34], tsuro.tile_svg),
    ],
)
def test_a_notebook_displays_the_picture_of_a_value(
    value: object, svg_of: Callable[[object], str]
) -> None:
    # IPython looks this method up by its name.
    assert getattr(value, "_repr_svg_")() == svg_of(value)


def test_a_notebook_displays_a_game_as_its_last_board_and_as_its_page() -> None:
    game = tsuro.play_game((tsuro.SECOND, tsuro.FIRST, tsuro.SECOND), tsuro.endless_deck())
    assert game.ranking == (("white",), ("red",))
    classes = [each.get("class") for each in elements(getattr(game, "_repr_svg_")(), "g")]
    assert classes.count("avatar white") == 2  # on the board and in the legend
    assert classes.count("gone") == 2  # red, and black, who cheated
    pattern = '<iframe srcdoc="([^"]*)" sandbox="allow-scripts" [^<>]*></iframe>'
    frame = re.fullmatch(pattern, getattr(game, "_repr_html_")())
    assert frame is not None
    assert len(frame[0]) < 100_000  # characters, as a notebook keeps them for each cell
    packed = re.search(r'atob\("([^"]*)"\)', unescape(frame[1]))
    assert packed is not None
    page = decompress(b64decode(packed[1])).decode()
    assert page == tsuro.game_page(game, ["White", "Black", "Red"])


def test_only_registered_classes_can_be_drawn() -> None:
    with pytest.raises(TypeError, match="^int: no drawing function is registered$"):
        draw(7)
