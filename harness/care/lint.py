"""Findings on a corpus: what they are, how they are said, and those that need no file of a case.

Pure: names, settings and texts in, findings out. What is read, and in which order a suite is looked
through, is the business of survey. The rules and their weight: docs/care.md.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from enum import Enum
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from harness.judging.known import means
from harness.records import InputKind, Subject
from harness.suites.corpus import SETTINGS_FILE, BrokenCase
from harness.suites.naming import (
    CONFIG_FILE,
    PACKED_FILE,
    CaseName,
    looks_like_case_file,
    natural,
    selects,
)
from harness.suites.policy import CaseRule, SuiteSettings, SuiteTomlError
from harness.suites.positions import Position
from harness.suites.tomlplaces import TomlPlaces
from harness.words import clip, count_of, did_you_mean, quoted, visible

__all__ = [
    "Finding",
    "Rule",
    "Severity",
    "finding_json",
    "finding_line",
    "of_broken_case",
    "of_conflicts",
    "of_folder",
    "of_numbers",
    "of_refused_settings",
    "of_settings",
    "of_subjects",
    "ordered",
    "summary_line",
]

_FIXED_NAMES: Final = (SETTINGS_FILE, PACKED_FILE)
_NAME: Final = 60  # characters of a name in a message
_MOST_GAPS: Final = 8  # that one finding names
# How tomllib says where a file stops being TOML.
_TOML_PLACE: Final = re.compile(r" \(at line ([0-9]+), column ([0-9]+)\)")
# How the judge says where a text stops being JSON.
_JSON_PLACE: Final = re.compile(r"not JSON( at byte [0-9,]+ \(line [0-9,]+, column [0-9,]+\))")


class Severity(Enum):
    """How much a finding weighs: an error is wrong, a warning is most likely a slip, a note is
    worth knowing and counts only where it is asked for."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Rule(Enum):
    """Every kind of finding."""

    SETTINGS = "settings"
    SUITE = "suite"
    NAME = "name"
    UNREADABLE = "unreadable"
    ORPHAN = "orphan"
    SAME_NAME = "same-name"
    NOT_JSON = "not-json"
    BAD_LINE = "bad-line"
    SCHEMA_FILE = "schema-file"
    SCHEMA = "schema"
    CONTRADICTION = "contradiction"
    IDLE_MATCH = "idle-match"
    SAME_INPUT = "same-input"
    SAME_VALUES = "same-values"
    IDLE_RULE = "idle-rule"
    IDLE_PATH = "idle-path"
    IDLE_KIND = "idle-kind"
    IDLE_LIMIT = "idle-limit"
    IDLE_SUBJECT = "idle-subject"
    RENDERER = "renderer"
    NESTED = "nested"
    README = "readme"
    SPOKEN_TWICE = "spoken-twice"
    POINTS = "points"
    RAW_JSON = "raw-json"
    GAP = "gap"

    @property
    def severity(self) -> Severity:
        """How much a finding of this kind weighs."""
        if self in _NOTES:
            return Severity.NOTE
        return Severity.WARNING if self in _WARNINGS else Severity.ERROR


_NOTES: Final = (Rule.README, Rule.SAME_VALUES, Rule.RAW_JSON, Rule.GAP)
_WARNINGS: Final = (
    *(Rule.SAME_INPUT, Rule.IDLE_RULE, Rule.IDLE_PATH, Rule.IDLE_KIND, Rule.IDLE_LIMIT),
    *(Rule.IDLE_SUBJECT, Rule.RENDERER, Rule.NESTED, Rule.SPOKEN_TWICE, Rule.POINTS),
)


class Finding(NamedTuple):
    """One thing that was found, in a file (or folder) of the suite, by its path in the suite's
    folder; the empty path is the folder. `position` None: the whole of it."""

    path: str
    position: Position | None
    rule: Rule
    message: str


def finding_line(finding: Finding, folder: str) -> str:
    """A finding as one line, as compilers and editors have it."""
    place = visible(_path_in(folder, finding.path))
    if finding.position is not None:
        place += f":{finding.position.line}:{finding.position.column}"
    severity = finding.rule.severity.value
    return f"{place}: {severity}: {finding.message} [{finding.rule.value}]"


def finding_json(finding: Finding, folder: str) -> str:
    """A finding as one line of JSON; without a position, the members line and column are null."""
    line, column = finding.position or (None, None)
    members = {
        "path": visible(_path_in(folder, finding.path)),
        "line": line,
        "column": column,
        "severity": finding.rule.severity.value,
        "rule": finding.rule.value,
        "message": finding.message,
    }
    return json.dumps(members)


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by file in natural order, and by their place in it."""
    return sorted(
        findings,
        key=lambda each: (natural(each.path), each.position or (0, 0), each.rule.value),
    )


def summary_line(rules: Iterable[Rule], cases: int, suites: int) -> str:
    """How much was found in how much."""
    counts = Counter(rule.severity for rule in rules)
    found = [count_of(counts[each], each.value) for each in Severity if counts[each]]
    where = f"{count_of(cases, 'case')} in {count_of(suites, 'suite')}"
    return f"{where}: {', '.join(found) or 'nothing found'}"


def _path_in(folder: str, path: str) -> str:
    return f"{folder.rstrip('/')}/{path}" if path else folder


# The folder.


def of_folder(entries: Sequence[str], settings: SuiteSettings) -> Iterator[Finding]:
    """What the names in a suite's folder show: files that were meant to be something, and nobody
    reads; a README that is not there."""
    schemas = (settings.input, settings.output)
    for entry in entries:
        if looks_like_case_file(entry) and entry not in schemas:
            yield Finding(entry, None, Rule.NAME, _STRAY)
        if entry.lower() in _FIXED_NAMES and entry not in _FIXED_NAMES:
            said = f"this is not read: the file is to be named {entry.lower()}"
            yield Finding(entry, None, Rule.NAME, said)
    if not any(entry.lower().startswith("readme") for entry in entries):
        said = "the suite has no README.md to say what its cases are for"
        yield Finding("", None, Rule.README, said)


_STRAY: Final = (
    "this looks like a file of a case, and is none: these are named N-in.json and N-out.json, or"
    " prefix-N-in.json and prefix-N-out.json"
)


def of_numbers(names: Iterable[CaseName]) -> Iterator[Finding]:
    """Where the numbers of the cases have gaps, by prefix; they may begin anywhere. The names come
    in natural order."""
    for prefix, group in groupby(names, key=lambda name: name.prefix):
        gaps = [
            (before.number + 1, after.number - 1)
            for before, after in pairwise(group)
            if after.number - before.number > 1
        ]
        if gaps:
            whose = f"of the prefix {quoted(prefix, _NAME)} " if prefix else ""
            said = f"no case {whose}has the {_numbers(gaps)}"
            yield Finding("", None, Rule.GAP, said)


def _numbers(gaps: Sequence[tuple[int, int]]) -> str:
    spans = [str(low) if low == high else f"{low}-{high}" for low, high in gaps[:_MOST_GAPS]]
    lone = len(gaps) == 1 and gaps[0][0] == gaps[0][1]
    more = f" and {count_of(len(gaps) - _MOST_GAPS, 'gap')} more" if gaps[_MOST_GAPS:] else ""
    # A number may have as many digits as a file's name can hold.
    return f"number{'' if lone else 's'} {clip(', '.join(spans), 200)}{more}"


def of_broken_case(flaw: BrokenCase, rule: Rule) -> Finding:
    """A case that cannot be used. Its file stands in front of every finding, and its place, where
    it has one: neither is said again."""
    said, file = str(flaw), visible(flaw.file)
    for repeated in (f"{file} is ", f"{file}: "):
        said = said.removeprefix(repeated)
    place = _JSON_PLACE.search(said)
    if place is not None and flaw.file != PACKED_FILE:
        said = said.replace(place[1], "", 1)
    return Finding(flaw.file, flaw.position, rule, said)


# suite.toml.


def of_refused_settings(problem: SuiteTomlError, text: bytes, where: str) -> Finding:
    """A suite.toml that cannot be accepted. `where` is how the message names the file."""
    said = str(problem).removeprefix(f"{where}: ")
    place = _TOML_PLACE.search(said)
    position = None
    if problem.key:
        position = TomlPlaces(text).key(problem.key, problem.table, problem.number)
    elif place is not None:
        position = Position(int(place[1]), int(place[2]))
        said = said.replace(place[0], "", 1)
    return Finding(SETTINGS_FILE, position, Rule.SETTINGS, said)


def of_settings(
    settings: SuiteSettings, places: TomlPlaces, names: Collection[CaseName]
) -> Iterator[Finding]:
    """What a suite.toml says to no effect."""
    yield from _of_rules(settings.rules, places, names)
    yield from _of_known(settings, places, names)
    yield from _of_kinds(settings, places)
    yield from _of_points(settings, places, names)
    first, whole = settings.limits.first_byte_s, settings.limits.wall_s
    if first is not None and first > whole:
        said = f"first_byte_s has no effect: wall_s ({whole:g}) falls before it"
        yield _in_settings(places.key("first_byte_s", "limits"), Rule.IDLE_LIMIT, said)


def of_conflicts(conflicts: Iterable[tuple[str, str]], places: TomlPlaces) -> Iterator[Finding]:
    """Where suite.toml and the output schema both say how to compare: of each a path that stands
    in suite.toml, and a sentence."""
    for path, said in conflicts:
        yield _in_settings(places.text_below(path, "compare"), Rule.SPOKEN_TWICE, said)


def of_subjects(
    settings: SuiteSettings, places: TomlPlaces, subjects: Sequence[Subject]
) -> Iterator[Finding]:
    """[[known]] for a subject that is none of those by which a suite is served."""
    names = [subject.name for subject in subjects]
    for index, rule in enumerate(settings.known):
        if not any(means(rule.subject, subject) for subject in subjects):
            said = (
                f"subject = {quoted(rule.subject, _NAME)} fits no subject of {CONFIG_FILE} that"
                f" serves this suite; {did_you_mean(rule.subject, names)}"
            )
            yield _in_settings(places.key("subject", "known", index), Rule.IDLE_SUBJECT, said)


def _of_rules(
    rules: Sequence[CaseRule], places: TomlPlaces, names: Collection[CaseName]
) -> Iterator[Finding]:
    """[[cases]] that mean no case, or whose words others have the last of."""
    meant, deciding = set[int](), set[int]()
    for name in names:
        applying = [index for index, rule in enumerate(rules) if rule.applies_to(name)]
        meant.update(applying)
        deciding.update(_deciders(rules, applying))
    for index, rule in enumerate(rules):
        match = f"match = {quoted(rule.match, _NAME)}"
        position = places.key("match", "cases", index)
        if index not in meant:
            yield _in_settings(position, Rule.IDLE_MATCH, f"no case is meant by {match}")
        elif not any(_says(rule)):
            said = f"the cases of {match} are given nothing: say {_SAYABLE}"
            yield _in_settings(position, Rule.IDLE_RULE, said)
        elif index not in deciding:
            said = f"{match} decides nothing: of all its cases, later [[cases]] say the same things"
            yield _in_settings(position, Rule.IDLE_RULE, said)


def _deciders(rules: Sequence[CaseRule], applying: Sequence[int]) -> Iterator[int]:
    """Of the rules for one case, those that have the last word on something."""
    said = [_says(rules[index]) for index in applying]
    for thing in zip(*said, strict=True):
        speaking = [index for index, speaks in zip(applying, thing, strict=True) if speaks]
        yield from speaking[-1:]


def _says(rule: CaseRule) -> tuple[bool, ...]:
    """Of each thing that a rule can say, whether it does."""
    return tuple(getattr(rule, name) is not None for name in _THINGS)


_THINGS: Final = CaseRule._fields[1:]
_SAYABLE: Final = f"{', '.join(_THINGS[:-1])} or {_THINGS[-1]}"


def _of_known(
    settings: SuiteSettings, places: TomlPlaces, names: Collection[CaseName]
) -> Iterator[Finding]:
    for index, rule in enumerate(settings.known):
        if not any(selects(rule.match, name) for name in names):
            said = f"no case is meant by match = {quoted(rule.match, _NAME)}"
            yield _in_settings(places.key("match", "known", index), Rule.IDLE_MATCH, said)


def _of_kinds(settings: SuiteSettings, places: TomlPlaces) -> Iterator[Finding]:
    if settings.input:
        return
    for index, rule in enumerate(settings.rules):
        if rule.input is InputKind.OFF_SCHEMA:
            said = "off-schema has no effect: the suite names no schema for its inputs"
            yield _in_settings(places.key("input", "cases", index), Rule.IDLE_KIND, said)


def _of_points(
    settings: SuiteSettings, places: TomlPlaces, names: Collection[CaseName]
) -> Iterator[Finding]:
    """Where the points of the cases cannot come to those of the suite."""
    whole = settings.grading.points
    if whole is None or not names or all(rule.points is None for rule in settings.rules):
        return
    said = [settings.points_for(name) for name in names]
    # As decimals, as they are written: ten times 0.1 is 1.
    own = sum(Decimal(repr(points)) for points in said if points is not None)
    if own > Decimal(repr(whole)) or (own < Decimal(repr(whole)) and None not in said):
        all_of = "all " if None not in said else ""
        message = (
            f"{all_of}the cases' own points come to {_points(own)}, and the suite has"
            f" {_points(Decimal(repr(whole)))}"
        )
        yield _in_settings(places.key("points", "grading"), Rule.POINTS, message)


def _points(value: Decimal | int) -> str:
    return f"{Decimal(value).normalize():f}"


def _in_settings(position: Position, rule: Rule, said: str) -> Finding:
    return Finding(SETTINGS_FILE, position, rule, said)
