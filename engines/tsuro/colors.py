"""The colours of the avatars, in the order in which players act and are reported.

Source: `ColorString` in the board specification (docs/games/tsuro.md).
"""

from __future__ import annotations

from typing import Final, Literal, get_args

__all__ = ["COLORS", "COLOR_LETTERS", "ColorString", "color_string"]

ColorString = Literal["white", "black", "red", "green", "blue"]

COLORS: Final[tuple[ColorString, ...]] = get_args(ColorString)

# K is black, as in printing, since B is blue.
COLOR_LETTERS: Final = dict(zip(COLORS, "WKRGB", strict=True))


def color_string(text: str) -> ColorString:
    """Return a name as a colour. Raises ValueError if it is not one."""
    for color in COLORS:
        if color == text:
            return color
    raise ValueError(f"a colour must be one of {', '.join(COLORS)}, not {text!r}")
