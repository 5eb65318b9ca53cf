"""Turns and mirrors, on a board that is none of its own images."""

from __future__ import annotations

from engines.tictactoe.board import START, parse, symbols
from engines.tictactoe.symmetry import canonical, images, mirrored, turned

ASYMMETRIC = parse("XX.O....O").value()


def rows(text: str) -> list[str]:
    """The three rows of nine symbols."""
    return [text[0:3], text[3:6], text[6:9]]


def test_a_turn_is_clockwise() -> None:
    assert rows(symbols(ASYMMETRIC)) == ["XX.", "O..", "..O"]
    assert rows(symbols(turned(ASYMMETRIC))) == [".OX", "..X", "O.."]


def test_a_mirror_swaps_left_and_right() -> None:
    assert rows(symbols(mirrored(ASYMMETRIC))) == [".XX", "..O", "O.."]


def test_the_images_are_four_turns_and_the_four_turns_of_the_mirror_image() -> None:
    assert [symbols(image) for image in images(ASYMMETRIC)] == [
        "XX.O....O",
        ".OX..XO..",
        "O....O.XX",
        "..OX..XO.",
        ".XX..OO..",
        "O....X.OX",
        "..OO..XX.",
        "XO.X....O",
    ]


def test_the_smallest_image_stands_for_all_eight() -> None:
    assert {canonical(image) for image in images(ASYMMETRIC)} == {min(images(ASYMMETRIC))}


def test_the_empty_board_is_all_its_images() -> None:
    assert set(images(START)) == {START}
