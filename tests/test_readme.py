"""The README's consoles are run as they stand, and must print what it shows.

Times differ from run to run, and are made alike on both sides; nothing else is.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
README = TOP / "README.md"

_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HERE_DOCUMENT = re.compile(r"<<'(\w+)'")
_TIME = re.compile(r"\b\d+\.\d+ s\b")


def commands_of(console: str) -> list[tuple[str, str]]:
    """Each command of a console (with its here-document), and the output shown below it."""
    found: list[tuple[str, str]] = []
    lines = iter(console.splitlines(keepends=True))
    for line in lines:
        if not line.startswith("$ "):
            command, output = found[-1]
            found[-1] = (command, output + line)
            continue
        command = line.removeprefix("$ ")
        here = _HERE_DOCUMENT.search(command)
        if here:
            for inner in lines:
                command += inner
                if inner.rstrip("\n") == here[1]:
                    break
        found.append((command, ""))
    return found


def without_times(text: str) -> str:
    """The text with every time replaced by the same one, and no white space at line ends."""
    return "\n".join(line.rstrip() for line in _TIME.sub("0.0 s", text).splitlines())


def test_the_consoles_of_the_readme_are_real(tmp_path: Path) -> None:
    scripts = tmp_path / "bin"
    scripts.mkdir()
    xtest = scripts / "xtest"
    xtest.write_text(f'#!/bin/sh\nexec {sys.executable} -m harness "$@"\n', encoding="utf-8")
    xtest.chmod(0o755)
    folder = tmp_path / "home"
    folder.mkdir()
    environment = {
        **os.environ,
        "PATH": f"{scripts}:{os.environ['PATH']}",
        "PYTHONPATH": str(TOP),
    }
    consoles = _CONSOLE.findall(README.read_text(encoding="utf-8"))
    assert consoles
    for console in consoles:
        for command, shown in commands_of(console):
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            assert without_times(done.stdout) == without_times(shown), command


def test_ci_runs_the_second_command_as_it_stands() -> None:
    shown = re.findall(r"^python3 -m venv .*$", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert [command.rsplit("&& ", 1)[1] for command in shown] == [
        ".venv/bin/xtest",
        ".venv/bin/tox",
    ]
    assert shown[1] in (TOP / ".ci" / "run").read_text(encoding="utf-8").splitlines()
