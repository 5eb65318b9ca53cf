"""`xtest matrix` as its users meet it: whole processes, whole messages, exit statuses."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent.parent
PROJECT = """
suites = ["cases/easy", "cases/hard"]

[subjects.right]
command = ["cat"]
language = "C"

[subjects.wrong]
command = ["sed", "s/7/8/"]
tags = ["new"]

[subjects.absent]
command = ["./nix"]
suites = ["easy"]
"""
TABLE = """\
subject  language        easy        hard         all
right    C         2/2  100 %  1/1  100 %  3/3  100 %
wrong              1/2 50.0 %  1/1  100 %  2/3 66.6 %
absent             0/2    0 %           -  0/2    0 %

agreement       right
wrong      2/3 66.6 %

3 subjects, 3 cases: 1 passed by all, 2 by some, 0 by none
"""


def xtest(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One run of xtest in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "harness", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(TOP)},
    )


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    """A project of two suites and three subjects: right, wrong about sevens, and not there."""
    for name, texts in (("easy", ("1", "7")), ("hard", ("3",))):
        (tmp_path / "cases" / name).mkdir(parents=True)
        for number, text in enumerate(texts, 1):
            for side in ("in", "out"):
                file = tmp_path / "cases" / name / f"{number}-{side}.json"
                file.write_text(text, encoding="utf-8")
    (tmp_path / "xtest.toml").write_text(PROJECT, encoding="utf-8")
    return tmp_path


def test_all_subjects_are_run_on_what_they_serve_and_the_table_alone_is_printed(
    folder: Path,
) -> None:
    done = xtest("matrix", folder=folder / "cases")
    assert (done.returncode, done.stdout) == (1, TABLE)
    first, last = done.stderr.splitlines()
    why = f"./nix: no such file or directory in {folder}"
    assert first == f"problem  absent: {why}"  # told once
    assert last.startswith("5 of 8 passed in ")


def test_suites_subjects_and_cases_can_be_chosen(folder: Path) -> None:
    done = xtest("matrix", "cases/easy", "--subject", "right", "--subject", "@new", folder=folder)
    assert done.stdout.splitlines()[:3] == [
        "subject  language        easy",
        "right    C         2/2  100 %",
        "wrong              1/2 50.0 %",
    ]
    done = xtest("matrix", "--case", "1", "--subject", "[rw]*", folder=folder)
    assert done.returncode == 0
    assert done.stdout.endswith("2 subjects, 2 cases: 2 passed by all, 0 by some, 0 by none\n")


def test_cases_are_shown_on_demand(folder: Path) -> None:
    done = xtest("matrix", "--cases", "--subject", "right", "--subject", "wrong", folder=folder)
    assert done.stdout.splitlines()[-6:-1] == [
        "case    right   wrong",
        "easy/1  passed  passed",
        "easy/2  passed  differs",
        "hard/1  passed  passed",
        "",
    ]


def test_the_matrix_of_results_files_is_that_of_their_runs(folder: Path) -> None:
    for shard in ("1/2", "2/2"):
        name = f"r{shard[0]}"
        assert xtest("matrix", "--shard", shard, "--results", name, folder=folder).returncode == 1
    done = xtest("matrix", "--from", "r1", "--from", "r2", folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (1, TABLE, "")
    # Where there is no xtest.toml, subjects stand in natural order, and no language is known.
    (folder / "xtest.toml").unlink()
    done = xtest("matrix", "--from", "r1", "--from", "r2", "--format", "json", folder=folder)
    found = [
        (one["name"], one["passed"], one["cases"]) for one in json.loads(done.stdout)["subjects"]
    ]
    assert found == [("absent", 0, 2), ("right", 3, 3), ("wrong", 2, 3)]


def test_a_last_line_that_was_cut_short_does_no_harm(folder: Path) -> None:
    assert xtest("matrix", "--results", "r", folder=folder).returncode == 1
    whole = (folder / "r").read_bytes()
    (folder / "r").write_bytes(whole[:-20])
    done = xtest("matrix", "--from", "r", folder=folder)
    assert (done.returncode, done.stdout) == (1, TABLE)
    assert done.stderr == "xtest: note: r: its last line is cut short\n"


def test_a_matrix_is_gone_on_with_and_what_passed_need_not_run_again(folder: Path) -> None:
    assert xtest("matrix", "--results", "r", folder=folder).returncode == 1
    whole = (folder / "r").read_bytes().splitlines(keepends=True)
    (folder / "r").write_bytes(b"".join(whole[:4]))
    done = xtest("matrix", "--results", "r", "--resume", folder=folder)
    assert (done.returncode, done.stdout) == (1, TABLE)
    assert done.stderr.splitlines()[-1].endswith("; 3 resumed")
    xtest("matrix", "--cached", folder=folder)
    done = xtest("matrix", "--cached", folder=folder)
    assert (done.returncode, done.stdout) == (1, TABLE)
    assert done.stderr.splitlines()[-1].endswith("; 5 cached")


def test_broken_cases_are_left_out_and_are_a_fault_of_the_corpus(folder: Path) -> None:
    (folder / "cases" / "easy" / "1-out.json").write_text("nonsense", encoding="utf-8")
    done = xtest("matrix", "--subject", "right", "--results", "r", folder=folder)
    assert done.returncode == 2
    assert done.stdout.endswith(
        "1 subject, 2 cases: 2 passed by all, 0 by some, 0 by none; 1 broken case left out\n"
    )
    assert xtest("matrix", "--from", "r", folder=folder).returncode == 2


def test_where_nothing_is_selected_there_is_no_table(folder: Path) -> None:
    done = xtest("matrix", "--case", "9", folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[0] == "problem  --case 9: means no case"
    done = xtest("matrix", "--case", "9", "--format", "json", folder=folder)
    assert json.loads(done.stdout)["subjects"] == []


def test_on_a_terminal_the_table_has_colours_and_goes_on_below(folder: Path) -> None:
    ours, its = pty.openpty()
    environment = {"PYTHONPATH": str(TOP), "TERM": "xterm", "COLUMNS": "40", "LINES": "24"}
    with subprocess.Popen(
        [sys.executable, "-m", "harness", "matrix", "--subject", "right"],
        cwd=folder,
        stdout=its,
        stderr=subprocess.DEVNULL,
        env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, **environment},
    ) as process:
        os.close(its)
        printed = b""
        try:
            while chunk := os.read(ours, 65_536):
                printed += chunk
        except OSError:  # nobody has the other end any more
            pass
        os.close(ours)
    assert process.returncode == 0
    lines = printed.decode().replace("\r\n", "\n").splitlines()
    assert lines[:5] == [
        "\x1b[2msubject\x1b[0m  \x1b[2mlanguage\x1b[0m  \x1b[2m      easy\x1b[0m",
        "right    C         \x1b[32m2/2  100 %\x1b[0m",
        "",
        "\x1b[2msubject\x1b[0m  \x1b[2mlanguage\x1b[0m  \x1b[2m      hard\x1b[0m",
        "right    C         \x1b[32m1/1  100 %\x1b[0m",
    ]


CUT = "a results file of xtest is expected"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--", "cat"], "xtest: matrix takes no command behind --\n"),
        (
            ["--subject", "wright"],
            'xtest: xtest.toml: --subject "wright": no subject has this name; did you mean'
            ' "right"?\n',
        ),
        (
            ["--from", "r", "cases"],
            "xtest: --from runs nothing: it takes no suites, and no options of a run\n",
        ),
        (
            ["--from", "r", "--wall", "3"],
            "xtest: --from runs nothing: it takes no suites, and no options of a run\n",
        ),
        (
            ["--from", "r", "--report", "tap=t"],
            "xtest: --from runs nothing: xtest report FILE --to NAME=FILE makes reports of it\n",
        ),
        (["--from", "nix"], "xtest: --from nix: no such file or directory\n"),
        (["--from", "cases"], "xtest: --from cases: is a directory\n"),
        (["--from", "/dev/null"], "xtest: --from /dev/null: nothing was judged there\n"),
        (
            ["--format", "yaml"],
            "Error: Invalid value for '--format': 'yaml' is not one of 'text', 'json',"
            " 'markdown'.\n",
        ),
        (["casse"], "xtest: casse: no such folder, and no bundled suite of that name (BUNDLED)\n"),
        (
            ["cases/hard", "--subject", "absent"],
            "xtest: hard: by xtest.toml, it is not served by absent\n",
        ),
        (["--results", "/no/such/r"], "xtest: --results /no/such/r: no such file or directory\n"),
    ],
)
def test_nonsense_is_told_and_nothing_is_printed(
    folder: Path, words: list[str], message: str
) -> None:
    done = xtest("matrix", *words, folder=folder)
    bundled = done.stderr.rpartition(" (")[2].rpartition(")")[0]
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(message.replace("BUNDLED", bundled))


def test_a_line_that_is_no_event_is_told_with_its_number(folder: Path) -> None:
    (folder / "r").write_text('{"event":"problem","where":"a","message":"b"}\n{}\n', "ascii")
    done = xtest("matrix", "--from", "r", folder=folder)
    assert done.returncode == 2
    assert done.stderr.startswith("xtest: --from r, line 2: ")
    assert done.stderr.endswith(f"; {CUT}\n")


def test_without_a_project_or_without_subjects_there_is_no_matrix(tmp_path: Path) -> None:
    done = xtest("matrix", folder=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "xtest: xtest matrix: there is no xtest.toml, neither here nor in a folder above;"
        " xtest init writes one\n",
    )
    (tmp_path / "xtest.toml").write_text("", encoding="utf-8")
    done = xtest("matrix", folder=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "xtest: xtest.toml: there are no subjects to make a matrix of: add a table"
        " [subjects.NAME]\n",
    )
