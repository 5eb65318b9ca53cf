"""Lint a suite: its folder, its settings, and each case in turn. Source: docs/care.md.

Memory per case is its name, a sketch of its input and a digest.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Final

from harness.authoring.lint_rules import LintFinding, LintRule
from harness.authoring.lint_scripts import ScriptLinter, within_message
from harness.authoring.lint_settings import (
    has_other_files,
    lint_entries,
    lint_numbers,
    lint_settings,
    settings_error,
)
from harness.authoring.lint_values import (
    ARRAY_KEYS,
    ORDERED_PATH,
    ComparedPath,
    UnusedPaths,
    compare_same_input,
    input_key,
    input_sketch,
    tolerated_integer,
)
from harness.errors import OutOfTime
from harness.jsonio.decoder import Json
from harness.jsonio.fast import decode
from harness.jsonio.positions import Position, position_of_value
from harness.judging.judge import output_limit_note
from harness.model.case import Case, InputKind, right_outputs
from harness.model.case_names import PACKED_FILE, as_patterns, case_order, selects
from harness.model.comparison import Comparison
from harness.model.subject import Subject
from harness.process.killable import stop_reason, time_limit
from harness.results.store import Space, Store, StoreError
from harness.suites.cases import BrokenCase, CaseDefect, load_case, own_rule
from harness.suites.discovery import DiscoveredSuite
from harness.suites.inheritance import SettingsError, SettingsPlaces
from harness.suites.loading import CorpusError, Suite, UnreadableSuite, read_suite
from harness.suites.packed import NAMELESS
from harness.suites.schema_checks import SchemaValidator, fingerprint, load_validator
from harness.suites.settings import SuiteSettings, override_comparison
from harness.text import escape_nonprintable, pluralize, quote
from harness.version import VERSION

# The position in a message about a text that is not JSON.
_JSON_POSITION: Final = re.compile(r"not JSON( at byte [0-9,]+ \(line [0-9,]+, column [0-9,]+\))")

MOST_KEPT: Final = 262_144  # digests of a suite in the store
CASE_LIMIT_S: Final = 10  # for checking one case: regular expressions may take exponential time

# Returns the subjects that serve a suite.
SubjectsOf = Callable[[Suite], Sequence[Subject]]


def lint_suite(
    discovered: DiscoveredSuite, store: Store | None, subjects_of: SubjectsOf | None
) -> tuple[list[LintFinding], int]:
    """Return the findings on a suite, in no order, and the number of its cases.

    Cases that are valid by the `store` are not checked again while the schemas are unchanged.
    `subjects_of` finds subjects in an xtest.toml, or is None without one. A finding on an inherited
    path says only that this suite does not use it.
    """
    try:
        suite = read_suite(discovered.name, discovered.folder)
    except UnreadableSuite as problem:
        finding = LintFinding("", None, LintRule.UNREADABLE, str(problem))
    except CorpusError as problem:
        message = str(problem).removeprefix(f"{escape_nonprintable(str(discovered.folder))}: ")
        finding = LintFinding("", None, LintRule.SUITE, message)
        if isinstance(problem.__cause__, SettingsError):
            finding = settings_error(problem.__cause__)
    else:
        linter = _SuiteLinter(suite, store)
        findings = list(linter.lint(() if subjects_of is None else subjects_of(suite)))
        return findings, len(linter.names)
    return [finding], 0


class _SuiteLinter:
    def __init__(self, suite: Suite, store: Store | None) -> None:
        self.names: Final = tuple(suite.names)
        self._suite = suite
        self._places: Final = SettingsPlaces(suite.sources)
        self._store = store
        self._known: frozenset[bytes] = frozenset()  # digests of valid cases
        self._valid: list[bytes] = []  # digests of cases that this pass found valid
        self._inputs = defaultdict[int, list[int]](list)  # indexes of cases, by input sketch
        self._unused = UnusedPaths(_comparison_paths(suite.settings))
        self._tolerant: list[tuple[int, str]] = []  # cases whose integers have a large tolerance
        self._has_other_files = False
        self._scripts: Final = ScriptLinter(suite.settings.talk)

    def lint(self, subjects: Sequence[Subject]) -> Iterator[LintFinding]:
        yield from self._lint_folder()
        yield from lint_settings(self._suite, self._places, self.names, subjects)
        validator, schemas = None, ""
        try:
            validator = load_validator(self._suite)
            schemas = fingerprint(self._suite)
        except CorpusError as problem:
            yield self._unusable_schema(problem)
        space = Space("lint", f"{VERSION} {schemas}")
        if self._store is not None:
            with suppress(StoreError):
                self._known = frozenset(key for key, _ in self._store.entries(space))
        for index in range(len(self.names)):
            yield from self._lint_case(index, validator if schemas else None)
        if self._store is not None and self._valid:
            kept = self._valid[: MOST_KEPT - len(self._known)]
            with suppress(StoreError):
                self._store.put(space, ((digest, b"") for digest in kept))
        for indexes in self._inputs.values():
            with suppress(BrokenCase):  # a file that was removed meanwhile
                yield from self._same_inputs(indexes)
        yield from self._tolerant_integers()
        yield from self._lint_talk()
        for unused, meant in self._unused:
            finding = self._unused_path(unused, meant)
            applies = (unused.match is None or selects(unused.match, name) for name in self.names)
            if finding.is_inherited or any(applies):  # otherwise, IDLE_MATCH says it
                yield finding

    def _lint_folder(self) -> Iterator[LintFinding]:
        folder = self._suite.folder
        entries = sorted(os.listdir(folder))
        yield from lint_entries(self._suite.strays, entries)
        self._has_other_files = has_other_files(entries, self._suite.settings)
        # A broken line of a packed suite is named by the number of the line.
        numbered = (name for name in self.names if name.number >= 0 and name.prefix != NAMELESS)
        yield from lint_numbers(sorted(numbered, key=case_order))

    def _unusable_schema(self, problem: CorpusError) -> LintFinding:
        message = str(problem).removeprefix(f"{escape_nonprintable(self._suite.name)}: ")
        is_input = quote(os.path.basename(self._suite.settings.input), 200) in message
        key = "input" if is_input else "output"
        return LintFinding(*self._places.key(key), LintRule.SCHEMA_FILE, message)

    def _lint_case(self, index: int, validator: SchemaValidator | None) -> Iterator[LintFinding]:
        try:
            case, input_values = load_case(self._suite, self.names[index], index)
        except BrokenCase as problem:
            yield _broken_case_finding(problem)
            return
        self._inputs[input_sketch(case, input_values)].append(index)
        if self._unused:
            self._remove_used(index, case)
        yield from self._lint_policy(index, case)
        if case.script is not None:
            yield from self._lint_script(index, case)
            return
        if case.kind is InputKind.RAW and decode(case.stdin).fault is None:
            message = (
                "the input is declared raw, but is JSON; raw inputs can only be delivered plain"
            )
            yield self._case_finding(index, LintRule.RAW_JSON, message)
        if validator is not None:
            yield from self._lint_schema(index, case, input_values, validator)

    def _lint_schema(
        self, index: int, case: Case, input_values: list[Json], validator: SchemaValidator
    ) -> Iterator[LintFinding]:
        if (digest := _digest(case)) in self._known:
            return
        try:
            with time_limit(CASE_LIMIT_S):
                violation = validator.first_violation(case, input_values)
        except OutOfTime as stop:
            reason = stop_reason(stop, f"after {CASE_LIMIT_S} s")
            yield self._case_finding(
                index, LintRule.SCHEMA, f"checking its schema stopped {reason}"
            )
            return
        if violation is None:
            self._valid.append(digest)
            return
        finding = self._case_finding(
            index, LintRule.SCHEMA, violation.text, is_input=violation.is_input
        )
        if self._suite.packed is None:
            text = case.stdin if violation.is_input else case.expected_text
            finding = finding._replace(position=position_of_value(text, violation.steps))
        yield finding

    def _remove_used(self, index: int, case: Case) -> None:
        """Remove the paths that an output of a case has from those that are unused."""
        outputs = [one.expected for one in right_outputs(case)]
        if case.script is not None:
            outputs = [[message] for message in case.script.expected]
        for output in outputs:
            self._unused.remove_used(output, self.names[index])

    def _lint_script(self, index: int, case: Case) -> Iterator[LintFinding]:
        name = self.names[index]
        is_bare = self._suite.settings.is_bare(name, own_rule(self._suite, name, index))
        for rule, message, step in self._scripts.lint(index, case, is_bare=is_bare):
            yield self._step_finding(index, rule, message, step, case.stdin)

    def _step_finding(
        self, index: int, rule: LintRule, message: str, step: int, text: bytes
    ) -> LintFinding:
        if self._suite.packed is not None:
            return self._case_finding(index, rule, f"step {step + 1}: {message}")
        finding = self._case_finding(index, rule, message)
        return finding._replace(position=position_of_value(text, [step]))

    def _lint_talk(self) -> Iterator[LintFinding]:
        """Yield findings on what the scripts of the suite have in common."""
        talk, wall_s = self._suite.settings.talk, self._suite.settings.limits.wall_s
        odd, message = self._scripts.odd_beginnings()
        for index in odd:
            yield self._case_finding(index, LintRule.HANDSHAKE, message)
        for name in sorted(self._scripts.unused_in_start):
            message = f"no script uses the captured value {quote(name)}"
            place = self._places.key("start", "talk")
            yield LintFinding(*place, LintRule.UNUSED_CAPTURE, message)
        if talk.within_s is not None and talk.within_s > wall_s:
            place = self._places.key("within", "talk")
            yield LintFinding(*place, LintRule.IDLE_LIMIT, within_message(wall_s))

    def _lint_policy(self, index: int, case: Case) -> Iterator[LintFinding]:
        if note := output_limit_note(case, case.policy.limits):
            yield self._case_finding(index, LintRule.OUTPUT_LIMIT, note, is_input=False)
        if message := tolerated_integer(case):
            self._tolerant.append((index, message))

    def _same_inputs(self, indexes: list[int]) -> Iterator[LintFinding]:
        first_with: dict[str, int] = {}
        for index in indexes if len(indexes) > 1 else ():
            later, input_values = load_case(self._suite, self.names[index], index)
            first = first_with.setdefault(input_key(later, input_values), index)
            if first != index:
                # Read again, because many large inputs may share a sketch and yet differ.
                earlier = load_case(self._suite, self.names[first], first)[0]
                with suppress(OutOfTime), time_limit(CASE_LIMIT_S):
                    others = self._has_other_files
                    rule_and_message = compare_same_input(earlier, later, has_other_files=others)
                    yield self._case_finding(index, *rule_and_message)

    def _tolerant_integers(self) -> Iterator[LintFinding]:
        """Yield one finding for the suite: its cases usually share a tolerance."""
        for index, message in self._tolerant[:1]:
            others = len(self._tolerant) - 1
            message += f" (so does that of {pluralize(others, 'more case')})" if others else ""
            message += '; numbers = "exact" in a [[compare.at]] for its path compares it exactly'
            yield self._case_finding(index, LintRule.TOLERANT_INTEGER, message, is_input=False)

    def _unused_path(self, unused: ComparedPath, meant: str) -> LintFinding:
        key, path, match, table = unused
        what = "an array" if key in ARRAY_KEYS else "anything"
        if match is None:
            whose, table_key = "", key if key in ("unordered", "ignore") else ""
            place = self._places.text(path, "compare", table_key)
        else:
            whose = f" of the cases {', '.join(map(quote, as_patterns(match)))}"
            place = self._places.key("match", "cases", table)
        named = "order" if key == ORDERED_PATH else key
        message = f"{named}: no expected output{whose} has {what} at {quote(path)}"
        if meant:
            message += f", but at {quote(meant)}"
        return LintFinding(*place, LintRule.IDLE_PATH, message)

    def _case_finding(
        self, index: int, rule: LintRule, message: str, *, is_input: bool = True
    ) -> LintFinding:
        """Return a finding on one side of a readable case."""
        name = self.names[index]
        if self._suite.packed is not None:
            message = f"case {escape_nonprintable(name.text)}: {message}"
            return LintFinding(PACKED_FILE, Position(index + 1, 1), rule, message)
        file = self._suite.files[name][0 if is_input else 1]
        return LintFinding(file, None, rule, message)


def _digest(case: Case) -> bytes:
    head = repr((case.kind.value, case.has_several, len(case.stdin))).encode()
    return sha256(b"\n".join((head, case.stdin, case.expected_text))).digest()[:16]


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
    return LintFinding(problem.file, problem.position, LintRule[problem.defect.name], message)


def _comparison_paths(settings: SuiteSettings) -> Iterator[ComparedPath]:
    yield from _paths_of(settings.comparison)
    for table, rule in enumerate(settings.rules):
        for path in _paths_of(override_comparison(Comparison(), rule)):
            yield path._replace(match=rule.match, table=table)


def _paths_of(comparison: Comparison) -> Iterator[ComparedPath]:
    yield from (ComparedPath("unordered", path) for path in comparison.unordered)
    yield from (ComparedPath("ignore", path) for path in comparison.ignore)
    for rule in comparison.at:
        key = "path" if rule.order is None else ORDERED_PATH
        yield from (ComparedPath(key, path) for path in rule.paths)
