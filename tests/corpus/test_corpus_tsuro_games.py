"""The suites xref and xadmin: each case against two answers, and what all of them cover.

The answers are the programs' own (in process, without their stdio) and those of
reference_tsuro_game.py. The programs can play 351 games and no other: all of them are looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Final

import pytest
import reference_tsuro_game as reference
from reference_json import values_of

from engines.tsuro import (
    FIRST,
    SECOND,
    THIRD,
    Player,
    Standing,
    endless_deck,
    play_game,
    standing_of,
)
from harness.jsonfast import decode
from harness.jsontext import PROGRAM_DEPTH, Decoder, Json, Printable, encode
from harness.judging.equality import differences
from harness.records import Case, Difference
from harness.suites import bundled
from harness.suites.contract import contracts_of
from harness.suites.corpus import Suite, read_case, read_suite
from xtests import xadmin, xref
from xtests.refusal import Refused, malformed

SUITES: Final = ("xref", "xadmin")
KINDS: Final = {"malformed-json", "incomplete-input", "invalid-spec"}
STRATEGIES: Final[dict[str, Player]] = {"first": FIRST, "second": SECOND, "third": THIRD}


@cache
def _suite(name: str) -> Suite:
    return read_suite(name, bundled.test_cases_folder() / name)


@cache
def _cases(suite: str) -> list[Case]:
    read = [read_case(_suite(suite), name) for name in _suite(suite).names]
    cases = [case for case in read if isinstance(case, Case)]
    assert cases == read, "a case is broken"
    return cases


def _error_of(case: Case) -> dict[str, Json] | None:
    (value,) = case.expected
    assert isinstance(value, dict)
    error = value.get("error")
    return error if isinstance(error, dict) else None


# Two answers.


def _program_answer(suite: str, text: bytes) -> list[Printable]:
    """What the program prints, put together from its pure parts."""
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(text) + decoder.close()
    try:
        if decoder.fault is not None:
            raise malformed(decoder.fault)
        return [(xref if suite == "xref" else xadmin).answer(values)]
    except Refused as refusal:
        return [refusal.error_object()]


def _reference_answer(suite: str, text: bytes) -> list[Printable]:
    return [*(reference.xref if suite == "xref" else reference.xadmin)(text)]


def _compared(case: Case, answers: list[Printable]) -> list[Difference]:
    actual = decode("\n".join(encode(answer) for answer in answers).encode()).values
    return list(differences(case.expected, actual, case.policy.comparison))


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("answer", [_program_answer, _reference_answer])
def test_every_expected_output_is_the_answer(
    suite: str, answer: Callable[[str, bytes], list[Printable]]
) -> None:
    wrong = {case.name: _compared(case, answer(suite, case.stdin)) for case in _cases(suite)}
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
    page = (bundled.test_cases_folder() / suite / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| ([a-z]*-?\d+) \|", page, re.MULTILINE)
    assert Counter(named) == Counter(case.name for case in _cases(suite))
    assert f"\n{len(_cases(suite))} cases for programs that" in page


@pytest.mark.parametrize("suite", SUITES)
def test_the_other_readings_of_a_page_name_cases_that_are_there(suite: str) -> None:
    page = (bundled.test_cases_folder() / suite / "README.md").read_text(encoding="utf-8")
    table = page.split("| the other reading |")[1].split("\n\n")[0]
    names = {case.name for case in _cases(suite)}
    rows = table.splitlines()[2:]
    assert len(rows) >= 10
    for row in rows:
        listed = re.findall(r"(?:[a-z]+-)?\d+", row.split("|")[2].split(" and others")[0])
        assert listed and set(listed) <= names, row


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


# All games that there are.

_Strategies = tuple[str, ...]


@cache
def _games() -> dict[_Strategies, reference.Game]:
    every = [each for count in (3, 4, 5) for each in product(tuple(STRATEGIES), repeat=count)]
    return {
        each: reference.game([reference.Player(str(k), one) for k, one in enumerate(each)])
        for each in every
    }


def _shape(count: int, game: reference.Game) -> tuple[int, tuple[int, ...]]:
    """How many play, and how many share each rank: all others cheat."""
    return count, tuple(map(len, game.winners))


def test_the_engine_and_the_reference_agree_on_all_games_that_there_are() -> None:
    assert len(_games()) == 3**3 + 3**4 + 3**5
    for strategies, game in _games().items():
        played = play_game([STRATEGIES[each] for each in strategies], endless_deck())
        standing = standing_of(played, [str(k) for k, _ in enumerate(strategies)])
        ranking = tuple(tuple(rank) for rank in game.winners)
        found = Standing(standing.ranking, tuple(sorted(standing.cheaters)))
        assert found == Standing(ranking, tuple(game.cheaters)), strategies


def test_of_every_game_somebody_has_a_rank_as_the_page_says() -> None:
    assert all(game.winners for game in _games().values())


def test_only_games_of_three_and_four_send_everybody_on_as_the_page_says() -> None:
    sizes = {
        len(strategies)
        for strategies, game in _games().items()
        if sum(map(len, game.winners[:2])) == len(strategies)
    }
    assert sizes == {3, 4}


def test_a_legal_loop_comes_about_in_one_game_and_the_suite_has_it() -> None:
    looping = [strategies for strategies, game in _games().items() if "loops" in game.events]
    assert looping == [("third", "third", "second", "third")]
    assert any("loops" in game.events for _, held in _held() for game in held.games[-1:])


# What the cases cover. A case that is taken away, or loses its point, is missed here.


@cache
def _told() -> tuple[tuple[list[reference.Player], reference.Tournament], ...]:
    inputs = [case.stdin for case in _cases("xadmin") if _error_of(case) is None]
    players = [reference.players_of(list(values_of(text))) for text in inputs]
    return tuple((each, reference.tournament(each)) for each in players)


def _held() -> Iterator[tuple[list[reference.Player], reference.Tournament]]:
    yield from _told()


def test_there_are_enough_cases_and_of_errors_every_kind() -> None:
    assert len(_cases("xref")) >= 40
    assert len(_cases("xadmin")) >= 80
    for suite in SUITES:
        kinds = Counter(error["kind"] for case in _cases(suite) if (error := _error_of(case)))
        assert set(kinds) == KINDS
        assert min(kinds.values()) >= 2


def test_one_game_ends_in_every_way_that_there_is() -> None:
    every = {_shape(len(strategies), game) for strategies, game in _games().items()}
    met = {_shape(len(players), held.games[0]) for players, held in _held() if not held.rounds}
    assert met == every


def test_tournaments_have_every_number_of_players_and_all_three_strategies() -> None:
    assert {len(players) for players, _ in _held()} == set(range(3, 21))
    mixed = [len(players) for players, _ in _held() if len({p.strategy for p in players}) == 3]
    assert set(mixed) == set(range(3, 21))


def test_rounds_are_of_every_number_of_players_and_there_are_up_to_six() -> None:
    rounds = [sizes for _, held in _held() for sizes in held.rounds]
    assert {sum(sizes) for sizes in rounds} == set(range(6, 21))
    assert {len(held.rounds) for _, held in _held()} == set(range(7))


def test_tournaments_end_in_every_way_that_there_is() -> None:
    ends = Counter(
        (held.ended, len(held.games[-1].cheaters + sum(held.games[-1].winners, [])))
        for _, held in _held()
        if held.rounds
    )
    last = {size: count for (ended, size), count in ends.items() if ended == "last game"}
    assert set(last) == {3, 4, 5}
    stopped = Counter(len(held.winners[0]) for _, held in _held() if held.ended == "all went on")
    assert set(stopped) == {6, 7}
    assert sum(held.ended == "2 left" for _, held in _held()) >= 5


def test_the_tournament_with_the_most_cheaters_has_all_but_one_of_twenty() -> None:
    assert max(len(held.cheaters) for _, held in _held()) == 19


def test_every_spelling_of_a_strategy_is_read() -> None:
    text = b"".join(case.stdin for case in _cases("xadmin") if _error_of(case) is None).decode()
    for spelling in reference.SPELLINGS:
        assert f'"{spelling}"' in text
        assert f"/{spelling}." in text


def test_names_sort_otherwise_by_utf_16_and_without_regard_to_capitals() -> None:
    for suite in SUITES:
        answers = [case.expected[0] for case in _cases(suite) if _error_of(case) is None]
        lists = [names for answer in answers for names in _lists(answer)]
        assert any(
            sorted(names, key=lambda each: each.encode("utf-16-be")) != names for names in lists
        )
        assert any(sorted(names, key=str.lower) != names for names in lists)
        assert all(sorted(names) == names for names in lists)


def _lists(answer: Json) -> Iterator[list[str]]:
    """The lists of names in an answer."""
    if isinstance(answer, dict):
        for part in answer.values():
            yield from _lists(part)
    elif isinstance(answer, list) and answer and isinstance(answer[0], list):
        for part in answer:
            yield from _lists(part)
    elif isinstance(answer, list):
        yield [each for each in answer if isinstance(each, str)]
