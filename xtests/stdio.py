"""The process side of the programs: standard streams, arguments, exit statuses.

A program is a pure function of decoded values; only this module of xtests/ uses file descriptors.
docs/games/index.md specifies streams and exit statuses.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NoReturn

from harness.jsonio.decoder import PROGRAM_DEPTH, Decoder, encode
from xtests.errors import ROOT, InputError, Kind, element, incomplete, malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from harness.jsonio.decoder import Json, Printable
    from xtests.errors import Pointer

__all__ = ["serve_batch", "serve_picture", "serve_stream"]

_ANSWERED: Final = 0
_REJECTED: Final = 1
_FAILED: Final = 2
_INTERRUPTED: Final = 130  # as a shell reports a program that SIGINT (2) ended
_BROKEN_PIPE: Final = 141  # as a shell reports a program that SIGPIPE (13) ended

_HTML: Final = "--html"
_ABOUT: Final = (["-h"], ["--help"], ["--version"])

_CHUNK: Final = 1 << 16  # the capacity of a Linux pipe; a read returns less as soon as it can


class _UnusableFile(Exception):
    """A standard stream or output file that cannot be read or written."""


def serve_batch(
    program: str,
    answer: Callable[[list[Json]], Printable],
    page: Callable[[list[Json]], str] | None = None,
) -> NoReturn:
    """Read the whole input, print one answer and exit.

    `answer` takes all input values and may raise InputError. With `page`, the program accepts
    `--html FILE` and writes the page for the same values to FILE before it prints the answer.
    """
    arguments, takes, save = sys.argv[1:], "no arguments", None
    if page is not None:
        takes += " except --html FILE"
        file, arguments = _parse_html_option(arguments)
        save = None if file is None else partial(_write_page, file, page)

    def serve() -> int:
        if _is_session() and save is None:
            return _serve_session(program, lambda values: [answer(values)])
        values = _read_all()
        printed = answer(values)
        if save is not None:
            save(values)
        _print(printed)
        return _ANSWERED

    _run(program, None if arguments else serve, takes)


def serve_stream(
    program: str,
    answer: Callable[[Json, Pointer], Printable],
    *,
    requires: str | None,
    survives_errors: bool,
) -> NoReturn:
    """Answer each input value as soon as it is complete, and exit at the end of the input.

    `answer` takes a value and its place, and may raise InputError; the error object is printed
    instead. The program then reads the next value if it `survives_errors` (its exit status is that
    of the stream alone) and exits otherwise. `requires` names the first value of a stream that
    must not be empty, or is None.
    """

    def answer_one(value: Json, at: Pointer) -> Printable:
        try:
            return answer(value, at)
        except InputError as error:
            if not survives_errors:
                raise
            return error.error_object()

    answers = partial(_answer_values, answer_one, requires)

    def serve() -> int:
        if _is_session():
            return _serve_session(program, lambda values: list(answers([values])))
        for answered in answers(_read_until_fault()):
            _print(answered)
        return _ANSWERED

    _run(program, None if sys.argv[1:] else serve)


def serve_picture(program: str, pictures: Mapping[str, Callable[[Json], str]]) -> NoReturn:
    """Read one value, print the picture of it that the argument names, and exit.

    A drawing function may raise InputError. Its message goes to standard error, as the output is
    not JSON, and the exit status is 1.
    """
    draw = pictures.get(sys.argv[1]) if len(sys.argv) == 2 else None
    serve = None if draw is None else partial(_print_picture, program, draw)
    _run(program, serve, f"one of {', '.join(pictures)}", reads="a JSON value")


def _parse_html_option(arguments: list[str]) -> tuple[str | None, list[str]]:
    """Return the FILE of --html or None, and the other arguments."""
    if len(arguments) == 2 and arguments[0] == _HTML:
        return arguments[1], []
    if len(arguments) == 1 and arguments[0].startswith(f"{_HTML}="):
        return arguments[0].removeprefix(f"{_HTML}="), []
    return None, arguments


def _answer_values(
    answer: Callable[[Json, Pointer], Printable],
    requires: str | None,
    batches: Iterable[list[Json]],
) -> Iterator[Printable]:
    count = 0
    for batch in batches:
        for value in batch:
            yield answer(value, element(ROOT, count))
            count += 1
    if count == 0 and requires is not None:
        raise incomplete(0, requires)


def _read_until_fault() -> Iterator[list[Json]]:
    decoder = Decoder(PROGRAM_DEPTH)
    for batch in _read_batches(decoder):
        yield batch
        # Before the next read: the other side may keep its end open.
        if decoder.fault is not None:
            raise malformed(decoder.fault)


def _is_session() -> bool:
    return os.environ.get("XTEST_SESSION") == "protocol"


def _serve_session(program: str, answer: Callable[[list[Json]], list[Printable]]) -> int:
    """Answer the requests of a session, which docs/sessions.md specifies."""
    from harness.version import VERSION  # pylint: disable=import-outside-toplevel  # rarely needed

    names = {"implementation": program, "version": VERSION, "language": "Python"}
    for line in _read_lines():
        request = _decode_request(line)
        number = request["id"].text
        if number == "0":
            _print({"id": 0, "protocol": 1, **names})
            continue
        try:
            answers = ",".join(map(encode, answer(request["in"])))
            _write_stdout(f'{{"id":{number},"out":[{answers}]}}\n')
        except InputError as error:
            _write_stdout(f'{{"id":{number},"error":{encode(error.message)}}}\n')
    return _ANSWERED


def _read_lines() -> Iterator[bytes]:
    try:
        with open(0, "rb", closefd=False) as requests:
            yield from requests
    except OSError as problem:
        raise _unreadable(problem) from problem


def _decode_request(line: bytes) -> Any:
    decoder = Decoder(PROGRAM_DEPTH + 2)  # the values are inside an object and an array
    requests = decoder.feed(line)
    if decoder.fault is not None:
        raise malformed(decoder.fault)
    return requests[0]


def _print_picture(program: str, draw: Callable[[Json], str]) -> int:
    try:
        values = _read_all()
        if len(values) != 1:
            message = f"one value expected, found {len(values)}"
            raise InputError(Kind.INVALID_SPEC, ROOT, message)
        picture = draw(values[0])
    except InputError as error:
        _report(f"{program}: {error.message}")
        return _REJECTED
    _write_stdout(f"{picture}\n")
    return _ANSWERED


def _read_all() -> list[Json]:
    # To the end even after a fault, so that the writer gets no SIGPIPE.
    text = b"".join(iter(_read_chunk, b""))
    if len(text) > _CHUNK:
        # Imported here: it costs as much as the rest of the start, and reads 1 MB in 10 ms instead
        # of 500 ms.
        from harness.jsonio.fast import decode  # pylint: disable=import-outside-toplevel

        values, fault = decode(text, PROGRAM_DEPTH)
    else:
        decoder = Decoder(PROGRAM_DEPTH)
        values, fault = decoder.feed(text) + decoder.close(), decoder.fault
    if fault is not None:
        raise malformed(fault)
    return values


def _read_batches(decoder: Decoder) -> Iterator[list[Json]]:
    """Yield the values that each read completes, and those that the end of the input completes."""
    while chunk := _read_chunk():
        yield decoder.feed(chunk)
    yield decoder.close()


def _read_chunk() -> bytes:
    try:
        return os.read(0, _CHUNK)
    except OSError as problem:
        raise _unreadable(problem) from problem


def _unreadable(problem: OSError) -> _UnusableFile:
    return _UnusableFile(f"standard input cannot be read: {problem.strerror}")


def _write_page(file: str, page: Callable[[list[Json]], str], values: list[Json]) -> None:
    text = page(values).encode()
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        try:
            _write(descriptor, text)
        finally:
            os.close(descriptor)
    except OSError as problem:
        raise _UnusableFile(f"{file} cannot be written: {problem.strerror}") from problem


def _print(value: Printable) -> None:
    _write_stdout(f"{encode(value)}\n")


def _write_stdout(text: str) -> None:
    try:
        _write(1, text.encode())
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise _UnusableFile(f"standard output cannot be written: {problem.strerror}") from problem


def _write(descriptor: int, data: bytes) -> None:
    # Unbuffered, so that an answer is out before the next value is read. A pipe may take a part.
    while data:
        data = data[os.write(descriptor, data) :]


def _run(
    program: str,
    serve: Callable[[], int] | None,
    takes: str = "no arguments",
    reads: str = "JSON",
) -> NoReturn:
    """Exit with the status that `serve` returns, which is None for arguments that are refused."""
    if sys.argv[1:] in _ABOUT:
        serve = partial(_print_about, program, takes)
    if serve is None:
        status = _report(f"{program}: {takes} expected; it reads {reads} from standard input")
    else:
        status = _status_of(program, serve)
    # Not sys.exit: finalizing the modules costs a tenth of a run (benchmarks/), and no file is
    # buffered.
    os._exit(status)


def _status_of(program: str, serve: Callable[[], int]) -> int:
    try:
        return _print_input_error(serve)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        return _BROKEN_PIPE
    except _UnusableFile as problem:
        return _report(f"{program}: {problem}")
    except Exception as problem:  # pylint: disable=broad-exception-caught  # the process ends here
        return _report_internal_error(program, problem)


def _print_about(program: str, takes: str) -> int:
    from harness.version import VERSION  # pylint: disable=import-outside-toplevel  # rarely needed

    if sys.argv[1] == "--version":
        _write_stdout(f"{program} {VERSION}\n")
        return _ANSWERED
    module = sys.modules.get(f"xtests.{program}") or sys.modules["__main__"]
    title = (module.__doc__ or program).partition("\n")[0]
    how = f"It reads JSON from standard input and takes {takes}"
    _write_stdout(f"{title}\n{how}.\n")
    return _ANSWERED


def _print_input_error(serve: Callable[[], int]) -> int:
    try:
        return serve()
    except InputError as error:
        _print(error.error_object())
        return _REJECTED


def _report_internal_error(program: str, problem: Exception) -> int:
    # Imported here: it costs as much as the rest of the start, and is hardly ever needed.
    import traceback  # pylint: disable=import-outside-toplevel

    trace = "".join(traceback.format_exception(problem)).rstrip()
    return _report(f"{program}: internal error; please report it: {trace}")


def _report(message: str) -> int:
    try:
        os.write(2, f"{message}\n".encode(errors="backslashreplace"))
    except OSError:
        pass  # standard error is closed too; the exit status remains
    return _FAILED
