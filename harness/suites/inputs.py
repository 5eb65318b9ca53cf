"""Read inputs without expected outputs: of suites, and of folders of JSON files.

Inputs are not parsed: programs are compared on them, whatever they are. Source: docs/compare.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.errors import os_reason
from harness.model.case_names import PACKED_FILE, CaseName, case_file, case_order, input_name
from harness.suites.cases import duplicate_side, missing_partner, packed_case, read_bytes
from harness.suites.discovery import DiscoveredSuite, find_all
from harness.suites.loading import CorpusError, Suite, folder_settings, read_suite
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
    try:
        entries = os.listdir(found.folder)
        settings = folder_settings(found.folder, entries)
    except OSError as problem:
        where = escape_nonprintable(str(problem.filename))
        raise CorpusError(f"{where}: {os_reason(problem)}") from None
    if PACKED_FILE in entries or any(case_file(entry) is not None for entry in entries):
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
    """Return the input of a case, with or without an output. Raises BrokenCase.

    `at` is the index of the case among the suite's names.
    """
    if suite.packed is not None:
        return packed_case(suite.packed, at).stdin
    files = suite.files[name]
    inputs = tuple(file for file in files if not file.endswith(_OUTPUT))
    if not inputs:
        raise missing_partner(files[0])
    if len(inputs) > 1:
        raise duplicate_side(name, inputs)
    return read_bytes(str(suite.folder), inputs[0])


def _lone_inputs(entries: Sequence[str], schemas: tuple[str, str]) -> Iterator[str]:
    """Yield the files that are inputs; hidden ones never are."""
    visible = [entry for entry in entries if not entry.startswith(".")]
    inputs = [entry for entry in visible if entry.endswith(_INPUT)]
    if inputs:
        yield from inputs
        return
    for entry in visible:
        if entry.endswith(".json") and not entry.endswith(_OUTPUT) and entry not in schemas:
            yield entry
