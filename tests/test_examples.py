"""The wire programs of examples/conformance, on suites as `xtest import` writes them.

Those that need packages of npm, or of PyPI beside xtest's own, run where the suites are imported.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from support.suites import write_files
from support.xtest import TOP, Xtest

WIRE = TOP / "examples" / "conformance" / "wire"


@pytest.mark.slow
def test_a_decoder_of_toml_prints_tagged_json(xtest: Xtest, tmp_path: Path) -> None:
    text = "a = [1, 0.5, true]\nb = 2001-02-03T04:05:06Z\nc = 2001-02-03\nd = 04:05:06\n"
    values = {
        "a": [
            {"type": "integer", "value": "1"},
            {"type": "float", "value": "0.5"},
            {"type": "bool", "value": "true"},
        ],
        "b": {"type": "datetime", "value": "2001-02-03T04:05:06Z"},
        "c": {"type": "date-local", "value": "2001-02-03"},
        "d": {"type": "time-local", "value": "04:05:06"},
    }
    files = {"valid/a.toml": text, "valid/a.json": json.dumps(values), "invalid/b.toml": "a ="}
    write_files(tmp_path / "corpus", files)
    assert _passed(xtest, tmp_path, "toml-test", "decode_tomllib.py") == "all 2 passed"


@pytest.mark.slow
def test_a_validator_finds_the_remote_schemas(xtest: Xtest, tmp_path: Path) -> None:
    group = {
        "description": "a remote reference",
        "schema": {"$ref": "http://localhost:1234/integer.json"},
        "tests": [
            {"description": "an integer", "data": 1, "valid": True},
            {"description": "a string", "data": "1", "valid": False},
        ],
    }
    remote = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "integer",
    }
    write_files(
        tmp_path,
        {"corpus/ref.json": json.dumps([group]), "remotes/integer.json": json.dumps(remote)},
    )
    assert _passed(xtest, tmp_path, "json-schema", "validate_jsonschema.py") == "1 of 1 passed"


def _passed(xtest: Xtest, folder: Path, form: str, program: str) -> str:
    """Import the folder `corpus`, and return how many of its cases a wire program passes."""
    imported = xtest("import", form, str(folder / "corpus"), "--to", str(folder / "suite"))
    assert imported.returncode == 0, imported.stderr
    done = xtest("run", str(folder / "suite"), "-q", "--", sys.executable, str(WIRE / program))
    return done.stdout.splitlines()[-1].partition(" in ")[0]
