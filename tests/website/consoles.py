"""The consoles of a page: each command is run as it stands, and must print what is shown.

What differs from run to run and from machine to machine is made alike on both sides, and nothing
else: times, and the folder. A line `...` in a page stands for any lines.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

__all__ = ["TOP", "Shown", "consoles_of", "play", "same"]

TOP = Path(__file__).resolve().parent.parent.parent

_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HERE_DOCUMENT = re.compile(r"<<'(\w+)'")
_TIME = re.compile(r"\b\d+\.\d+ s\b")


class Shown(NamedTuple):
    """A command with its here-document, and the output that is shown below it."""

    command: str
    output: str


def consoles_of(page: Path) -> list[Shown]:
    """Each command of a page's consoles."""
    consoles = _CONSOLE.findall(page.read_text(encoding="utf-8"))
    return [shown for console in consoles for shown in _commands_of(console)]


def _commands_of(console: str) -> list[Shown]:
    found: list[Shown] = []
    lines = iter(console.splitlines(keepends=True))
    for line in lines:
        if not line.startswith("$ "):
            found[-1] = found[-1]._replace(output=found[-1].output + line)
            continue
        command = line.removeprefix("$ ")
        here = _HERE_DOCUMENT.search(command)
        if here:
            for inner in lines:
                command += inner
                if inner.rstrip("\n") == here[1]:
                    break
        found.append(Shown(command, ""))
    return found


def play(shown: list[Shown], folder: Path) -> list[tuple[str, str, str]]:
    """Run all commands in a fresh folder below this one: each command, what it printed, and what is
    shown. The xtest on PATH is this one."""
    scripts, home = folder / "bin", folder / "home"
    scripts.mkdir()
    home.mkdir()
    xtest = scripts / "xtest"
    xtest.write_text(f'#!/bin/sh\nexec {sys.executable} -m harness "$@"\n', encoding="utf-8")
    xtest.chmod(0o755)
    path = f"{scripts}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(TOP)}
    return [(command, _printed(command, home, environment), output) for command, output in shown]


def _printed(command: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def same(printed: str, shown: str) -> bool:
    """Whether the output is what is shown, but for times, white space at line ends, and `...`."""
    parts = re.split(r"^[ ]*\.\.\.\n", _without_times(shown), flags=re.MULTILINE)
    pattern = r"(?:.*\n)*".join(map(re.escape, parts))
    return re.fullmatch(pattern, _without_times(printed)) is not None


def _without_times(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in _TIME.sub("0.0 s", text).splitlines())
