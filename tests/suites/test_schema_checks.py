"""Cases validated against the schemas of their suite, and schemas that cannot be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.golden import Golden, message_of
from support.suites import write_files

from harness.jsonio.fast import decode
from harness.model.case import Case, InputKind
from harness.suites.loading import CorpusError, Suite
from harness.suites.schema_checks import suite_schema_check
from harness.suites.settings import SuiteSettings

INTEGERS = {"type": "array", "items": {"type": "integer"}}
LONG, DEEP = b"7" * 5_000, b"[" * 5_000 + b"]" * 5_000
OFF_SCHEMA, RAW = InputKind.OFF_SCHEMA, InputKind.RAW


def suite_of(folder: Path, *, stdin: str = "", stdout: str = "") -> Suite:
    """Return a suite without cases that names schemas."""
    return Suite("s", folder, SuiteSettings(input=stdin, output=stdout), {})


def case_of(stdin: bytes, expected: bytes = b"", kind: InputKind = InputKind.JSON) -> Case:
    return Case("s", "7", stdin, expected, decode(expected).values, kind)


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    schemas: dict[str, Any] = {"integers.json": INTEGERS, "few.json": {"maxItems": 2}}
    schemas |= {"arrays.json": {"items": {"type": "array"}}, "all.json": True}
    schemas |= {"small.json": {"items": {"maximum": 9}}, "whole.schema.json": INTEGERS}
    schemas |= {"words.json": {"items": {"additionalProperties": {"maxLength": 3}}}}
    references = ("gone.json", "https://example.org/gone.json", "#/$defs/gone", "#gone")
    for number, reference in enumerate(references):
        schemas[f"broken-{number}.json"] = {"$ref": reference}
    return write_files(tmp_path / "s", schemas)


VALID = [
    ("integers.json", case_of(b"1 2", b'"a"')),
    ("integers.json", case_of(b"", b"")),
    ("integers.json", case_of(b'"a"', kind=OFF_SCHEMA)),
    ("integers.json", case_of(b"\xff", kind=RAW)),
    ("integers.json", case_of(b"-" + LONG)),
    ("arrays.json", case_of(DEEP, kind=OFF_SCHEMA)),
    ("all.json", case_of(b"1")),
    ("", case_of(b'"a"')),
]
INVALID = [
    ("integers.json", case_of(b'1 "a"')),
    ("integers.json", case_of(b"1", b"1 null 3")),
    ("integers.json", case_of(b"1", kind=OFF_SCHEMA)),
    ("integers.json", case_of(b"\xff", b"1 2 3", kind=RAW)),
    ("arrays.json", case_of(DEEP)),
    ("small.json", case_of(LONG)),
    ("words.json", case_of(b'{"a/b~\x7f": "' + b"\xe2\x80\xae" * 300 + b'"}')),
    *((f"broken-{number}.json", case_of(b"1")) for number in range(4)),
]


def test_a_violation_has_its_place_and_reason(folder: Path, golden: Golden) -> None:
    lines = []
    for schema, case in VALID + INVALID:
        suite = suite_of(folder, stdin=schema, stdout="few.json")
        message = suite_schema_check([suite])(case)
        assert len(message) < 450 and message.isprintable()
        lines.append(f"{schema}: {message[:120] or 'valid'}\n")
    golden("schema_violations.txt", "".join(lines))


def test_a_schema_in_the_suites_folder_precedes_a_bundled_one(tmp_path: Path) -> None:
    name = "xtictactoe-in.schema.json"
    assert suite_schema_check([suite_of(tmp_path, stdin=name)])(case_of(b'"a"'))
    write_files(tmp_path, {name: {"items": {"type": "string"}}})
    assert suite_schema_check([suite_of(tmp_path, stdin=name)])(case_of(b'"a"')) == ""


@pytest.mark.parametrize(
    ("identifier", "reference"),
    [
        ("", "integers.json"),
        ("urn:xtest:schema:more", "integers.json"),
        ("https://example.org/schemas/more.json", "integers.json"),
        ("", "urn:xtest:schema:whole"),
        ("", "https://example.org/schemas/integers.json"),
    ],
)
def test_a_schema_refers_to_files_beside_it_never_to_a_network(
    folder: Path, identifier: str, reference: str
) -> None:
    schema = {"$id": identifier} if identifier else {}
    write_files(folder, {"more.json": {**schema, "$ref": reference, "maxItems": 1}})
    check = suite_schema_check([suite_of(folder, stdin="more.json")])
    assert check(case_of(b"1")) == ""
    message = "the input violates its schema at /0: None is not of type 'integer'"
    assert check(case_of(b"null")) == message


def test_numbers_are_exact_and_shown_as_they_are_spelled(folder: Path) -> None:
    def check(schema: str, text: bytes) -> str:
        write_files(folder, {"exact.json": schema})
        return suite_schema_check([suite_of(folder, stdin="exact.json")])(case_of(text))

    assert check('{"items": {"multipleOf": 0.01}}', b"19.99 1e400") == ""
    place = "the input violates its schema at /0:"
    # A part with "$schema" is checked exactly too.
    dialect = '"$schema": "https://json-schema.org/draft/2020-12/schema"'
    for below in ("", dialect, '"$schema": "http://json-schema.org/draft-07/schema#"'):
        keywords = ", ".join(filter(None, (below, '"maximum": 0.1, "multipleOf": 1e-1')))
        schema = f'{{{dialect}, "items": {{{keywords}}}}}'
        assert check(schema, b"0.10 -2.0e-1") == ""
        problem = f"{place} 0.1000000000000000000001 is "
        assert check(schema, b"0.1000000000000000000001").startswith(problem)
    problem = "1.00 is greater than the maximum of 10.0e-2"
    assert check('{"items": {"maximum": 10.0e-2}}', b"1.00") == f"{place} {problem}"


def test_a_schema_that_cannot_be_used_says_why(tmp_path: Path, golden: Golden) -> None:
    draft7 = '{"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}]}'
    schemas = ["{", '{"type": "intger"}', '{"pattern": "("}', "[]", draft7, "[" * 100_000]
    schemas.append('{"items":' * 300 + "{}" + "}" * 300)
    write_files(tmp_path, {f"{n}.json": text for n, text in enumerate(schemas)})
    lines = []
    for name in ("none.json", *(f"{n}.json" for n in range(len(schemas))), "x" * 5_000):
        suites = [suite_of(tmp_path, stdout=name)]
        lines.append(f"{message_of(CorpusError, suite_schema_check, suites)[:90]}\n")
    for at in (6, 7):  # the reason depends on the version of Python
        lines[at] = lines[at].partition("JSON: ")[0] + "\n"
    golden("unusable_schemas.txt", "".join(lines))
