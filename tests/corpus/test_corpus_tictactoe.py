"""The suite xtictactoe: each case against two answers, and what all of them cover.

The answers are the program's own (in process, without its stdio) and those of
reference_tictactoe.py, which also has to agree with the program on requests that no case has.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
import reference_tictactoe as reference
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.jsonfast import decode
from harness.jsontext import PROGRAM_DEPTH, Decoder, Json, Printable, encode
from harness.judging.equality import differences
from harness.records import Case, Difference
from harness.suites import bundled
from harness.suites.contract import contracts_of
from harness.suites.corpus import Suite, read_case, read_suite
from xtests import xtictactoe
from xtests.refusal import EVERYTHING, Refused, element, malformed

FOLDER = bundled.test_cases_folder() / "xtictactoe"

# A value of JSON as Python's json module has it.
Plain = Any


@cache
def _suite() -> Suite:
    return read_suite("xtictactoe", FOLDER)


@cache
def _cases() -> list[Case]:
    read = [read_case(_suite(), name) for name in _suite().names]
    cases = [case for case in read if isinstance(case, Case)]
    assert cases == read, "a case is broken"
    return cases


def _program_answers(text: bytes) -> list[Printable]:
    """What the program prints, put together from its pure parts."""
    decoder = Decoder(PROGRAM_DEPTH)
    answers: list[Printable] = []
    for k, value in enumerate(decoder.feed(text) + decoder.close()):
        try:
            answers.append(xtictactoe.answer(value, element(EVERYTHING, k)))
        except Refused as refusal:
            answers.append(refusal.error_object())
    if decoder.fault is not None:
        answers.append(malformed(decoder.fault).error_object())
    return answers


def _reference_answers(text: bytes) -> list[Printable]:
    return [*reference.printed(text)]


def _compared(case: Case, answers: list[Printable]) -> list[Difference]:
    actual = decode("\n".join(map(encode, answers)).encode()).values
    return list(differences(case.expected, actual, case.policy.comparison))


@pytest.mark.parametrize("answers", [_program_answers, _reference_answers])
def test_every_expected_output_is_the_answer(answers: Callable[[bytes], list[Printable]]) -> None:
    wrong = {case.name: _compared(case, answers(case.stdin)) for case in _cases()}
    assert {name: found for name, found in wrong.items() if found} == {}


def test_only_a_stream_that_is_no_json_comes_with_status_1() -> None:
    for case in _cases():
        assert str(case.policy.exit) == str(reference.status(case.stdin)), case.name


def _requests() -> st.SearchStrategy[Plain]:
    """Requests of a right form, of which some cannot be served, and some whose form is wrong."""
    cells = st.integers(0, 8)
    states = st.fixed_dictionaries(
        {
            "board": st.text("XO.", min_size=9, max_size=9) | st.text("XO.", max_size=10),
            "player": st.sampled_from(["X", "O"]),
        }
    )
    # No tree, of which the reference has to walk many: the cases have enough of them.
    plain = [name for name in reference.PLAIN if name not in ("tree", "reachable")]
    queries = (
        st.sampled_from(plain)
        | st.fixed_dictionaries({"mark": cells})
        | st.fixed_dictionaries({"symbol": st.lists(st.integers(0, 2), min_size=2, max_size=2)})
        | st.fixed_dictionaries({"perft": st.integers(0, 3)})
        | st.sampled_from(["perft", "", {}, {"state": 1}, {"mark": 9}, {"symbol": [0, 3]}])
    )
    return st.fixed_dictionaries(
        {"ask": st.lists(queries, max_size=6)},
        optional={
            "state": states,
            "moves": st.lists(cells, unique=True, max_size=9) | st.lists(cells, max_size=3),
        },
    )


@settings(deadline=None, max_examples=150)
@given(st.lists(_requests(), max_size=4))
def test_the_reference_agrees_on_requests_that_no_case_has(requests: list[Plain]) -> None:
    """Two programs that were written from one page print the same."""
    text = "".join(map(json.dumps, requests)).encode()
    assert _without_messages(_program_answers(text)) == _reference_answers(text)


def _without_messages(answers: list[Printable]) -> Plain:
    plain = json.loads(encode(answers))
    for answer in plain:
        if "error" in answer:
            del answer["error"]["message"]
    return plain


# The folder, its page, its schemas.


def test_every_file_is_one_side_of_a_case_its_page_or_its_settings() -> None:
    files = {file.name for file in FOLDER.iterdir()}
    sides = {f"{case.name}-{side}.json" for case in _cases() for side in ("in", "out")}
    assert files == sides | {"README.md", "suite.toml"}


def test_the_page_has_each_case_once_and_counts_them() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| ([a-z]+-\d+) \| [A-Z0-9`~]", page, re.M)
    assert Counter(named) == Counter(case.name for case in _cases())
    assert f"\n{len(_cases())} cases for programs that" in page


def test_no_two_cases_have_the_same_input() -> None:
    streams: dict[str, str] = {}
    for case in _cases():
        decoded = decode(case.stdin)
        # How a stream is dressed does not count, where it is one and has values at all.
        is_stream = decoded.fault is None and decoded.values
        key = encode(decoded.values) if is_stream else case.stdin.hex()
        assert key not in streams, f"{case.name} has the input of {streams[key]}"
        streams[key] = case.name


def test_every_case_keeps_the_schemas_or_says_that_it_does_not() -> None:
    violation = contracts_of([_suite()], bundled.schemas_folder())
    assert {case.name: violation(case) for case in _cases() if violation(case)} == {}


# What the cases cover. A case that is taken away, or loses its point, is missed here.


@cache
def _pairs() -> list[tuple[Plain, Plain]]:
    """Each request that is answered, with its answer."""
    return [pair for pair in _all_pairs() if "error" not in pair[1]]


@cache
def _all_pairs() -> list[tuple[Plain, Plain]]:
    """Each request with what is printed for it."""
    found = []
    for case in _cases():
        decoder = Decoder(PROGRAM_DEPTH)
        values: list[Json] = decoder.feed(case.stdin)
        requests = [json.loads(encode(value)) for value in values + decoder.close()]
        answers = [json.loads(encode(answer)) for answer in case.expected]
        # The error object of a malformed stream has no request.
        found += list(zip(requests, answers, strict=False))
    return found


def _told(name: str) -> list[Plain]:
    """All answers to one query."""
    return [answer[name] for _, answer in _pairs() if name in answer]


def _places(kind: str) -> Iterator[str]:
    """Where the errors of this kind are: indices as n, and names that nothing has as NAME."""
    for case in _cases():
        for value in case.expected:
            error = json.loads(encode(value)).get("error", {})
            if error.get("kind") == kind and isinstance(error["at"], str):
                yield _shape(error["at"].split("/")[1:])


def _shape(steps: list[str]) -> str:
    match steps[1:]:
        case [("moves" | "ask") as name, _]:
            return f"n/{name}/n"
        case ["ask", _, name]:
            return f"n/ask/n/{name if name in reference.WITH_ARGUMENT else 'NAME'}"
        case ["ask", _, "symbol", _]:
            return "n/ask/n/symbol/n"
        case ["state", name]:
            return f"n/state/{name if name in ('board', 'player') else 'NAME'}"
        case [name]:
            return f"n/{name if name in ('state', 'moves', 'ask') else 'NAME'}"
        case rest:
            assert not rest
            return "n"


def test_there_are_more_than_a_hundred_cases_and_more_than_a_thousand_requests() -> None:
    assert len(_cases()) >= 180
    assert len(_pairs()) >= 1000


def test_every_query_is_answered_many_times_and_not_always_the_same() -> None:
    for name in reference.QUERIES:
        answers = [encode(answer) for answer in _told(name)]
        assert len(answers) >= 6, name
        assert len(set(answers)) >= (2 if name in ("player", "finished") else 3), name


def test_every_line_is_held_by_either_player_and_up_to_eight_at_once() -> None:
    answers = [answer for _, answer in _pairs() if {"winner", "winning_lines"} <= set(answer)]
    held = {(told["winner"], *line) for told in answers for line in told["winning_lines"]}
    assert held == {(winner, *line) for winner in "XO" for line in reference.LINES}
    assert {len(lines) for lines in _told("winning_lines")} >= {0, 1, 2, 8}


@pytest.mark.parametrize(
    ("name", "answers"),
    [
        ("utility", {1, 0, -1, None}),
        ("value", {1, 0, -1}),
        ("winner", {"X", "O", None}),
        ("mark", {"X", "O", None}),
        ("symbol", {"X", "O", " "}),
        ("finished", {True, False}),
        ("player", {"X", "O"}),
    ],
)
def test_every_answer_of_a_small_query_is_expected(name: str, answers: set[Plain]) -> None:
    assert set(_told(name)) == answers


@pytest.mark.parametrize("name", ["actions", "best_moves"])
def test_every_cell_is_the_only_answer_somewhere_or_among_several(name: str) -> None:
    found = _told(name)
    assert {cell for cells in found for cell in cells} == set(range(9))
    assert [0] in found and [8] in found and [] in found


def test_every_position_of_the_game_is_asked_for_up_to_symmetry() -> None:
    values = {
        (answer["canonical"]["board"], answer["canonical"]["player"])
        for _, answer in _pairs()
        if "value" in answer and "canonical" in answer
    }
    boards = {"........."}
    for player in "XOXOXOXOX":
        for board in list(boards):
            if board.count("X") - board.count("O") == (player == "O"):
                boards |= set(reference.next_boards(board, player))
    classes = {reference.canonical(board) for board in boards}
    assert len(classes) == 765
    assert classes <= {board for board, _ in values}


def test_the_known_numbers_are_expected() -> None:
    assert {tree["nodes"] for tree in _told("tree")} >= {549_946, 1, 2}
    assert {tree["games"] for tree in _told("tree")} >= {255_168, 27_732, 29_592, 25_872}
    assert {told["up_to_symmetry"] for told in _told("reachable")} >= {765, 1}
    depths = {
        query["perft"]: answer["perft"]
        for request, answer in _pairs()
        for query in request["ask"]
        if set(request) == {"ask"} and isinstance(query, dict) and "perft" in query
    }
    assert [depths[depth] for depth in range(10)] == [
        *(1, 9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872)
    ]


def test_states_that_no_game_comes_to_are_asked_for_too() -> None:
    boards = [request["state"]["board"] for request, _ in _pairs() if "state" in request]
    more = {board.count("X") - board.count("O") for board in boards}
    assert more >= {-9, -2, -1, 0, 1, 2, 9}


def test_a_form_is_refused_at_every_place_where_it_can_be() -> None:
    assert set(_places("invalid-spec")) == {
        *("n", "n/NAME", "n/state", "n/state/board", "n/state/player", "n/state/NAME"),
        *("n/moves", "n/moves/n", "n/ask", "n/ask/n", "n/ask/n/NAME", "n/ask/n/mark"),
        *("n/ask/n/perft", "n/ask/n/symbol", "n/ask/n/symbol/n"),
    }
    assert set(_places("illegal-move")) == {"n/moves/n"}


def test_every_kind_of_error_is_expected_many_times() -> None:
    kinds = Counter(
        json.loads(encode(value)).get("error", {}).get("kind")
        for case in _cases()
        for value in case.expected
    )
    assert set(kinds) == {None, "malformed-json", "invalid-spec", "illegal-move"}
    assert min(kinds.values()) >= 15
