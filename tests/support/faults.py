"""Plant faults: change one line of a copy of the packages, and take the change back."""

from __future__ import annotations

import compileall
import shutil
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os.path import commonprefix
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import NamedTuple

from support.xtest import PACKAGES, TOP

from harness.suites.bundled import schemas_folder, test_cases_folder

_MOST_LINES = 3  # that one fault changes


class Fault(NamedTuple):
    """One changed line of a file, or a few next to each other, and the rule that they break."""

    data: str  # the file that declares the fault
    breaks: str
    file: str
    old: str  # occurs once in the file
    new: str
    case: str = ""  # the case of the corpus that noticed it last time: run first, to save time
    killed_by: str | list[str] = ""  # the tests that notice it


def read_faults() -> list[Fault]:
    """Return the faults of all files of tests/faults/."""
    return [
        Fault(file.name, **entry)
        for file in sorted((TOP / "tests" / "faults").glob("*.toml"))
        for entry in tomllib.loads(file.read_text(encoding="utf-8"))["faults"]
    ]


def copy_packages(folder: Path) -> Path:
    """Copy the packages into a folder, with links to schemas and corpus, and return the folder."""
    for package in ("engines", "harness", "xtests"):
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


@contextmanager
def planted(fault: Fault, packages: Path) -> Iterator[None]:
    """Change the line as long as the `with` block runs."""
    file = packages / fault.file
    source = file.read_text(encoding="utf-8")
    count = source.count(fault.old)
    assert count == 1, (
        f"{fault.data}: {fault.file} has {fault.old!r} {count} times, not once; plant"
        f' "{fault.breaks}" anew'
    )
    file.write_text(source.replace(fault.old, fault.new), encoding="utf-8")
    try:
        yield
    finally:
        file.write_text(source, encoding="utf-8")


def check_distinct(faults: Sequence[Fault]) -> None:
    """Assert that faults differ, and that each changes a single place of a few lines."""
    assert len({(fault.file, fault.old, fault.new) for fault in faults}) == len(faults)
    repeated = [name for name, count in Counter(f.breaks for f in faults).items() if count > 1]
    assert not repeated, repeated
    for fault in faults:
        old, new = fault.old.split("\n"), fault.new.split("\n")
        # Further lines may only select one of several equal lines.
        same = len(commonprefix([old, new]))
        same += len(commonprefix([old[same:][::-1], new[same:][::-1]]))
        assert 0 < max(len(old), len(new)) - same <= _MOST_LINES, fault.breaks
