"""Lint a suite: its folder, its settings, and each case in turn. Source: docs/care.md.

Of the cases, only what lint_values keeps stays in memory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from harness.authoring.lint_cache import Known, lint_digest
from harness.authoring.lint_rules import LintFinding, LintRule
from harness.authoring.lint_settings import (
    lint_conflicts,
    lint_entries,
    lint_numbers,
    lint_settings,
    lint_subjects,
    settings_error,
)
from harness.authoring.lint_values import (
    ARRAY_KEYS,
    InputSketches,
    UnusedPaths,
    compare_same_input,
    input_key,
)
from harness.jsonio.fast import decode
from harness.jsonio.positions import Position, position_of_value
from harness.judging.annotations import conflicts
from harness.model.case import Case, InputKind
from harness.model.case_names import PACKED_FILE, CaseName
from harness.model.subject import Subject
from harness.project.program_lookup import missing_program
from harness.suites.cases import BrokenCase, CaseDefect, LoadedCase, load_case
from harness.suites.discovery import DiscoveredSuite, find_suites
from harness.suites.loading import (
    SETTINGS_FILE,
    CorpusError,
    Suite,
    UnreadableSuite,
    read_settings_text,
    read_suite,
)
from harness.suites.schema_checks import SchemaValidator, Violation, fingerprint, load_validator
from harness.suites.suite_toml import parse_suite_toml
from harness.text import escape_nonprintable, quote
from harness.tomlio.positions import TomlPlaces
from harness.tomlio.tables import TomlError

__all__ = ["SubjectsOf", "SuiteFindings", "broken_case_finding", "lint_suite"]

_RULES: Final = {
    CaseDefect.ORPHAN: LintRule.ORPHAN,
    CaseDefect.SAME_NAME: LintRule.SAME_NAME,
    CaseDefect.UNREADABLE: LintRule.UNREADABLE,
    CaseDefect.NOT_JSON: LintRule.NOT_JSON,
    CaseDefect.BAD_LINE: LintRule.BAD_LINE,
}
_NAME: Final = 60  # characters of a name in a message
# The position in a message about a text that is not JSON.
_JSON_POSITION: Final = re.compile(r"not JSON( at byte [0-9,]+ \(line [0-9,]+, column [0-9,]+\))")

# Returns the subjects that serve a suite.
SubjectsOf = Callable[[Suite], Sequence[Subject]]


class SuiteFindings(NamedTuple):
    """The findings on a suite, in no order; its cases; the digests of its schema-valid cases."""

    findings: list[LintFinding]
    cases: int
    valid: list[bytes]


def lint_suite(
    found: DiscoveredSuite, bundled: Path, known: Known, subjects_of: SubjectsOf | None = None
) -> SuiteFindings:
    """Return the findings on a suite.

    Args:
        found: the suite
        bundled: the folder of schemas beside the suite's own
        known: digests of cases that need no schema check
        subjects_of: finds the subjects in an xtest.toml, or None if there is none
    """
    mistake = _settings_mistake(found.folder)
    if mistake is not None:
        return SuiteFindings([mistake], 0, [])
    try:
        suite = read_suite(found.name, found.folder)
    except UnreadableSuite as problem:
        return SuiteFindings([LintFinding("", None, LintRule.UNREADABLE, str(problem))], 0, [])
    except CorpusError as problem:
        message = str(problem).removeprefix(f"{escape_nonprintable(str(found.folder))}: ")
        return SuiteFindings([LintFinding("", None, LintRule.SUITE, message)], 0, [])
    subjects = () if subjects_of is None else subjects_of(suite)
    return _SuiteLinter(suite, bundled, known, subjects).lint()


def broken_case_finding(problem: BrokenCase, rule: LintRule) -> LintFinding:
    """Return the finding on a broken case; its message repeats neither file nor position."""
    message, file = str(problem), escape_nonprintable(problem.file)
    for repeated in (f"{file} is ", f"{file}: "):
        message = message.removeprefix(repeated)
    if problem.defect is CaseDefect.ORPHAN:
        message = message.removeprefix(f"{file} ")
    written = _JSON_POSITION.search(message)
    if written is not None and problem.file != PACKED_FILE:
        message = message.replace(written[1], "", 1)
    return LintFinding(problem.file, problem.position, rule, message)


def _settings_mistake(folder: Path) -> LintFinding | None:
    try:
        text = read_settings_text(folder)
        parse_suite_toml(text, SETTINGS_FILE)
    except OSError:
        return None  # it does not exist, or reading the suite will report why
    except TomlError as problem:
        return settings_error(problem, text, SETTINGS_FILE)
    return None


class _SuiteLinter:
    """One pass over a suite."""

    def __init__(
        self, suite: Suite, bundled: Path, known: Known, subjects: Sequence[Subject]
    ) -> None:
        self._suite = suite
        self._subjects = subjects
        self._known = known
        self._names = tuple(suite.names)
        self._places = TomlPlaces(_settings_text(suite))
        self._findings: list[LintFinding] = []
        self._valid: list[bytes] = []
        self._inputs = InputSketches()
        self._paths = UnusedPaths(_comparison_paths(suite))
        self._validator = self._load_validator(bundled)
        self._fingerprint = b"" if self._validator is None else fingerprint(suite, bundled)

    def lint(self) -> SuiteFindings:
        """Return all findings."""
        self._lint_folder()
        self._lint_settings()
        for at, name in enumerate(self._names):
            self._lint_case(at, name)
        self._lint_same_inputs()
        for key, path in self._paths.left:
            self._add(self._unused_path(key, path))
        return SuiteFindings(self._findings, len(self._names), self._valid)

    def _add(self, *findings: LintFinding) -> None:
        self._findings += findings

    def _load_validator(self, bundled: Path) -> SchemaValidator | None:
        """Return the validator, or None after adding a finding if a schema cannot be used."""
        try:
            return load_validator(self._suite, bundled)
        except CorpusError as problem:
            message = str(problem).removeprefix(f"{escape_nonprintable(self._suite.name)}: ")
            key = "input" if quote(self._suite.settings.input, 200) in message else "output"
            position = self._places.key(key)
            self._add(LintFinding(SETTINGS_FILE, position, LintRule.SCHEMA_FILE, message))
            return None

    def _lint_folder(self) -> None:
        entries = sorted(os.listdir(self._suite.folder))
        self._add(*lint_entries(entries, self._suite.settings))
        self._add(*_nested_suites(self._suite.folder))
        # A broken line of a packed suite is named by the number of the line.
        nameless = f"{PACKED_FILE}-line" if self._suite.packed is not None else None
        self._add(*lint_numbers(name for name in self._names if name.prefix != nameless))

    def _lint_settings(self) -> None:
        settings = self._suite.settings
        self._add(*lint_settings(settings, self._places, self._names))
        if self._subjects:
            self._add(*lint_subjects(settings, self._places, self._subjects))
        if settings.render is not None:
            missing = missing_program(settings.render.command[0], str(self._suite.folder))
            if missing:
                position = self._places.key("command", "render")
                message = f"there will be no pictures: {missing}"
                self._add(LintFinding(SETTINGS_FILE, position, LintRule.RENDERER, message))
        self._add(*lint_conflicts(conflicts(settings.comparison), self._places))

    def _lint_case(self, at: int, name: CaseName) -> None:
        try:
            loaded = load_case(self._suite, name, at)
        except BrokenCase as problem:
            self._add(broken_case_finding(problem, _RULES[problem.defect]))
            return
        self._inputs.add(at, *loaded)
        self._paths.see(loaded.case.expected)
        if loaded.case.kind is InputKind.RAW and decode(loaded.case.stdin).fault is None:
            message = "the input is declared raw, but is JSON; raw inputs get no other deliveries"
            self._add(self._in_case(at, name, LintRule.RAW_JSON, message, is_input=True))
        self._lint_schemas(at, name, loaded)

    def _lint_schemas(self, at: int, name: CaseName, loaded: LoadedCase) -> None:
        if self._validator is None or not self._fingerprint:
            return
        case, given = loaded
        digest = lint_digest(self._fingerprint, case.kind, case.stdin, case.expected_text)
        if digest not in self._known:
            violation = self._validator.input_violation(case.kind, given)
            if violation is not None:
                self._add(self._schema_finding(at, name, case, violation, is_input=True))
                return
            violation = self._validator.output_violation(case.expected)
            if violation is not None:
                self._add(self._schema_finding(at, name, case, violation, is_input=False))
                return
        self._valid.append(digest)

    def _schema_finding(
        self, at: int, name: CaseName, case: Case, violation: Violation, *, is_input: bool
    ) -> LintFinding:
        side = "the input" if is_input else "the expected output"
        text = case.stdin if is_input else case.expected_text
        message = f"{side} {violation.message}"
        finding = self._in_case(at, name, LintRule.SCHEMA, message, is_input=is_input)
        if self._suite.packed is not None:
            return finding
        return finding._replace(position=position_of_value(text, violation.steps))

    def _lint_same_inputs(self) -> None:
        for places in self._inputs.candidates():
            with suppress(BrokenCase):  # a file that was removed meanwhile
                self._add(*self._same_inputs(places))

    def _same_inputs(self, places: list[int]) -> Iterator[LintFinding]:
        first_with: dict[str, int] = {}
        for at in places:
            later, given = load_case(self._suite, self._names[at], at)
            first = first_with.setdefault(input_key(later, given), at)
            if first != at:
                # Read again, because many large inputs may share a sketch and yet differ.
                earlier = load_case(self._suite, self._names[first], first).case
                rule, message = compare_same_input(earlier, later)
                yield self._in_case(at, self._names[at], rule, message, is_input=True)

    def _unused_path(self, key: str, path: str) -> LintFinding:
        what = "an array" if key in ARRAY_KEYS else "anything"
        message = f"{key}: no expected output has {what} at {quote(path, _NAME)}"
        place = key if key in ("unordered", "ignore") else ""
        position = self._places.text(path, "compare", place)
        return LintFinding(SETTINGS_FILE, position, LintRule.IDLE_PATH, message)

    def _in_case(
        self, at: int, name: CaseName, rule: LintRule, message: str, *, is_input: bool
    ) -> LintFinding:
        """Return a finding on one side of a readable case."""
        if self._suite.packed is not None:
            message = f"case {escape_nonprintable(name.text)}: {message}"
            return LintFinding(PACKED_FILE, Position(at + 1, 1), rule, message)
        file = self._suite.files[name][0 if is_input else 1]
        return LintFinding(file, None, rule, message)


def _settings_text(suite: Suite) -> bytes:
    try:
        return read_settings_text(suite.folder)
    except FileNotFoundError:
        return b""


def _comparison_paths(suite: Suite) -> Iterator[tuple[str, str]]:
    """Yield the key and text of each path in a suite's comparison."""
    comparison = suite.settings.comparison
    yield from (("unordered", path) for path in comparison.unordered)
    yield from (("ignore", path) for path in comparison.ignore)
    for rule in comparison.at:
        key = "path" if rule.order is None else "path with order"
        yield from ((key, path) for path in rule.paths)


def _nested_suites(folder: Path) -> Iterator[LintFinding]:
    """Yield the folders of cases inside a suite's folder."""
    for entry in sorted(os.listdir(folder)):
        inside = folder / entry
        if entry.startswith(".") or inside.is_symlink() or not inside.is_dir():
            continue
        if _has_suites(inside):
            message = "these cases are never run, because the folder above has cases"
            yield LintFinding(entry, None, LintRule.NESTED, message)


def _has_suites(folder: Path) -> bool:
    try:
        return bool(find_suites(str(folder), folder))
    except CorpusError:
        return False
