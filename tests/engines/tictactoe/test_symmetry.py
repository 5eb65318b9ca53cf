"""Turns and mirrors of a board that differs from all its images."""

from __future__ import annotations

from engines.tictactoe.board import START, parse, symbols
from engines.tictactoe.symmetry import canonical, images

ASYMMETRIC = parse("XX.O....O").value()


def test_images_are_four_clockwise_turns_and_those_of_the_mirror_image() -> None:
    assert [symbols(image) for image in images(ASYMMETRIC)] == [
        *("XX.O....O", ".OX..XO..", "O....O.XX", "..OX..XO."),
        *(".XX..OO..", "O....X.OX", "..OO..XX.", "XO.X....O"),
    ]
    assert set(images(START)) == {START}


def test_the_smallest_image_is_canonical() -> None:
    assert {canonical(image) for image in images(ASYMMETRIC)} == {min(images(ASYMMETRIC))}
