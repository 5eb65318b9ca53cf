"""List the formats of `xtest import`. The command, its help and docs/import.md follow from it."""

from __future__ import annotations

from typing import Final

from harness.authoring.importing.commonmark import COMMONMARK
from harness.authoring.importing.exercism import EXERCISM
from harness.authoring.importing.folders import FOLDERS
from harness.authoring.importing.json_patch import JSON_PATCH
from harness.authoring.importing.json_schema import JSON_SCHEMA
from harness.authoring.importing.json_test_suite import JSON_TEST_SUITE
from harness.authoring.importing.jsonpath import JSONPATH
from harness.authoring.importing.problem import PROBLEM
from harness.authoring.importing.records import Importer
from harness.authoring.importing.toml_test import TOML_TEST

IMPORTERS: Final[dict[str, Importer]] = {
    importer.name: importer
    for importer in (
        FOLDERS,
        JSON_SCHEMA,
        EXERCISM,
        TOML_TEST,
        PROBLEM,
        JSONPATH,
        JSON_PATCH,
        JSON_TEST_SUITE,
        COMMONMARK,
    )
}


def documented_formats() -> str:
    """Return the table of formats in docs/import.md."""
    rows = (
        f"| `{each.name}` | {each.source} | {each.case} | {each.size or '-'} |"
        for each in IMPORTERS.values()
    )
    return "\n".join(("| FORMAT | SOURCE | a case | size |", "|:--|:--|:--|:--|", *rows))
