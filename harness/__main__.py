"""The entry of `xtest`: cuts the command line at the first `--`, and hands the rest to the parser.

What stands behind `--` is the subject's command and is never looked at by any parser.
"""

from __future__ import annotations

import os
import signal
import sys
from errno import EDQUOT, EFBIG, EIO, ENOSPC
from io import TextIOWrapper
from types import FrameType
from typing import Final, NoReturn

__all__ = ["main"]

_STOPS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_OWN_FAULT: Final = 2
_INTERRUPTED: Final = 130
_NOBODY_READS: Final = 141  # what a shell reports of a program that SIGPIPE ended
_NO_ROOM: Final = (ENOSPC, EDQUOT, EFBIG, EIO)  # what is the disk's fault, or the terminal's


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
    _prepare_output()
    # Imported here, so that Ctrl-C while Python is still importing ends without a traceback, too.
    try:
        from harness.cli import run_command_line  # pylint: disable=import-outside-toplevel

        status = run_command_line(arguments, command)
        # Here, and not at exit: there, Python alone would tell what goes wrong.
        sys.stdout.flush()
        sys.exit(status)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has gone. Nothing more can be said, not even at exit.
        _say_no_more()
        sys.exit(_NOBODY_READS)
    except OSError as fault:
        if fault.errno not in _NO_ROOM:
            _confess()
        print(f"xtest: {(fault.strerror or '').lower()}", file=sys.stderr)
        _say_no_more()
        sys.exit(_OWN_FAULT)
    except Exception:  # pylint: disable=broad-exception-caught  # status 1 would blame the subject
        _confess()


def _prepare_output() -> None:
    if sys.stdout is None:
        # Closed by whoever started us: what is said goes nowhere, the status is as ever.
        # pylint: disable-next=consider-using-with  # open as long as we are
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
        # What the locale has no letters for is told as escapes: it must not end a run. Standard
        # error is made so by Python.
        sys.stdout.reconfigure(errors="backslashreplace")


def _confess() -> NoReturn:
    print("xtest: a fault of its own; please report what follows", file=sys.stderr)
    import traceback  # pylint: disable=import-outside-toplevel  # seldom needed, and slow

    traceback.print_exc()
    sys.exit(_OWN_FAULT)


def _say_no_more() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
