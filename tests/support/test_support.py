"""Tests of the test support itself: golden files and scenarios notice what they must."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.console import is_same_output, replay
from support.workers import UNITS
from support.xtest import NO_OTHER_PLUGINS, TOP, clean_environment

GOLDEN_TEST = """
def test_it(golden):
    golden("one.txt", "before\\n")
"""

SCENARIO = """
```sh file=bin/prog
#!/bin/sh
echo "$1$TOX_ENV_DIR in $PWD after 1.25 s" >&2
exit 3
```

```cases s
1: [1] => [2]
```

```console
$ bin/prog a
anything
$ cat s/1-in.json <<'END'; cat s/1-out.json
ignored
END
```
"""


def pytest_in(folder: Path, *words: str) -> tuple[int, str]:
    """Run pytest with the golden plugin in a folder; return its exit status and output."""
    done = subprocess.run(
        [*(sys.executable, "-m", "pytest", "-p", "support.golden", "-p", "no:cacheprovider")]
        + [*NO_OTHER_PLUGINS, "-q", f"--rootdir={folder}", *words],
        cwd=folder,
        env=clean_environment(folder / "cache", PYTHONPATH=str(TOP / "tests")),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_progress_of_a_slow_machine_is_not_compared() -> None:
    progress = (
        "52 of 60 inputs, about 2 s left",
        "1 of 1 case; alone",
        "3 parts",
        "2 of 9 runs, 1 failed",
    )
    for line in progress:
        assert is_same_output(f"a\nxtest: {line}\nb\n", "a\nb\n")
    for line in ("2 runs at once: 48 open files", "6 runs wrote left: discarded", "3 of 4 passed"):
        assert not is_same_output(f"a\nxtest: {line}\nb\n", "a\nb\n")


def test_golden_files_are_written_compared_and_missed(tmp_path: Path) -> None:
    test_file = tmp_path / "test_it.py"
    test_file.write_text(GOLDEN_TEST, encoding="utf-8")
    status, output = pytest_in(tmp_path, "--update-golden")
    assert (status, "updated golden/one.txt" in output) == (0, True), output
    assert (tmp_path / "golden" / "one.txt").read_text(encoding="utf-8") == "before\n"
    assert pytest_in(tmp_path)[0] == 0

    test_file.write_text(GOLDEN_TEST.replace("before", "after"), encoding="utf-8")
    status, output = pytest_in(tmp_path)
    assert status == 1
    assert (
        "-before\n+after\n" in output and "pytest --update-golden 'test_it.py::test_it'" in output
    )

    test_file.write_text("def test_it(): pass", encoding="utf-8")
    status, output = pytest_in(tmp_path, ".")
    assert (status, "golden/one.txt is used by no test" in output) == (1, True)
    assert pytest_in(tmp_path, "test_it.py")[0] == 0  # not the whole folder

    test_file.write_text(GOLDEN_TEST.replace("one", "two"), encoding="utf-8")
    for _ in range(2):  # the second time, nothing is left to change
        status, output = pytest_in(tmp_path, "--update-golden", "-n2", ".")
        assert [path.name for path in (tmp_path / "golden").iterdir()] == ["two.txt"]
    assert (status, "updated" in output) == (0, False), output


def test_a_scenario_records_output_status_and_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOX_ENV_DIR", "/shared/by/all")  # pytest would have its cache there
    played = replay(SCENARIO, tmp_path)
    assert played == SCENARIO.replace("anything\n", "a in $PWD after 0.0 s\n[exit 3]\n").replace(
        "END\n", "END\n[1][2]\n"
    )
    assert replay(played, tmp_path / "again") == played


@pytest.mark.parametrize(
    ("printed", "recorded", "same"),
    [
        ("a\nb\nc\nin 0.31 s\n", "a\n...\nin 7.0 s\n", True),
        ("a\nc\n", "a\n...\nc\n", True),
        ("a\nb\nc\n", "a\nb\n", False),
        ("a\nb\n", "a\n...\nc\n", False),
        ("a (b)\n", "a b\n", False),
        ("xtest: fest: 5 runs\nxtest: fest: 3 of 5 runs\n", "xtest: fest: 5 runs\n", True),
        ("xtest: 1,200 of 5,000 cases, about 4 s left\na\n", "a\n", True),
    ],
)
def test_dots_stand_for_any_lines_and_progress_does_not_count(
    printed: str, recorded: str, same: bool
) -> None:
    assert is_same_output(printed, recorded) is same


def test_every_scenario_is_collected(request: pytest.FixtureRequest) -> None:
    assert request.config.pluginmanager.has_plugin("support.console")


def test_units_of_work_are_existing_files() -> None:
    assert UNITS.keys() <= {path.name for path in (TOP / "tests").rglob("test_*.py")}
