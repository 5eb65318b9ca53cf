"""Make cases, and transcripts of programs that printed something, without files and processes."""

from __future__ import annotations

from typing import Any

from harness.jsonio.fast import decode
from harness.model.case import Case
from harness.model.transcript import Ending, Exited, Transcript


def case_of(expected: bytes, stdin: bytes = b"", **more: Any) -> Case:
    """Return a case with the values of its expected output."""
    return Case("s", "7", stdin, expected, decode(expected).values, **more)


def printed(stdout: str | bytes, ending: Ending = Exited(0), **more: Any) -> Transcript:
    """Return the transcript of a program that printed this."""
    data = stdout if isinstance(stdout, bytes) else stdout.encode()
    return Transcript(ending, data, stdout_bytes=len(data), **more)
