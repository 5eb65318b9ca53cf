"""A suite looked through: its folder, its settings, each case in its turn; findings come out.

Reads through corpus and contract, and prints nothing. What a finding is, and what it weighs, is
lint's business; of the cases only what lint_values keeps stays in memory. Source: docs/care.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from harness.care.lint import (
    Finding,
    Rule,
    of_broken_case,
    of_conflicts,
    of_folder,
    of_numbers,
    of_refused_settings,
    of_settings,
    of_subjects,
)
from harness.care.lint_values import OF_ARRAYS, IdlePaths, Inputs, input_key, same_input
from harness.care.lintcache import Known, case_digest
from harness.jsonfast import decode
from harness.lookup import missing_program
from harness.records import Case, InputKind, Subject
from harness.suites.contract import Breach, Contract, contract_of, fingerprint
from harness.suites.corpus import (
    SETTINGS_FILE,
    BrokenCase,
    CorpusError,
    Flaw,
    Found,
    Loaded,
    Suite,
    UnreadableSuite,
    find_suites,
    load_case,
    read_suite,
    settings_text,
)
from harness.suites.naming import PACKED_FILE, CaseName
from harness.suites.policy import SuiteTomlError, parse_suite_toml
from harness.suites.positions import Position, position_of_value
from harness.suites.tomlplaces import TomlPlaces
from harness.words import quoted, visible

__all__ = ["SubjectsOf", "Survey", "survey"]

_FLAWS: Final = {
    Flaw.ORPHAN: Rule.ORPHAN,
    Flaw.SAME_NAME: Rule.SAME_NAME,
    Flaw.UNREADABLE: Rule.UNREADABLE,
    Flaw.NOT_JSON: Rule.NOT_JSON,
    Flaw.BAD_LINE: Rule.BAD_LINE,
}
_NAME: Final = 60  # characters of a name in a message


# Tells the subjects that are known to serve a suite.
SubjectsOf = Callable[[Suite], Sequence[Subject]]


class Survey(NamedTuple):
    """What was found in a suite, how many cases it has, and the digests of those that keep their
    schemas."""

    findings: list[Finding]
    cases: int
    good: list[bytes]


def survey(
    found: Found, bundled: Path, known: Known, subjects_of: SubjectsOf | None = None
) -> Survey:
    """Look through a suite that was found. `known`: digests of cases that need no schema check.
    `subjects_of` tells those of an xtest.toml that serve a suite; None: there is none."""
    refused = _refused_settings(found.folder)
    if refused is not None:
        return Survey([refused], 0, [])
    try:
        suite = read_suite(found.name, found.folder)
    except UnreadableSuite as problem:
        return Survey([Finding("", None, Rule.UNREADABLE, str(problem))], 0, [])
    except CorpusError as problem:
        said = str(problem).removeprefix(f"{visible(str(found.folder))}: ")
        return Survey([Finding("", None, Rule.SUITE, said)], 0, [])
    subjects = () if subjects_of is None else subjects_of(suite)
    return _Walk(suite, bundled, known, subjects).survey()


def _refused_settings(folder: Path) -> Finding | None:
    try:
        text = settings_text(folder)
        parse_suite_toml(text, SETTINGS_FILE)
    except OSError:
        return None  # there is none, or reading the suite will say why it cannot be read
    except SuiteTomlError as problem:
        return of_refused_settings(problem, text, SETTINGS_FILE)
    return None


class _Walk:
    """One way through a suite, and what was seen on it."""

    def __init__(
        self, suite: Suite, bundled: Path, known: Known, subjects: Sequence[Subject]
    ) -> None:
        self._suite = suite
        self._subjects = subjects
        self._known = known
        self._names = tuple(suite.names)
        self._places = TomlPlaces(_settings_text(suite))
        self._findings: list[Finding] = []
        self._good: list[bytes] = []
        self._inputs = Inputs()
        self._paths = IdlePaths(_paths_of(suite))
        self._contract = self._checked_contract(bundled)
        self._fingerprint = b"" if self._contract is None else fingerprint(suite, bundled)

    def survey(self) -> Survey:
        """All findings, in no order."""
        self._look_at_folder()
        self._look_at_settings()
        for at, name in enumerate(self._names):
            self._look_at_case(at, name)
        self._look_for_same_inputs()
        for key, path in self._paths.left:
            self._add(self._idle_path(key, path))
        return Survey(self._findings, len(self._names), self._good)

    def _add(self, *findings: Finding) -> None:
        self._findings += findings

    def _checked_contract(self, bundled: Path) -> Contract | None:
        """The suite's schemas; None where one of them cannot be used, which is a finding."""
        try:
            return contract_of(self._suite, bundled)
        except CorpusError as problem:
            said = str(problem).removeprefix(f"{visible(self._suite.name)}: ")
            key = "input" if quoted(self._suite.settings.input, 200) in said else "output"
            self._add(Finding(SETTINGS_FILE, self._places.key(key), Rule.SCHEMA_FILE, said))
            return None

    def _look_at_folder(self) -> None:
        entries = sorted(os.listdir(self._suite.folder))
        self._add(*of_folder(entries, self._suite.settings))
        self._add(*_nested(self._suite.folder))
        # A broken line of a packed suite is called by its number, which is no case's.
        nameless = f"{PACKED_FILE}-line" if self._suite.packed is not None else None
        self._add(*of_numbers(name for name in self._names if name.prefix != nameless))

    def _look_at_settings(self) -> None:
        settings = self._suite.settings
        self._add(*of_settings(settings, self._places, self._names))
        if self._subjects:
            self._add(*of_subjects(settings, self._places, self._subjects))
        if settings.render is not None:
            missing = missing_program(settings.render.command[0], str(self._suite.folder))
            if missing:
                place = self._places.key("command", "render")
                said = f"nothing will be drawn: {missing}"
                self._add(Finding(SETTINGS_FILE, place, Rule.RENDERER, said))
        if settings.comparison.contract:
            # Imported where there is such a schema: most say nothing of comparing.
            from harness.judging.annotations import conflicts  # pylint: disable=import-outside-toplevel

            self._add(*of_conflicts(conflicts(settings.comparison), self._places))

    def _look_at_case(self, at: int, name: CaseName) -> None:
        try:
            loaded = load_case(self._suite, name, at)
        except BrokenCase as flaw:
            self._add(of_broken_case(flaw, _FLAWS[flaw.flaw]))
            return
        self._inputs.add(at, *loaded)
        self._paths.see(loaded.case.expected)
        self._look_at_kind(at, name, loaded.case)
        self._look_at_schemas(at, name, loaded)

    def _look_at_kind(self, at: int, name: CaseName, case: Case) -> None:
        if case.kind is InputKind.RAW and decode(case.stdin).fault is None:
            said = "the input is declared raw, and is JSON: nobody parses it, and it is fed plain"
            self._add(self._in_case(at, name, Rule.RAW_JSON, said, is_input=True))

    def _look_at_schemas(self, at: int, name: CaseName, loaded: Loaded) -> None:
        if self._contract is None or not self._fingerprint:
            return
        case, given = loaded
        digest = case_digest(self._fingerprint, case.kind, case.stdin, case.expected_text)
        if digest not in self._known:
            wrong = self._contract.input_breach(case.kind, given)
            if wrong is not None:
                self._add(self._breach(at, name, case, wrong, is_input=True))
                return
            wrong = self._contract.output_breach(case.expected)
            if wrong is not None:
                self._add(self._breach(at, name, case, wrong, is_input=False))
                return
        self._good.append(digest)

    def _breach(
        self, at: int, name: CaseName, case: Case, wrong: Breach, *, is_input: bool
    ) -> Finding:
        side = "the input" if is_input else "the expected output"
        text = case.stdin if is_input else case.expected_text
        finding = self._in_case(at, name, Rule.SCHEMA, f"{side} {wrong.said}", is_input=is_input)
        if self._suite.packed is not None:
            return finding
        return finding._replace(position=position_of_value(text, wrong.steps))

    def _look_for_same_inputs(self) -> None:
        for places in self._inputs.candidates():
            with suppress(BrokenCase):  # a file that has gone meanwhile
                self._add(*self._same_inputs(places))

    def _same_inputs(self, places: list[int]) -> Iterator[Finding]:
        first_with: dict[str, int] = {}
        for at in places:
            later, given = load_case(self._suite, self._names[at], at)
            first = first_with.setdefault(input_key(later, given), at)
            if first != at:
                # Read again: many large inputs may look alike, and be different.
                earlier = load_case(self._suite, self._names[first], first).case
                rule, said = same_input(earlier, later)
                yield self._in_case(at, self._names[at], rule, said, is_input=True)

    def _idle_path(self, key: str, path: str) -> Finding:
        what = "an array" if key in OF_ARRAYS else "anything"
        said = f"{key}: no expected output has {what} at {quoted(path, _NAME)}"
        place = self._places.text_below(path, "compare")
        if key in ("unordered", "ignore"):
            place = self._places.text_in(path, key, "compare")
        return Finding(SETTINGS_FILE, place, Rule.IDLE_PATH, said)

    def _in_case(
        self, at: int, name: CaseName, rule: Rule, said: str, *, is_input: bool
    ) -> Finding:
        """A finding on a whole side of a case that could be read."""
        if self._suite.packed is not None:
            said = f"case {visible(name.text)}: {said}"
            return Finding(PACKED_FILE, Position(at + 1, 1), rule, said)
        file = self._suite.files[name][0 if is_input else 1]
        return Finding(file, None, rule, said)


def _settings_text(suite: Suite) -> bytes:
    try:
        return settings_text(suite.folder)
    except FileNotFoundError:
        return b""


def _paths_of(suite: Suite) -> Iterator[tuple[str, str]]:
    """The paths of a suite's policy, each with the key that it stands under."""
    comparison = suite.settings.comparison
    yield from (("unordered", path) for path in comparison.unordered)
    yield from (("ignore", path) for path in comparison.ignore)
    for rule in comparison.at:
        key = "path" if rule.order is None else "path with order"
        yield from ((key, path) for path in rule.paths)


def _nested(folder: Path) -> Iterator[Finding]:
    """Folders of cases inside a suite's folder: nobody looks there."""
    for entry in sorted(os.listdir(folder)):
        inside = folder / entry
        if entry.startswith(".") or inside.is_symlink() or not inside.is_dir():
            continue
        if _has_suites(inside):
            said = "cases that are never run: in a folder with cases, nothing below is looked at"
            yield Finding(entry, None, Rule.NESTED, said)


def _has_suites(folder: Path) -> bool:
    try:
        return bool(find_suites(str(folder), folder))
    except CorpusError:
        return False
