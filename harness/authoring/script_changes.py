"""Update the expectations of a script to the messages of a program. Pure. Source: docs/care.md.

What still equals a message stays as it is written: captured values, placeholders, ignored members.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice, pairwise
from typing import Final, NamedTuple

from harness.dialogue.script import spaced
from harness.dialogue.templates import escape_references, fill
from harness.jsonio.decoder import Json, Number, encode
from harness.jsonio.fast import decode
from harness.jsonio.pointers import parse_pattern
from harness.jsonio.positions import stream_offsets
from harness.judging.array_diff import aligned_differences
from harness.judging.dialogue_walk import (
    TakenStep,
    nearest,
    step_comparison,
    taken_steps,
    unpaired,
)
from harness.judging.equality import are_equal, are_equal_at
from harness.model.case import Case
from harness.model.comparison import Comparison
from harness.model.dialogue import Action
from harness.model.judgement import Difference, Missing
from harness.model.transcript import Exited, Transcript

_MOST_DIFFERENCES: Final = 1_000  # beyond them, a message is replaced
_NEAR: Final = 100  # elements of an array that are looked at for an equal one

_Steps = tuple[str, ...]


class StepChange(NamedTuple):
    """The text of a step before and after; `number` is its index in the script of the case."""

    number: int
    before: str
    after: str


def change_script(case: Case, transcript: Transcript) -> tuple[bytes, list[StepChange]]:
    """Return the script of a dialogue that expects what the program did, and its changes.

    Steps of `[talk]`, and steps that did not get all their messages, stay as they are.
    """
    steps = decode(case.stdin).values
    changed: dict[int, Json] = {}
    for taken in taken_steps(transcript, case):
        if taken.step.label.isdecimal():
            number = int(taken.step.label) - 1
            new = _changed_step(steps[number], taken, case.policy.comparison)
            if new is not None:
                changed[number] = new
    changed |= _changed_exit(case, transcript)
    offsets = [*stream_offsets(case.stdin), len(case.stdin)]
    text, changes = case.stdin[: offsets[0]], []
    for number, (begin, end) in enumerate(pairwise(offsets)):
        before = case.stdin[begin:end].rstrip()
        after = before
        if number in changed:
            after = _formatted(changed[number], like=before.decode()).encode()
            changes.append(StepChange(number, before.decode(), after.decode()))
        text += after + case.stdin[begin + len(before) : end]
    return text, changes


def _changed_exit(case: Case, transcript: Transcript) -> dict[int, Json]:
    """Return the step that waited for the exit of the program, if its status is another one."""
    record, script, ending = transcript.talk, case.script, transcript.ending
    assert script is not None and record is not None
    step = script.steps[record.step] if record.step < len(script.steps) else None
    if step is None or step.action is not Action.EXIT or not step.label.isdecimal():
        return {}
    if not isinstance(ending, Exited) or ending.status == step.status:
        return {}
    number = int(step.label) - 1
    old = decode(case.stdin).values[number]
    assert isinstance(old, dict)
    return {number: {**old, Action.EXIT.value: Number(str(ending.status))}}


def _changed_step(old: Json, taken: TakenStep, comparison: Comparison) -> Json | None:
    """Return a step that expects the messages that it took, or None if it already does."""
    comparison = step_comparison(taken.step, comparison)
    left = unpaired(taken.expected, taken.messages, comparison)
    if not left.expected:
        return None
    new = list(taken.step.values)
    waiting = left.expected
    for index in left.actual:
        message = taken.messages[index]
        number = nearest(waiting, taken.expected, message)
        waiting = [each for each in waiting if each != number]
        new[number] = change_message(
            new[number], taken.expected[number], message, taken.captured, comparison
        )
    assert isinstance(old, dict)
    action = taken.step.action
    return {**old, action.value: new[0] if action is Action.EXPECT else new}


def change_message(
    template: Json,
    expected: Json,
    actual: Json,
    captured: Mapping[str, Json],
    comparison: Comparison,
) -> Json:
    """Return a template that equals a message by these rules and keeps what already did.

    `expected` is the present template with the captured values.
    """
    all_differences = aligned_differences([expected], [actual], comparison)
    differences = list(islice(all_differences, _MOST_DIFFERENCES))
    if len(differences) < _MOST_DIFFERENCES:
        try:
            new = _edited(template, expected, actual, differences, comparison)
            if are_equal([fill(new, captured)], [actual], comparison):
                return new
        except (LookupError, TypeError, ValueError):
            pass  # a difference inside a captured value, or below a key with one
    return escape_references(actual)


def _edited(
    template: Json,
    expected: Json,
    actual: Json,
    differences: Sequence[Difference],
    comparison: Comparison,
) -> Json:
    """Return the template with the actual values at the differences.

    Raises LookupError, TypeError or ValueError if they do not lead to values of the template.
    """
    tree = decode(encode([template]).encode()).values[0]  # a copy; places begin at an array of it
    arrays = [_misaligned_array(each, [expected], [actual]) for each in differences]
    misaligned = {steps for steps in arrays if steps is not None}
    for each, array in zip(differences, arrays, strict=True):
        steps = parse_pattern(each.pointer)
        if array is None and not _is_below(steps, misaligned):
            new = (
                each.actual if isinstance(each.actual, Missing) else escape_references(each.actual)
            )
            _put(tree, steps, new)
    for steps in misaligned:
        if not _is_below(steps[:-1], misaligned):
            old, wanted, printed = (_value_at(each, steps) for each in (tree, [expected], [actual]))
            _put(tree, steps, _kept_elements(steps, old, wanted, printed, comparison))
    return _value_at(tree, ("0",))


def _misaligned_array(
    difference: Difference, expected: list[Json], actual: list[Json]
) -> _Steps | None:
    """Return the array of which an element was inserted, removed or moved, or None."""
    steps = parse_pattern(difference.pointer)
    if difference.actual_pointer is not None:
        others = parse_pattern(difference.actual_pointer)
        return steps[: next(at for at, each in enumerate(steps) if each != others[at])]
    for side, other in ((difference.expected, actual), (difference.actual, expected)):
        if isinstance(side, Missing) and isinstance(_value_at(other, steps[:-1]), list):
            return steps[:-1]
    return None


def _kept_elements(
    steps: _Steps, template: Json, expected: Json, actual: Json, comparison: Comparison
) -> Json:
    """Return the elements of an array, as the template has them where it has equal ones."""
    assert isinstance(expected, list) and isinstance(actual, list)
    if not isinstance(template, list):
        raise TypeError("a reference stands for the array")
    kept, at = [], 0
    for element in actual:
        places = range(at, min(len(expected), at + _NEAR))
        equal = next(
            (n for n in places if are_equal_at((*steps, n), expected[n], element, comparison)), None
        )
        kept.append(escape_references(element) if equal is None else template[equal])
        at = at if equal is None else equal + 1
    return kept


def _is_below(steps: _Steps, arrays: Collection[_Steps]) -> bool:
    return any(steps[:length] in arrays for length in range(len(steps) + 1))


def _value_at(value: Json, steps: _Steps) -> Json:
    for step in steps:
        value = value[int(step)] if isinstance(value, list) else _members(value)[step]
    return value


def _put(tree: Json, steps: _Steps, new: Json | Missing) -> None:
    """Replace, add or remove the value at a place."""
    container = _value_at(tree, steps[:-1])
    if isinstance(container, list) and not isinstance(new, Missing):
        container[int(steps[-1])] = new
    elif isinstance(new, Missing):
        del _members(container)[steps[-1]]
    else:
        _members(container)[steps[-1]] = new


def _members(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return value


def _formatted(step: Json, *, like: str) -> str:
    """Return the text of a step, with spaces between its parts unless another text has none."""
    text = encode(step)
    if like == encode(decode(like.encode()).values[0]):
        return text
    return spaced(text)
