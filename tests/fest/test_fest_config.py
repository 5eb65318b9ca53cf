"""fest.toml: everything that it can say, and every mistake."""

from __future__ import annotations

from support.golden import Golden, message_of

from harness.errors import UsageError
from harness.fest.config import FEST_TOML, FestConfig
from harness.fest.events import CaseStatus, Duplicates, Ruling
from harness.project.xtest_toml import parse_document

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


def test_every_key_is_read_and_three_are_required() -> None:
    least = b'tests = "tests/*"\nsubjects = "teams/*"\nwheats = "wheats/*"'
    assert parse_document(FEST_TOML, least, "f") == FestConfig("tests/*", "teams/*", "wheats/*")
    ruling = Ruling("red", "7", CaseStatus.CONTESTED, "kim", "the text allows both")
    assert parse_document(FEST_TOML, WHOLE.encode(), "f") == FestConfig(
        *("tests/*", ("@team", "extra"), "wheats/*", "chaffs/*", ("./run", "-q"), 5, 100),
        *(Duplicates.FIRST, (ruling,)),
    )


def test_mistakes_are_explained(golden: Golden) -> None:
    def mistake(text: str) -> str:
        return message_of(UsageError, parse_document, FEST_TOML, text.encode(), "fest.toml")

    golden.table("fest-toml-mistakes.txt", mistake)
