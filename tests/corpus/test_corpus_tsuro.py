"""The suites xtiles and xboard: each case against two answers, and what all of them cover.

The answers are the programs' own (in process, without their stdio) and those of reference_tsuro.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise, product

import pytest
import reference_tsuro as reference
from reference_json import values_of

from harness.jsonfast import decode
from harness.jsontext import PROGRAM_DEPTH, Decoder, Json, Printable, encode
from harness.judging.equality import differences
from harness.records import Case, Difference
from harness.suites import bundled
from harness.suites.contract import contracts_of
from harness.suites.corpus import Suite, read_case, read_suite
from xtests import xboard, xtiles
from xtests.refusal import Pointer, Refused, element, incomplete, malformed

SUITES = ("xtiles", "xboard")
ERROR_KINDS = {
    "xtiles": {"malformed-json", "incomplete-input", "invalid-spec"},
    "xboard": {"malformed-json", "incomplete-input", "invalid-spec", "illegal-move"},
}
# Tiles by how many distinct turns they have.
TURNS = {
    index: len({frozenset(reference.wires_of((index, turn)).items()) for turn in (0, 90, 180, 270)})
    for index in range(35)
}


@cache
def _suite(name: str) -> Suite:
    return read_suite(name, bundled.test_cases_folder() / name)


@cache
def _cases(suite: str) -> list[Case]:
    read = [read_case(_suite(suite), name) for name in _suite(suite).names]
    cases = [case for case in read if isinstance(case, Case)]
    assert cases == read, "a case is broken"
    return cases


def _compared(case: Case, answers: list[Printable]) -> list[Difference]:
    actual = decode("\n".join(encode(answer) for answer in answers).encode()).values
    return list(differences(case.expected, actual, case.policy.comparison))


# Two answers.


def _of_xtiles(values: list[Json], answers: list[Printable]) -> None:
    for number, query in enumerate(values):
        answers.append(xtiles.answer(query, element(Pointer(""), number)))


def _program_answers(suite: str, text: bytes) -> list[Printable]:
    """What the program prints, put together from its pure parts."""
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(text) + decoder.close()
    answers: list[Printable] = []
    try:
        if suite == "xtiles":
            _of_xtiles(values, answers)
        if decoder.fault is not None:
            raise malformed(decoder.fault)
        if suite == "xboard":
            answers.append(xboard.answer(values))
        if not answers:
            raise incomplete(0, "a query")
    except Refused as refusal:
        answers.append(refusal.error_object())
    return answers


def _reference_answers(suite: str, text: bytes) -> list[Printable]:
    second: Callable[[bytes], list[reference.Answer]] = getattr(reference, suite)
    return [*second(text)]


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("answers", [_program_answers, _reference_answers])
def test_every_expected_output_is_the_answer(
    suite: str, answers: Callable[[str, bytes], list[Printable]]
) -> None:
    wrong = {case.name: _compared(case, answers(suite, case.stdin)) for case in _cases(suite)}
    assert {name: found for name, found in wrong.items() if found} == {}


@pytest.mark.parametrize("suite", SUITES)
def test_an_error_and_only_an_error_comes_with_status_1(suite: str) -> None:
    for case in _cases(suite):
        assert str(case.policy.exit) == ("1" if _error_of(case) else "0"), case.name


# The folder, its page, its schemas.


@pytest.mark.parametrize("suite", SUITES)
def test_every_file_of_a_suite_is_one_side_of_a_case_its_page_or_its_settings(suite: str) -> None:
    files = {file.name for file in (bundled.test_cases_folder() / suite).iterdir()}
    sides = {f"{case.name}-{side}.json" for case in _cases(suite) for side in ("in", "out")}
    assert files == sides | {"README.md", "suite.toml"}


@pytest.mark.parametrize("suite", SUITES)
def test_the_page_of_a_suite_has_each_case_once_and_counts_them(suite: str) -> None:
    page = (bundled.test_cases_folder() / suite / "README.md").read_text()
    assert Counter(_named_by(page)) == Counter(case.name for case in _cases(suite))
    assert f"\n{len(_cases(suite))} cases for programs that" in page


def _named_by(page: str) -> Iterator[str]:
    """The cases that the first cells of a page's tables name, ranges one by one."""
    for first, last in re.findall(r"^\| ([a-z0-9-]+)(?: to ([a-z0-9-]+))? \|", page, re.MULTILINE):
        prefix, _, number = first.rpartition("-")
        if number.isdecimal():
            numbers = range(int(number), int(last.rpartition("-")[2] if last else number) + 1)
            yield from (f"{prefix}-{each}" if prefix else str(each) for each in numbers)


@pytest.mark.parametrize("suite", SUITES)
def test_no_two_cases_of_a_suite_have_the_same_input(suite: str) -> None:
    streams: dict[tuple[str, ...], str] = {}
    for case in _cases(suite):
        decoded = decode(case.stdin)
        # How a stream is dressed does not count, where it is one and has values at all.
        is_stream = decoded.fault is None and decoded.values
        key = tuple(map(encode, decoded.values)) if is_stream else ("bytes", case.stdin.hex())
        assert key not in streams, f"{case.name} has the input of {streams[key]}"
        streams[key] = case.name


@pytest.mark.parametrize("suite", SUITES)
def test_every_case_keeps_the_schemas_or_says_that_it_does_not(suite: str) -> None:
    violation = contracts_of([_suite(suite)], bundled.schemas_folder())
    assert {case.name: violation(case) for case in _cases(suite) if violation(case)} == {}


# What the cases cover. A case that is taken away, or loses its point, is missed here.


def _error_of(case: Case) -> dict[str, Json] | None:
    last = case.expected[-1]
    error = last.get("error") if isinstance(last, dict) else None
    return error if isinstance(error, dict) else None


@cache
def _told() -> list[list[reference.Move]]:
    """Of every case of xboard that is no error: the state, and each action performed."""
    inputs = [case.stdin for case in _cases("xboard") if _error_of(case) is None]
    return [list(reference.moves(list(values_of(text)))) for text in inputs]


def _played() -> list[list[reference.Move]]:
    """Of those, the ones with an action."""
    return [moves for moves in _told() if len(moves) > 1]


def _steps() -> Iterator[tuple[reference.TilePat, str, str]]:
    """Every step of every avatar: the tile, and the ports where it came in and went out."""
    for moves in _played():
        for move in moves:
            for path in move.paths.values():
                for (_, _, port), (x, y, exit_) in pairwise(path):
                    yield move.patterns[x, y], reference.TOUCHES[port], exit_


@pytest.mark.parametrize("suite", SUITES)
def test_every_kind_of_error_is_expected_several_times(suite: str) -> None:
    kinds = Counter(error["kind"] for case in _cases(suite) if (error := _error_of(case)))
    assert set(kinds) == ERROR_KINDS[suite]
    assert min(kinds.values()) >= 2


def test_every_wire_of_every_tile_is_asked_for_from_both_ends_and_at_every_turn() -> None:
    asked = Counter(
        encode(value)
        for case in _cases("xtiles")
        if case.name.startswith("tile-")
        for value in decode(case.stdin).values
    )
    queries = product(range(35), (0, 90, 180, 270), "ABCDEFGH")
    assert asked == Counter(encode(query) for query in queries)


def test_every_wire_of_every_tile_is_travelled() -> None:
    travelled = set()
    for (index, turn), in_, out in _steps():
        unturned = [
            reference.LETTERS[(reference.LETTERS.index(port) - turn // 45) % 8]
            for port in (in_, out)
        ]
        travelled.add((index, "".join(sorted(unturned))))
    assert travelled == {(i, wire) for i in range(35) for wire in reference.TILES[i].split()}


def test_tiles_of_every_turn_are_entered_and_left_by_every_port() -> None:
    seen = {(turn, port) for (_, turn), in_, out in _steps() for port in (in_, out)}
    assert seen == set(product((0, 90, 180, 270), "ABCDEFGH"))


def test_red_rests_on_every_tile_in_a_turn_that_tells_its_symmetry() -> None:
    # Half a turn tells the tiles with four turns from all others; where two turns give the same
    # wires, one of them is not the least.
    last = [moves[-1] for moves in _told() if moves and isinstance(moves[-1].outcome, list)]
    ends = [(move, move.paths["red"][-1]) for move in last]
    rests = {move.patterns[x, y] for move, (x, y, _) in ends}
    telling = {1: {90, 180, 270}, 2: {180, 270}, 4: {180, 270}}
    silent = [i for i in range(35) if not any((i, turn) in rests for turn in telling[TURNS[i]])]
    assert silent == []


@pytest.mark.parametrize(
    "word", ["red never played", "infinite", "collision", "red died", "[red rests]"]
)
def test_every_outcome_is_expected_several_times(word: str) -> None:
    outcomes = Counter(
        "[red rests]" if isinstance(case.expected[0], list) else case.expected[0]
        for case in _cases("xboard")
        if _error_of(case) is None
    )
    assert outcomes[word] >= 5


def test_every_two_outcomes_come_about_by_one_action_and_all_three_do() -> None:
    together = {
        (bool(last.looping), bool(last.colliding), "red" in last.leaving): last.outcome
        for last in (moves[-1] for moves in _played())
    }
    assert together[True, True, False] == "infinite"
    assert together[True, False, True] == "infinite"
    assert together[True, True, True] == "infinite"
    assert together[False, True, True] == "collision"


def test_every_outcome_comes_about_without_red() -> None:
    last_moves = [moves[-1] for moves in _played()]
    assert any(move.looping and "red" not in move.looping for move in last_moves)
    assert any(move.colliding and "red" not in move.colliding for move in last_moves)
    assert any(move.leaving and "red" not in move.leaving for move in last_moves)


def test_red_leaves_by_every_port_and_rests_in_every_corner() -> None:
    last = [(moves[-1], moves[-1].paths["red"][-1]) for moves in _played()]
    left_by = {port for move, (_, _, port) in last if move.outcome == "red died"}
    assert left_by == set("ABCDEFGH")
    rests = {(x, y) for move, (x, y, _) in last if isinstance(move.outcome, list)}
    assert rests >= {(0, 0), (9, 0), (0, 9), (9, 9)}


def test_tiles_are_crossed_up_to_four_times_in_one_move() -> None:
    most = {
        max(Counter((x, y) for x, y, _ in path[1:]).values())
        for moves in _played()
        for path in moves[-1].paths.values()
        if len(path) > 1
    }
    assert most >= {1, 2, 3, 4}


def test_five_avatars_move_meet_and_loop_at_once_and_games_are_long() -> None:
    last = [moves[-1] for moves in _played()]
    assert any(len(move.paths) == 5 and min(map(len, move.paths.values())) > 1 for move in last)
    assert any(len(move.colliding) == 5 for move in last)
    assert any(len(move.looping) == 5 for move in last)
    assert sum(len(moves) > 30 for moves in _played()) >= 5
    assert max(len(moves) for moves in _played()) == 98  # the state, and 97 actions
