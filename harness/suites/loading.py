"""List a suite's folder, or its packed file, and read its suite.toml. Source: docs/suites.md.

Only names are kept, so that a suite of any size fits in memory; cases.py reads the cases.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from harness.errors import UsageError, os_reason
from harness.judging.annotations import with_schema_rules
from harness.judging.comparison_parser import ComparisonError, schema_in_file
from harness.model.case_names import (
    PACKED_FILE,
    CaseName,
    case_file,
    case_order,
    input_name,
    looks_like_case_file,
    natural,
    selects,
)
from harness.model.comparison import Comparison, PlaceRule
from harness.model.suite_info import GradingRule, SuiteInfo
from harness.suites.bundled import schemas_folder
from harness.suites.packed import PackedFile
from harness.suites.settings import SuiteSettings
from harness.suites.suite_toml import parse_suite_toml
from harness.text import escape_nonprintable, quote
from harness.tomlio.tables import TomlError

__all__ = [
    "FIXED_NAMES",
    "MISNAMED",
    "SETTINGS_FILE",
    "CorpusError",
    "Suite",
    "UnreadableSuite",
    "collect_suite_info",
    "find_schema",
    "corpus_errors",
    "read_settings",
    "read_settings_text",
    "read_suite",
]

SETTINGS_FILE: Final = "suite.toml"
FIXED_NAMES: Final = (SETTINGS_FILE, PACKED_FILE)
MISNAMED: Final = (
    "is not the file of a case; name it N-in.json, N-out.json, prefix-N-in.json or"
    " prefix-N-out.json"
)
_ANNOTATION: Final = b'"x-'  # in the bytes of every schema with rules for comparing


class CorpusError(UsageError):
    """A folder that is not a suite, or a suite that cannot be used."""


class UnreadableSuite(CorpusError):
    """A folder or file that the system does not let us read."""


class Suite(NamedTuple):
    """A suite: its settings, and the files of each case or the packed file that holds them all.

    `faults` are messages about files that belong to no case.
    """

    name: str
    folder: Path
    settings: SuiteSettings
    files: Mapping[CaseName, tuple[str, ...]]  # in natural order of the cases
    faults: tuple[str, ...] = ()
    packed: PackedFile | None = None

    @property
    def names(self) -> Collection[CaseName]:
        """Its cases in natural order, broken ones too; a packed suite reads them on each pass."""
        return tuple(self.files) if self.packed is None else self.packed


def read_suite(name: str, folder: Path, *, inputs: bool = False) -> Suite:
    """Return the suite in a folder, or with `inputs` of its inputs only, if it has no cases.

    These are its files *-in.json, or else all its files *.json except outputs and schemas. Raises
    CorpusError. Source: docs/compare.md.
    """
    with corpus_errors():
        entries = os.listdir(folder)
        settings = read_settings(folder) if SETTINGS_FILE in entries else SuiteSettings()
        packed = PackedFile(folder / PACKED_FILE) if PACKED_FILE in entries else None
    files: dict[CaseName, list[str]] = {}
    others = []
    for entry in entries:
        side = case_file(entry)
        if side is not None:
            files.setdefault(side.name, []).append(entry)
        else:
            others.append(entry)
    if inputs and packed is None and not files:
        return _suite_of_inputs(name, folder, settings, sorted(entries))
    ordered = {case: tuple(sorted(files[case])) for case in sorted(files, key=case_order)}
    if packed is not None and files:
        one = escape_nonprintable(next(iter(ordered.values()))[0])
        raise CorpusError(
            f"{escape_nonprintable(str(folder))}: cases both in {PACKED_FILE} and in files ({one});"
            " keep one of the two"
        )
    names = ordered if packed is None else packed
    faults = tuple(_faults(sorted(others, key=natural), settings, names))
    if not names:
        if SETTINGS_FILE in entries:
            faults += (f"its {SETTINGS_FILE} does not apply to the folders below it",)
        raise CorpusError(
            "; ".join((f"{escape_nonprintable(str(folder))}: no cases in this folder", *faults))
        )
    return Suite(name, folder, settings, ordered, faults, packed)


def _suite_of_inputs(
    name: str, folder: Path, settings: SuiteSettings, entries: Sequence[str]
) -> Suite:
    visible = [each for each in entries if each.endswith(".json") and not each.startswith(".")]
    schemas = (settings.input, settings.output)
    inputs = [file for file in visible if file.endswith("-in.json")]
    inputs = inputs or [
        file for file in visible if not file.endswith("-out.json") and file not in schemas
    ]
    if not inputs:
        raise CorpusError(f"{escape_nonprintable(str(folder))}: no inputs in this folder")
    files: dict[CaseName, list[str]] = {}
    for file in inputs:
        stem = file.removesuffix("-in.json").removesuffix(".json")
        files.setdefault(input_name(stem), []).append(file)
    ordered = {case: tuple(files[case]) for case in sorted(files, key=case_order)}
    return Suite(name, folder, settings, ordered)


@contextmanager
def corpus_errors() -> Iterator[None]:
    """Turn errors of the system and of suite.toml into CorpusErrors."""
    try:
        yield
    except OSError as problem:
        where = escape_nonprintable(str(problem.filename))
        raise UnreadableSuite(f"{where}: {os_reason(problem)}") from None
    except TomlError as problem:
        raise CorpusError(str(problem)) from None


def read_settings(folder: Path) -> SuiteSettings:
    """Return the settings of a suite.toml and the files it names. Raises OSError and TomlError."""
    where = escape_nonprintable(str(folder / SETTINGS_FILE))
    settings = parse_suite_toml(read_settings_text(folder), where)
    try:
        return settings._replace(comparison=_complete_comparison(settings, folder))
    except ComparisonError as problem:
        raise TomlError(f"{where}: {problem}") from None


def read_settings_text(folder: Path) -> bytes:
    """Return the bytes of a suite.toml. Raises OSError."""
    file = folder / SETTINGS_FILE
    mode = os.stat(file).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # reading a folder fails with a reason
        raise OSError(0, "not a regular file", str(file))  # reading a pipe might never end
    return file.read_bytes()


def collect_suite_info(suites: Iterable[Suite]) -> tuple[SuiteInfo, ...]:
    """Return the description of each suite for the first event of a run, without `selected`."""
    return tuple(
        SuiteInfo(
            suite=name,
            folder=str(suite.folder),
            title=suite.settings.title,
            program=suite.settings.program,
            points=suite.settings.grading.points,
            visibility=suite.settings.grading.visibility,
            worth=_grading_rules(suite),
            cases=len(suite.names),
        )
        for name, suite in {suite.name: suite for suite in suites}.items()
    )


def _complete_comparison(settings: SuiteSettings, folder: Path) -> Comparison:
    """Return the comparison with the rules of the output schema and the schemas in other files."""
    comparison = settings.comparison
    schema = _schema_bytes(settings.output, folder) if settings.output else b""
    # Most schemas have no rules for comparing, and need not be parsed.
    if schema is not None and _ANNOTATION in schema:
        comparison = with_schema_rules(comparison, schema, settings.output)
    if any(rule.schema is not None and rule.schema.file for rule in comparison.at):
        rules = (_with_schema(rule, folder) for rule in comparison.at)
        comparison = comparison._replace(at=tuple(rules))
    return comparison


def _with_schema(rule: PlaceRule, folder: Path) -> PlaceRule:
    if rule.schema is None or not rule.schema.file:
        return rule
    name, _, fragment = rule.schema.file.partition("#")
    text = _schema_bytes(name, folder)
    if text is None:
        raise ComparisonError(
            f"[compare] no schema {quote(name)} in the suite's folder or bundled with xtest"
        )
    return rule._replace(schema=schema_in_file(text, name, fragment))


def find_schema(name: str, folders: Iterable[Path]) -> Path | None:
    """Return the first file of a name in some folders, or None."""
    for folder in folders:
        with suppress(OSError):  # a name that is too long, for one
            if (folder / name).is_file():  # reading a pipe might never end
                return folder / name
    return None


def _schema_bytes(name: str, folder: Path) -> bytes | None:
    """Return a schema beside the suite or else bundled, or None if there is none."""
    file = find_schema(name, (folder, schemas_folder()))
    with suppress(OSError):
        return None if file is None else file.read_bytes()
    return None


def _faults(
    entries: Sequence[str], settings: SuiteSettings, cases: Collection[CaseName]
) -> Iterator[str]:
    """Yield messages for files and patterns that have no effect."""
    schemas = (settings.input, settings.output)
    strays = [entry for entry in entries if looks_like_case_file(entry) and entry not in schemas]
    if strays:
        more = f" (and {len(strays) - 1:,} more)" if len(strays) > 1 else ""
        yield f"{quote(strays[0])}{more} {MISNAMED}"
    for entry in entries:
        if entry.lower() in FIXED_NAMES and entry not in FIXED_NAMES:
            yield f'"{entry}" is not read; rename it {entry.lower()}'
    matches = [rule.match for rule in settings.rules] + [rule.match for rule in settings.known]
    for match in matches:
        if cases and not any(selects(match, case) for case in cases):
            yield f"{SETTINGS_FILE}: match = {quote(match)} matches no case"


def _grading_rules(suite: Suite) -> tuple[GradingRule, ...]:
    settings = suite.settings
    counts: Counter[int] = Counter()  # of cases, by the identity of the rule that sets their points
    if any(rule.points is not None for rule in settings.rules):
        counts.update(id(settings.deciding_rule(name, "points")) for name in suite.names)
    return tuple(
        GradingRule(rule.match, rule.points, rule.visibility, counts[id(rule)])
        for rule in settings.rules
        if (rule.points, rule.visibility) != (None, None)
    )
