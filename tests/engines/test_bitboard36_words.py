"""Words: the source's three formulas with its own examples, the mirrors, what is refused."""

from __future__ import annotations

import pytest

from engines.bitboard36.errors import InvalidWord
from engines.bitboard36.shape import FULL, POSITIONS, Position
from engines.bitboard36.words import (
    Word,
    hexadecimal,
    horizontal_mirror,
    moved,
    toggled,
    value,
    vertical_mirror,
    word,
)


def drawn(*rows: str) -> Word:
    """The word of a drawing, its top row first."""
    cells = "".join(reversed(rows))
    return Word(sum(1 << at for at in POSITIONS if cells[at] == "#"))


# No mirror, and no turn, leaves this letter as it is.
LETTER = drawn(
    ".####.",
    ".#....",
    ".###..",
    ".#....",
    ".#....",
    "##....",
)


def test_the_value_of_a_position_as_in_the_source() -> None:
    assert value(Word(0b1001), Position(3)) == 1
    assert value(Word(0b1001), Position(2)) == 0
    assert value(Word(0b1001), Position(0)) == 1


def test_toggling_a_position_as_in_the_source() -> None:
    assert toggled(Word(0b1001), Position(0)) == 0b1000
    assert toggled(Word(0b1000), Position(0)) == 0b1001


def test_moving_a_piece_as_in_the_source() -> None:
    assert moved(Word(0b1001), Position(0), Position(2)) == 0b1100


def test_the_last_position_is_a_cell_like_any_other() -> None:
    assert value(Word(1 << 35), Position(35)) == 1
    assert moved(Word(1 << 35), Position(35), Position(0)) == 1


def test_the_horizontal_mirror_turns_the_rows_upside_down() -> None:
    assert horizontal_mirror(LETTER) == drawn(
        "##....",
        ".#....",
        ".#....",
        ".###..",
        ".#....",
        ".####.",
    )


def test_the_vertical_mirror_exchanges_left_and_right() -> None:
    assert vertical_mirror(LETTER) == drawn(
        ".####.",
        "....#.",
        "..###.",
        "....#.",
        "....#.",
        "....##",
    )


@pytest.mark.parametrize("number", [0, 1, FULL])
def test_36_bits_are_a_word(number: int) -> None:
    assert word(number) == number


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (-1, "-0x1 is refused: a word is not negative"),
        (1 << 36, "0x1000000000 is refused: bit 36 is set, and a word ends at bit 35"),
        (5 << 40, "0x50000000000 is refused: bit 42 is set, and a word ends at bit 35"),
    ],
)
def test_any_other_number_is_no_word(number: int, message: str) -> None:
    with pytest.raises(InvalidWord) as refusal:
        word(number)
    assert str(refusal.value) == message
    assert refusal.value.value == number


def test_hexadecimal_digits_are_nine_for_every_word() -> None:
    assert hexadecimal(Word(0x41)) == "0x000000041"
    assert hexadecimal(Word(FULL)) == "0xfffffffff"
