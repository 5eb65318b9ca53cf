"""The bundled suites, as their tests read them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from support.wire import Plain, without_message

from harness.files import test_cases_folder
from harness.jsonio.decoder import encode
from harness.model.case import Case
from harness.suites.cases import read_case
from harness.suites.loading import Suite, read_suite
from harness.suites.schema_checks import suite_schema_check

SUITES: Final = (
    *("xtiles", "xboard", "xmoves", "xrules", "xref", "xadmin"),
    *("xisolation", "xtictactoe", "xbitboard36"),
)


class BundledCase(NamedTuple):
    """A case; `status` is the exit status that its suite declares."""

    name: str
    stdin: bytes
    expected: list[Plain]
    status: str

    @property
    def compared(self) -> list[Plain]:
        """The expected values without messages of errors."""
        return [without_message(value) for value in self.expected]


def folder_of(suite: str) -> Path:
    return test_cases_folder() / suite


def is_stateless(suite: str) -> bool:
    return _suite(suite).settings.stateless


def readme_of(suite: str) -> str:
    return (folder_of(suite) / "README.md").read_text(encoding="utf-8")


@cache
def cases_of(suite: str) -> list[BundledCase]:
    return [
        BundledCase(case.name, case.stdin, json.loads(encode(case.expected)), str(case.policy.exit))
        for case in _harness_cases(suite)
    ]


def violations_of(suite: str) -> dict[str, object]:
    """Return the cases that violate the schemas or what the suite declares about them."""
    violation = suite_schema_check([_suite(suite)])
    return {case.name: found for case in _harness_cases(suite) if (found := violation(case))}


def errors_of(suite: str) -> list[Plain]:
    return [
        value["error"]
        for case in cases_of(suite)
        for value in case.expected
        if isinstance(value, dict) and "error" in value
    ]


def served_inputs(suite: str) -> list[bytes]:
    """Return the inputs of the cases without an error."""
    return [
        case.stdin
        for case in cases_of(suite)
        if not any(isinstance(value, dict) and "error" in value for value in case.expected)
    ]


@cache
def _suite(name: str) -> Suite:
    return read_suite(name, folder_of(name))


@cache
def _harness_cases(suite: str) -> list[Case]:
    read = [read_case(_suite(suite), name, at) for at, name in enumerate(_suite(suite).names)]
    cases = [case for case in read if isinstance(case, Case)]
    assert cases == read, "a case is broken"
    return cases
