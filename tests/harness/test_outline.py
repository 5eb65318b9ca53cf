"""Where values stand in answers, and what is done there."""

from __future__ import annotations

from harness.care.outline import Every, Step, outline, replaced, spelled
from harness.jsonfast import decode
from harness.jsontext import Json, Number, encode
from harness.records import MISSING


def streams(*texts: str) -> list[list[Json]]:
    """Answers, each written as its values."""
    return [decode(text.encode()).values for text in texts]


def places(*texts: str) -> list[str]:
    """The spots of answers, as paths."""
    return [spelled(spot.steps) for spot in outline(streams(*texts))]


def change_at(text: str, steps: tuple[Step, ...], new: Json) -> str:
    """A stream with all values that the steps lead to replaced."""
    (stream,) = streams(text)
    made = replaced(stream, steps, lambda _: new)
    assert isinstance(made, list)
    return " ".join(map(encode, made))


def test_an_index_is_a_place_of_its_own_where_all_arrays_are_equally_long() -> None:
    assert places('["a", 1]', '["b", 2]') == ["", "/0", "/0/0", "/0/1"]


def test_an_index_stands_for_all_where_arrays_differ_in_length() -> None:
    assert places("[1, 2] 5", "[3]") == ["", "/*", "/*/*"]


def test_one_array_alone_does_not_show_that_its_length_is_fixed() -> None:
    assert places("[[1, 2]]") == ["", "/*", "/*/*", "/*/*/*"]


def test_more_elements_than_anybody_gives_meanings_are_all_alike() -> None:
    many = str(list(range(13)))
    assert places(many, many) == ["", "/0", "/0/*"]


def test_keys_are_places_and_those_of_a_dictionary_are_alike() -> None:
    assert places('{"a": 1, "b": {}}', '{"a": 2}') == ["", "/0", "/0/a", "/0/b"]
    dictionary = "{" + ", ".join(f'"k{number}": {number}' for number in range(41)) + "}"
    assert places(dictionary, dictionary) == ["", "/0", "/0/*"]


def test_elements_and_members_at_one_place_are_two_spots() -> None:
    dictionary = "{" + ", ".join(f'"k{number}": {number}' for number in range(41)) + "}"
    spots = list(outline(streams(f"[[null], {dictionary}]")))
    assert [spelled(spot.steps) for spot in spots][-2:] == ["/*/*/*", "/*/*/*"]
    assert [len(spot.all_values) for spot in spots][-2:] == [1, 41]


def test_a_spot_knows_which_values_stand_there_in_which_answer() -> None:
    spots = {spelled(spot.steps): spot for spot in outline(streams('{"a": 1}', "[]", '{"a": 2}'))}
    assert spots["/0/a"].values == {0: [Number("1")], 2: [Number("2")]}
    assert spots["/0/a"].all_values == [Number("1"), Number("2")]


def test_empty_answers_have_no_place_but_the_whole() -> None:
    assert places() == [""]
    assert places("", "") == [""]


def test_spots_end_where_nobody_reads_about_them() -> None:
    deep = "[" * 5_000 + "]" * 5_000
    assert len(places(deep)) == 13


def test_a_change_is_made_wherever_the_steps_lead() -> None:
    text = '[{"a": 1, "b": 2}, {"a": 3}, 4]'
    assert (
        change_at(text, (Every.ELEMENT, Every.ELEMENT, "a"), "x") == '[{"a":"x","b":2},{"a":"x"},4]'
    )
    assert change_at(text, (0, 2), "x") == '[{"a":1,"b":2},{"a":3},"x"]'
    assert change_at(text, (0, 0, Every.MEMBER), None) == '[{"a":null,"b":null},{"a":3},4]'


def test_steps_that_lead_nowhere_change_nothing_and_keep_the_very_value() -> None:
    (stream,) = streams('[{"a": 1}]')
    for steps in ((0, 0, "b"), (0, 7), (0, "0"), (0, 0, 0), (0, 0, Every.ELEMENT)):
        assert replaced(stream, steps, lambda _: None) is stream
    assert replaced(stream, (0, 0, "a"), lambda value: value) is stream


def test_what_is_left_out_leaves_no_gap() -> None:
    (stream,) = streams('[1, 2, {"a": 1, "b": 2}]')
    without = replaced(stream, (0, 0), lambda _: MISSING)
    assert isinstance(without, list)
    assert encode(without[0]) == '[2,{"a":1,"b":2}]'
    without = replaced(stream, (0, 2, "a"), lambda _: MISSING)
    assert isinstance(without, list)
    assert encode(without[0]) == '[1,2,{"b":2}]'


def test_a_path_is_written_as_in_suite_toml() -> None:
    assert spelled((0, Every.MEMBER, "a/b")) == "/0/*/a~1b"
