"""Captured values in messages, and partial messages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.golden import Golden

from harness.dialogue.templates import agrees, fill, has_stray_mark, matches, references
from harness.jsonio.decoder import Json, Number, encode
from harness.jsonio.fast import decode

CAPTURED: dict[str, Json] = {"n": Number("1.50"), "s": 'a"b\\', "o": {"k": []}}


def value_of(text: str) -> Json:
    return decode(text.encode()).values[0]


def test_captured_values_are_filled_in(golden: Golden) -> None:
    golden.table("filled.txt", lambda text: encode(fill(value_of(text), CAPTURED)))


@given(st.text(), st.text(alphabet='${}s"\\'))
def test_a_captured_text_arrives_unchanged(captured: str, around: str) -> None:
    around = around.replace("$", "")
    filled = fill([f"{around}${{s}}{around}", "${s}"], {"s": captured})
    assert filled == [f"{around}{captured}{around}", captured]
    assert references([f"{around}${{s}}"]) == {"s"}


def test_a_mark_is_stray_if_it_begins_no_reference() -> None:
    stray = ("${", "${my-id}", "${a}${", "$ ${", "$${${")
    proper = ("$", "{", "${a}", "x ${a}", "$${", "$${my-id}", "$$${{")
    assert [text for text in (*stray, *proper) if has_stray_mark([text])] == list(stray)


def test_a_partial_message_matches(golden: Golden) -> None:
    def compare(texts: tuple[str, str]) -> str:
        return "yes" if matches(value_of(texts[0]), value_of(texts[1])) else "no"

    golden.table("matches.txt", compare)


def test_a_step_expects_what_would_be_ignored_only_if_it_names_the_same() -> None:
    pattern = value_of('{"method": "notifications/*"}')
    expected = value_of('{"method": "notifications/a", "params": 1}')
    assert agrees(pattern, expected, value_of('{"method": "notifications/a", "params": 2}'))
    assert not agrees(pattern, expected, value_of('{"method": "notifications/b"}'))
    assert not agrees(pattern, value_of('{"id": 1}'), value_of('{"method": "notifications/b"}'))
    any_params = value_of('{"params": {}}')
    assert agrees(
        any_params, value_of('{"params": {"a": 1}}'), value_of('{"params": {"a": 1, "b": 2}}')
    )


def test_deep_values_do_not_exhaust_the_stack() -> None:
    deep = value_of("[" * 9_000 + '"${s}"' + "]" * 9_000)
    assert encode(fill(deep, {"s": "x"})) == "[" * 9_000 + '"x"' + "]" * 9_000
    assert agrees([], deep, deep) and matches(deep, deep)


def test_any_value_that_a_suite_allows_is_filled_in() -> None:
    deep = value_of("[" * 9_999 + "]" * 9_999)
    assert encode(fill(["${d}"], {"d": [[deep]]})) == f"[[[{encode(deep)}]]]"
    odd: Json = [Number("NaN"), "\ud800"]
    assert fill({"a": "${o}"}, {"o": odd}) == {"a": odd}
    assert fill({"${s}": True, "${t}": None}, {"s": "k", "t": "k"}) == {"k": None}
