"""Laws of all programs: they agree with their references, and work grows with the input."""

from __future__ import annotations

from functools import partial
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.calls import count_calls
from support.references import REFERENCES
from support.schemas import SAMPLES, check_agreement, several_changes, validator_of
from support.wire import PROGRAMS, printed, without_message

from harness.jsonio.decoder import encode


@pytest.mark.parametrize("program", PROGRAMS)
@settings(max_examples=200)
@given(data=st.data())
def test_near_misses_are_answered_as_by_the_reference_and_judged_alike_by_the_schemas(
    program: str, data: st.DataObject
) -> None:
    samples = SAMPLES[program]
    changed = several_changes(samples.accepted, samples.pieces.split(), samples.added.split())
    # A batch program stops at the first value too many.
    most = 1 if PROGRAMS[program].is_batch else 3
    inputs = data.draw(st.lists(changed, min_size=1, max_size=most))
    text = " ".join(encode(value) for values in inputs for value in values)
    answers = printed(program, text)
    assert [*map(without_message, answers)] == REFERENCES[program](text.encode())
    validator_of(f"{program}-out").validate(answers)
    for values in inputs:
        check_agreement(program, values, samples.equivalent)


_STATE: Final = '{"white":[0],"black":[35],"to_play":"white"}'
_MOVES_OF_A_STATE: Final = f'{{"state":{_STATE},"ask":["state"],"moves":['
_THERE_AND_BACK: Final = "[0,1],[35,34],[1,0],[34,35]"


@pytest.mark.parametrize(
    ("program", "begin", "part", "end"),
    [
        ("xtiles", "", '[6,90,"D"]', ""),
        ("xtiles", '[6,90,"D"]', " \n", ""),
        ("xtiles", '[[6,90,"D"]', ",1", "]"),
        ("xboard", '[[[6,90],"blue","D",3,7]', ",[[6,90],3,7]", "]"),
        ("xboard", '[[[6,90],"blue","D",3,7]]', '["red",[9,0]]', ""),
        ("xboard", '[[[6,90],"blue","D",3,7]]', "[", ""),
        ("xboard", "[[[6,9", "9", "],3,7]]"),
        ("xboard", '[[[6,90],"', "é", '",3,7]]'),
        ("xbitboard36", "", '{"ask":["state"]}', ""),
        ("xbitboard36", f"{_MOVES_OF_A_STATE}{_THERE_AND_BACK}", f",{_THERE_AND_BACK}", "]}"),
        ("xbitboard36", '{"ask":["state"', ',"state"', "]}"),
        ("xbitboard36", '{"ask":[],"state":{"white":[0', ",0", '],"black":0,"to_play":"white"}}'),
        ("xbitboard36", '{"ask":[],"state":{"white":1', "1", ',"black":0,"to_play":"white"}}'),
        ("xbitboard36", '{"ask":[],"', "x/~", '":0}'),
    ],
)
def test_the_work_grows_linearly_with_the_input(
    program: str, begin: str, part: str, end: str
) -> None:
    # Calls are counted, not timed: the same part once more costs the same again.
    once, twice, thrice = (
        count_calls(partial(printed, program, begin + part * n + end)) for n in (600, 1200, 1800)
    )
    assert twice - once == thrice - twice
