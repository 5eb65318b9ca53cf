"""Runs of a page that fell short alike, by number: the script counts them and filters by them.

Pure and bounded. What is alike is what the terminal's summary takes for alike. Source:
docs/html-report.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.documents.summary import Outcome, outcome_of
from harness.events import Judged
from harness.records import Verdict
from harness.report.summary import gist_of
from harness.words import cut

__all__ = ["Kinds"]

_KINDS: Final = 500  # that are told apart
_SAID: Final = 160
_TO_LOOK_AT: Final = (Outcome.FAILED, Outcome.BROKEN)
_OTHERS: Final = ("", "in other ways")
_OUTGROWN: Final = "but it is listed as a known failure"


class Kinds:
    """The kinds of runs that are to be looked at, in the order in which they came."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}

    def number_of(self, event: Judged) -> int | None:
        """The number of a run's kind; None where there is nothing to look at."""
        if outcome_of(event) not in _TO_LOOK_AT:
            return None
        said = _OUTGROWN if event.verdict is Verdict.PASSED else gist_of(event)
        key = (event.verdict.value, cut(said, _SAID))
        if len(self._numbers) >= _KINDS and key not in self._numbers:
            key = _OTHERS
        return self._numbers.setdefault(key, len(self._numbers))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Verdict and what they have in common, by number."""
        return iter(self._numbers)
