"""A fork session learns what a Python program imports, and refuses what it cannot do faithfully."""

from __future__ import annotations

import os
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from support.processes import ENVIRONMENT, observe_job
from support.suites import write_files, write_program

from harness.errors import Refused
from harness.model.limits import Limits
from harness.model.subject import ExecutionContext
from harness.model.transcript import Exited, Job, Transcript
from harness.process.zygote.client import Zygote
from harness.process.zygote.programs import start_fork_session

PRELOADED = "import sys; print('jsonschema' in sys.modules); import json, jsonschema, own"


@pytest.fixture(name="folder", autouse=True)
def fixture_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a program and a module of its own."""
    monkeypatch.chdir(tmp_path)
    return write_files(tmp_path, {"program.py": PRELOADED, "own.py": "print('own')"})


def refusal(*argv: str, **variables: str) -> str:
    found = start_fork_session(Job(argv, b""), {**ENVIRONMENT, **variables})
    assert isinstance(found, Refused)
    return found.reason


def run_forked(
    *argv: str,
    context: ExecutionContext | None = None,
    limits: Limits = Limits(wall_s=60),
    **variables: str,
) -> Transcript:
    environment = {**ENVIRONMENT, **variables}
    job = Job(argv, b"[]", limits, None, context)
    session = start_fork_session(job, environment)
    assert isinstance(session, Zygote), session
    with closing(session):
        return observe_job(job._replace(launcher=session.launcher), environment)


def test_libraries_are_imported_before_and_own_modules_in_each_run() -> None:
    found = run_forked(sys.executable, "-B", "program.py", "1")
    assert (found.ending, found.stdout, found.stderr) == (Exited(0), b"True\nown\n", b"")


@pytest.mark.parametrize(
    "line",
    [
        *(sys.executable, f"{sys.executable} -B", "/usr/bin/env python3"),
        f"/usr/bin/env -S {sys.executable} -B -s",
    ],
)
def test_a_script_names_its_interpreter(line: str) -> None:
    write_program(Path("script"), f"#!{line}\n{PRELOADED}")
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    assert run_forked("./script", PATH=path).stdout == b"True\nown\n"


def test_a_program_runs_in_its_own_folder_and_environment(folder: Path) -> None:
    text = "import json, os; print(os.getcwd(), os.environ['COLOUR'])"
    write_files(folder / "below", {"program.py": text})
    context = ExecutionContext(str(folder / "below"), (("COLOUR", "red"),))
    found = run_forked(sys.executable, "program.py", context=context)
    assert found.stdout.decode() == f"{folder}/below red\n"


def test_the_imports_of_a_program_that_never_ends_are_those_at_its_beginning() -> None:
    text = """
import sys
print("json" in sys.modules)
import json, time
if "importtime" in sys._xoptions:
    time.sleep(600)
"""
    Path("program.py").write_text(text, encoding="utf-8")
    assert run_forked(sys.executable, "program.py", limits=Limits(wall_s=3)).stdout == b"True\n"


def test_no_other_program_runs_while_libraries_are_imported(folder: Path) -> None:
    line = "import time: 1 | 1 | unittest.__main__"
    text = f"import sys; sys.stderr.write({line!r} + chr(10)); print('unittest' in sys.modules)"
    write_files(folder, {"program.py": text, "test_own.py": "open('ran', 'w')"})
    assert run_forked(sys.executable, "program.py").stdout == b"False\n"
    assert not (folder / "ran").exists()


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (["/bin/cat"], "its command must be python3 with a script, or a script whose #! line"),
        ([sys.executable], "its command must be python3 with a script"),
        ([sys.executable, "-c", "1"], 'the option "-c" of python changes how the program runs'),
        ([sys.executable, "-m", "json"], 'the option "-m" of python changes'),
        ([sys.executable, "-Xdev", "program.py"], 'the option "-Xdev" of python changes'),
        ([sys.executable, "-", "program.py"], 'the option "-" of python changes'),
        ([sys.executable, "absent.py"], "./absent.py: no such file or directory"),
        ([sys.executable, "."], "./.: is a directory"),
        ([sys.executable, "archive"], "./archive is not Python source"),
        (["./shell"], "its command must be python3 with a script"),
        (["./shims/python3", "program.py"], "./shims/python3 is itself a script; write the path"),
        (["./absent/python3", "program.py"], "./absent/python3: no such file or directory"),
    ],
)
def test_a_command_that_cannot_be_forked_is_refused(argv: list[str], reason: str) -> None:
    with zipfile.ZipFile("archive", "w") as archive:
        archive.writestr("__main__.py", "print(1)")
    for name in ("shell", "shims/python3"):
        write_program(Path(name), "")
    assert reason in refusal(*argv)


def test_variables_that_change_the_interpreter_are_refused() -> None:
    argv = (sys.executable, "program.py")
    assert refusal(*argv, PYTHONPATH=".") == (
        "the variable PYTHONPATH of its environment changes how Python runs the program"
    )
    assert run_forked(
        *argv, PYTHONHASHSEED="1", PYTHON_VERSION="3", PYTHONPATH=""
    ).ending == Exited(0)


def test_a_module_that_hides_one_of_a_library_is_refused(folder: Path) -> None:
    (folder / "json.py").write_text("def loads(text): return text", encoding="utf-8")
    Path("program.py").write_text("import fractions, jsonschema", encoding="utf-8")
    assert str(folder / "json.py") in refusal(sys.executable, "program.py")
