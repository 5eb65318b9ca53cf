"""Summarize standard error: find the one line that says most about a failure.

The result is bounded and safe on a terminal. Source: docs/verdicts.md.
"""

from __future__ import annotations

import re
from typing import Final

from harness.text import escape_nonprintable, last_bytes, truncate_to_width

__all__ = ["stderr_summary", "has_windows_line_ends"]

_TAIL: Final = 4_096  # bytes: some languages print all frames below the cause
_WIDTH: Final = 200
# A line that names the cause of a failure, in most languages.
_CAUSE: Final = re.compile(
    r"(?:Error|Exception|exception|[Pp]anic|panicked|[Ff]atal)\b|\benv: .*: No such file"
)
# Messages of env and shells about a missing program whose name ends with a carriage return.
_WINDOWS: Final = re.compile(rb"(?:\\r(?:'|\xe2\x80\x99)|\r): ")


def stderr_summary(stderr: bytes) -> str:
    """Return a clause with the last line of standard error, or with the cause above a list of
    frames; "" if it is empty."""
    text = last_bytes(stderr, _TAIL).decode("utf-8", "backslashreplace").rstrip()
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    last = len(lines) - 1
    at = next((at for at in range(last, -1, -1) if _is_cause(lines[at])), last)
    verb = "ends" if at == last else "says"
    continues = lines[at].endswith(":") and at < last  # Rust prints the reason on the next line
    line = f"{lines[at]} {lines[at + 1].strip()}" if continues else lines[at].strip()
    return f"; its standard error {verb}: {truncate_to_width(escape_nonprintable(line), _WIDTH)}"


def has_windows_line_ends(stderr: bytes) -> bool:
    """Return whether standard error shows that a script has Windows line ends.

    The shell or env then did not find a program whose name ends with a carriage return.
    """
    return _WINDOWS.search(last_bytes(stderr, _TAIL)) is not None


def _is_cause(line: str) -> bool:
    return not line[0].isspace() and _CAUSE.search(line) is not None
