"""Inputs without expected outputs: suites of which only inputs count, and folders of lone files.

Reads, and never writes. An input is bytes that nobody parses: what is to be seen is what programs
make of it. How cases are named and listed is corpus's business. Source: docs/compare.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.suites.corpus import (
    SETTINGS_FILE,
    BrokenCase,
    CorpusError,
    Flaw,
    Found,
    Suite,
    bytes_of,
    find_all,
    packed_case,
    read_settings,
    read_suite,
)
from harness.suites.naming import PACKED_FILE, CaseName, case_file, case_order, input_name
from harness.suites.policy import SuiteSettings, SuiteTomlError
from harness.words import visible

__all__ = ["find_inputs", "read_input", "read_inputs"]

_INPUT = "-in.json"
_OUTPUT = "-out.json"


def find_inputs(arguments: Sequence[str], bundled: Path) -> list[Found]:
    """The suites and folders of inputs that arguments mean, each once. Raises CorpusError."""
    for argument in arguments:
        if os.path.isfile(argument):
            folder = os.path.dirname(argument) or "."
            raise CorpusError(
                f"{visible(argument)}: a file; inputs are a suite or a folder of them: name"
                f" {visible(folder)}, and pick with --case"
            )
    return find_all(arguments, bundled, inputs=True)


def read_inputs(found: Found) -> Suite:
    """A suite; or a folder without cases as one, whose lone inputs are its cases: its files
    *-in.json, otherwise all its files *.json but outputs and schemas. Raises CorpusError."""
    entries = _listed(found.folder)
    if PACKED_FILE in entries or any(case_file(entry) is not None for entry in entries):
        return read_suite(found.name, found.folder)
    try:
        settings = read_settings(found.folder) if SETTINGS_FILE in entries else SuiteSettings()
    except OSError as problem:
        why = (problem.strerror or "cannot be read").lower()
        raise CorpusError(f"{visible(str(problem.filename))}: {why}") from None
    except SuiteTomlError as problem:
        raise CorpusError(str(problem)) from None
    files: dict[CaseName, list[str]] = {}
    for entry in _lone_inputs(sorted(entries), (settings.input, settings.output)):
        stem = entry.removesuffix(_INPUT).removesuffix(".json")
        files.setdefault(input_name(stem), []).append(entry)
    if not files:
        raise CorpusError(f"{visible(str(found.folder))}: no inputs in this folder")
    ordered = {name: tuple(files[name]) for name in sorted(files, key=case_order)}
    return Suite(found.name, found.folder, settings, ordered)


def read_input(suite: Suite, name: CaseName, at: int) -> bytes:
    """The input of a case, which need not have an output. `at` is its place among the suite's
    names. Raises BrokenCase."""
    if suite.packed is not None:
        return packed_case(suite.packed, at).stdin
    files = suite.files[name]
    inputs = [file for file in files if not file.endswith(_OUTPUT)]
    if not inputs:
        partner = f"{files[0].removesuffix(_OUTPUT)}{_INPUT}"
        said = f"{visible(files[0])} is an orphan: there is no {visible(partner)}"
        raise BrokenCase(said, Flaw.ORPHAN, files[0])
    if len(inputs) > 1:
        both = " and ".join(visible(file) for file in inputs)
        said = f"{both} both claim to be case {visible(name.text)}"
        raise BrokenCase(said, Flaw.SAME_NAME, inputs[1])
    return bytes_of(str(suite.folder), inputs[0])


def _listed(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError as problem:
        why = (problem.strerror or "cannot be read").lower()
        raise CorpusError(f"{visible(str(folder))}: {why}") from None


def _lone_inputs(entries: Sequence[str], schemas: tuple[str, str]) -> Iterator[str]:
    """The files that are inputs. Hidden ones never are."""
    shown = [entry for entry in entries if not entry.startswith(".")]
    inputs = [entry for entry in shown if entry.endswith(_INPUT)]
    if inputs:
        yield from inputs
        return
    for entry in shown:
        if entry.endswith(".json") and not entry.endswith(_OUTPUT) and entry not in schemas:
            yield entry
