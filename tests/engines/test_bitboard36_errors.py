"""What the refusals have in common."""

from __future__ import annotations

import copy
import pickle

import pytest

from engines.bitboard36.errors import IllegalMove, InvalidPosition, InvalidWord, Overlap, Refused


@pytest.mark.parametrize(
    ("refusal", "message"),
    [
        (Refused(7, "why"), "7 is refused: why"),
        (InvalidPosition(-3, "why"), "-3 is refused: why"),
        (InvalidWord(1 << 36, "why"), "0x1000000000 is refused: why"),
        (Overlap(9, "why"), "overlap 0x9 is refused: why"),
        (IllegalMove(0, "why"), "illegal move, position 0: why"),
    ],
)
def test_a_refusal_names_its_value_and_reason(refusal: Refused, message: str) -> None:
    assert str(refusal) == message
    assert refusal.reason == "why"


def test_every_refusal_is_caught_as_one_and_as_a_value_error() -> None:
    kinds = (InvalidPosition, InvalidWord, Overlap, IllegalMove)
    assert [kind for kind in kinds if not issubclass(kind, Refused)] == []
    assert issubclass(Refused, ValueError)


def test_a_refusal_survives_a_pipe_between_processes() -> None:
    sent = IllegalMove(14, "why")
    for came in (pickle.loads(pickle.dumps(sent)), copy.copy(sent)):
        assert (type(came), came.value, came.reason) == (IllegalMove, 14, "why")
