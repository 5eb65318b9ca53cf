"""Serve a function of JSON values as a program and as a session of xtest.

    from xtest_session import serve

    def answer(values):
        return [sum(values)]

    serve(answer, "sums", version="1.2")

Started as usual, the program reads all values of standard input and prints the answer, one value a
line. With XTEST_SESSION=protocol it answers one request after the other; the project's
docs/sessions.md describes them. Copy this file beside your program: Python 3.9 or newer.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["Skipped", "serve"]


class Skipped(Exception):
    """Raised by an answer function that does not support its input; the message says why."""


def serve(
    answer: Callable[[list[Any]], Iterable[Any]],
    implementation: str,
    version: str = "",
    decoder: json.JSONDecoder | None = None,
    encode: Callable[[Any], str] = json.dumps,
) -> None:
    """Answer all cases that come on standard input.

    Args:
        answer: returns the values to print for all values of one case
        implementation: the name of what is tested
        version: its version
        decoder: reads values, json.JSONDecoder() if None
        encode: returns the JSON text of a value, on one line
    """
    decoder = decoder or json.JSONDecoder()
    if os.environ.get("XTEST_SESSION") != "protocol":
        _serve_one_case(answer, decoder, encode)
        return
    names = {"implementation": implementation, "version": version, "language": "Python"}
    for line in sys.stdin.buffer:  # bytes: only \n ends a line, whatever the locale
        request = decoder.decode(line.decode())
        if request["id"] == 0:
            result = json.dumps({"protocol": 1, **names})[1:-1]
        else:
            result = _result(answer, request["in"], encode)
        _print(f'{{"id": {request["id"]}, {result}}}')


def _serve_one_case(
    answer: Callable[[list[Any]], Iterable[Any]],
    decoder: json.JSONDecoder,
    encode: Callable[[Any], str],
) -> None:
    values = list(_decode_stream(sys.stdin.buffer.read().decode(), decoder))
    try:
        for value in answer(values):
            _print(encode(value))
    except Skipped as reason:
        sys.exit(f"skipped: {reason}")


def _result(
    answer: Callable[[list[Any]], Iterable[Any]], values: list[Any], encode: Callable[[Any], str]
) -> str:
    """Return the member of the response that has the answer."""
    printed = StringIO()
    try:
        # Alone, the program would fail if it printed anything else.
        with redirect_stdout(printed):
            texts = [encode(value) for value in answer(values)]
    except Skipped as reason:
        return f'"skipped": {json.dumps(str(reason))}'
    except Exception as error:  # pylint: disable=broad-exception-caught # any is the answer
        return f'"error": {json.dumps(f"{type(error).__name__}: {error}")}'
    if printed.getvalue():
        return f'"error": {json.dumps(f"also printed: {printed.getvalue()}")}'
    return f'"out": [{", ".join(texts)}]'


def _decode_stream(text: str, decoder: json.JSONDecoder) -> Iterator[Any]:
    at = _skip_white_space(text, 0)
    while at < len(text):
        value, end = decoder.raw_decode(text, at)
        yield value
        at = _skip_white_space(text, end)


def _skip_white_space(text: str, at: int) -> int:
    while text[at : at + 1] in tuple(" \t\r\n"):
        at += 1
    return at


def _print(line: str) -> None:
    sys.stdout.buffer.write(f"{line}\n".encode())
