"""Find xtest.toml, declare its keys, and parse it. Source: docs/subjects.md.

To add a key, add a field to `SubjectConfig` in config.py and a `Key` here; `pytest tests/project
--update-golden` writes schemas/xtest.schema.json and the table in docs/reference/keys.md.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from glob import has_magic
from typing import Any, Final

from harness.errors import UsageError, usage_errors
from harness.files import nearest, read_regular
from harness.judging.comparison_parser import JsonText
from harness.model.case_names import CONFIG_FILE, WITHOUT
from harness.model.sessions import SessionKind
from harness.model.subject import SkipRule, StartFolder, WorkspaceMode
from harness.project.config import Config, SubjectConfig
from harness.suites.suite_toml import DEFAULTS, set_entries
from harness.suites.value_types import MATCH, SUBJECT_LIMIT_KEYS
from harness.text import quote, shorten_to_width
from harness.tomlio.tables import (
    BOOLEAN,
    MAX_SHOWN,
    POSITIVE_INTEGER,
    POSITIVE_NUMBER,
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


def find_config() -> str | None:
    """Return the path of the nearest xtest.toml, in this folder or above, or None."""
    try:
        folder = nearest(os.getcwd(), CONFIG_FILE)
    except OSError:  # it was removed
        return None
    return None if folder is None else os.path.join(folder, CONFIG_FILE)


def read_regular_file(path: str, where: str) -> bytes:
    """Return the content of a file that messages name `where`. Raises UsageError."""
    with usage_errors(where):
        return read_regular(path)


def parse_document(schema: TableSchema, text: bytes, where: str) -> Any:
    """Return the record of a TOML file. Raises UsageError, which names the file `where`."""
    try:
        return read_document(schema, parse_toml(text))
    except TomlError as problem:
        raise UsageError(f"{where}: {problem}") from None


def parse_config(text: bytes, where: str) -> Config:
    """Return the content of an xtest.toml. Raises UsageError, which names the file `where`."""
    try:
        entries = parse_toml(text, JsonText)
        _reject_unquoted_dots(entries.get("subjects"))
        config: Config = read_document(XTEST_TOML, entries)
    except TomlError as problem:
        raise UsageError(f"{where}: {_name_fault(text, str(problem)) or problem}") from None
    return config


# The messages of tomllib for a header with a character that needs quotes.
_HEADER_FAULT: Final = re.compile(
    r"not TOML: (?:Expected ']' at the end of a table declaration|Invalid initial character for a"
    r" key part) \(at line ([0-9]+), .*"
)
_SUBJECT_HEADER: Final = re.compile(r"\s*\[+\s*subjects\s*\.(.*?)\]+\s*(?:#.*)?")


def _name_fault(text: bytes, problem: str) -> str:
    """Return a message if a subject's name makes a table header invalid TOML, or ""."""
    place = _HEADER_FAULT.fullmatch(problem)
    line = text.decode().split("\n")[int(place[1]) - 1] if place is not None else ""
    header = _SUBJECT_HEADER.fullmatch(line)
    if header is None:
        return ""
    whole = header[1].strip()
    name, dot, key = whole.rpartition(".")
    if key not in SubjectConfig._fields:
        name, dot, key = whole, "", ""
    shown = shorten_to_width(name, MAX_SHOWN)
    if _NAME.read(name) is None:
        return f"[subjects.{shown}]: the name must be {_NAME.expected}"
    return f'[subjects.{shown}]: this name needs quotes: [subjects."{shown}"{dot}{key}]'


def _reject_unquoted_dots(subjects: Any) -> None:
    """Raise TomlError for a name with a dot but no quotes: to TOML, that is a table in a table."""
    for name, entry in (subjects if isinstance(subjects, dict) else {}).items():
        for key, value in (entry if isinstance(entry, dict) else {}).items():
            if key in SubjectConfig._fields or not isinstance(value, dict):
                continue
            if "command" in value:
                whole = shorten_to_width(f"{name}.{key}", MAX_SHOWN)
                raise TomlError(
                    f'[subjects.{whole}]: a name with a dot needs quotes: [subjects."{whole}"]'
                )


# Readers return None for a value of another type, or raise TomlError if they can say more.


def _read_path(value: Any) -> str | None:
    text = string(value)
    if text is not None and "\0" in text:
        raise TomlError("a path or word of a command cannot hold the character U+0000")
    return text


def _read_paths(value: Any) -> tuple[str, ...] | None:
    paths = strings(value)
    return paths if paths is None else tuple(_read_path(path) or "" for path in paths)


def _read_command(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, str) and value.split():
        raise TomlError(f"a list of words is expected; write {_toml_list(value)}")
    # An argument may be empty, the program may not.
    if not isinstance(value, list) or not value or not string(value[0]):
        return None
    if not all(isinstance(word, str) for word in value):
        return None
    return tuple(_read_path(word) or "" for word in value)


def _toml_list(command: str) -> str:
    try:
        argv = shlex.split(command)
    except ValueError:  # quotes that do not match
        argv = command.split()
    return json.dumps(argv, ensure_ascii=False)


def _read_folders(value: Any) -> str | None:
    text = _read_path(value)
    return text if text and has_magic(text) and not text.startswith("/") else None


def _read_environment(value: Any) -> tuple[tuple[str, str], ...] | None:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        return None
    for name, text in value.items():
        if not name or "=" in name or "\0" in name + text:
            raise TomlError(f"{quote(f'{name}={text}')} is not a valid variable")
    return tuple(value.items())


def _read_programs(value: Any) -> tuple[tuple[str, str], ...] | None:
    if not isinstance(value, dict) or not all(value) or not all(map(_read_path, value.values())):
        return None
    return tuple(value.items()) or None


# Types of values, with their JSON Schemas.

# No name starts like an option or a tag on the command line; none needs quotes in a shell.
_NAME_PATTERN: Final = "[A-Za-z0-9_][A-Za-z0-9_.+-]{0,59}"
_NO_NUL: Final = {"type": "string", "pattern": "^[^\\u0000]*$"}
_PATH_SCHEMA: Final = {**_NO_NUL, "minLength": 1}

_NAME: Final = ValueType(
    lambda name: name if re.fullmatch(_NAME_PATTERN, name) else None,
    "up to 60 characters of A-Z a-z 0-9 _ . + -, starting with a letter, a digit or _ (its `title`"
    " may be any text)",
    {"pattern": f"^{_NAME_PATTERN}$"},
)
_PATH: Final = ValueType(_read_path, "the path of a folder", _PATH_SCHEMA)
COMMAND: Final = ValueType(
    _read_command,
    'a list of words such as ["node", "prog.js"], the program first',
    {"type": "array", "prefixItems": [_PATH_SCHEMA], "items": _NO_NUL, "minItems": 1},
)
_BUILD: Final = COMMAND._replace(
    expected='a list of words such as ["make", "all"], the program first'
)
_VERSION: Final = ValueType(
    lambda value: string(value) or _read_command(value),
    'a text, or a command such as ["./prog", "--version"]',
    {"anyOf": [STRING.schema, COMMAND.schema]},
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
_DEPENDS: Final = ValueType(
    _read_paths,
    'a list of files, folders or globs, such as ["src", "lib/*.jar"]',
    {"type": "array", "items": _PATH_SCHEMA},
)
_SUITES: Final = ValueType(
    lambda value: strings(value) or None,
    "a list of folders or names of suites",
    {**STRINGS.schema, "minItems": 1},
)
_PROGRAMS: Final = ValueType(
    _read_programs,
    'a table of globs on suites and programs, such as { "3-*" = "3/board" }',
    {
        "type": "object",
        "propertyNames": {"minLength": 1},
        "additionalProperties": _PATH_SCHEMA,
        "minProperties": 1,
    },
)
_GLOBS: Final = _SUITES._replace(
    expected='a list of globs on the names of suites, such as ["easy-*"]'
)
_GLOB: Final = STRING._replace(expected="a glob on the names of suites")
_TITLE: Final = STRING._replace(expected="a name in one line")
_REASON: Final = STRING._replace(expected="an explanation, in one line")
_FILE: Final = _PATH._replace(expected="the path of a file")
_FOLDERS: Final = ValueType(
    _read_folders,
    'a glob of folders below this one, such as "teams/*"',
    {**_PATH_SCHEMA, "pattern": "^(?=[^\\u0000]*[*?[])[^\\u0000/][^\\u0000]*$"},
)

_SKIPS_ALL: Final = "suite, match or tag is missing; it must say which cases are skipped"
_NO_COMMAND: Final = f"command is missing; it must be {COMMAND.expected}"


def _any_of(*keys: str) -> dict[str, Any]:
    return {"anyOf": [{"required": [key]} for key in keys]}


def _check_subject(each: SubjectConfig) -> str:
    if not each.command and not each.programs:
        return _NO_COMMAND
    for key in ("folder", "title", "known") if each.folders else ():
        if getattr(each, key):
            return f"{key} is for one subject; leave it out beside folders"
    return ""


_SKIP: Final = TableSchema(
    "skip",
    SkipRule,
    "Cases that it does not claim: they do not run, and are not counted. A case must match each"
    " of `suite`, `match` and `tag` that is set.",
    keys=(
        Key("suite", _GLOB, "A glob on the suites; all that it serves if not set."),
        Key("match", MATCH, "The cases; all if not set."),
        Key("tag", STRING, "A tag that the cases have, or after a `!` one that they lack."),
        Key("reason", _REASON, "Why it does not claim them.", required=True),
        Key("link", STRING, "A link, for example to its documentation."),
    ),
    form=TableForm.ARRAY,
    check=lambda rule: (
        "" if rule.suite or rule.match or rule.tag.removeprefix(WITHOUT) else _SKIPS_ALL
    ),
    constraints=_any_of("suite", "match", "tag"),
)
_SUBJECTS: Final = TableSchema(
    "subjects",
    SubjectConfig,
    "A program under test.",
    keys=(
        Key("title", _TITLE, 'Its name in reports: any text, such as "Müller, Jörg".'),
        Key(
            "command",
            COMMAND,
            "The program and its arguments. `{program}` stands for the suite's program, `{suite}`"
            " for the name of its folder, `{suite_folder}` for its absolute path. Required without"
            " `programs`.",
        ),
        Key("folder", _PATH, "The working folder, relative to this file; this file's if not set."),
        Key(
            "folders",
            _FOLDERS,
            "A glob of folders, relative to this file: the table stands for a subject in each,"
            " named and titled after what the wildcards match.",
        ),
        Key(
            "depends",
            _DEPENDS,
            "Globs of the files that it depends on, relative to `folder`. If not set: all files"
            " there, or without a `folder` the files that the command names.",
        ),
        Key("environment", _ENVIRONMENT, "Variables to add to those of xtest."),
        Key(
            "workspace",
            choice(WorkspaceMode),
            "What becomes of the files that a run writes into its working folder: `private` (they"
            " are discarded, and other runs do not see them) or `shared` (they stay).",
        ),
        Key("language", STRING, "For tables and reports."),
        Key(
            "version",
            _VERSION,
            "Its version, for results and `xtest history`: a text, or a command that prints it"
            " within 10 s.",
        ),
        Key(
            "build",
            _BUILD,
            "A command to run before the first case, unless its folder is as the last build left"
            " it.",
        ),
        Key("build_s", POSITIVE_NUMBER, "Seconds that the build may take."),
        Key("build_mib", POSITIVE_NUMBER, "Memory of its processes together, in MiB."),
        Key("build_processes", POSITIVE_INTEGER, "Processes that it may run at once."),
        Key("build_disk_mib", POSITIVE_NUMBER, "What it may add to its folder, in MiB."),
        TableSchema(
            "limits",
            set_entries,
            "Limits that replace those of a suite.toml, one by one.",
            SUBJECT_LIMIT_KEYS,
        ),
        Key(
            "known",
            _FILE,
            "Its known failures: a file, relative to this one, that `xtest known` writes.",
        ),
        Key(
            "session",
            choice(SessionKind),
            "How one process answers many cases: `stream`, `protocol` or `fork`. A fresh process"
            " for each case if not set.",
        ),
        Key(
            "may_skip",
            BOOLEAN,
            "Let it skip cases in protocol sessions; skipped cases are not counted.",
        ),
        Key("tags", STRINGS, "Words to select subjects by: `--subject @WORD`."),
        Key("suites", _GLOBS, "Globs on the suites that it serves; all if not set."),
        Key(
            "programs",
            _PROGRAMS,
            "The `{program}` for suites whose name or path matches a glob; the subject serves no"
            ' others. `command` then defaults to `["{program}"]`.',
        ),
        Key(
            "start_in",
            choice(StartFolder),
            "Where a program of `programs` starts: in the folder that holds it (`program`), or in"
            " `folder`.",
        ),
        _SKIP,
    ),
    form=TableForm.NAMED,
    name_type=_NAME,
    check=_check_subject,
    constraints=_any_of("command", "programs"),
)
XTEST_TOML: Final = TableSchema(
    "",
    Config,
    "The subjects and suites of a project, as the JSON value of the file's TOML.",
    keys=(
        Key(
            "suites",
            _SUITES,
            "Suites to run by default: folders, relative to this file, or bundled.",
        ),
        Key(
            "watch",
            _DEPENDS,
            "Files that `xtest run --watch` also watches, relative to this file.",
        ),
        Key(
            "roster",
            _FILE,
            "A CSV file, relative to this one, whose columns `subject` and `title` give titles.",
        ),
        _SUBJECTS,
        DEFAULTS,
    ),
)
