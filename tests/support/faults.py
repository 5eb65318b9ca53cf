"""Plant faults in a copy of the packages, and run tests against the copy."""

from __future__ import annotations

import ast
import compileall
import json
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import NamedTuple

from support.xtest import PACKAGES, TOP, clean_environment

from harness.files import schemas_folder, test_cases_folder

TESTS = TOP / "tests"
# The plugins of pytest were imported before the fork, so that their assertions are not rewritten.
_OPTIONS = (
    *("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)
_COPIED = ("engines", "harness", "xtests")
_ONE_KIND_OF_QUOTES = str.maketrans('"', "'")


class Fault(NamedTuple):
    """A change within one function, class or constant, and the rule that it breaks."""

    data: str  # the file that declares the fault
    breaks: str
    where: str  # module:name, or module:Class.name
    old: str  # occurs once in what `ast.unparse` makes of the definition
    new: str
    case: str = ""  # the case of the corpus that noticed it last time: run first, to save time
    killed_by: tuple[str, ...] = ()  # the tests that notice it


def read_faults() -> list[Fault]:
    """Return the faults of all files of tests/faults/."""
    return [
        _parse_fault(file.name, breaks, entry)
        for file in sorted((TESTS / "faults").glob("*.toml"))
        if file.name != "equivalent.toml"
        for breaks, entry in tomllib.loads(file.read_text(encoding="utf-8")).items()
    ]


def _parse_fault(data: str, breaks: str, entry: dict[str, str | list[str]]) -> Fault:
    tests = entry.pop("killed_by", [])
    ((where, change),) = entry.items()
    killed_by = (tests,) if isinstance(tests, str) else tuple(tests)
    return Fault(data, breaks, where, change[0], change[1], "".join(change[2:]), killed_by)


def copy_packages(folder: Path) -> Path:
    """Copy the packages into a folder, with links to schemas and corpus, and return the folder."""
    for package in _COPIED:
        shutil.copytree(
            PACKAGES / package,
            folder / package,
            ignore=shutil.ignore_patterns("__pycache__", "bundled_data"),
        )
    (folder / "schemas").symlink_to(schemas_folder())
    (folder / "test_cases").symlink_to(test_cases_folder())
    # Compiled once; by hash, so that a changed line is noticed within the resolution of file times.
    compileall.compile_dir(folder, quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    return folder


class Place(NamedTuple):
    """A definition: the number of a statement in the body of its module or class."""

    file: Path
    tree: ast.Module
    body: list[ast.stmt]
    number: int


def faulty_source(fault: Fault, packages: Path) -> tuple[Path, str]:
    """Return the file that a fault changes, and its changed text, without comments."""
    (file, tree, body, index), changed = faulty_definition(fault, packages)
    original = body[index]
    body[index : index + 1] = changed
    text = ast.unparse(tree)
    body[index : index + len(changed)] = [original]  # the tree is used again
    return file, text


def faulty_definition(fault: Fault, packages: Path) -> tuple[Place, list[ast.stmt]]:
    """Return the place of the definition that a fault changes, and what it becomes."""
    place = _find(fault.where, packages)
    source = ast.unparse(place.body[place.number])
    old, text = (each.translate(_ONE_KIND_OF_QUOTES) for each in (fault.old, source))
    assert text.count(old) == 1, (
        f'{fault.data}, "{fault.breaks}": {fault.old!r} occurs {text.count(old)} times, not once,'
        f" in {fault.where}; plant the fault anew in:\n{source}"
    )
    at = text.index(old)
    return place, ast.parse(source[:at] + fault.new + source[at + len(old) :]).body


def _find(where: str, packages: Path) -> Place:
    """Find a definition in its module or, once it was moved, in the only one that has its name."""
    module, _, name = where.partition(":")
    path = packages.joinpath(*module.split("."))
    places = list(_definitions([path.with_suffix(".py"), path / "__init__.py"], name))
    if not places:
        every = (file for each in _COPIED for file in (packages / each).rglob("*.py"))
        places = list(_definitions(every, name))
    assert len(places) == 1, f"{where}: found {len(places)} times, not once"
    return places[0]


def _definitions(files: Iterator[Path] | list[Path], name: str) -> Iterator[Place]:
    for file in files:
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        if not all(part in text for part in name.split(".")):
            continue
        tree = _parse_module(text)
        body = tree.body
        *outer, last = name.split(".")
        for each in outer:
            body = next(
                (node.body for node in body if isinstance(node, ast.ClassDef) if node.name == each),
                [],
            )
        found = [index for index, node in enumerate(body) if defined_name(node) == last]
        if len(found) == 1:
            yield Place(file, tree, body, found[0])


@lru_cache(maxsize=64)
def _parse_module(text: str) -> ast.Module:
    return ast.parse(text)


def defined_name(node: ast.stmt) -> str:
    """Return the name that a statement defines, or an empty text."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return node.name
        case ast.Assign(targets=[ast.Name(name)]) | ast.AnnAssign(target=ast.Name(name)):
            return name
        case _:
            return ""


@contextmanager
def replaced(file: Path, text: str) -> Iterator[None]:
    """Give a file another text as long as the `with` block runs."""
    original = file.read_bytes()
    file.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        file.write_bytes(original)


class TestForks:
    """Run tests against a copy of the packages, in forks of a process that has imported pytest."""

    __test__ = False  # for pytest

    def __init__(self, packages: Path, temporary: Path, cpu_s: int = 60) -> None:
        # pytest looks for unused numbers in its usual folder, at the same time as other processes.
        self._base = temporary / "t"
        environment = clean_environment(
            temporary / "cache", PYTHONPATH=str(packages), PYTHONSAFEPATH="1"
        )
        # pylint: disable-next=consider-using-with  # close() ends it
        self._server = subprocess.Popen(
            [sys.executable, "-P", str(TESTS / "faults" / "pytest_forks.py"), str(cpu_s)],
            cwd=TOP,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, tests: Sequence[str]) -> tuple[int, str]:
        """Return pytest's exit status and the end of its output; a test is FILE or FILE::NAME.

        The status is below 0 if a test ran out of time.
        """
        names = [str(locate_test(test)) for test in tests]
        assert self._server.stdin is not None and self._server.stdout is not None
        request = json.dumps([*_OPTIONS, f"--basetemp={self._base}", *names])
        print(request, file=self._server.stdin, flush=True)
        status, output = json.loads(self._server.stdout.readline())
        return status, output

    def close(self) -> None:
        """End the process."""
        self._server.communicate()


def locate_test(test: str) -> str:
    """Return the path of a test, which is named by the end of it."""
    name, colons, rest = test.partition("::")
    named = _test_files()[name.rpartition("/")[2]]
    files = [path for path in named if path.match(name)]
    assert len(files) == 1, f"{name}: {len(files)} files in tests/ have this name, not one"
    return f"{files[0]}{colons}{rest}"


@cache
def _test_files() -> Mapping[str, list[Path]]:
    """Return the files of tests, by name."""
    files = defaultdict[str, list[Path]](list)
    for kind in ("*.py", "*.md"):
        for path in TESTS.rglob(kind):
            files[path.name].append(path)
    return files
