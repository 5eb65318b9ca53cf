"""Each bundled case agrees with its program, its reference, its README and its schemas."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest
from support.corpus import (
    SUITES,
    cases_of,
    errors_of,
    folder_of,
    is_stateless,
    readme_of,
    violations_of,
)
from support.references import REFERENCES
from support.wire import Plain, compared

from harness.jsonio.decoder import encode
from harness.jsonio.fast import decode

REQUESTS = ("xisolation", "xtictactoe", "xbitboard36")

pytestmark = pytest.mark.parametrize("suite", SUITES)


def test_the_program_prints_what_is_expected(suite: str) -> None:
    for case in cases_of(suite):
        assert _exactly(compared(suite, case.stdin)) == _exactly(case.compared), case.name


def test_the_reference_prints_what_is_expected(suite: str) -> None:
    for case in cases_of(suite):
        assert _exactly(REFERENCES[suite](case.stdin)) == _exactly(case.compared), case.name


def _exactly(values: Sequence[Plain]) -> list[str]:
    # Text, since 1 == True in Python.
    return [json.dumps(value, sort_keys=True) for value in values]


def test_the_declared_exit_status_follows_from_the_expected_output(suite: str) -> None:
    for case in cases_of(suite):
        last = case.expected[-1] if case.expected else None
        kind = last.get("error", {}).get("kind") if isinstance(last, dict) else None
        fails = kind == "malformed-json" if suite in REQUESTS else kind is not None
        assert case.status == ("1" if fails else "0"), case.name


def test_a_suite_is_stateless_if_a_stream_of_its_inputs_has_the_stream_of_their_answers(
    suite: str,
) -> None:
    # The place in an error begins with the number of its value in the stream.
    cases = [case for case in cases_of(suite) if case.status == "0"]
    answers = compared(suite, b"\n".join(case.stdin for case in cases))
    expected = [value for case in cases for value in case.compared]
    assert is_stateless(suite) == (_exactly(answers) == _exactly(expected))


def test_every_kind_of_error_is_expected_twice(suite: str) -> None:
    kinds = Counter(error["kind"] for error in errors_of(suite))
    expected = {"malformed-json", "invalid-spec"}
    expected |= set() if suite in REQUESTS else {"incomplete-input"}
    expected |= {"illegal-move"} if suite in (*REQUESTS, "xboard") else set()
    assert set(kinds) == expected
    assert min(kinds.values()) >= 2


def test_every_file_is_a_side_of_a_case_the_readme_or_the_settings(suite: str) -> None:
    sides = {f"{case.name}-{side}.json" for case in cases_of(suite) for side in ("in", "out")}
    assert {file.name for file in folder_of(suite).iterdir()} == sides | {"README.md", "suite.toml"}


def test_the_readme_lists_each_case_once_and_counts_them(suite: str) -> None:
    assert Counter(_listed_cases(suite)) == Counter(case.name for case in cases_of(suite))
    assert f"\n{len(cases_of(suite))} cases for programs that" in readme_of(suite)


def _listed_cases(suite: str) -> Iterator[str]:
    rows = re.findall(r"^\| `?([a-z0-9-]+)`?(?: to ([a-z0-9-]+))? \|", readme_of(suite), re.M)
    for first, last in rows:
        prefix, dash, number = first.rpartition("-")
        if number.isdecimal():
            end = int(last.rpartition("-")[2]) if last else int(number)
            yield from (f"{prefix}{dash}{each}" for each in range(int(number), end + 1))


def test_no_two_cases_have_the_same_input(suite: str) -> None:
    names: dict[str, str] = {}
    for case in cases_of(suite):
        decoded = decode(case.stdin)
        # The values are compared, or the bytes if there are none or they are malformed.
        is_stream = decoded.fault is None and decoded.values
        key = encode(decoded.values) if is_stream else case.stdin.hex()
        assert key not in names, f"{case.name} has the input of {names[key]}"
        names[key] = case.name


def test_every_case_follows_the_schemas_as_its_suite_declares(suite: str) -> None:
    assert violations_of(suite) == {}
