"""Scripts, and the messages for steps that are none."""

from __future__ import annotations

import json

import pytest
from support.golden import Golden, compare_with_file
from support.xtest import TOP

from harness.dialogue.script import (
    STEP_SCHEMA,
    ScriptError,
    format_steps,
    make_script,
    parse_steps,
)
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
