"""The command line: the quick road to `xtest run`, or click's; and how faults of usage are told."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from harness.runs.options import quick_options
from harness.usage import UsageFault

__all__ = ["run_command_line"]

_EXIT_FAULT = 2


def run_command_line(arguments: Sequence[str], command: tuple[str, ...] | None) -> int:
    """Run xtest. `command` is what stood behind `--`; None: there was no `--`. Returns the exit
    status: 0 all passed, 1 a subject fell short, 2 a fault of usage, corpus or ours, 130."""
    words = list(arguments)
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help", "--version")):
        words.insert(0, "run")
    try:
        return _status(words, command)
    except UsageFault as problem:
        print(f"xtest: {problem}", file=sys.stderr)
        return _EXIT_FAULT


def _status(words: list[str], command: tuple[str, ...] | None) -> int:
    # Imported when it is known which road is taken.
    # pylint: disable=import-outside-toplevel
    # A shell that completes asks click, by this variable, and runs nothing.
    is_asked = "_XTEST_COMPLETE" in os.environ
    options = quick_options(words[1:]) if words[0] == "run" and not is_asked else None
    if options is not None:
        from harness.runs.running import run_suites

        return run_suites(options, command)
    from harness.commands import run_words

    try:
        return run_words(words, command)
    except SystemExit:
        if is_asked:
            raise
        # When whoever read our output has gone, click ends us with a status that blames a subject.
        raise BrokenPipeError from None
