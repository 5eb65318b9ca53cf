"""Files that another person or a subject controls: opened in one place, and never waited for."""

from __future__ import annotations

import ast
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from support.suites import write_files, write_program
from support.xtest import PACKAGES, Xtest

from harness.files import open_own, open_regular

_OPENING: Final = frozenset(
    {
        *("open", "read_text", "read_bytes", "write_text", "write_bytes", "touch"),
        *("copy", "copy2", "copyfile", "copytree", "move", "ZipFile", "run_path"),
    }
)
# How the calls that other modules may make begin, and why they may.
_ALLOWED: Final = (
    "open(os.devnull",
    "os.open(os.devnull",
    "open('/dev/tty'",  # the terminal of the person who started xtest
    # Descriptors, and what has been opened without waiting.
    "open(descriptor",
    "open(os.memfd_create(",
    "open(open_own(",
    "tarfile.open(fileobj=",
    "zipfile.ZipFile(file,",
    # Files that options name may be pipes.
    "os.open(path, flags, 438)",
    "os.open(path, os.O_RDWR | os.O_NONBLOCK",
    # Files of the kernel.
    "os.open(f'/proc/",
    "os.open('/proc/",
    "open('/proc/",
    "os.open(path, os.O_WRONLY | os.O_CLOEXEC)",
    "os.open(path, os.O_RDONLY)",
    "os.open(each, os.O_RDONLY)",
    "open(path, encoding='utf-8', errors='surrogateescape')",
    "open(f'/proc/",
    # Folders.
    "os.open(folder or '.', _FOLDER_FLAGS",
    "os.open(folder, _FOLDER_FLAGS)",
    "os.open(f'{self._scratch}/upper', _FOLDER_FLAGS)",
    # O_PATH opens nothing.
    "os.open(path, os.O_PATH",
    "os.open(target, os.O_PATH",
    "os.open('.', os.O_PATH",
    "os.open('.', SEARCHED_FOLDER",
    # Parts of xtest.
    "(schemas_folder() / f'{name}{_SCHEMA_SUFFIX}').read_bytes()",
    "(_FOLDER / name).read_text(",
    # Files in folders that were made just before.
    "(part / name).write_bytes(",
    "part.open('xb')",
    "open(self._root + path, 'xb')",
    "shutil.copytree(",  # reports special files
    # A process of the subject's, which may wait as long as its limits allow.
    "open(sys.argv[0]",
)
_OTHERS: Final = frozenset({"move(self, position)", "key.move(value, move)"})  # not of files


def _openings(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in _OPENING:
                yield ast.unparse(node)


def test_no_other_module_opens_files() -> None:
    used = set()
    for path in (PACKAGES / "harness").rglob("*.py"):
        if path != PACKAGES / "harness/files.py":
            for call in {*_openings(path.read_text("utf-8"))} - _OTHERS:
                known = [each for each in _ALLOWED if call.startswith(each)]
                assert known, f"{path}: {call}: use harness/files.py"
                used |= {*known}
    assert used == {*_ALLOWED}


@pytest.fixture(name="special", params=["pipe", "socket", "folder", "terminal", "zero", "loop"])
def _special(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Return a path that is not a regular file, in the folder `special`."""
    folder = tmp_path / "special"
    folder.mkdir()
    path = folder / "it"
    if request.param == "pipe":
        os.mkfifo(folder / "a", 0o777)
        path.symlink_to("a")
    elif request.param == "folder":
        path.mkdir()
    elif request.param == "loop":
        path.symlink_to("it")
    elif request.param == "zero":
        path.symlink_to("/dev/zero")
    if request.param == "socket":
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
        yield path
    elif request.param == "terminal":
        ours, theirs = os.openpty()
        path.symlink_to(os.ttyname(theirs))
        yield path
        os.close(ours)
        os.close(theirs)
    else:
        yield path


def test_anything_but_a_regular_file_is_refused_at_once(special: Path) -> None:
    for opening in (open_regular, lambda path: open_own(path, 0)):
        with pytest.raises(OSError):
            opening(special)


_PROGRAM: Final = "#!/bin/sh\nexec cat\n"
_FILES: Final = {
    "xtest.toml": '[subjects.it]\ncommand = ["./p.sh"]\nknown = "known.toml"\n',
    "known.toml": "",
    "s/suite.toml": 'input = "in.json"\n',
    "s/in.json": "{}",
    "s/1-in.json": "1",
    "s/1-out.json": "1",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*_FILES, "p.sh", "results.jsonl"])
def test_no_command_waits_for_a_special_file(name: str, special: Path, xtest: Xtest) -> None:
    write_files(xtest.folder, _FILES)
    write_program(xtest.folder / "p.sh", _PROGRAM)
    (xtest.folder / name).unlink(missing_ok=True)
    (xtest.folder / name).symlink_to(special)
    commands = [("run", "s", "--results", "results.jsonl"), ("lint", "s"), ("list", "s")]
    if name == "results.jsonl":
        commands = [("report", name), ("run", "s", "--rerun-failed", name)]
    for words in commands:
        done = xtest(*words)
        assert done.returncode in (0, 1, 2), words
        assert "Traceback" not in done.stderr + done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--sandbox=landlock",), ("--sandbox=bwrap",)])
def test_a_program_whose_interpreter_is_a_special_file_is_not_started(
    options: tuple[str, ...], special: Path, xtest: Xtest
) -> None:
    write_files(xtest.folder, {"s/1-in.json": "1", "s/1-out.json": "1"})
    write_program(xtest.folder / "p.sh", f"#!{special}\n")
    done = xtest("run", "s", *options, "--", "./p.sh")
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr + done.stdout
    assert done.returncode == 2 or "not-started" in done.stdout
