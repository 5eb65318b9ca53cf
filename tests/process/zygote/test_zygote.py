"""Runs forked from a zygote behave, end and are limited as those that the system starts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from support.processes import ENVIRONMENT, LIMITS, observe_job, processes_in, until
from support.suites import write_files

from harness.errors import Refused
from harness.model.limits import Limit, Limits
from harness.model.transcript import (
    Ending,
    Exited,
    Job,
    Launcher,
    NotStarted,
    Signalled,
    Transcript,
)
from harness.process.loop import in_order, run
from harness.process.procfs import children
from harness.process.zygote.client import ScriptCommand, Zygote, start_zygote


def start(
    modules: Sequence[str],
    words: Sequence[str] = ("program.py",),
    path: str = "",
    wait_s: float = 60,
) -> Zygote | Refused:
    """Start the zygote of a script, with a path of its own for modules."""
    variables = {**ENVIRONMENT, "PYTHONPATH": path} if path else ENVIRONMENT
    argv = (sys.executable, *words)
    length = next(at for at, word in enumerate(argv) if word.endswith(".py"))
    command = ScriptCommand(sys.executable, argv[:length], argv[length:])
    return start_zygote(command, modules, variables, nullcontext(), wait_s)


class Program:
    """A script whose runs are started by the system or forked from a zygote."""

    def __init__(
        self, text: str, *modules: str, path: str = "", words: Sequence[str] = ("program.py",)
    ) -> None:
        Path("program.py").write_text(text, encoding="utf-8")
        self.argv = (sys.executable, *words)
        zygote = start(modules, words, path)
        assert isinstance(zygote, Zygote), zygote
        self.zygote = zygote

    def fresh(self, stdin: bytes = b"", limits: Limits = LIMITS) -> Transcript:
        return self.run(stdin, limits, Launcher())

    def forked(self, stdin: bytes = b"", limits: Limits = LIMITS) -> Transcript:
        return self.run(stdin, limits, self.zygote.launcher)

    def run(self, stdin: bytes, limits: Limits, launcher: Launcher) -> Transcript:
        return observe_job(Job(self.argv, stdin, limits, launcher=launcher))


Write = Callable[..., Program]


@pytest.fixture(name="write")
def fixture_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """A function that writes a program and starts its zygote, which imports these modules."""
    monkeypatch.chdir(tmp_path)
    programs: list[Program] = []

    def write(text: str, *modules: str, **options: Any) -> Program:
        programs.append(Program(text, *modules, **options))
        return programs[-1]

    yield write
    for program in programs:
        program.zygote.close()


def zygotes() -> list[Path]:
    """Return the folders in /proc of the zygotes that run in the working folder."""
    return processes_in(Path.cwd(), b"zygote/main.py")


def observed(transcript: Transcript) -> tuple[Ending, bytes, bytes]:
    return transcript.ending, transcript.stdout, transcript.stderr


SURROUNDINGS = r"""
import atexit, json, os, re, resource, signal, sys, threading

variables = dict(os.environ)
mark = b"XTEST_RUN=" + variables.pop("XTEST_RUN").encode()
with open("/proc/self/environ", "rb") as environment:
    is_marked = mark in environment.read().split(b"\0")
with open("/proc/self/status") as file:
    status = [line for line in file if line.startswith(("Name", "Umask", "SigBlk", "SigIgn"))]
found = {
    "argv": sys.argv, "path": sys.path, "original": sys.orig_argv, "program": sys.executable,
    "flags": str(sys.flags), "file": __file__, "spec": str(__spec__), "doc": __doc__,
    "loader": __loader__.path, "names": sorted(globals()), "folder": os.getcwd(),
    "main": sys.modules["__main__"].__dict__ is globals(), "builtins": str(__builtins__),
    "descriptors": os.listdir("/proc/self/fd"), "variables": variables, "marked": is_marked,
    "child": os.popen("echo $XTEST_RUN").read() == os.environ["XTEST_RUN"] + "\n",
    "leads": [os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid()], "parent": os.getppid(),
    "handlers": [str(signal.getsignal(number)) for number in range(1, 32)], "status": status,
    "streams": [
        (each.name, each.encoding, each.errors, each.line_buffering, each.seekable(), type(each.buffer).__name__)
        for each in (sys.stdin, sys.stdout, sys.stderr)
    ],
    "main thread": threading.current_thread() is threading.main_thread(),
    "owner": os.stat("/proc/self/stat").st_uid, "input": sys.stdin.read(),
    "group": re.sub("(?<=/xtest-)[0-9-]+", "N", open("/proc/self/cgroup").read()),
    "limits": [resource.getrlimit(number) for number in range(10)],
}
print(json.dumps(found))
atexit.register(lambda: print("__file__" in globals()))
"""


@pytest.mark.parametrize(
    "command",
    [
        "program.py one two",
        "-I program.py",
        "-u -OO -Ps program.py",
        "././program.py",
        "below/link.py one",
    ],
)
def test_a_program_finds_the_environment_of_a_real_start(write: Write, command: str) -> None:
    Path("below").mkdir()
    Path("below/link.py").symlink_to("../program.py")
    words = tuple(command.split())
    program = write(SURROUNDINGS, "json", "threading", "resource", words=words)
    limits = Limits(wall_s=60, cpu_s=30, open_files=64, file_mib=7, memory_mib=500)
    fresh, forked = program.fresh(b"[1]", limits), program.forked(b"[1]", limits)
    assert (forked.ending, forked.stderr) == (Exited(0), b"")
    ours, end_of_ours = forked.stdout.splitlines()
    theirs, end_of_theirs = fresh.stdout.splitlines()
    assert json.loads(ours) == json.loads(theirs)
    assert json.loads(ours)["marked"] is True
    assert end_of_ours == end_of_theirs


@pytest.mark.parametrize(
    "text",
    [
        "raise SystemExit",
        "import sys; sys.exit('a message')",
        "import os; os._exit(9)",
        "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        "raise KeyboardInterrupt",
        "import signal; signal.raise_signal(signal.SIGINT)",
        "def f():\n    raise ValueError(1) from KeyError(2)\nf()",
        "import json; json.loads('x')",
        "this is no Python",
        "import os, sys; print(1); os.close(1)",
        "import os; os.close(0); os.close(1); os.close(2)",
        "import sys; sys.excepthook = lambda *_: print('mine'); 1 / 0",
        "import atexit; atexit.register(print, 'the end'); print('before')",
        "import atexit; atexit.register(int, 'x')",
        "import threading; threading.Timer(0.05, print, ['late']).start()",
        "class A:\n    def __del__(self): print('deleted')\na = A()",
        "class A:\n    def __del__(self): print('deleted')\na = A()\ndef f(): return a",
        "class A:\n    def __del__(self): print('deleted')\na = A()\n1 / 0",
        "class A:\n    def __del__(self): print('deleted')\na = A()\na.b = a\nexit(2)",
        "import sys; sys.stdout.write('no newline')",
        "file = open('/dev/stdout', 'w'); file.write('never closed')",
        "import io, sys; sys.stdout = io.TextIOWrapper(sys.stdout.buffer); print(1)",
        "import io, sys; sys.stdout = io.StringIO(); print(1); sys.__stdout__.write('2')",
        "import sys; sys.stdout = None; exit(3)",
        "import ctypes; ctypes.CDLL(None).printf(b'of C')",
        "import sys; sys.exit(-1)",
        "import sys; sys.exit(True)",
        "import other; other.a = open('/dev/stdout', 'w'); other.a.write('never closed')",
        "import os; os.write(1, b'1'); os.close(1); print(2, end='')",
        "import threading, time; threading.Thread(target=time.sleep, args=[9], daemon=1).start()",
        "import sys; print(sys.stdin.readline()); print(sys.stdin.buffer.read(3))",
        "import sys; print(open(0, 'rb', closefd=False).read())",
        "import other; print(other.__name__, other.__file__)",
        "print('x' * 3_000_000)",
        "import warnings; warnings.warn('a warning')",
        "# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))",
        "",
    ],
)
def test_a_program_ends_as_after_a_real_start(write: Write, text: str) -> None:
    Path("other.py").write_text("x = 1\n", encoding="utf-8")
    program = write("", "json", "threading")
    Path("program.py").write_text(text, encoding="utf-8")
    stdin = b"first\nsecond\n"
    assert observed(program.forked(stdin)) == observed(program.fresh(stdin))


def test_nothing_of_a_run_reaches_the_next(write: Write) -> None:
    text = """
import json, os, random, uuid
json.seen = getattr(json, "seen", 0) + 1
os.environ["SEEN"] = os.environ.get("SEEN", "") + "x"
print(json.seen, os.environ["SEEN"], os.getcwd(), random.random(), uuid.uuid4())
os.chdir("/")
"""
    program = write(text, "json", "random", "uuid")
    first, second = (program.forked().stdout.split() for _ in range(2))
    assert first[:3] == second[:3] == [b"1", b"x", os.fsencode(os.getcwd())]
    assert first[3] != second[3] and first[4] != second[4]


def test_a_change_to_a_program_takes_effect(write: Write) -> None:
    program = write("import other; print(other.x)", "json")
    for text in ("x = 1", "x = 'two'"):
        Path("other.py").write_text(text, encoding="utf-8")
        assert program.forked().stdout.decode().strip() in text
    Path("program.py").write_text("print(3)", encoding="utf-8")
    assert program.forked().stdout == b"3\n"


@pytest.mark.parametrize(
    ("text", "limits", "limit"),
    [
        ("while True: pass", Limits(wall_s=0.3), Limit.WALL),
        ("while True: pass", Limits(wall_s=60, cpu_s=0.2), Limit.CPU),
        ("x = b'x' * 300_000_000\nwhile True: pass", Limits(60, memory_mib=100), Limit.MEMORY),
        ("import sys\nwhile True: print('x' * 1000)", Limits(60, output_mib=1), Limit.OUTPUT),
        (
            "import os, time\nfor _ in range(5):\n    if not os.fork(): break\ntime.sleep(9)",
            Limits(60, processes=4),
            Limit.PROCESSES,
        ),
    ],
)
def test_a_forked_run_is_limited(write: Write, text: str, limits: Limits, limit: Limit) -> None:
    program = write(text, "json")
    assert program.forked(limits=limits).limit is limit
    assert program.zygote.is_alive


def test_what_a_forked_run_leaves_behind_is_killed(write: Write) -> None:
    daemon = "(setsid sh -c 'echo $$; exec sleep 600 >&- 2>&-' &)"
    program = write(f"import os; print(os.popen({daemon!r}).read())", "json")
    left = int(program.forked().stdout)
    assert not Path(f"/proc/{left}").exists()
    assert program.forked().ending == Exited(0)


def test_a_killed_or_stopped_zygote_starts_nothing_and_does_not_hang(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "import os, sys; os.kill(*map(int, sys.stdin.read().split()))"
    for number in (signal.SIGKILL, signal.SIGSTOP):
        program = write(text, "json")
        stdin = b"%s %d" % (zygotes()[0].name.encode(), number)
        assert observed(program.forked(stdin)) == (Exited(0), b"", b"")
        with monkeypatch.context() as patched:
            patched.setattr("harness.process.zygote.client._FORK_S", 0.5)
            assert isinstance(program.forked().ending, NotStarted)
        assert not program.zygote.is_alive
        assert isinstance(program.forked().ending, NotStarted)


def test_an_interruption_and_many_runs_leave_a_zygote_as_it_was(write: Write) -> None:
    program = write("import os, sys; print(sys.stdin.read()); os.kill(os.getpid(), 9)", "json")
    zygote = zygotes()[0]
    program.forked()
    before = [os.listdir(zygote / "fd"), children(int(zygote.name))]
    os.kill(int(zygote.name), signal.SIGINT)
    for _ in range(20):
        assert program.forked().ending == Signalled(signal.SIGKILL)
    assert [os.listdir(zygote / "fd"), children(int(zygote.name))] == before


def test_a_zygote_ends_with_its_parent(write: Write) -> None:
    program = write("", "json")
    text = """
import os, sys, time
from contextlib import nullcontext
from harness.process.zygote.client import ScriptCommand, start_zygote
command = ScriptCommand(sys.executable, (sys.executable,), ("program.py",))
zygote = start_zygote(command, ["json"], os.environ, nullcontext(), 60)
print(zygote.is_alive, flush=True)
time.sleep(600)
"""
    program.zygote.close()
    assert not zygotes()
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None and parent.stdout.readline() == b"True\n"
        assert len(zygotes()) == 1
        parent.kill()
    until(lambda: not zygotes())  # a killed process may take a moment to leave


def test_an_ordinary_user_can_fork_runs() -> None:
    # The zygote's own /proc is closed to it then. The interpreter of the tests may be root's own.
    python = "/usr/bin/python3"
    if os.geteuid() != 0 or not os.path.exists(python):
        pytest.skip("only root can become another user, who needs an interpreter")
    text = f"""
import os
from contextlib import nullcontext
from harness.model.transcript import Job
from harness.process.loop import in_order, run
from harness.process.zygote.client import ScriptCommand, Zygote, start_zygote
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
command = ScriptCommand({python!r}, ({python!r},), ("program.py",))
zygote = start_zygote(command, ["json"], os.environ, nullcontext(), 60)
assert isinstance(zygote, Zygote), zygote
for ended in run(in_order([(None, Job(("python3",), b"", launcher=zygote.launcher))]), 1, os.environ):
    print(ended.transcript.ending, ended.transcript.stdout)
zygote.close()
"""
    with TemporaryDirectory() as folder:  # that of pytest is closed to other users
        os.chmod(folder, 0o755)
        Path(folder, "program.py").write_text("import os; print(os.getuid())", encoding="utf-8")
        words = [sys.executable, "-c", text]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("Exited(status=0) b'65534\\n'\n", "")


def test_a_library_of_random_numbers_is_seeded_in_each_run(write: Write, tmp_path: Path) -> None:
    text = "import os\ndef seed():\n    global state\n    state = os.urandom(8)\nseed()"
    packages = tmp_path / "site-packages"
    write_files(packages / "numpy", {"__init__.py": "", "random.py": text})
    text = "import numpy.random; print(numpy.random.state)"
    program = write(text, "numpy.random", path=str(packages))
    assert program.forked().stdout != program.forked().stdout


def test_runs_side_by_side_are_forked_from_one_zygote(write: Write) -> None:
    program = write("import sys; print(sys.stdin.read())", "json")
    jobs = (
        (n, Job((sys.executable,), b"%d" % n, LIMITS, launcher=program.zygote.launcher))
        for n in range(20)
    )
    found = {each.key: each.transcript.stdout for each in run(in_order(jobs), 4, ENVIRONMENT)}
    assert found == {n: b"%d\n" % n for n in range(20)}


@pytest.mark.parametrize(
    ("library", "reason"),
    [
        ("import threading; threading.Timer(60, print).start()",
         "importing library starts threads, which a fork does not copy"),
        ("import os; os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '600')",
         "importing its libraries starts processes, which a fork does not copy"),
        ("print(1)", "importing its libraries prints something"),
        ("1 / 0", "importing library raises ZeroDivisionError outside the program"),
        ("import own", "a library imports own from outside the libraries: {folder}/own.py"),
        ("import os; os._exit(0)",
         "its interpreter ended while it imported the libraries of the program"),
        ("import time; time.sleep(60)", "importing its libraries takes longer than 1 s"),
    ],
)  # fmt: skip
def test_a_library_that_a_fork_would_change_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {"site-packages/library.py": library, "own.py": "", "program.py": ""})
    wait_s = 1 if "longer" in reason else 60
    found = start(["library"], path=str(tmp_path / "site-packages"), wait_s=wait_s)
    assert found == Refused(reason.format(folder=tmp_path))
