"""Laws of xrules, as a pure function from a text to what is printed."""

from __future__ import annotations

import json
from random import Random
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.jsontext import PROGRAM_DEPTH, Decoder, encode
from xtests import xrules
from xtests.refusal import Refused, malformed

PORTS = "ABCDEFGH"
COLOURS = ("white", "black", "red", "green", "blue")
ANGLES = (0, 90, 180, 270)
# By side, clockwise from the top: the way to the square that its two ports face.
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
# Tiles that send avatars back or round a corner, so that loops and suicides are no rare events.
TIGHT = (2, 4, 22, 24, 32, 33, 34)

# A value of JSON as Python's json module has it.
Plain = Any

_law = settings(deadline=None, max_examples=150)


class Spec(NamedTuple):
    """What xrules is asked: state-pats, and the parts of a turn."""

    state: list[Plain]
    action: Plain
    given: list[int]

    def values(self) -> list[Plain]:
        """The input as the values of a stream."""
        return [self.state, [self.action, *self.given]]


def printed(text: str) -> Plain:
    """What is printed for a text; of an error, what is compared."""
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(text.encode()) + decoder.close()
    try:
        if decoder.fault is not None:
            raise malformed(decoder.fault)
        return json.loads(encode(xrules.answer(values)))
    except Refused as refusal:
        error = json.loads(encode(refusal.error_object()))["error"]
        return error["kind"], error["at"]


def answer(spec: Spec) -> Plain:
    """What is printed for a board and a turn."""
    return printed("".join(map(json.dumps, spec.values())))


def faced(x: int, y: int, port: str) -> tuple[int, int]:
    """The square before a port, on the board or not."""
    step_x, step_y = STEPS[PORTS.index(port) // 2]
    return x + step_x, y + step_y


def _spec(chance: Random) -> Spec:
    """A turn on tiles close together, often at the edge; the one who acts is there, mostly."""
    left, top = chance.choice((0, 3, 7)), chance.choice((0, 4, 7))
    block = [(x, y) for x in range(left, left + 3) for y in range(top, top + 3)]
    tiles = {square: _tile_pat(chance) for square in chance.sample(block, chance.randint(1, 8))}
    spots = [
        (x, y, port)
        for x, y in tiles
        for port in PORTS
        if faced(x, y, port) not in tiles and set(faced(x, y, port)) <= set(range(10))
    ]
    colours = chance.sample(COLOURS, chance.randint(1, 5)) if spots else []
    avatars = {colour: chance.choice(spots) for colour in colours}
    state = [[tiles[x, y], colour, port, x, y] for colour, (x, y, port) in avatars.items()]
    state += [[pat, x, y] for (x, y), pat in tiles.items()]
    actor = chance.choice([*list(avatars) * 4, chance.choice(COLOURS)])
    given_ones = [_tile_pat(chance)[0], _tile_pat(chance)[0]]
    index = chance.choice([*given_ones * 4, chance.randrange(35)])
    return Spec(state, [actor, [index, chance.choice(ANGLES)]], given_ones)


def _tile_pat(chance: Random) -> Plain:
    index = chance.choice(TIGHT) if chance.random() < 0.6 else chance.randrange(35)
    return [index, chance.choice(ANGLES)]


specs = st.integers(0, 2**32).map(lambda seed: _spec(Random(seed)))

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from([*PORTS, *COLOURS, "é"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.just("a"), inner, max_size=1),
    max_leaves=12,
)


def turned(pat: Plain) -> Plain:
    """A tile, turned by another quarter."""
    return [pat[0], (pat[1] + 90) % 360]


def turned_state_pat(part: Plain) -> Plain:
    """A state-pat of the board that was turned by a quarter."""
    pat, *avatar, x, y = part
    if avatar:
        avatar = [avatar[0], PORTS[(PORTS.index(avatar[1]) + 2) % 8]]
    return [turned(pat), *avatar, 9 - y, x]


def leaves(value: Plain, at: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """The places of all that is no array, in document order."""
    if not isinstance(value, list):
        return [at]
    return [place for k, each in enumerate(value) for place in leaves(each, (*at, k))]


def spoilt(value: Plain, at: tuple[int, ...]) -> Plain:
    """The same value with null at this place."""
    if not at:
        return None
    return [spoilt(each, at[1:]) if k == at[0] else each for k, each in enumerate(value)]


@_law
@given(st.lists(json_values, max_size=4))
def test_any_values_get_a_word_or_a_refusal(values: list[Plain]) -> None:
    """No input makes the program fail; and what a refusal points at is there, or is missing."""
    found = printed(" ".join(json.dumps(value) for value in values))
    if not isinstance(found, str):
        kind, at = found
        here: Plain = values
        for step in at.split("/")[1:]:
            if kind == "incomplete-input":
                assert int(step) == len(here)
            else:
                here = here[int(step)]


@_law
@given(specs)
def test_a_board_that_is_turned_has_the_same_answer(spec: Spec) -> None:
    """A quarter turn of the whole board, tiles, avatars and the tile that is placed."""
    state = [turned_state_pat(part) for part in spec.state]
    action = [spec.action[0], turned(spec.action[1])]
    assert answer(Spec(state, action, spec.given)) == answer(spec)


@_law
@given(specs, st.permutations(COLOURS))
def test_colours_are_only_names(spec: Spec, order: list[str]) -> None:
    """Every avatar with another colour, and the one who acts too."""
    renamed = dict(zip(COLOURS, order, strict=True))
    state = [
        [part[0], renamed[part[1]], *part[2:]] if len(part) == 5 else part for part in spec.state
    ]
    action = [renamed[spec.action[0]], spec.action[1]]
    assert answer(Spec(state, action, spec.given)) == answer(spec)


@_law
@given(specs, st.data())
def test_no_order_matters(spec: Spec, data: st.DataObject) -> None:
    """Neither that of the state, nor that of the two tiles."""
    shuffled = data.draw(st.permutations(spec.state))
    assert answer(Spec(shuffled, spec.action, spec.given[::-1])) == answer(spec)


@_law
@given(specs, st.sampled_from(["", " ", "\r\n", "\t \n"]), st.sampled_from([None, 0, 2]))
def test_white_space_does_not_matter(spec: Spec, between: str, indent: int | None) -> None:
    """However the values of an input are laid out, the answer is the same."""
    text = between.join(json.dumps(value, indent=indent) for value in spec.values())
    assert printed(between + text + between) == answer(spec)


@_law
@given(specs)
def test_turns_with_the_same_wires_have_the_same_answer(spec: Spec) -> None:
    """Half a turn of tile 4, and of every tile that it leaves as it is, changes nothing."""
    index, degrees = spec.action[1]
    if index in (0, 1, 2, 3, 4, 5, 7, 8, 11, 12, 16, 21, 22, 25, 34):
        action = [spec.action[0], [index, (degrees + 180) % 360]]
        assert answer(spec._replace(action=action)) == answer(spec)


@_law
@given(specs, st.data())
def test_a_fault_of_form_is_found_where_it_is(spec: Spec, data: st.DataObject) -> None:
    """One null in the place of a number, a letter or a colour is what the refusal points at; of
    two, the first."""
    values = spec.values()
    places = data.draw(st.lists(st.sampled_from(leaves(values)), min_size=1, max_size=2))
    for at in places:
        values = spoilt(values, at)
    pointer = "".join(f"/{k}" for k in min(places))
    assert printed("".join(map(json.dumps, values))) == ("invalid-spec", pointer)
