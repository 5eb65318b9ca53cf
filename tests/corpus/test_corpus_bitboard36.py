"""The corpus of xbitboard36: what is expected is right by a second implementation, is what the
program prints, is explained case by case, and notices faults."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import reference_bitboard36 as reference
from reference_bitboard36 import Answer, Board
from reference_json import Malformed, Value, values_of

from harness.jsontext import PROGRAM_DEPTH, Decoder, encode
from xtests import xbitboard36
from xtests.refusal import EVERYTHING, Refused, element, malformed

SUITE = Path(__file__).parents[2] / "test_cases" / "xbitboard36"
CASES = sorted(path.name.removesuffix("-in.json") for path in SUITE.glob("*-in.json"))

# The longest perft that is walked here, sequence by sequence.
WALKED = 60_000


def _sent(case: str) -> bytes:
    return (SUITE / f"{case}-in.json").read_bytes()


def _expected(case: str) -> list[Any]:
    lines = (SUITE / f"{case}-out.json").read_text(encoding="utf-8").splitlines()
    return [_without_message(json.loads(line)) for line in lines]


def _without_message(answer: Any) -> Any:
    if "error" in answer:
        return {"error": {k: v for k, v in answer["error"].items() if k != "message"}}
    return answer


def _values(case: str) -> list[Value]:
    """The values of an input, up to malformed bytes."""
    values: list[Value] = []
    try:
        for value in values_of(_sent(case)):
            values.append(value)
    except Malformed:
        pass
    return values


def _printed(sent: bytes) -> list[Any]:
    """What the program prints, by way of its pure part."""
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(sent) + decoder.close()
    answers: list[Any] = []
    for k, value in enumerate(values):
        try:
            answers.append(xbitboard36.answer(value, element(EVERYTHING, k)))
        except Refused as refusal:
            answers.append(refusal.error_object())
    if decoder.fault is not None:
        answers.append(malformed(decoder.fault).error_object())
    return [_without_message(json.loads(encode(each))) for each in answers]


@cache
def _walked(board: Board, depth: int) -> int:
    if depth == 0:
        return 1
    moves = reference.actions(board)
    return sum(_walked(reference.played(board, move), depth - 1) for move in moves)


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize("case", CASES)
def test_two_implementations_agree_with_what_is_expected(case: str) -> None:
    by_the_reference: list[Answer] = reference.printed(_sent(case))
    assert by_the_reference == _expected(case)
    assert _printed(_sent(case)) == _expected(case)


@pytest.mark.parametrize("case", CASES)
def test_the_suite_declares_the_exit_status_of_every_case(case: str) -> None:
    rules = tomllib.loads((SUITE / "suite.toml").read_text(encoding="utf-8"))["cases"]
    group = case.rpartition("-")[0]
    declared = [rule.get("exit", 0) for rule in rules if rule["match"] == f"{group}-*"]
    assert sum(declared) == reference.status(_sent(case))


def test_every_case_has_its_rule_in_the_table_and_every_row_its_case() -> None:
    rows = re.findall(r"^\| `(\S+)` \| \S.* \|$", (SUITE / "README.md").read_text(), re.M)
    assert sorted(rows) == CASES


def test_no_two_cases_have_the_same_input() -> None:
    assert max(Counter(_sent(case) for case in CASES).values()) == 1


def test_every_query_is_answered_in_several_cases_and_refused_in_others() -> None:
    answered = Counter(name for case in CASES for answer in _expected(case) for name in answer)
    for name in (*reference.PLAIN, *reference.TAKING):
        assert answered[name] >= 3, name
    kinds = Counter(
        answer["error"]["kind"] for case in CASES for answer in _expected(case) if "error" in answer
    )
    assert set(kinds) == {"invalid-spec", "illegal-move", "malformed-json"}


def test_a_perft_that_can_be_walked_is_what_walking_counts() -> None:
    walked = 0
    for case in CASES:
        for value, answer in zip(_values(case), _expected(case), strict=False):
            if 0 < answer.get("perft", 0) <= WALKED:
                board = reference.after_moves(reference.request_of(value, ""), "")
                assert _walked(board, _depth(value)) == answer["perft"], case
                walked += 1
    assert walked > 20


def _depth(request: Any) -> int:
    (depth,) = (q["perft"].text for q in request["ask"] if isinstance(q, dict) and "perft" in q)
    return int(depth)
