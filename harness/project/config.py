"""Find and parse xtest.toml: the subjects of a project, its suites, and who serves which.

To add a key, add a field to `SubjectConfig` and a `Key` to `XTEST_TOML`; `pytest tests/project
--update-golden` writes schemas/xtest.schema.json and the table in docs/subjects.md.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, NamedTuple

from harness.errors import UsageError
from harness.model.case_names import CONFIG_FILE
from harness.suites.suite_toml import LIMIT_KEYS
from harness.text import did_you_mean, escape_nonprintable, quote, truncate_to_width
from harness.tomlio.tables import (
    POSITIVE_NUMBER,
    SHOWN,
    STRING,
    STRINGS,
    Key,
    TableForm,
    TableSchema,
    TomlError,
    ValueType,
    parse_toml,
    read_document,
    string,
    strings,
)

__all__ = [
    "XTEST_TOML",
    "Config",
    "SubjectConfig",
    "SuiteNames",
    "chosen_subjects",
    "find_config",
    "need_config",
    "parse_config",
    "unmatched_globs",
]

_PROGRAM: Final = "{program}"
_SUITE: Final = "{suite}"
_TAG_SIGN: Final = "@"  # before a tag among the names of subjects


class SuiteNames(NamedTuple):
    """The names of a suite in globs: its folder's name, and its path from the xtest.toml.

    The path of a bundled suite is its name.
    """

    short: str
    path: str

    def matches(self, pattern: str) -> bool:
        return fnmatchcase(self.short, pattern) or fnmatchcase(self.path, pattern)


class SubjectConfig(NamedTuple):
    """One `[subjects.NAME]` table. `limits` has only those that are set, by name."""

    name: str
    command: tuple[str, ...]
    folder: str = "."
    environment: tuple[tuple[str, str], ...] = ()
    language: str = ""
    build: tuple[str, ...] = ()
    build_s: float = 600.0
    limits: tuple[tuple[str, float], ...] = ()
    tags: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()

    def serves(self, suite: SuiteNames) -> bool:
        return not self.suites or any(suite.matches(pattern) for pattern in self.suites)

    def command_for(self, suite: SuiteNames, program: str) -> tuple[str, ...] | None:
        """Return the command on a suite, or None if it needs a `program` and the suite has none."""
        if not program and any(_PROGRAM in word for word in self.command):
            return None
        return tuple(
            word.replace(_SUITE, suite.short).replace(_PROGRAM, program) for word in self.command
        )


class Config(NamedTuple):
    """An xtest.toml: arguments that name suites, and subjects, in the order of the file."""

    suites: tuple[str, ...] = ()
    subjects: tuple[SubjectConfig, ...] = ()


def find_config() -> str | None:
    """Return the path of the nearest xtest.toml, in this folder or above, or None."""
    try:
        here = Path.cwd()
    except OSError:  # it was removed
        return None
    paths = (str(folder / CONFIG_FILE) for folder in (here, *here.parents))
    return next((path for path in paths if os.path.lexists(path)), None)


def need_config(option: str) -> str:
    """Return the path of the nearest xtest.toml. Raises UsageError in the name of an option."""
    path = find_config()
    if path is None:
        raise UsageError(
            f"{option}: no {CONFIG_FILE} in this folder or above; xtest init writes one"
        )
    return path


def parse_config(text: bytes, where: str) -> Config:
    """Return the content of an xtest.toml. Raises UsageError, which names the file `where`."""
    try:
        entries = parse_toml(text)
        _reject_unquoted_dots(entries.get("subjects"))
        config: Config = read_document(XTEST_TOML, entries)
    except TomlError as problem:
        hint = _QUOTES_HINT if _HEADER_FAULT in str(problem) else ""
        raise UsageError(f"{where}: {problem}{hint}") from None
    return config


def chosen_subjects(config: Config, words: Sequence[str]) -> tuple[SubjectConfig, ...]:
    """Return the subjects that a word selects, or all if there are no words.

    A word is a glob on names, or "@" and a tag. Raises UsageError for a word without a subject.
    """
    for word in words:
        if not any(_selects(word, subject) for subject in config.subjects):
            raise UsageError(f"--subject {quote(word, SHOWN)}: {_no_subject(word, config)}")
    return tuple(
        subject
        for subject in config.subjects
        if not words or any(_selects(word, subject) for word in words)
    )


def unmatched_globs(config: Config, suites: Sequence[SuiteNames]) -> list[tuple[str, str]]:
    """Return key and message of each glob of a subject that matches none of the file's suites."""
    paths = [suite.path for suite in suites]
    return [
        (
            f"[subjects.{subject.name}] suites",
            f"{quote(pattern, SHOWN)} matches no suite; {did_you_mean(pattern, paths)}",
        )
        for subject in config.subjects
        for pattern in subject.suites
        if not any(suite.matches(pattern) for suite in suites)
    ]


def _selects(word: str, subject: SubjectConfig) -> bool:
    if word.startswith(_TAG_SIGN):
        return word.removeprefix(_TAG_SIGN) in subject.tags
    return fnmatchcase(subject.name, word)


def _no_subject(word: str, config: Config) -> str:
    names = [subject.name for subject in config.subjects]
    if not names:
        return f"{CONFIG_FILE} has no subjects"
    tags = sorted({_TAG_SIGN + tag for subject in config.subjects for tag in subject.tags})
    if not word.startswith(_TAG_SIGN):
        return f"no subject has this name; {did_you_mean(word, names)}"
    return f"no subject has this tag; {did_you_mean(word, tags) if tags else 'none has any'}"


# The message of tomllib for a header with a character that needs quotes.
_HEADER_FAULT: Final = "Expected ']' at the end of a table declaration"
_QUOTES_HINT: Final = (
    '; a name with other characters than A-Z a-z 0-9 _ - needs quotes: [subjects."a.b"]'
)


def _reject_unquoted_dots(subjects: Any) -> None:
    """Raise TomlError for a name with a dot but no quotes: to TOML, that is a table in a table."""
    for name, entry in (subjects if isinstance(subjects, dict) else {}).items():
        for key, value in (entry if isinstance(entry, dict) else {}).items():
            if key in SubjectConfig._fields or not isinstance(value, dict):
                continue
            if "command" in value:
                whole = truncate_to_width(escape_nonprintable(f"{name}.{key}"), SHOWN)
                raise TomlError(
                    f'[subjects.{whole}]: a name with a dot needs quotes: [subjects."{whole}"]'
                )


# Readers: None, or an error that says more, for a value of another type.


def _read_name(name: str) -> str | None:
    return name if re.fullmatch(_NAME_PATTERN, name) else None


def _read_strings(value: Any) -> tuple[str, ...] | None:
    return strings(value) or None


def _read_path(value: Any) -> str | None:
    text = string(value)
    if text is not None and "\0" in text:
        raise TomlError("a path or word of a command cannot hold the character U+0000")
    return text


def _read_command(value: Any) -> tuple[str, ...] | None:
    # An argument may be empty, the program may not.
    if not isinstance(value, list) or not value or not string(value[0]):
        return None
    if not all(isinstance(word, str) for word in value):
        return None
    return tuple(_read_path(word) or "" for word in value)


def _read_environment(value: Any) -> tuple[tuple[str, str], ...] | None:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        return None
    for name, text in value.items():
        if not name or "=" in name or "\0" in name + text:
            raise TomlError(f"{quote(f'{name}={text}', SHOWN)} cannot be a variable")
    return tuple(value.items())


# Types of values, with their JSON Schemas.

# No name starts like an option or a tag on the command line; none needs quotes in a shell.
_NAME_PATTERN: Final = "[A-Za-z0-9_][A-Za-z0-9_.+-]{0,59}"
_NO_NUL: Final = {"type": "string", "pattern": "^[^\\u0000]*$"}
_PATH_SCHEMA: Final = {**_NO_NUL, "minLength": 1}

_NAME: Final = ValueType(
    _read_name,
    "up to 60 characters of A-Z a-z 0-9 _ . + -, starting with a letter, a digit or _",
    {"pattern": f"^{_NAME_PATTERN}$"},
)
_PATH: Final = ValueType(_read_path, "the path of a folder", _PATH_SCHEMA)
_COMMAND: Final = ValueType(
    _read_command,
    'a list of words such as ["node", "prog.js"], the program first',
    {"type": "array", "prefixItems": [_PATH_SCHEMA], "items": _NO_NUL, "minItems": 1},
)
_BUILD: Final = _COMMAND._replace(
    expected='a list of words such as ["make", "all"], the program first'
)
_ENVIRONMENT: Final = ValueType(
    _read_environment,
    'a table of strings such as { LANG = "C" }',
    {
        "type": "object",
        "propertyNames": {"pattern": "^[^=\\u0000]+$"},
        "additionalProperties": _NO_NUL,
    },
)
_SUITES: Final = ValueType(
    _read_strings, "a list of folders or names of suites", {**STRINGS.schema, "minItems": 1}
)
_GLOBS: Final = _SUITES._replace(
    expected='a list of globs on the names of suites, such as ["easy-*"]'
)


def _set_limits(**limits: float) -> tuple[tuple[str, float], ...]:
    return tuple(limits.items())


XTEST_TOML: Final = TableSchema(
    "",
    Config,
    "The subjects and suites of a project, as the JSON value of the file's TOML.",
    keys=(
        Key("suites", _SUITES, "Folders, relative to the file, or bundled suites: run by default."),
        TableSchema(
            "subjects",
            SubjectConfig,
            "A program under test.",
            keys=(
                Key(
                    "command",
                    _COMMAND,
                    "The program and its arguments. `{program}` stands for the suite's program,"
                    " `{suite}` for the name of its folder.",
                    required=True,
                ),
                Key("folder", _PATH, "The working folder, relative to the file."),
                Key("environment", _ENVIRONMENT, "Variables to add to those of xtest."),
                Key("language", STRING, "For tables and reports."),
                Key("build", _BUILD, "A command to run once before the first case."),
                Key("build_s", POSITIVE_NUMBER, "Seconds that the build may take."),
                TableSchema(
                    "limits",
                    _set_limits,
                    "Limits that replace those of a suite.toml, one by one.",
                    LIMIT_KEYS,
                ),
                Key("tags", STRINGS, "Words to select subjects by: `--subject @WORD`."),
                Key("suites", _GLOBS, "Globs on the suites that it serves; all if not set."),
            ),
            form=TableForm.NAMED,
            name_type=_NAME,
        ),
    ),
)
