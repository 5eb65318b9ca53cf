"""Find and parse fest.toml: the suites and programs of a test fest, and the rulings of staff.

To add a key, add a field to `FestConfig` and a `Key` to `FEST_TOML`; `pytest tests/project
--update-golden` writes schemas/fest.schema.json and the table in docs/howto/test-fest.md.
"""

from __future__ import annotations

import os
from typing import Any, Final, NamedTuple

from harness.errors import UsageError
from harness.model.fest import CaseStatus, Duplicates, Ruling
from harness.project.xtest_toml import COMMAND, read_regular
from harness.suites.names import nearest
from harness.text import escape_nonprintable
from harness.tomlio.tables import (
    POSITIVE_INTEGER,
    STRING,
    STRINGS,
    Key,
    TableForm,
    TableSchema,
    TomlError,
    ValueType,
    choice,
    parse_toml,
    read_document,
    string,
    strings,
)

FEST_FILE: Final = "fest.toml"

Programs = str | tuple[str, ...]


class FestConfig(NamedTuple):
    """A fest.toml. Programs are a glob of folders, or names of subjects of xtest.toml."""

    tests: str
    subjects: Programs
    wheats: Programs
    chaffs: Programs = ()
    program: tuple[str, ...] = ("./solve",)
    max_cases: int = 30
    max_bytes: int = 65536
    duplicates: Duplicates = Duplicates.EACH
    rulings: tuple[Ruling, ...] = ()


class Fest(NamedTuple):
    """A fest.toml: its path as messages show it, its folder, and its content."""

    where: str
    folder: str
    config: FestConfig


def _read_programs(value: Any) -> Programs | None:
    return string(value) or strings(value) or None


_GLOB: Final = STRING._replace(expected='a glob of folders, such as "tests/*"')
_PROGRAMS: Final = ValueType(
    _read_programs,
    'a glob of folders, such as "teams/*", or a list of subjects of xtest.toml: names, globs, @TAG',
    {"anyOf": [STRING.schema, {**STRINGS.schema, "minItems": 1}]},
)

FEST_TOML: Final = TableSchema(
    "",
    FestConfig,
    "A test fest: suites and programs of many teams, as the JSON value of the file's TOML.",
    keys=(
        Key("tests", _GLOB, "A folder of cases per team, named like the team.", required=True),
        Key("subjects", _PROGRAMS, "A program per team, named like the team.", required=True),
        Key(
            "wheats",
            _PROGRAMS,
            "Correct programs: a case is valid if each of them passes it every time.",
            required=True,
        ),
        Key("chaffs", _PROGRAMS, "Plausible wrong programs, which good suites catch."),
        Key(
            "program", COMMAND, 'The command of a program, in its folder; `["./solve"]` if not set.'
        ),
        Key("max_cases", POSITIVE_INTEGER, "Cases of a team that count; further ones are invalid."),
        Key("max_bytes", POSITIVE_INTEGER, "Bytes of a case, input and expected output together."),
        Key(
            "duplicates",
            choice(Duplicates),
            "Which cases count if several have the same valid input: each of them, or the first.",
        ),
        TableSchema(
            "ruling",
            Ruling,
            "A decision of staff on a case; nothing runs again.",
            keys=(
                Key("team", STRING, "The team whose case it is.", required=True),
                Key("case", STRING, "The name of the case.", required=True),
                Key("status", choice(CaseStatus), "The status from now on.", required=True),
                Key("by", STRING, "Who decided."),
                Key("reason", STRING, "Why, for the team."),
            ),
            form=TableForm.ARRAY,
            field="rulings",
        ),
    ),
)


def find_fest() -> Fest | None:
    """Return the nearest fest.toml, in this folder or above, or None. Raises UsageError."""
    folder = nearest(os.getcwd(), FEST_FILE)
    if folder is None:
        return None
    path = os.path.join(folder, FEST_FILE)
    where = escape_nonprintable(os.path.relpath(path))
    return Fest(where, folder, parse_fest(read_regular(path, where), where))


def need_fest() -> Fest:
    """Return the nearest fest.toml. Raises UsageError without one."""
    fest = find_fest()
    if fest is None:
        raise UsageError(
            f"no {FEST_FILE} in this folder or above; for an example, see docs/howto/test-fest.md"
        )
    return fest


def parse_fest(text: bytes, where: str) -> FestConfig:
    """Return the content of a fest.toml. Raises UsageError, which names the file `where`."""
    try:
        config: FestConfig = read_document(FEST_TOML, parse_toml(text))
    except TomlError as problem:
        raise UsageError(f"{where}: {problem}") from None
    return config
