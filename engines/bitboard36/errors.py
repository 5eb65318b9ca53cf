"""The exceptions of this engine. All carry `value`, the value refused, and `reason`, a clause."""

from __future__ import annotations

__all__ = ["BitboardError", "IllegalMove", "InvalidPosition", "InvalidWord", "Overlap"]


class BitboardError(ValueError):
    """Base class; each subclass documents its `value`."""

    value: int
    reason: str

    def __init__(self, value: int, reason: str) -> None:
        super().__init__(value, reason)
        self.value = value
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.value} is refused: {self.reason}"


class InvalidPosition(BitboardError):
    """`value` is not a position, row or column of the board."""


class InvalidWord(BitboardError):
    """`value` is negative or has bits beyond the board's 36."""

    def __str__(self) -> str:
        return f"{self.value:#x} is refused: {self.reason}"


class Overlap(BitboardError):
    """Two players' words share cells; `value` is the word of the shared cells."""

    def __str__(self) -> str:
        return f"overlap {self.value:#x} is refused: {self.reason}"


class IllegalMove(BitboardError):
    """The move is illegal; `value` is the position at fault."""

    def __str__(self) -> str:
        return f"illegal move, position {self.value}: {self.reason}"
