"""Declare the items and results of a run of fuzzing. Source: docs/howto/fuzz.md."""

from __future__ import annotations

from typing import Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.engine.ipc import TRANSCRIPTS, RecordSerializer
from harness.fuzz.causes import Cause, Examined
from harness.model.compared import GroupOutput, SeparatingInput, Separation
from harness.model.events import Evidence, Excerpt
from harness.model.judgement import ShownDifference
from harness.model.limits import Limits
from harness.model.sessions import SessionMode


class Item(NamedTuple):
    """The inputs from `start` on; or, with a cause, the one that shows it, to be shrunk."""

    start: int
    inputs: int = 1
    stdin: bytes = b""
    cause: Cause | None = None


class Found(NamedTuple):
    """An input that shows a cause, and its number."""

    number: int
    stdin: bytes
    cause: Cause


class FuzzResult(NamedTuple):
    """The result of an item.

    `hits` are branches of the schema. A shrunk input has `details`: without them, fresh processes
    did not show its cause. A companion failed with the `unjudged` inputs; `fault` says how, with
    the first of them. `note` says why there is no result; runs `is_unsettled` may have been
    disturbed by others.
    """

    start: int
    inputs: int = 0
    missing: int = 0  # inputs for which the generator found nothing
    found: tuple[Found, ...] = ()
    hits: tuple[int, ...] = ()
    details: Separation | None = None
    unjudged: int = 0
    fault: str = ""
    note: str = ""
    is_unsettled: bool = False
    shares_folder: bool = False


class Lane(NamedTuple):
    """One of the ways in which inputs are run; if it is a `sample`, for a few of them."""

    target: int
    delivery: Delivery = Delivery.PLAIN
    is_sample: bool = False

    def takes(self, number: int) -> bool:
        """Return whether it runs an input: of a long run, ever fewer."""
        return not self.is_sample or number % (16 if number < 1_000 else 256) == 0


class FuzzSettings(NamedTuple):
    """Settings of a run; the `lanes` of a single program are its own repetitions.

    The `existing` inputs, if any, are run in place of others.
    """

    lanes: tuple[Lane, ...]
    seed: int
    is_invalid: bool = False
    is_single: bool = False
    wall_s: float | None = None
    session_mode: SessionMode = SessionMode.VERIFY
    existing: tuple[bytes, ...] = ()


_KINDS: Final = (
    *(FuzzResult, Found, Cause, Examined, Separation, SeparatingInput, GroupOutput),
    *(Evidence, Excerpt, ShownDifference, Limits),
)
RECORDS: Final = RecordSerializer(
    *TRANSCRIPTS, *(kind for kind in _KINDS if kind not in TRANSCRIPTS)
)
