"""From standard input to standard output: the one module of xtests/ that touches file descriptors.

A program is a pure function of decoded values. When it is asked, where its answers and refusals
go, and how the process ends, is decided here. The contract is docs/errors.md.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import Final, NoReturn

from harness.jsontext import PROGRAM_DEPTH, Decoder, encode
from xtests.refusal import EVERYTHING, Kind, Refused, element, incomplete, malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from harness.jsontext import Json, Printable
    from xtests.refusal import Pointer

__all__ = ["answer_each", "answer_whole", "draw_one"]

_ANSWERED: Final = 0
_REFUSED: Final = 1
_OWN_FAULT: Final = 2
_INTERRUPTED: Final = 130  # what a shell reports of a program that SIGINT (2) ended
_NOBODY_READS: Final = 141  # ... and of one that SIGPIPE (13) ended

_HTML: Final = "--html"

_CHUNK: Final = 1 << 16  # what a pipe of Linux holds; a read returns with less as soon as it can


class _Unusable(Exception):
    """A standard stream that cannot be read or written."""


def answer_whole(
    program: str,
    answer: Callable[[list[Json]], Printable],
    page: Callable[[list[Json]], str] | None = None,
) -> NoReturn:
    """Run a program that reads its input to the end, then prints one value, and end the process.

    `answer` gets all values that were read, and may raise Refused. `page`: what is written to FILE
    for the same values, once they have been accepted and before the answer is printed, where the
    program was called with `--html FILE`. Without it there is no such argument.
    """
    arguments = sys.argv[1:]
    if page is None:
        _leave(_ended(program, arguments, lambda: _whole(answer)))
    file, others = _html_file(arguments)
    save = None if file is None else partial(_write_file, file, page)
    _leave(_ended(program, others, lambda: _whole(answer, save), "no arguments or --html FILE"))


def answer_each(
    program: str,
    answer: Callable[[Json, Pointer], Printable],
    *,
    requires: str | None,
    goes_on: bool,
) -> NoReturn:
    """Run a program that answers each value as soon as it has come, before the next is sent; at
    the end of the input, end the process.

    `answer` gets a value and its place, and may raise Refused: then the error object is printed in
    the answer's place, and either the next value is read (`goes_on`: the exit status tells only
    whether the stream was well-formed) or the program ends. `requires` names what must come at
    least once; None: the stream may be empty.
    """
    _leave(_ended(program, sys.argv[1:], lambda: _each(answer, requires, goes_on=goes_on)))


def draw_one(program: str, pictures: Mapping[str, Callable[[Json], str]]) -> NoReturn:
    """Run a program that reads one value, prints a picture of it, and ends the process. Its one
    argument says which of the `pictures` is made.

    What makes a picture may raise Refused: its message goes to standard error, as nobody takes JSON
    for a picture, and the exit status is 1.
    """
    arguments = sys.argv[1:]
    make = pictures.get(arguments[0]) if len(arguments) == 1 else None
    if make is None:
        expected = f"one of {', '.join(pictures)} expected"
        _leave(_complain(f"{program}: {expected}; it reads a JSON value from standard input"))
    _leave(_ended(program, [], lambda: _picture(program, make)))


def _leave(status: int) -> NoReturn:
    # Not sys.exit: to take the modules down one by one costs a tenth of a run (benchmarks/), and
    # nothing waits to be flushed or closed.
    os._exit(status)


def _html_file(arguments: list[str]) -> tuple[str | None, list[str]]:
    """The file that a page is asked for in, if it is, and the other arguments."""
    if len(arguments) == 2 and arguments[0] == _HTML:
        return arguments[1], []
    if len(arguments) == 1 and arguments[0].startswith(f"{_HTML}="):
        return arguments[0].removeprefix(f"{_HTML}="), []
    return None, arguments


def _whole(
    answer: Callable[[list[Json]], Printable], save: Callable[[list[Json]], None] | None = None
) -> int:
    values = _read_whole()
    printed = answer(values)
    if save is not None:
        save(values)
    _print(printed)
    return _ANSWERED


def _read_whole() -> list[Json]:
    decoder = Decoder(PROGRAM_DEPTH)
    # To the end even after a fault, so that whoever writes is not cut off.
    values = [value for batch in _batches(decoder) for value in batch]
    if decoder.fault is not None:
        raise malformed(decoder.fault)
    return values


def _picture(program: str, make: Callable[[Json], str]) -> int:
    try:
        values = _read_whole()
        if len(values) != 1:
            raise Refused(Kind.INVALID_SPEC, EVERYTHING, f"one value expected, found {len(values)}")
        drawn = make(values[0])
    except Refused as refusal:
        _complain(f"{program}: {refusal.message}")
        return _REFUSED
    _write_out(f"{drawn}\n")
    return _ANSWERED


def _each(
    answer: Callable[[Json, Pointer], Printable], requires: str | None, *, goes_on: bool
) -> int:
    decoder = Decoder(PROGRAM_DEPTH)
    count = 0
    for batch in _batches(decoder):
        for value in batch:
            _print(_answer_to_one(answer, value, element(EVERYTHING, count), goes_on=goes_on))
            count += 1
        # At once, without reading on: whoever converses may never close its end.
        if decoder.fault is not None:
            raise malformed(decoder.fault)
    if count == 0 and requires is not None:
        raise incomplete(0, requires)
    return _ANSWERED


def _answer_to_one(
    answer: Callable[[Json, Pointer], Printable], value: Json, at: Pointer, *, goes_on: bool
) -> Printable:
    try:
        return answer(value, at)
    except Refused as refusal:
        if not goes_on:
            raise
        return refusal.error_object()


def _batches(decoder: Decoder) -> Iterator[list[Json]]:
    """The values that each read completes, and at last those that the end completes."""
    while chunk := _read():
        yield decoder.feed(chunk)
    yield decoder.close()


def _read() -> bytes:
    try:
        return os.read(0, _CHUNK)
    except OSError as problem:
        raise _Unusable(f"standard input cannot be read: {problem.strerror}") from problem


def _write_file(file: str, page: Callable[[list[Json]], str], values: list[Json]) -> None:
    drawn = page(values).encode()
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        try:
            _write(descriptor, drawn)
        finally:
            os.close(descriptor)
    except OSError as problem:
        raise _Unusable(f"{file} cannot be written: {problem.strerror}") from problem


def _print(value: Printable) -> None:
    _write_out(f"{encode(value)}\n")


def _write_out(text: str) -> None:
    try:
        _write(1, text.encode())
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise _Unusable(f"standard output cannot be written: {problem.strerror}") from problem


def _write(descriptor: int, data: bytes) -> None:
    # A pipe may take a part only. Unbuffered, so that the answer is there at once.
    while data:
        data = data[os.write(descriptor, data) :]


def _ended(
    program: str,
    unexpected: list[str],
    session: Callable[[], int],
    expected: str = "no arguments",
) -> int:
    """The exit status of a session, whichever way it ends, unless the call has arguments that it
    should not have."""
    if unexpected:
        return _complain(f"{program}: {expected} expected; it reads JSON from standard input")
    try:
        return _refusing(session)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        return _NOBODY_READS
    except _Unusable as problem:
        return _complain(f"{program}: {problem}")
    except Exception as problem:  # pylint: disable=broad-exception-caught  # the process ends here
        return _complain(f"{program}: a fault of its own, please report it: {_traced(problem)}")


def _refusing(session: Callable[[], int]) -> int:
    try:
        return session()
    except Refused as refusal:
        _print(refusal.error_object())
        return _REFUSED


def _traced(problem: Exception) -> str:
    # Imported here: it costs as much as the rest of a start, and is wanted almost never.
    import traceback  # pylint: disable=import-outside-toplevel

    return "".join(traceback.format_exception(problem)).rstrip()


def _complain(message: str) -> int:
    try:
        os.write(2, f"{message}\n".encode(errors="backslashreplace"))
    except OSError:
        pass  # nobody listens there either: the status still tells
    return _OWN_FAULT
