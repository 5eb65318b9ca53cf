"""Programs beside the judged one: servers and clients that do as they should, or do not."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import pytest
from support.debian import need, pass_over
from support.suites import read_judged, write_files, write_program
from support.xtest import XTEST, as_ordinary_user, clean_environment, run_command

SERVER: Final = """#!/usr/bin/env python3
import json, os, signal, socket, sys, time

port, wanted, *vices = int(sys.argv[1]), json.loads(sys.stdin.read() or "2"), *sys.argv[2:], ""
assert port == int(os.environ["XTEST_PORT"])
vice, names = vices[0], []
if vice == "deaf":
    time.sleep(600)
if vice == "dies":
    sys.exit("no such file: board.json")
with socket.create_server(("127.0.0.2" if vice == "elsewhere" else "127.0.0.1", port)) as server:
    while len(names) < wanted:
        connection = server.accept()[0]
        with connection, connection.makefile("rw") as file:
            names.append(json.loads(file.readline()))
            if vice == "crashes":
                os.kill(os.getpid(), signal.SIGSEGV)
            if vice == "raises":
                raise RuntimeError("lost")
            print(json.dumps(wanted), file=file, flush=True)
            if vice == "hangs":
                time.sleep(600)
print(json.dumps(sorted(names)) if vice != "wrong" else '["p2", "p1"]')
"""
CLIENT: Final = """#!/usr/bin/env python3
import json, os, signal, socket, sys, time

port, index, *vices = int(sys.argv[1]), sys.argv[2], *sys.argv[3:], ""
assert index == os.environ.get("XTEST_INDEX", index)
vice = vices[0]
if vice == "crashes":
    os.kill(os.getpid(), signal.SIGSEGV)
if vice == "dies":
    sys.exit("no such file: player.json")
if vice == "leaves":
    sys.exit()
if vice == "never":
    time.sleep(600)
while vice == "floods":
    print("x" * 1_000_000)
if vice == "leaves-a-daemon" and os.fork() == 0:
    os.setsid()
    os.closerange(0, 3)
    time.sleep(600)
if vice == "connects-twice":
    socket.create_connection(("127.0.0.1", port)).close()
if vice == "allocates":
    data = b"x" * (1 << 29)
    time.sleep(600)
with socket.create_connection(("127.0.0.1", port)) as connection:
    if vice == "closes-at-once":
        sys.exit()
    with connection.makefile("rw") as file:
        if vice.startswith("half-a-message"):
            print('"p', end="", file=file, flush=True)
            time.sleep(600 * vice.endswith("and-waits"))
            sys.exit()
        print(json.dumps(f"p{index}"), file=file, flush=True)
        answer = file.readline()
        if vice == "fails-afterwards":
            sys.exit("no such file: scores.json")
if vice == "stays":
    time.sleep(600)
print(answer, end="")
"""
PAIR: Final = {"1-in.json": "2\n", "1-out.json": '["p1", "p2"]\n'}
LIMITS: Final = "[limits]\nwall_s = 10\nmemory_mib = 200\noutput_mib = 1\n"
TWO_CLIENTS: Final = """[[companions]]
name = "client"
command = {}
count = 2
"""
ABSENT: Final = "the program did not listen on its port, so companion client 1 did not start"
WAITED: Final = "silent: printed nothing within 10 s (TIME s of processor time used)"
# Only Linux tells of connections that have ended.
IS_TOLD: Final = os.environ.get("XTEST_BACKEND") != "portable"
ABSENTLY: Final = " without a connection" if IS_TOLD else ""
# By the vice of the program, and by that of its clients.
OF_SERVERS: Final = {
    "": "passed: as expected",
    "wrong": 'differs: 2 differences, the first at /0: "p1" expected, "p2" printed; the same'
    " elements, reversed",
    "deaf": f"{WAITED}; {ABSENT}",
    "elsewhere": f"{WAITED}; {ABSENT}",
    "hangs": WAITED,
    "dies": "exit-status: the exit status is 1, not 0, and nothing was printed; its standard error"
    f" ends: no such file: board.json; {ABSENT}",
}
OF_CLIENTS: Final = {
    "crashes": f"was killed by SIGSEGV after TIME s{ABSENTLY}; the program: {WAITED}",
    "dies": f"ended with exit status 1 after TIME s{ABSENTLY}; its standard error ends: no such"
    f" file: player.json; the program: {WAITED}",
    "never": f"was running without a connection; the program: {WAITED}",
    "floods": f"reached its limit output_mib after TIME s{ABSENTLY}; the program: {WAITED}",
    "allocates": f"reached its limit memory_mib after TIME s{ABSENTLY}; the program: {WAITED}",
    "fails-afterwards": "ended with exit status 1 after TIME s; its standard error ends: no such"
    " file: scores.json",
}
# A client that ends as it should, or waits while it is connected, is not blamed.
OF_THE_SERVER: Final = {
    "closes-at-once": "exit-status",
    "connects-twice": "exit-status",
    "half-a-message": "exit-status",
    "half-a-message-and-waits": "silent",
    "leaves-a-daemon": "passed",
    "stays": "passed",
    "leaves": "harness-fault" if IS_TOLD else "silent",
}


def judged(
    folder: Path,
    *args: str,
    command: Sequence[str] = (),
    under: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Run suites of a folder, several cases at once, and return what was judged."""
    words = [*args, "--results", "r", "-j", "4", "--no-give-up", "--no-retry-timeouts"]
    words += ["--", *command] if command else []
    done = run_command(folder, [*under, *XTEST, "run", *words])
    assert "Traceback (most" not in done.stderr
    return read_judged(folder / "r")


def outcome(event: dict[str, Any]) -> str:
    return re.sub(r"\d+\.\d+ s|\d+ s(?= of)", "TIME s", f"{event['verdict']}: {event['message']}")


def write_parts(folder: Path, suites: dict[str, str], subjects: dict[str, str]) -> None:
    write_program(folder / "server", SERVER)
    write_program(folder / "client", CLIENT)
    commands = (f"[subjects.{name}]\ncommand = {text}\n" for name, text in subjects.items())
    files = {"xtest.toml": "".join(commands)}
    for name, settings in suites.items():
        files |= {f"{name}/{each}": text for each, text in PAIR.items()}
        files[f"{name}/suite.toml"] = f"{LIMITS}{settings}"
    write_files(folder, files)


@pytest.mark.slow
def test_a_server_is_judged_by_what_it_prints_after_its_clients_have_played(
    tmp_path: Path,
) -> None:
    clients = TWO_CLIENTS.format('["../client", "{port}", "{index}"]')
    subjects = {
        f"s{vice}": json.dumps(["./server", "{port}", *filter(None, [vice])]) for vice in OF_SERVERS
    }
    subjects["scrashes"] = '["./server", "{port}", "crashes"]'
    subjects["sraises"] = '["./server", "{port}", "raises"]'
    write_parts(tmp_path, {"s": clients}, subjects)
    events = {event["subject"][1:]: event for event in judged(tmp_path, "s")}
    assert {vice: outcome(events[vice]) for vice in OF_SERVERS} == OF_SERVERS
    # The message names the clients that failed then, but the verdict is the program's.
    assert events["crashes"]["verdict"] == "crashed"
    assert events["raises"]["verdict"] == "exit-status"
    assert (
        "not 0, and nothing was printed; its standard error ends: Runtime"
        in (events["raises"]["message"])
    )


@pytest.fixture(name="folder")
def _folder() -> Iterator[Path]:
    """A folder that every user can enter: pytest has its own folders for itself."""
    folder = Path(mkdtemp(prefix="companions-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def is_running_in(folder: Path) -> bool:
    """Return whether the command line of a process names a folder."""
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if os.fsencode(folder) in place.read_bytes():
                return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("user", ["same user", "ordinary user"])
def test_a_client_that_fails_is_not_blamed_on_the_server(user: str, folder: Path) -> None:
    under = as_ordinary_user() if user == "ordinary user" else ()
    suites = {
        vice: TWO_CLIENTS.format(json.dumps(["{folder}/client", "{port}", "{index}", vice]))
        for vice in (*OF_CLIENTS, *OF_THE_SERVER, "permitted")
    }
    suites["permitted"] = suites["fails-afterwards"] + 'exit = "0-1"\n'
    suites["missing"] = TWO_CLIENTS.format('["../other", "{port}"]')
    write_parts(folder, suites, {"server": '["./server", "{port}"]'})
    events = {event["suite"]: event for event in judged(folder, *suites, under=under)}
    found = {vice: outcome(events[vice]).replace("client 2", "client 1") for vice in OF_CLIENTS}
    fault = "harness-fault: companion client 1"
    assert found == {vice: f"{fault} {wanted}" for vice, wanted in OF_CLIENTS.items()}
    for vice in OF_CLIENTS:
        companions = events[vice]["evidence"]["companions"]
        assert [each["name"] for each in companions] == ["client 1", "client 2"]
    assert outcome(events["missing"]) == (
        "harness-fault: companion client 1 did not start: ../other: no such file or directory"
        f" in {folder}/missing"
    )
    assert events["permitted"]["verdict"] == "passed"
    if IS_TOLD:
        left = "harness-fault: companion client 1 ended with exit status 0 after TIME s without a"
        assert outcome(events["leaves"]).startswith(left)
    assert {vice: events[vice]["verdict"] for vice in OF_THE_SERVER} == OF_THE_SERVER
    assert os.environ.get("XTEST_BACKEND") == "portable" or not is_running_in(folder)


@pytest.mark.slow
def test_a_client_is_judged_by_what_it_prints_with_a_server(tmp_path: Path) -> None:
    def server(*vices: str) -> str:
        command = json.dumps(["../server", "{port}", *vices])
        return f'[[companions]]\nname = "server"\nrole = "server"\ncommand = {command}\n'

    extra = '[[companions]]\ncommand = ["{folder}/client", "{port}", "{index}"]\n'
    suites = {"both": server() + extra, "input": server() + "input = true\n" + extra}
    suites |= {vice: server(vice) for vice in ("deaf", "elsewhere", "dies", "hangs")}
    write_parts(tmp_path, suites, {"c": '["./client", "{port}", "2"]'})
    write_files(tmp_path, {f"{name}/1-out.json": "2\n" for name in suites})
    events = {event["suite"]: outcome(event) for event in judged(tmp_path, *suites)}
    assert events.pop("both") == events.pop("input") == events.pop("hangs") == "passed: as expected"
    assert {name: re.sub(r":\d{5}\b", ":PORT", text) for name, text in events.items()} == {
        "deaf": "harness-fault: companion server did not listen on the port",
        "elsewhere": "harness-fault: companion server did not listen on the port, but on"
        " 127.0.0.2:PORT",
        "dies": "harness-fault: companion server ended with exit status 1 after TIME s, before it"
        " listened; its standard error ends: no such file: board.json",
    }


# What each command says about suite s, and about suite bad, whose clients fail afterwards.
COMMANDS: Final = {
    "run --deliver all -j4": "6 of 12 passed in TIME s: 6 harness-fault",
    "run --repeat 2": "1 of 2 passed in TIME s: 1 harness-fault",
    "run --cluster local:1": "1 of 2 passed in TIME s: 1 harness-fault",
    "matrix": "1 case: 1 passed by all, 0 by some, 0 by none; 1 broken case left out",
    "accept --dry-run --subject server": "refused  bad/1  harness-fault: companion client 1",
    "selftest --subject server": "s: 35 of 36 mutants killed",
    "fuzz --inputs 3": "3 inputs not judged: companion client 1 ended with exit status 1",
    "compare server wrong --": "1 alike; all failed on 1 of them, 1 separates the subjects",
    "pytest": "1 failed, 1 passed",
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_runs_companions(command: str, tmp_path: Path) -> None:
    clients = TWO_CLIENTS.format('["../client", "{port}", "{index}"]')
    late = TWO_CLIENTS.format('["../client", "{port}", "{index}", "fails-afterwards"]')
    subjects = {"server": '["./server", "{port}"]'}
    if command.startswith("compare"):
        subjects["wrong"] = '["./server", "{port}", "wrong"]'
    suites = {"s": clients, "bad": late}
    write_parts(tmp_path, suites, subjects)
    for suite in suites if command.startswith("fuzz") else ():  # for both clients
        settings = f'input = "../two.json"\n{LIMITS}{suites[suite]}'
        write_files(tmp_path, {"two.json": '{"const": [2]}', f"{suite}/suite.toml": settings})
    words = [*XTEST, *command.split(), "s", "bad"]
    if command == "pytest":
        words = [sys.executable, "-m", "pytest", "-q", "--xtest-subject", "server"]
        words += ["--xtest-suite", "s", "--xtest-suite", "bad"]
    done = run_command(tmp_path, words)
    shown = done.stdout + done.stderr
    assert COMMANDS[command] in re.sub(r"\d+\.\d+ s", "TIME s", shown), shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("server", "client", "status", "found"),
    [
        ("", "fails-afterwards", 2, "nothing found"),
        ("crashes", "", 1, "crashed by 11"),
        ("crashes", "fails-afterwards", 1, "crashed by 11"),
    ],
)
def test_fuzz_blames_the_one_that_failed(
    server: str, client: str, status: int, found: str, tmp_path: Path
) -> None:
    clients = TWO_CLIENTS.format(f'["../client", "{{port}}", "{{index}}", "{client}"]')
    words = ["./server", "{port}", *filter(None, [server])]
    write_parts(tmp_path, {"s": clients}, {"server": json.dumps(words)})
    settings = f'input = "../two.json"\n{LIMITS}{clients}'
    write_files(tmp_path, {"two.json": '{"const": [2]}', "s/suite.toml": settings})
    done = run_command(tmp_path, [*XTEST, "fuzz", "s", "--inputs", "1"])
    assert found in done.stdout and done.returncode == status, done.stdout + done.stderr


@pytest.mark.slow
def test_a_fest_runs_the_companions_of_its_suite_toml(tmp_path: Path) -> None:
    clients = TWO_CLIENTS.format('["./client", "{port}", "{index}"]')
    places = {"tests/anna": '["p1", "p2"]\n', "tests/ben": '["p2", "p1"]\n'}
    files = {f"{place}/1-out.json": text for place, text in places.items()}
    globs = "\n".join(f'{key} = "{key}/*"' for key in ("tests", "wheats", "chaffs"))
    write_files(
        tmp_path,
        files
        | {f"{place}/1-in.json": "2\n" for place in places}
        | {"fest.toml": f'{globs}\nsubjects = "teams/*"\nprogram = ["./xs", "{{port}}"]\n'}
        | {"suite.toml": f"{LIMITS}{clients}"},
    )
    write_program(tmp_path / "client", CLIENT)
    for place in ("wheats/one", "chaffs/reversed", "teams/anna", "teams/ben"):
        (tmp_path / place).mkdir(parents=True)
        is_wrong = place in ("chaffs/reversed", "teams/ben")
        vice = "vice, names = vices[0], []"
        source = SERVER.replace(vice, 'vice, names = "wrong", []') if is_wrong else SERVER
        write_program(tmp_path / place / "xs", source)
    done = run_command(tmp_path, [*XTEST, "fest", "run", "--results", "r", "--sandbox=none"])
    assert "2 cases: 1 valid, 1 invalid, 0 contested; 1 bug in 2 programs" in done.stdout
    assert "anna          1      1" in done.stdout


OUT: Final = """
import encodings.ascii, encodings.idna, errno, os, socket, sys
from harness.process.mounts import enter_own_network

if user := int(sys.argv[1]):
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
enter_own_network()
server = socket.create_server(("127.0.0.1", 20_000))
client = socket.create_connection(("127.0.0.1", 20_000))
client.sendall(b"inside")
assert server.accept()[0].recv(6) == b"inside"
try:
    socket.create_connection(("192.0.2.1", 9), timeout=9)
except OSError as problem:
    print(errno.errorcode[problem.errno])
"""


@pytest.mark.system
@pytest.mark.needs("namespaces")
@pytest.mark.parametrize("user", ["0", "65534"])
def test_the_network_of_a_sandbox_has_no_outside(user: str, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    done = subprocess.run(
        [sys.executable, "-P", "-c", OUT, user],
        env=clean_environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.stderr.endswith(("Operation not permitted\n", "no user namespace can be made\n")):
        pass_over("no network namespace can be made here")
    assert (done.stdout, done.stderr) == ("ENETUNREACH\n", "")


@pytest.mark.system
@pytest.mark.needs("namespaces")
def test_in_a_sandbox_programs_reach_their_companions(tmp_path: Path) -> None:
    need("bwrap")
    interpreter = f"#!{sys.executable}"
    clients = TWO_CLIENTS.format('["./client", "{port}", "{index}"]')
    server = '[[companions]]\nrole = "server"\ncommand = ["./server", "{port}"]\ninput = true\n'
    write_parts(tmp_path, {"s": clients, "c": f"{server}{clients.replace('= 2', '= 1')}"}, {})
    for place in ("", "s/", "c/"):
        for name, text in (("server", SERVER), ("client", CLIENT)):
            write_program(
                tmp_path / place / name, text.replace("#!/usr/bin/env python3", interpreter)
            )
    write_files(tmp_path, {"c/1-out.json": "2\n"})
    for suite, program in (("s", ["./server", "{port}"]), ("c", ["./client", "{port}", "2"])):
        (event,) = judged(tmp_path, suite, "--sandbox=bwrap", command=program)
        assert outcome(event) == "passed: as expected"
        (tmp_path / "r").unlink()
