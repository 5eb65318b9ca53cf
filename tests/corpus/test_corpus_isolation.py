"""The suite xisolation: each case against two answers, and what all of them cover.

The answers are the program's own (in process, without its stdio) and those of
reference_isolation.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import permutations, product

import pytest
import reference_isolation as reference

from harness.jsonfast import decode
from harness.jsontext import PROGRAM_DEPTH, Decoder, Json, Printable, encode
from harness.judging.equality import differences
from harness.records import Case, Difference
from harness.suites import bundled
from harness.suites.contract import contracts_of
from harness.suites.corpus import Suite, read_case, read_suite
from xtests import xisolation
from xtests.refusal import EVERYTHING, Refused, element, malformed

WORDS = ("state", "player", "actions", "terminal", "bitboard", "text", "picture")
TAKING = ("liberties", "utility", "ind2xy", "perft", "encoding")
CELLS = {13 * row + column for row in range(9) for column in range(11)}
STEPS = {25, 11, -15, -27, -25, -11, 15, 27}
# The places that the page names, but for numbers and for names that no one knows.
PLACES = {
    *("/k", "/k/NAME", "/k/state", "/k/state/NAME", "/k/state/board", "/k/state/ply_count"),
    *("/k/state/locs", "/k/state/locs/k", "/k/moves", "/k/moves/k", "/k/ask", "/k/ask/k"),
    *(f"/k/ask/k/{name}" for name in ("NAME", *TAKING)),
    *(f"/k/ask/k/encoding/{name}" for name in ("NAME", "width", "height")),
}


@cache
def _suite() -> Suite:
    return read_suite("xisolation", bundled.test_cases_folder() / "xisolation")


@cache
def _cases() -> list[Case]:
    read = [read_case(_suite(), name) for name in _suite().names]
    cases = [case for case in read if isinstance(case, Case)]
    assert cases == read, "a case is broken"
    return cases


def _compared(case: Case, answers: list[Printable]) -> list[Difference]:
    actual = decode("\n".join(encode(answer) for answer in answers).encode()).values
    return list(differences(case.expected, actual, case.policy.comparison))


# Two answers.


def _program_answers(text: bytes) -> list[Printable]:
    """What the program prints, put together from its pure parts."""
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(text) + decoder.close()
    answers = [_printed(value, number) for number, value in enumerate(values)]
    if decoder.fault is not None:
        answers.append(malformed(decoder.fault).error_object())
    return answers


def _printed(value: Json, number: int) -> Printable:
    try:
        return xisolation.answer(value, element(EVERYTHING, number))
    except Refused as refusal:
        return refusal.error_object()


def _reference_answers(text: bytes) -> list[Printable]:
    return [*reference.printed(text)]


@pytest.mark.parametrize("answers", [_program_answers, _reference_answers])
def test_every_expected_output_is_the_answer(answers: Callable[[bytes], list[Printable]]) -> None:
    wrong = {case.name: _compared(case, answers(case.stdin)) for case in _cases()}
    assert {name: found for name, found in wrong.items() if found} == {}


def test_malformed_json_and_nothing_else_comes_with_status_1() -> None:
    for case in _cases():
        assert str(case.policy.exit) == str(reference.status(case.stdin)), case.name
        is_malformed = any(error["kind"] == "malformed-json" for _, error in _errors(case))
        assert is_malformed == (reference.status(case.stdin) == 1), case.name


# The folder, its page, its schemas.


def test_every_file_of_the_suite_is_one_side_of_a_case_its_page_or_its_settings() -> None:
    files = {file.name for file in (bundled.test_cases_folder() / "xisolation").iterdir()}
    sides = {f"{case.name}-{side}.json" for case in _cases() for side in ("in", "out")}
    assert files == sides | {"README.md", "suite.toml"}


def test_the_page_of_the_suite_has_each_case_once_and_counts_them() -> None:
    page = (bundled.test_cases_folder() / "xisolation" / "README.md").read_text()
    named = re.findall(r"^\| ((?:[a-z-]+-)?\d+) \|", page, re.MULTILINE)
    assert Counter(named) == Counter(case.name for case in _cases())
    assert f"\n{len(_cases())} cases for programs that" in page


def test_no_two_cases_have_the_same_input() -> None:
    streams: dict[tuple[str, ...], str] = {}
    for case in _cases():
        decoded = decode(case.stdin)
        # How a stream is dressed does not count, where it is one and has values at all.
        is_stream = decoded.fault is None and decoded.values
        key = tuple(map(encode, decoded.values)) if is_stream else ("bytes", case.stdin.hex())
        assert key not in streams, f"{case.name} has the input of {streams[key]}"
        streams[key] = case.name


def test_every_case_keeps_the_schemas_or_says_that_it_does_not() -> None:
    violation = contracts_of([_suite()], bundled.schemas_folder())
    assert {case.name: violation(case) for case in _cases() if violation(case)} == {}


# What the cases cover. A case that is taken away, or loses its point, is missed here.


@cache
def _served() -> list[reference.Served]:
    """Every request that is served."""
    return [served for case in _json_cases() for served in reference.served(case.stdin)]


def _json_cases() -> list[Case]:
    return [case for case in _cases() if reference.status(case.stdin) == 0]


def _arguments(name: str) -> Iterator[tuple[reference.Served, str]]:
    """Every request that is served and has this query, with the query's argument as text."""
    for served in _served():
        for asked, argument in served.queries:
            if asked == name:
                yield served, "null" if argument is None else getattr(argument, "text", "size")


def _errors(case: Case) -> Iterator[tuple[Json, dict[str, Json]]]:
    """The error objects of a case, each with its request (null, where that is malformed)."""
    values = decode(case.stdin).values
    for number, printed in enumerate(case.expected):
        error = printed.get("error") if isinstance(printed, dict) else None
        if isinstance(error, dict):
            yield values[number] if number < len(values) else None, error


def _played() -> Iterator[tuple[reference.State, int]]:
    """Every move of a request that is served, with the state that it is played in."""
    for served in _served():
        yield from served.moves


def test_every_query_is_asked_often() -> None:
    asked = Counter(name for served in _served() for name in served.answer)
    assert set(asked) == {*WORDS, *TAKING}
    assert min(asked.values()) >= 10


def test_every_cell_is_placed_on_and_every_step_is_taken_by_both_players() -> None:
    done = {(state.mover, move) for state, move in _played() if state.played >= 2}
    assert done == {(player, step) for player in (0, 1) for step in STEPS}
    assert {move for state, move in _played() if state.played == 0} == CELLS
    assert {move for state, move in _played() if state.played == 1} >= {0, 10, 104, 114}


def test_liberties_are_asked_of_every_cell_and_of_null() -> None:
    assert {loc for _, loc in _arguments("liberties")} == {"null", *map(str, CELLS)}


def test_a_game_is_open_or_over_in_every_way_and_both_players_are_told() -> None:
    told = {
        (
            served.state.mover,
            *(not reference.choices(served.state, each) for each in (0, 1)),
            player,
        )
        for served, player in _arguments("utility")
    }
    assert told == set(product((0, 1), (False, True), (False, True), ("0", "1")))


def test_cell_0_is_a_last_resort_and_the_last_step_of_a_game() -> None:
    choices = [reference.choices(state, state.mover) for state, _ in _played()]
    assert {-15: (0, 0)} in choices
    assert {-27: (0, 0)} in choices
    ends = [served.state for served in _served() if len(served.moves) > 20]
    assert any(state.pieces[1 - state.mover] == (0, 0) for state in ends)


def test_counts_go_to_every_depth_and_are_small_and_large() -> None:
    counted = list(_arguments("perft"))
    assert {depth for _, depth in counted} == set("0123456")
    assert {served.answer["perft"] for served, _ in counted} >= {0, 1, 99, 9702, 55096, 309160}


def test_every_kind_of_error_is_expected_several_times() -> None:
    kinds = Counter(str(error["kind"]) for case in _cases() for _, error in _errors(case))
    assert set(kinds) == {"malformed-json", "invalid-spec", "illegal-move"}
    assert min(kinds.values()) >= 10


def test_every_place_that_the_page_names_is_at_fault_in_a_case() -> None:
    known = {"state", "moves", "ask", "board", "ply_count", "locs", *TAKING, "width", "height"}
    places = set()
    for case in _cases():
        for _, error in _errors(case):
            if error["kind"] == "invalid-spec":
                steps = str(error["at"]).split("/")[1:]
                shown = ("k" if s.isdigit() else s if s in known else "NAME" for s in steps)
                places.add("/".join(["", *shown]))
    assert places >= PLACES


def test_parts_of_a_state_contradict_each_other_in_every_order_of_the_text() -> None:
    orders, places = set(), set()
    for case in _cases():
        for request, error in _errors(case) if case.name.startswith("fact-") else ():
            state = request["state"] if isinstance(request, dict) else None
            assert isinstance(state, dict)
            orders.add(tuple(state))
            places.add(str(error["at"]).partition("/state/")[2])
    assert orders == set(permutations(("board", "ply_count", "locs")))
    assert places == {"board", "ply_count", "locs/0", "locs/1"}
