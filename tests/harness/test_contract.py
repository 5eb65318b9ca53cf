"""Cases held against their suite's schemas, and schemas that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.jsonfast import decode
from harness.records import Case, InputKind
from harness.suites.contract import contracts_of, plain_value
from harness.suites.corpus import CorpusError, Suite
from harness.suites.policy import SuiteSettings


def suite_of(folder: Path, name: str = "s", *, stdin: str = "", stdout: str = "") -> Suite:
    """A suite without cases that names these schemas."""
    folder.mkdir(parents=True, exist_ok=True)
    return Suite(name, folder, SuiteSettings(input=stdin, output=stdout), {})


def case_of(stdin: bytes, expected: bytes = b"", kind: InputKind = InputKind.JSON) -> Case:
    """A case of the suite s."""
    return Case("s", "7", stdin, expected, decode(expected).values, kind)


def write(file: Path, schema: Any) -> None:
    """A schema in a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(schema), encoding="utf-8")


INTEGERS = {"type": "array", "items": {"type": "integer"}}


@pytest.fixture(name="bundled")
def _bundled(tmp_path: Path) -> Path:
    """Bundled schemas: one, which wants integers."""
    bundled = tmp_path / "schemas"
    write(bundled / "integers.json", INTEGERS)
    return bundled


def checked(suite: Suite, bundled: Path, case: Case) -> str:
    """What the check says of a case."""
    return contracts_of([suite], bundled)(case)


def refusal(suite: Suite, bundled: Path) -> str:
    """Why a suite's schemas cannot be used."""
    with pytest.raises(CorpusError) as caught:
        contracts_of([suite], bundled)
    return str(caught.value)


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (case_of(b"1 2", b'"a"'), ""),
        (case_of(b"", b""), ""),
        (
            case_of(b'1 "a"'),
            "the input breaks its schema at /1: 'a' is not of type 'integer'",
        ),
        (
            case_of(b"1", b"1 null 3"),
            "the expected output breaks its schema at its top: [1, None, 3] is too long",
        ),
        (case_of(b'"a"', kind=InputKind.OFF_SCHEMA), ""),
        (
            case_of(b"1", kind=InputKind.OFF_SCHEMA),
            "the input is declared off-schema, and keeps the schema",
        ),
        (case_of(b"\xff", kind=InputKind.RAW), ""),
        (
            case_of(b"\xff", b"1 2 3", kind=InputKind.RAW),
            "the expected output breaks its schema at its top: [1, 2, 3] is too long",
        ),
    ],
)
def test_a_case_is_told_which_schema_it_breaks_and_where(
    tmp_path: Path, bundled: Path, case: Case, said: str
) -> None:
    write(tmp_path / "s" / "few.json", {"maxItems": 2})
    suite = suite_of(tmp_path / "s", stdin="integers.json", stdout="few.json")
    assert checked(suite, bundled, case) == said


def test_without_schemas_there_is_nothing_to_break(tmp_path: Path, bundled: Path) -> None:
    assert checked(suite_of(tmp_path), bundled, case_of(b'"a"', b"1 2")) == ""


def test_the_place_is_a_json_pointer_and_the_message_is_short_and_visible(
    tmp_path: Path, bundled: Path
) -> None:
    write(bundled / "deep.json", {"items": {"additionalProperties": {"maxLength": 3}}})
    suite = suite_of(tmp_path / "s", stdin="deep.json")
    case = case_of(b'{"a/b~\x7f": "' + b"\xe2\x80\xae" * 300 + b'"}')
    said = checked(suite, bundled, case)
    assert said.startswith("the input breaks its schema at /0/a~1b~0\\x7f: ")
    assert said.isprintable()
    assert len(said) < 450


def test_every_suite_has_its_own_contract(tmp_path: Path, bundled: Path) -> None:
    check = contracts_of(
        [suite_of(tmp_path / "t", "t"), suite_of(tmp_path / "s", stdin="integers.json")], bundled
    )
    assert check(case_of(b"null")) != ""
    assert check(Case("t", "7", b"null", b"", [])) == ""


def test_a_schema_in_the_suites_folder_goes_before_a_bundled_one(
    tmp_path: Path, bundled: Path
) -> None:
    write(tmp_path / "s" / "integers.json", {"items": {"type": "string"}})
    suite = suite_of(tmp_path / "s", stdin="integers.json")
    assert checked(suite, bundled, case_of(b'"a"')) == ""


@pytest.mark.parametrize(
    ("schema", "reference"),
    [
        ({}, "integers.json"),
        ({"$id": "urn:xtest:schema:more"}, "integers.json"),
        ({"$id": "https://example.org/schemas/more.json"}, "integers.json"),
        ({}, "urn:xtest:schema:whole"),
        ({}, "https://example.org/schemas/integers.json"),
    ],
)
def test_a_schema_refers_to_those_beside_it_and_to_no_network(
    tmp_path: Path, bundled: Path, schema: dict[str, Any], reference: str
) -> None:
    write(bundled / "whole.schema.json", INTEGERS)
    write(tmp_path / "s" / "more.json", {**schema, "$ref": reference, "maxItems": 1})
    suite = suite_of(tmp_path / "s", stdin="more.json")
    assert checked(suite, bundled, case_of(b"1")) == ""
    assert checked(suite, bundled, case_of(b"null")) == (
        "the input breaks its schema at /0: None is not of type 'integer'"
    )


@pytest.mark.parametrize(
    "reference", ["gone.json", "https://example.org/gone.json", "#/$defs/gone", "#gone"]
)
def test_a_reference_to_what_is_not_there_is_told_of(
    tmp_path: Path, bundled: Path, reference: str
) -> None:
    write(bundled / "more.json", {"$ref": reference})
    said = checked(suite_of(tmp_path / "s", stdin="more.json"), bundled, case_of(b"1"))
    assert said.startswith("the input cannot be checked, its schema is incomplete: ")
    assert reference.rpartition("/")[2].strip("#") in said


def test_values_nested_too_deep_for_the_checker_are_told_of(tmp_path: Path, bundled: Path) -> None:
    write(bundled / "any.json", {"items": {"type": "array"}})
    suite = suite_of(tmp_path / "s", stdin="any.json")
    deep = b"[" * 5_000 + b"]" * 5_000
    assert checked(suite, bundled, case_of(deep)) == (
        "the input is nested too deep, or has too long a number, to be held against its schema"
    )
    assert checked(suite, bundled, case_of(deep, kind=InputKind.OFF_SCHEMA)) == ""


def test_a_long_integer_is_an_integer(tmp_path: Path, bundled: Path) -> None:
    suite = suite_of(tmp_path / "s", stdin="integers.json")
    assert checked(suite, bundled, case_of(b"-" + b"7" * 5_000)) == ""


def test_a_number_too_long_to_be_quoted_is_told_of(tmp_path: Path, bundled: Path) -> None:
    write(bundled / "small.json", {"items": {"maximum": 9}})
    suite = suite_of(tmp_path / "s", stdin="small.json")
    assert checked(suite, bundled, case_of(b"7" * 5_000)) == (
        "the input is nested too deep, or has too long a number, to be held against its schema"
    )


def test_plain_values_are_pythons_own() -> None:
    text = b'{"a": [1, -0, 1.0, 1e2, true, null, "x"], "b": {}}'
    plain = plain_value(decode(text).values[0])
    assert plain == {"a": [1, 0, 1.0, 100.0, True, None, "x"], "b": {}}
    kinds = [type(element) for element in plain["a"]]
    assert kinds == [int, int, float, float, bool, type(None), str]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, 's: no schema "own.json", neither in the suite\'s folder nor bundled'),
        (
            "{",
            's: "own.json" cannot be read as JSON: Expecting property name enclosed in double'
            " quotes: line 1 column 2 (char 1)",
        ),
        ('{"type": "intger"}', 's: "own.json" is no JSON Schema: at /type: '),
        (
            '{"pattern": "("}',
            "s: \"own.json\" is no JSON Schema: at /pattern: '(' is not a 'regex'",
        ),
        ("[]", 's: "own.json" is no JSON Schema: at its top: [] is not of type '),
        (
            '{"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}]}',
            's: "own.json" is to be written for https://json-schema.org/draft/2020-12/schema,'
            ' not "http://json-schema.org/draft-07/schema#"',
        ),
        ("[" * 100_000, 's: "own.json" cannot be read as JSON: '),
    ],
)
def test_a_schema_that_cannot_be_used_is_told_why(
    tmp_path: Path, bundled: Path, content: str | None, said: str
) -> None:
    suite = suite_of(tmp_path / "s", stdout="own.json")
    if content is not None:
        (suite.folder / "own.json").write_text(content, encoding="utf-8")
    assert refusal(suite, bundled).startswith(said)


def test_a_schema_whose_name_is_too_long_for_a_file_is_not_there(
    tmp_path: Path, bundled: Path
) -> None:
    said = refusal(suite_of(tmp_path / "s", stdin="x" * 5_000), bundled)
    assert said.startswith('s: no schema "xxx')
    assert said.endswith("xxx…\", neither in the suite's folder nor bundled")


def test_a_schema_may_be_true(tmp_path: Path, bundled: Path) -> None:
    write(bundled / "all.json", True)
    assert checked(suite_of(tmp_path / "s", stdin="all.json"), bundled, case_of(b"1")) == ""
