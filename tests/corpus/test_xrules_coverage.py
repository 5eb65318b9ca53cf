"""The cases of xrules cover the flaws of all options, and rule out other readings of the rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple

import pytest
from support.corpus import cases_of, readme_of
from support.references import xrules as reference
from support.references.json_stream import values_of
from support.references.xrules import Option, Question


class Turn(NamedTuple):
    """A served case: the question, the expected word, and the chosen option among all eight.

    `chosen` is None and `options` is empty if the avatar is not on the board.
    """

    question: Question
    expected: str
    chosen: Option | None
    options: list[Option]

    @property
    def flaws(self) -> str:
        """The flaws of the eight options: L for a loop, S for a suicide, a dot for neither."""
        return "".join(option.flaw[:1].upper() or "." for option in self.options)


@cache
def _turns() -> dict[str, Turn]:
    return {
        case.name: _turn_of(case.stdin, case.expected[0])
        for case in cases_of("xrules")
        if isinstance(case.expected[0], str)
    }


def _turn_of(text: bytes, expected: str) -> Turn:
    question = reference.question_of(list(values_of(text)))
    actor, pattern = question.wanted
    if actor not in question.avatars:
        return Turn(question, expected, None, [])
    board = (question.tiles, question.avatars, actor)
    options = list(reference.options_of(*board, question.given))
    return Turn(question, expected, reference.option_of(*board, pattern), options)


# Other readings of the rules, each of which fails the cases that the README names for it.


def _by(turn: Turn, flaw: Callable[[Option], str]) -> str:
    """Return the word if these are the flaws of options."""
    if turn.chosen is None or turn.chosen.pattern[0] not in turn.question.given:
        return "cheating"
    return _judged(flaw(turn.chosen), [flaw(option) for option in turn.options])


def _judged(mine: str, flaws: list[str]) -> str:
    return "legal" if mine == "" or flaws == [mine] * len(flaws) else "cheating"


def _unless(turn: Turn, is_excused: Callable[[str, list[str]], bool]) -> str:
    """Return the word if exactly excused flaws are legal."""
    if turn.chosen is None or turn.chosen.pattern[0] not in turn.question.given:
        return "cheating"
    mine, flaws = turn.chosen.flaw, [option.flaw for option in turn.options]
    return "legal" if mine == "" or is_excused(mine, flaws) else "cheating"


def _given(turn: Turn, *given: int, there: bool = True) -> str:
    """Return the word if these tiles count as given."""
    if turn.chosen is None:
        return "cheating" if there else "legal"
    if turn.chosen.pattern[0] not in given:
        return "cheating"
    return _judged(turn.chosen.flaw, [option.flaw for option in turn.options])


def _own_loop(option: Option) -> str:
    suicide = "suicide" if option.actor in option.moved.leaving else ""
    return "loop" if option.actor in option.moved.looping else suicide


def _square_again(option: Option) -> str:
    return "loop" if option.most_crossings > 1 else option.flaw


def _turned_back(turn: Turn) -> str:
    if turn.chosen is None:
        return "cheating"
    index, angle = turn.chosen.pattern
    tiles, avatars, (actor, _), _ = turn.question
    other = reference.option_of(tiles, avatars, actor, (index, -angle % 360))
    return _by(turn._replace(chosen=other), lambda option: option.flaw)


def _all_by_one(turn: Turn) -> str:
    who = {tuple(option.moved.looping) for option in turn.options}
    return _unless(turn, lambda mine, flaws: set(flaws) == {mine} and len(who) == 1)


READINGS: Final[dict[str, Callable[[Turn], str]]] = {
    "An avatar that is not on the board may act": lambda turn: _given(
        turn, *turn.question.given, there=False
    ),
    "Any tile may be placed": lambda turn: _given(turn, *range(35)),
    "Any tile may be placed if every option of the given ones has a flaw": lambda turn: _given(
        turn, *(range(35) if "." not in turn.flaws else turn.question.given)
    ),
    "Only the first tile was given": lambda turn: _given(turn, turn.question.given[0]),
    "Only the second tile was given": lambda turn: _given(turn, turn.question.given[1]),
    "Index 0 is not a tile": lambda turn: _given(
        turn, *(index for index in turn.question.given if index)
    ),
    "A tile is placed at 0 degrees, as it was given": lambda turn: (
        "cheating" if turn.question.wanted[1][1] else _given(turn, *turn.question.given)
    ),
    "Tiles are turned counter-clockwise": _turned_back,
    "Only a loop of the actor counts": lambda turn: _by(turn, _own_loop),
    "Returning to a square is a loop": lambda turn: _by(turn, _square_again),
    "Loops are always legal": lambda turn: _by(
        turn, lambda option: option.flaw.replace("loop", "")
    ),
    "Suicides are always legal": lambda turn: _by(
        turn, lambda option: option.flaw.replace("suicide", "")
    ),
    "It is a suicide if any avatar leaves": lambda turn: _by(
        turn, lambda option: option.flaw or ("suicide" if option.moved.leaving else "")
    ),
    "It is also a suicide if another avatar loops": lambda turn: _by(
        turn,
        lambda option: "suicide" if option.actor in option.moved.leaving else option.flaw,
    ),
    "A collision is not allowed": lambda turn: _by(
        turn, lambda option: option.flaw or ("collision" if option.moved.colliding else "")
    ),
    "A loop is never legal": lambda turn: _unless(
        turn, lambda mine, flaws: mine != "loop" and set(flaws) == {mine}
    ),
    "A suicide is never legal": lambda turn: _unless(
        turn, lambda mine, flaws: mine != "suicide" and set(flaws) == {mine}
    ),
    "If every option has a flaw, every choice is legal": lambda turn: _unless(
        turn, lambda mine, flaws: "" not in flaws
    ),
    "A suicide is legal if all options that do not loop are suicides": lambda turn: _unless(
        turn, lambda mine, flaws: set(flaws) <= ({mine, "loop"} if mine == "suicide" else {mine})
    ),
    "A loop is legal if all options that are not suicides loop": lambda turn: _unless(
        turn, lambda mine, flaws: set(flaws) <= ({mine, "suicide"} if mine == "loop" else {mine})
    ),
    "Only the turns of the chosen tile are considered": lambda turn: _unless(
        turn,
        lambda mine, flaws: (
            set(flaws[:4] if turn.question.wanted[1][0] == turn.question.given[0] else flaws[4:])
            == {mine}
        ),
    ),
    "Only the first tile's options are considered": lambda turn: _unless(
        turn, lambda mine, flaws: set(flaws[:4]) == {mine}
    ),
    "Only the second tile's options are considered": lambda turn: _unless(
        turn, lambda mine, flaws: set(flaws[4:]) == {mine}
    ),
    "Only both tiles at 0 degrees are considered": lambda turn: _unless(
        turn, lambda mine, flaws: set(flaws[::4]) == {mine}
    ),
    "Turns by 180 and 270 degrees are not considered": lambda turn: _unless(
        turn, lambda mine, flaws: {*flaws[:2], *flaws[4:6]} == {mine}
    ),
    "Two equal tiles are four options, not eight": lambda turn: _unless(
        turn,
        lambda mine, flaws: set(flaws) == {mine} and len(set(turn.question.given)) == 2,
    ),
    "All eight must loop the same avatars": _all_by_one,
}


def _ruled_out() -> dict[str, list[str]]:
    part = (
        readme_of("xrules")
        .split("## Misreadings, and the cases that catch them\n")[1]
        .split("\n## ")[0]
    )
    rows = re.findall(r"^\| ([A-Z].*) \| ([0-9, ]+) \|$", part, re.MULTILINE)
    return {reading: cases.split(", ") for reading, cases in rows}


def test_the_readme_names_every_reading_that_is_ruled_out() -> None:
    assert list(_ruled_out()) == list(READINGS)


@pytest.mark.parametrize("reading", READINGS)
def test_another_reading_fails_the_cases_that_the_readme_names(reading: str) -> None:
    named = _ruled_out()[reading]
    failing = {name for name, turn in _turns().items() if READINGS[reading](turn) != turn.expected}
    assert named and set(named) <= failing
