"""The reference pages generated from schemas have every member, with its type."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html import unescape

import pytest
from site_schemas import events_page, suite_page, type_words, xtest_page
from support.golden import Golden
from support.tables import check_table
from support.xtest import TOP

Page = Callable[[], str]


def members_of(schema: object) -> Iterator[str]:
    """Yield the names of all members anywhere in a schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for inner in schema.values():
            yield from members_of(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from members_of(inner)


@pytest.mark.parametrize(
    ("name", "page"), [("suite", suite_page), ("xtest", xtest_page), ("results", events_page)]
)
def test_a_page_has_every_member_of_its_schema(name: str, page: Page) -> None:
    path = TOP / "schemas" / f"{name}.schema.json"
    shown = set(re.findall(r"<code>([^<]+)</code>", unescape(page())))
    assert set(members_of(json.loads(path.read_text(encoding="utf-8")))) - shown == set()


def test_sections_have_the_headers_of_toml_tables() -> None:
    heads = re.findall(r"^## (.*)$", unescape(suite_page()), re.MULTILINE)
    wanted = ["[limits]", "[compare]", "[[compare.at]]", "[[cases]]", "[[known]]"]
    assert [head for head in heads if head in wanted] == wanted
    heads = re.findall(r"^## (.*)$", unescape(xtest_page()), re.MULTILINE)
    subject = ("[subjects.NAME]", "[subjects.NAME.limits]", "[[subjects.NAME.skip]]")
    assert heads[:5] == ["Top level", *subject, "[defaults]"]
    assert "[[defaults.compare.at]]" in heads


def test_a_type_is_described_in_words(golden: Golden) -> None:
    root = {"$defs": {"part": {"type": "object", "properties": {"a": {}}}}}
    check_table(golden, __file__, "types.txt", lambda schema: type_words(schema, root))
