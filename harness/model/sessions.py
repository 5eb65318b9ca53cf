"""Declare sessions, in which one process answers many cases, and how far they are trusted.

Only a pass is ever taken from a session: every other case runs in a process of its own. Source:
docs/sessions.md.
"""

from __future__ import annotations

from math import ceil
from typing import Final, NamedTuple

from harness.model.verdict import FactEnum

FRESH: Final = "fresh"  # how a verdict was reached without a session

# A sample without wrong passes shows that less than this share of all passes is wrong ...
_TOLERATED_SHARE: Final = 0.01
_ERROR_PROBABILITY: Final = 0.05  # ... unless that conclusion is an error of this probability


class SessionKind(FactEnum):
    """A way for one process to answer many cases; its value is the `session` of a subject."""

    description: str

    STREAM = "stream", "the inputs of many cases follow one another; answers are counted"
    PROTOCOL = "protocol", "numbered requests and responses, one JSON object a line"
    FORK = "fork", "a Python process that has done its imports forks for each case"


class SessionMode(FactEnum):
    """The degree to which sessions are trusted; its value is that of `--sessions`."""

    description: str

    OFF = "off", "a fresh process for each case"
    VERIFY = "verify", "a sample of the cases that passed is repeated in fresh processes"
    TRUST = "trust", "no case that passed is repeated"


class SessionOptions(NamedTuple):
    """The use of sessions in a run: the size of the sample (None: as large as needed) and its seed
    (None: any). If it is `partial`, cases that no session settles are not run at all.

    `planned` is the number of cases of each subject that declares a session.
    """

    mode: SessionMode = SessionMode.VERIFY
    sample: int | None = None
    seed: int | None = None
    planned: tuple[tuple[str, int], ...] = ()
    partial: bool = False

    def sample_rate(self, subject: str) -> float:
        """Return the share of a subject's passes to repeat."""
        planned = dict(self.planned).get(subject, 0)
        if self.mode is SessionMode.TRUST or not planned:
            return 0.0
        wanted = sample_size(planned) if self.sample is None else self.sample
        return min(1.0, wanted / planned)


def sample_size(passed: int) -> int:
    """Return the size of a random sample of passes.

    If no pass in it is wrong, fewer than 1 % of all are, with 95 % confidence.
    """
    wrong = max(1, ceil(passed * _TOLERATED_SHARE))
    unseen = 1.0  # the probability that no wrong one is drawn
    for drawn in range(passed):
        if unseen <= _ERROR_PROBABILITY:
            return drawn
        unseen *= (passed - wrong - drawn) / (passed - drawn)
    return passed
