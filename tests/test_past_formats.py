"""Files that earlier versions of xtest read or wrote keep their meaning, as docs/results.md says.

The files in tests/data/format-N are never changed: such files exist. If a format gets number
N + 1, they stay, and files of the new one are added.
"""

from __future__ import annotations

import json
from pathlib import Path

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
    (subject,) = config.subjects
    new = {"folders", "build_disk_mib"}  # keys that came later
    plain = SubjectConfig("")
    assert {name for name in plain._fields if getattr(subject, name) == getattr(plain, name)} == new
    (known,) = read_known_file(str(past / "known.toml"), "known")
    assert known.reason == "not done yet"
    fest = parse_document(FEST_TOML, (past / "fest.toml").read_bytes(), "fest.toml")
    assert fest.max_cases == 25
    assert [each.team for each in fest.rulings] == ["red"]


def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines(keepends=True)
