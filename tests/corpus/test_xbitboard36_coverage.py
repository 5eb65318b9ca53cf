"""The cases of xbitboard36 cover every query, and count what can be counted by walking."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from support.corpus import cases_of
from support.references import bitboard36 as reference
from support.references.json_stream import Malformed, Value, values_of
from support.wire import Plain

MAX_WALKED = 60_000  # sequences


def test_perft_counts_what_walking_counts() -> None:
    walked = 0
    for case in cases_of("xbitboard36"):
        for value, answer in zip(_values(case.stdin), case.expected, strict=False):
            if 0 < answer.get("perft", 0) <= MAX_WALKED:
                board = reference.after_moves(reference.request_of(value, ""), "")
                assert _walk(board, _depth(value)) == answer["perft"], case.name
                walked += 1
    assert walked > 20


def _values(text: bytes) -> Iterator[Value]:
    """Yield the values of a text up to malformed bytes."""
    try:
        yield from values_of(text)
    except Malformed:
        pass


def _depth(request: Plain) -> int:
    (text,) = (q["perft"].text for q in request["ask"] if isinstance(q, dict) and "perft" in q)
    return int(text)


@cache
def _walk(board: reference.Board, depth: int) -> int:
    if depth == 0:
        return 1
    moves = reference.actions(board)
    return sum(_walk(reference.played(board, move), depth - 1) for move in moves)
