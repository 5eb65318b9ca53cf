"""What a program complained of on standard error: the one line of it that tells most.

Pure: bytes in, words out, bounded and safe on a terminal. Nothing is decided here.
Source: docs/verdicts.md.
"""

from __future__ import annotations

import re
from typing import Final

from harness.words import clip, last_bytes, visible

__all__ = ["complaint", "has_windows_line_ends"]

_LOOKED_AT: Final = 4_096  # bytes: below what is said some print all their frames
_WIDTH: Final = 200
# How a line begins or goes on that says why a program came to its end, in most languages.
_CAUSE: Final = re.compile(
    r"(?:Error|Exception|exception|[Pp]anic|panicked|[Ff]atal)\b|\benv: .*: No such file"
)
# How env and shells name what they did not find, where its name ends with a carriage return.
_WINDOWS: Final = re.compile(rb"(?:\\r(?:'|\xe2\x80\x99)|\r): ")


def complaint(stderr: bytes) -> str:
    """Words that go behind a sentence: what standard error ends with, or what it says above a list
    of frames; the empty text where it is empty."""
    text = last_bytes(stderr, _LOOKED_AT).decode("utf-8", "backslashreplace").rstrip()
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    last = len(lines) - 1
    at = next((at for at in range(last, -1, -1) if _is_cause(lines[at])), last)
    verb = "ends" if at == last else "says"
    goes_on = lines[at].endswith(":") and at < last  # Rust has its reason in the next line
    said = f"{lines[at]} {lines[at + 1].strip()}" if goes_on else lines[at].strip()
    return f"; its standard error {verb}: {clip(visible(said), _WIDTH)}"


def has_windows_line_ends(stderr: bytes) -> bool:
    """Whether this is what comes of a script with Windows line ends, of which something was not
    found."""
    return _WINDOWS.search(last_bytes(stderr, _LOOKED_AT)) is not None


def _is_cause(line: str) -> bool:
    return not line[0].isspace() and _CAUSE.search(line) is not None
