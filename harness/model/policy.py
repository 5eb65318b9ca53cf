"""Declare how a case is judged: equality rules, expected exit status, limits."""

from __future__ import annotations

from typing import NamedTuple

from harness.model.comparison import Comparison
from harness.model.limits import Limits

__all__ = ["ExitRange", "Policy"]


class ExitRange(NamedTuple):
    """The exit statuses that a case accepts: `least` to `most`, inclusive."""

    least: int = 0
    most: int = 0

    def accepts(self, status: int) -> bool:
        return self.least <= status <= self.most

    def __str__(self) -> str:
        if (self.least, self.most) == (1, 255):
            return "nonzero"
        return str(self.least) if self.least == self.most else f"{self.least}-{self.most}"


class Policy(NamedTuple):
    comparison: Comparison = Comparison()
    exit: ExitRange = ExitRange()
    limits: Limits = Limits()
