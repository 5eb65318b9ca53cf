"""The corpus on disk: the one module that reads suites and cases.

A suite's folder is listed once; a case's files are read when the case is about to run, so that a
suite of any size fits in memory. What is wrong with a case is a value. Source: docs/suites.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.jsonfast import Decoded, decode
from harness.naming import CaseName, case_file, natural
from harness.policy import SuiteSettings, SuiteTomlError, parse_suite_toml
from harness.records import Case, InputKind, InvalidCase

__all__ = ["CorpusError", "Suite", "find_suites", "read_case", "read_suite"]

_SETTINGS_FILE: Final = "suite.toml"


class CorpusError(Exception):
    """A folder that is no suite, or a suite that cannot be used at all; the message says why."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite whose folder was listed: its settings, and the names of the files of every case."""

    name: str
    folder: Path
    settings: SuiteSettings
    files: Mapping[CaseName, tuple[str, ...]]  # in natural order of the cases

    @property
    def names(self) -> tuple[CaseName, ...]:
        """Its cases, broken ones too, in natural order."""
        return tuple(self.files)


def find_suites(argument: str, bundled: Path) -> list[tuple[str, Path]]:
    """The suites that an argument means, by name: a folder with cases, or all below it that have
    some; where there is no such folder, the bundled suite of that name. Raises CorpusError."""
    folder = Path(argument)
    if folder.is_dir():
        name = Path(os.path.abspath(folder)).name
    elif "/" not in argument and (bundled / argument).is_dir():
        folder, name = bundled / argument, argument
    else:
        known = ", ".join(sorted(found.name for found in bundled.iterdir() if found.is_dir()))
        raise CorpusError(
            f"{argument}: no such folder, and no bundled suite of that name (these are: {known})"
        )
    found = list(_below(name, folder))
    if not found:
        raise CorpusError(
            f"{argument}: no cases in this folder or below it; a case is a pair of files"
            " N-in.json and N-out.json"
        )
    return found


def read_suite(name: str, folder: Path) -> Suite:
    """List a suite's folder and read its suite.toml. Raises CorpusError."""
    try:
        entries = os.listdir(folder)
        settings = _settings(folder) if _SETTINGS_FILE in entries else SuiteSettings()
    except OSError as problem:
        raise CorpusError(f"{folder}: {_why(problem)}") from None
    except SuiteTomlError as problem:
        raise CorpusError(str(problem)) from None
    files: dict[CaseName, list[str]] = {}
    for entry in sorted(entries):
        side = case_file(entry)
        if side is not None:
            files.setdefault(side.name, []).append(entry)
    ordered = sorted(files, key=lambda case: (natural(case.prefix), case.number))
    return Suite(name, folder, settings, {case: tuple(files[case]) for case in ordered})


def read_case(suite: Suite, name: CaseName) -> Case | InvalidCase:
    """Read one case: its bytes, and its expected values. A case that is broken says so itself."""
    broken = _broken_pair(name, suite.files[name])
    if broken:
        return InvalidCase(suite.name, name.text, broken)
    policy, kind, tags = suite.settings.policy_for(name)
    out_name, in_name = sorted(suite.files[name], key=lambda file: not file.endswith("-out.json"))
    try:
        stdin = (suite.folder / in_name).read_bytes()
        expected_text = (suite.folder / out_name).read_bytes()
    except OSError as problem:
        file = Path(str(problem.filename)).name
        return InvalidCase(suite.name, name.text, f"{file}: {_why(problem)}")
    expected = decode(expected_text)
    broken = _not_json(out_name, expected)
    if not broken and kind is not InputKind.RAW:
        broken = _not_json(in_name, decode(stdin))
        broken += f'; if that is meant, declare input = "raw" in {_SETTINGS_FILE}' if broken else ""
    if broken:
        return InvalidCase(suite.name, name.text, broken)
    return Case(suite.name, name.text, stdin, expected_text, expected.values, kind, tags, policy)


def _below(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: natural(entry.name))
    except OSError as problem:
        raise CorpusError(f"{folder}: {_why(problem)}") from None
    if any(case_file(entry.name) for entry in entries):
        yield name, folder
        return
    for entry in entries:
        # Links to folders are not followed: one that leads upwards would have no end.
        if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            yield from _below(f"{name}/{entry.name}", Path(entry.path))


def _settings(folder: Path) -> SuiteSettings:
    file = folder / _SETTINGS_FILE
    return parse_suite_toml(file.read_bytes(), str(file))


def _broken_pair(name: CaseName, files: tuple[str, ...]) -> str:
    """What is wrong with the files that claim to be one case; the empty text: nothing."""
    inputs = [file for file in files if file.endswith("-in.json")]
    outputs = [file for file in files if file.endswith("-out.json")]
    for side in (inputs, outputs):
        if len(side) > 1:
            return f"{' and '.join(side)} both claim to be case {name.text}"
    if not outputs:
        return f"{inputs[0]} is an orphan: there is no {inputs[0].removesuffix('in.json')}out.json"
    if not inputs:
        return (
            f"{outputs[0]} is an orphan: there is no {outputs[0].removesuffix('out.json')}in.json"
        )
    return ""


def _not_json(file: str, decoded: Decoded) -> str:
    fault = decoded.fault
    return f"{file}: not JSON at byte {fault.offset}: {fault.reason}" if fault else ""


def _why(problem: OSError) -> str:
    return (problem.strerror or "cannot be read").lower()
