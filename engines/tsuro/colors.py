"""The colours of the avatars, in the order in which they act and are reported.

Source: the board specification (`ColorString`); the order is that of the game's rules
(docs/tsuro-board.md).
"""

from __future__ import annotations

from typing import Final, Literal, get_args

__all__ = ["COLORS", "COLOR_LETTERS", "ColorString", "color_string"]

ColorString = Literal["white", "black", "red", "green", "blue"]

COLORS: Final[tuple[ColorString, ...]] = get_args(ColorString)

# By colour, a letter of its own: K is black, as printers have it, since B is blue.
COLOR_LETTERS: Final = dict(zip(COLORS, "WKRGB", strict=True))


def color_string(text: str) -> ColorString:
    """The colour of this name. Raises ValueError where there is none."""
    for color in COLORS:
        if color == text:
            return color
    raise ValueError(f"a colour is one of {', '.join(COLORS)}, not {text!r}")
