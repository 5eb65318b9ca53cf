"""How things are said in messages: amounts, counts, signals, bytes made visible, texts cut to size.

Pure, and without any opinion on what is said.
"""

from __future__ import annotations

import signal
from typing import Final

__all__ = ["amount", "count_of", "cut", "ranges", "signal_name", "visible"]

_MARKS: Final = {
    **{code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))},
    **{0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"},
    # What turns the direction of a text, or hides in it.
    **{code: f"\\u{code:04x}" for code in (*range(0x200B, 0x2010), *range(0x2028, 0x202F))},
    **{code: f"\\u{code:04x}" for code in (*range(0x2060, 0x2070), 0xFEFF)},
}


def amount(value: float) -> str:
    """A number without a tail of zeros: 10, 0.5."""
    return f"{value:g}"


def count_of(number: int, thing: str) -> str:
    """A number of things: "1 value", "2 values"."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def signal_name(number: int) -> str:
    """A signal's name, or its number where it has none here."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def visible(text: str) -> str:
    """A text on one line, in which nothing acts on a terminal and nothing is hidden."""
    return text.translate(_MARKS)


def cut(text: str, width: int) -> str:
    """A text of at most `width` characters; where some are left out, that is said at its end."""
    if len(text) <= width:
        return text
    note = f" … {len(text):,} characters"
    return text[: max(0, width - len(note))] + note


def ranges(numbers: list[int]) -> str:
    """Ascending numbers in short: "1-3, 7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
