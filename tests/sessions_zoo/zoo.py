"""Read integers and print answers: the parts that the programs of polluters.toml share.

The programs start thousands of times. json takes half the processor time of a start, so that it is
imported where it is needed; the abstract classes come from a module that Python has loaded.
"""

import os
import sys
from _collections_abc import Callable, Iterator

IN_SESSION = os.environ.get("XTEST_SESSION") == "protocol"
HELLO = {"id": 0, "protocol": 1, "implementation": "polluter", "version": "1", "language": "Python"}


def double(n: int) -> int:
    return 2 * n


def serve(answer: Callable[[int], object]) -> None:
    """Print the answer to each value, alone, in a stream, or in a session of the protocol."""
    if IN_SESSION:
        for number, n in requests():
            respond(number, answer(n))
        return
    for n in values():
        print(_encode(answer(n)))


def values() -> Iterator[int]:
    """Yield the values of standard input as they come."""
    for line in sys.stdin:
        yield from map(int, line.split())


def requests() -> Iterator[tuple[int, int]]:
    """Answer the first line, and yield the id and the value of each request."""
    import json  # pylint: disable=import-outside-toplevel  # half of the start

    for line in sys.stdin:
        request = json.loads(line)
        if request["id"] == 0:
            print(_encode(HELLO))
        else:
            yield request["id"], request["in"][0]


def respond(number: object, answer: object) -> None:
    print(_encode({"id": number, "out": [answer]}))


def _encode(answer: object) -> str:
    if isinstance(answer, int) and not isinstance(answer, bool):
        return str(answer)
    import json  # pylint: disable=import-outside-toplevel  # half of the start

    return json.dumps(answer)
