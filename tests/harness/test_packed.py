"""Packed suites: a line and its case, the file of lines, suites of them, and the two commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from harness.records import Case, InvalidCase
from harness.suites.bundled import schemas_folder
from harness.suites.corpus import CorpusError, find_suites, read_case, read_suite
from harness.suites.naming import CaseName
from harness.suites.packed import PackedCase, PackedError, line_of, name_in, parse_line
from harness.suites.packfile import PackedFile

TOP = Path(__file__).resolve().parent.parent.parent
SCHEMA = Draft202012Validator(
    json.loads(Path(schemas_folder(), "packed.schema.json").read_text(encoding="utf-8"))
)

# Every kind of bytes that a file may hold, by the member that carries it.
CONTENTS = {
    b"": "text",
    b"\n": "text",
    b'{"a": 1}': "text",
    b"[1]\r\n\t[2]": "text",
    '"é \U0001f600"\n'.encode(): "text",
    b'"\x7f"': "text",
    b"oops": "base64",
    b"1\x00": "base64",
    b"\xff[": "base64",
    b"\xef\xbb\xbf1\n": "base64",
}


def xtest(*arguments: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """One run of xtest in a folder, its output as bytes."""
    return subprocess.run(
        [sys.executable, "-m", "harness", *arguments],
        cwd=folder,
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(TOP)},
    )


def packed_suite(folder: Path, *lines: str | bytes, settings: str = "") -> Path:
    """A folder with these lines in cases.jsonl."""
    folder.mkdir(parents=True)
    texts = [line if isinstance(line, bytes) else line.encode() for line in lines]
    (folder / "cases.jsonl").write_bytes(b"\n".join(texts))
    if settings:
        (folder / "suite.toml").write_text(settings, encoding="utf-8")
    return folder


def line(label: str, text: str = "1", expected: str = "1") -> str:
    """A line as it is written, without its end."""
    return line_of(PackedCase(label, text.encode(), expected.encode())).decode().rstrip("\n")


def refusal(text: str | bytes) -> str:
    """What is said of a line that is no case."""
    with pytest.raises(PackedError) as caught:
        parse_line(text if isinstance(text, bytes) else text.encode())
    return str(caught.value)


# A line.


@pytest.mark.parametrize(("data", "member"), CONTENTS.items())
def test_bytes_are_text_where_they_are_json_and_base64_otherwise(data: bytes, member: str) -> None:
    case = PackedCase("bad-07", data, b"1")
    written = line_of(case)
    value = json.loads(written)
    assert list(value["in"]) == [member]
    SCHEMA.validate(value)
    assert parse_line(written) == case


def test_a_line_is_ascii_and_ends_with_its_only_line_end() -> None:
    case = PackedCase("bad-7", '"é"\r\n'.encode(), b"\xff")
    expected = b'{"case":"bad-7","in":{"text":"\\"\\u00e9\\"\\r\\n"},"out":{"base64":"/w=="}}\n'
    assert line_of(case) == expected


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("7", CaseName("", 7)),
        ("007", CaseName("", 7)),
        ("bad-2-7", CaseName("bad-2", 7)),
        ('a "b"\n\\-1', CaseName('a "b"\n\\', 1)),
        ("caf\udce9-1", CaseName("caf\udce9", 1)),
        ("x" * 244 + "-1", CaseName("x" * 244, 1)),
    ],
)
def test_a_label_keeps_its_spelling_and_gives_the_name(label: str, name: CaseName) -> None:
    case = PackedCase(label, b"", b"")
    assert parse_line(line_of(case)) == case
    assert case.name == name_in(line_of(case)) == name
    SCHEMA.validate(json.loads(line_of(case)))


def test_a_line_may_be_written_by_hand() -> None:
    text = b' {"out": {"text": ""}, "in": {"text": "no JSON"}, "case": "\\u0037"} \r\n'
    assert parse_line(text) == PackedCase("7", b"no JSON", b"")
    assert name_in(text) == CaseName("", 7)


BROKEN = {
    "": "is no case: it holds no value, and not one object",
    "1 2": "is no case: it holds 2 values, and not one object",
    "[]": "is no case: the case is no object",
    '{"case":"7"': (
        "is cut short at byte 11 (line 1, column 12): the text ends inside an object;"
        ' here: {"case":"7"-->'
    ),
    '{"in":{"text":""},"out":{"text":""}}': 'is no case: the case has no member "case"',
    '{"case":"7","out":{"text":""}}': 'is no case: the case has no member "in"',
    '{"case":"7","in":{"text":""},"out":{"text":""},"note":1}': (
        'is no case: the case has an unknown member "note"'
    ),
    '{"case":7,"in":{"text":""},"out":{"text":""}}': (
        "is no case: the case, case: a text, or an object with the one member base64, is expected"
    ),
    '{"case":"../7","in":{"text":""},"out":{"text":""}}': (
        'is no case: the case, case: is no case: "../7" is no case\'s name, which is N or prefix-N'
    ),
    '{"case":"7","in":"","out":{"text":""}}': (
        "is no case: the case, in: an object with one member, text or base64, is expected"
    ),
    '{"case":"7","in":{"txt":""},"out":{"text":""}}': (
        "is no case: the case, in: an object with one member, text or base64, is expected"
    ),
    '{"case":"7","in":{"text":1},"out":{"text":""}}': (
        "is no case: the case, in: a text is expected"
    ),
    '{"case":"7","in":{"text":""},"out":{"base64":"/x=="}}': (
        "is no case: the case, out: a text in base64 is expected"
    ),
    '{"case":"7","in":{"text":""},"out":{"base64":"é"}}': (
        "is no case: the case, out: a text in base64 is expected"
    ),
}


@pytest.mark.parametrize(("text", "said"), BROKEN.items())
def test_a_line_that_is_no_case_is_told_why(text: str, said: str) -> None:
    assert refusal(text) == said.replace("case, case: is no case: ", "case, case: ")


@pytest.mark.parametrize(
    "label", ["a", "", ".x-1", "a/b-1", "/1", "a\0-1", "../1", "1-in", "x" * 245 + "-1"]
)
def test_a_name_that_no_pair_of_files_can_have_is_refused(label: str) -> None:
    written = line_of(PackedCase(label, b"", b""))
    with pytest.raises(PackedError):
        parse_line(written)
    assert name_in(written) is None


def test_a_name_that_is_too_long_for_a_file_is_told_how_long_it_is() -> None:
    assert refusal(line("é" * 123 + "-1")) == (
        f'is no case: the case, case: the name "{"é" * 59}…" is too long for a file\'s:'
        " 257 bytes with -out.json, and 255 is the most"
    )


def test_the_name_of_most_lines_is_had_without_the_rest() -> None:
    assert name_in(b'{"case":"bad-7",oops') == CaseName("bad", 7)
    assert name_in(b'{"case":"\xff-7",') is None
    assert name_in(b'{"case":') is None


# A suite.


def test_a_folder_with_cases_jsonl_is_a_suite(tmp_path: Path) -> None:
    settings = '[[cases]]\nmatch = "bad-*"\ninput = "raw"\ntags = ["t"]'
    lines = (line("01", "[1] ", "[2]\n"), line("9"), line("10"), line("bad-2", "\x00"))
    folder = packed_suite(tmp_path / "all" / "s", *lines, settings=settings)
    assert find_suites(str(tmp_path / "all"), tmp_path) == [("all/s", folder)]
    suite = read_suite("s", folder)
    assert [name.text for name in suite.names] == ["1", "9", "10", "bad-2"]
    assert (len(suite.names), suite.faults) == (4, ())
    assert CaseName("", 9) in suite.names and CaseName("", 8) not in suite.names
    first, last = read_case(suite, CaseName("", 1), 0), read_case(suite, CaseName("bad", 2))
    assert isinstance(first, Case) and isinstance(last, Case)
    assert (first.name, first.stdin, first.expected_text) == ("1", b"[1] ", b"[2]\n")
    assert (last.name, last.stdin, last.tags) == ("bad-2", b"\x00", ("t",))


def reasons(folder: Path) -> dict[str, str]:
    """The invalid cases of a suite: name to reason."""
    suite = read_suite("s", folder)
    read = [read_case(suite, name, at) for at, name in enumerate(suite.names)]
    return {case.name: case.reason for case in read if isinstance(case, InvalidCase)}


def test_a_broken_line_is_an_invalid_case_by_its_number(tmp_path: Path) -> None:
    lines = (line("1"), "", line("2", "oops"), line("3", "1", "["), '{"case":"4",oops', line("5"))
    assert reasons(packed_suite(tmp_path / "s", *lines)) == {
        "cases.jsonl-line-2": (
            "cases.jsonl, line 2 is no case: it holds no value, and not one object"
        ),
        "2": (
            "cases.jsonl, line 3: its input is not JSON at byte 0 (line 1, column 1):"
            " a value expected, found 'o'; here: -->oops;"
            ' if that is meant, declare input = "raw" in suite.toml'
        ),
        "3": (
            "cases.jsonl, line 4: its output is cut short at byte 1 (line 1, column 2):"
            " the text ends inside an array; here: [-->"
        ),
        "4": (
            "cases.jsonl, line 5 is not JSON at byte 12 (line 1, column 13):"
            " a key in quotes expected, found 'o' (keys stand in double quotes);"
            ' here: {"case":"4",-->oops'
        ),
    }


def test_a_case_that_does_not_stand_behind_all_before_it_is_out_of_place(tmp_path: Path) -> None:
    lines = (line("1"), line("3"), line("2"), line("03"), line("bad-1"), line("4"))
    said = "cases stand in natural order, each once"
    assert reasons(packed_suite(tmp_path / "s", *lines)) == {
        f"cases.jsonl-line-{number}": (
            f"cases.jsonl, line {number} is out of place: {name} stands before it, or belongs"
            f" before a case that does; {said}"
        )
        for number, name in ((3, "2"), (4, "3"), (6, "4"))
    }


def test_a_file_that_changes_after_the_listing_is_told_of(tmp_path: Path) -> None:
    folder = packed_suite(tmp_path / "s", line("1"), line("2"))
    suite = read_suite("s", folder)
    (folder / "cases.jsonl").write_text(line("1") + "\n", encoding="ascii")
    case = read_case(suite, CaseName("", 1), 0)
    assert isinstance(case, InvalidCase)
    assert case.reason == (
        "cases.jsonl, line 1 cannot be read: the file has changed since it was listed"
    )
    (folder / "cases.jsonl").unlink()
    assert [name.text for name in suite.names] == ["cases.jsonl-line-1", "cases.jsonl-line-2"]
    case = read_case(suite, CaseName("", 1), 0)
    assert isinstance(case, InvalidCase)
    assert case.reason == "cases.jsonl: no such file or directory"


def refused(folder: Path) -> str:
    """Why a folder is no suite that can be used."""
    with pytest.raises(CorpusError) as caught:
        read_suite("s", folder)
    return str(caught.value).replace(str(folder), "HERE")


def test_pairs_and_a_packed_file_in_one_folder_are_refused(tmp_path: Path) -> None:
    folder = packed_suite(tmp_path / "s", line("1"))
    (folder / "2-in.json").write_text("1", encoding="ascii")
    assert refused(folder) == (
        "HERE: cases both in cases.jsonl and in files (2-in.json); a suite keeps them one way"
    )


def test_a_packed_file_that_holds_nothing_or_is_none_is_refused(tmp_path: Path) -> None:
    assert refused(packed_suite(tmp_path / "s")) == "HERE: no cases in this folder"
    (tmp_path / "t" / "cases.jsonl").mkdir(parents=True)
    assert refused(tmp_path / "t") == "HERE/cases.jsonl: not a regular file"
    (tmp_path / "u").mkdir()
    (tmp_path / "u" / "Cases.jsonl").write_text(line("1"), encoding="ascii")
    assert refused(tmp_path / "u") == (
        'HERE: no cases in this folder; "Cases.jsonl" is not read:'
        " the file is to be named cases.jsonl"
    )


def test_an_argument_that_is_the_packed_file_is_told_the_way(tmp_path: Path) -> None:
    folder = packed_suite(tmp_path / "s", line("1"))
    with pytest.raises(CorpusError) as caught:
        find_suites(str(folder / "cases.jsonl"), tmp_path)
    assert str(caught.value) == (
        f"{folder}/cases.jsonl: a file; a suite is a folder: xtest run {folder}"
    )


# A run.


def test_a_packed_suite_runs_like_any_other(tmp_path: Path) -> None:
    packed_suite(tmp_path / "s", line("1"), line("02", "[1]", "[2]"), "oops", line("bad-3"))
    done = xtest("run", "s", "--case", "1-9", "--case", "bad-*", "--", "cat", folder=tmp_path)
    assert done.returncode == 1
    assert b"    repeat     xtest run s --case 2 -- cat\n" in done.stdout
    assert b"2 of 3 passed in" in done.stdout
    done = xtest("run", "s", "-q", "--", "cat", folder=tmp_path)
    assert (done.returncode, done.stdout.split(b" in ")[0]) == (2, b"2 of 4 passed")
    done = xtest("list", "s", "--cases", folder=tmp_path)
    cases = b"    1\n    2\n    cases.jsonl-line-3\n    bad-3\n"
    assert (done.returncode, done.stdout) == (0, b"s  4\n" + cases)


def peak_kib(folder: Path, last_line: str) -> int:
    """The most memory that xtest itself had over a run whose last line begins so, in KiB."""
    arguments = [sys.executable, "-m", "harness", "run", ".", "-q", "--", "cat"]
    environment = {**os.environ, "PYTHONPATH": str(TOP)}
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(  # pylint: disable=consider-using-with  # wait4 ends it
            arguments, cwd=folder, env=environment, stdout=said
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert (folder / "said").read_text(encoding="utf-8").splitlines()[-1].startswith(last_line)
    return usage.ru_maxrss


def test_memory_does_not_grow_with_the_number_of_cases(tmp_path: Path) -> None:
    peaks = {}
    for cases in (500, 5_000):
        lines = (line(str(n), f"[{n}]", f"[{n}]") for n in range(1, cases + 1))
        folder = packed_suite(tmp_path / str(cases), *lines)
        peaks["passing", cases] = peak_kib(folder, f"all {cases:,} passed in ")
        # Nothing is run for those that are broken: they must not pile up before they are told.
        folder = packed_suite(tmp_path / f"broken-{cases}", *["oops"] * cases)
        peaks["broken", cases] = peak_kib(folder, f"0 of {cases:,} passed in ")
    # A record of a few hundred bytes for each of 4,500 more would go beyond; the list of where the
    # lines begin does not.
    assert peaks["passing", 5_000] - peaks["passing", 500] < 1_536, peaks
    assert peaks["broken", 5_000] - peaks["broken", 500] < 1_536, peaks


# The commands.


def pairs(folder: Path, files: dict[str, bytes]) -> Path:
    """A folder with these files."""
    folder.mkdir()
    for name, data in files.items():
        (folder / os.fsdecode(name.encode("latin-1"))).write_bytes(data)
    return folder


def contents(folder: Path) -> dict[bytes, bytes]:
    """All files of a folder."""
    return {os.fsencode(file.name): file.read_bytes() for file in folder.iterdir()}


def test_unpacked_is_what_was_packed_byte_for_byte(tmp_path: Path) -> None:
    files = {f"{n:02}-in.json": data for n, data in enumerate(CONTENTS)}
    files |= {f"{n:02}-out.json": b"\r\n 1" for n in range(len(CONTENTS))}
    files |= {"caf\xe9-1-in.json": b"1", "caf\xe9-1-out.json": b"", "a-b-10-in.json": b"2"}
    files |= {"a-b-10-out.json": b"2"}
    pairs(tmp_path / "s", files)
    (tmp_path / "s" / "suite.toml").write_text(
        '[[cases]]\nmatch = "*"\ninput = "raw"', encoding="ascii"
    )
    done = xtest("pack", "s", "-o", "p.jsonl", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"s: 12 cases packed in p.jsonl\n"
    assert xtest("pack", "s", folder=tmp_path).stdout == (tmp_path / "p.jsonl").read_bytes()
    done = xtest("unpack", "p.jsonl", "-o", "t", folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"p.jsonl: 12 cases unpacked in t\n")
    (tmp_path / "t" / "suite.toml").write_bytes((tmp_path / "s" / "suite.toml").read_bytes())
    assert contents(tmp_path / "t") == contents(tmp_path / "s")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["p.jsonl", "s", "t"]


@pytest.fixture(name="here")
def _here(tmp_path: Path) -> Path:
    """A folder with a suite of pairs, one that is broken, two in one folder, a packed one, and a
    file."""
    good = {"1-in.json": b"1", "1-out.json": b"1"}
    pairs(tmp_path / "s", good)
    pairs(tmp_path / "broken", {"1-in.json": b"1", "2-in.JSON": b"", "3-in.json": b"3"})
    (tmp_path / "both").mkdir()
    pairs(tmp_path / "both" / "a", good)
    pairs(tmp_path / "both" / "b", good)
    packed_suite(tmp_path / "packed", line("1", "[1]", "[1]"))
    packed_suite(tmp_path / "bad", line("2"), line("1"), "oops")
    (tmp_path / "file").write_bytes(b"")
    return tmp_path


FAULTS = "nothing is written, as there are faults:\n       "
STRAY = (
    'broken: "2-in.JSON" looks like a file of a case, and is none: these are named N-in.json and'
    " N-out.json, or prefix-N-in.json and prefix-N-out.json"
)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "pack broken -o new",
            f"{FAULTS}{STRAY}\n       broken/1: 1-in.json is an orphan: there is no 1-out.json"
            "\n       broken/3: 3-in.json is an orphan: there is no 3-out.json",
        ),
        ("pack both", "both: one suite is wanted, and these are: both/a, both/b"),
        ("pack packed", "packed: is packed already, in cases.jsonl"),
        ("pack s -o file", "file: is there already; --force replaces it"),
        ("pack s -o s --force", "s: not a regular file"),
        ("pack s -o no/file", "no/file: no such file or directory"),
        (
            "pack s -o s/cases.jsonl",
            "s/cases.jsonl: would stand beside the pairs, and a suite keeps its cases one way;"
            " choose another folder",
        ),
        ("pack s -- cat", "pack takes no command behind --"),
        ("pack file", "file: a file; a suite is a folder"),
        ("unpack s -o new", "s: is not packed: there is no cases.jsonl"),
        ("unpack file -o new", "file: no cases in this file"),
        (
            "unpack bad -o new",
            f"{FAULTS}bad/cases.jsonl, line 2 is out of place: 1 stands before it, or belongs"
            " before a case that does; cases stand in natural order, each once"
            "\n       bad/cases.jsonl, line 3 is not JSON at byte 0 (line 1, column 1):"
            " a value expected, found 'o'; here: -->oops",
        ),
        ("unpack packed -o s", "s: is not empty; --force writes over files in it"),
        ("unpack packed -o file --force", "file: not a folder"),
        (
            "unpack packed -o packed --force",
            "packed: has a cases.jsonl, and a suite keeps its cases one way; choose another folder",
        ),
        ("unpack packed -o no/new", "no/new: no such file or directory"),
        ("unpack packed -o new -- cat", "unpack takes no command behind --"),
    ],
)
def test_what_cannot_be_done_is_told_and_nothing_is_written(
    here: Path, words: str, said: str
) -> None:
    before = sorted(here.rglob("*"))
    done = xtest(*words.split(), folder=here)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (2, b"", f"xtest: {said}\n")
    assert sorted(here.rglob("*")) == before


def test_many_faults_are_counted(here: Path) -> None:
    packed_suite(here / "worse", *["oops"] * 25)
    done = xtest("unpack", "worse", "-o", "new", folder=here)
    said = done.stderr.decode().splitlines()
    assert (len(said), said[-1]) == (22, "       and 5 faults more")


def test_force_replaces_a_file_and_writes_over_those_in_a_folder(here: Path) -> None:
    assert xtest("pack", "s", "-o", "file", "--force", folder=here).returncode == 0
    assert (here / "file").read_text(encoding="ascii") == line("1") + "\n"
    (here / "s" / "notes").write_bytes(b"mine")
    done = xtest("unpack", "packed", "-o", "s", "--force", folder=here)
    assert done.stdout == b"packed/cases.jsonl: 1 case unpacked in s\n"
    files = {b"1-in.json": b"[1]", b"1-out.json": b"[1]", b"notes": b"mine"}
    assert contents(here / "s") == files


def test_an_empty_folder_is_filled(here: Path) -> None:
    (here / "new").mkdir()
    assert xtest("unpack", "packed", "-o", "new", folder=here).returncode == 0
    assert contents(here / "new") == {b"1-in.json": b"[1]", b"1-out.json": b"[1]"}


def test_the_packed_file_tells_names_without_keeping_them(tmp_path: Path) -> None:
    folder = packed_suite(tmp_path / "s", line("1"), line("2"))
    packed = PackedFile(folder / "cases.jsonl")
    assert list(packed) == list(packed) == [CaseName("", 1), CaseName("", 2)]
    assert packed.read(1) == PackedCase("2", b"1", b"1")
