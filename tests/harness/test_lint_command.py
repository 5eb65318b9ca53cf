"""`xtest lint` as its users meet it: whole processes, whole messages, exit statuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent.parent
BUNDLED = ", ".join(sorted(entry.name for entry in (TOP / "test_cases").iterdir()))


def lint(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One run of xtest lint in a folder, which has the cache, too."""
    return subprocess.run(
        [sys.executable, "-m", "harness", "lint", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(TOP), "XDG_CACHE_HOME": str(folder / "cache")},
    )


@pytest.fixture(name="corpus")
def _corpus(tmp_path: Path) -> Path:
    """A folder with the suite `double`, in which nothing is wrong."""
    suite = tmp_path / "double"
    suite.mkdir()
    (suite / "README.md").write_text("Numbers, doubled.\n", encoding="utf-8")
    (suite / "suite.toml").write_text('input = "in.json"\n', encoding="utf-8")
    (suite / "in.json").write_text('{"items": {"type": "number"}}', encoding="utf-8")
    for number in (1, 2):
        (suite / f"{number}-in.json").write_text(f"{number}\n", encoding="utf-8")
        (suite / f"{number}-out.json").write_text(f"{2 * number}\n", encoding="utf-8")
    return tmp_path


def test_the_bundled_corpus_holds(tmp_path: Path) -> None:
    done = lint("--format", "json", folder=tmp_path)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each for each in found if each["severity"] != "note"] == []
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_found_is_exit_status_0(corpus: Path) -> None:
    done = lint("double", folder=corpus)
    assert done.stdout == "2 cases in 1 suite: nothing found\n"
    assert (done.returncode, done.stderr) == (0, "")


def test_findings_come_as_lines_with_their_places(corpus: Path) -> None:
    (corpus / "double" / "1-in.json").write_text('7\n "8"', encoding="utf-8")
    (corpus / "double" / "3-in.json").write_text("", encoding="utf-8")
    done = lint("double", folder=corpus)
    assert done.stdout == (
        "double/1-in.json:2:2: error: the input breaks its schema at /1: '8' is not of type"
        " 'number' [schema]\n"
        "double/3-in.json: error: an orphan: there is no 3-out.json [orphan]\n"
        "3 cases in 1 suite: 2 errors\n"
    )
    assert (done.returncode, done.stderr) == (1, "")


def test_a_warning_is_a_finding_and_a_note_only_where_that_is_asked_for(corpus: Path) -> None:
    (corpus / "double" / "2-in.json").rename(corpus / "double" / "3-in.json")
    (corpus / "double" / "2-out.json").rename(corpus / "double" / "3-out.json")
    note = "double: note: no case has the number 2 [gap]\n2 cases in 1 suite: 1 note\n"
    assert lint("double", folder=corpus).stdout == note
    assert lint("double", folder=corpus).returncode == 0
    assert lint("double", "--strict", folder=corpus).returncode == 1
    (corpus / "double" / "8-in.json").write_text("1\n", encoding="utf-8")
    (corpus / "double" / "8-out.json").write_text("2", encoding="utf-8")
    assert lint("double", folder=corpus).returncode == 1


def test_a_rule_can_be_left_out(corpus: Path) -> None:
    (corpus / "double" / "README.md").unlink()
    done = lint("double", "--ignore", "readme", folder=corpus)
    assert (done.stdout, done.returncode) == ("2 cases in 1 suite: nothing found\n", 0)


def test_what_cannot_be_read_is_exit_status_2_and_cannot_be_left_out(corpus: Path) -> None:
    (corpus / "double" / "1-in.json").unlink()
    (corpus / "double" / "1-in.json").symlink_to("nowhere")
    done = lint("double", "--ignore", "unreadable", folder=corpus)
    assert done.stdout == (
        "double/1-in.json: error: a link that leads nowhere [unreadable]\n"
        "2 cases in 1 suite: 1 error\n"
    )
    assert (done.returncode, done.stderr) == (2, "")


def test_a_finding_as_json_is_a_line_of_its_own(corpus: Path) -> None:
    (corpus / "double" / "README.md").unlink()
    done = lint("double", "--format", "json", folder=corpus)
    assert json.loads(done.stdout) == {
        **{"path": "double", "line": None, "column": None, "severity": "note"},
        "rule": "readme",
        "message": "the suite has no README.md to say what its cases are for",
    }
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("nosuch",),
            "xtest: nosuch: no such folder, and no bundled suite of that name (these are:"
            f" {BUNDLED})\n",
        ),
        (
            ("double/1-in.json",),
            "xtest: double/1-in.json: a file; a suite is a folder: xtest run double --case 1\n",
        ),
        (("cache",), None),
        (("double", "--", "cat"), "xtest: lint takes no command behind --\n"),
        (
            ("double", "--ignore", "schemata"),
            'xtest: --ignore "schemata": no such rule; did you mean schema?\n',
        ),
        (
            ("double", "--ignore", "\x1b[2J"),
            'xtest: --ignore "\\x1b[2J": no such rule; these are: settings, suite, name,'
            " unreadable, orphan, same-name, not-json, bad-line, schema-file, schema,"
            " contradiction, idle-match, same-input, same-values, idle-rule, idle-path, idle-kind,"
            " idle-limit, idle-subject, renderer, nested, readme, spoken-twice, points, raw-json,"
            " gap\n",
        ),
        (
            ("",),
            'xtest: the empty name "": no such folder, and no bundled suite of that name (these'
            f" are: {BUNDLED})\n",
        ),
    ],
)
def test_nonsense_is_told_and_is_exit_status_2(
    corpus: Path, arguments: tuple[str, ...], said: str | None
) -> None:
    (corpus / "cache").mkdir()
    done = lint(*arguments, folder=corpus)
    assert done.stderr == (said or _NO_CASES)
    assert (done.returncode, done.stdout) == (2, "")


_NO_CASES = (
    "xtest: cache: no cases in this folder or below it; a case is a pair of files N-in.json and"
    " N-out.json, or a line of cases.jsonl\n"
)


def test_what_was_found_good_is_remembered_and_a_cache_that_cannot_be_is_no_fault(
    corpus: Path,
) -> None:
    lint("double", folder=corpus)
    file = corpus / "cache" / "xtest" / "lint-1"
    remembered = file.read_bytes()
    assert len(remembered) == 3 * 16
    lint("double", folder=corpus)
    assert file.read_bytes() == remembered
    file.unlink()
    assert lint("double", "--no-cache", folder=corpus).returncode == 0
    assert not file.exists()
    file.parent.rmdir()
    file.parent.write_text("not a folder", encoding="utf-8")
    done = lint("double", folder=corpus)
    assert (done.stdout, done.stderr) == ("2 cases in 1 suite: nothing found\n", "")
