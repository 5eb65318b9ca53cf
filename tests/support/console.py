"""Scenarios: Markdown files whose consoles are run, and must print what is recorded below them.

A pytest plugin that collects the Markdown files with consoles below tests/ (`pytest
tests/cli/run/deliveries.md` runs one); `pytest --update-golden` rewrites what they record. A
scenario is played in an empty folder; `$EXAMPLES` is the folder examples/. Its fenced blocks:

- `json file=s/1-in.json` (any language): writes that file, executable if it begins with `#!`.
- `cases s`: writes the suite `s`: a line `1: [1] => [2]` for each case, `1: [1]` if both are equal.
- `console`: runs each line that begins with `$ ` in bash, with its here-document and the lines that
  continue it after a `\\`. What it prints to stdout and stderr follows, and `[exit 1]` if its
  status is not 0.

A line `...` stands for any lines. Times, the scenario's folder and the version of xtest are
replaced before anything is compared. A comment `<!-- needs: bwrap -->` names a program that the
scenario needs; it is then marked `system`. `<!-- runs share the working folder -->` is for programs
that record in a file that they ran, or wait for one.

The consoles of pages (README.md, docs/) are played by the same code, without `[exit 1]` and with
the times that were measured. Blocks inside an HTML comment prepare what a page does not show.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from support.debian import need
from support.golden import compare_with_file
from support.suites import write_files, write_suite
from support.xtest import SHARED, TOP, clean_environment, without_notes, write_launchers

from harness.process.system import SYSTEM
from harness.version import VERSION

_BLOCK = re.compile(r"^(`{3,})([^`\n]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_HERE_DOCUMENT = re.compile(r"<<'(\w+)'")
_CASE = re.compile(r"(\S+): (.*?)(?: => (.*))?")
# As `Heartbeat` prints it.
_PROGRESS = r"[\d,]+(?: of [\d,]+)? (?:run|case|input|mutant|finding|part)s?(?:[,;] .*)?"
_TIMES = (
    (re.compile(r"\b(?:0|\d+\.\d+) s\b"), "0.0 s"),
    (re.compile(r"\b\d+ ms\b"), "0 ms"),
    (re.compile(r"\bin \d+\.\d+s\b"), "in 0.00s"),  # pytest's
    # A busy machine takes more than the ten seconds between two lines on progress.
    (re.compile(rf"^xtest: (?:[\w ]+: )?{_PROGRESS}\n", re.MULTILINE), ""),
)
_SHARED = re.compile("^<!-- runs share the working folder -->$", re.MULTILINE)
NEEDS = re.compile(r"^<!-- needs: (.+) -->$", re.MULTILINE)
_TIMEOUT_S = 600  # ends a hang, on a busy machine, too


class Command(NamedTuple):
    """A command line, with its here-document, and its recorded output."""

    text: str
    output: str


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a Markdown file with consoles as one test."""
    is_scenario = file_path.suffix == ".md" and file_path.parent.name != "golden"
    if is_scenario and "```console\n" in file_path.read_text(encoding="utf-8"):
        return _ScenarioFile.from_parent(parent, path=file_path)
    return None


class _ScenarioFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        item = _Scenario.from_parent(self, name="scenario")
        if NEEDS.search(self.path.read_text(encoding="utf-8")):
            item.add_marker("system")
        yield item


class _Scenario(pytest.Item):
    def runtest(self) -> None:
        check_page(self, self.path, is_scenario=self.path.is_relative_to(TOP / "tests"))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, str(self.path.relative_to(TOP))


def check_page(item: pytest.Item, path: Path, *, is_scenario: bool = False) -> None:
    """Fail unless each command of a Markdown file prints what the file records."""
    text = path.read_text(encoding="utf-8")
    for programs in NEEDS.findall(text):
        for program in programs.split():
            need(program)
    with tempfile.TemporaryDirectory(prefix="scenario-") as name:
        compare_with_file(item, path, replay(text, Path(name).resolve(), is_scenario=is_scenario))


def replay(page: str, folder: Path, *, is_scenario: bool = True) -> str:
    """Return a page with the outputs that its commands print in a new folder below this one."""
    # Where no folder is private, xtest would say so in each console.
    is_shared = _SHARED.search(page) is not None or not SYSTEM.has_namespaces
    shared = SHARED if is_shared else {}
    return _BLOCK.sub(_Replay(folder, is_scenario, shared).block, page)


class _Replay:
    def __init__(self, folder: Path, is_scenario: bool, variables: dict[str, str]) -> None:
        self._is_scenario = is_scenario
        self._home = folder / "home"
        self._home.mkdir(parents=True)
        write_launchers(folder / "bin")
        environment = clean_environment(
            folder / "cache", HOME=str(self._home), EXAMPLES=str(TOP / "examples"), **variables
        )
        self._environment = {**environment, "PATH": f"{folder / 'bin'}:{environment['PATH']}"}

    def block(self, block: re.Match[str]) -> str:
        fence, info, body = block.groups()
        kind, _, argument = info.partition(" ")
        if kind == "console":
            body = "".join(map(self._play, _parse_console(body)))
            longest = max(map(len, re.findall(r"^`{3,}", body, re.MULTILINE)), default=2)
            fence = "`" * max(len(fence), longest + 1)
            return f"{fence}console\n{body}{fence}"
        if kind == "cases":
            _write_cases(self._home / argument, body)
        elif argument.startswith("file="):
            name = argument.removeprefix("file=")
            write_files(self._home, {name: body})
            if body.startswith("#!"):
                (self._home / name).chmod(0o755)
        return block[0]

    def _play(self, command: Command) -> str:
        done = subprocess.run(
            ["bash", "-c", command.text],
            cwd=self._home,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="backslashreplace",
            check=False,
            timeout=_TIMEOUT_S,
            start_new_session=True,  # without the developer's terminal
        )
        home = str(self._home)
        printed = without_notes(done.stdout.replace(home, "$PWD"))
        printed = printed.replace(home.replace("_", r"\_"), "$PWD")  # in Markdown
        if self._is_scenario:
            printed = _mask_times(printed.replace(VERSION, "VERSION"))
            if done.returncode:
                printed += "" if not printed or printed.endswith("\n") else "\n"
                printed += f"[exit {done.returncode}]\n"
        if is_same_output(printed, command.output):
            printed = command.output
        return f"$ {command.text}{_strip_lines(printed)}"


def _write_cases(folder: Path, lines: str) -> None:
    found = [_CASE.fullmatch(line) for line in lines.splitlines()]
    assert all(found), f"a line of cases must be `NAME: INPUT => OUTPUT`:\n{lines}"
    parsed = [each.groups() for each in found if each]
    write_suite(folder, {name: (given, out or given) for name, given, out in parsed})


def commands_of_page(page: str) -> list[Command]:
    consoles = [body for _, info, body in _BLOCK.findall(page) if info == "console"]
    return [command for console in consoles for command in _parse_console(console)]


def _parse_console(console: str) -> list[Command]:
    found: list[Command] = []
    lines = iter(console.splitlines(keepends=True))
    for line in lines:
        if not line.startswith("$ "):
            found[-1] = found[-1]._replace(output=found[-1].output + line)
            continue
        text = line.removeprefix("$ ")
        while text.endswith("\\\n"):
            text += next(lines)
        here = _HERE_DOCUMENT.search(text)
        if here:
            for inner in lines:
                text += inner
                if inner.rstrip("\n") == here[1]:
                    break
        found.append(Command(text, ""))
    return found


def is_same_output(printed: str, recorded: str) -> bool:
    """Return whether outputs differ at most in times, trailing white space and what `...` hides."""
    parts = re.split(r"^[ ]*\.\.\.\n", _mask(recorded), flags=re.MULTILINE)
    pattern = r"(?:.*\n)*".join(map(re.escape, parts))
    return re.fullmatch(pattern, _mask(printed)) is not None


def _mask(text: str) -> str:
    return _mask_times(_strip_lines(text))


def _mask_times(text: str) -> str:
    for pattern, shown in _TIMES:
        text = pattern.sub(shown, text)
    return text


def _strip_lines(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())
