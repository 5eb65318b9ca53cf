"""Sandboxes: what subjects see, what they can do, and how they end."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest
from support.debian import pass_over
from support.suites import write_files, write_program, write_suite

from harness.errors import Refused
from harness.model.limits import Limits
from harness.model.protection import Accounting, SandboxKind
from harness.model.subject import ExecutionContext
from harness.model.transcript import Ending, Exited, Job, NotStarted, Signalled, Transcript
from harness.process.bubblewrap import ending_inside, find_shell
from harness.process.cgroups import GroupPool, Layout
from harness.process.inventory import Exposure, Inventory, inventory_of, kept_variables
from harness.process.landlock import Access, path_rules
from harness.process.sandbox import Sandbox, find_sandbox, run_one_in
from harness.process.system import SYSTEM

FAULTY = "import ctypes as c, os; c.CDLL(None).chmod(c.c_void_p(-1), 0); open('mine', 'x')"
SOCKET = f"{sys.executable} -c 'import socket"  # the begin of a command

# What is visible.


@pytest.fixture(name="project")
def _project(tmp_path: Path) -> Path:
    """A folder with a program, a suite, a repository and results."""
    project = tmp_path / "project"
    suite = write_suite(project / "tests" / "s", {"1": "[1]"})
    for program in (project / "prog", suite / "own"):
        write_program(program, "cat")
    results = '{"event":"run-started","format":1}\n'
    return write_files(
        project,
        {
            ".git/config": "secret",
            "old.jsonl": results,
            "fest.jsonl": results.replace("run", "fest"),
            "other.jsonl": "{}\n",
        },
    )


def test_the_working_folder_is_visible_without_suites_results_and_repositories(
    project: Path,
) -> None:
    exposure = Exposure(hidden=(f"{project}/tests/s",))
    paths = dict(inventory_of(("./prog",), str(project), exposure).paths)
    assert {path: paths[path] for path in paths if path.startswith(str(project))} == {
        str(project): True,
        f"{project}/.git": False,
        f"{project}/fest.jsonl": False,
        f"{project}/old.jsonl": False,
        f"{project}/tests/s": False,
    }


@pytest.mark.parametrize(
    ("command", "folder", "visible", "hidden"),
    [
        (["./own"], "project/tests/s", ["project/tests/s/own"], ["project/tests/s/1-out.json"]),
        (["sh", "{}/project/prog"], "tmp", ["project/other.jsonl"], ["project/old.jsonl", "else"]),
        (
            *(["./prog"], "link", ["link/prog", "project/prog"]),
            ["link/tests/s/1-out.json", "project/tests/s/1-out.json"],
        ),
        (["{}/bin/prog"], "/", ["python/lib/json.py"], ["secret", "/srv/secret"]),
        (
            *(["cat", "/etc/hosts", "/dev/stdin", "/proc/1/fd"], "/", ["/etc/hosts"]),
            ["/etc/shadow", "/dev/sda", "/dev/stdin", "/proc/1/fd"],
        ),
    ],
    ids=["in a suite", "named", "by a link", "interpreter", "of the system"],
)
def test_files_of_a_program_are_visible_and_those_beside_it_are_not(
    project: Path, command: list[str], folder: str, visible: list[str], hidden: list[str]
) -> None:
    tmp_path = project.parent
    (tmp_path / "link").symlink_to(project)
    python = write_program(tmp_path / "python" / "bin" / "python9", "cat")
    (tmp_path / "python" / "lib").mkdir()
    write_program(tmp_path / "bin" / "prog", f"#!{python}\n")
    (tmp_path / "tmp").mkdir()
    words = tuple(word.format(tmp_path) for word in command)
    exposure = Exposure(hidden=(f"{project}/tests/s",))
    inventory = inventory_of(words, str(tmp_path / folder), exposure)
    for paths, is_visible in ((visible, True), (hidden, False)):
        found = {path: inventory.is_visible(str(tmp_path / path)) for path in paths}
        assert found == dict.fromkeys(paths, is_visible)


def test_a_subject_does_not_decide_what_it_sees(tmp_path: Path) -> None:
    write_files(tmp_path, {"alice/main.py": "", "alice/lib/x": "", "staff/bin/x": "", "tmp/x": ""})
    write_program(tmp_path / "alice" / "prog", "cat")
    mallory = write_program(tmp_path / "mallory" / "prog", "#!../alice/prog").parent
    write_program(mallory / "with-env", f"#!./env {tmp_path}/staff/bin/x")
    write_program(mallory / "with-path", f"#!/usr/bin/env {tmp_path}/staff/bin/x")
    (mallory / "link.py").symlink_to("../alice/main.py")
    (mallory / "folder").symlink_to("../alice")
    (mallory / "own.py").symlink_to("prog")
    for command in (
        *(("./prog",), ("./with-env",), ("./with-path",), ("./link.py",), ("folder/prog",)),
        *(("python3", "link.py"), ("python3", "folder"), ("python3", "own.py")),
    ):
        parts = {str(mallory): [str(mallory / "folder"), str(mallory / "link.py")]}
        inventory = inventory_of(command, str(mallory), Exposure(dependencies=parts))
        assert inventory.is_visible(str(mallory / "own.py")), command
        for other in ("alice/main.py", "alice/lib/x", "alice/prog", "staff/bin/x"):
            assert not inventory.is_visible(str(tmp_path / other)), (command, other)
    trusted = inventory_of((str(tmp_path / "alice" / "prog"),), str(mallory), Exposure())
    assert trusted.is_visible(str(tmp_path / "alice" / "lib"))


def test_a_python_environment_in_the_folder_of_a_subject_shows_its_installation(
    tmp_path: Path,
) -> None:
    write_files(tmp_path, {"py/lib/python3.99/os.py": "", "team/.venv/pyvenv.cfg": ""})
    python = write_program(tmp_path / "py" / "bin" / "python3.99", "cat")
    (tmp_path / "team" / ".venv" / "bin").mkdir()
    (tmp_path / "team" / ".venv" / "bin" / "python").symlink_to(python)
    found = inventory_of((".venv/bin/python",), str(tmp_path / "team"), Exposure())
    assert found.is_visible(str(tmp_path / "py" / "lib" / "python3.99" / "os.py"))


def test_a_shim_of_a_version_manager_shows_the_programs_that_it_runs(tmp_path: Path) -> None:
    write_files(tmp_path, {"pyenv/versions/3.99/bin/python3": "", "pyenv/libexec/pyenv": ""})
    shim = write_program(tmp_path / "pyenv" / "shims" / "python3", "cat")
    found = inventory_of((str(shim),), "/", Exposure())
    assert found.is_visible(str(tmp_path / "pyenv" / "libexec" / "pyenv"))
    assert found.is_visible(str(tmp_path / "pyenv" / "versions" / "3.99" / "bin" / "python3"))
    assert not found.is_visible(str(tmp_path / "other"))


@pytest.mark.parametrize(
    "folder", ["/", "/home", "/home/me", "/tmp", "/etc", "/proc/self", "/data", "/data/me"]
)
def test_a_folder_with_much_else_is_not_shown(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/data/me")
    inventory = inventory_of(("/bin/cat", "."), folder, Exposure())
    assert not inventory.is_visible(os.path.join(folder, "secret"))


def test_what_the_caller_shows_is_visible(project: Path) -> None:
    shown = Exposure(shown=(str(project),), hidden=(f"{project}/tests",))
    inventory = inventory_of(("/bin/cat",), "/", shown)
    assert inventory.is_visible(f"{project}/prog")
    assert not inventory.is_visible(f"{project}/tests/s/1-in.json")


def test_only_declared_variables_are_inherited() -> None:
    inherited = {"PATH": "/bin", "LC_ALL": "C", "TOKEN": "secret", "HOME": "/root", "TZ": "UTC"}
    assert kept_variables(inherited) == {"PATH": "/bin", "LC_ALL": "C", "TZ": "UTC"}


def test_landlock_allows_everything_beside_what_is_hidden(project: Path) -> None:
    inventory = Inventory(((str(project), True), (f"{project}/tests/s", False)))
    rules = dict(path_rules(inventory))
    assert rules[str(project)] == rules[str(project / "tests")] == Access.READ_DIR
    assert rules[str(project / "prog")] == Access.READ
    assert not any("tests/s" in path for path in rules)


@pytest.mark.parametrize(
    ("ending", "messages", "inside"),
    [
        (Exited(0), b"", Exited(0)),
        (Exited(137), b"", Exited(137)),
        (Exited(137), b"Killed\n", Signalled(9)),
        (Exited(192), b"Real-time signal 30\n", Signalled(64)),
        (Exited(193), b"?\n", Exited(193)),
        (Exited(141), b"", Signalled(13)),
        (Exited(130), b"", Exited(130)),
        (Exited(1), b"bwrap: no\n", NotStarted("--sandbox: bwrap: no")),
        (Signalled(9), b"", Signalled(9)),
        (Exited(127), b"not started\n", NotStarted("/program: no such file or directory")),
        (Exited(0), b"not started\n", Exited(0)),
    ],
)
def test_the_ending_follows_from_the_messages_of_bwrap_and_the_shell(
    ending: Ending, messages: bytes, inside: Ending
) -> None:
    assert ending_inside(ending, messages, "/program", "/") == inside


def test_a_shell_that_hides_how_programs_end_is_not_used() -> None:
    assert find_shell(("/nowhere/sh", "/bin/bash", "/bin/dash")) == "/bin/dash"
    assert find_shell(("/bin/bash",)) is None


# Real sandboxes.


@pytest.fixture(name="sandbox", params=list(SandboxKind), ids=lambda kind: str(kind.value))
def _sandbox(
    request: pytest.FixtureRequest, project: Path, monkeypatch: pytest.MonkeyPatch
) -> Sandbox:
    """A sandbox, with a folder of its own for temporary files."""
    temporary = project.with_name("temporary")
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    shown = (sys.prefix, sys.base_prefix)
    found = find_sandbox(request.param, Exposure(shown, (str(project / "tests" / "s"),)))
    if isinstance(found, Refused):
        pass_over(found.reason)
    return found


def attempt(
    sandbox: Sandbox, project: Path, script: str, limits: Limits = Limits(processes=8)
) -> Transcript:
    return observe_in(sandbox, project, "/bin/sh", "-c", script, limits=limits)


def observe_in(
    sandbox: Sandbox | None, project: Path, *argv: str, limits: Limits = Limits()
) -> Transcript:
    context = ExecutionContext(str(project), (("DECLARED", "yes"),))
    job = Job(argv, b"given\n", limits, context=context)
    transcript = run_one_in(sandbox, job, os.environ)
    return transcript


@pytest.mark.system
def test_a_hidden_file_that_a_program_leads_to_is_named(sandbox: Sandbox, project: Path) -> None:
    other = write_program(project.with_name("other") / "prog", "cat")
    (project / "link").symlink_to(other)
    write_program(project / "script", f"#!{other}\n")
    reason = f"{{}} leads to {other}, which the sandbox does not show; add it with --show"
    for name in ("link", "script"):
        transcript = observe_in(sandbox, project, f"./{name}")
        assert transcript.ending == NotStarted(reason.format(project / name))


@pytest.mark.system
@pytest.mark.parametrize(
    "script",
    [
        "cat old.jsonl",
        "cat .git/config",
        "echo 0 > /proc/self/oom_score_adj",
        "kill -0 PID",
        f"cat {os.path.expanduser('~')}/.profile",
        "cat /etc/shadow",
        "mount -t tmpfs none /tmp",
        f'{SOCKET}; socket.create_connection(("127.0.0.1", 9))\'',
        f'{SOCKET}; s = socket.socket(); s.bind(("10.1.1.1", 0))\'',
    ],
)
def test_a_subject_cannot(sandbox: Sandbox, project: Path, script: str) -> None:
    script = script.replace("PID", str(os.getpid()))  # not in the name of the test
    transcript = attempt(sandbox, project, f"({script}) && echo succeeded")
    assert b"succeeded" not in transcript.stdout
    assert isinstance(transcript.ending, Exited) and transcript.ending.status != 0


@pytest.mark.system
@pytest.mark.parametrize(
    "script",
    [
        "test given = $(cat)",
        "test -x prog",
        "echo x > $TMPDIR/mine && test x = $(cat $HOME/mine)",
        "echo true > $TMPDIR/mine && chmod +x $TMPDIR/mine && $TMPDIR/mine",
        "cd $TMPDIR && echo x > mine && touch -d @1 mine && test $(stat -c %Y mine) = 1",
        "cd $TMPDIR && mkdir a && cp -p $0 a && cp -pr a b && tar -cf c a b && tar -xf c",
        f"cd $TMPDIR && {sys.executable} -c \"{FAULTY}; os.chmod('mine', 0)\"",
        "head -c 1 /dev/random /dev/urandom /dev/zero > /dev/null && cat /dev/stdin",
        'test "$DECLARED" = yes',
        f"{sys.executable} -c 'import json, ssl, random; random.SystemRandom().random()'",
        "ls . && prlimit --fsize && nice -n 1 taskset 1 true",
        f"{SOCKET}; socket.socketpair(); socket.socketpair(type=socket.SOCK_SEQPACKET)'",
    ],
)
def test_a_subject_can(sandbox: Sandbox, project: Path, script: str) -> None:
    assert attempt(sandbox, project, script).ending == Exited(0)


@pytest.mark.system
@pytest.mark.parametrize(
    ("script", "ending"),
    [
        ("exit 137", Exited(137)),
        ("kill -KILL $$", Signalled(9)),
        ("kill -SEGV $$", Signalled(11)),
        ("kill -TERM $$", Signalled(15)),
        ("exit 130", Exited(130)),
        ("trap '' TERM; kill -TERM 0", Exited(0)),
    ],
)
def test_the_ending_is_that_of_the_program(
    sandbox: Sandbox, project: Path, script: str, ending: Ending
) -> None:
    transcript = attempt(sandbox, project, script)
    assert (transcript.ending, transcript.stderr, transcript.usage.processes) == (ending, b"", 1)


@pytest.mark.system
@pytest.mark.parametrize(
    ("content", "mode", "reason"),
    [
        (None, 0, "no such file or directory"),
        (b"#!/bin/sh\n", 0o644, "is not executable (chmod +x "),
        (b"#!/bin/sh\r\n", 0o755, "has a Windows line ending in its first line (fix: sed -i "),
        (b"#!/bin/nosuch -x\n", 0o755, "names the interpreter /bin/nosuch, which cannot be run"),
        (b"exit 0\n", 0o755, 'is not a binary for this machine, and has no "#!" line'),
        (b"", 0o755, "is empty"),
        (b"MZ\x90\0\3\0", 0o755, "is a program for Windows"),
    ],
)
def test_a_program_that_cannot_be_executed_is_not_started(
    sandbox: Sandbox, project: Path, content: bytes | None, mode: int, reason: str
) -> None:
    if content is not None:
        (project / "program").write_bytes(content)
        (project / "program").chmod(mode)
    (project / "program.py").touch()
    transcript = observe_in(sandbox, project, "./program")
    assert isinstance(transcript.ending, NotStarted)
    assert reason in transcript.ending.reason
    assert transcript.ending == observe_in(None, project, "./program").ending
    assert (transcript.stdout, transcript.stderr) == (b"", b"")


@pytest.mark.system
def test_a_program_that_printed_something_was_started(sandbox: Sandbox, project: Path) -> None:
    message = "echo 'bwrap: no space left on device' > /proc/1/fd/2"
    transcript = attempt(sandbox, project, f"echo 4; {message}; exit 1")
    assert (transcript.ending, transcript.stdout) == (Exited(1), b"4\n")


@pytest.mark.system
def test_a_temporary_folder_is_new_for_each_run_and_removed(
    sandbox: Sandbox, project: Path
) -> None:
    script = "test ! -e $TMPDIR/a && umask 777 && mkdir $TMPDIR/a && echo $TMPDIR"
    for _ in range(2):
        transcript = attempt(sandbox, project, script)
        assert transcript.ending == Exited(0)
        folder = transcript.stdout.decode().strip()
        assert folder == "/tmp" or not os.path.exists(folder)
    assert not os.listdir(tempfile.gettempdir())


@pytest.mark.system
@pytest.mark.parametrize(
    ("sandbox", "script"),
    [
        (SandboxKind.BWRAP, "unshare --user true"),
        (SandboxKind.BWRAP, "kill -STOP $PPID; kill -KILL $PPID; exit 1"),
        (SandboxKind.LANDLOCK, f"{SOCKET}; socket.socket(type=socket.SOCK_DGRAM)'"),
        (SandboxKind.LANDLOCK, f"{SOCKET}; socket.socket(socket.AF_UNIX)'"),
        (SandboxKind.LANDLOCK, "ipcmk -M 9 || ipcmk -Q || ipcmk -S 1"),
        (SandboxKind.LANDLOCK, f"{SOCKET}; socket.socketpair(type=socket.SOCK_DGRAM)'"),
        (SandboxKind.LANDLOCK, "chmod u+s prog"),
        (SandboxKind.LANDLOCK, "echo x > $TMPDIR/mine && chown 1:1 $TMPDIR/mine"),
        (SandboxKind.LANDLOCK, "touch -d @0 prog"),
        (SandboxKind.LANDLOCK, "chmod 755 $TMPDIR"),
        (SandboxKind.LANDLOCK, "cp /bin/true $TMPDIR && chmod u+s $TMPDIR/true"),
        (SandboxKind.LANDLOCK, "ln -s $PWD/prog $TMPDIR/link && chmod 777 $TMPDIR/link"),
        (
            SandboxKind.LANDLOCK,
            f'{sys.executable} -c \'import os; os.setxattr(".", "user.x", b"")\'',
        ),
        (SandboxKind.LANDLOCK, "prlimit --pid $PPID --fsize"),
        (SandboxKind.LANDLOCK, "sleep 9 > $TMPDIR/o 2>&1 & renice 5 $!"),
        (SandboxKind.LANDLOCK, "sleep 9 > $TMPDIR/o 2>&1 & taskset -p 1 $!"),
    ],
    indirect=["sandbox"],
)
def test_a_subject_cannot_in_one_kind(sandbox: Sandbox, project: Path, script: str) -> None:
    assert attempt(sandbox, project, script).ending == Exited(1)


@pytest.mark.system
@pytest.mark.parametrize("sandbox", [SandboxKind.LANDLOCK], indirect=True)
def test_a_subject_of_landlock_finds_no_programs_that_it_cannot_see(
    sandbox: Sandbox, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_program(project.with_name("environment") / "python3", "exit 1")
    monkeypatch.setenv("PATH", f"{project.with_name('environment')}:{project}:/usr/bin:/bin")
    script = f"test $PATH = {project}:/usr/bin:/bin && command -v python3"
    assert attempt(sandbox, project, script).stdout == b"/usr/bin/python3\n"


@pytest.mark.system
@pytest.mark.parametrize("sandbox", [SandboxKind.BWRAP], indirect=True)
def test_a_subject_of_bwrap_cannot_raise_its_limits(
    sandbox: Sandbox, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SYSTEM, "limit", lambda *_: None)  # as if it came too late
    limits = Limits(open_files=100, file_mib=1)
    transcript = attempt(sandbox, project, "ulimit -Hn; ulimit -Hf", limits)
    assert (transcript.stdout, transcript.ending) == (b"100\n2048\n", Exited(0))


@pytest.mark.system
@pytest.mark.parametrize("sandbox", [SandboxKind.BWRAP], indirect=True)
def test_more_of_etc_can_be_shown(sandbox: Sandbox, project: Path) -> None:
    shown = find_sandbox(sandbox.kind, Exposure(("/etc/group",)))
    assert not isinstance(shown, Refused)
    script = "cat /etc/passwd && cat /etc/group"
    assert attempt(sandbox, project, script).ending == Exited(1)
    assert attempt(shown, project, script).ending == Exited(0)


@pytest.mark.system
@pytest.mark.parametrize("sandbox", [SandboxKind.BWRAP], indirect=True)
def test_the_temporary_folder_of_bwrap_is_bounded(
    sandbox: Sandbox, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A control group would count these files as memory, and end the run before.
    monkeypatch.setattr(SYSTEM, "groups", lambda: GroupPool(Layout(Accounting.PROC)))
    script = "for at in /tmp /dev/shm; do head -c 40000000 /dev/zero > $at/f; wc -c < $at/f; done"
    transcript = attempt(sandbox, project, script, Limits(memory_mib=30.0))
    assert transcript.stdout.split() == [b"31457280"] * 2
