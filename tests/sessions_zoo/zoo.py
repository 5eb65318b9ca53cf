"""Read integers and print answers: the parts that the programs of polluters.toml share."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

IN_SESSION = os.environ.get("XTEST_SESSION") == "protocol"
HELLO = {"id": 0, "protocol": 1, "implementation": "polluter", "version": "1", "language": "Python"}


def double(n: int) -> int:
    """Return the right answer."""
    return 2 * n


def serve(answer: Callable[[int], Any]) -> None:
    """Print the answer to each value, alone, in a stream, or in a session of the protocol."""
    if IN_SESSION:
        for number, n in requests():
            respond(number, answer(n))
        return
    for n in values():
        print(json.dumps(answer(n)))


def values() -> Iterator[int]:
    """Yield the values of standard input as they come."""
    for line in sys.stdin:
        yield from map(int, line.split())


def requests() -> Iterator[tuple[int, int]]:
    """Answer the first line, and yield the id and the value of each request."""
    for line in sys.stdin:
        request = json.loads(line)
        if request["id"] == 0:
            print(json.dumps(HELLO))
        else:
            yield request["id"], request["in"][0]


def respond(number: object, answer: object) -> None:
    """Print one response."""
    print(json.dumps({"id": number, "out": [answer]}))
