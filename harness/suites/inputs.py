"""Read inputs without expected outputs: of suites, and of folders of JSON files.

Inputs are not parsed: programs are compared on them, whatever they are. Source: docs/compare.md.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from harness.model.case_names import CaseName, case_order, input_name
from harness.suites.cases import duplicate_side, missing_partner, packed_case, read_bytes
from harness.suites.discovery import DiscoveredSuite, find_all, holds_cases
from harness.suites.loading import (
    SETTINGS_FILE,
    CorpusError,
    Suite,
    corpus_errors,
    read_settings,
    read_suite,
)
from harness.suites.settings import SuiteSettings
from harness.text import escape_nonprintable

__all__ = ["find_inputs", "read_input", "read_inputs"]

_INPUT = "-in.json"
_OUTPUT = "-out.json"


def find_inputs(arguments: Sequence[str], bundled: Path) -> list[DiscoveredSuite]:
    """Return the suites and folders of inputs that arguments name. Raises CorpusError."""
    for argument in arguments:
        if os.path.isfile(argument):
            folder = os.path.dirname(argument) or "."
            raise CorpusError(
                f"{escape_nonprintable(argument)}: a file, not a folder of inputs; name"
                f" {escape_nonprintable(folder)} and select with --case"
            )
    return find_all(arguments, bundled, inputs=True)


def read_inputs(found: DiscoveredSuite) -> Suite:
    """Return a suite, or a folder of inputs as one. Raises CorpusError.

    The inputs of a folder without cases are its files *-in.json, or else all its files *.json
    except outputs and schemas.
    """
    with corpus_errors():
        entries = os.listdir(found.folder)
        settings = read_settings(found.folder) if SETTINGS_FILE in entries else SuiteSettings()
    if holds_cases(entries):
        return read_suite(found.name, found.folder)
    files: dict[CaseName, list[str]] = {}
    for entry in _lone_inputs(sorted(entries), (settings.input, settings.output)):
        stem = entry.removesuffix(_INPUT).removesuffix(".json")
        files.setdefault(input_name(stem), []).append(entry)
    if not files:
        raise CorpusError(f"{escape_nonprintable(str(found.folder))}: no inputs in this folder")
    ordered = {name: tuple(files[name]) for name in sorted(files, key=case_order)}
    return Suite(found.name, found.folder, settings, ordered)


def read_input(suite: Suite, name: CaseName, at: int) -> bytes:
    """Return the input of the case `at` this index of a suite's names. Raises BrokenCase."""
    if suite.packed is not None:
        return packed_case(suite.packed, at).stdin
    files = suite.files[name]
    inputs = tuple(file for file in files if not file.endswith(_OUTPUT))
    if not inputs:
        raise missing_partner(files[0])
    if len(inputs) > 1:
        raise duplicate_side(name, inputs)
    return read_bytes(str(suite.folder), inputs[0])


def _lone_inputs(entries: Sequence[str], schemas: tuple[str, str]) -> list[str]:
    files = [each for each in entries if each.endswith(".json") and not each.startswith(".")]
    inputs = [file for file in files if file.endswith(_INPUT)]
    return inputs or [file for file in files if not file.endswith(_OUTPUT) and file not in schemas]
