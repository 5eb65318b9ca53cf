"""The form that requests of all programs share."""

from __future__ import annotations

import pytest

from harness.jsontext import PROGRAM_DEPTH, Decoder, Json, Printable
from xtests.form import number, spellings
from xtests.refusal import EVERYTHING, Kind, Pointer, Refused, element
from xtests.request import Answerer, member, members, queries

AT = element(EVERYTHING, 3)


def _plus(value: Json, at: Pointer) -> Answerer[int]:
    added = number(value, at, spellings(range(5)), "a small one")
    return lambda asked: asked + added


def _read(text: str) -> Json:
    decoder = Decoder(PROGRAM_DEPTH)
    (value,) = decoder.feed(text.encode()) + decoder.close()
    return value


def _members(text: str) -> list[tuple[str, Json, Pointer]]:
    return list(members(_read(text), AT, ("ask",), ("moves",), "a request"))


def _answers(text: str) -> dict[str, Printable]:
    plain: dict[str, Answerer[int]] = {"self": lambda asked: asked, "sign": lambda asked: asked > 0}
    asked = queries(_read(text), AT, plain, {"plus": _plus})
    return {name: answerer(40) for name, answerer in asked.items()}


def _refusal_of_queries(text: str) -> tuple[str | int, str]:
    with pytest.raises(Refused) as caught:
        _answers(text)
    assert caught.value.kind is Kind.INVALID_SPEC
    return caught.value.at, caught.value.message


@pytest.mark.parametrize(
    ("name", "pointer"),
    [
        ("ask", "/3/ask"),
        ("", "/3/"),
        ("a/b~c", "/3/a~1b~0c"),
        ("~1", "/3/~01"),
        ("/~", "/3/~1~0"),
        ("é\n", "/3/é\n"),
        ("0", "/3/0"),
    ],
)
def test_a_member_is_pointed_at_by_its_escaped_name(name: str, pointer: str) -> None:
    assert member(AT, name) == pointer


def test_members_come_in_the_order_of_the_text_with_their_places() -> None:
    assert _members('{"moves":[],"ask":null}') == [
        ("moves", [], "/3/moves"),
        ("ask", None, "/3/ask"),
    ]


def test_an_optional_member_may_be_absent() -> None:
    assert [name for name, _, _ in _members('{"ask":0}')] == ["ask"]


@pytest.mark.parametrize("text", ["null", '["ask"]', '"ask"', "{}", '{"moves":[],"a":1}'])
def test_what_is_no_object_or_lacks_a_member_is_at_fault_itself(text: str) -> None:
    with pytest.raises(Refused) as caught:
        _members(text)
    assert (caught.value.kind, caught.value.at) == (Kind.INVALID_SPEC, "/3")
    assert caught.value.message == f"a request expected at /3, found {text}"


def test_a_member_of_another_name_is_at_fault_when_its_turn_comes() -> None:
    found = members(_read('{"ask":0,"b/c":1,"a":2}'), AT, ("ask",), ("moves",), "a request")
    assert next(found)[0] == "ask"
    with pytest.raises(Refused) as caught:
        next(found)
    assert (caught.value.kind, caught.value.at) == (Kind.INVALID_SPEC, "/3/b~1c")
    assert caught.value.message == (
        'no member of this name expected at /3/b~1c: known here are "ask", "moves"'
    )


def test_where_one_member_is_known_it_is_named_alone() -> None:
    with pytest.raises(Refused) as caught:
        list(members(_read('{"size":1}'), AT, (), ("width",), "a size"))
    assert caught.value.message == (
        'no member of this name expected at /3/size: known here is "width"'
    )


def test_queries_are_answered_by_name_in_the_order_asked() -> None:
    assert list(_answers('["sign",{"plus":2},"self"]').items()) == [
        ("sign", True),
        ("plus", 42),
        ("self", 40),
    ]
    assert not _answers("[]")


def test_an_argument_of_0_is_an_argument() -> None:
    assert _answers('[{"plus":0}]') == {"plus": 40}


@pytest.mark.parametrize("text", ["null", '"self"', '{"plus":1}', "0"])
def test_queries_that_are_no_array_are_at_fault(text: str) -> None:
    message = f"an array of queries expected at /3, found {text}"
    assert _refusal_of_queries(text) == ("/3", message)


@pytest.mark.parametrize(
    "query", ['"plus"', '"Self"', '""', "0", "null", "[]", '["self"]', "{}", '{"plus":1,"self":1}']
)
def test_what_is_no_query_is_at_fault_itself(query: str) -> None:
    message = f'a query ("self", "sign" or {{"plus": ...}}) expected at /3/1, found {query}'
    assert _refusal_of_queries(f'["self",{query}]') == ("/3/1", message)


@pytest.mark.parametrize(
    ("query", "at"), [('{"self":1}', "self"), ('{"min/us":1}', "min~1us"), ('{"":null}', "")]
)
def test_a_name_that_takes_no_argument_is_at_fault_as_a_member(query: str, at: str) -> None:
    message = f'no member of this name expected at /3/0/{at}: known here is "plus"'
    assert _refusal_of_queries(f"[{query}]") == (f"/3/0/{at}", message)


def test_an_argument_is_at_fault_where_it_stands() -> None:
    message = "a small one expected at /3/1/plus, found 5"
    assert _refusal_of_queries('["self",{"plus":5}]') == ("/3/1/plus", message)


@pytest.mark.parametrize(
    ("text", "at", "name"),
    [
        ('["self","sign","self","sign"]', "/3/2", "self"),
        ('[{"plus":1},{"plus":2}]', "/3/1", "plus"),
        # The query before its argument, as a container is looked at before its parts.
        ('[{"plus":1},{"plus":99}]', "/3/1", "plus"),
    ],
)
def test_a_query_that_comes_twice_is_at_fault_the_second_time(
    text: str, at: str, name: str
) -> None:
    assert _refusal_of_queries(text) == (at, f'"{name}" is asked for already, found again at {at}')
