"""Lint the file names in a suite's folder, and its suite.toml, without reading cases."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from difflib import get_close_matches
from itertools import chain, groupby, pairwise
from typing import Final

from harness.authoring.lint_rules import LintFinding, LintRule
from harness.jsonio.positions import Position
from harness.judging.annotations import conflicts
from harness.judging.formats import FORMATS, unknown_formats
from harness.model.case import InputKind
from harness.model.case_names import (
    CONFIG_FILE,
    PACKED_FILE,
    SETTINGS_FILE,
    CaseName,
    Match,
    as_patterns,
    case_of_file,
)
from harness.model.subject import ExecutionContext, Subject
from harness.project.program_lookup import missing_program
from harness.suites.inheritance import SettingsError, SettingsPlace, SettingsPlaces, own_settings
from harness.suites.loading import Suite
from harness.suites.settings import CaseRule, SuiteSettings, index_of, unmatched_patterns
from harness.suites.shared_files import unmatched_files
from harness.suites.strays import NO_PART, Strays, likely_name
from harness.text import did_you_mean, escape_nonprintable, pluralize, quote, truncate_to_width
from harness.tomlio.positions import TomlPlaces

_MOST_GAPS: Final = 8  # in one finding
_SETTABLE: Final = CaseRule._fields[1:]
_TABLES: Final = ("limits", "compare")  # whose keys are set one by one
# An argument that names a script, such as check.py.
_SCRIPT: Final = re.compile(r"[\w./-]*\w\.(?:py|js|mjs|ts|rb|pl|sh|jar|php|lua)")
# The end of a message of tomllib.
_TOML_POSITION: Final = re.compile(r" \(at line ([0-9]+), column ([0-9]+)\)")


# The folder.


def lint_entries(strays: Strays, entries: Iterable[str]) -> Iterator[LintFinding]:
    """Yield findings on a suite's folder: entries that are not read, and a missing README."""
    for entry, fault in strays.faults.items():
        yield LintFinding(entry, None, LintRule.NAME, f"this {fault}")
    for entry in strays.others:
        yield LintFinding(entry, None, LintRule.STRAY, f"this {NO_PART}")
    if not any(entry.lower().startswith("readme") for entry in entries):
        message = "the suite has no README.md that explains its cases"
        yield LintFinding("", None, LintRule.README, message)


def has_other_files(entries: Iterable[str], settings: SuiteSettings) -> bool:
    """Return whether a suite's folder has entries that do not belong to the suite."""
    schemas = (settings.input, settings.output)
    return not all(
        entry in (SETTINGS_FILE, PACKED_FILE, *schemas)
        or entry.startswith(".")
        or entry.lower().startswith("readme")
        or likely_name(entry) is not None
        or case_of_file(entry) is not None
        for entry in entries
    )


def lint_numbers(names: Iterable[CaseName]) -> Iterator[LintFinding]:
    """Yield findings on gaps in the numbers of cases, by prefix; `names` are in natural order."""
    for prefix, group in groupby(names, key=lambda name: name.prefix):
        gaps = [
            (before.number + 1, after.number - 1)
            for before, after in pairwise(group)
            if after.number - before.number > 1
        ]
        if gaps:
            with_prefix = f"with the prefix {quote(prefix)} " if prefix else ""
            message = f"no case {with_prefix}has the {_format_gaps(gaps)}"
            yield LintFinding("", None, LintRule.GAP, message)


def _format_gaps(gaps: Sequence[tuple[int, int]]) -> str:
    spans = [str(low) if low == high else f"{low}-{high}" for low, high in gaps[:_MOST_GAPS]]
    is_single = len(gaps) == 1 and gaps[0][0] == gaps[0][1]
    more = f" and {pluralize(len(gaps) - _MOST_GAPS, 'more gap')}" if gaps[_MOST_GAPS:] else ""
    # A number may have as many digits as a file name.
    return f"number{'' if is_single else 's'} {truncate_to_width(', '.join(spans), 200)}{more}"


# suite.toml.


def settings_error(problem: SettingsError) -> LintFinding:
    """Return the finding for an invalid suite.toml, or another file with settings."""
    file = problem.file
    message = str(problem).removeprefix(f"{escape_nonprintable(str(file.path))}: ")
    written = _TOML_POSITION.search(message)
    position = None
    table, number, key = problem.place
    if key:
        position = TomlPlaces(file.text).key(key, table, number)
    elif written is not None:
        position = Position(int(written[1]), int(written[2]))
        message = message.replace(written[0], "", 1)
    return LintFinding(file.relative, position, LintRule.SETTINGS, message)


def lint_settings(
    suite: Suite, places: SettingsPlaces, names: Collection[CaseName], subjects: Sequence[Subject]
) -> Iterator[LintFinding]:
    """Yield findings on settings without an effect.

    `subjects` are those of xtest.toml that serve the suite.
    """
    # Inherited tables may have an effect in other suites.
    settings, own = suite.settings, own_settings(suite.sources)
    matches = [*(rule.match for rule in settings.rules), *(rule.match for rule in settings.known)]
    unmatched = set(unmatched_patterns(chain.from_iterable(map(as_patterns, matches)), names))
    yield from _lint_rules(settings, len(own.rules), places, names, unmatched)
    yield from _lint_known(settings, len(own.known), places, unmatched, subjects)
    yield from _lint_points(settings, places, names)
    first, whole = settings.limits.first_byte_s, settings.limits.wall_s
    if first is not None and first > whole:
        message = f"first_byte_s has no effect: wall_s ({whole:g}) is reached first"
        yield LintFinding(*places.key("first_byte_s", "limits"), LintRule.IDLE_LIMIT, message)
    yield from _lint_commands(suite, places)
    for pattern, message in unmatched_files(suite.folder, settings.file_patterns):
        yield LintFinding(*places.text(pattern, "", "files"), LintRule.IDLE_MATCH, message)
    yield from _lint_formats(settings, places)
    for path, message in conflicts(settings.comparison):
        yield LintFinding(*places.text(path, "compare"), LintRule.SCHEMA_OVERRIDE, message)


def _lint_commands(suite: Suite, places: SettingsPlaces) -> Iterator[LintFinding]:
    render = suite.settings.render
    if render is not None:
        missing = missing_program(render.command[0], ExecutionContext(str(suite.folder)))
        if missing is not None:
            message = f"no pictures are drawn: {missing.reason}"
            yield LintFinding(*places.key("command", "render"), LintRule.RENDERER, message)
    settings = suite.settings
    for word, message in _command_faults(suite, "checker", settings.checkers):
        table = "" if word in settings.checker else "cases"
        yield LintFinding(*places.text(word, table, "checker"), LintRule.CHECKER, message)
    commands = tuple(companion.command for companion in settings.companions)
    for word, message in _command_faults(suite, "companion", commands):
        yield LintFinding(*places.text(word, "companions"), LintRule.CHECKER, message)


def _command_faults(
    suite: Suite, thing: str, commands: Sequence[tuple[str, ...]]
) -> Iterator[tuple[str, str]]:
    """Yield word and message for the first word of each command that names no program or file."""
    folder = suite.folder
    for program, *words in dict.fromkeys(commands):
        if "{folder}" in program:  # that of a program is not known here
            continue
        missing = missing_program(program, ExecutionContext(str(folder)))
        lost = (each for each in words if _SCRIPT.fullmatch(each) and not (folder / each).exists())
        if missing is not None:
            yield program, f"no case can be judged: {missing.reason}"
        elif (word := next(lost, None)) is not None:
            near = get_close_matches(word, os.listdir(folder), 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            yield word, f"the {thing} names {quote(word)}, which the folder does not have{hint}"


def _lint_formats(settings: SuiteSettings, places: SettingsPlaces) -> Iterator[LintFinding]:
    known = ", ".join(FORMATS)
    for name in _unchecked_formats(settings):
        message = f"format = {quote(name)} is not checked; use pattern, or one of {known}"
        yield LintFinding(*places.text(name, "compare"), LintRule.FORMAT, message)


def _unchecked_formats(settings: SuiteSettings) -> list[str]:
    """Return the formats of placeholder schemas that xtest does not know."""
    rules = [*settings.comparison.rules]
    for each in settings.rules:
        rules += dict(each.compare or ()).get("at", ())
    schemas = {rule.schema.text for rule in rules if rule.schema is not None}
    return sorted({name for schema in schemas for name in unknown_formats(schema)})


def _lint_rules(
    settings: SuiteSettings,
    own: int,
    places: SettingsPlaces,
    names: Collection[CaseName],
    unmatched: set[str],
) -> Iterator[LintFinding]:
    rules = settings.rules
    matching, deciding = set[int](), set[int]()
    for name in names if rules else ():
        matching.update(index_of(rules).numbers(name))
        deciding.update(_deciding_rules(rules, index_of(rules).numbers(name)))
    for index, rule in [*enumerate(rules)][len(rules) - own :]:
        match = f"match = {', '.join(map(quote, as_patterns(rule.match)))}"
        position = places.key("match", "cases", index)
        yield from _lint_match(rule.match, unmatched, position)
        if index not in matching:
            continue
        if not _set_keys(rule):
            keys = f"{', '.join(_SETTABLE[:-1])} or {_SETTABLE[-1]}"
            message = f"the table with {match} sets nothing; set {keys}"
            yield LintFinding(*position, LintRule.IDLE_RULE, message)
        elif index not in deciding:
            message = f"{match} has no effect: later [[cases]] set the same keys for all its cases"
            yield LintFinding(*position, LintRule.IDLE_RULE, message)
        if rule.input is InputKind.OFF_SCHEMA and not settings.input:
            message = "off-schema has no effect: the suite names no schema for its inputs"
            yield LintFinding(*places.key("input", "cases", index), LintRule.IDLE_KIND, message)


def _deciding_rules(rules: Sequence[CaseRule], applying: Sequence[int]) -> Iterator[int]:
    """Yield the rules for one case, except those whose keys later rules all override."""
    yield from {key: index for index in applying for key in _set_keys(rules[index])}.values()
    # [[compare.at]] and groups of all rules apply.
    yield from (index for index in applying if "at" in dict(rules[index].compare or ()))
    yield from (index for index in applying if rules[index].all_or_nothing)


def _set_keys(rule: CaseRule) -> list[str]:
    keys = [name for name in _SETTABLE if name not in _TABLES and getattr(rule, name) is not None]
    return keys + [f"{table}.{key}" for table in _TABLES for key, _ in getattr(rule, table) or ()]


def _lint_match(match: Match, unmatched: set[str], place: SettingsPlace) -> Iterator[LintFinding]:
    for pattern in as_patterns(match):
        if pattern in unmatched:
            message = f"match = {quote(pattern)} matches no case"
            yield LintFinding(*place, LintRule.IDLE_MATCH, message)


def _lint_known(
    settings: SuiteSettings,
    own: int,
    places: SettingsPlaces,
    unmatched: set[str],
    subjects: Sequence[Subject],
) -> Iterator[LintFinding]:
    for index, rule in [*enumerate(settings.known)][len(settings.known) - own :]:
        yield from _lint_match(rule.match, unmatched, places.key("match", "known", index))
        if subjects and not any(rule.concerns(subject) for subject in subjects):
            message = (
                f"subject = {quote(rule.subject)} matches no subject of {CONFIG_FILE} that serves"
                f" this suite; {did_you_mean(rule.subject, [each.name for each in subjects])}"
            )
            position = places.key("subject", "known", index)
            yield LintFinding(*position, LintRule.IDLE_SUBJECT, message)


def _lint_points(
    settings: SuiteSettings, places: SettingsPlaces, names: Collection[CaseName]
) -> Iterator[LintFinding]:
    whole = settings.grading.points
    if whole is None or not names or all(rule.points is None for rule in settings.rules):
        return
    points = [settings.points_for(name) for name in names]
    # As the decimals that were written: ten times 0.1 is 1.
    total = sum((Decimal(repr(each)) for each in points if each is not None), Decimal())
    limit = Decimal(repr(whole))
    if total > limit or (total < limit and None not in points):
        every = "all " if None not in points else ""
        message = (
            f"the points of {every}the cases add up to {total.normalize():f},"
            f" but the suite has {limit.normalize():f}"
        )
        yield LintFinding(*places.key("points", "grading"), LintRule.POINTS, message)
