"""Lint a suite: its folder, its settings, and each case in turn. Source: docs/care.md.

Of the cases, only what lint_values keeps stays in memory.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from harness.authoring.lint_cache import Known, lint_digest
from harness.authoring.lint_rules import LintFinding, LintRule
from harness.authoring.lint_settings import (
    lint_entries,
    lint_numbers,
    lint_settings,
    settings_error,
)
from harness.authoring.lint_values import (
    ARRAY_KEYS,
    compare_same_input,
    input_key,
    input_sketch,
    path_patterns,
    remove_used,
)
from harness.errors import OutOfTime
from harness.jsonio.fast import decode
from harness.jsonio.positions import Position, position_of_value
from harness.model.case import InputKind
from harness.model.case_names import PACKED_FILE
from harness.model.subject import Subject
from harness.process.killable import stop_reason, time_limit
from harness.suites.cases import BrokenCase, CaseDefect, load_case
from harness.suites.discovery import DiscoveredSuite, find_suites
from harness.suites.loading import (
    SETTINGS_FILE,
    CorpusError,
    Suite,
    UnreadableSuite,
    read_settings_text,
    read_suite,
)
from harness.suites.schema_checks import SchemaValidator, fingerprint, load_validator
from harness.suites.suite_toml import parse_suite_toml
from harness.text import escape_nonprintable, quote
from harness.tomlio.positions import TomlPlaces
from harness.tomlio.tables import TomlError

__all__ = ["SubjectsOf", "SuiteFindings", "lint_suite"]

# The position in a message about a text that is not JSON.
_JSON_POSITION: Final = re.compile(r"not JSON( at byte [0-9,]+ \(line [0-9,]+, column [0-9,]+\))")

SECONDS: Final = 10  # for checking one case: regular expressions may take exponential time

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

    Schemas are beside it or in `bundled`. Cases with `known` digests need no schema check.
    `subjects_of` finds the subjects in an xtest.toml, or is None if there is none.
    """
    try:
        settings_text = read_settings_text(found.folder)
    except OSError:  # it does not exist, or reading the suite will report why
        settings_text = b""
    try:
        parse_suite_toml(settings_text, SETTINGS_FILE)
        suite = read_suite(found.name, found.folder)
    except TomlError as problem:
        finding = settings_error(problem, settings_text, SETTINGS_FILE)
    except UnreadableSuite as problem:
        finding = LintFinding("", None, LintRule.UNREADABLE, str(problem))
    except CorpusError as problem:
        message = str(problem).removeprefix(f"{escape_nonprintable(str(found.folder))}: ")
        finding = LintFinding("", None, LintRule.SUITE, message)
    else:
        linter = _SuiteLinter(suite, TomlPlaces(settings_text), known)
        findings = list(linter.lint(bundled, () if subjects_of is None else subjects_of(suite)))
        return SuiteFindings(findings, len(linter.names), linter.valid)
    return SuiteFindings([finding], 0, [])


class _SuiteLinter:
    """One pass over a suite."""

    def __init__(self, suite: Suite, places: TomlPlaces, known: Known) -> None:
        self.names: Final = tuple(suite.names)
        self.valid: Final[list[bytes]] = []  # digests
        self._suite = suite
        self._places = places
        self._known = known
        self._inputs = defaultdict[int, list[int]](list)  # cases by the sketch of their input
        self._unused = path_patterns(_comparison_paths(suite))

    def lint(self, bundled: Path, subjects: Sequence[Subject]) -> Iterator[LintFinding]:
        """Yield all findings."""
        yield from self._lint_folder()
        yield from lint_settings(self._suite, self._places, self.names, subjects)
        validator, contract = None, b""
        try:
            validator = load_validator(self._suite, bundled)
            contract = fingerprint(self._suite, bundled)
        except CorpusError as problem:
            yield self._unusable_schema(problem)
        for at in range(len(self.names)):
            yield from self._lint_case(at, validator if contract else None, contract)
        for places in self._inputs.values():
            with suppress(BrokenCase):  # a file that was removed meanwhile
                yield from self._same_inputs(places)
        for key, path in self._unused:
            yield self._unused_path(key, path)

    def _lint_folder(self) -> Iterator[LintFinding]:
        folder = self._suite.folder
        entries = sorted(os.listdir(folder))
        yield from lint_entries(entries, self._suite.settings)
        for entry in entries:
            if _is_nested_suite(folder / entry):
                message = "these cases are never run, because the folder above has cases"
                yield LintFinding(entry, None, LintRule.NESTED, message)
        # A broken line of a packed suite is named by the number of the line.
        nameless = f"{PACKED_FILE}-line" if self._suite.packed is not None else None
        yield from lint_numbers(name for name in self.names if name.prefix != nameless)

    def _unusable_schema(self, problem: CorpusError) -> LintFinding:
        message = str(problem).removeprefix(f"{escape_nonprintable(self._suite.name)}: ")
        key = "input" if quote(self._suite.settings.input, 200) in message else "output"
        return LintFinding(SETTINGS_FILE, self._places.key(key), LintRule.SCHEMA_FILE, message)

    def _lint_case(
        self, at: int, validator: SchemaValidator | None, contract: bytes
    ) -> Iterator[LintFinding]:
        try:
            case, given = load_case(self._suite, self.names[at], at)
        except BrokenCase as problem:
            yield _broken_case_finding(problem)
            return
        self._inputs[input_sketch(case, given)].append(at)
        remove_used(self._unused, case.expected)
        if case.kind is InputKind.RAW and decode(case.stdin).fault is None:
            message = "the input is declared raw, but is JSON; raw inputs get no other deliveries"
            yield self._in_case(at, LintRule.RAW_JSON, message)
        if validator is None:
            return
        digest = lint_digest(contract, case.kind, case.stdin, case.expected_text)
        try:
            with time_limit(SECONDS):
                found = None if digest in self._known else validator.first_violation(case, given)
        except OutOfTime as stop:
            reason = stop_reason(stop, f"after {SECONDS} s")
            yield self._in_case(at, LintRule.SCHEMA, f"checking its schema stopped {reason}")
            return
        if found is None:
            self.valid.append(digest)
            return
        finding = self._in_case(at, LintRule.SCHEMA, found.text, is_input=found.is_input)
        if self._suite.packed is None:
            text = case.stdin if found.is_input else case.expected_text
            finding = finding._replace(position=position_of_value(text, found.steps))
        yield finding

    def _same_inputs(self, places: list[int]) -> Iterator[LintFinding]:
        first_with: dict[str, int] = {}
        for at in places if len(places) > 1 else ():
            later, given = load_case(self._suite, self.names[at], at)
            first = first_with.setdefault(input_key(later, given), at)
            if first != at:
                # Read again, because many large inputs may share a sketch and yet differ.
                earlier = load_case(self._suite, self.names[first], first)[0]
                with suppress(OutOfTime), time_limit(SECONDS):
                    yield self._in_case(at, *compare_same_input(earlier, later))

    def _unused_path(self, key: str, path: str) -> LintFinding:
        what = "an array" if key in ARRAY_KEYS else "anything"
        message = f"{key}: no expected output has {what} at {quote(path)}"
        place = key if key in ("unordered", "ignore") else ""
        position = self._places.text(path, "compare", place)
        return LintFinding(SETTINGS_FILE, position, LintRule.IDLE_PATH, message)

    def _in_case(
        self, at: int, rule: LintRule, message: str, *, is_input: bool = True
    ) -> LintFinding:
        """Return a finding on one side of a readable case."""
        name = self.names[at]
        if self._suite.packed is not None:
            message = f"case {escape_nonprintable(name.text)}: {message}"
            return LintFinding(PACKED_FILE, Position(at + 1, 1), rule, message)
        file = self._suite.files[name][0 if is_input else 1]
        return LintFinding(file, None, rule, message)


def _broken_case_finding(problem: BrokenCase) -> LintFinding:
    """Return the finding on a broken case; its message repeats neither file nor position."""
    message, file = str(problem), escape_nonprintable(problem.file)
    for repeated in (f"{file} is ", f"{file}: "):
        message = message.removeprefix(repeated)
    if problem.defect is CaseDefect.ORPHAN:
        message = message.removeprefix(f"{file} ")
    written = _JSON_POSITION.search(message)
    if written is not None and problem.file != PACKED_FILE:
        message = message.replace(written[1], "", 1)
    return LintFinding(problem.file, problem.position, LintRule(problem.defect.value), message)


def _comparison_paths(suite: Suite) -> Iterator[tuple[str, str]]:
    """Yield the key and text of each path in a suite's comparison."""
    comparison = suite.settings.comparison
    yield from (("unordered", path) for path in comparison.unordered)
    yield from (("ignore", path) for path in comparison.ignore)
    for rule in comparison.at:
        key = "path" if rule.order is None else "path with order"
        yield from ((key, path) for path in rule.paths)


def _is_nested_suite(inside: Path) -> bool:
    if inside.name.startswith(".") or inside.is_symlink() or not inside.is_dir():
        return False
    try:
        return bool(find_suites(str(inside), inside))
    except CorpusError:
        return False
