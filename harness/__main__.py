"""The entry of `xtest`: cuts the command line at the first `--`, and hands the rest to the parser.

What stands behind `--` is the subject's command and is never looked at by any parser.
"""

from __future__ import annotations

import os
import signal
import sys
from io import TextIOWrapper
from types import FrameType
from typing import Final

__all__ = ["main"]

_STOPS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_OWN_FAULT: Final = 2
_INTERRUPTED: Final = 130
_NOBODY_READS: Final = 141  # what a shell reports of a program that SIGPIPE ended


def main() -> None:
    """Run xtest with the process's arguments; exits with its status."""
    arguments = sys.argv[1:]
    for number in _STOPS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _stop)
    command: tuple[str, ...] | None = None
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, command = arguments[:cut], tuple(arguments[cut + 1 :])
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
        # What the locale has no letters for is told as escapes: it must not end a run. Standard
        # error is made so by Python.
        sys.stdout.reconfigure(errors="backslashreplace")
    # Imported here, so that Ctrl-C while Python is still importing ends without a traceback, too.
    try:
        from harness.cli import run_command_line  # pylint: disable=import-outside-toplevel

        sys.exit(run_command_line(arguments, command))
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has gone. Nothing more can be said, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(_NOBODY_READS)
    except Exception:  # pylint: disable=broad-exception-caught  # status 1 would blame the subject
        print("xtest: a fault of its own; please report what follows", file=sys.stderr)
        import traceback  # pylint: disable=import-outside-toplevel  # seldom needed, and slow

        traceback.print_exc()
        sys.exit(_OWN_FAULT)


def _stop(_number: int, _frame: FrameType | None) -> None:
    # The first one is enough: a second one must not interrupt the killing of what runs. Heard, and
    # not ignored: of one that is ignored while it waits to be heard Python tells the terminal.
    for number in _STOPS:
        signal.signal(number, _heard)
    raise KeyboardInterrupt


def _heard(_number: int, _frame: FrameType | None) -> None:
    pass


if __name__ == "__main__":
    main()
