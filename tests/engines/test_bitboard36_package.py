"""The package hands on its names, and loads no more than is asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engines import bitboard36


@pytest.mark.parametrize("name", bitboard36.__all__)
def test_every_public_name_is_there_and_at_home_in_the_package(name: str) -> None:
    assert name in dir(bitboard36)
    home = getattr(getattr(bitboard36, name), "__module__", "")
    # A NewType is at home where it is made as well.
    assert home.startswith("engines.bitboard36.")


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError) as refusal:
        getattr(bitboard36, "bishop")
    assert str(refusal.value) == "module 'engines.bitboard36' has no attribute 'bishop'"


@pytest.mark.parametrize(
    ("used", "loaded"),
    [
        ("bitboard36", []),
        ("bitboard36.position(0)", ["errors", "shape"]),
        ("bitboard36.neighbour_counts(0)", ["errors", "neighbours", "shape"]),
        (
            "bitboard36.base_state(bitboard36.Board(1, 2))",
            ["boards", "errors", "shape", "words"],
        ),
    ],
)
def test_a_program_loads_the_modules_of_what_it_uses_only(used: str, loaded: list[str]) -> None:
    program = (
        f"import sys; from engines import bitboard36; {used}\n"
        "inside = 'engines.bitboard36.'\n"
        "print(*sorted(n.removeprefix(inside) for n in sys.modules if n.startswith(inside)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        check=True,
        text=True,
    )
    assert ran.stdout.split() == loaded
