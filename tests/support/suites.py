"""Write suites and programs, and read results files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.judging.comparison_parser import JsonText
from harness.model.case_names import CaseName
from harness.model.subject import Subject
from harness.project.targets import Target
from harness.suites.loading import Suite, read_suite
from harness.suites.settings import SuiteSettings
from harness.suites.suite_toml import SUITE_TOML
from harness.tomlio.tables import parse_toml, read_document

Cases = Mapping[str, str | tuple[str, str]]
CAT = Subject("cat", ("/bin/cat",))


def write_files(folder: Path, files: Mapping[str, Any]) -> Path:
    """Write files, which are bytes, text, or values for JSON, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, bytes | str):
            content = json.dumps(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def pair(name: str, stdin: str | bytes = "1", expected: str | bytes = "1") -> dict[str, Any]:
    """Return the two files of a case."""
    return {f"{name}-in.json": stdin, f"{name}-out.json": expected}


def write_suite(folder: Path, cases: Cases, settings: str = "") -> Path:
    """Write a suite into a folder and return the folder.

    Args:
        folder: made where it does not exist
        cases: name to (input, expected output), or to one text for both
        settings: content of suite.toml, which is not written when empty
    """
    files = {"suite.toml": settings} if settings else {}
    for name, texts in cases.items():
        files |= pair(name, *((texts, texts) if isinstance(texts, str) else texts))
    return write_files(folder, files)


def parse_settings(text: str | bytes) -> SuiteSettings:
    """Return the settings in a suite.toml. Raises TomlError."""
    data = text.encode() if isinstance(text, str) else text
    settings: SuiteSettings = read_document(SUITE_TOML, parse_toml(data, JsonText))
    return settings


def target_in(folder: Path, subject: Subject = CAT) -> Target:
    """Return the suite in a folder as it is now, and a subject for it."""
    suite = read_suite(folder.name, folder)
    return Target(suite, folder.name, subject, is_default_subject=False)


def listed_target(
    name: str, *cases: CaseName, settings: SuiteSettings = SuiteSettings(), subject: Subject = CAT
) -> Target:
    """Return a suite with cases whose files do not exist, and a subject for it."""
    files = {case: (f"{case.text}-in.json", f"{case.text}-out.json") for case in cases}
    return Target(Suite(name, Path(name), settings, files), name, subject, is_default_subject=False)


def write_program(path: Path, source: str) -> Path:
    """Write an executable file and return its path; a source without `#!` is a shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source if source.startswith("#!") else f"#!/bin/sh\n{source}\n", "utf-8")
    path.chmod(0o755)
    return path


def read_events(results: Path) -> list[dict[str, Any]]:
    """Return the events of a results file; a last line that was cut off is left out."""
    lines = results.read_bytes().splitlines(keepends=True) if results.exists() else []
    return [json.loads(line) for line in lines if line.endswith(b"\n")]


def read_judged(results: Path) -> list[dict[str, Any]]:
    """Return those events of a results file that judge a run."""
    return [event for event in read_events(results) if event["event"] == "judged"]
