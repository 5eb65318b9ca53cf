"""The entry point of `xtest`: splits the command line at the first `--`, and handles signals.

What follows `--` is the subject's command line, which no option parser looks at.
"""

from __future__ import annotations

# Only modules that every Python has loaded: until signals are handled, Ctrl-C prints a traceback.
import gc
import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper

_INTERRUPTED = 130  # ExitCode.INTERRUPTED, before it is imported
_BROKEN_PIPE = 141  # the status that a shell reports after SIGPIPE


def main() -> None:
    _exit_when_stopped()
    # Collecting garbage takes 20 ms, now or at exit, and would find nothing in modules.
    gc.disable()
    # Imported here, so that Ctrl-C during the imports prints no traceback.
    # pylint: disable=import-outside-toplevel
    from harness.cli.registry import run_command_line
    from harness.errors import RESOURCE_ERRORS, os_reason
    from harness.files import discard_stdout
    from harness.model.exit_codes import ExitCode

    gc.freeze()
    arguments = sys.argv[1:]
    command: tuple[str, ...] | None = None
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, command = arguments[:cut], tuple(arguments[cut + 1 :])
    _prepare_streams()
    try:
        status = run_command_line(arguments, command)
        # At interpreter exit, Python would report a failed flush in its own words.
        sys.stdout.flush()
        sys.exit(status)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        discard_stdout()
        sys.exit(_BROKEN_PIPE)
    except OSError as fault:
        if fault.errno not in RESOURCE_ERRORS:
            sys.exit(_report_internal_error())
        where = "standard output: " if _is_stdout_unwritable() else ""
        print(f"xtest: {where}{os_reason(fault, '')}", file=sys.stderr)
        discard_stdout()
        sys.exit(ExitCode.FAULT)
    except MemoryError:
        print("xtest: not enough memory", file=sys.stderr)
        sys.exit(ExitCode.FAULT)
    except Exception:  # pylint: disable=broad-exception-caught  # status 1 would blame the subject
        sys.exit(_report_internal_error())


def _exit_when_stopped() -> None:
    try:
        # Imported here for the same reason.
        # pylint: disable-next=import-outside-toplevel
        from harness.interruption import exit_when_stopped

        exit_when_stopped()
    except KeyboardInterrupt:
        os._exit(_INTERRUPTED)


def _prepare_streams() -> None:
    # Replace streams that the caller closed; in this order, each gets its usual descriptor.
    # pylint: disable=consider-using-with  # open as long as the process
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))
    for descriptor in (1, 2):
        os.set_blocking(descriptor, True)  # otherwise a full pipe is an error
    if isinstance(sys.stdout, TextIOWrapper):
        if isinstance(sys.stdout.buffer, FileIO):
            # As with PYTHONUNBUFFERED; Python then ignores that only a part was written.
            encoding, errors = sys.stdout.encoding, sys.stdout.errors
            buffer = BufferedWriter(sys.stdout.detach())
            sys.stdout = TextIOWrapper(buffer, encoding=encoding, errors=errors)
        # In a log that holds both streams, lines then appear in the order of printing.
        sys.stdout.reconfigure(line_buffering=True)
        if sys.stdout.encoding.lower() != "utf-8":
            # Print escapes for characters that the locale cannot encode, as standard error does.
            sys.stdout.reconfigure(errors="backslashreplace")


def _is_stdout_unwritable() -> bool:
    # Output that could not be written is still in the buffer.
    try:
        sys.stdout.flush()
    except OSError:
        return True
    return False


def _report_internal_error() -> int:
    """Report an exception of xtest itself, and return the exit status."""
    # Imported here, because it is rarely needed.
    # pylint: disable=import-outside-toplevel
    import traceback

    from harness.errors import NO_THREAD, NoProcessLeft
    from harness.model.exit_codes import ExitCode

    if str(sys.exc_info()[1]) == NO_THREAD:
        print(f"xtest: {NoProcessLeft().strerror}", file=sys.stderr)
    else:
        print("xtest: internal error; please report the following", file=sys.stderr)
        traceback.print_exc()
    return ExitCode.FAULT


if __name__ == "__main__":
    main()
