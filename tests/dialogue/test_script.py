"""Scripts, and the messages for steps that are none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.golden import Golden, compare_with_file
from support.xtest import TOP

from harness.dialogue.script import (
    STEP_SCHEMA,
    ScriptError,
    format_steps,
    make_script,
    parse_steps,
    step_lines,
)
from harness.jsonio.decoder import encode
from harness.jsonio.fast import decode
from harness.judging.schema_values import ExactValidator, schema_value
from harness.model.dialogue import Script, TalkRules


def script_of(text: str, rules: TalkRules = TalkRules()) -> Script:
    return make_script(parse_steps(decode(text.encode()).values), rules)


def test_a_step_is_read_or_refused_with_the_reason(golden: Golden) -> None:
    """The JSON Schema of a step refuses the same steps, but for their order and captures."""

    def read(text: str) -> str:
        values = decode(text.encode()).values
        is_valid = all(map(ExactValidator(STEP_SCHEMA).is_valid, map(schema_value, values)))
        try:
            steps = parse_steps(values)
        except ScriptError as problem:
            assert not is_valid, text
            return str(problem)
        assert is_valid, text
        try:
            make_script(steps, TalkRules())
        except ScriptError as problem:
            return f"order: {problem}"
        return " ".join(step.action.value for step in steps)

    golden.table("steps.txt", read)


def test_the_schemas_of_files_with_steps_are_those_of_a_step(
    request: pytest.FixtureRequest,
) -> None:
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:xtest:schema:talk",
        "title": "A step of a script, a line of N-talk.jsonl",
    }
    packed = TOP / "schemas" / "packed.schema.json"
    line = json.loads(packed.read_text(encoding="utf-8"))
    line["$defs"]["step"] = STEP_SCHEMA
    for path, schema in (
        (TOP / "schemas" / "talk.schema.json", head | STEP_SCHEMA),
        (packed, line),
    ):
        text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        compare_with_file(request.node, path, text)


def test_steps_of_the_suite_stand_around_a_script_that_does_not_end_itself() -> None:
    rules = TalkRules(
        start=parse_steps(decode(b'{"send": 1}{"expect": 2, "as": {"a": ""}}').values, "start "),
        end=parse_steps(decode(b'{"send": "${a}"}').values, "end "),
    )
    labels = [step.label for step in script_of('{"quiet": 1}', rules).steps]
    assert labels == ["start 1", "start 2", "1", "end 1"]
    assert len(script_of('{"close": true}', rules).steps) == 3
    own = parse_steps(decode(b'{"quiet": 1}').values)
    assert len(make_script(own, rules, bare=True).steps) == 1
    with pytest.raises(ScriptError, match="no earlier step captures"):
        make_script(own, rules._replace(start=()))


def test_a_script_is_formatted_a_step_a_line() -> None:
    steps = decode(b'{"send": 1.50} {"raw": "\xc3\xa9"}').values
    assert format_steps(steps) == '{"send":1.50}\n{"raw":"é"}\n'.encode()


# Arrays of steps and halves of them, so that lines are not steps although they may look so.
_LAYOUTS = st.lists(
    st.sampled_from(
        (
            '{"send": {"a": [1, "b c"]}}',
            '{"expect":  {"send": 7.0}}',
            '{"send":"é\\n"}',
            '{"expect": [\n{"x": 1}]}',
            '{"send": 1}{"expect": [2]}',
            '{"expect": {"y": "}\t{"}, "extra": true}',
            '{"send": "\x7f"}',
        )
    ),
    max_size=4,
)


@given(_LAYOUTS, st.sampled_from(("\n", " \r\n", "\n\n", "", ",\n")))
def test_a_text_that_a_line_shows_is_that_of_its_value(layout: list[str], between: str) -> None:
    text = between.join(layout).encode()
    values, fault = decode(text)
    if fault is None:
        steps = parse_steps(values, is_template=False, lines=step_lines(text, len(values)))
        shown = [step for step in steps if step.text]
        assert [step.text.decode() for step in shown] == [encode(step.values[0]) for step in shown]


def test_the_text_of_a_plain_step_is_known() -> None:
    lines = (
        b'{"send": {"a": [1, "b c"]}}',
        b'{"expect" :2}',
        b'{"expect": 3, "extra": true}',
        b'{"close": true}',
    )
    text = b"\n".join(lines)
    steps = parse_steps(decode(text).values, is_template=False, lines=step_lines(text, 4))
    assert [step.text for step in steps] == [b'{"a":[1,"b c"]}', b"2", b"", b""]
