"""Read the known failures of an implementation: a file of its own, with exact names of cases.

`known` of a subject in xtest.toml names it; `xtest known` writes it. Source: docs/known.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from harness.errors import UsageError, os_reason
from harness.files import open_regular
from harness.model.case_names import input_name, pattern_of
from harness.model.events import Diagnostic
from harness.model.verdict import Verdict
from harness.project.targets import Target
from harness.project.xtest_toml import parse_document
from harness.suites.settings import KnownRule
from harness.suites.value_types import CONTENTS, DELIVERY_LIST, POINTERS, VERDICTS
from harness.text import escape_nonprintable, quote
from harness.tomlio.tables import STRING, STRINGS, Key, TableForm, TableSchema


class KnownCases(NamedTuple):
    """One `[[known]]` table: cases of a suite, by name, that fail for the same reason."""

    suite: str
    cases: tuple[str, ...]
    reason: str
    link: str = ""
    verdicts: tuple[Verdict, ...] = ()
    deliveries: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    contents: Mapping[str, str] | None = None

    def rule(self, file: str) -> KnownRule:
        """Return the rule by which a file lists these cases of its suite, for any subject."""
        match = tuple(pattern_of(input_name(case)) for case in self.cases)
        return KnownRule(
            match,
            self.reason,
            self.link,
            verdicts=self.verdicts,
            deliveries=self.deliveries,
            tests=self.tests,
            contents=self.contents,
            file=file,
        )


class _KnownFile(NamedTuple):
    known: tuple[KnownCases, ...] = ()


KNOWN_TOML: Final = TableSchema(
    "",
    _KnownFile,
    "The known failures of an implementation, as the JSON value of the file's TOML.",
    keys=(
        TableSchema(
            "known",
            KnownCases,
            "Cases that fail for the same reason. A listed case that passes is a failure.",
            keys=(
                Key("suite", STRING, "The name of their suite.", required=True),
                Key("cases", STRINGS, "Their exact names, not patterns.", required=True),
                Key("reason", STRING, "Why they fail.", required=True),
                Key("link", STRING, "An issue, for example."),
                Key("verdicts", VERDICTS, "The expected verdicts; any failure if not set."),
                Key("deliveries", DELIVERY_LIST, "The deliveries; any if not set."),
                Key("tests", POINTERS, "The places of the tests that fail; any if not set."),
                Key(
                    "contents",
                    CONTENTS,
                    "Fingerprints of the cases, by name. A case that has another one is not known,"
                    " one with the same is, whatever its name.",
                ),
            ),
            form=TableForm.ARRAY,
        ),
    ),
)


def read_known_file(path: str, key: str) -> tuple[KnownCases, ...]:
    """Return the tables of a file, none if it does not exist yet.

    Raises UsageError, with the key that names the file.
    """
    where = f"{key}: {escape_nonprintable(os.path.relpath(path))}"
    try:
        with open_regular(path) as file:
            known_file: _KnownFile = parse_document(KNOWN_TOML, file.read(), where)
    except FileNotFoundError:
        return ()
    except OSError as problem:
        raise UsageError(f"{where}: {os_reason(problem)}") from None
    return known_file.known


def with_known_failures(target: Target, tables: Sequence[KnownCases], file: str) -> Target:
    """Return a target whose suite also has the known failures of its subject, from a file."""
    rules = tuple(table.rule(file) for table in tables if table.suite == target.suite.name)
    if not rules:
        return target
    suite = target.suite
    settings = suite.settings._replace(known=(*rules, *suite.settings.known))
    return target._replace(suite=suite._replace(settings=settings))


def missing_cases(
    where: str, subject: str, tables: Sequence[KnownCases], targets: Sequence[Target]
) -> Iterator[Diagnostic]:
    """Yield a problem for each listed case that its suite does not have."""
    fix = f"xtest known RESULTS --subject {subject} --write updates the file"
    for target in targets:
        suite = target.suite
        listed = [case for each in tables if each.suite == suite.name for case in each.cases]
        names = set(suite.name_texts if listed else ())
        for case in listed:
            if case not in names:
                fault = f"{quote(case)} is not a case of the suite {suite.name}"
                yield Diagnostic(where, f"{fault}; {fix}")
