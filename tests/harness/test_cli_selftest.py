"""`xtest selftest` as its users meet it: whole processes, whole messages, exit statuses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent.parent


def selftest(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One run of xtest selftest in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "harness", "selftest", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(TOP)},
    )


def suite(folder: Path, *texts: str, settings: str = "") -> None:
    """A suite in a folder, whose cases `cat` passes: inputs that are their own outputs."""
    folder.mkdir()
    for number, text in enumerate(texts, start=1):
        for side in ("in", "out"):
            (folder / f"{number}-{side}.json").write_text(text, encoding="utf-8")
    if settings:
        (folder / "suite.toml").write_text(settings, encoding="utf-8")


def test_a_suite_that_notices_every_fault_is_status_0(tmp_path: Path) -> None:
    suite(tmp_path / "s", "true", "false", "null")
    done = selftest("s", "--", "cat", folder=tmp_path)
    assert done.stdout == (
        "s: 3 cases with right answers of cat\n"
        "s: 28 of 28 faults noticed (100 %); 4 of them by one case only\n"
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_faults_that_no_case_notices_are_told_with_the_reason_and_status_1(
    tmp_path: Path,
) -> None:
    settings = '[compare]\nunordered = ["/0/w"]\n'
    text = '{"ok": true, "n": NUMBER, "w": ["a", "b"]}'
    texts = (text.replace("NUMBER", str(number)) for number in range(10))
    suite(tmp_path / "s", *texts, settings=settings)
    done = selftest("s", "--", "cat", folder=tmp_path)
    first, *told, last = done.stdout.splitlines()
    assert first == "s: 10 cases with right answers of cat"
    assert told == [
        "hidden  /0/w  2 faults: no difference by [compare] unordered",
        "hidden  /0/w/0  1 fault: no difference by [compare] unordered",
        "unnoticed  /0/ok  always true: nothing else stands there in any answer (10 cases)",
        'unnoticed  /0/w/0  always "a": nothing else stands there in any answer (10 cases)',
        'unnoticed  /0/w/1  always "b": nothing else stands there in any answer (10 cases)',
    ]
    assert last.startswith("s: 65 of 68 faults noticed (95.5 %); ")
    assert done.returncode == 1


def test_what_the_output_schema_has_as_a_constant_is_no_fault(tmp_path: Path) -> None:
    suite(tmp_path / "s", '["move", 1]', '["move", 2]', settings='output = "o.json"\n')
    dialect = '"$schema": "https://json-schema.org/draft/2020-12/schema"'
    schema = f'{{{dialect}, "items": {{"prefixItems": [{{"const": "move"}}]}}}}'
    assert selftest("s", "--", "cat", folder=tmp_path).returncode == 2
    (tmp_path / "s" / "o.json").write_text(schema, encoding="utf-8")
    done = selftest("s", "--verbose", "--", "cat", folder=tmp_path)
    assert 'idle  /0/0  always "move": the schema has no other value there' in done.stdout
    assert done.returncode == 0


def test_with_verbose_each_fault_and_what_each_case_is_there_for(tmp_path: Path) -> None:
    suite(tmp_path / "s", "1", "1", "[]")
    done = selftest("s", "-v", "--", "cat", folder=tmp_path)
    lines = done.stdout.splitlines()
    assert "noticed  the answer  prints nothing: by 3 of 3 cases" in lines
    assert "noticed  /0  one more: by 2 of 2 cases" in lines
    assert "noticed  /0  a null behind: by 1 of 1 case (3)" in lines
    assert "idle  /0  in reverse: changes no answer" in lines
    assert "alone  3  notices 7 faults that no other case notices" in lines
    assert "together  1, 2: what one of these notices, another case notices, too" in lines


def test_a_case_that_the_reference_does_not_pass_is_told_and_left_out(tmp_path: Path) -> None:
    suite(tmp_path / "s", "1", "2", "3")
    (tmp_path / "s" / "2-out.json").write_text("7", encoding="utf-8")
    (tmp_path / "s" / "4-in.json").write_text("4", encoding="utf-8")
    done = selftest("s", "--case", "1-3", "--", "cat", folder=tmp_path)
    assert done.stdout.splitlines()[:2] == [
        "not right  s/2  differs: 1 difference, the first at /0: 7 expected, 2 printed",
        "s: 2 cases with right answers of cat",
    ]
    assert done.returncode == 1
    done = selftest("s", "--", "cat", folder=tmp_path)
    assert done.stdout.splitlines()[1] == (
        "invalid  s/4  4-in.json is an orphan: there is no 4-out.json"
    )
    assert done.returncode == 2


def test_a_packed_suite_is_as_good_as_pairs(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    line = '{"case":"CASE","in":{"text":"CASE"},"out":{"text":"CASE"}}\n'
    lines = "".join(line.replace("CASE", name) for name in "123")
    (tmp_path / "p" / "cases.jsonl").write_text(lines, encoding="utf-8")
    done = selftest("p", "--", "cat", folder=tmp_path)
    assert done.stdout.splitlines()[0] == "p: 3 cases with right answers of cat"
    assert done.returncode == 0


def test_twice_the_same_suite_comes_to_the_same(tmp_path: Path) -> None:
    suite(tmp_path / "s", *(f'{{"a": [{number}, null], "b": "x{number}"}}' for number in range(9)))
    first, second = (selftest("s", "-v", "-j", "4", "--", "cat", folder=tmp_path) for _ in "ab")
    assert first.stdout == second.stdout


NONSENSE = [
    (("s", "--"), "", "xtest: no command stands behind --\n"),
    (
        ("s",),
        "",
        "xtest: s: no suite.toml names its program, so say which one to run:"
        " xtest selftest s -- COMMAND\n",
    ),
    (
        ("s", "--", "no-such-program"),
        "",
        "xtest: no-such-program: no such program, neither beside this Python nor on PATH\n",
    ),
    (
        ("s", "--case", "9", "--", "cat"),
        "s: 0 cases with right answers of cat\n",
        "xtest: --case 9: means no case\nxtest: s: no case to put faults on\n",
    ),
    (
        ("s", "--", "./none"),
        "not right  s/1  not-started: ./none: no such file or directory in {folder}\n"
        "s: 0 cases with right answers of ./none\n",
        "xtest: s: no case to put faults on\n",
    ),
    (
        ("s/1-in.json", "--", "cat"),
        "",
        "xtest: s/1-in.json: a file; a suite is a folder: xtest run s --case 1\n",
    ),
    (
        ("bad", "--", "cat"),
        "",
        'xtest: bad: bad/suite.toml: unknown key "tittle"; did you mean "title"?\n',
    ),
]


@pytest.mark.parametrize(("arguments", "shown", "message"), NONSENSE)
def test_nonsense_is_refused_with_a_message_and_status_2(
    tmp_path: Path, arguments: tuple[str, ...], shown: str, message: str
) -> None:
    suite(tmp_path / "s", "1")
    suite(tmp_path / "bad", "1", settings='tittle = "x"\n')
    done = selftest(*arguments, folder=tmp_path)
    assert (done.returncode, done.stderr) == (2, message)
    assert done.stdout == shown.format(folder=tmp_path)


def test_without_a_suite_the_usage_is_told(tmp_path: Path) -> None:
    done = selftest(folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "Error: Missing argument 'SUITE...'."


def test_cases_are_selected_by_tag_as_in_run(tmp_path: Path) -> None:
    settings = '[[cases]]\nmatch = "1-2"\ntags = ["odd"]\n'
    suite(tmp_path / "s", "true", "false", "null", settings=settings)
    done = selftest("s", "--tag", "odd", "--", "cat", folder=tmp_path)
    assert done.stdout.startswith("s: 2 cases with right answers of cat\n")
    done = selftest("s", "--tag", "even", "--", "cat", folder=tmp_path)
    assert done.stderr.startswith("xtest: --tag even: no case has this tag; ")
    assert done.returncode == 2
