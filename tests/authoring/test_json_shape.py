"""The paths of outputs, and changes at a path."""

from __future__ import annotations

from harness.authoring.json_shape import (
    EveryElement,
    Step,
    format_shape_path,
    outline_outputs,
    replace_value,
)
from harness.jsonio.decoder import Json, Number, encode
from harness.jsonio.fast import decode
from harness.model.judgement import MISSING, Missing

LIST = str(list(range(13)))
DICTIONARY = "{" + ", ".join(f'"k{number}": {number}' for number in range(41)) + "}"
ALL = EveryElement.ELEMENT


def streams(*texts: str) -> list[list[Json]]:
    return [decode(text.encode()).values for text in texts]


def paths(*texts: str) -> list[str]:
    return [format_shape_path(path.steps) for path in outline_outputs(streams(*texts))]


def test_indexes_and_keys_of_records_are_steps_and_those_of_collections_are_not() -> None:
    assert paths('["a", 1]', '["b", 2]') == ["", "/0", "/0/0", "/0/1"]
    assert paths("[1, 2] 5", "[3]") == ["", "/*", "/*/*"]
    assert paths("[[1, 2]]") == ["", "/*", "/*/*", "/*/*/*"]  # one length shows nothing
    assert paths(LIST, LIST) == ["", "/0", "/0/*"]
    assert paths('{"a": 1, "b": {}}', '{"a": 2}') == ["", "/0", "/0/a", "/0/b"]
    assert paths(DICTIONARY, DICTIONARY) == ["", "/0", "/0/*"]
    assert paths() == paths("", "") == [""]
    assert len(paths("[" * 5_000 + "]" * 5_000)) == 13
    assert format_shape_path((0, EveryElement.MEMBER, "a/b")) == "/0/*/a~1b"


def test_elements_and_members_at_one_place_have_two_paths() -> None:
    found = list(outline_outputs(streams(f"[[null], {DICTIONARY}]")))[-2:]
    assert [format_shape_path(path.steps) for path in found] == ["/*/*/*", "/*/*/*"]
    assert [len(path.all_values) for path in found] == [1, 41]


def test_a_path_has_its_values_by_output() -> None:
    found = list(outline_outputs(streams('{"a": 1}', "[]", '{"a": 2}')))[-1]
    assert found.values == {0: [Number("1")], 2: [Number("2")]}
    assert found.all_values == [Number("1"), Number("2")]


def test_a_change_is_made_at_every_place_of_a_path() -> None:
    (stream,) = streams('[{"a": 1, "b": 2}, {"a": 3}, 4]')

    def changed(steps: tuple[Step, ...], new: Json | Missing) -> str:
        values = replace_value(stream, steps, lambda _: new)
        assert isinstance(values, list)
        return " ".join(map(encode, values))

    assert changed((ALL, ALL, "a"), "x") == '[{"a":"x","b":2},{"a":"x"},4]'
    assert changed((0, 2), "x") == '[{"a":1,"b":2},{"a":3},"x"]'
    assert changed((0, 0, EveryElement.MEMBER), None) == '[{"a":null,"b":null},{"a":3},4]'
    assert changed((0, 0), MISSING) == '[{"a":3},4]'
    assert changed((0, 0, "a"), MISSING) == '[{"b":2},{"a":3},4]'


def test_a_path_without_a_place_keeps_the_same_object() -> None:
    (stream,) = streams('[{"a": 1}]')
    for steps in ((0, 0, "b"), (0, 7), (0, "0"), (0, 0, 0), (0, 0, ALL)):
        assert replace_value(stream, steps, lambda _: None) is stream
    assert replace_value(stream, (0, 0, "a"), lambda value: value) is stream
