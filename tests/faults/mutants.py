"""Run the tests of a sample of mutants of harness/: `tox -e faults` prints those that survive.

The tests of a module are the quick tests that import it. Modules that none imports are left alone:
they have planted faults, scenarios and slow tests.

Libraries do this, too. cosmic-ray starts pytest for each mutant, which takes 0.95 s of processor
time against 0.2 s in a fork of a process that has imported it. mutmut first runs all tests once, to
learn which functions they call in their own process; most of ours start others.
"""

from __future__ import annotations

import argparse
import ast
import os
import resource
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import pytest
from conftest import is_slow
from support.faults import TESTS, TestForks, copy_packages, replaced
from support.mutation import Mutant, file_of, sample
from support.xtest import PACKAGES

_MOST_SURVIVORS: Final = 0.3  # of those tried; 0.28 of 100, most of which only slow tests notice
_MOST_FILES: Final = 8  # of tests that a mutant is tried with
_CPU_S: Final = 20  # for a mutant that never ends
_MEMORY: Final = 4 << 30  # bytes, for the same reason


def tests_by_module() -> dict[str, list[str]]:
    """Return for each module that quick tests import these tests, and those of its users.

    At most eight files: the test of its name, those that import it themselves, and the tests of
    the names of its users come first.
    """
    users = defaultdict[str, set[str]](set)  # files of tests, and modules
    for file in PACKAGES.glob("harness/**/*.py"):
        for module in _imported(file):
            users[module].add(".".join(file.relative_to(PACKAGES).with_suffix("").parts))
    for file in TESTS.rglob("test_*.py"):
        for module in _imported(file) if not is_slow(file) else ():
            users[module].add(str(file.relative_to(TESTS)))
    tests = {module: _tests_of(module, users) for module in sorted(users)}
    return {module: files for module, files in tests.items() if files}


def _imported(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules = {str(each.module) for each in imports}
    return {module for module in modules if module.startswith("harness.")}


def _tests_of(module: str, users: Mapping[str, set[str]]) -> list[str]:
    direct = {each for each in users[module] if each.endswith(".py")}
    others = {each for user in users[module] for each in users.get(user, ())}
    mirrors = {_mirror_of(user) for user in users[module]}

    def distance(file: str) -> tuple[bool, bool, bool, str]:
        name = Path(file).name
        return name != _mirror_of(module), file not in direct, name not in mirrors, file

    files = {each for each in direct | others if each.endswith(".py")}
    return sorted(files, key=distance)[:_MOST_FILES] if direct else []


def _mirror_of(module: str) -> str:
    return f"test_{module.rpartition('.')[2]}.py"


def main() -> int:
    """Try a sample of the mutants, and return 1 if too many survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="such as harness.judging.judge; default: all")
    parser.add_argument("--count", type=int, default=100, help="mutants to try (%(default)s)")
    options = parser.parse_args()
    tests = tests_by_module()
    modules = [each for each in options.modules or tests if file_of(PACKAGES, each).exists()]
    mutants, total = sample(modules, options.count)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    count = 0
    for mutant in _survivors(mutants, tests):
        count += 1
        print(mutant, flush=True)
    print(f"{count} of {len(mutants)} mutants survive; {total:,} could be tried")
    return int(count > _MOST_SURVIVORS * len(mutants))


def _survivors(mutants: list[Mutant], tests: dict[str, list[str]]) -> Iterator[Mutant]:
    """Yield the mutants that survive, in their order."""
    with tempfile.TemporaryDirectory() as temporary:
        free = SimpleQueue[tuple[Path, TestForks]]()
        size = os.cpu_count() or 1
        copies = [copy_packages(Path(temporary) / f"copy-{each}") for each in range(size)]
        all_forks = [TestForks(copy, copy, _CPU_S) for copy in copies]
        for place in zip(copies, all_forks, strict=True):
            free.put(place)

        def is_noticed(mutant: Mutant, source: str) -> bool:
            packages, forks = free.get()
            with replaced(file_of(packages, mutant.module), source):
                status, _ = forks.run(tests[mutant.module])
            free.put((packages, forks))
            # A mutant that cannot be imported is a usage error of pytest's.
            return status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)

        with ThreadPoolExecutor(size) as pool:
            # The sources are made here, since mutants of a module share a tree.
            noticed = pool.map(is_noticed, mutants, [mutant.source() for mutant in mutants])
            yield from (mutant for mutant, each in zip(mutants, noticed, strict=True) if not each)
        for forks in all_forks:
            forks.close()


if __name__ == "__main__":
    sys.exit(main())
