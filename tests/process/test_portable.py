"""The portable back end, in an xtest from which everything that only Linux has is removed."""

from __future__ import annotations

import errno
import os
import re
import resource
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Final, NoReturn

import psutil  # type: ignore[import-untyped]  # no py.typed
import pytest
from support.processes import descendants_of, lives, until
from support.suites import read_events, write_files, write_program, write_suite
from support.xtest import (
    HIDES_PROC,
    XTEST,
    Xtest,
    await_process,
    clean_environment,
    without_linux,
)

from harness.model.limits import MIB
from harness.model.transcript import Signalled
from harness.process.portable import PortableBackend
from harness.process.procfs import read_process
from harness.process.reaper import to_ending
from harness.process.starting import spawn_by_fork
from harness.process.system import SYSTEM

LIMITED: Final = "[limits]\nwall_s = 20\nfirst_byte_s = 10\n"
SEEN: Final = f"{LIMITED}cpu_s = 0.5\nmemory_mib = 100\nprocesses = 4\n"

PROGRAMS: Final = {
    "passed": "echo 1",
    "differs": "echo 2",
    "malformed": "echo [",
    "exit-status": "echo 1; exit 3",
    "crashed": "kill -SEGV $$",
    "not-started": "",
}
LIMITS: Final = {
    "cpu-limit": "while :; do :; done",
    "memory-limit": (
        f"exec {sys.executable} -c 'import time; x = b\"1\" * 200_000_000; time.sleep(60)'"
    ),
    "process-limit": "for i in 1 2 3 4 5; do sleep 60 & done; wait",
    "silent": "exec sleep 60",
}


def judge(
    folder: Path, script: str, settings: str, *options: str, under: tuple[str, ...] = ()
) -> tuple[str, subprocess.CompletedProcess[str]]:
    """Return the verdict of a program, and how xtest ended."""
    write_suite(folder / "s", {"1": "1"}, settings)
    if script:
        write_program(folder / "p", script)
    words = [*XTEST, "run", "s", "--results", "r", *options, "--", "./p" if script else "/no"]
    done = subprocess.run(
        [*under, *words],
        cwd=folder,
        env=clean_environment(folder, **without_linux()),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    events = read_events(folder / "r") if (folder / "r").exists() else []
    judged = [event for event in events if event["event"] == "judged"]
    if judged:
        assert events[0]["backend"] == "portable"
    return judged[0]["verdict"] if judged else "", done


def is_over(pid: int) -> bool:
    found = read_process(pid)
    return found is None or found.is_zombie


@pytest.mark.slow
@pytest.mark.parametrize("verdict", PROGRAMS | LIMITS)
def test_programs_get_their_verdicts_without_linux(verdict: str, tmp_path: Path) -> None:
    settings = LIMITED if verdict in PROGRAMS else SEEN
    if verdict == "silent":
        settings = settings.replace("= 10", "= 1")
    found, _ = judge(tmp_path, (PROGRAMS | LIMITS)[verdict], settings)
    assert found == verdict or (verdict, found) == ("not-started", "")


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="mounts something over /proc")
@pytest.mark.parametrize("verdict", PROGRAMS)
def test_programs_get_their_verdicts_without_proc(verdict: str, tmp_path: Path) -> None:
    options = ("--report", "html=o")
    found, done = judge(tmp_path, PROGRAMS[verdict], LIMITED, *options, under=HIDES_PROC)
    assert found == verdict or (verdict, found) == ("not-started", "")
    assert "without psutil, memory and processes cannot be limited" in done.stderr or not found


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="mounts something over /proc")
def test_a_limit_that_cannot_be_measured_is_refused(tmp_path: Path) -> None:
    found, done = judge(tmp_path, "echo 1", SEEN, under=HIDES_PROC)
    assert (found, done.returncode) == ("", 2)
    assert "s: its suite.toml limits memory_mib, processes, which the portable" in done.stderr


@pytest.mark.slow
def test_a_protection_that_is_not_there_is_refused(tmp_path: Path) -> None:
    settings = '[sandbox]\nrequire = ["no-network"]\n'
    found, done = judge(tmp_path, "echo 1", settings)
    assert (found, done.returncode) == ("", 2)
    assert "requires no-network; xtest doctor shows" in done.stderr  # no --sandbox helps here
    found, done = judge(tmp_path, "echo 1", settings, "--sandbox")
    assert (found, done.returncode) == ("", 2)
    assert "landlock needs Linux; this is the portable back end" in done.stderr
    found, done = judge(tmp_path, "echo 1", '[sandbox]\nrequire = ["all-processes"]\n')
    assert (found, done.returncode) == ("", 2)
    assert "s: its suite.toml requires all-processes; xtest doctor shows" in done.stderr


def test_the_doctor_says_that_runs_share_their_folders(tmp_path: Path) -> None:
    done = subprocess.run(
        [*XTEST, "doctor"],
        cwd=tmp_path,
        env=clean_environment(tmp_path, **without_linux()),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "missing  private folders      runs share their working folders" in done.stdout


@pytest.mark.slow
def test_nothing_that_keeps_its_session_or_environment_is_left(tmp_path: Path) -> None:
    for number, how in enumerate(("", "setsid ")):
        pid = tmp_path / f"pid{number}"
        script = f"{how}sh -c 'echo $$ >{pid}; exec sleep 60' </dev/null >/dev/null 2>&1 &\n"
        folder = tmp_path / str(number)
        assert (
            judge(folder, f"{script}while ! [ -s {pid} ]; do :; done; echo 1", SEEN)[0] == "passed"
        )
        assert is_over(int(pid.read_text()))


@pytest.mark.slow
def test_the_program_of_a_killed_worker_is_ended(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    found, done = judge(tmp_path, f"echo $$ >{pid}; kill -KILL $PPID; exec sleep 60", SEEN)
    assert (found, done.returncode) == ("harness-fault", 2)
    assert "a worker of xtest was killed by SIGKILL" in done.stdout
    assert is_over(int(pid.read_text()))


@pytest.mark.slow
def test_reports_are_made_without_linux(tmp_path: Path) -> None:
    write_suite(tmp_path / "s", {"1": "1"})
    command = [
        *XTEST,
        "run",
        "s",
        "--report",
        "markdown=-",
        "--report",
        "html=o",
        "--",
        "echo",
        "1",
    ]
    environment = clean_environment(tmp_path, **without_linux())
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, (tmp_path / "o").exists()) == (0, True), done.stderr
    assert f"xtest: note: {PortableBackend().missing_protections()[0]}\n" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(SYSTEM.has_namespaces, reason="takes a minute; a part of tox -e portable")
@pytest.mark.parametrize("under", [(), HIDES_PROC], ids=["proc", "no proc"])
def test_each_case_of_the_corpus_passes_without_linux(
    tmp_path: Path, under: tuple[str, ...]
) -> None:
    if under and os.geteuid() != 0:
        pytest.skip("only root can hide /proc")
    done = subprocess.run(
        [*under, *XTEST, "demo"],
        cwd=tmp_path,
        env=clean_environment(tmp_path, **without_linux()),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done
    assert re.search(r"^all 1,\d\d\d passed", done.stdout, re.MULTILINE)


@pytest.mark.slow
def test_a_use_of_what_only_linux_has_fails(tmp_path: Path) -> None:
    write_files(tmp_path, {"s/1-in.json": "1", "s/1-out.json": "1"})
    environment = clean_environment(tmp_path, **without_linux("linux"))
    environment["XTEST_BACKEND"] = "portable"
    code = (
        "import sys; sys.orig_argv[1:] = ['harness']; import sitecustomize as s; s.remove();"
        " import os; os.environ['XTEST_BACKEND'] = 'linux';"
        " from harness.process.system import SYSTEM; SYSTEM.forbid_tracing()"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env=environment, capture_output=True, check=False
    )
    assert b"LinuxOnly: prctl" in done.stderr


@pytest.mark.parametrize("is_running", [True, False])
def test_nothing_outlives_a_killed_watch(xtest: Xtest, *, is_running: bool) -> None:
    write_suite(xtest.folder / "s", {"1": "1", "2": "2"})
    write_program(xtest.folder / "p", "echo $$ > begun; exec sleep 600" if is_running else "cat")
    words = ("run", "s", "--watch", "-j2", "--wall", "600", "--", "./p")
    portable = replace(xtest, variables=without_linux())
    with portable.start(*words) as running:
        if is_running:
            await_process(xtest.folder / "begun", running)
        else:
            assert running.stderr is not None
            assert any("waiting for changes" in line for line in running.stderr)
        started = descendants_of(running.pid)
        assert len(started) >= (4 if is_running else 1)
        running.kill()
        until(lambda: not any(map(lives, started)))


def test_a_program_started_by_fork_has_hard_limits_and_its_own_session() -> None:
    backend = PortableBackend()
    reader, writer = os.pipe()
    null = os.open(os.devnull, os.O_RDWR)
    script = "ulimit -Hn; ps -o sid= -p $$ | tr -d ' '; echo $$; kill -TERM $$"
    argv = ("/bin/sh", "-c", script)
    limits = {resource.RLIMIT_NOFILE: 32}
    pid = backend.start(argv, dict(os.environb), (null, writer, null), limits)
    os.close(writer)
    os.close(null)
    with open(reader, encoding="ascii") as output:
        assert output.read().split() == ["32", str(pid), str(pid)]
    while (ended := backend.exit_of(pid)) is None:
        pass
    assert to_ending(ended.status) == Signalled(15)


def test_processes_whose_shared_memory_is_unknown_count_as_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(process: psutil.Process) -> NoReturn:
        raise psutil.AccessDenied(process.pid)

    backend = PortableBackend()
    own = backend.read_process(os.getpid())
    assert own is not None
    assert 0 < backend.own_memory_mib([own]) < own.resident / MIB
    monkeypatch.setattr(psutil.Process, "memory_full_info", refuse)
    assert backend.own_memory_mib([own, own]) == pytest.approx(own.resident / MIB, rel=0.1)


def test_a_process_whose_session_is_not_told_is_in_none_that_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: int) -> NoReturn:
        raise PermissionError(errno.EPERM, "of another session")

    monkeypatch.setattr(os, "getsid", refuse)
    found = PortableBackend().read_process(os.getpid())
    assert found is not None
    assert (found.pid, found.session) == (os.getpid(), -os.getpid())


def test_descriptors_are_found_where_only_the_standard_streams_are_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with open(os.devnull, "rb") as file:
        monkeypatch.setattr(os, "listdir", lambda _: ["0", "1", "2"])
        assert file.fileno() in PortableBackend().open_descriptors()


@pytest.mark.parametrize("program", ["/no/such", "/etc/passwd"])
def test_a_fork_reports_why_a_program_cannot_start(program: str) -> None:
    with pytest.raises((FileNotFoundError, PermissionError)):
        spawn_by_fork((program,), {}, (0, 1, 2), {})


def test_what_an_older_process_starts_is_nobodys_program(tmp_path: Path) -> None:
    older = ["sh", "-c", "read line; sleep 60 & echo $!; wait"]
    orphan = ["sh", "-c", "sleep 60 > /dev/null & echo $!"]
    pipe = subprocess.PIPE
    with subprocess.Popen(older, start_new_session=True, stdin=pipe, stdout=pipe) as shell:
        time.sleep(1.5)  # as far as times of starts are trusted
        system = PortableBackend()
        assert shell.stdin and shell.stdout
        shell.stdin.write(b"\n")
        shell.stdin.flush()
        foreign = int(shell.stdout.readline())
        left = int(subprocess.check_output(orphan, start_new_session=True))
        with subprocess.Popen(["sleep", "60"], cwd=tmp_path) as child:
            try:
                assert [each in system.processes() for each in (child.pid, left, foreign)] == [
                    True,
                    True,
                    False,
                ]
            finally:
                child.kill()
                os.kill(left, signal.SIGKILL)
                os.killpg(shell.pid, signal.SIGKILL)
