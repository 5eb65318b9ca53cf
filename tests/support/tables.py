"""Values that the inputs in golden tables stand for."""

from __future__ import annotations

from typing import Any

from harness.model import comparison
from harness.model.comparison import Comparison
from harness.model.limits import Limit
from harness.model.transcript import Ending, Exited, NotStarted, Signalled, Transcript


def comparison_of(expression: str = "Comparison()") -> Comparison:
    """Return the comparison that an expression in a golden table stands for."""
    # Our own tables hold the expressions, not what a program printed.
    made: Comparison = eval(expression, vars(comparison))  # pylint: disable=eval-used
    return made


def transcript_of(run: dict[str, Any]) -> Transcript:
    """Return the transcript of a run in a golden table: stdout, exit or signal, limit, ..."""
    others = dict(run)
    stdout = others.pop("stdout", b"")
    ending: Ending = Exited(others.pop("exit", 0))
    if "signal" in others:
        ending = Signalled(others.pop("signal"))
    if "not_started" in others:
        ending = NotStarted(others.pop("not_started"))
    limit = Limit(others.pop("limit")) if "limit" in others else None
    return Transcript(ending, stdout, stdout_bytes=len(stdout), limit=limit, **others)
