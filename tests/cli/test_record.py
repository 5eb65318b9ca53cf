"""`xtest record` between real clients and servers."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import IO

import pytest
from support.processes import until
from support.suites import write_files, write_suite
from support.xtest import XTEST, Xtest

# Makes up an id for each session and request; logs.
SERVER = """#!/usr/bin/env python3
import json, sys, uuid

COUNT = 1

def read():
    line = sys.stdin.readline()
    if line.startswith("Content-Length: "):
        sys.stdin.readline()
        return json.loads(sys.stdin.read(int(line[16:])))
    return json.loads(line) if line else None

def say(message):
    text = json.dumps(message)
    framed = "--lsp" in sys.argv
    sys.stdout.write(f"Content-Length: {len(text)}\\r\\n\\r\\n{text}" if framed else text + "\\n")
    sys.stdout.flush()

while (message := read()) is not None:
    if message["method"] == "open":
        print("opened", file=sys.stderr)
        say({"method": "log", "params": str(uuid.uuid4())})
        say({"id": message["id"], "result": {"sessionId": str(uuid.uuid4()), "count": COUNT}})
    elif message["method"] == "use":
        asked = str(uuid.uuid4())
        say({"id": asked, "method": "roots/list"})
        answer = read()
        assert answer["id"] == asked
        session = message["params"]["sessionId"]
        say({"id": message["id"], "result": {"sessionId": session, "roots": answer["result"]}})
    elif message["method"] == "exit":
        sys.exit(3)
"""


class Client:
    """A client of the server, which does not know that xtest stands between."""

    def __init__(self, stdin: IO[str], stdout: IO[str], *, lsp: bool = False) -> None:
        self.stdin, self.stdout, self.lsp = stdin, stdout, lsp

    def say(self, **message: object) -> None:
        text = json.dumps(message)
        self.stdin.write(f"Content-Length: {len(text)}\r\n\r\n{text}" if self.lsp else f"{text}\n")
        self.stdin.flush()

    def hear(self) -> dict[str, object]:
        if not self.lsp:
            return dict(json.loads(self.stdout.readline()))
        length = int(self.stdout.readline().removeprefix("Content-Length: "))
        self.stdout.readline()
        return dict(json.loads(self.stdout.read(length)))

    def converse(self) -> None:
        self.say(id=1, method="open")
        assert self.hear()["method"] == "log"
        opened = self.hear()["result"]
        assert isinstance(opened, dict)
        self.say(id=2, method="use", params={"sessionId": opened["sessionId"]})
        self.say(id=self.hear()["id"], result=["a"])
        assert self.hear()["result"] == {"sessionId": opened["sessionId"], "roots": ["a"]}


def write_server(folder: Path, source: str = SERVER, name: str = "server") -> None:
    write_files(folder, {name: source})
    (folder / name).chmod(0o755)


@pytest.mark.parametrize("words", [(), ("--lsp",)])
def test_a_recorded_session_replays_on_the_same_server_and_not_on_a_changed_one(
    xtest: Xtest, tmp_path: Path, words: tuple[str, ...]
) -> None:
    write_server(tmp_path)
    write_server(tmp_path, SERVER.replace("COUNT = 1", "COUNT = 2"), "changed")
    for method in ("exit", None):
        line = ("record", "suite", "--", "./server", *words)
        with xtest.start(*line, stdin=subprocess.PIPE) as running:
            assert running.stdin is not None and running.stdout is not None
            client = Client(running.stdin, running.stdout, lsp=bool(words))
            client.converse()
            if method is not None:
                client.say(method=method)
            output, errors = running.communicate()
        assert (running.returncode, output) == (3 if method else 0, "")
        assert errors.startswith("opened\n")  # as the server printed it
    assert xtest("run", "suite", "--", "./server", *words).returncode == 0
    changed = xtest("run", "suite", "--", "./changed", *words)
    assert changed.returncode == 1
    assert "/result/count: 1 expected, 2 printed" in changed.stdout
    assert "2 differs" in changed.stdout.splitlines()[-1]


def test_a_client_over_tcp_is_recorded(xtest: Xtest, tmp_path: Path) -> None:
    source = SERVER.replace(
        "COUNT = 1",
        "COUNT = 1\n"
        + "\n".join(
            [
                "import socket",
                "connection = socket.create_server(('127.0.0.1', int(sys.argv[1]))).accept()[0]",
                "sys.stdin, sys.stdout = connection.makefile('r'), connection.makefile('w')",
            ]
        ),
    )
    write_server(tmp_path, source)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    line = ("record", "suite", "--port", str(port), "--", "./server", "{port}")
    with xtest.start(*line) as running:
        connections: list[socket.socket] = []

        def connect() -> bool:
            try:
                connections.append(socket.create_connection(("127.0.0.1", port)))
            except ConnectionRefusedError:
                return False
            return True

        until(connect)
        with connections[0] as connection, connection.makefile("rw") as stream:
            client = Client(stream, stream)
            client.converse()
            client.say(method="exit")
            assert stream.readline() == ""  # the end of the server is that of the connection
        _, errors = running.communicate()
    assert running.returncode == 3, errors
    steps = (tmp_path / "suite" / "1-talk.jsonl").read_text().splitlines()
    assert [next(iter(json.loads(step))) for step in steps] == [
        *("send", "expect", "send", "expect", "send", "expect", "send", "exit")
    ]
    assert xtest("run", "suite", "--", "./server", "{port}").returncode == 0


def test_bytes_pass_unchanged_and_at_once(xtest: Xtest, tmp_path: Path) -> None:
    """Parts of messages, and what is not JSON: each side waits for the other's part."""
    write_server(tmp_path, "#!/bin/sh\nprintf 'a\\377'; head -c 2 >got; printf 'b\\r'; exit 7\n")
    with subprocess.Popen(
        [*XTEST, "record", "suite", "--", "./server"],
        cwd=tmp_path,
        env=xtest.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdin is not None and running.stdout is not None
        assert running.stdout.read(2) == b"a\xff"
        running.stdin.write(b"\x00\xfe")
        running.stdin.flush()
        assert running.stdout.read() == b"b\r"
        assert running.wait() == 7
    assert (tmp_path / "got").read_bytes() == b"\x00\xfe"


def test_a_signal_ends_the_wait_for_a_client(xtest: Xtest, tmp_path: Path) -> None:
    source = "import os, socket, sys, time\n"
    source += "listener = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n"
    source += "listener.accept(); open('met', 'w').close(); time.sleep(600)\n"
    write_server(tmp_path, f"#!/usr/bin/env python3\n{source}")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    line = ("record", "suite", "--port", str(port), "--", "./server", "{port}")
    with xtest.start(*line) as running:
        until((tmp_path / "met").exists)
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == 128 + signal.SIGTERM
    assert not (tmp_path / "suite").exists()


def test_a_signal_ends_the_script_because_no_script_sends_one(xtest: Xtest, tmp_path: Path) -> None:
    write_server(
        tmp_path, "#!/bin/sh\ntrap 'echo 2; exit 7' TERM\necho 1; while :; do sleep 0.05; done\n"
    )
    with xtest.start("record", "suite", "--", "./server", stdin=subprocess.PIPE) as running:
        assert running.stdout is not None and running.stdout.readline() == "1\n"
        running.send_signal(signal.SIGTERM)
        output, errors = running.communicate()
    assert (running.returncode, output) == (7, "2\n")
    assert errors == (
        "xtest: written: suite/1-talk.jsonl, 1 step\n"
        "xtest: note: the client sent SIGTERM; the script ends before that\n"
    )
    assert (tmp_path / "suite" / "1-talk.jsonl").read_text() == '{"expect": 1}\n'


@pytest.mark.parametrize("closes_input", [True, False])
def test_a_client_that_reads_no_more_has_left(
    xtest: Xtest, tmp_path: Path, closes_input: bool
) -> None:
    """The server finds out by SIGPIPE, as without xtest."""
    write_server(tmp_path, "#!/bin/sh\nexec yes 1\n")
    with xtest.start("record", "suite", "--", "./server", stdin=subprocess.PIPE) as running:
        assert running.stdin is not None and running.stdout is not None
        if closes_input:
            running.stdin.close()
        assert running.stdout.readline() == "1\n"
        running.stdout.close()
        assert running.wait() == 128 + signal.SIGPIPE


def test_a_client_can_write_no_more_once_the_server_stops_reading(
    xtest: Xtest, tmp_path: Path
) -> None:
    write_server(
        tmp_path, "#!/bin/sh\nexec <&-; echo 1; while ! [ -e done ]; do sleep 0.05; done\n"
    )
    with xtest.start("record", "suite", "--", "./server", stdin=subprocess.PIPE) as running:
        assert running.stdin is not None and running.stdout is not None
        assert running.stdout.readline() == "1\n"
        with pytest.raises(BrokenPipeError):
            for _ in range(100):
                running.stdin.write("1\n" * 65_536)
        (tmp_path / "done").touch()
        assert running.wait() == 0
        with suppress(BrokenPipeError):
            running.stdin.close()


def test_a_taken_port_is_named(xtest: Xtest, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = xtest("record", "suite", "--port", str(port), "--", "cat", "{port}")
    assert (done.returncode, done.stderr) == (2, f"xtest: --port {port}: address already in use\n")
    assert not (tmp_path / "suite").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_reaches_the_server_and_the_case_is_written(
    xtest: Xtest, tmp_path: Path, number: int
) -> None:
    write_server(tmp_path, '#!/bin/sh\nread line; echo "$line"; exec sleep 600\n')
    with xtest.start("record", "suite", "--", "./server", stdin=subprocess.PIPE) as running:
        assert running.stdin is not None and running.stdout is not None
        running.stdin.write("[1]\n")
        running.stdin.flush()
        assert running.stdout.readline() == "[1]\n"
        running.send_signal(number)
        assert running.wait() == 128 + number
    text = (tmp_path / "suite" / "1-talk.jsonl").read_text()
    assert text == '{"send": [1]}\n{"expect": [1]}\n'


def test_what_a_slow_server_says_after_its_client_has_left_is_written_too(
    xtest: Xtest, tmp_path: Path
) -> None:
    write_server(tmp_path, '#!/bin/sh\ncat; sleep 2.5; echo \'{"method": "end"}\'\n')
    with xtest.start("record", "suite", "--", "./server", stdin=subprocess.PIPE) as running:
        assert running.stdin is not None and running.stdout is not None
        running.stdin.write("[1]\n")
        running.stdin.flush()
        assert running.stdout.readline() == "[1]\n"
        output, errors = running.communicate()
    assert (output, errors) == (
        '{"method": "end"}\n',
        "xtest: written: suite/1-talk.jsonl, 2 steps\nxtest: written: suite/1-talk.jsonl, 4 steps\n"
        "xtest: note: the script expects these notifications in this order: end; if it varies, add"
        " them to ignore\n",
    )
    assert xtest("run", "suite", "--", "./server").returncode == 0


def test_a_client_that_closes_and_kills_has_its_case(xtest: Xtest, tmp_path: Path) -> None:
    write_server(tmp_path, '#!/bin/sh\nread line; echo "$line"; echo $$ >pid; exec sleep 600\n')
    with xtest.start("record", "suite", "--", "./server", stdin=subprocess.PIPE) as running:
        assert running.stdin is not None
        running.stdin.write("[1]\n")
        running.stdin.close()
        until((tmp_path / "suite" / "1-talk.jsonl").exists)
        running.kill()
    subprocess.run(["kill", (tmp_path / "pid").read_text().strip()], check=True)


def test_a_script_is_replaced_only_by_name_and_other_cases_never(
    xtest: Xtest, tmp_path: Path
) -> None:
    write_suite(tmp_path / "suite", {"1": "1\n"}, '[talk]\nframing = "lines"\n')
    for case, text in (("a-7", "[1]\n"), ("a-7", "[2]\n"), ("", "[3]\n")):
        words = ("--case", case) if case else ()
        done = xtest("record", "suite", *words, "--", "cat", stdin=text)
        assert (done.returncode, done.stdout) == (0, text)
    assert sorted(path.name for path in (tmp_path / "suite").glob("*-talk.jsonl")) == [
        *("2-talk.jsonl", "a-7-talk.jsonl")
    ]
    assert '{"send": [2]}' in (tmp_path / "suite" / "a-7-talk.jsonl").read_text()
    refused = xtest("record", "suite", "--case", "1", "--", "cat", stdin="[1]\n")
    assert (refused.returncode, refused.stderr) == (
        *(2, 'xtest: --case "1": 1-in.json and 1-out.json are there, not a script\n'),
    )


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("new",), 2, "record: which program? xtest record SUITE -- COMMAND"),
        (("new", "--case", "x", "--", "cat"), 2, '--case "x": must be a number such as 7, or a'),
        (("new", "--", "./none"), 127, "./none: no such file or directory"),
        (("new", "--port", "9", "--", "cat"), 2, "record --port: COMMAND must have {port}, for"),
        (("file/new", "--", "cat"), 2, "file/new: not a directory"),
        (("new", "--", "true"), 0, "record: no messages were exchanged; no case is written"),
    ],
)
def test_what_cannot_be_recorded_is_told_and_leaves_nothing(
    xtest: Xtest, tmp_path: Path, words: tuple[str, ...], status: int, message: str
) -> None:
    write_files(tmp_path, {"file": ""})
    done = xtest("record", *words)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.lower().startswith(f"xtest: {message}".lower())
    assert not (tmp_path / "new").exists()
