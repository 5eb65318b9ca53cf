#!/usr/bin/env python3
"""A program with the vice that the method of its first message names: see README.md."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn

MEBI: Final = 1 << 20
IS_FRAMED: Final = sys.argv[1:] == ["framed"]


# Some return Any in place of None, so that lambdas can call them one after the other.


def put(data: bytes) -> Any:
    """Write all at once, unbuffered."""
    while data:
        data = data[os.write(1, data) :]


def flood(data: bytes) -> NoReturn:
    while True:
        put(data)


def frame(data: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(data), data) if IS_FRAMED else data + b"\n"


def say(**members: Any) -> Any:
    put(frame(json.dumps(members).encode()))


def answer(number: Any, result: Any = "ok") -> Any:
    say(id=number, result=result)


def sleep() -> NoReturn:
    while True:
        time.sleep(60)


def messages() -> Iterator[dict[str, Any]]:
    stream = sys.stdin.buffer
    while line := stream.readline():
        if IS_FRAMED:
            stream.readline()
            line = stream.read(int(line.split(b":")[1]))
        yield json.loads(line)


def repeat_chunks(data: bytes, size: int = 65_536) -> NoReturn:
    flood(data * (size // len(data)))


def answer_halves(number: Any, at: int) -> Any:
    whole = frame(json.dumps({"id": number, "result": "ok"}).encode())
    put(whole[:at])


def answer_half_and_stay(number: Any) -> NoReturn:
    answer_halves(number, 9)
    sleep()


def answer_in_two_writes(number: Any) -> None:
    answer_halves(number, 9)
    time.sleep(0.2)
    put(frame(json.dumps({"id": number, "result": "ok"}).encode())[9:])


def never_answer(_: Any) -> NoReturn:
    sleep()


def crash(_: Any) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def leave_a_child(number: Any) -> None:
    if os.fork() == 0:
        sleep()
    answer(number)


def leave_a_child_that_answers(number: Any) -> NoReturn:
    if os.fork() == 0:
        time.sleep(0.2)
        answer(number)
        sleep()
    os._exit(0)


def stop(number: Any) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)
    answer(number)


def close_output(_: Any) -> NoReturn:
    os.close(1)
    sleep()


def trickle(_: Any) -> NoReturn:
    while True:
        put(b"[")
        time.sleep(0.05)


def notify_slowly(_: Any) -> NoReturn:
    while True:
        say(method="log", params="still here")
        time.sleep(0.02)


def notify_without_end(_: Any) -> NoReturn:
    flood(frame(b'{"method": "log", "params": "' + b"x" * 10_000 + b'"}'))


def ask_without_end(_: Any) -> NoReturn:
    number = 0
    while True:
        number += 1
        say(id=number, method="roots")


def ask_and_read(_: Any) -> NoReturn:
    # A hundred at once: to wait for each would take longer than the script does on a busy machine.
    for start in range(0, 10_000, 100):
        put(b"".join(frame(b'{"id": %d, "method": "roots"}' % (start + i)) for i in range(100)))
        for _ in range(100):
            sys.stdin.buffer.readline()
    sleep()


def stop_reading(number: Any) -> NoReturn:
    answer(number)
    sleep()


def answer_and(after: Callable[[], Any]) -> Callable[[Any], None]:
    def act(number: Any) -> None:
        answer(number)
        after()

    return act


def printing(data: bytes, after: Callable[[], Any] = sleep) -> Callable[[Any], None]:
    """Return a vice that prints this in place of an answer."""

    def act(_: Any) -> None:
        put(data)
        after()

    return act


OK: Final = b'{"id": 1, "result": "ok"}'
DEEP: Final = b"[" * MEBI + b"]" * MEBI
VICES: Final[dict[str, Callable[[Any], Any]]] = {
    "answers": answer,
    "never-answers": never_answer,
    "ends-early": lambda _: sys.exit(0),
    "ends-early-with-status-3": lambda _: sys.exit(3),
    "crashes": crash,
    "closes-its-output": close_output,
    "stops-itself": stop,
    "answers-twice": lambda number: (answer(number), answer(number)),
    "answers-with-a-wrong-id": lambda _: answer(7),
    "answers-with-a-text-as-id": lambda number: answer(str(number)),
    "answers-without-an-id": lambda _: say(result="ok"),
    "refuses": lambda number: say(id=number, error={"code": -1}),
    "echoes": lambda number: say(id=number, method="echoes"),
    "notifies-first": lambda number: (say(method="unexpected"), answer(number)),
    "crashes-after-an-answer": answer_and(lambda: crash(None)),
    "ends-after-an-answer": answer_and(lambda: sys.exit(0)),
    "stops-reading": stop_reading,
    "trickles": trickle,
    "notifies-slowly-for-ever": notify_slowly,
    "notifies-for-ever": notify_without_end,
    "asks-for-ever": ask_without_end,
    "asks-ten-thousand-times": ask_and_read,
    "leaves-a-child": leave_a_child,
    "answers-by-a-child": leave_a_child_that_answers,
    "answers-half": answer_half_and_stay,
    "ends-in-half-an-answer": lambda number: (answer_halves(number, 9), sys.exit(0)),
    "answers-in-two-writes": answer_in_two_writes,
    "logs-on-standard-output": lambda number: (put(b"INFO: ready\n"), answer(number)),
    "floods": lambda _: repeat_chunks(frame(b'{"id": 1, "result": "no"}')),
    "floods-without-a-line-end": lambda _: repeat_chunks(b"x"),
    "floods-white-space": lambda _: repeat_chunks(b" \n"),
    "floods-an-endless-string": lambda _: (put(b'"'), repeat_chunks(b"x")),
    "prints-nul": printing(b"\x00" * 9 + b"\n"),
    "prints-utf-16": printing(OK.decode().encode("utf-16") + b"\n"),
    "prints-invalid-utf-8": printing(frame(b'{"id": 1, "result": "\xff"}')),
    "prints-a-bom": printing(frame(b"\xef\xbb\xbf" + OK)),
    "prints-a-lone-surrogate": printing(frame(b'{"id": 1, "result": "\\ud800"}')),
    "prints-duplicate-keys": printing(frame(b'{"id": 1, "id": 1, "result": "ok"}')),
    "prints-two-values": printing(frame(OK + b" " + OK)),
    "prints-an-array": printing(frame(b"[" + OK + b"]")),
    "nests-a-million-deep": printing(frame(DEEP)),
    "nests-without-end": lambda _: repeat_chunks(b"["),
    "prints-a-million-digits": printing(frame(b'{"id": 1, "result": ' + b"9" * MEBI + b"}")),
    "prints-a-large-message": printing(frame(b'{"id": 1, "result": "' + b"x" * 2 * MEBI + b'"}')),
    "prints-a-huge-exponent": printing(frame(b'{"id": 1, "result": 1e999999999}')),
    "closes-a-bracket": printing(b"}" * 9 + b"\n"),
    # Frames:
    "has-a-header-without-end": lambda _: (put(b"X-A: "), repeat_chunks(b"a")),
    "has-headers-without-end": lambda _: repeat_chunks(b"X-A: b\r\n"),
    "announces-a-gigabyte": printing(b"Content-Length: 1000000000\r\n\r\n"),
    "sends-a-gigabyte": lambda _: (put(b"Content-Length: 1000000000\r\n\r\n"), repeat_chunks(b"[")),
    "announces-too-much": printing(b"Content-Length: 40\r\n\r\n" + OK),
    "announces-too-little": printing(b"Content-Length: 9\r\n\r\n" + OK),
    "announces-nothing": printing(b"Content-Length: 0\r\n\r\n"),
    "announces-a-negative-length": printing(b"Content-Length: -1\r\n\r\n" + OK),
    "announces-a-word": printing(b"Content-Length: many\r\n\r\n" + OK),
    "announces-twice": printing(b"Content-Length: 25\r\nContent-Length: 25\r\n\r\n" + OK),
    "has-no-length": printing(b"Content-Type: text\r\n\r\n" + OK),
    "ends-headers-with-lf": printing(b"Content-Length: 25\n\n" + OK),
    "has-no-header": printing(OK + b"\n"),
}
# At the end of its input:
FAREWELLS: Final[dict[str, Callable[[], Any]]] = {
    "ignores-the-end": sleep,
    "answers-the-end": lambda: say(method="bye"),
    "ends-with-status-3": lambda: sys.exit(3),
    "floods-at-the-end": lambda: repeat_chunks(frame(b'{"method": "bye"}')),
    "leaves-half-a-message": lambda: put(b'{"method"'),
}


def main() -> None:
    vice = ""
    for message in messages():
        if not vice:
            vice = message["method"]
            VICES.get(vice, answer)(message["id"])
        elif "id" in message:
            answer(message["id"])
        elif vice == "answers-notifications":
            say(result="noted")
    if vice in FAREWELLS:
        FAREWELLS[vice]()


if __name__ == "__main__":
    main()
