"""Files that earlier versions of xtest read or wrote keep their meaning, as docs/results.md says.

The files in tests/data/format-N are never changed: such files exist. If a format gets number
N + 1, they stay, and files of the new one are added. xtest 0.1.0 wrote the results of format-1,
0.2.0 those of format-1-of-0.2.0, and read the other files beside them. keys-0.2.0.json lists the
keys that the schemas of 0.2.0 had.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from schema_files import load_schema
from support.xtest import TOP

from harness.fest.config import FEST_TOML
from harness.fest.events import fest_line, parse_fest_event
from harness.model.comparison import Comparison
from harness.model.event_lines import event_line, parse_event
from harness.project.config import SubjectConfig
from harness.project.known_file import read_known_file
from harness.project.xtest_toml import parse_config, parse_document
from harness.suites.loading import read_settings
from harness.suites.packed import parse_line

FORMATS = sorted((TOP / "tests" / "data").glob("format-*"))
KEYS = json.loads((TOP / "tests" / "data" / "keys-0.2.0.json").read_text("utf-8"))
# Reports have the first two, which are made of results that a reader may see. The others are those
# of a fest with a checker, with builds and with inputs that are not UTF-8.
NOT_IN_FILES = {
    *("subjects.id", "withheld_points", "stdin.base64", "stdout.base64"),
    *("checked", "programs.build_output", "programs.fault"),
}
each_format = pytest.mark.parametrize("past", FORMATS, ids=lambda folder: folder.name)


@each_format
def test_events_of_runs_and_fests_are_read_and_written_alike(past: Path) -> None:
    for line in _lines(past / "results.jsonl"):
        assert event_line(parse_event(line)) == line
    for line in _lines(past / "fest-results.jsonl"):
        assert fest_line(parse_fest_event(line)) == line


@each_format
def test_schemas_of_today_describe_past_events(past: Path) -> None:
    names = "results", "fest-results"
    validators = [Draft202012Validator(load_schema(name)) for name in names]
    for name, known in zip(names, (validators[:1], validators), strict=True):
        for line in _lines(past / f"{name}.jsonl"):
            event = json.loads(line)
            assert any(each.is_valid(event) for each in known), line


@each_format
def test_settings_of_a_suite_and_its_packed_cases_are_read(past: Path) -> None:
    for each in past.glob("*/suite.toml"):
        read_settings(each.parent)
    settings = read_settings(past / "suite")
    assert settings.name == "suite"
    assert settings.grading.points == 10
    assert settings.limits.processes == 4
    assert len(settings.rules) == 2
    assert settings.comparison != Comparison()
    cases = [parse_line(line.encode()) for line in _lines(past / "suite" / "cases.jsonl")]
    assert [case.stdin for case in cases] == [b"[1, 2]\n", b"\xff", b'{"a":1}\n']


@each_format
def test_subjects_known_failures_and_fests_are_read(past: Path) -> None:
    config = parse_config((past / "xtest.toml").read_bytes(), "xtest.toml")
    subject, *_ = config.subjects
    new = {"folders", "build_disk_mib"}  # of another subject, and one that came later
    plain = SubjectConfig("")
    assert {name for name in plain._fields if getattr(subject, name) == getattr(plain, name)} == new
    (known,) = read_known_file(str(past / "known.toml"), "known")
    assert known.reason == "not done yet"
    fest = parse_document(FEST_TOML, (past / "fest.toml").read_bytes(), "fest.toml")
    assert fest.max_cases == 25
    assert [each.team for each in fest.rulings] == ["red"]


@pytest.mark.parametrize("schema", KEYS)
def test_no_key_of_a_past_version_has_gone_without_a_new_one(schema: str) -> None:
    document = load_schema(schema)
    assert set(KEYS[schema]) <= set(_keys(document, document, ()))


@pytest.mark.parametrize("schema", KEYS)
def test_past_files_have_every_key_of_their_version(schema: str) -> None:
    name = "cases" if schema == "packed" else schema
    files = [file for past in FORMATS for file in past.rglob(f"{name}.*") if file.is_file()]
    used = {key for file in files for value in _values(file) for key in _used(value, ())}
    missing = {key for key in KEYS[schema] if not any(fnmatchcase(each, key) for each in used)}
    assert missing <= NOT_IN_FILES


def _keys(document: Any, node: Any, path: tuple[str, ...]) -> Iterator[str]:
    """Yield the keys that a schema describes; `*` is any name."""
    if "$ref" in node and node["$ref"].startswith("#/$defs/"):
        yield from _keys(document, document["$defs"][node["$ref"].rpartition("/")[2]], path)
    for each in (*node.get("allOf", ()), *node.get("anyOf", ()), *node.get("oneOf", ())):
        yield from _keys(document, each, path)
    named = {"*": node.get("additionalProperties", False), **node.get("properties", {})}
    for name, value in named.items():
        if value is not False:
            yield ".".join((*path, name))
        if isinstance(value, dict):
            yield from _keys(document, value, (*path, name))
    if isinstance(node.get("items"), dict):
        yield from _keys(document, node["items"], path)


def _used(value: Any, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _used(each, path)
    elif isinstance(value, dict):
        for name, each in value.items():
            yield ".".join((*path, name))
            yield from _used(each, (*path, name))


def _values(file: Path) -> list[Any]:
    if file.suffix == ".toml":
        return [tomllib.loads(file.read_text("utf-8"))]
    return [json.loads(line) for line in _lines(file)]


def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines(keepends=True)
