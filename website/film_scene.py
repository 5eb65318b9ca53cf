"""The film of the README: what is typed, in which folder; and how a real terminal is recorded.

Everything that is shown was printed by the programs, in a terminal of its own. Only the times are
made: keys are pressed evenly, and after each command there is time to read.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import pyte

__all__ = ["COLUMNS", "LINES", "Film", "Frame", "Run", "recorded"]

COLUMNS: Final = 76
LINES: Final = 36  # the whole scene, so that its last screen tells it all
_TOP: Final = Path(__file__).resolve().parent.parent
_PROMPT: Final = "$ "
_KEY_S: Final = 0.04
_ENTER_S: Final = 0.4
_LINE_S: Final = 0.06
_CASES: Final = {
    "1": ("[3, 1, 2]", "2"),
    "2": ("[7]", "7"),
    "3": ("[4, 1, 3, 2]", "2.5"),
    "4": ("[10, 9, 2]", "9"),
}
_PYTHON: Final = """import json, statistics, sys

numbers = json.load(sys.stdin)
print(statistics.median_high(numbers))
"""
_SHELL: Final = r"""tr -d '[] ' | tr , '\n' | sort |
    awk '{a[NR] = $0} END {m = int((NR + 1) / 2); print NR % 2 ? a[m] : (a[m] + a[m + 1]) / 2}'
"""
_CONFIG: Final = """suites = ["median"]

[subjects.python]
command = ["python3", "median.py"]

[subjects.shell]
command = ["sh", "median.sh"]
"""
# What is typed, and how long one looks at what comes of it.
_SCENE: Final = (
    ("cat median.py", 2.0),
    ("xtest run median -- python3 median.py", 5.0),
    ("sed -i s/median_high/median/ median.py", 1.0),
    ("xtest run median -- python3 median.py", 2.5),
    ("xtest matrix", 6.0),
)


class Run(NamedTuple):
    """Characters of one line that look alike: where they begin, their colour, and whether bold."""

    column: int
    text: str
    colour: str
    is_bold: bool


class Frame(NamedTuple):
    """A screen, line by line; where its cursor is; and how long it is shown."""

    lines: tuple[tuple[Run, ...], ...]
    cursor: tuple[int, int]
    seconds: float


class Film(NamedTuple):
    """The screens, and all that was to be read on them, line by line."""

    frames: tuple[Frame, ...]
    text: tuple[str, ...]


def recorded(folder: Path) -> Film:
    """Play the scene in an empty folder, and record it."""
    _furnish(folder)
    with _shell(folder) as terminal:
        terminal.until_prompt()
        frames = [terminal.frame(0.8)]
        for command, pause_s in _SCENE:
            for key in command:
                terminal.type(key)
                frames.append(terminal.frame(_KEY_S))
            frames[-1] = frames[-1]._replace(seconds=_ENTER_S)
            terminal.type("\n")
            frames += terminal.until_prompt()
            frames.append(terminal.frame(pause_s))
        return Film(tuple(frames), terminal.text())


def _furnish(folder: Path) -> None:
    """Make the files of the scene."""
    (folder / "home/median").mkdir(parents=True)
    (folder / "bin").mkdir()
    for name, (stdin, expected) in _CASES.items():
        (folder / f"home/median/{name}-in.json").write_text(f"{stdin}\n", encoding="ascii")
        (folder / f"home/median/{name}-out.json").write_text(f"{expected}\n", encoding="ascii")
    for name, text in {
        "home/median.py": _PYTHON,
        "home/median.sh": _SHELL,
        "home/xtest.toml": _CONFIG,
        "bin/xtest": f'#!/bin/sh\nexec {sys.executable} -m harness "$@"\n',
    }.items():
        (folder / name).write_text(text, encoding="ascii")
    (folder / "bin/xtest").chmod(0o755)


class _Terminal:
    """A shell, and the screen that it writes on."""

    def __init__(self, ours: int) -> None:
        self._ours = ours
        self._screen = pyte.HistoryScreen(COLUMNS, LINES, history=1000)
        self._stream = pyte.ByteStream(self._screen)

    def type(self, keys: str) -> None:
        """Press keys, and wait until the shell has answered."""
        os.write(self._ours, keys.encode())
        self._read()

    def until_prompt(self) -> list[Frame]:
        """Wait for the shell, and record what happens meanwhile."""
        frames = []
        while not self._is_at_prompt():
            frames.append(self.frame(_LINE_S))
            self._read()
        return frames

    def frame(self, seconds: float) -> Frame:
        """The screen as it is."""
        cursor = self._screen.cursor
        lines = (_runs(self._screen.buffer[number]) for number in range(LINES))
        return Frame(tuple(lines), (cursor.x, cursor.y), seconds)

    def text(self) -> tuple[str, ...]:
        """All lines, those that have left the screen, too."""
        past = [_plain(line) for line in self._screen.history.top]
        return (*past, *(_plain(self._screen.buffer[number]) for number in range(LINES)))

    def _is_at_prompt(self) -> bool:
        line = _plain(self._screen.buffer[self._screen.cursor.y])
        return line == _PROMPT.rstrip() and self._screen.cursor.x == len(_PROMPT)

    def _read(self) -> None:
        chunk = os.read(self._ours, 65_536)
        # The emulator knows nothing of faint letters: grey ones look alike.
        self._stream.feed(chunk.replace(b"\x1b[2m", b"\x1b[90m"))


def _plain(line: dict[int, pyte.screens.Char]) -> str:
    return "".join(line[column].data for column in range(COLUMNS)).rstrip()


def _runs(line: dict[int, pyte.screens.Char]) -> tuple[Run, ...]:
    """A line as runs, without what is blank between them."""
    runs: list[Run] = []
    for found in re.finditer(r"\S+(?: \S+)*", _plain(line)):
        begin = found.start()
        for column in range(*found.span()):
            char = line[column]
            looks = (char.fg, char.bold)
            if column > begin and (
                looks == (runs[-1].colour, runs[-1].is_bold) or char.data == " "
            ):
                runs[-1] = runs[-1]._replace(text=runs[-1].text + char.data)
            else:
                runs.append(Run(column, char.data, *looks))
    return tuple(run._replace(text=run.text.rstrip()) for run in runs)


@contextmanager
def _shell(folder: Path) -> Iterator[_Terminal]:
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL") if name in os.environ}
    environment = {
        **kept,
        "HOME": str(folder / "home"),
        "PATH": f"{folder / 'bin'}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
        "PS1": _PROMPT,
        "PYTHONPATH": str(_TOP),
        "PYTHONUTF8": "1",
        "TERM": "xterm-256color",
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    # Who opens a terminal at the head of a session owns it, as an interactive shell wants to.
    begin = 'exec bash --norc --noprofile --noediting -i <"$0" >"$0" 2>&1'
    with subprocess.Popen(
        ["sh", "-c", begin, os.ttyname(its)],
        cwd=folder / "home",
        stdin=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    ) as running:
        try:
            yield _Terminal(ours)
        finally:
            running.kill()
            os.close(its)
            os.close(ours)
