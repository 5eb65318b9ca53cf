"""The cases of xrules cover the flaws of all options, and rule out other readings of the rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
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

Reading = Callable[[Turn], str]


def _reading(
    *,
    tiles: Callable[[Turn], Container[int]] = lambda turn: turn.question.given,
    flaw: Callable[[Option], str] = lambda option: option.flaw,
    excuses: Callable[[str, list[str]], bool] = lambda mine, flaws: set(flaws) == {mine},
) -> Reading:
    """Return the reading in which these tiles are given, these are the flaws of options, and the
    flaw of the chosen one among those of all eight is legal if this excuses it."""

    def word(turn: Turn) -> str:
        if turn.chosen is None or turn.chosen.pattern[0] not in tiles(turn):
            return "cheating"
        mine = flaw(turn.chosen)
        is_legal = mine == "" or excuses(mine, [flaw(option) for option in turn.options])
        return "legal" if is_legal else "cheating"

    return word


_right: Final = _reading()


def _own_loop(option: Option) -> str:
    suicide = "suicide" if option.actor in option.moved.leaving else ""
    return "loop" if option.actor in option.moved.looping else suicide


def _turned_back(turn: Turn) -> str:
    if turn.chosen is None:
        return "cheating"
    index, angle = turn.chosen.pattern
    tiles, avatars, (actor, _), _ = turn.question
    other = reference.option_of(tiles, avatars, actor, (index, -angle % 360))
    return _right(turn._replace(chosen=other))


def _chosen_tile_alone(turn: Turn) -> str:
    half = slice(4) if turn.question.wanted[1][0] == turn.question.given[0] else slice(4, 8)
    return _reading(excuses=lambda mine, flaws: set(flaws[half]) == {mine})(turn)


def _equal_unless(turn: Turn, is_excluded: bool) -> str:
    """Return the word if the same flaw of all options excuses it only without an exclusion."""
    return _reading(excuses=lambda mine, flaws: set(flaws) == {mine} and not is_excluded)(turn)


READINGS: Final[dict[str, Reading]] = {
    "An avatar that is not on the board may act": lambda turn: (
        "legal" if turn.chosen is None else _right(turn)
    ),
    "Any tile may be placed": _reading(tiles=lambda _: range(35)),
    "Any tile may be placed if every option of the given ones has a flaw": _reading(
        tiles=lambda turn: range(35) if "." not in turn.flaws else turn.question.given
    ),
    "Only the first tile was given": _reading(tiles=lambda turn: turn.question.given[:1]),
    "Only the second tile was given": _reading(tiles=lambda turn: turn.question.given[1:]),
    "Index 0 is not a tile": _reading(tiles=lambda turn: set(turn.question.given) - {0}),
    "A tile is placed at 0 degrees, as it was given": lambda turn: (
        "cheating" if turn.question.wanted[1][1] else _right(turn)
    ),
    "Tiles are turned counter-clockwise": _turned_back,
    "Only a loop of the actor counts": _reading(flaw=_own_loop),
    "Returning to a square is a loop": _reading(
        flaw=lambda option: "loop" if option.most_crossings > 1 else option.flaw
    ),
    "Loops are always legal": _reading(flaw=lambda option: option.flaw.replace("loop", "")),
    "Suicides are always legal": _reading(flaw=lambda option: option.flaw.replace("suicide", "")),
    "It is a suicide if any avatar leaves": _reading(
        flaw=lambda option: option.flaw or ("suicide" if option.moved.leaving else "")
    ),
    "It is also a suicide if another avatar loops": _reading(
        flaw=lambda option: "suicide" if option.actor in option.moved.leaving else option.flaw
    ),
    "A collision is not allowed": _reading(
        flaw=lambda option: option.flaw or ("collision" if option.moved.colliding else "")
    ),
    "A loop is never legal": _reading(
        excuses=lambda mine, flaws: mine != "loop" and set(flaws) == {mine}
    ),
    "A suicide is never legal": _reading(
        excuses=lambda mine, flaws: mine != "suicide" and set(flaws) == {mine}
    ),
    "If every option has a flaw, every choice is legal": _reading(
        excuses=lambda _, flaws: "" not in flaws
    ),
    "A suicide is legal if all options that do not loop are suicides": _reading(
        excuses=lambda mine, flaws: set(flaws) <= {mine, "loop" if mine == "suicide" else mine}
    ),
    "A loop is legal if all options that are not suicides loop": _reading(
        excuses=lambda mine, flaws: set(flaws) <= {mine, "suicide" if mine == "loop" else mine}
    ),
    "Only the rotations of the chosen tile are considered": _chosen_tile_alone,
    "Only the first tile's options are considered": _reading(
        excuses=lambda mine, flaws: set(flaws[:4]) == {mine}
    ),
    "Only the second tile's options are considered": _reading(
        excuses=lambda mine, flaws: set(flaws[4:]) == {mine}
    ),
    "Only both tiles at 0 degrees are considered": _reading(
        excuses=lambda mine, flaws: set(flaws[::4]) == {mine}
    ),
    "Rotations by 180 and 270 degrees are not considered": _reading(
        excuses=lambda mine, flaws: {*flaws[:2], *flaws[4:6]} == {mine}
    ),
    "Two equal tiles are four options, not eight": lambda turn: _equal_unless(
        turn, len(set(turn.question.given)) == 1
    ),
    "All eight must loop the same avatars": lambda turn: _equal_unless(
        turn, len({tuple(option.moved.looping) for option in turn.options}) > 1
    ),
}


def _ruled_out() -> dict[str, list[str]]:
    part = readme_of("xrules").split("## Misreadings, and the cases that catch them\n")[1]
    rows = re.findall(r"^\| ([A-Z].*) \| ([0-9, ]+) \|$", part.split("\n## ")[0], re.MULTILINE)
    return {reading: cases.split(", ") for reading, cases in rows}


def test_the_readme_names_every_reading_that_is_ruled_out() -> None:
    assert list(_ruled_out()) == list(READINGS)


@pytest.mark.parametrize("reading", READINGS)
def test_another_reading_fails_the_cases_that_the_readme_names(reading: str) -> None:
    named = _ruled_out()[reading]
    failing = {name for name, turn in _turns().items() if READINGS[reading](turn) != turn.expected}
    assert named and set(named) <= failing
