"""Packed suites: lines, the file of lines, and suites of them."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import example, given, strategies
from support.golden import Golden, compare_with_file, message_of
from support.suites import read_judged, write_files
from support.xtest import TOP, XTEST, Xtest

from harness.model.case import Case, InvalidCase
from harness.model.case_names import PACKED_FILE, CaseName, input_name
from harness.results.selection import selection_of
from harness.suites.cases import read_case
from harness.suites.discovery import find_suites
from harness.suites.loading import CorpusError, read_suite
from harness.suites.packed import (
    NAMELESS,
    PackedCase,
    PackedError,
    PackedFile,
    format_line,
    parse_line,
    peek_name,
    replace_side,
)
from harness.suites.settings import CaseRule, SuiteSettings
from harness.suites.suite_toml import LINE_KEYS


def line(label: str, stdin: str = "1", expected: str = "1") -> str:
    """Return the line of a case, without its end."""
    return format_line(PackedCase(label, stdin.encode(), expected.encode())).decode().rstrip("\n")


def packed_suite(folder: Path, *lines: str, settings: str = "") -> Path:
    return write_files(folder, {"cases.jsonl": "\n".join(lines), "suite.toml": settings})


# Lines.


def test_a_line_may_be_written_by_hand() -> None:
    text = b' {"out": {"text": ""}, "in": {"text": "no JSON"}, "case": "\\u0037"} \r\n'
    assert parse_line(text) == PackedCase("7", b"no JSON", b"")
    assert peek_name(text) == b"7"


def case_or_none(text: bytes) -> PackedCase | None:
    try:
        return parse_line(text)
    except PackedError:
        return None


PIECES = (
    *(
        '{"case":"7"',
        '{"case": "x-1"',
        '{"case":"\\u0037"',
        '{"case":"\x7f"',
        '{"case":"é"',
        '{"case":""',
    ),
    *(
        ',"in":{"text":"1"}',
        ', "in": {"text": "\\n"}',
        ',"in":{"text":"\\ud800"}',
        ',"in":{"text":1}',
    ),
    *(',"in":{"base64":"MQ=="}', ',"in":{"text":"\t"}', ',"in":{"text":"1","text":"2"}'),
    *(
        ',"out":{"text":"\\ud83d\\ude00"}',
        ', "out": {"text": "é"}',
        ',"out":{"text":"1"',
        '"',
        "}",
        " ",
    ),
    *(',"title":"t"', "}\r", '}{"case":"8"', "\\", ",", "\ufeff"),
)


@given(strategies.lists(strategies.sampled_from(PIECES), max_size=6).map("".join))
@example('{"case":"7","in":{"text":"1"},"out":{"text":"1"}}\r')
@example('{"case": "7", "in": {"text": "1"}, "out": {"text": "1"}} ')
@example('{"case":"7","in":{"text":"1"},"out":{"text":"1"}} 1')
@example('{"case":"7","in":{"text":"1"},"out":{"text":"1"},"out":{"text":"1"}}')
@example('{"case":"7","in":{"text":"\\ud800"},"out":{"text":"1"}}')
@example('{"case":"7","in":{"text":"\t"},"out":{"text":"1"}}')
@example('{"case":"\x7f","in":{"text":"1"},"out":{"text":"1"}}')
def test_the_short_way_of_reading_a_line_reads_what_the_long_one_does(source: str) -> None:
    for text in (source.encode(), source.encode("latin-1", "replace")):
        assert case_or_none(text) == case_or_none(b" " + text)  # a space takes the long way


def test_a_line_that_is_not_a_case_says_why(golden: Golden) -> None:
    def refused(text: bytes) -> str:
        name = peek_name(text)
        why = message_of(PackedError, parse_line, text)
        return f"{name.decode()}: {why}" if name else why

    golden.table("broken_lines.txt", refused)
    too_long = refused(line("x" * 1_001).encode())
    assert too_long.startswith("is not a case: ")
    assert too_long.endswith('x…" has more than 1,000 characters')


def test_the_schema_of_a_line_has_the_settings_of_cases(request: pytest.FixtureRequest) -> None:
    path = TOP / "schemas" / "packed.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    for key in LINE_KEYS:
        description = f"As in suite.toml: {key.description.replace('`', '')}"
        schema["properties"][key.name] = {"description": description, **key.type.schema}
    compare_with_file(request.node, path, json.dumps(schema, indent=2, ensure_ascii=False) + "\n")


def test_settings_in_a_line_survive() -> None:
    own = CaseRule((), title="é", description="d", link="l", group="g", tags=("a", "b"), any=False)
    case = PackedCase("x", b"1", b"2", own)
    assert parse_line(format_line(case)) == case


NAMES = [".x-1", "../1", "/", "1-in", "a b,c", "a/b.toml", "[x]*", "~ \u202eé", " ", "x" * 1_000]


def test_any_other_text_is_a_name(tmp_path: Path, xtest: Xtest) -> None:
    folder = packed_suite(tmp_path / "s", *(line(label) for label in NAMES))
    assert [name.text for name in read_suite("s", folder).names] == NAMES
    formats = ("html", "junit", "tap", "json", "markdown", "csv", "github", "gradescope")
    reports = [f"--report={name}={tmp_path / name}" for name in (*formats, "site")]
    done = xtest("run", "s", "-v", "--results", "r", *reports, "--", "echo", "2")
    assert (done.returncode, done.stderr) == (1, "")
    events = read_judged(tmp_path / "r")
    assert {each["case"] for each in events} == set(NAMES)
    for each in events:  # the command that repeats a run selects its case alone
        patterns = each["repeat"][each["repeat"].index("--case") + 1]
        selection = selection_of((patterns, "no-1"), (), None, failed=False, new=False)
        selected = [name for name in NAMES if selection.takes(input_name(name), SuiteSettings())]
        assert selected == [each["case"]]


# Suites.


def test_a_packed_file_is_a_suite(tmp_path: Path) -> None:
    settings = '[[cases]]\nmatch = "bad-*"\ninput = "raw"\ntags = ["t"]'
    lines = (line("01", "[1] ", "[2]\n"), line("9"), line("10"), line("bad-2", "\x00"))
    folder = packed_suite(tmp_path / "all" / "s", *lines, settings=settings)
    assert find_suites(str(tmp_path / "all"), tmp_path) == [folder]
    suite = read_suite("s", folder)
    for _ in range(2):
        assert [name.text for name in suite.names] == ["1", "9", "10", "bad-2"]
    assert (len(suite.names), suite.faults) == (4, ())
    assert CaseName("", 9) in suite.names and CaseName("", 8) not in suite.names
    first, last = read_case(suite, CaseName("", 1), 0), read_case(suite, CaseName("bad", 2), 3)
    assert isinstance(first, Case) and isinstance(last, Case)
    assert (first.name, first.stdin, first.expected_text) == ("1", b"[1] ", b"[2]\n")
    assert (last.name, last.stdin, last.tags) == ("bad-2", b"\x00", ("t",))
    assert PackedFile(folder / "cases.jsonl").read(1) == PackedCase("9", b"1", b"1")


def test_broken_and_repeated_lines_are_invalid_cases(tmp_path: Path, golden: Golden) -> None:
    broken = (line("1"), "", line("2", "oops"), line("3", "1", "["), '{"case":"4",oops', line("5"))
    repeated = (line("1"), line("3"), line("2"), line("03"), "", line("bad-1"), line("3"))
    lines = []
    for name, texts in (("broken", broken), ("repeated", repeated)):
        suite = read_suite(name, packed_suite(tmp_path / name, *texts))
        for at, case_name in enumerate(suite.names):
            case = read_case(suite, case_name, at)
            reason = case.reason if isinstance(case, InvalidCase) else "valid"
            lines.append(f"{name}/{case.name}: {reason}\n")
    golden("broken_packed_suites.txt", "".join(lines))


def test_only_names_that_a_line_before_has_are_repeated(tmp_path: Path) -> None:
    for number, labels in enumerate(permutations(("7", "07", "10", "a-2", "a-02", "a2"), 4)):
        packed = PackedFile(packed_suite(tmp_path / f"{number}", *map(line, labels)) / PACKED_FILE)
        names = [input_name(label) for label in labels]
        nameless = [CaseName(NAMELESS, index) for index in range(1, 5)]
        repeated = [name in names[:index] for index, name in enumerate(names)]
        known = [nameless[at] if repeated[at] else name for at, name in enumerate(names)]
        assert list(packed) == known
        assert list(packed.name_texts()) == [name.text for name in known]


def test_a_file_that_changes_after_the_listing_has_only_invalid_cases(tmp_path: Path) -> None:
    folder = packed_suite(tmp_path / "s", line("1"), line("2"))
    suite = read_suite("s", folder)
    (folder / "cases.jsonl").write_text(line("1") + "\n", encoding="ascii")
    changed = "cases.jsonl, line 1 cannot be read: the file has changed since it was listed"
    assert read_case(suite, CaseName("", 1), 0) == InvalidCase("s", "1", changed)
    assert read_case(suite, CaseName("", 1), 0) == InvalidCase("s", "1", changed)
    (folder / "cases.jsonl").unlink()
    assert [name.text for name in suite.names] == ["1", "2"]  # as they were listed
    removed = "cases.jsonl: no such file or directory"
    assert read_case(suite, CaseName("", 1), 0) == InvalidCase("s", "1", removed)


def test_a_packed_file_without_cases_is_not_a_suite(tmp_path: Path) -> None:
    packed_suite(tmp_path / "empty")
    (tmp_path / "folder" / "cases.jsonl").mkdir(parents=True)
    write_files(tmp_path / "case", {"Cases.jsonl": line("1")})
    for name, message in {
        "empty": ": no cases in this folder",
        "folder": "/cases.jsonl: is a directory",
        "case": ': no cases in this folder; "Cases.jsonl" is not read; rename it cases.jsonl',
    }.items():
        folder = tmp_path / name
        assert message_of(CorpusError, read_suite, "s", folder) == f"{folder}{message}"


def test_a_file_that_changes_between_two_cases_is_noticed(tmp_path: Path) -> None:
    folder = packed_suite(tmp_path / "s", *(line(str(number)) for number in range(1, 2_001)))
    suite, size = read_suite("s", folder), (folder / "cases.jsonl").stat().st_size
    assert size > 64_000  # more than is read at once
    for at in (0, 1_999, 1, 1_000):
        case = read_case(suite, CaseName("", at + 1), at)
        assert isinstance(case, Case) and case.name == str(at + 1)
    (folder / "cases.jsonl").write_bytes(b"x" * size)
    for at in (1_001, 0):
        broken = read_case(suite, CaseName("", at + 1), at)
        assert isinstance(broken, InvalidCase) and "has changed since" in broken.reason


def test_lines_that_are_read_in_a_row_are_those_of_one_file(tmp_path: Path) -> None:
    lines = [line(str(number)) for number in range(1, 2_001)]
    suite = read_suite("s", packed_suite(tmp_path / "s", *lines))
    assert suite.packed is not None
    assert suite.packed.read(0).stdin == b"1"
    with suite.packed.in_a_row():
        assert suite.packed.read(1).stdin == b"1"
        (tmp_path / "s" / "cases.jsonl").write_bytes(b"x" * 100_000)
        assert suite.packed.read(2).stdin == b"1"  # it was read before
        with pytest.raises(PackedError, match="has changed since"):
            suite.packed.read(1_999)
    for index in (2, 0):
        with pytest.raises(PackedError, match="has changed since"):
            suite.packed.read(index)
    with suite.packed.in_a_row(), pytest.raises(PackedError, match="has changed since"):
        suite.packed.read(0)


# The peak of a process counts that of the process which starts it, up to the exec: a small one.
MEASURE = """
import resource, subprocess, sys
subprocess.call(sys.argv[1:], stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""


def peak_kib(folder: Path, xtest: Xtest, last_line: str) -> int:
    """Return the peak memory of a run whose output ends with a line, in KiB."""
    done = subprocess.run(
        [sys.executable, "-SE", "-c", MEASURE, *XTEST, "run", ".", "-q", "--", "cat"],
        cwd=folder,
        env=xtest.environment(),
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert done.stdout.splitlines()[-1].startswith(last_line)
    return int(done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize("is_broken", [False, True])
def test_memory_does_not_grow_with_the_number_of_cases(
    is_broken: bool, tmp_path: Path, xtest: Xtest
) -> None:
    peaks = []
    for cases in (500, 5_000):
        lines = (line(str(n), f"[{n}]", f"[{n}]") for n in range(1, cases + 1))
        # Nothing runs for broken cases: they must not pile up before they are reported.
        folder = packed_suite(tmp_path / str(cases), *(["oops"] * cases if is_broken else lines))
        last_line = f"{'0 of' if is_broken else 'all'} {cases:,} passed in "
        # A process that waits for others may hold more for a moment, but not in each of three runs.
        peaks.append(min(peak_kib(folder, xtest, last_line) for _ in range(3 if is_broken else 1)))
    # 4,500 more records of a few hundred bytes would exceed this; the offsets of lines do not.
    assert peaks[1] - peaks[0] < 1_536, peaks


@pytest.mark.parametrize(
    "source",
    [
        ('{"case":"1","in":{"text":"1"},"out":{"text":"2"}}'),
        ('{ "out" : {"json": [1.50]} , "case": "1", "in": {"json": 1.50} }\n'),
        ('{"case":"1","in":{"text":"{\\"out\\": 1}"}}'),
        ('{"case":"1","in":{"text":"é"},"out":{"base64":""},"title":"a","tags":["out"]}'),
    ],
)
def test_only_the_output_of_a_line_is_replaced(source: str) -> None:
    written = replace_side(source.encode(), b"[3]\n\xff", is_talk=False)
    before, after = parse_line(source.rstrip("\n").encode()), parse_line(written.rstrip(b"\n"))
    assert after == before._replace(expected=b"[3]\n\xff")
    assert written.endswith(b"\n") == source.endswith("\n")
    assert ("1.50" in source) == (b"1.50" in written)
