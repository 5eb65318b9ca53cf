"""Print lines, messages and notes. The registry of commands imports it without any command."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from harness.files import is_terminal, terminal_size
from harness.model.events import Diagnostic
from harness.model.exit_codes import ExitCode
from harness.text import escape_ci_commands, escape_nonprintable, wrap


def print_lines(lines: Iterable[str]) -> None:
    """Print lines, in which no CI server finds a command."""
    for line in lines:
        print(escape_ci_commands(line))


def print_message(message: str) -> None:
    """Print a message to standard error, after "xtest: "."""
    print_to_stderr(f"xtest: {message}")


def print_to_stderr(text: str) -> None:
    """Print lines to standard error, wrapped at spaces if it is a terminal."""
    width = terminal_size(sys.stderr).columns if is_terminal(sys.stderr) else None
    for line in text.split("\n"):
        for part in wrap(line, width):
            print(escape_ci_commands(part), file=sys.stderr)


def print_failures(failures: Iterable[str]) -> ExitCode:
    """Print messages about what failed, and return the exit status."""
    status = ExitCode.OK
    for failure in failures:
        print_message(failure)
        status = ExitCode.FAULT
    return status


def print_note(message: str) -> None:
    print_message(f"note: {message}")


def print_notes(notes: Iterable[str]) -> None:
    for note in notes:
        print_note(note)


def print_problems(problems: Iterable[Diagnostic]) -> None:
    for problem in problems:
        print_message(escape_nonprintable(f"{problem.where}: {problem.message}"))
