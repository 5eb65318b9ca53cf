"""Read fest.toml, and find the teams and programs of a test fest.

To add a key, add a field to `FestConfig` and a `Key` to `FEST_TOML`; `pytest tests/project
--update-golden` writes schemas/fest.schema.json and the table in docs/reference/keys.md.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from glob import escape, glob
from pathlib import Path
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from harness.errors import UsageError
from harness.fest.events import CaseStatus, Duplicates, Role, Ruling
from harness.files import nearest
from harness.model.case_names import natural
from harness.model.subject import ExecutionContext, Subject
from harness.project.config import select_subjects
from harness.project.folder_subjects import ARCHIVE_CLUTTER
from harness.project.program_lookup import require_start
from harness.project.subjects import Project, need_project, subject_on
from harness.project.targets import Target
from harness.project.xtest_toml import COMMAND, parse_document, read_regular_file
from harness.suites.loading import Suite, corpus_errors, read_settings
from harness.text import escape_nonprintable, quote, to_utf8_text
from harness.tomlio.tables import (
    POSITIVE_INTEGER,
    STRING,
    STRINGS,
    Key,
    TableForm,
    TableSchema,
    ValueType,
    choice,
    string,
    strings,
)

FEST_FILE: Final = "fest.toml"

_MOST_NAMES: Final = 20  # of teams in a message

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
        Key("tests", _GLOB, "A folder of cases per team, named after the team.", required=True),
        Key("subjects", _PROGRAMS, "A program per team, named after the team.", required=True),
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
        Key(
            "max_cases",
            POSITIVE_INTEGER,
            "The number of cases of a team that count; further ones are invalid.",
        ),
        Key(
            "max_bytes",
            POSITIVE_INTEGER,
            "The size limit of a case in bytes, input and expected output together.",
        ),
        Key(
            "duplicates",
            choice(Duplicates),
            "Which of several valid cases with the same input count: each of them, or the first.",
        ),
        TableSchema(
            "ruling",
            Ruling,
            "A decision by staff on a case; nothing runs again.",
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
    """Return the nearest fest.toml, in this folder or above, or None. Raises UsageError.

    A fest.toml that cannot be read or is invalid is an error.
    """
    folder = nearest(os.getcwd(), FEST_FILE)
    if folder is None:
        return None
    path = os.path.join(folder, FEST_FILE)
    where = escape_nonprintable(os.path.relpath(path))
    return Fest(where, folder, parse_document(FEST_TOML, read_regular_file(path, where), where))


def need_fest() -> Fest:
    """Return the nearest fest.toml. Raises UsageError without one."""
    fest = find_fest()
    if fest is None:
        raise UsageError(
            f"no {FEST_FILE} in this folder or above; an example:\n\n"
            '    tests = "tests/*"        # the suites of the teams, named like their folders\n'
            '    subjects = "teams/*"     # their programs: ./solve in each folder\n'
            '    wheats = "wheats/*"      # right programs, which decide what is valid\n'
            '    chaffs = "chaffs/*"      # wrong programs, which a good suite catches'
        )
    return fest


_KEYS: Final = {Role.WHEAT: "wheats", Role.CHAFF: "chaffs", Role.TEAM: "subjects"}


def role_of(target: Target) -> Role:
    """Return the role of a program, which is the name of its target's suite."""
    return Role(target.suite.name)


def require_staff(targets: Iterable[Target], built_remotely: Collection[str] = ()) -> None:
    """Raise UsageError if a wheat or a chaff cannot start: without it, all scores would be wrong.

    The workers that build a program check it.
    """
    for target in targets:
        role = role_of(target)
        if role is not Role.TEAM and target.subject.name not in built_remotely:
            require_start(target.subject, f"{role.value} ")


def fest_suite(fest: Fest) -> Suite:
    """Return a suite without cases, with the settings of the fest's folder. Raises CorpusError."""
    folder = Path(fest.folder)
    with corpus_errors():
        settings = read_settings(folder)
    return Suite(os.path.basename(fest.folder), folder, settings._replace(known=()), {})


def test_folders(fest: Fest) -> dict[str, Path]:
    """Return the folder of cases of each team. Raises UsageError."""
    return _folders(fest, "tests", fest.config.tests)


def find_programs(
    fest: Fest, suite: Suite, roles: Collection[Role]
) -> tuple[list[Target], Project | None]:
    """Return the programs with these roles, and the xtest.toml if some of all are subjects of it.

    Raises UsageError.
    """
    programs = {key: getattr(fest.config, key) for key in _KEYS.values()}
    named = [key for key, each in programs.items() if each and isinstance(each, tuple)]
    project = need_project(f"{fest.where}: {named[0]}") if named else None
    targets = [
        target._replace(suite=suite._replace(name=role.value))
        for role, key in _KEYS.items()
        for target in _targets(fest, suite, key, project)
        if role in roles
    ]
    return targets, project


def name_problems(tests: Collection[str], programs: Collection[str]) -> Iterator[str]:
    """Yield what is odd about the names of teams with tests, and of those with a program."""
    one_sided = (
        ("tests without a program", [name for name in tests if name not in programs]),
        ("programs without tests", [name for name in programs if name not in tests]),
    )
    for what, names in one_sided:
        if names:
            more = ", ..." if len(names) > _MOST_NAMES else ""
            yield f"{what}: {', '.join(map(quote, names[:_MOST_NAMES]))}{more}"
    spellings: dict[str, list[str]] = {}
    for name in dict.fromkeys((*tests, *programs)):
        plain = re.sub(r"[\W_]+", "-", normalize("NFKC", name).casefold())
        spellings.setdefault(plain, []).append(name)
    for alike in spellings.values():
        if len(alike) > 1 and any(name in names for _, names in one_sided for name in alike):
            shown = " and ".join(map(quote, alike))
            yield f"{shown} are different teams; tests and program of a team have the same name"


def _targets(fest: Fest, suite: Suite, key: str, project: Project | None) -> Iterator[Target]:
    programs = getattr(fest.config, key)
    if isinstance(programs, tuple):
        if project is not None and programs:
            where = f"{fest.where}: {key}: "
            for each in select_subjects(project.config, programs, where):
                yield Target(suite, fest.folder, subject_on(project, each, suite))
        return
    for name, folder in _folders(fest, key, programs).items():
        command, context = fest.config.program, ExecutionContext(str(folder), is_own=True)
        fault = _link_fault(folder, command[0])
        subject = Subject(name, command, context, fault=fault, depends=(escape(str(folder)),))
        yield Target(suite, fest.folder, subject)


def _folders(fest: Fest, key: str, pattern: str) -> dict[str, Path]:
    """Return the folders that a glob matches, by name, in natural order. Raises UsageError."""
    folders: dict[str, Path] = {}
    for path in sorted(glob(pattern, root_dir=fest.folder), key=natural):
        folder = Path(fest.folder, os.path.normpath(path))
        if not folder.is_dir() or folder.name == ARCHIVE_CLUTTER:
            continue
        name = to_utf8_text(folder.name)
        other = folders.setdefault(name, folder)
        if other is not folder:
            one, two = (escape_nonprintable(str(each)) for each in (other, folder))
            raise UsageError(f"{fest.where}: {key}: two folders have the same name: {one}, {two}")
    if not folders and key != "chaffs":
        raise UsageError(f"{fest.where}: {key} = {quote(pattern)} matches no folder")
    return folders


def _link_fault(folder: Path, program: str) -> str:
    """Return which symbolic link leads out of a program's folder, or "".

    It could lead to the program of another team.
    """
    if folder.is_symlink():
        return "its folder is a symbolic link"
    real = os.path.realpath(folder)
    is_inside = os.path.realpath(os.path.join(real, program)).startswith(f"{real}/")
    if not os.path.isabs(program) and not is_inside:
        return f"{escape_nonprintable(program)} is a link that leaves its folder"
    return ""
