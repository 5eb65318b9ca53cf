"""The cases of xmoves and xref that a README names for a misreading catch programs that have it.

Such a program is the reference with a few lines replaced. A row whose words can be read in several
ways has a program for each; every case that the row names fails with one of them at least.
"""

from __future__ import annotations

import inspect
import json
import re
import unicodedata
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Final

import pytest
from support.corpus import BundledCase, cases_of, readme_of
from support.references import tsuro_game, xmoves
from support.references.forms import Answer, printed_at_the_end

Variant = dict[str, str]
"""Texts of a reference, each of which occurs once, and their replacements."""

_NEIGHBOURS: Final = "{(x, y), (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & set(tiles)"
_FACES_ON: Final = "is_on_board(faced_by((x, y, placement.port)))"
_PLACED: Final = "avatars[placement.colour] = (*placement.square, placement.port)"
_LOOPS: Final = 'return {"refused": {"move": number, "reason": "loops"}}'
_MOVED: Final = "tiles, avatars = laid, moved.staying"

XMOVES: Final[dict[str, list[Variant]]] = {
    "The edge does not include the corners": [
        {"if {x, y} & {0, 9}}": "if len({x, y} & {0, 9}) == 1 and x != y}"}
    ],
    "The first inner ring counts as the edge": [{"& {0, 9}}": "& {0, 1, 8, 9}}"}],
    "A placement is accepted anywhere": [{"placement.square not in EDGE": "not EDGE"}],
    "Only the square itself must be free": [{_NEIGHBOURS: "(x, y) in tiles"}],
    "Squares that touch at a corner must be free, too": [
        {_NEIGHBOURS: "any(abs(x - a) <= 1 and abs(y - b) <= 1 for a, b in tiles)"}
    ],
    "Squares are numbered, and the end of a row is beside the begin of the next": [
        {_NEIGHBOURS: "any(abs(10 * (y - b) + x - a) in (0, 1, 10) for a, b in tiles)"}
    ],
    "A port may face off the board": [{_FACES_ON: "True"}],
    "A port faces off the board by its letter alone, whatever the square": [
        {_FACES_ON: f'placement.port not in "{side}"'} for side in ("AB", "CD", "EF", "GH")
    ],
    "A colour may be placed twice": [{"placement.colour in avatars": "placement.colour == ''"}],
    "A missing position is a structural error": [{"(3, 5)": "(5,)"}],
    "An avatar that is placed moves along the wire of its own tile": [
        {_PLACED: _PLACED.replace("placement.port", "WIRES[placement.pattern][placement.port]")}
    ],
    'A loop removes avatars, or ends in "infinite", as in xboard': [
        {_LOOPS: "avatars = {c: at for c, at in avatars.items() if c not in moved.looping}"},
        {_LOOPS: 'return "infinite"'},
    ],
    "Only the mover's loop counts": [{"if moved.looping:": "if colour in moved.looping:"}],
    "Tiles of avatars that left are removed": [
        {
            _MOVED: "left = [moved.paths[each][-1][:2] for each in moved.leaving]; "
            "tiles = {square: tile for square, tile in laid.items() if square not in left}; "
            "avatars = moved.staying"
        }
    ],
    "A collision removes avatars, or is refused": [
        {
            _MOVED: "tiles = laid; places = list(moved.staying.values()); "
            "avatars = {c: at for c, at in moved.staying.items() if places.count(at) == 1}"
        },
        {"if moved.looping:": "if moved.looping or moved.colliding:"},
    ],
    "Moves are numbered with the placements, or from 0": [
        {"enumerate(actions, 1)": "enumerate(actions, 1 + len(placements))"},
        {"enumerate(actions, 1)": "enumerate(actions)"},
    ],
}

_CHEATERS: Final = "sorted(names[one] for one in cheaters)"
_RANK: Final = "sorted(names[one] for one in rank)"
_ALL_NAMES: Final = "(player.name for player in players)"
_STRATEGIES: Final = "tuple(player.strategy for player in players)"
_BEGINNINGS: Final = "tuple(player.beginning for player in players)"
_NO_BEGINNINGS: Final = "(None,) * len(players)"
_DISTINCT: Final = (
    "    for number, player in enumerate(players):\n        if player.name in [other.name"
)
_IS_LEGAL: Final = "is_legal(tiles, avatars, colour, given, chosen)"
_MAY_BEGIN: Final = "beginning.pattern[0] in given and may_begin(tiles, beginning.place)"


def _sorted_by(key: str) -> Variant:
    """Return the variant that sorts names by a key, an expression of `name`."""
    return {
        _RANK: f"sorted((names[one] for one in rank), key=lambda name: {key})",
        _CHEATERS: f"sorted((names[one] for one in cheaters), key=lambda name: {key})",
    }


def _compared_as(form: str) -> Variant:
    """Return the variant that compares names in a form, an expression of `name`."""
    names = f"[(lambda name: {form})(each.name) for each in players]"
    return {
        'f"/0/{number}{at_name}")\n    return players': (
            'f"/0/{number}{at_name}")\n'
            f"    if len(set({names})) < len(players):\n"
            '        raise Wrong("invalid-spec", "/0")\n'
            "    return players"
        )
    }


def _printed_as(form: str) -> Variant:
    """Return the variant that prints names in a form, an expression of `name`."""
    return {f"zip(COLOURS, {_ALL_NAMES}": f"zip(COLOURS, ({form} for name in {_ALL_NAMES})"}


XREF: Final[dict[str, list[Variant]]] = {
    "`cheaters` are in the order in which they were caught, or by age": [
        {_CHEATERS: "[names[one] for one in cheaters]"},
        {_CHEATERS: "[names[one] for one in COLOURS if one in cheaters]"},
    ],
    "names are sorted without regard to capitals": [_sorted_by("name.casefold()")],
    "names that are numbers are sorted as numbers": [
        _sorted_by("(int(name), '') if name.isdecimal() else (99, name)"),
    ],
    "names are sorted by the rules of some language": [
        _sorted_by("normalize('NFKD', name).casefold()")
    ],
    "names are sorted by UTF-16 code units": [_sorted_by("name.encode('utf-16-be')")],
    "names are sorted by their length first": [_sorted_by("(len(name), name)")],
    "names are trimmed, normalized, folded, or cut before they are compared": [
        _compared_as("name.strip()"),
        _compared_as("normalize('NFC', name)"),
        _compared_as("name.casefold()"),
        _compared_as("name[:255]"),
        _compared_as("int(name) if name.isdecimal() else name"),
    ],
    "a name is printed with its original escapes, or in another form": [
        _printed_as("normalize('NFC', name)"),
        _printed_as("dumps(name)[1:-1]"),
    ],
    "the first of the three tiles is placed; a cheater has a rank": [
        {"given[2]": "given[0]"},
        {"for rank in (list(avatars), *": "for rank in (cheaters, list(avatars), *"},
    ],
    "the outcome depends only on the number of players, or on the strategies": [
        {
            _STRATEGIES: '("first",) * len(players)',
            _BEGINNINGS: _NO_BEGINNINGS,
            "        deck,\n    )": "        ENDLESS,\n    )",
        },
        {_BEGINNINGS: _NO_BEGINNINGS, "        deck,\n    )": "        ENDLESS,\n    )"},
    ],
    "a game ends as soon as one player is left": [
        {"if colour not in avatars:": "if colour not in avatars or len(avatars) == 1:"}
    ],
    "a loop is cheating, or its tile is placed": [
        {
            f"not {_IS_LEGAL}": (
                f"not {_IS_LEGAL} or option_of(tiles, avatars, colour, chosen).moved.looping"
            )
        },
        {
            "            if moved.looping:\n": (
                "            if moved.looping:\n"
                "                tiles[faced_by(avatars[colour])] = chosen\n"
            )
        },
    ],
    "those who fall in one round by different turns have ranks of their own": [
        {"fallen[-1] += moved": "fallen.append([])\n            fallen[-1] += moved"}
    ],
    "tiles are dealt to those who fell, too": [
        {"if colour not in avatars:": "if colour not in avatars and (next(deck), next(deck)):"}
    ],
    "an illegal placement is an error of the input, or is mended": [
        {
            f"if {_MAY_BEGIN}:": (
                f"if not ({_MAY_BEGIN}):\n"
                '            raise Wrong("invalid-spec", "/0")\n'
                "        if True:"
            )
        },
        {
            f"if {_MAY_BEGIN}:": (
                f"if not ({_MAY_BEGIN}):\n"
                "            beginning = Beginning((given[2], 0), first_place(tiles, strategy))\n"
                "            x, y, _ = beginning.place\n"
                "        if True:"
            )
        },
    ],
    "duplicate names are allowed (they are an error at the later one)": [
        {
            f"{_DISTINCT} for other in players[:number]]:\n"
            '            raise Wrong("invalid-spec", f"/0/{number}{at_name}")': ""
        }
    ],
}
_MISREADINGS: Final = {"xmoves": XMOVES, "xref": XREF}
_ANSWERS: Final = {"xmoves": (xmoves, "answer"), "xref": (tsuro_game, "answer_of_game")}


def _program(suite: str, variant: Variant) -> Callable[[bytes], list[Answer]]:
    """Return the reference with the replacements."""
    module, name = _ANSWERS[suite]
    source = inspect.getsource(module)
    for old, new in variant.items():
        assert source.count(old) == 1, f"{old!r} occurs {source.count(old)} times, not once"
        source = source.replace(old, new)
    changed = ModuleType(module.__name__)
    vars(changed).update(normalize=unicodedata.normalize, dumps=json.dumps)
    exec(source, vars(changed))  # pylint: disable=exec-used  # the text is written above
    return partial(printed_at_the_end, answer=getattr(changed, name))


def _named_cases(suite: str) -> dict[str, set[str]]:
    """Return the cases that the README names for each misreading."""
    table = readme_of(suite).split("| misreading |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| (.*) \| ([^|]*) \|$", table, re.MULTILINE)
    return {
        misreading: {name for part in cases.split(", ") for name in _names(*part.split(" to "))}
        for misreading, cases in rows
    }


def _names(first: str, last: str = "") -> list[str]:
    prefix, dash, number = first.rpartition("-")
    end = (last or first).rpartition("-")[2]
    return [f"{prefix}{dash}{each}" for each in range(int(number), int(end) + 1)]


@pytest.mark.parametrize("suite", _MISREADINGS)
def test_the_readme_names_every_misreading(suite: str) -> None:
    assert list(_named_cases(suite)) == list(_MISREADINGS[suite])


@pytest.mark.parametrize(
    ("suite", "misreading"),
    [(suite, each) for suite, misreadings in _MISREADINGS.items() for each in misreadings],
)
def test_a_misreading_fails_the_cases_that_the_readme_names(suite: str, misreading: str) -> None:
    programs = [_program(suite, variant) for variant in _MISREADINGS[suite][misreading]]
    named = _named_cases(suite)[misreading]
    cases = [case for case in cases_of(suite) if case.name in named]
    assert {case.name for case in cases} == named
    caught = [{case.name for case in cases if _fails(program, case)} for program in programs]
    assert all(caught), "a program passes"
    assert set().union(*caught) == named


def _fails(program: Callable[[bytes], list[Answer]], case: BundledCase) -> bool:
    return json.dumps(program(case.stdin)) != json.dumps(case.compared)
