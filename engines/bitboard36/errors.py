"""What this engine refuses, as exceptions: one mechanism for values and moves alike.

A constructor can only raise, so illegal moves raise too, and a caller needs one `except Refused`.
Each refusal carries `value`, what was refused, and `reason`, one clause of English.
"""

from __future__ import annotations

__all__ = ["IllegalMove", "InvalidPosition", "InvalidWord", "Overlap", "Refused"]


class Refused(ValueError):
    """Anything that this engine refuses; every subclass below says what its `value` is."""

    value: int
    reason: str

    def __init__(self, value: int, reason: str) -> None:
        super().__init__(value, reason)
        self.value = value
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.value} is refused: {self.reason}"


class InvalidPosition(Refused):
    """`value` names no cell of the board, as a position, a row or a column."""


class InvalidWord(Refused):
    """`value` is negative or has bits beyond the board's 36."""

    def __str__(self) -> str:
        return f"{self.value:#x} is refused: {self.reason}"


class Overlap(Refused):
    """Two players' words share cells; `value` is the word of the shared cells."""

    def __str__(self) -> str:
        return f"overlap {self.value:#x} is refused: {self.reason}"


class IllegalMove(Refused):
    """A move that the board does not allow; `value` is the position at fault."""

    def __str__(self) -> str:
        return f"illegal move, position {self.value}: {self.reason}"
