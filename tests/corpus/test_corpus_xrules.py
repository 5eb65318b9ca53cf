"""The suite xrules: each case against two answers, what all of them cover, and what they rule out.

The answers are the program's own (in process, without its stdio) and that of reference_xrules.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

import pytest
import reference_xrules as reference
from reference_json import values_of
from reference_tsuro import LETTERS, faced_by
from reference_xrules import Option, Question

from harness.jsonfast import decode
from harness.jsontext import PROGRAM_DEPTH, Decoder, Json, Printable, encode
from harness.judging.equality import differences
from harness.records import Case, Difference
from harness.suites import bundled
from harness.suites.contract import contracts_of
from harness.suites.corpus import Suite, read_case, read_suite
from xtests import xrules
from xtests.refusal import Refused, malformed

FOLDER: Final = bundled.test_cases_folder() / "xrules"
PAGE: Final = (FOLDER / "README.md").read_text(encoding="utf-8")


@cache
def _suite() -> Suite:
    return read_suite("xrules", FOLDER)


@cache
def _cases() -> list[Case]:
    read = [read_case(_suite(), name) for name in _suite().names]
    cases = [case for case in read if isinstance(case, Case)]
    assert cases == read, "a case is broken"
    return cases


def _error_of(case: Case) -> dict[str, Json] | None:
    (value,) = case.expected
    error = value.get("error") if isinstance(value, dict) else None
    return error if isinstance(error, dict) else None


# Two answers.


def _program_answer(text: bytes) -> list[Printable]:
    """What the program prints, put together from its pure parts."""
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(text) + decoder.close()
    try:
        if decoder.fault is not None:
            raise malformed(decoder.fault)
        return [xrules.answer(values)]
    except Refused as refusal:
        return [refusal.error_object()]


def _reference_answer(text: bytes) -> list[Printable]:
    return [*reference.xrules(text)]


def _compared(case: Case, answers: list[Printable]) -> list[Difference]:
    actual = decode("\n".join(encode(answer) for answer in answers).encode()).values
    return list(differences(case.expected, actual, case.policy.comparison))


@pytest.mark.parametrize("answer", [_program_answer, _reference_answer])
def test_every_expected_output_is_the_answer(answer: Callable[[bytes], list[Printable]]) -> None:
    wrong = {case.name: _compared(case, answer(case.stdin)) for case in _cases()}
    assert {name: found for name, found in wrong.items() if found} == {}


def test_an_error_and_only_an_error_comes_with_status_1() -> None:
    for case in _cases():
        assert str(case.policy.exit) == ("1" if _error_of(case) else "0"), case.name


# The folder, its page, its schemas.


def test_every_file_of_the_suite_is_one_side_of_a_case_its_page_or_its_settings() -> None:
    sides = {f"{case.name}-{side}.json" for case in _cases() for side in ("in", "out")}
    assert {file.name for file in FOLDER.iterdir()} == sides | {"README.md", "suite.toml"}


def test_the_page_has_each_case_once_and_counts_them() -> None:
    named = re.findall(r"^\| ([a-z]*-?\d+) \|", PAGE, re.MULTILINE)
    assert Counter(named) == Counter(case.name for case in _cases())
    assert PAGE.split("\n")[2].startswith(f"{len(_cases())} cases for programs that")


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


class Told(NamedTuple):
    """A case that is no error: what is asked, and, if the avatar is on the board and the tile was
    given, what is chosen, and all eight options."""

    question: Question
    expected: str
    chosen: Option | None
    options: list[Option]

    @property
    def flaws(self) -> str:
        """Of the eight options: a letter for a loop and for a suicide, a dot for neither."""
        return "".join(option.flaw[:1].upper() or "." for option in self.options)


@cache
def _told() -> dict[str, Told]:
    return {
        case.name: _told_by(case.stdin, encode(case.expected[0]).strip('"'))
        for case in _cases()
        if _error_of(case) is None
    }


def _told_by(text: bytes, expected: str) -> Told:
    question = reference.question_of(list(values_of(text)))
    actor, pattern = question.wanted
    if actor not in question.avatars:
        return Told(question, expected, None, [])
    options = reference.options_of(question)
    return Told(question, expected, reference.outcome_of(question, pattern), options)


def _turns() -> Iterator[tuple[Told, Option]]:
    """Those that are judged by what they do."""
    for told in _told().values():
        if told.chosen is not None and told.chosen.pattern[0] in told.question.given:
            yield told, told.chosen


def test_there_are_cases_of_every_kind_and_enough() -> None:
    assert len(_cases()) >= 150
    words = Counter(told.expected for told in _told().values())
    assert min(words["legal"], words["cheating"]) >= 60
    kinds = Counter(error["kind"] for case in _cases() if (error := _error_of(case)))
    assert set(kinds) == {"malformed-json", "incomplete-input", "invalid-spec"}
    assert min(kinds.values()) >= 4


@pytest.mark.parametrize("flaw", "LS")
def test_each_of_the_eight_options_is_the_only_one_without_a_flaw(flaw: str) -> None:
    refused = {told.flaws for told, _ in _turns() if told.expected == "cheating"}
    assert refused >= {flaw * k + "." + flaw * (7 - k) for k in range(8)}


@pytest.mark.parametrize(("flaw", "other"), ["LS", "SL"])
def test_one_option_of_another_flaw_makes_everything_cheating(flaw: str, other: str) -> None:
    mixed = [
        (told, chosen)
        for told, chosen in _turns()
        if sorted(told.flaws) == sorted(flaw * 7 + other)
    ]
    assert {chosen.flaw[:1].upper() for _, chosen in mixed} == {flaw, other}
    assert {told.expected for told, _ in mixed} == {"cheating"}


@pytest.mark.parametrize("flaw", "LS")
def test_all_eight_of_one_flaw_are_legal_with_two_tiles_and_with_one_twice(flaw: str) -> None:
    given = [told.question.given for told, _ in _turns() if told.flaws == flaw * 8]
    assert {first == second for first, second in given} == {True, False}


def test_every_colour_acts_legally_and_cheats_from_every_port() -> None:
    acting = {(told.question.wanted[0], told.expected) for told, _ in _turns()}
    assert len(acting) == 10
    ports = {(told.question.avatars[chosen.actor][2], told.expected) for told, chosen in _turns()}
    assert len(ports) == 16


def test_the_one_who_acts_leaves_by_every_port() -> None:
    left_by = {
        chosen.paths[chosen.actor][-1][2]
        for told, chosen in _turns()
        if chosen.flaw == "suicide" and told.expected == "cheating"
    }
    assert left_by == set(LETTERS)


def test_every_degree_is_chosen_in_every_way() -> None:
    chosen = {(option.pattern[1], option.flaw, told.expected) for told, option in _turns()}
    for turn in (0, 90, 180, 270):
        assert {(turn, "", "legal"), (turn, "loop", "cheating"), (turn, "suicide", "cheating")} <= (
            chosen
        )


def test_tiles_are_crossed_up_to_four_times_without_a_loop() -> None:
    most = {chosen.most_crossings for told, chosen in _turns() if told.expected == "legal"}
    assert most >= {1, 2, 3, 4}


def test_some_avatars_stay_where_others_move() -> None:
    for told, chosen in _turns():
        square = faced_by(told.question.avatars[chosen.actor])
        for colour, place in told.question.avatars.items():
            assert (len(chosen.paths[colour]) > 1) == (faced_by(place) == square)
    assert any(min(map(len, chosen.paths.values())) == 1 for _, chosen in _turns())


# What the cases rule out: each point of the rules, read in another way.


def _by(told: Told, flaw: Callable[[Option], str]) -> str:
    """The word, where this is what speaks against an option."""
    if told.chosen is None or told.chosen.pattern[0] not in told.question.given:
        return "cheating"
    return _judged(flaw(told.chosen), [flaw(option) for option in told.options])


def _judged(mine: str, flaws: list[str]) -> str:
    return "legal" if mine == "" or flaws == [mine] * len(flaws) else "cheating"


def _unless(told: Told, is_excused: Callable[[str, list[str]], bool]) -> str:
    """The word, where a choice with a flaw is legal just if this is so of it and of all options."""
    if told.chosen is None or told.chosen.pattern[0] not in told.question.given:
        return "cheating"
    mine, flaws = told.chosen.flaw, [option.flaw for option in told.options]
    return "legal" if mine == "" or is_excused(mine, flaws) else "cheating"


def _given(told: Told, *given: int, there: bool = True) -> str:
    """The word, where these are the tiles that count as given."""
    if told.chosen is None:
        return "cheating" if there else "legal"
    if told.chosen.pattern[0] not in given:
        return "cheating"
    return _judged(told.chosen.flaw, [option.flaw for option in told.options])


def _own_loop(option: Option) -> str:
    suicide = "suicide" if option.actor in option.leaving else ""
    return "loop" if option.actor in option.looping else suicide


def _square_again(option: Option) -> str:
    return "loop" if option.most_crossings > 1 else option.flaw


def _turned_back(told: Told) -> str:
    if told.chosen is None:
        return "cheating"
    index, turn = told.chosen.pattern
    other = reference.outcome_of(told.question, (index, -turn % 360))
    return _by(told._replace(chosen=other), lambda option: option.flaw)


def _all_by_one(told: Told) -> str:
    """All eight loops excuse only if it is the same avatars by all of them."""
    who = {tuple(option.looping) for option in told.options}
    return _unless(told, lambda mine, flaws: set(flaws) == {mine} and len(who) == 1)


READINGS: Final[dict[str, Callable[[Told], str]]] = {
    "An avatar that is not on the board may act": lambda told: _given(
        told, *told.question.given, there=False
    ),
    "Any tile will do": lambda told: _given(told, *range(35)),
    "Any tile will do where no option of the given ones is without a flaw": lambda told: _given(
        told, *(range(35) if "." not in told.flaws else told.question.given)
    ),
    "Only the first tile was given": lambda told: _given(told, told.question.given[0]),
    "Only the second tile was given": lambda told: _given(told, told.question.given[1]),
    "Index 0 is no tile": lambda told: _given(
        told, *(index for index in told.question.given if index)
    ),
    "A tile is placed as it was given, at 0 degrees": lambda told: (
        "cheating" if told.question.wanted[1][1] else _given(told, *told.question.given)
    ),
    "Tiles are turned counter-clockwise": _turned_back,
    "Only a loop of the one who acts counts": lambda told: _by(told, _own_loop),
    "A square that comes again is a loop": lambda told: _by(told, _square_again),
    "Nobody minds a loop": lambda told: _by(told, lambda option: option.flaw.replace("loop", "")),
    "Nobody minds a suicide": lambda told: _by(
        told, lambda option: option.flaw.replace("suicide", "")
    ),
    "It is a suicide when anybody leaves": lambda told: _by(
        told, lambda option: option.flaw or ("suicide" if option.leaving else "")
    ),
    "It is a suicide too when somebody else loops": lambda told: _by(
        told,
        lambda option: "suicide" if option.actor in option.leaving else option.flaw,
    ),
    "A collision is not allowed": lambda told: _by(
        told, lambda option: option.flaw or ("collision" if option.colliding else "")
    ),
    "A loop is never legal": lambda told: _unless(
        told, lambda mine, flaws: mine != "loop" and set(flaws) == {mine}
    ),
    "A suicide is never legal": lambda told: _unless(
        told, lambda mine, flaws: mine != "suicide" and set(flaws) == {mine}
    ),
    "Where every option has some flaw, every choice is legal": lambda told: _unless(
        told, lambda mine, flaws: "" not in flaws
    ),
    "A suicide is legal where all options that do not loop are": lambda told: _unless(
        told, lambda mine, flaws: set(flaws) <= ({mine, "loop"} if mine == "suicide" else {mine})
    ),
    "A loop is legal where all options that are no suicides loop": lambda told: _unless(
        told, lambda mine, flaws: set(flaws) <= ({mine, "suicide"} if mine == "loop" else {mine})
    ),
    "Only the turns of the chosen tile are looked at": lambda told: _unless(
        told,
        lambda mine, flaws: (
            set(flaws[:4] if told.question.wanted[1][0] == told.question.given[0] else flaws[4:])
            == {mine}
        ),
    ),
    "Only the first tile's options are looked at": lambda told: _unless(
        told, lambda mine, flaws: set(flaws[:4]) == {mine}
    ),
    "Only the second tile's options are looked at": lambda told: _unless(
        told, lambda mine, flaws: set(flaws[4:]) == {mine}
    ),
    "Only both tiles as they were given, at 0 degrees, are looked at": lambda told: _unless(
        told, lambda mine, flaws: set(flaws[::4]) == {mine}
    ),
    "Turns by 180 and 270 degrees are not looked at": lambda told: _unless(
        told, lambda mine, flaws: {*flaws[:2], *flaws[4:6]} == {mine}
    ),
    "Two equal tiles are four options, and no eight": lambda told: _unless(
        told,
        lambda mine, flaws: set(flaws) == {mine} and len(set(told.question.given)) == 2,
    ),
    "All eight must put the same avatars in a loop": _all_by_one,
}


def _ruled_out(page: str) -> dict[str, list[str]]:
    """By reading: the cases that the page names for it."""
    part = page.split("## Read in another way\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([A-Z].*) \| ([0-9, ]+) \|$", part, re.MULTILINE)
    return {reading: cases.split(", ") for reading, cases in rows}


def test_the_page_names_every_reading_that_is_ruled_out() -> None:
    assert list(_ruled_out(PAGE)) == list(READINGS)


@pytest.mark.parametrize("reading", READINGS)
def test_another_reading_fails_the_cases_that_the_page_names(reading: str) -> None:
    named = _ruled_out(PAGE)[reading]
    failing = {name for name, told in _told().items() if READINGS[reading](told) != told.expected}
    assert named and set(named) <= failing
