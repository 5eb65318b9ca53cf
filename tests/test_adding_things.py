"""CONTRIBUTING.md names every file that must be touched to add something.

One of each kind is added to a copy of the tree, with `pytest --update-golden` for what is
generated; then the tests pass, and the things work.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.suites import write_files
from support.xtest import NO_OTHER_PLUGINS, TOP, clean_environment

# By the row of the table: for each file, the new text and the text before which it is inserted
# (at the end of the file if that is empty). It occurs once.
ADDITIONS: dict[str, dict[str, list[tuple[str, str]]]] = {
    "a verdict": {
        "harness/model/verdict.py": [
            (
                '    HUSHED = "hushed", Category.VALUES, "It said hush."\n',
                '    CRASHED = "crashed", ',
            ),
            (
                '    THREAD_LIMIT = "thread-limit", Category.LIMIT, "It ran too many threads."\n',
                '    CRASHED = "crashed", ',
            ),
        ],
        "harness/judging/judge.py": [
            (
                "(Judgement(Verdict.HUSHED, 'it said hush') if transcript.stderr == b'hush' "
                "else None)\n        or ",
                "_judge_output(transcript, case, policy)\n        or",
            )
        ],
    },
    "a limit": {
        "harness/model/limits.py": [
            (
                "    THREADS = (\n"
                '        "threads",\n'
                "        True,\n"
                '        "Threads at once.",\n'
                '        "sampling `/proc`",\n'
                '        (Verdict.THREAD_LIMIT, "ran more threads at once than {}"),\n'
                "    )\n",
                "    OPEN_FILES = (",
            ),
            ("    threads: int | None = None\n", "    open_files: int | None = None"),
            ("    threads: int = 1\n", "\n    def peak("),
        ],
        "harness/process/sampling.py": [
            ("from glob import glob\n", "from typing import Final\n"),
            (
                "    threads = sum(len(glob(f'/proc/{each.pid}/task/*')) for each in members)\n",
                "    return Usage(",
            ),
            ("threads=threads, ", "cpu_s=cpu_s, memory_mib="),
        ],
    },
    "a delivery": {
        "harness/delivery/transforms.py": [
            (
                'def final_tab(text: bytes) -> bytes:\n    return text and text + b"\\t"\n\n\n',
                "def white_space(",
            )
        ],
        "harness/delivery/registry.py": [
            (
                '    FINAL_TAB = "final-tab", transforms.final_tab, whole, "a tab at the end",'
                ' "ends with a tab"\n',
                "    WHITE_SPACE = (",
            )
        ],
        "docs/deliveries.md": [
            ("| `final-tab` | a tab at the end | |\n", "| `white-space` | 70,000"),
        ],
    },
    "a key of suite.toml": {
        "harness/suites/settings.py": [
            ('    contact: str = ""\n', "    input: str = "),
        ],
        "harness/suites/suite_toml.py": [
            (
                '        _neutral_key("contact", STRING, "Whom to ask."),\n',
                '        _file_key("input", ',
            )
        ],
    },
    "a key of xtest.toml": {
        "harness/project/config.py": [('    mood: str = ""\n', "    build: tuple[str, ...]")],
        "harness/project/xtest_toml.py": [
            (
                '        Key("mood", STRING, "For tables."),\n',
                '        Key("build_s", ',
            )
        ],
    },
    "a report format": {
        "harness/reports/formats/dots.py": [
            (
                '"""Write a dot for each run."""\n\n'
                "from __future__ import annotations\n\n"
                "from collections.abc import Iterator\n\n"
                "from harness.reports.source import Source\n"
                "from harness.analysis.summary import summary_of\n\n\n"
                "def document(source: Source) -> Iterator[str]:\n"
                '    yield "." * summary_of(source()).runs + "\\n"\n',
                "",
            )
        ],
        "harness/reports/registry.py": [
            (
                '    "dots": Format("harness.reports.formats.dots", "txt"),\n',
                '    "junit": Format(',
            )
        ],
        "docs/reports.md": [
            ("| [`dots`](#junit) | people in a hurry |\n", "| [`junit`](#junit) | CI")
        ],
    },
    "a command": {
        "harness/cli/greet.py": [
            (
                '"""`xtest greet`: greet the user."""\n\n'
                "from __future__ import annotations\n\n"
                "import click\n\n"
                "from harness.model.exit_codes import ExitCode\n"
                "from harness.options.command import Command\n\n\n"
                '@click.command("greet", cls=Command)\n'
                "def command() -> int:\n"
                '    """Greet the user: xtest greet."""\n'
                '    print("hello")\n'
                "    return ExitCode.OK\n",
                "",
            )
        ],
        "harness/cli/registry.py": [
            ('        "greet": "Greet the user",\n', '        "list": "List suites'),
        ],
    },
}
# The tests that hold schemas, pages, help and golden files to the declarations.
TESTS = (
    "tests/model/test_declarations.py",
    "tests/project/test_key_tables.py",
    "tests/delivery",
    "tests/judging/test_judge.py",
    "tests/reports/test_registry.py",
    "tests/reports/formats/test_formats.py",
    "tests/cli/help.md",
)
_SHARED = ("engines", "examples", "languages", "test_cases", "xtests", "website")  # not changed
_COPIED = ("docs", "harness", "schemas", "tests")


@pytest.mark.parametrize("thing", ADDITIONS)
def test_the_table_names_the_files_to_touch(thing: str) -> None:
    page = (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (an? [^|]+?) \| ([^|]+) \|$", page, re.MULTILINE))
    folder = ""
    named = set()
    for word in re.findall("`([^`]+)`", rows[thing]):
        # A file without a folder is beside the one before it.
        file = word if "/" in word else f"{folder}/{word}"
        folder = os.path.dirname(file)
        named.add(re.sub(r"/NAME\.py$", "/*.py", file))
    touched = {
        file if (TOP / file).exists() else f"{os.path.dirname(file)}/*.py"
        for file in ADDITIONS[thing]
    }
    assert touched <= named


@pytest.mark.slow
def test_after_the_additions_the_tests_pass_and_all_of_them_work(tmp_path: Path) -> None:
    tree, user = tmp_path / "tree", tmp_path / "user"
    copy_tree(tree)
    for files in ADDITIONS.values():
        for file, insertions in files.items():
            insert(tree / file, insertions)
    pytest_in_tree = ("-m", "pytest", "-q", "-p", "no:cacheprovider", *NO_OTHER_PLUGINS, *TESTS)
    run_in(tree, *pytest_in_tree, "--update-golden")
    done = run_in(tree, *pytest_in_tree)
    assert done.returncode == 0, done.stdout
    write_files(
        user,
        {
            "s/1-in.json": "1\n",
            "s/1-out.json": "1\n",
            "s/suite.toml": 'contact = "Ada"\n[limits]\nthreads = 2\nwall_s = 60\n',
            "xtest.toml": '[subjects.hush]\ncommand = ["sh", "-c", "cat; printf hush >&2"]\n'
            'mood = "calm"\n[subjects.many]\ncommand = ["python3", "many.py"]\n',
            "many.py": "from threading import Event, Thread\n"
            "for _ in range(3): Thread(target=Event().wait).start()\n",
        },
    )
    options = ("s", "--deliver", "final-tab", "--report", "dots=-", "--results", "r.jsonl")
    done = run_in(user, "-m", "harness", "run", *options, tree=tree)
    assert done.stdout == "..\n", done.stderr
    results = (user / "r.jsonl").read_text(encoding="utf-8")
    assert {"hushed", "thread-limit"} == set(re.findall('"verdict":"([^"]+)"', results))
    assert run_in(user, "-m", "harness", "greet", tree=tree).stdout == "hello\n"


def copy_tree(tree: Path) -> None:
    for name in _COPIED:
        shutil.copytree(TOP / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in _SHARED:
        (tree / name).symlink_to(TOP / name)
    for file in TOP.iterdir():
        if file.is_file() and not file.name.startswith("."):
            shutil.copy(file, tree)


def insert(file: Path, insertions: list[tuple[str, str]]) -> None:
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    for new, below in insertions:
        assert not below or text.count(below) == 1, (file, below)
        text = text.replace(below, f"{new}{below}") if below else text + new
    file.write_text(text, encoding="utf-8")


def run_in(
    folder: Path, *arguments: str, tree: Path | None = None
) -> subprocess.CompletedProcess[str]:
    environment = clean_environment(folder.parent / "cache", PYTHONPATH=str(tree or folder))
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
