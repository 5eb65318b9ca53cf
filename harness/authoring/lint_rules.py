"""The rules of `xtest lint`, its findings, and their lines. Source: docs/care.md."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Final, NamedTuple

from harness.jsonio.positions import Position
from harness.model.case_names import natural
from harness.model.verdict import FactEnum
from harness.text import escape_nonprintable, pluralize


class Severity(FactEnum):
    """The weight of a finding: an error is wrong, a warning is probably wrong, a note may be fine.

    Notes do not affect the exit status without `--strict`.
    """

    colour: str

    ERROR = "error", "bad"
    WARNING = "warning", "odd"
    NOTE = "note", "dim"


_WARNING: Final = Severity.WARNING
_NOTE: Final = Severity.NOTE


class LintRule(Enum):
    """The rules, each with what it finds, and its severity if it is not an error."""

    SETTINGS = "`suite.toml` has a mistake; the rest of the suite is not checked"
    SUITE = "the suite cannot be used: it has no cases, or has them both packed and in files"
    UNREADABLE = "a file or folder that cannot be read, or is not a regular file"
    NAME = (
        "a file that looks like a case, a `suite.toml` or a `cases.jsonl`, but is not read, or a "
        "folder of cases below the cases"
    )
    ORPHAN = "an input without an output, or the reverse"
    SAME_NAME = "two files for one side of a case: `1-in.json` and `01-in.json`"
    NOT_JSON = (
        "an expected output that is not JSON, or an input that is neither JSON nor declared `raw`"
    )
    BAD_STEP = "a step of a dialogue that is not one, or cannot follow the others"
    IMPOSSIBLE_STEP = (
        "a step of a dialogue that captures a value which the expected message cannot have, or "
        "steps that are quiet for longer than `wall_s`"
    )
    NO_OUTPUTS = "an output of a case with `any = true` that is not a list of correct outputs"
    BAD_LINE = "a line of a packed suite that is not a case, or repeats a name"
    SCHEMA_FILE = (
        "a schema that `suite.toml` names cannot be used; cases are not checked against it"
    )
    SCHEMA = "a case that violates its schema, or is declared `off-schema` but valid"
    CONTRADICTION = (
        "two cases with the same input but incompatible results, unless other files in the folder "
        "or other tags may explain it"
    )
    OUTPUT_LIMIT = "an expected output that is larger than `output_mib`, so no program can pass"
    IDLE_MATCH = (
        "`[[cases]]` or `[[known]]` whose `match` matches no case, `skip` of a subject that takes "
        "none, or `files` that match no file"
    )
    CHECKER = "a checker or companion whose program or file does not exist"
    SAME_INPUT = "an input equal to another case's, byte for byte", _WARNING
    IDLE_RULE = "`[[cases]]` that sets nothing, or only keys that later tables override", _WARNING
    IDLE_PATH = (
        "a path in a `compare` table that leads to no value in any expected output "
        "(for `unordered`: to no array)",
        _WARNING,
    )
    IDLE_KIND = "`off-schema` in a suite without an input schema", _WARNING
    IDLE_LIMIT = "a `first_byte_s`, or a `within` of a dialogue, above `wall_s`", _WARNING
    UNUSED_CAPTURE = "a captured value that no later step of a dialogue uses", _WARNING
    STRAY_MARK = "`${` in a message of a dialogue that begins no reference", _WARNING
    NO_EXPECTATION = "a script that expects no message, silence or exit", _WARNING
    HANDSHAKE = (
        "a script that repeats `start` of `[talk]`, or in a suite without one, does not begin as "
        "most others do",
        _WARNING,
    )
    IDLE_SUBJECT = (
        "`[[known]]` whose `subject` matches no subject of `xtest.toml` that serves the suite",
        _WARNING,
    )
    RENDERER = "the program of `[render]` cannot be executed", _WARNING
    FORMAT = "a `format` in a placeholder schema that is not checked", _NOTE
    SCHEMA_OVERRIDE = (
        "`suite.toml` overrides an equality rule of the output schema with a different one",
        _WARNING,
    )
    POINTS = (
        "`points` of cases that total more than the suite's, or less if every case has its own",
        _WARNING,
    )
    README = "no README beside the cases; reported once for all suites", _NOTE
    SAME_VALUES = "an input with the same values as another case's, written differently", _NOTE
    RAW_JSON = "an input that is declared `raw`, but is JSON", _NOTE
    TOLERANT_INTEGER = (
        "a tolerance that is so large that it accepts another integer than an expected one",
        _NOTE,
    )
    STRAY = "a file or folder that is not part of the suite, and that nothing in it names", _NOTE
    GAP = "missing numbers between those of cases with the same prefix", _NOTE

    def __init__(self, description: str, severity: Severity = Severity.ERROR) -> None:
        self.label = self.name.lower().replace("_", "-")
        self.description = description
        self.severity = severity


class LintFinding(NamedTuple):
    """A finding. `path` is relative to the suite's folder, "" for the folder itself."""

    path: str
    position: Position | None
    rule: LintRule
    message: str

    @property
    def is_inherited(self) -> bool:
        """True if the file is above the suite's folder: the suite inherits from it."""
        return self.path.startswith("../")


def finding_line(finding: LintFinding, folder: str, style: Callable[[str, str], str]) -> str:
    """Return a finding as one line, in the form that compilers use and editors read.

    `style` colours a text by its role.
    """
    place = escape_nonprintable(_path_in(folder, finding))
    if finding.position is not None:
        place += f":{finding.position.line}:{finding.position.column}"
    severity = style(finding.rule.severity.value, finding.rule.severity.colour)
    return f"{place}: {severity}: {finding.message} {style(f'[{finding.rule.label}]', 'dim')}"


def finding_json(finding: LintFinding, folder: str) -> str:
    """Return a finding as one line of JSON; without a position, line and column are null."""
    line, column = finding.position or (None, None)
    members = {
        "path": escape_nonprintable(_path_in(folder, finding)),
        "line": line,
        "column": column,
        "severity": finding.rule.severity.value,
        "rule": finding.rule.label,
        "message": finding.message,
    }
    return json.dumps(members)


def sort_findings(findings: Iterable[LintFinding]) -> list[LintFinding]:
    return sorted(
        findings, key=lambda each: (natural(each.path), each.position or (0, 0), each.rule.label)
    )


def summary_line(rules: Iterable[LintRule], cases: int, suites: int) -> str:
    counts = Counter(rule.severity for rule in rules)
    severities = [pluralize(counts[each], each.value) for each in Severity if counts[each]]
    where = f"{pluralize(cases, 'case')} in {pluralize(suites, 'suite')}"
    return f"{where}: {', '.join(severities) or 'nothing found'}"


def _path_in(folder: str, finding: LintFinding) -> str:
    if finding.is_inherited:
        return os.path.normpath(f"{folder}/{finding.path}")
    return f"{folder.rstrip('/')}/{finding.path}" if finding.path else folder
