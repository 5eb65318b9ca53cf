"""examples/json-pointer: the suite is sound, and an implementation of RFC 6901 passes it."""

from __future__ import annotations

import sys
from pathlib import Path

from support.suites import read_judged, write_program
from support.xtest import TOP, Xtest

EXAMPLE = TOP / "examples" / "json-pointer"
# Written from the RFC: split at slashes, unescape ~1 before ~0, walk.
RESOLVER = f"""#!{sys.executable}
import json, re, sys

def step(value, token):
    if isinstance(value, dict):
        return value[token]
    if isinstance(value, list) and re.fullmatch("0|[1-9][0-9]*", token, re.ASCII):
        return value[int(token)]
    raise KeyError(token)

request = json.load(sys.stdin)
value, pointer = request["document"], request["pointer"]
try:
    if not re.fullmatch("(/([^/~]|~[01])*)*", pointer):
        raise KeyError(pointer)
    for token in pointer.split("/")[1:]:
        value = step(value, token.replace("~1", "/").replace("~0", "~"))
    print(json.dumps({{"value": value}}))
except LookupError:
    print(json.dumps({{"error": True}}))
"""


def test_the_suite_has_no_findings(xtest: Xtest) -> None:
    done = xtest("lint", str(EXAMPLE / "suite"))
    assert (done.returncode, done.stdout) == (0, "90 cases in 1 suite: nothing found\n")


def test_an_implementation_of_the_rfc_passes(xtest: Xtest, tmp_path: Path) -> None:
    program = write_program(tmp_path / "resolve", RESOLVER)
    words = ("run", str(EXAMPLE / "suite"), "--check", "--results", str(tmp_path / "r"))
    done = xtest(*words, "--", str(program))
    assert done.returncode == 0, done.stdout
    assert all(each["info"]["title"] for each in read_judged(tmp_path / "r"))


def test_claims_and_known_failures_name_cases_of_the_suite(xtest: Xtest) -> None:
    done = xtest("list", cwd=EXAMPLE)
    assert (done.returncode, done.stderr) == (0, "")
