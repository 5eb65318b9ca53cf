"""The rules of `xtest lint`, its findings, and their lines. Source: docs/care.md."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from harness.jsonio.positions import Position
from harness.model.case_names import natural
from harness.text import escape_nonprintable, pluralize


class Severity(Enum):
    """The weight of a finding: an error is wrong, a warning is probably wrong, a note may be fine.

    Notes do not affect the exit status without `--strict`.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class LintRule(Enum):
    """Every rule, with its severity and the row of the table in docs/care.md."""

    severity: Severity
    description: str

    # The defaults let type checkers accept the lookup `LintRule("gap")`.
    def __new__(
        cls, value: str, description: str = "", severity: Severity = Severity.ERROR
    ) -> LintRule:
        member = object.__new__(cls)
        member._value_ = value
        member.severity = severity
        member.description = description
        return member

    SETTINGS = "settings", "`suite.toml` has a mistake; the rest of the suite is not checked"
    SUITE = (
        "suite",
        "the suite cannot be used: it has no cases, or has them both packed and in files",
    )
    UNREADABLE = "unreadable", "a file or folder that cannot be read, or is not a regular file"
    NAME = (
        "name",
        "a file that looks like a case, a `suite.toml` or a `cases.jsonl`, but is not read",
    )
    ORPHAN = "orphan", "an input without an output, or the reverse"
    SAME_NAME = "same-name", "two files for one side of a case: `1-in.json` and `01-in.json`"
    NOT_JSON = (
        "not-json",
        "an expected output that is not JSON, or an input that is neither JSON nor declared `raw`",
    )
    NO_OUTPUTS = (
        "no-outputs",
        "an output of a case with `any = true` that is not a list of right outputs",
    )
    BAD_LINE = "bad-line", "a line of a packed suite that is not a case, or repeats a name"
    SCHEMA_FILE = (
        "schema-file",
        "a schema that `suite.toml` names cannot be used; cases are not checked against it",
    )
    SCHEMA = "schema", "a case that violates its schema, or is declared `off-schema` but valid"
    CONTRADICTION = (
        "contradiction",
        "two cases with the same input that no program can both pass, beside no other files",
    )
    IDLE_MATCH = "idle-match", "`[[cases]]` or `[[known]]` whose `match` matches no case"
    SAME_INPUT = "same-input", "an input equal to another case's, byte for byte", Severity.WARNING
    IDLE_RULE = (
        "idle-rule",
        "`[[cases]]` that sets nothing, or only keys that later tables override",
        Severity.WARNING,
    )
    IDLE_PATH = (
        "idle-path",
        "a path in a `compare` table that no expected output has (for `unordered`: as an array)",
        Severity.WARNING,
    )
    IDLE_KIND = "idle-kind", "`off-schema` in a suite without an input schema", Severity.WARNING
    IDLE_LIMIT = "idle-limit", "a `first_byte_s` above `wall_s`", Severity.WARNING
    IDLE_SUBJECT = (
        "idle-subject",
        "`[[known]]` whose `subject` matches no subject of `xtest.toml` that serves the suite",
        Severity.WARNING,
    )
    RENDERER = "renderer", "the program of `[render]` cannot be executed", Severity.WARNING
    NESTED = "nested", "cases below a folder with cases, which are never run", Severity.WARNING
    SCHEMA_OVERRIDE = (
        "schema-override",
        "`suite.toml` overrides a different equality rule of the output schema",
        Severity.WARNING,
    )
    POINTS = (
        "points",
        "`points` of cases that exceed those of the suite, or fall short if every case has its own",
        Severity.WARNING,
    )
    README = (
        "readme",
        "no README beside the cases; of several suites, one line for all",
        Severity.NOTE,
    )
    SAME_VALUES = (
        "same-values",
        "an input with the values of another case's, in other bytes",
        Severity.NOTE,
    )
    RAW_JSON = "raw-json", "an input that is declared `raw`, but is JSON", Severity.NOTE
    GAP = "gap", "numbers that no case has, between others of its prefix", Severity.NOTE


class LintFinding(NamedTuple):
    """A finding: the path in the suite's folder ("": the folder), and a position or None."""

    path: str
    position: Position | None
    rule: LintRule
    message: str

    @property
    def is_inherited(self) -> bool:
        """True if the finding is in a file above the suite's folder."""
        return self.path.startswith("../")


def finding_line(finding: LintFinding, folder: str) -> str:
    """Return a finding as one line, in the form that compilers use and editors read."""
    place = escape_nonprintable(_path_in(folder, finding.path))
    if finding.position is not None:
        place += f":{finding.position.line}:{finding.position.column}"
    severity = finding.rule.severity.value
    return f"{place}: {severity}: {finding.message} [{finding.rule.value}]"


def finding_json(finding: LintFinding, folder: str) -> str:
    """Return a finding as one line of JSON; without a position, line and column are null."""
    line, column = finding.position or (None, None)
    members = {
        "path": escape_nonprintable(_path_in(folder, finding.path)),
        "line": line,
        "column": column,
        "severity": finding.rule.severity.value,
        "rule": finding.rule.value,
        "message": finding.message,
    }
    return json.dumps(members)


def sort_findings(findings: Iterable[LintFinding]) -> list[LintFinding]:
    """Return findings by file, in natural order, and position."""
    return sorted(
        findings, key=lambda each: (natural(each.path), each.position or (0, 0), each.rule.value)
    )


def summary_line(rules: Iterable[LintRule], cases: int, suites: int) -> str:
    """Return the counts of findings, cases and suites."""
    counts = Counter(rule.severity for rule in rules)
    found = [pluralize(counts[each], each.value) for each in Severity if counts[each]]
    where = f"{pluralize(cases, 'case')} in {pluralize(suites, 'suite')}"
    return f"{where}: {', '.join(found) or 'nothing found'}"


def _path_in(folder: str, path: str) -> str:
    if path.startswith("../"):  # a file that the suite inherits from
        return os.path.normpath(f"{folder}/{path}")
    return f"{folder.rstrip('/')}/{path}" if path else folder
