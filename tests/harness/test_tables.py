"""Tables of TOML: what is told of where something stands; the rest is tested with what uses it."""

from __future__ import annotations

import pytest

from harness.suites.tables import Grammar, Refusal, Table, a_count, a_text, parsed

GRAMMAR = Grammar(
    {"": ("a", "list", "named"), "list": ("b",), "named": ("c", "inner"), "named.inner": ("d",)},
    {"list": "[[list]]", "named": "[named.NAME]", "named.inner": "[named.NAME.inner]"},
)


def refused(text: str) -> Refusal:
    """What is wrong with a text, when all of it is taken."""
    with pytest.raises(Refusal) as caught:
        table = Table(GRAMMAR, parsed(text.encode()))
        table.take("a", 0, "a count", a_count)
        for entry in table.each("list"):
            entry.need("b", "a text", a_text)
        for named in table.named("named", "x or y", lambda name: name if name in "xy" else None):
            inner = table.named("named", "", str)[named].inner("inner", "named.")
            inner.take("d", "", "a text", a_text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("a = 0", ("", 0, "a"), "a is to be a count, found 0"),
        ("e = 0", ("", 0, "e"), 'unknown key "e"; known: a, list, named'),
        ("d = 0", ("", 0, "d"), 'unknown key "d"; it belongs in [named.NAME.inner]'),
        ("[[list]]\na = 1", ("list", 0, "a"), "[[list]] number 1: unknown key"),
        (
            "[[list]]\nb = 'b'\n[[list]]",
            ("list", 1, "b"),
            "[[list]] number 2: b is missing: a text",
        ),
        ("[named.x]\n[named.y]\nb = 1", ("named", 1, "b"), "[named.y] unknown key"),
        ("[named.z]", ("", 0, "named"), "[named.z]: a name is to be x or y"),
        (
            "[named.x.inner]\nd = 1",
            ("named.inner", 0, "d"),
            "[named.x] inner: d is to be a text, found 1",
        ),
    ],
)
def test_a_refusal_has_its_place_and_begins_with_it(
    text: str, place: tuple[str, int, str], said: str
) -> None:
    problem = refused(text)
    assert problem.place == place
    assert str(problem).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = ./x", "Invalid value (at line 1, column 5); a text stands in quotes"),
        ("a = 1\nb = é", "Invalid value (at line 2, column 5); a text stands in quotes"),
        ("a = = 1", "Invalid value (at line 1, column 5)"),
        ("a =", "Invalid value (at end of document)"),
    ],
)
def test_a_text_without_quotes_is_told_of_them(text: str, said: str) -> None:
    with pytest.raises(Refusal) as caught:
        parsed(text.encode())
    assert str(caught.value) == f"not TOML: {said}"


def test_a_key_of_the_top_in_a_table_belongs_above_it() -> None:
    said = str(refused("[[list]]\na = 1"))
    assert said == '[[list]] number 1: unknown key "a"; it belongs above the first [table]'
