"""The arrows between the packages, and who may do input and output, read off the syntax trees."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent
PACKAGES = ("harness", "engines", "xtests")
MODULES = sorted(
    str(file.relative_to(TOP)) for package in PACKAGES for file in (TOP / package).rglob("*.py")
)

# Leaves that every engine may stand on.
ENGINE_LEAVES = {"engines", "engines.bits", "engines.result", "engines.svg"}

# The standard library's ways to the outside world.
WORLD = {
    *(
        "asyncio",
        "ctypes",
        "fcntl",
        "glob",
        "io",
        "multiprocessing",
        "os",
        "pathlib",
        "random",
        "resource",
    ),
    *("secrets", "select", "selectors", "shutil", "signal", "socket", "subprocess", "sys"),
    *("tempfile", "threading", "time", "urllib"),
}
WORLD_CALLS = {"print", "input", "open", "exec", "eval", "__import__", "breakpoint"}

# What a module may use of the outside world, and why.
EFFECTS: dict[str, set[str]] = {
    "engines/tictactoe/notebook.py": {"input", "print"},  # converses, as the notebook does
    # arguments, interruption, exit; what is said where nobody listens
    "harness/__main__.py": {"io", "os", "signal", "sys", "open", "print"},
    "harness/care/accepting.py": {"os", "pathlib", "sys", "print"},  # the terminal; writes outputs
    "harness/care/answers.py": {"os"},  # the environment of programs
    "harness/runs/basis.py": {"os", "open"},  # reads what subjects are made of
    "harness/suites/bundled.py": {"pathlib"},  # where the package itself is
    "harness/cli.py": {"os", "sys", "print"},  # tells faults of usage; whether a shell asks
    "harness/commands/history.py": {"sys", "print"},  # the terminal
    "harness/commands/init.py": {"os", "pathlib", "sys", "print"},  # writes xtest.toml
    "harness/commands/lint.py": {"os", "pathlib", "print"},  # the terminal, where the cache is
    "harness/commands/list.py": {"os", "sys", "print"},  # the terminal, where the memory is
    "harness/commands/new.py": {"os", "pathlib", "sys", "print"},  # the terminal, the suite
    "harness/commands/pack.py": {"pathlib", "print"},  # the terminal
    "harness/commands/unpack.py": {"pathlib", "print"},  # the terminal
    "harness/several/comparing.py": {
        "os",
        "sys",
        "print",
    },  # the environment of subjects, the terminal
    "harness/runs/continuing.py": {"os"},  # whether there is a file to go on with
    "harness/suites/contract.py": {"pathlib"},  # reads schemas
    "harness/suites/corpus.py": {"os", "pathlib"},  # reads suites and cases
    "harness/several/inputs.py": {"os", "pathlib"},  # lists folders of inputs
    "harness/care/lintcache.py": {"os", "pathlib"},  # remembers what was checked
    "harness/lookup.py": {"os", "sys"},  # finds programs
    "harness/several/matrixing.py": {"sys", "open", "print"},  # results that are read, the terminal
    "harness/runs/memory.py": {"os", "open"},  # remembers how runs ended
    "harness/suites/nearby.py": {"os"},  # lists folders, for a hint
    "harness/suites/pack_command.py": {"os", "pathlib", "shutil", "sys"},  # writes cases
    "harness/suites/packfile.py": {"os", "pathlib"},  # reads packed suites
    "harness/runs/passedcache.py": {"os"},  # remembers what passed
    # forks, and reads what its hands send
    "harness/process/crew.py": {"fcntl", "os", "select", "signal", "sys", "time"},
    "harness/process/ending.py": {"os", "select", "signal"},  # kills and reaps programs
    "harness/process/guest.py": {"resource"},  # puts back what a run changes of its process
    "harness/process/loop.py": {"os", "select", "time"},  # runs them
    "harness/process/reaper.py": {"ctypes", "os", "signal", "time"},  # kills what got away
    "harness/process/sandbox.py": {"os"},  # only paths, and whether there are such folders
    "harness/process/spawn.py": {"os", "resource", "signal", "open"},  # starts programs
    "harness/process/tree.py": {"os"},  # reads /proc
    "harness/pytesting/choosing.py": {"os", "pathlib"},  # where the ini file and suites are
    "harness/pytesting/fixture.py": {"os", "pathlib"},  # only paths
    "harness/pytesting/hooks.py": {"os", "pathlib"},  # which arguments are folders
    "harness/pytesting/items.py": {"os", "pathlib"},  # only paths
    "harness/report/console.py": {"os", "shutil", "print"},  # prints
    "harness/documents/github.py": {"os"},  # whether the files of annotations are there
    "harness/documents/drawing.py": {"os", "pathlib", "time"},  # runs renderers, within a time
    "harness/documents/html_summary.py": {"urllib"},  # only how an address is written
    # writes reports, and keeps the events of a run for them
    "harness/documents/making.py": {"os", "pathlib", "sys", "tempfile", "open", "print"},
    "harness/report/progress.py": {"shutil", "threading", "time"},  # draws while nothing happens
    "harness/runs/board.py": {"time"},  # since when something runs
    "harness/runs/resultsfile.py": {"fcntl", "os", "open"},  # reads and writes results
    "harness/runs/running.py": {"os", "sys", "print"},  # the environment, the terminal
    "harness/runs/sandboxing.py": {"os", "shutil", "sys"},  # finds bubblewrap
    "harness/care/selftesting.py": {"sys", "print"},  # the terminal
    "harness/runs/single.py": {"os"},  # the environment of a run
    "harness/runs/session.py": {"os", "time"},  # the clock and the environment of a run
    "harness/several/subjects.py": {
        "os",
        "pathlib",
        "sys",
        "open",
        "print",
    },  # xtest.toml; tells of builds
    "harness/care/survey.py": {"os", "pathlib"},  # lists folders, reads settings
    "harness/care/wholefile.py": {"os", "pathlib"},  # writes files
    "harness/words.py": {"signal"},  # only the names of signals
    "harness/care/writing.py": {"os", "pathlib"},  # writes cases
    "xtests/stdio.py": {"os", "sys"},  # standard input and output
}


def imports_of(module: str) -> Iterator[str]:
    """The full names of the modules that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse((TOP / module).read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute here"
            assert node.module is not None
            for alias in node.names:
                inner = TOP / node.module.replace(".", "/") / f"{alias.name}.py"
                yield f"{node.module}.{alias.name}" if inner.exists() else node.module


def worldly(module: str) -> set[str]:
    """What a module uses of the outside world: modules imported, builtins called."""
    used = {name.split(".")[0] for name in imports_of(module)} & WORLD
    for node in ast.walk(ast.parse((TOP / module).read_bytes())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            used |= {node.func.id} & WORLD_CALLS
    return used


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("harness/")])
def test_the_harness_knows_no_engine_and_no_program(module: str) -> None:
    assert not {name for name in imports_of(module) if name.split(".")[0] in ("engines", "xtests")}


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("xtests/")])
def test_programs_take_only_the_decoder_from_the_harness(module: str) -> None:
    harness = {name for name in imports_of(module) if name.split(".")[0] == "harness"}
    assert harness <= {"harness.jsontext"}


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("engines/")])
def test_engines_do_not_know_each_other(module: str) -> None:
    own = "engines." + module.split("/")[1].removesuffix(".py")
    for name in imports_of(module):
        if name.split(".")[0] in PACKAGES:
            assert name in ENGINE_LEAVES or name == own or name.startswith(own + "."), name


@pytest.mark.parametrize("module", MODULES)
def test_only_the_named_modules_reach_the_outside_world(module: str) -> None:
    assert worldly(module) <= EFFECTS.get(module, set())


def test_each_permission_is_used() -> None:
    for module, allowed in EFFECTS.items():
        assert worldly(module) == allowed, module


def test_the_decoder_is_a_leaf() -> None:
    first_parts = {name.split(".")[0] for name in imports_of("harness/jsontext.py")}
    assert first_parts <= set(sys.stdlib_module_names)
    assert not list(imports_of("harness/__init__.py"))


@pytest.mark.parametrize("module", MODULES)
def test_no_package_starts_processes_through_subprocess(module: str) -> None:
    assert not {"subprocess", "multiprocessing", "asyncio"} & set(imports_of(module))


# Subjects are started in one place; the crew forks xtest itself.
STARTERS = ("harness/process/spawn.py", "harness/process/crew.py")


def test_only_the_process_package_starts_processes() -> None:
    for module in MODULES:
        text = (TOP / module).read_text(encoding="utf-8")
        starts = any(word in text for word in ("posix_spawn", "os.fork", "os.exec", "os.system"))
        assert not starts or module in STARTERS, module


def test_a_plain_run_pays_for_no_library_that_it_does_not_need() -> None:
    heavy = (
        *("jsonschema", "referencing", "rich", "jinja2", "asyncio", "subprocess"),
        *("click", "dataclasses", "inspect", "difflib", "shutil"),
        *("harness.several.config", "harness.several.matrix", "harness.several.subjects"),
        *("harness.documents.making", "harness.documents.formats"),
        *("harness.about", "harness.runs.abouts"),
    )
    script = (
        "import sys; from harness.cli import run_command_line\n"
        "status = run_command_line(['run', 'xtiles', '--case', '1', '-q'], ('/bin/cat',))\n"
        f"print(status, sorted(set({heavy!r}) & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=TOP
    )
    assert done.stdout.splitlines()[-1] == "1 []"


def test_a_pytest_that_names_no_suite_loads_nothing_of_the_harness_but_the_plugin() -> None:
    script = (
        "import sys, harness.pytesting.plugin\n"
        "print(sorted(name for name in sys.modules if name.split('.')[0] == 'harness'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=TOP
    )
    assert done.stdout == "['harness', 'harness.pytesting', 'harness.pytesting.plugin']\n"


PROGRAMS = sorted(
    module.removesuffix(".py").replace("/", ".")
    for module in MODULES
    if module.startswith("xtests/x")
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_starts_without_anything_heavy(program: str) -> None:
    heavy = ("json", "dataclasses", "inspect", "click", "jsonschema", "rich", "pathlib")
    script = f"import sys, {program}; print(sorted(set({heavy!r}) & set(sys.modules)))"
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(TOP)!r})\n{script}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
