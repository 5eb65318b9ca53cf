"""xtest.toml as values: the subjects of a project, its suites, and which subject serves which.

Pure: text in, records out, with every fault by its key and the nearest known name. What the file
may say is in schemas/xtest.schema.json; a test holds the two together. Source: docs/subjects.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

from harness.records import Limits
from harness.suites.naming import CONFIG_FILE
from harness.suites.policy import limits_said
from harness.suites.tables import (
    AMOUNT_WANTED,
    TEXT_WANTED,
    Grammar,
    Refusal,
    Table,
    a_table,
    a_text,
    an_amount,
    parsed,
    texts,
)
from harness.words import clip, did_you_mean, quoted, visible

__all__ = [
    "Config",
    "ConfigError",
    "SubjectConfig",
    "SuiteNames",
    "chosen_subjects",
    "idle_globs",
    "parse_config",
]

BUILD_S: Final = 600.0  # for a whole build, where nothing else is said
_SHOWN: Final = 60  # characters of a word of the caller's in a message


class ConfigError(ValueError):
    """An xtest.toml that cannot be accepted, or a subject that it does not have; the message says
    where, what was expected and found."""


class SuiteNames(NamedTuple):
    """How a suite can be called, whatever argument of a command line led to it: by its folder's
    name, and by the path from the file's own folder (of a bundled suite, by its name)."""

    short: str
    path: str

    def fits(self, pattern: str) -> bool:
        """Whether a glob means the suite."""
        return fnmatchcase(self.short, pattern) or fnmatchcase(self.path, pattern)


class SubjectConfig(NamedTuple):
    """One `[subjects.NAME]` table. `folder` is relative to the file's own. `limits` are those that
    it speaks of, by name. `suites` are globs on those it serves; empty: all of them."""

    name: str
    command: tuple[str, ...]
    folder: str = "."
    environment: tuple[tuple[str, str], ...] = ()
    language: str = ""
    build: tuple[str, ...] = ()
    build_s: float = BUILD_S
    limits: tuple[tuple[str, float], ...] = ()
    tags: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()

    def serves(self, suite: SuiteNames) -> bool:
        """Whether it is run on this suite."""
        return not self.suites or any(suite.fits(pattern) for pattern in self.suites)

    def command_for(self, suite: SuiteNames, program: str) -> tuple[str, ...] | None:
        """Its command on a suite, whose suite.toml names this program ("": none). None: there is a
        {program} to be replaced, and the suite names none."""
        if not program and any(_PROGRAM in word for word in self.command):
            return None
        return tuple(
            word.replace(_SUITE, suite.short).replace(_PROGRAM, program) for word in self.command
        )


class Config(NamedTuple):
    """What an xtest.toml says: suites as a command line would name them in its folder, and the
    subjects in the order of the file."""

    suites: tuple[str, ...] = ()
    subjects: tuple[SubjectConfig, ...] = ()


_PROGRAM: Final = "{program}"
_SUITE: Final = "{suite}"
# No name begins as an option does, or as a tag on the command line; none needs quotes in a shell.
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,59}")
_NAME_WANTED: Final = (
    "up to 60 characters of A-Z a-z 0-9 _ . + -, the first of them a letter, a digit or _"
)
# What tomllib says of the head of a table with a letter that is not allowed without quotes.
_HEAD_FAULT: Final = "Expected ']' at the end of a table declaration"
_QUOTES: Final = (
    '; what has other characters than A-Z a-z 0-9 _ - stands in quotes: [subjects."a.b"]'
)
_TAG_SIGN: Final = "@"  # in front of a tag among the names of subjects

_GRAMMAR: Final = Grammar(
    keys={
        "": Config._fields,
        "subjects": SubjectConfig._fields[1:],
        "subjects.limits": Limits._fields,
    },
    heads={"subjects": "[subjects.NAME]", "subjects.limits": "[subjects.NAME.limits]"},
)


def parse_config(text: bytes, where: str) -> Config:
    """What an xtest.toml says. `where` names the file in messages. Raises ConfigError."""
    try:
        entries = parsed(text)
        _refuse_tables_in(entries.get("subjects"))
        top = Table(_GRAMMAR, entries)
        tables = top.named("subjects", _NAME_WANTED, _name)
        return Config(
            suites=top.take("suites", (), _SUITES_WANTED, _some_texts),
            subjects=tuple(_subject(name, table) for name, table in tables.items()),
        )
    except Refusal as problem:
        hint = _QUOTES if _HEAD_FAULT in str(problem) else ""
        raise ConfigError(f"{where}: {problem}{hint}") from None


def chosen_subjects(config: Config, wanted: Sequence[str]) -> tuple[SubjectConfig, ...]:
    """The subjects that one of these words means, in the order of the file: a glob on a name, or
    "@" and a tag; all of them where there is no word. Raises ConfigError for words that mean
    none."""
    for word in wanted:
        if not any(_means(word, subject) for subject in config.subjects):
            raise ConfigError(f"--subject {quoted(word, _SHOWN)}: {_no_subject(word, config)}")
    return tuple(
        subject
        for subject in config.subjects
        if not wanted or any(_means(word, subject) for word in wanted)
    )


def idle_globs(config: Config, suites: Sequence[SuiteNames]) -> list[tuple[str, str]]:
    """Where a subject is said to serve suites of which there are none (the key), and what is wrong
    there. `suites` are all that the file has."""
    paths = [suite.path for suite in suites]
    return [
        (
            f"[subjects.{subject.name}] suites",
            f"{quoted(pattern, _SHOWN)} means no suite; {did_you_mean(pattern, paths)}",
        )
        for subject in config.subjects
        for pattern in subject.suites
        if not any(suite.fits(pattern) for suite in suites)
    ]


def _means(word: str, subject: SubjectConfig) -> bool:
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


_SUITES_WANTED: Final = "a list of folders or names of suites"
_COMMAND_WANTED: Final = 'a list of words such as ["node", "prog.js"], the program first'
_BUILD_WANTED: Final = 'a list of words such as ["make", "all"], the program first'
_GLOBS_WANTED: Final = 'a list of globs on the names of suites, such as ["easy-*"]'
_ENVIRONMENT_WANTED: Final = 'a table of texts such as { LANG = "C" }'


def _subject(name: str, table: Table) -> SubjectConfig:
    return SubjectConfig(
        name=name,
        command=table.need("command", _COMMAND_WANTED, _command),
        folder=table.take("folder", ".", "the path of a folder", _plain_text),
        environment=table.take("environment", (), _ENVIRONMENT_WANTED, _environment),
        language=table.take("language", "", TEXT_WANTED, a_text),
        build=table.take("build", (), _BUILD_WANTED, _command),
        build_s=table.take("build_s", BUILD_S, AMOUNT_WANTED, an_amount),
        limits=tuple(limits_said(table.inner("limits", "subjects.")).items()),
        tags=table.take("tags", (), "a list of texts that are not empty", texts),
        suites=table.take("suites", (), _GLOBS_WANTED, _some_texts),
    )


# One value each: None, or a refusal of its own, where it is not what the key takes.


def _name(name: str) -> str | None:
    return name if _NAME.fullmatch(name) else None


def _refuse_tables_in(subjects: Any) -> None:
    """Raises Refusal where a name with a dot was written without quotes: to TOML, that is a table
    in a table."""
    for name, entry in (a_table(subjects) or {}).items():
        for key, value in (a_table(entry) or {}).items():
            if key not in SubjectConfig._fields and "command" in (a_table(value) or {}):
                whole = clip(visible(f"{name}.{key}"), _SHOWN)
                said = "a name with a dot stands in quotes"
                raise Refusal(f'[subjects.{whole}]: {said}: [subjects."{whole}"]')


def _some_texts(value: Any) -> tuple[str, ...] | None:
    return texts(value) or None


def _plain_text(value: Any) -> str | None:
    text = a_text(value)
    if text is not None and "\0" in text:
        raise Refusal("no path and no word of a command can hold the character U+0000")
    return text


def _command(value: Any) -> tuple[str, ...] | None:
    # Behind the program, an empty word may well be meant.
    if not isinstance(value, list) or not value or not a_text(value[0]):
        return None
    if not all(isinstance(word, str) for word in value):
        return None
    return tuple(_plain_text(word) or "" for word in value)


def _environment(value: Any) -> tuple[tuple[str, str], ...] | None:
    table = a_table(value)
    if table is None or not all(isinstance(text, str) for text in table.values()):
        return None
    for name, text in table.items():
        if not name or "=" in name or "\0" in name + text:
            raise Refusal(f"no variable can be called or hold {quoted(f'{name}={text}', _SHOWN)}")
    return tuple(table.items())
