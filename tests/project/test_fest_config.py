"""fest.toml: everything that it can say, every mistake, and its schema and documentation."""

from __future__ import annotations

import pytest
from support.golden import Golden
from support.toml_schemas import compare_schema, compare_table, format_mistakes
from support.xtest import TOP

from harness.errors import UsageError
from harness.model.fest import CaseStatus, Duplicates, Ruling
from harness.project.fest import FEST_TOML, FestConfig, parse_fest

LEAST = 'tests = "tests/*"\nsubjects = "teams/*"\nwheats = "wheats/*"\n'
WHOLE = """
tests = "tests/*"
subjects = ["@team", "extra"]
wheats = "wheats/*"
chaffs = "chaffs/*"
program = ["./run", "-q"]
max_cases = 5
max_bytes = 100
duplicates = "first"
[[ruling]]
team = "red"
case = "7"
status = "contested"
by = "kim"
reason = "the text allows both"
"""


def test_every_key_is_read() -> None:
    ruling = Ruling("red", "7", CaseStatus.CONTESTED, "kim", "the text allows both")
    assert parse_fest(WHOLE.encode(), "f") == FestConfig(
        *("tests/*", ("@team", "extra"), "wheats/*", "chaffs/*", ("./run", "-q"), 5, 100),
        *(Duplicates.FIRST, (ruling,)),
    )


def test_the_rest_has_defaults() -> None:
    assert parse_fest(LEAST.encode(), "f") == FestConfig("tests/*", "teams/*", "wheats/*")


MISTAKES = (
    "",
    'tests = ["tests/*"]',
    LEAST + "chaffs = []",
    LEAST + "chaff = 'x'",
    LEAST + 'program = "./solve"',
    LEAST + "max_cases = 0",
    LEAST + 'duplicates = "none"',
    LEAST + "[ruling]",
    LEAST + "[[ruling]]\nteam = 'red'",
    LEAST + "[[ruling]]\nteam = 'red'\ncase = 1\nstatus = 'valid'",
    LEAST + "[[ruling]]\nteam = 'red'\ncase = '1'\nstatus = 'fine'",
)


def _message(text: bytes) -> str:
    with pytest.raises(UsageError) as caught:
        parse_fest(text, "fest.toml")
    return str(caught.value)


def test_mistakes_are_explained(golden: Golden) -> None:
    golden("fest-toml-mistakes.txt", format_mistakes(MISTAKES, _message))


def test_the_schema_is_that_of_the_reader(request: pytest.FixtureRequest) -> None:
    compare_schema(request.node, FEST_TOML, "fest.toml")


def test_the_table_of_keys_is_that_of_the_reader(request: pytest.FixtureRequest) -> None:
    page = TOP / "docs" / "howto" / "test-fest.md"
    compare_table(request.node, FEST_TOML, "fest.toml", page, ())
