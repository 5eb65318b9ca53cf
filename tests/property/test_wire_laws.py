"""Laws of the programs on the wire, as pure functions from a text to what is printed."""

from __future__ import annotations

import gc
import json
import sys
from types import FrameType
from typing import Any, NamedTuple

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from harness.jsontext import PROGRAM_DEPTH, Decoder, encode
from xtests import xboard, xtiles
from xtests.refusal import EVERYTHING, Refused, element, incomplete, malformed

PORTS = "ABCDEFGH"
COLOURS = ("white", "black", "red", "green", "blue")
OTHERS = tuple(colour for colour in COLOURS if colour != "red")
# By side, clockwise from the top: the way to the square that its two ports face.
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))

# A value of JSON as Python's json module has it.
Plain = Any


class Spec(NamedTuple):
    """What xboard is asked: state-pats and actions."""

    state: list[Plain]
    actions: list[Plain]

    def text(self) -> str:
        """The input as it is sent."""
        return json.dumps(self.state) + "".join(json.dumps(action) for action in self.actions)


def printed(program: str, text: str) -> list[Plain]:
    """All values that a program prints for a text."""
    answers = []
    try:
        decoder = Decoder(PROGRAM_DEPTH)
        values = decoder.feed(text.encode()) + decoder.close()
        if decoder.fault is not None:
            raise malformed(decoder.fault)
        if program == "xboard":
            return [json.loads(encode(xboard.answer(values)))]
        if not values:
            raise incomplete(0, "a query")
        for k, value in enumerate(values):
            answers.append(json.loads(encode(xtiles.answer(value, element(EVERYTHING, k)))))
    except Refused as refusal:
        answers.append(json.loads(encode(refusal.error_object())))
    return answers


def board(spec: Spec) -> Plain:
    """What xboard prints; of an error, what is compared."""
    (answer,) = printed("xboard", spec.text())
    if isinstance(answer, dict):
        return answer["error"]["kind"], answer["error"]["at"]
    return answer


tile_pats = st.tuples(st.integers(0, 34), st.sampled_from([0, 90, 180, 270])).map(list)
ports = st.sampled_from(PORTS)


def faced(x: int, y: int, port: str) -> tuple[int, int]:
    """The square before a port, on the board or not."""
    step_x, step_y = STEPS[PORTS.index(port) // 2]
    return x + step_x, y + step_y


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    """Tiles close together in some corner, avatars at rest on them, and actions, not all of which
    can be performed."""
    left, top = draw(st.sampled_from([(0, 0), (6, 0), (3, 6), (6, 6)]))
    near = st.tuples(st.integers(left, left + 3), st.integers(top, top + 3))
    tiles = draw(st.dictionaries(near, tile_pats, min_size=1, max_size=10))
    spots = [
        (x, y, port)
        for x, y in tiles
        for port in PORTS
        if faced(x, y, port) not in tiles and set(faced(x, y, port)) <= set(range(10))
    ]
    assume(spots)
    spot = st.sampled_from(spots)
    others = {colour: spot for colour in OTHERS}
    with_red = st.fixed_dictionaries({"red": spot}, optional=others)
    without = st.fixed_dictionaries({}, optional=others)
    avatars = draw(with_red | with_red | with_red | without)
    state = [[tiles[x, y], colour, port, x, y] for colour, (x, y, port) in avatars.items()]
    state += [[pat, x, y] for (x, y), pat in tiles.items()]
    actors = st.sampled_from(sorted(avatars) * 5 + ["red"])
    actions = draw(st.lists(st.tuples(actors, tile_pats).map(list), max_size=4))
    return Spec(state, actions)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from([*PORTS, *COLOURS, "é"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(ports, inner, max_size=2),
    max_leaves=12,
)


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


def pointer(at: tuple[int, ...]) -> str:
    """A place as a JSON Pointer."""
    return "".join(f"/{k}" for k in at)


def turned(spec: Spec) -> Spec:
    """The whole board, turned clockwise by a quarter."""
    return Spec(
        [turned_state_pat(part) for part in spec.state],
        [[colour, turned_tile(pat)] for colour, pat in spec.actions],
    )


def turned_tile(pat: Plain) -> Plain:
    """A tile, turned by another quarter."""
    return [pat[0], (pat[1] + 90) % 360]


def turned_state_pat(part: Plain) -> Plain:
    """A state-pat of the board that was turned by a quarter."""
    pat, *avatar, x, y = part
    if avatar:
        avatar = [avatar[0], PORTS[(PORTS.index(avatar[1]) + 2) % 8]]
    return [turned_tile(pat), *avatar, 9 - y, x]


def calls(program: str, text: str) -> int:
    """How many functions are called to answer this text, Python's own included."""
    count = 0

    def counted(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    printed(program, text)  # once uncounted: caches fill
    gc.disable()  # hypothesis is called at every collection
    sys.setprofile(counted)
    try:
        printed(program, text)
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


@settings(deadline=None)
@given(st.sampled_from(["xtiles", "xboard"]), st.lists(json_values, max_size=4))
def test_any_values_get_an_answer_or_a_refusal(program: str, values: list[Plain]) -> None:
    """No input makes a program fail; and what a refusal points at is there, or is missing there."""
    last = printed(program, " ".join(json.dumps(value) for value in values))[-1]
    if isinstance(last, dict):
        at = last["error"]["at"]
        here: Plain = values
        for step in at.split("/")[1:]:
            if last["error"]["kind"] == "incomplete-input":
                assert int(step) == len(here)
            else:
                here = here[int(step)]


@settings(deadline=None)
@given(tile_pats, ports)
def test_a_wire_leads_back(pat: Plain, port: str) -> None:
    """The exit of the exit is the entrance, and never the port itself."""
    ((_, entrance, _, exit_, _),) = printed("xtiles", json.dumps([*pat, port]))
    ((_, _, _, back, _),) = printed("xtiles", json.dumps([*pat, exit_]))
    assert (entrance, back) == (port, port)
    assert exit_ != port


@settings(deadline=None)
@given(tile_pats, ports)
def test_a_tile_that_is_turned_with_its_port_leads_to_the_turned_exit(
    pat: Plain, port: str
) -> None:
    """Turning by a quarter takes both ends of a wire on by two ports."""
    ((_, _, _, exit_, _),) = printed("xtiles", json.dumps([*pat, port]))
    ahead = {letter: PORTS[(k + 2) % 8] for k, letter in enumerate(PORTS)}
    ((_, _, _, turned_exit, _),) = printed("xtiles", json.dumps([*turned_tile(pat), ahead[port]]))
    assert turned_exit == ahead[exit_]


@settings(deadline=None)
@given(st.lists(st.tuples(tile_pats, ports), min_size=1, max_size=6))
def test_each_query_is_answered_as_if_it_came_alone(queries: list[tuple[Plain, str]]) -> None:
    """The answers of a stream are the answers of its queries, in order."""
    texts = [json.dumps([*pat, port]) for pat, port in queries]
    assert printed("xtiles", "".join(texts)) == [printed("xtiles", text)[0] for text in texts]


@settings(deadline=None)
@given(specs(), st.sampled_from(["", " ", "\n", "\r\n", "\t \n"]), st.sampled_from([None, 0, 2]))
def test_white_space_does_not_matter(spec: Spec, between: str, indent: int | None) -> None:
    """However the values of an input are laid out, the answer is the same."""
    values = [spec.state, *spec.actions]
    text = between.join(json.dumps(value, indent=indent) for value in values)
    assert printed("xboard", between + text + between) == printed("xboard", spec.text())


@settings(deadline=None)
@given(specs(), st.data())
def test_the_order_of_a_state_does_not_matter(spec: Spec, data: st.DataObject) -> None:
    """State-pats that go together may come in any order."""
    shuffled = data.draw(st.permutations(spec.state))
    assert board(Spec(shuffled, spec.actions)) == board(spec)


@settings(deadline=None)
@given(specs(), st.permutations(OTHERS))
def test_the_colours_of_the_others_do_not_matter(spec: Spec, order: list[str]) -> None:
    """Red is the only colour that is asked about."""
    renamed = dict(zip(OTHERS, order, strict=True))
    state = [
        [part[0], renamed.get(part[1], part[1]), *part[2:]] if len(part) == 5 else part
        for part in spec.state
    ]
    actions = [[renamed.get(colour, colour), pat] for colour, pat in spec.actions]
    assert board(Spec(state, actions)) == board(spec)


@settings(deadline=None)
@given(specs())
def test_a_board_that_is_turned_has_the_turned_answer(spec: Spec) -> None:
    """A quarter turn of the whole board, tiles, avatars and actions, turns where red rests, and
    changes no word and no refusal."""
    answer, answer_turned = board(spec), board(turned(spec))
    if isinstance(answer, list):
        # By way of the program, since the least degrees of a turned tile are its own matter.
        answer = board(Spec([turned_state_pat(answer)], []))
    assert answer_turned == answer


@settings(deadline=None)
@given(specs())
def test_red_stays_where_it_rests(spec: Spec) -> None:
    """What is printed of red is a state-pat, of an avatar at rest, with the least degrees."""
    answer = board(spec)
    assume(isinstance(answer, list))
    assert board(Spec([answer], [])) == answer


@settings(deadline=None)
@given(specs(), st.lists(st.tuples(st.sampled_from(COLOURS), tile_pats).map(list), max_size=3))
def test_what_stopped_the_actions_stays_the_answer(spec: Spec, more: list[Plain]) -> None:
    """A word, once it is the answer, is the answer whatever actions follow."""
    answer = board(spec)
    assume(isinstance(answer, str))
    assert board(Spec(spec.state, spec.actions + more)) == answer


@settings(deadline=None)
@given(specs(), st.data())
def test_a_fault_of_form_is_found_where_it_is(spec: Spec, data: st.DataObject) -> None:
    """One null in the place of a number, a letter or a colour is what the refusal points at; of
    two, the first."""
    values = [spec.state, *spec.actions]
    places = data.draw(st.lists(st.sampled_from(leaves(values)), min_size=1, max_size=2))
    for at in places:
        values = spoilt(values, at)
    assert board(Spec(values[0], values[1:])) == ("invalid-spec", pointer(min(places)))


def test_the_work_grows_with_the_input_and_no_faster() -> None:
    """The same part once more costs the same again, wherever it stands: counted, not timed."""
    query = '[6,90,"D"]'
    state_pat, action = '[[6,90],"blue","D",3,7]', '["red",[9,0]]'
    tile = "[[6,90],3,7]"
    for program, begin, part, end in (
        ("xtiles", "", query, ""),
        ("xtiles", query, " \n", ""),
        ("xtiles", f"[{query}", ",1", "]"),
        ("xboard", f"[{state_pat}", f",{tile}", "]"),
        ("xboard", f"[{state_pat}]", action, ""),
        ("xboard", f"[{state_pat}]", "[", ""),
        ("xboard", "[[[6,9", "9", "],3,7]]"),
        ("xboard", '[[[6,90],"', "é", '",3,7]]'),
    ):
        once, twice, thrice = (calls(program, begin + part * n + end) for n in (600, 1200, 1800))
        assert twice - once == thrice - twice, part
