"""Choose colours, width and number of lines for a stream."""

from __future__ import annotations

import os
from typing import Final, TextIO

from harness.files import is_terminal, terminal_size
from harness.reports.text.display import PLAIN, Display, Style

_OTHER_LINES: Final = 10  # lines of a typical failure, without its differences
_LEAST_LINES: Final = 10
_CODES: Final = {
    **{"good": "32", "bad": "31", "odd": "33", "dim": "2", "strong": "1"},
    **{"one": "36", "other": "35"},  # of two sides, of which neither is right
    # Reversed: seen on dark and light screens.
    **{"good mark": "7;32", "bad mark": "7;31", "one mark": "7;36", "other mark": "7;35"},
}


def coloured(text: str, role: str) -> str:
    return f"\x1b[{_CODES[role]}m{text}\x1b[0m"


def display_for(stream: TextIO, *, full: bool = False) -> Display:
    """Return the display for a stream; with `full`, it shows all differences of a failure."""
    style = coloured if _has_colours(stream) else PLAIN
    if not is_terminal(stream):
        return Display(style, most_lines=None) if full else Display(style)
    width, height = terminal_size(stream)
    most_lines = None if full else max(_LEAST_LINES, height - _OTHER_LINES)
    return Display(style, width, most_lines, side_by_side=True)


def style_and_width(stream: TextIO) -> tuple[Style, int | None]:
    """Return the style and the width of a table on a stream, None for any width if no terminal."""
    display = display_for(stream)
    return display.style, display.width if is_terminal(stream) else None


def _has_colours(stream: TextIO) -> bool:
    """Return whether to use colours (no-color.org, force-color.org, bixense.com/clicolors)."""
    variable = os.environ.get
    if variable("NO_COLOR"):
        return False
    if variable("FORCE_COLOR") or variable("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return is_terminal(stream) and variable("CLICOLOR") != "0"
