"""Record the scene of the README in a real terminal.

The programs run and print everything that is shown. Only the timing is artificial: keys are pressed
at an even pace, and each output stays long enough to be read.
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

COLUMNS: Final = 76
LINES: Final = 36  # as many as the whole scene takes: its last screen shows all of it
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
_SHOWN_FROM: Final = 1  # the command whose output is the first screen: a failure
# The commands, and for how many seconds the output of each is shown.
_SCENE: Final = (
    ("cat median.py", 0.0),
    ("xtest run median -- python3 median.py", 5.0),
    ("sed -i s/median_high/median/ median.py", 1.0),
    ("xtest run median -- python3 median.py", 2.5),
    ("xtest matrix", 6.0),
)


class TextRun(NamedTuple):
    """Characters of one line with the same colour and weight, starting at a column."""

    column: int
    text: str
    colour: str
    is_bold: bool


class Frame(NamedTuple):
    """The lines of a screen, its cursor, and for how long it is shown."""

    lines: tuple[tuple[TextRun, ...], ...]
    cursor: tuple[int, int]  # column, line
    seconds: float


class Film(NamedTuple):
    """The screens, and the lines of all text that they showed."""

    frames: tuple[Frame, ...]
    text: tuple[str, ...]


def record(folder: Path) -> Film:
    """Record the scene, played in an empty folder."""
    _write_files(folder)
    with _shell(folder) as terminal:
        terminal.until_prompt()
        frames: list[Frame] = []
        for number, (command, pause_s) in enumerate(_SCENE):
            for key in command:
                terminal.type(key)
                frames.append(terminal.frame(_KEY_S))
            frames[-1] = frames[-1]._replace(seconds=_ENTER_S)
            terminal.type("\n")
            frames += terminal.until_prompt()
            frames.append(terminal.frame(pause_s))
            if number == _SHOWN_FROM:
                del frames[:-1]
        return Film(tuple(frames), terminal.text())


def _write_files(folder: Path) -> None:
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
    """The terminal of a shell, seen through the controlling end of a pseudo-terminal."""

    def __init__(self, controller: int) -> None:
        self._controller = controller
        self._screen = pyte.HistoryScreen(COLUMNS, LINES, history=1000)
        self._stream = pyte.ByteStream(self._screen)

    def type(self, keys: str) -> None:
        """Press keys, and wait until the shell echoes."""
        os.write(self._controller, keys.encode())
        self._read()

    def until_prompt(self) -> list[Frame]:
        """Record screens until the shell shows its prompt."""
        frames = []
        while not self._is_at_prompt():
            frames.append(self.frame(_LINE_S))
            self._read()
        return frames

    def frame(self, seconds: float) -> Frame:
        """Return the current screen."""
        cursor = self._screen.cursor
        lines = (_runs(self._screen.buffer[number]) for number in range(LINES))
        return Frame(tuple(lines), (cursor.x, cursor.y), seconds)

    def text(self) -> tuple[str, ...]:
        """Return all lines, including those that have left the screen."""
        past = [_plain(line) for line in self._screen.history.top]
        return (*past, *(_plain(self._screen.buffer[number]) for number in range(LINES)))

    def _is_at_prompt(self) -> bool:
        line = _plain(self._screen.buffer[self._screen.cursor.y])
        return line == _PROMPT.rstrip() and self._screen.cursor.x == len(_PROMPT)

    def _read(self) -> None:
        chunk = os.read(self._controller, 65_536)
        # The emulator ignores faint text; grey looks the same.
        self._stream.feed(chunk.replace(b"\x1b[2m", b"\x1b[90m"))


def _plain(line: dict[int, pyte.screens.Char]) -> str:
    return "".join(line[column].data for column in range(COLUMNS)).rstrip()


def _runs(line: dict[int, pyte.screens.Char]) -> tuple[TextRun, ...]:
    """Return the runs of a line, without the blanks between them."""
    runs: list[TextRun] = []
    for found in re.finditer(r"\S+(?: \S+)*", _plain(line)):
        begin = found.start()
        for column in range(*found.span()):
            char = line[column]
            looks = (char.fg, char.bold or char.reverse)
            if column > begin and (
                looks == (runs[-1].colour, runs[-1].is_bold) or char.data == " "
            ):
                runs[-1] = runs[-1]._replace(text=runs[-1].text + char.data)
            else:
                runs.append(TextRun(column, char.data, *looks))
    return tuple(run._replace(text=run.text.rstrip()) for run in runs)


@contextmanager
def _shell(folder: Path) -> Iterator[_Terminal]:
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    locale = {name: os.environ[name] for name in ("LANG", "LC_ALL") if name in os.environ}
    environment = {
        **locale,
        "HOME": str(folder / "home"),
        "PATH": f"{folder / 'bin'}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
        "PS1": _PROMPT,
        "PYTHONPATH": str(_TOP),
        "PYTHONUTF8": "1",
        "TERM": "xterm-256color",
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    # The leader of a session that opens a terminal gets it as its controlling terminal, which an
    # interactive shell requires.
    begin = 'exec bash --norc --noprofile --noediting -i <"$0" >"$0" 2>&1'
    with subprocess.Popen(
        ["sh", "-c", begin, os.ttyname(terminal)],
        cwd=folder / "home",
        stdin=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    ) as running:
        try:
            yield _Terminal(controller)
        finally:
            running.kill()
            os.close(terminal)
            os.close(controller)
