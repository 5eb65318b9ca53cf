"""Suites and cases on disk: found, named, listed and read; and everything that can be broken."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.jsonfast import decode
from harness.jsontext import Number
from harness.judging.comparison import Comparison, Order, PlaceRule
from harness.judging.equality import differences
from harness.records import Case, ExitRange, InputKind, InvalidCase, Limits, Policy
from harness.suites.corpus import (
    CorpusError,
    Found,
    Suite,
    find_all,
    find_suites,
    label_of,
    read_case,
    read_suite,
)
from harness.suites.naming import CaseName


def write(folder: Path, **files: str | bytes) -> Path:
    """Files in a folder: 1_in="..." is no name in Python, so i1, o1 are 1-in.json, 1-out.json."""
    folder.mkdir(parents=True, exist_ok=True)
    for key, content in files.items():
        name = f"{key[1:]}-{'in' if key[0] == 'i' else 'out'}.json"
        put(folder / name, content)
    return folder


def put(file: Path, content: str | bytes) -> None:
    """One file."""
    file.write_bytes(content if isinstance(content, bytes) else content.encode())


def refusal(argument: str, bundled: Path) -> str:
    """What is said of an argument that means no suite."""
    with pytest.raises(CorpusError) as caught:
        find_suites(argument, bundled)
    return str(caught.value)


def reason(suite: Suite, case: CaseName) -> str:
    """Why a case is invalid."""
    found = read_case(suite, case)
    assert isinstance(found, InvalidCase)
    assert (found.suite, found.name) == (suite.name, case.text)
    return found.reason


@pytest.fixture(name="here")
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the working folder too."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


@pytest.fixture(name="bundled")
def _bundled(tmp_path: Path) -> Path:
    """Bundled suites: xboard, xtiles, and one within one."""
    bundled = tmp_path / "bundled"
    for name in ("xboard", "xtiles", "xadmin/8"):
        write(bundled / name, i1="1", o1="1")
    return bundled


# Finding.


def test_a_folder_with_cases_is_a_suite_by_its_own_name(here: Path, bundled: Path) -> None:
    write(here / "mine", i1="1", o1="1")
    for argument in ("mine", "./mine", "mine/", str(here / "mine"), "../here/mine"):
        assert find_suites(argument, bundled) == [("mine", Path(argument))]


def test_the_working_folder_and_the_one_above_have_names_too(
    here: Path, bundled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(here / "mine", i1="1", o1="1")
    monkeypatch.chdir(here / "mine")
    assert find_suites(".", bundled) == [("mine", Path("."))]
    assert find_suites("..", bundled) == [("here/mine", Path("../mine"))]
    assert find_suites("../mine", bundled) == [("mine", Path("../mine"))]


def test_a_folder_without_cases_stands_for_all_below_it_that_have_some(
    here: Path, bundled: Path
) -> None:
    for name in ("all/10", "all/9", "all/9/inner", "all/a/b", "all/.git", "all/empty/deep"):
        write(here / name, **({} if "empty" in name else {"i1": "1", "o1": "1"}))
    found = find_suites("all", bundled)
    assert [name for name, _ in found] == ["all/9", "all/10", "all/a/b"]
    assert [folder for _, folder in found] == [Path(name) for name, _ in found]


def test_links_to_folders_are_followed_in_an_argument_and_not_below_it(
    here: Path, bundled: Path
) -> None:
    write(here / "all" / "real", i1="1", o1="1")
    (here / "all" / "link").symlink_to("real")
    (here / "all" / "up").symlink_to(here)
    (here / "short").symlink_to("all/real")
    assert [name for name, _ in find_suites("all", bundled)] == ["all/real"]
    assert find_suites("short", bundled) == [("short", Path("short"))]


def test_where_there_is_no_folder_the_name_is_a_bundled_suites(here: Path, bundled: Path) -> None:
    assert find_suites("xboard", bundled) == [("xboard", bundled / "xboard")]
    assert find_suites("xadmin", bundled) == [("xadmin/8", bundled / "xadmin/8")]
    assert find_suites("xadmin/8", bundled) == [("xadmin/8", bundled / "xadmin/8")]
    write(here / "xboard", i1="1", o1="1")
    assert find_suites("xboard", bundled) == [("xboard", Path("xboard"))]


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        (
            "xbord",
            "xbord: no such folder, and no bundled suite of that name (did you mean xboard?)",
        ),
        (
            "ours",
            "ours: no such folder, and no bundled suite of that name"
            " (these are: xadmin, xboard, xtiles)",
        ),
        (
            "",
            'the empty name "": no such folder, and no bundled suite of that name'
            " (these are: xadmin, xboard, xtiles)",
        ),
        (
            "no\nwhere",
            "no\\nwhere: no such folder, and no bundled suite of that name"
            " (these are: xadmin, xboard, xtiles)",
        ),
        (
            "../bundled/../nowhere",
            "../bundled/../nowhere: no such folder, and no bundled suite of that name"
            " (these are: xadmin, xboard, xtiles)",
        ),
        (
            "x" * 5_000,
            f"{'x' * 5_000}: no such folder, and no bundled suite of that name"
            " (these are: xadmin, xboard, xtiles)",
        ),
        (
            "mine.json",
            "mine.json: a file; a suite is a folder",
        ),
        (
            "prog",
            "prog: a file; a suite is a folder; a program under test stands behind --: xtest run"
            " SUITE -- prog",
        ),
        (
            "sh",
            "sh: no such folder, and no bundled suite of that name (these are: xadmin, xboard,"
            " xtiles); a program under test stands behind --",
        ),
        (
            "cases/bad-07-in.json",
            "cases/bad-07-in.json: a file; a suite is a folder: xtest run cases --case bad-7",
        ),
        (
            "case",
            "case: no such folder, and no bundled suite of that name (did you mean cases?)",
        ),
        (
            "empty",
            "empty: no cases in this folder or below it;"
            " a case is a pair of files N-in.json and N-out.json, or a line of cases.jsonl",
        ),
    ],
)
def test_an_argument_that_means_no_suite_is_told_why(
    here: Path, bundled: Path, argument: str, said: str
) -> None:
    (here / "empty" / "deep").mkdir(parents=True)
    put(here / "mine.json", "1")
    put(here / "prog", "#!/bin/sh\n")
    (here / "prog").chmod(0o755)
    write(here / "cases")
    put(here / "cases" / "bad-07-in.json", "1")
    assert refusal(argument, bundled) == said


def test_without_bundled_suites_none_are_named(here: Path) -> None:
    assert refusal("mine", here / "nowhere") == (
        "mine: no such folder, and no bundled suite of that name (these are: none)"
    )


def _nested(top: Path, name: str, depth: int) -> int:
    """Folders of one name in each other, step by step; the innermost as a descriptor."""
    at = os.open(top, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    return at


@pytest.fixture(name="too_deep")
def _too_deep(here: Path) -> Iterator[Path]:
    """A folder so deep that its whole path is longer than the system takes."""
    os.close(_nested(here, "d" * 250, 20))
    yield here
    shutil.rmtree(here / ("d" * 250))


def test_a_folder_that_cannot_be_listed_is_told_of(too_deep: Path, bundled: Path) -> None:
    said = refusal(str(too_deep), bundled)
    assert said.startswith(f"{too_deep}/{'d' * 250}/")
    assert said.endswith("/" + "d" * 250 + ": file name too long")


@pytest.fixture(name="steps")
def _steps(here: Path) -> Iterator[list[str]]:
    """The steps down to a suite, more than Python's calls may be nested."""
    steps = ["d"] * 1_100
    at = _nested(here, "d", len(steps))
    for name in ("1-in.json", "1-out.json"):
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    yield steps
    # By hand: what clears such trees for us recurses itself.
    for name in ("1-in.json", "1-out.json"):
        os.unlink("/".join((*steps, name)))
    for depth in range(len(steps), 0, -1):
        os.rmdir("/".join(steps[:depth]))


def test_a_folder_may_be_nested_deeper_than_calls_can(steps: list[str], bundled: Path) -> None:
    ((name, folder),) = find_suites("d", bundled)
    assert name == str(folder) == "/".join(steps)


# Names that tell suites apart.


def test_suites_have_their_short_names_where_these_differ(here: Path, bundled: Path) -> None:
    write(here / "a" / "mine", i1="1", o1="1")
    assert find_all(["a/mine", "xtiles", "a", "xadmin"], bundled) == [
        Found("mine", Path("a/mine"), "a/mine"),
        Found("xtiles", bundled / "xtiles", "xtiles"),
        Found("xadmin/8", bundled / "xadmin/8", "xadmin/8"),
    ]


def test_suites_of_one_name_get_as_much_of_their_path_as_tells_them_apart(
    here: Path, bundled: Path
) -> None:
    for name in ("a/x/xboard", "b/x/xboard", "b/y"):
        write(here / name, i1="1", o1="1")
    found = find_all(["a/x/xboard", "b", "xboard"], bundled)
    assert [suite.name for suite in found] == ["x/xboard", "b/x/xboard", "b/y", "bundled/xboard"]
    assert [suite.argument for suite in found] == ["a/x/xboard", "b/x/xboard", "b/y", "xboard"]


def test_a_suite_that_is_named_twice_is_found_once(here: Path, bundled: Path) -> None:
    write(here / "mine", i1="1", o1="1")
    found = find_all(["mine", "./mine", str(here), "mine"], bundled)
    assert found == [Found("mine", Path("mine"), "mine")]


def test_of_all_arguments_the_first_that_means_no_suite_is_told(here: Path, bundled: Path) -> None:
    write(here / "mine", i1="1", o1="1")
    with pytest.raises(CorpusError, match="^nowhere: no such folder"):
        find_all(["mine", "nowhere", "neither"], bundled)


# Listing a suite.


def test_cases_are_listed_in_natural_order(here: Path) -> None:
    write(here, **{f"{side}{name}": "1" for name in ("10", "9", "0") for side in "io"})
    for name in ("bad-10", "bad-9", "bad2-1", "bad10-1"):
        put(here / f"{name}-in.json", "1")
    suite = read_suite("s", here)
    assert [name.text for name in suite.names] == [
        *("0", "9", "10"),
        *("bad-9", "bad-10", "bad2-1", "bad10-1"),
    ]
    assert suite.settings.title == ""
    assert not suite.faults


def test_a_suite_toml_is_read_with_the_suite(here: Path) -> None:
    write(here, i1="1", o1="1")
    put(here / "suite.toml", 'title = "Ours"')
    assert read_suite("s", here).settings.title == "Ours"


def test_a_suite_toml_that_cannot_be_used_makes_the_suite_unusable(here: Path) -> None:
    write(here, i1="1", o1="1")
    put(here / "suite.toml", "titel = 1")
    with pytest.raises(CorpusError) as caught:
        read_suite("s", here)
    assert str(caught.value) == (f'{here}/suite.toml: unknown key "titel"; did you mean "title"?')


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_a_suite_toml_that_cannot_be_read_makes_the_suite_unusable(here: Path, kind: str) -> None:
    write(here, i1="1", o1="1")
    if kind == "folder":
        (here / "suite.toml").mkdir()
    else:
        (here / "suite.toml").symlink_to("nowhere")
    with pytest.raises(CorpusError) as caught:
        read_suite("s", here)
    why = "is a directory" if kind == "folder" else "no such file or directory"
    assert str(caught.value) == f"{here}/suite.toml: {why}"


def test_a_folder_that_is_gone_is_no_suite(here: Path) -> None:
    with pytest.raises(CorpusError) as caught:
        read_suite("s", here / "gone")
    assert str(caught.value) == f"{here}/gone: no such file or directory"


def test_what_looks_like_part_of_a_suite_and_is_not_is_a_fault(here: Path) -> None:
    write(here, i1="1", o1="1")
    put(here / "2-in.JSON", "1")
    put(here / "Suite.toml", "")
    put(here / "notes.txt", "")
    put(here / ".3-in.json", "")
    put(here / "suite.toml", '[[cases]]\nmatch = "1"\n[[cases]]\nmatch = "bad-*"')
    assert read_suite("s", here).faults == (
        '"2-in.JSON" looks like a file of a case, and is none: these are named N-in.json and'
        " N-out.json, or prefix-N-in.json and prefix-N-out.json",
        '"Suite.toml" is not read: the file is to be named suite.toml',
        'suite.toml: no case is meant by match = "bad-*"',
    )


def test_many_strays_are_one_fault(here: Path) -> None:
    write(here, i1="1", o1="1")
    for number in range(12):
        put(here / f"{number}_in.json", "1")
    (fault,) = read_suite("s", here).faults
    assert fault.startswith('"0_in.json" and 11 more look like files of a case, and are none: ')


def test_a_schema_that_the_suite_names_is_no_stray(here: Path) -> None:
    write(here, i1="1", o1="1")
    put(here / "schema-in.json", "{}")
    put(here / "schema-out.json", "{}")
    put(here / "suite.toml", 'input = "schema-in.json"\noutput = "schema-out.json"')
    assert not read_suite("s", here).faults


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("suite.toml", "its suite.toml does not hold for the folders below it"),
        ("SUITE.TOML", '"SUITE.TOML" is not read: the file is to be named suite.toml'),
        (
            "a-in.json",
            '"a-in.json" looks like a file of a case, and is none: these are named N-in.json and'
            " N-out.json, or prefix-N-in.json and prefix-N-out.json",
        ),
    ],
)
def test_a_folder_that_only_seems_to_be_a_suite_is_found_and_told_of(
    here: Path, bundled: Path, file: str, said: str
) -> None:
    write(here / "all" / "mine", i1="1", o1="1")
    put(here / "all" / file, "")
    assert [name for name, _ in find_suites("all", bundled)] == ["all", "all/mine"]
    with pytest.raises(CorpusError) as caught:
        read_suite("all", Path("all"))
    assert str(caught.value) == f"all: no cases in this folder; {said}"


# Reading a case.


def test_a_case_is_its_files_bytes_and_the_policy_for_it(here: Path) -> None:
    put(here / "bad-007-in.json", b' {"a":\t1.0} \r\n')
    put(here / "bad-007-out.json", b'"refused"\n\n')
    put(
        here / "suite.toml",
        '[limits]\nwall_s = 3\n[compare]\nignore = ["/1"]\n'
        '[[cases]]\nmatch = "bad-*"\nexit = 1\ninput = "off-schema"\ntags = ["errors"]',
    )
    case = read_case(read_suite("s", here), CaseName("bad", 7))
    assert case == Case(
        suite="s",
        name="bad-7",
        stdin=b' {"a":\t1.0} \r\n',
        expected_text=b'"refused"\n\n',
        expected=["refused"],
        kind=InputKind.OFF_SCHEMA,
        tags=("errors",),
        policy=Policy(Comparison(ignore=("/1",)), ExitRange(1, 1), Limits(wall_s=3.0)),
    )


# What other files say of comparing.


def test_what_the_output_schema_says_of_comparing_is_read_with_the_suite(here: Path) -> None:
    write(here, i1="1", o1="1")
    put(here / "suite.toml", 'output = "o.json"\n[compare]\nignore = ["/1"]')
    put(here / "o.json", '{"x-order": "set", "items": {"x-key": "id"}}')
    assert read_suite("s", here).settings.comparison == Comparison(
        ignore=("/1",),
        contract=(PlaceRule(("",), order=Order.SET), PlaceRule(("/*",), key="id")),
    )


@pytest.mark.parametrize("schema", ["no JSON at all", '{"type": "array"}', None])
def test_an_output_schema_that_says_nothing_of_comparing_is_not_looked_at(
    here: Path, schema: str | None
) -> None:
    write(here, i1="1", o1="1")
    put(here / "suite.toml", 'output = "o.json"')
    if schema is not None:
        put(here / "o.json", schema)
    assert read_suite("s", here).settings.comparison == Comparison()


def test_placeholders_may_name_a_schema_or_a_part_of_one(here: Path) -> None:
    write(here, i1="1", o1="[5, 6, 7]")
    put(
        here / "suite.toml",
        '[[compare.at]]\npath = "/0/0"\nschema = "t.json#/$defs/hour"\n'
        '[[compare.at]]\npath = "/0/1"\nschema = "t.json"\n'
        '[[compare.at]]\npath = "/0/2"\nschema = "xtiles-out.schema.json"\n'
        '[[compare.at]]\npath = "/0/3"\nignore = true\n',
    )
    put(here / "t.json", '{"type": "integer", "$defs": {"hour": {"type": "number", "maximum": 9}}}')
    comparison = read_suite("s", here).settings.comparison

    def agree(actual: str) -> bool:
        printed = decode(actual.encode()).values
        return not list(differences(decode(b"[5,6,7]").values, printed, comparison))

    assert agree("[8.5,60,7]")
    assert not agree("[9.5,6,7]")
    assert not agree("[5,6.5,7]")
    assert [rule.schema.file for rule in comparison.at if rule.schema is not None] == [
        "t.json#/$defs/hour",
        "t.json",
        "xtiles-out.schema.json",
    ]


@pytest.mark.parametrize(
    ("schema", "text", "said"),
    [
        ("none.json", None, 'no schema "none.json", neither in the suite\'s folder nor bundled'),
        ("a\\u0000b", None, 'no schema "a\\x00b", neither in the suite\'s folder nor bundled'),
        (
            "x" * 300,
            None,
            f'no schema "{"x" * 59}…", neither in the suite\'s folder nor bundled',
        ),
        (
            "t.json",
            b"{",
            'the schema "t.json": cannot be read as JSON: Expecting property name enclosed in'
            " double quotes: line 1 column 2 (char 1)",
        ),
        (
            "t.json#/a",
            b"{}",
            'the schema "t.json#/a": refers to "urn:xtest:whole#/a", which is not in it',
        ),
        (
            "t.json",
            b"\xff",
            "the schema \"t.json\": 'utf-8' codec can't decode byte 0xff in position 0: invalid"
            " start byte",
        ),
    ],
)
def test_a_placeholder_whose_schema_cannot_be_used_makes_the_suite_unusable(
    here: Path, schema: str, text: bytes | None, said: str
) -> None:
    write(here, i1="1", o1="1")
    put(here / "suite.toml", f'[[compare.at]]\npath = "/0"\nschema = "{schema}"')
    if text is not None:
        put(here / "t.json", text)
    with pytest.raises(CorpusError) as caught:
        read_suite("s", here)
    assert str(caught.value) == f"{here / 'suite.toml'}: [compare] {said}"


def test_an_output_schema_with_nonsense_makes_the_suite_unusable(here: Path) -> None:
    write(here, i1="1", o1="1")
    put(here / "suite.toml", 'output = "o.json"')
    put(here / "o.json", '{"x-order": "bag"}')
    with pytest.raises(CorpusError) as caught:
        read_suite("s", here)
    assert str(caught.value) == (
        f'{here / "suite.toml"}: the output schema "o.json": /x-order is to be "list", "set" or'
        ' "multiset", found "bag"'
    )


def test_what_a_suite_allows_is_allowed_in_what_is_expected_and_not_in_inputs(here: Path) -> None:
    write(here, i1="1", o1="NaN", i2="NaN", o2="1")
    put(here / "suite.toml", '[compare]\nallow = ["nan"]')
    suite = read_suite("s", here)
    case = read_case(suite, CaseName("", 1))
    assert isinstance(case, Case)
    assert case.expected == [Number("NaN")]
    assert reason(suite, CaseName("", 2)).startswith("2-in.json is not JSON at byte 0")


@pytest.mark.parametrize("blank", ["", "\n", " \t\r\n "])
def test_a_file_of_white_space_is_a_stream_of_no_values(here: Path, blank: str) -> None:
    write(here, i1=blank, o1=blank)
    case = read_case(read_suite("s", here), CaseName("", 1))
    assert isinstance(case, Case)
    assert (case.expected, case.stdin) == ([], blank.encode())


def test_values_of_an_expected_output_are_read_exactly(here: Path) -> None:
    text = b'1 1.0 1e400 "\\u00e9" {"b":1,"a":[]}'
    write(here, i1="", o1=text)
    case = read_case(read_suite("s", here), CaseName("", 1))
    assert isinstance(case, Case)
    assert case.expected == decode(text).values


def test_a_raw_input_may_be_any_bytes_but_its_output_is_json(here: Path) -> None:
    write(here, i1=b"\xff[", o1="1", i2=b"\xff[", o2="[")
    put(here / "suite.toml", '[[cases]]\nmatch = "*"\ninput = "raw"')
    suite = read_suite("s", here)
    case = read_case(suite, CaseName("", 1))
    assert isinstance(case, Case)
    assert (case.stdin, case.kind) == (b"\xff[", InputKind.RAW)
    assert reason(suite, CaseName("", 2)) == (
        "2-out.json is cut short at byte 1 (line 1, column 2): the text ends inside an array;"
        " here: [-->"
    )


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (["1-in.json"], "1-in.json is an orphan: there is no 1-out.json"),
        (["1-out.json"], "1-out.json is an orphan: there is no 1-in.json"),
        (["01-in.json", "1-out.json"], "01-in.json is an orphan: there is no 01-out.json"),
        (
            ["1-in.json", "01-in.json", "1-out.json"],
            "01-in.json and 1-in.json both claim to be case 1",
        ),
        (
            ["1-in.json", "001-out.json", "01-out.json", "1-out.json"],
            "001-out.json and 01-out.json and 1-out.json both claim to be case 1",
        ),
    ],
)
def test_files_that_are_no_pair_are_an_invalid_case(here: Path, files: list[str], why: str) -> None:
    for file in files:
        put(here / file, "1")
    suite = read_suite("s", here)
    assert suite.names == (CaseName("", 1),)
    assert reason(suite, CaseName("", 1)) == why


@pytest.mark.parametrize("side", ["in", "out"])
@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("folder", "not a regular file"),
        ("pipe", "not a regular file"),
        ("dangling", "a link that leads nowhere"),
        ("circle", "a link that leads nowhere"),
    ],
)
def test_what_is_no_file_is_an_invalid_case(here: Path, side: str, kind: str, why: str) -> None:
    write(here, i1="1", o1="1")
    file = here / f"1-{side}.json"
    file.unlink()
    match kind:
        case "folder":
            file.mkdir()
        case "pipe":
            os.mkfifo(file)
        case "dangling":
            file.symlink_to("nowhere")
        case _:
            file.symlink_to(file.name)
    assert reason(read_suite("s", here), CaseName("", 1)) == f"1-{side}.json: {why}"


def test_a_file_that_went_away_after_the_listing_is_an_invalid_case(here: Path) -> None:
    write(here, i1="1", o1="1")
    suite = read_suite("s", here)
    (here / "1-out.json").unlink()
    assert reason(suite, CaseName("", 1)) == "1-out.json: no such file or directory"


def test_a_link_to_a_file_is_that_file(here: Path) -> None:
    write(here, i1="1", o1="1")
    (here / "2-in.json").symlink_to("1-in.json")
    (here / "2-out.json").symlink_to("1-out.json")
    assert isinstance(read_case(read_suite("s", here), CaseName("", 2)), Case)


def test_an_input_that_is_not_json_is_an_invalid_case_and_is_told_the_way_out(here: Path) -> None:
    write(here, i1='{"a": 1}\n{"a": 1,}', o1="1")
    assert reason(read_suite("s", here), CaseName("", 1)) == (
        "1-in.json is not JSON at byte 17 (line 2, column 9), after 1 whole value:"
        " a key in quotes expected, found '}'"
        " (a comma is left over before the closing bracket);"
        ' here: {"a": 1}\\n{"a": 1,-->}; if that is meant, declare input = "raw" in suite.toml'
    )


def test_an_expected_output_that_is_not_json_is_an_invalid_case(here: Path) -> None:
    write(here, i1="oops", o1=b'"\xff"')
    assert reason(read_suite("s", here), CaseName("", 1)) == (
        "1-out.json is not UTF-8 at byte 1 (line 1, column 2): invalid UTF-8: the byte 0xFF begins"
        " no character"
        ' (this looks like Latin-1; JSON travels as UTF-8); here: "-->\\xff"'
    )


def test_the_names_of_files_are_made_visible(here: Path) -> None:
    put(here / "a\x1b[2J-1-in.json", "1")
    name = CaseName("a\x1b[2J", 1)
    assert reason(read_suite("s", here), name) == (
        "a\\x1b[2J-1-in.json is an orphan: there is no a\\x1b[2J-1-out.json"
    )


def test_a_file_name_that_is_not_utf_8_is_a_case_like_any_other(here: Path) -> None:
    for side in ("in", "out"):
        put(Path(os.fsdecode(os.fsencode(here) + f"/caf\xe9-1-{side}.json".encode("latin-1"))), "1")
    suite = read_suite("s", here)
    assert suite.names == (CaseName("caf\udce9", 1),)
    assert isinstance(read_case(suite, CaseName("caf\udce9", 1)), Case)


def test_a_file_that_has_more_than_it_says_is_read_to_its_end(tmp_path: Path) -> None:
    # The kernel's own files say that they are empty.
    (tmp_path / "1-in.json").symlink_to("/proc/sys/kernel/ostype")
    (tmp_path / "1-out.json").write_text("1", encoding="utf-8")
    (tmp_path / "suite.toml").write_text(
        '[[cases]]\nmatch = "1"\ninput = "raw"\n', encoding="utf-8"
    )
    suite = read_suite("s", tmp_path)
    case = read_case(suite, CaseName("", 1))
    assert isinstance(case, Case)
    assert case.stdin == b"Linux\n"
    assert label_of(suite, CaseName("", 1)) == "1"
