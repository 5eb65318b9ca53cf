"""Dialogues over TCP, with servers and clients that connect as they should, or do not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from support.suites import read_judged, write_files, write_program
from support.xtest import XTEST, run_command

PROGRAM: Final = """#!/usr/bin/env python3
import json, os, signal, socket, struct, sys, time

vice, port = sys.argv[1], int(os.environ["XTEST_PORT"])
assert sys.argv[2] == str(port)
assert not sys.stdin.read()
print("a log line, which is no message", flush=True)
if vice == "dies":
    sys.exit("no such file: board.json")
if vice == "crashes":
    os.kill(os.getpid(), signal.SIGKILL)
if vice == "never":
    time.sleep(600)


def connection():
    if vice.startswith("client"):
        return socket.create_connection(("localhost", port))
    family = socket.AF_INET6 if vice == "ipv6" else socket.AF_INET
    host = {"all": "", "ipv6": "::1"}.get(vice, "127.0.0.1")
    server = socket.create_server((host, port + (vice == "other")), family=family)
    if vice == "late":
        time.sleep(0.5)
    return server.accept()[0]


with connection() as found:
    if vice == "closes":
        found.close()
    if vice == "resets":
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        found.recv(1)
        found.close()
    while vice == "floods":
        found.sendall(b'{"n":1}\\n' * 10_000)
    if vice in ("closes", "resets", "half"):
        if vice == "half":
            found.sendall(b'{"id":')
        time.sleep(600)
    with found.makefile("rw") as file:
        for line in file:
            file.write(line.replace('"ask"', '"answer"'))
            file.flush()
            if vice == "client-leaves":
                found.shutdown(socket.SHUT_RDWR)
                break
if not vice.startswith("client"):
    time.sleep(600)
"""
SCRIPT: Final = """{"send": {"id": 1, "method": "ask"}}
{"expect": {"id": 1, "method": "answer"}}
{"send": {"id": 2, "method": "ask"}}
{"expect": {"id": 2, "method": "answer"}}
"""
SETTINGS: Final = (
    '[talk]\nframing = "lines"\ntransport = "{}"\nwithin = 10\n[limits]\nwall_s = 60\n'
)
UNCONNECTED: Final = "the program did not listen on 127.0.0.1:PORT within 10 s"
HINT: Final = "{port} in its command, or the variable XTEST_PORT, is the port"
LOG: Final = "its standard error ends: a log line, which is no message"
VERDICTS: Final = {
    "listens": "passed: as expected",
    "all": "passed: as expected",
    "ipv6": "passed: as expected",
    "late": "passed: as expected",
    "client": "passed: as expected",
    "other": f"silent: {UNCONNECTED}; it listens on 127.0.0.1:PORT; {HINT}; {LOG}",
    "never": f"silent: {UNCONNECTED}; {HINT}; {LOG}",
    "dies": "exit-status: the program ended with exit status 1 before it listened on"
    " 127.0.0.1:PORT; its standard error ends: no such file: board.json",
    "crashes": "crashed: killed by SIGKILL before it listened on 127.0.0.1:PORT; " + LOG,
    "closes": "too-few: step 2: the program closed the connection when a message was expected",
    "resets": "too-few: step 2: the program reset the connection when a message was expected",
    "half": "stalled: step 2: no message came within 10 s; 6 bytes came, but no line end",
    "floods": "differs: step 2: the answer has no id; 1 was expected",
    "client-leaves": "too-few: step 4: the program ended with exit status 0 before its script; "
    + LOG,
}


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["connect", "listen"])
def test_a_connection_that_fails_is_explained(transport: str, tmp_path: Path) -> None:
    wanted = {
        vice: text
        for vice, text in VERDICTS.items()
        if vice.startswith("client") == (transport == "listen")
    }
    write_program(tmp_path / "program", PROGRAM)
    subjects = (
        f'[subjects.{vice}]\ncommand = ["./program", "{vice}", "{{port}}"]\n' for vice in wanted
    )
    files = {
        "xtest.toml": "".join(subjects),
        "s/suite.toml": SETTINGS.format(transport),
        "s/1-talk.jsonl": SCRIPT,
    }
    write_files(tmp_path, files)
    words = ["run", "s", "--results", "r", "-j", "8", "--no-retry-timeouts"]
    done = run_command(tmp_path, [*XTEST, *words])
    assert "Traceback" not in done.stderr
    assert {
        each["subject"]: re.sub(
            r"(127\.0\.0\.1):\d+", r"\1:PORT", f"{each['verdict']}: {each['message']}"
        )
        for each in read_judged(tmp_path / "r")
    } == wanted
