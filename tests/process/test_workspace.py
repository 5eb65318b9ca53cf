"""Private working folders: what runs see, what they leave, and what is kept."""

from __future__ import annotations

import codecs
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from support.debian import pass_over
from support.suites import write_files, write_program, write_suite

from harness.model.limits import MIB
from harness.model.transcript import Written
from harness.process.own_process import fork
from harness.process.system import SYSTEM
from harness.process.workspace import Workspace, Workspaces
from harness.reports.text.events import SHARED_FOLDERS


@pytest.fixture(name="workspaces")
def _workspaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspaces]:
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)  # programs import modules of their folder
    workspaces = Workspaces()
    probe = tmp_path / "probe"
    probe.mkdir()
    with closing(workspaces):
        if workspaces.take(str(probe)) is None:
            pytest.skip("this machine allows no mount namespaces")
        yield workspaces


def run_in(workspace: Workspace, script: str) -> tuple[str, Written]:
    """Run a shell script in a private folder; return what it printed, and what it wrote."""
    with workspace.entered(workspace.folder):
        done = subprocess.run(script, shell=True, stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout, workspace.end_run()


def take(workspaces: Workspaces, folder: Path, memory_mib: float | None = None) -> Workspace:
    workspace = workspaces.take(str(folder), memory_mib, ("p",))
    assert workspace is not None
    return workspace


def test_what_a_run_writes_is_gone_after_it(workspaces: Workspaces, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "a, b: c", {"old": "1\n", "sub/kept": ""})
    workspace = take(workspaces, folder)
    script = "cat old; echo 2 > old; rm -r sub; mkdir -p d/e; echo x > d/e/new; cat old"
    output, written = run_in(workspace, script)
    assert output == "1\n2\n"
    assert written.total == len(written.names)
    assert {"old", "sub", "d/e/new"} <= set(written.names)
    assert sorted(os.listdir(folder)) == ["old", "sub"]
    assert take(workspaces, folder) is workspace
    assert run_in(workspace, "cat old; ls sub") == ("1\nkept\n", Written())


def test_runs_at_once_do_not_see_each_other(workspaces: Workspaces, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "f", {"old": ""})
    first, second = take(workspaces, folder), take(workspaces, folder)
    with first.entered(first.folder):
        (folder / "mine").write_text("")
    with second.entered(second.folder):
        assert os.listdir(".") == ["old"]
    assert os.listdir(folder) == ["old"]
    assert first.end_run().names == ("mine",)


def test_this_process_stays_where_it_was(workspaces: Workspaces, tmp_path: Path) -> None:
    before = os.getcwd()
    workspace = take(workspaces, tmp_path)
    with pytest.raises(ZeroDivisionError), workspace.entered(workspace.folder):
        raise ZeroDivisionError
    assert os.getcwd() == before


def test_written_data_is_bounded(workspaces: Workspaces, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "f", {"old": ""})
    workspace = take(workspaces, folder, memory_mib=1.0)
    output, _ = run_in(workspace, "head -c 3000000 /dev/zero > big 2> error; stat -c %s big")
    assert int(output) <= MIB


def test_imported_modules_are_compiled_for_later_runs(
    workspaces: Workspaces, tmp_path: Path
) -> None:
    folder = write_files(tmp_path / "f", {"sub/m.py": "x = 1\n", "syntax.py": "(", "n.py": ""})
    compiled = cache_from_source("m.py")
    leave = f"mkdir sub/__pycache__ __pycache__; echo > sub/{compiled}; echo > __pycache__/x"
    # Neither a module that is none, nor one for another Python, nor one that is not there.
    leave += f"; echo > {cache_from_source('syntax.py')}; echo > __pycache__/n.cpython-27.pyc"
    leave += f"; echo > {cache_from_source('o.py')}"
    _, written = run_in(take(workspaces, folder), leave)
    assert written.names == (cache_from_source("o.py"), "__pycache__/x")
    output, _ = run_in(take(workspaces, folder), "find . -name '*.pyc'")
    assert output == f"./sub/{compiled}\n"
    assert not (folder / "sub/__pycache__").exists()
    (folder / "sub/m.py").write_text("x = 22\n")
    script = f"{sys.executable} -c 'import sub.m; print(sub.m.x, sub.m.__cached__)'"
    for _ in range(2):
        assert run_in(take(workspaces, folder), script)[0] == f"22 {folder}/sub/{compiled}\n"


def test_a_program_cannot_leave_other_code_to_its_next_runs(
    workspaces: Workspaces, tmp_path: Path
) -> None:
    folder = write_files(tmp_path / "f", {"m.py": "print(1)\n", "m.txt": "print(2)\n"})
    source = (folder / "m.py").stat()
    os.utime(folder / "m.txt", ns=(source.st_atime_ns, source.st_mtime_ns))
    compiled = cache_from_source("m.py")
    forge = f"import py_compile; py_compile.compile('m.txt', '{compiled}')"
    script = f"{sys.executable} -c 'import m'; {sys.executable} -c \"{forge}\""
    for _ in range(2):
        assert run_in(take(workspaces, folder), script)[0] == "1\n"


def test_of_many_files_only_some_are_read(workspaces: Workspaces, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "f", {"m.py": "x = 1\n"})
    # 20 GB, if they were kept.
    script = "mkdir __pycache__; for i in `seq 5000`; do echo __pycache__/m.$i.pyc; done"
    _, written = run_in(take(workspaces, folder), f"{script} | xargs truncate -s 4M; rm m.py")
    assert 0 < written.total <= 4_096
    assert run_in(take(workspaces, folder), "find . -name '*.pyc'") == ("", Written())


def test_what_a_run_mounts_is_gone_after_it(workspaces: Workspaces, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "f", {"sub/old": ""})
    workspace = take(workspaces, folder)
    for attack in ("mount -t tmpfs none sub", "mount --bind sub ..", "umount -l $PWD"):
        output, _ = run_in(workspace, f"{attack} 2> error || echo no")
        if output:
            pytest.skip("this user may not mount anything")
        assert run_in(workspace, "cd $PWD; ls; ls sub") == ("sub\nold\n", Written())


def test_a_folder_that_is_removed_during_a_run_is_no_fault(
    workspaces: Workspaces, tmp_path: Path
) -> None:
    folder = write_files(tmp_path / "f", {"old": ""})
    workspace = take(workspaces, folder)
    with workspace.entered(str(folder)):
        (folder / "new").touch()
    folder.rename(tmp_path / "g")
    assert workspace.end_run().names == ("new",)
    assert workspaces.take(str(folder), None, ("p",)) is None


def test_hidden_paths_cannot_be_seen(workspaces: Workspaces, tmp_path: Path) -> None:
    files = {"suite/1-out.json": "1", "suite/data/x": "x", "suite/y": "y", "results": "2", "p": "3"}
    folder = write_files(tmp_path / "f", files)
    workspace = take(workspaces, folder)
    paths = {"results": False, "suite": False, "suite/data": True, "suite/y": True}
    workspace.hide(tuple((str(folder / path), seen) for path, seen in paths.items()))
    script = "find suite -type f | sort | xargs; cat results p suite/data/x; echo > new"
    assert run_in(workspace, script)[0] == "suite/data/x suite/y\n3x"
    assert (
        run_in(take(workspaces, folder), "ls; ls suite; cat results")[0]
        == "p\nresults\nsuite\ndata\ny\n"
    )


def test_a_folder_with_mounts_below_it_is_shared(workspaces: Workspaces) -> None:
    assert workspaces.take("/") is None


def test_an_ordinary_user_whose_processes_may_not_be_traced_has_private_folders() -> None:
    user = os.getuid() or 54321
    codecs.lookup("ascii")  # the user may not be able to read Python's library
    with tempfile.TemporaryDirectory() as name:
        os.chown(name, user, -1)

        def use_a_view() -> int:
            os.setresuid(user, user, user)
            SYSTEM.forbid_tracing()  # as workers do
            with closing(Workspaces()) as workspaces:
                workspace = take(workspaces, Path(name))
                # bwrap needs a user namespace of its own.
                output, written = run_in(workspace, "id -u; touch new; unshare --user echo made")
            return 0 if (output, written.names) == (f"{user}\nmade\n", ("new",)) else 1

        _, status = os.waitpid(fork(use_a_view), 0)
        assert status == 0
        assert os.listdir(name) == []


def test_nothing_is_left_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    write_files(tmp_path / "f", {"old": ""})
    workspaces = Workspaces()
    with closing(workspaces):
        workspace = workspaces.take(str(tmp_path / "f"))
        if workspace is not None:
            run_in(workspace, "echo > x")
    assert not os.listdir(tmp_path / "t")


PATIENT = "[limits]\nwall_s = 60\n"  # no program hangs, but a busy machine starts them late
# Where no namespaces are left, not even for root.
WITHOUT_NAMESPACES = (
    *("unshare", "--user", "--map-root-user", "sh", "-c"),
    'echo 0 > /proc/sys/user/max_mnt_namespaces && exec "$@"',
    "sh",
)
# Of two runs with an odd number, one fails at once, before any file changes beside it.
WRITER = """#!/usr/bin/env python3
import os, sys, time
text = sys.stdin.read()
is_odd = int(text) % 2
name = "lock.tmp" if is_odd else "work.tmp"
open(name, "x" if is_odd else "w").write(text)
time.sleep(0.2)
print(open(name).read())
if is_odd:
    os.remove(name)
"""


@pytest.fixture(name="without_namespaces")
def _without_namespaces(tmp_path: Path) -> Callable[..., str]:
    """Return a function that runs xtest where folders are shared, and returns what it prints."""
    if subprocess.run((*WITHOUT_NAMESPACES, "true"), check=False).returncode:
        pass_over("this machine allows no user namespaces")
    inputs = {f"{number}": f"{number}" for number in range(8)}
    write_suite(tmp_path / "s", inputs, PATIENT)
    write_program(tmp_path / "prog", WRITER)
    write_program(tmp_path / "prog2", WRITER)
    (tmp_path / "fest.toml").write_text(
        'tests = "tests/*"\nsubjects = "t/*"\nwheats = "wheats/*"\n'
    )
    write_suite(tmp_path / "tests" / "a", inputs, PATIENT)
    for program in ("wheats/w/solve", "t/a/solve"):
        write_program(tmp_path / program, WRITER)

    def run(*words: str, module: str = "harness") -> str:
        command = (*WITHOUT_NAMESPACES, sys.executable, "-m", module, *words)
        return subprocess.run(
            command, cwd=tmp_path, stdout=-1, stderr=subprocess.STDOUT, text=True, check=False
        ).stdout

    return run


@pytest.mark.system
@pytest.mark.slow
def test_a_run_that_others_disturb_in_a_shared_folder_is_repeated_alone(
    tmp_path: Path, without_namespaces: Callable[..., str]
) -> None:
    printed = without_namespaces("run", "s", "-j4", "--results", "r", "--", "./prog")
    assert "all 8 passed" in printed
    assert SHARED_FOLDERS in printed
    events = [json.loads(line) for line in (tmp_path / "r").read_text().splitlines()]
    judged = [event for event in events if event["event"] == "judged"]
    assert all(event["shared_folder"] for event in judged)
    assert any(event.get("retried") and event["folder_changed"] for event in judged)


@pytest.mark.system
@pytest.mark.slow
def test_workers_of_xdist_repeat_a_run_that_others_disturb_in_a_shared_folder(
    without_namespaces: Callable[..., str],
) -> None:
    words = "-q", "-n4", "-pno:cacheprovider", "--xtest-suite=s", "--xtest-subject=./prog", "s"
    printed = without_namespaces(*words, module="pytest")
    assert "8 passed" in printed
    assert SHARED_FOLDERS in printed


@pytest.mark.system
@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "ending"),
    [
        (("compare", "./prog", "./prog2", "-j4", "--", "s"), "all subjects answer alike"),
        (("accept", "s", "-j4", "--", "./prog"), "8 cases: 8 unchanged"),
        (("selftest", "s", "-j4", "--", "./prog"), "8 cases passed by ./prog"),
        (("fest", "check", "a", "-j4", "--sandbox=none"), "8 valid, 0 invalid, 0 contested"),
    ],
    ids=["compare", "accept", "selftest", "fest"],
)
def test_every_command_repeats_disturbed_runs_and_says_that_folders_are_shared(
    words: tuple[str, ...], ending: str, without_namespaces: Callable[..., str]
) -> None:
    printed = without_namespaces(*words)
    assert ending in printed
    assert printed.count(SHARED_FOLDERS) == 1


def is_running(script: str) -> bool:
    """Return whether Python runs a script of this name."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if len(words) > 1 and words[1].endswith(script.encode()):
                return True
    return False


@pytest.mark.system
@pytest.mark.slow
@pytest.mark.parametrize("sandbox", [(), ("--sandbox=bwrap",), ("--sandbox=landlock",)])
def test_nothing_is_left_of_a_killed_run_after_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: tuple[str, ...]
) -> None:
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)  # as above
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    write_suite(tmp_path / "s", {"1": "1"})
    write_files(tmp_path, {"module.py": ""})
    script = f"#!{os.path.realpath(sys.executable)}\nimport module, os, time\n"
    write_program(tmp_path / "quick", f"{script}print(1)\n")
    write_program(tmp_path / "hanging-of-xtest", f"{script}print(1, flush=True); time.sleep(60)\n")
    environment = {**os.environ, "TMPDIR": str(temporary)}
    command = (sys.executable, "-m", "harness", "run", "s", "-q", *sandbox, "--")

    def start(program: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            (*command, program), cwd=tmp_path, env=environment, text=True, start_new_session=True
        )

    with start("./hanging-of-xtest") as killed:
        while not is_running("hanging-of-xtest"):
            time.sleep(0.05)
        os.killpg(killed.pid, signal.SIGKILL)
    with start("./quick") as next_run:
        assert next_run.wait() == 0
    assert os.listdir(temporary) == []
