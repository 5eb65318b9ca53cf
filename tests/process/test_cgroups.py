"""Control groups: folders that imitate those of the kernel, and those that this machine has."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from harness.model.limits import Limit, Limits
from harness.model.protection import Accounting
from harness.model.transcript import Exited, Job, Transcript
from harness.process.cgroups import GroupPool, Layout, accounting, delegate, find_layout
from harness.process.loop import run

PAGE = os.sysconf("SC_PAGE_SIZE")
V2 = {"cgroup.controllers": "", "u/cgroup.procs": "", "u/cgroup.controllers": "cpu memory pids\n"}
MEMBERS = {**V2, "u/cgroup.subtree_control": "\n"}
BOTH = {"unified/cgroup.controllers": "", "unified/cgroup.procs": "", "memory/m/cgroup.procs": ""}


def imitate(folder: Path, files: dict[str, str]) -> str:
    """Write files into a folder, and return it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "ascii")
    return str(folder)


@pytest.mark.parametrize(
    ("groups", "mounted", "expected"),
    [
        ("0::/u\n", {**V2, "u/cgroup.subtree_control": "memory\n"}, Accounting.CGROUP_V2),
        ("0::/u\n", MEMBERS, Accounting.CGROUP_MEMBERS),
        ("4:memory:/m\n0::/\n", BOTH, Accounting.CGROUP_V1),
        ("4:memory:/other\n0::/\n", BOTH, Accounting.CGROUP_MEMBERS),
        ("4:memory:/m\n", {"memory/m/cgroup.procs": ""}, Accounting.PROC),
        ("0::/\n", {"memory/tasks": ""}, Accounting.PROC),
    ],
)
def test_the_layout_decides_what_is_counted(
    tmp_path: Path, groups: str, mounted: dict[str, str], expected: Accounting
) -> None:
    process = imitate(tmp_path / "self", {"cgroup": groups})
    assert find_layout(process, imitate(tmp_path / "mounts", mounted)).accounting is expected


def test_version_1_limits_processes_where_version_2_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {**BOTH, "pids/p/cgroup.procs": ""}
    mounts = imitate(tmp_path / "mounts", files)
    process = imitate(tmp_path / "self", {"cgroup": "9:pids:/p\n4:memory:/m\n0::/\n"})
    layout = find_layout(process, mounts)
    assert layout.pids == f"{mounts}/pids/p"
    make = os.mkdir

    def mkdir(path: str) -> None:  # as the kernel does
        make(path)
        for name in ("cgroup.procs", "cgroup.kill", "pids.max"):
            (Path(path) / name).touch()

    monkeypatch.setattr(os, "mkdir", mkdir)
    group = GroupPool(layout).take()
    assert group is not None
    group.adopt(12, Limits())
    (made,) = Path(layout.pids).glob("xtest-*")
    assert [(made / name).read_text("ascii") for name in ("pids.max", "cgroup.procs")] == [
        "10000",
        "12",
    ]


def test_a_process_alone_in_its_group_gets_the_controllers_of_version_2(tmp_path: Path) -> None:
    process, mounts = imitate(tmp_path / "self", {"cgroup": "0::/u\n"}), tmp_path / "mounts"
    imitate(mounts, MEMBERS)
    home = f"u/xtest-{os.getpid()}-home"
    imitate(mounts, {f"{home}/cgroup.procs": ""})
    (mounts / home / "cgroup.procs").unlink()
    (mounts / home).rmdir()
    delegate(process, str(mounts))  # refused: nothing makes the files of the new folder
    assert (mounts / "u/cgroup.subtree_control").read_text("ascii") == "\n"
    imitate(tmp_path / "self", {"cgroup": f"0::/{home}\n"})
    imitate(mounts, {"u/cgroup.subtree_control": "memory pids\n"})
    layout = find_layout(process, str(mounts))
    assert (layout.members, layout.home) == (str(mounts / "u"), str(mounts / home))


class Imitation:
    """A group of one version in folders that imitate those of the kernel."""

    def __init__(self, folder: Path, kind: Accounting, monkeypatch: pytest.MonkeyPatch) -> None:
        self.members, self.memory = folder / "members", folder / "memory"
        imitate(self.members, {"cgroup.procs": ""})
        imitate(self.memory, {"cgroup.procs": ""})
        memory = self.members if kind is Accounting.CGROUP_V2 else self.memory
        self.made: list[Path] = []
        make = os.mkdir

        def mkdir(path: str) -> None:  # as the kernel does
            make(path)
            self.made.append(Path(path))
            for name in ("cgroup.procs", "cgroup.kill", "memory.max", "memory.limit_in_bytes"):
                (Path(path) / name).touch()
            for name in ("memory.swap.max", "memory.memsw.limit_in_bytes", "pids.max"):
                (Path(path) / name).touch()

        monkeypatch.setattr(os, "mkdir", mkdir)
        layout = Layout(kind, str(self.members), str(memory), str(self.members))
        group = GroupPool(layout).take()
        assert group is not None
        self.group = group

    def write(self, name: str, text: str) -> None:
        """Write to a file of the group, whichever of its folders has it."""
        for folder in self.made:
            (folder / name).write_text(text, "ascii")

    def read(self, name: str) -> str:
        """Read a file of the folder that counts memory."""
        return (self.made[-1] / name).read_text("ascii")


@pytest.mark.parametrize(
    ("kind", "written", "counters"),
    [
        (
            Accounting.CGROUP_V2,
            {"memory.max": 3 << 20, "memory.swap.max": 0},
            {"memory.events": "low 0\nhigh 0\nmax 9\noom {}\noom_kill 0\n"},
        ),
        (
            Accounting.CGROUP_V1,
            {"memory.limit_in_bytes": 3 << 20, "memory.memsw.limit_in_bytes": (3 << 20) + PAGE},
            {"memory.oom_control": "under_oom 0\noom_kill {}\n", "memory.failcnt": "{}\n"},
        ),
    ],
)
def test_a_group_counts_and_limits(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: Accounting,
    written: dict[str, int],
    counters: dict[str, str],
) -> None:
    imitation = Imitation(tmp_path, kind, monkeypatch)
    group = imitation.group
    assert group.call(lambda: 7, Limits(memory_mib=3)) == 7
    assert {name: int(imitation.read(name)) for name in written} == written
    imitation.write("cpu.stat", "usage_usec 2500000\n")
    imitation.write("cgroup.procs", "12\n13\n")
    assert (round(group.cpu_s(), 1), group.pids()) == (2.5, [12, 13])
    assert not group.reset()  # it has processes
    for number, is_exceeded in ((0, False), (2, True)):
        for name, text in counters.items():
            imitation.write(name, text.format(number))
        assert group.has_exceeded_memory() is is_exceeded
    group.kill()
    assert (imitation.made[0] / "cgroup.kill").read_text("ascii") == "1"


def observe(text: str, limits: Limits) -> Transcript:
    """Return the transcript of a Python program."""
    job = Job((sys.executable, "-I", "-S", "-c", text), b"", limits)
    ((_, transcript),) = run(iter([(None, job)]), 1, os.environ, sole_parent=True)
    return transcript


@pytest.fixture(name="counted")
def _counted() -> Accounting:
    found = accounting()
    if found is Accounting.PROC:
        pytest.skip("no control groups here")
    return found


def test_a_burst_of_processor_time_counts(counted: Accounting) -> None:
    # Nobody waits for these processes, and no sample sees enough of them: their group counts them.
    text = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(50):
    if os.fork() == 0:
        while time.process_time() < 0.02: pass
        os._exit(0)
    try: os.wait()
    except ChildProcessError: pass
"""
    seen = observe(text, Limits(wall_s=600, cpu_s=0.3))
    assert (seen.limit, seen.accounting) == (Limit.CPU, counted.value)


def test_memory_without_a_process_counts(counted: Accounting) -> None:
    text = "import os; f = os.memfd_create('x'); [os.write(f, bytes(1 << 20)) for _ in range(64)]"
    if not counted.protections:
        pytest.skip("no control groups here that count memory")
    seen = observe(text, Limits(wall_s=600, memory_mib=40))
    assert seen.limit is Limit.MEMORY


def test_pages_of_files_do_not_count(counted: Accounting, tmp_path: Path) -> None:
    file = tmp_path / "large"
    text = f"""
with open({str(file)!r}, "wb") as f:
    for _ in range(64): f.write(bytes(1 << 20))
with open({str(file)!r}, "rb") as f:
    while f.read(1 << 20): pass
"""
    seen = observe(text, Limits(wall_s=600, memory_mib=40))
    assert (seen.ending, seen.limit, seen.accounting) == (Exited(0), None, counted.value)


def test_a_run_cannot_start_any_number_of_processes(counted: Accounting) -> None:
    text = """if True:
        groups = [line.rstrip().split(":", 2) for line in open("/proc/self/cgroup")]
        for _, controller, path in groups:
            if "/xtest-" in path:
                for mount in (controller, "unified", "."):
                    try:
                        print(open(f"/sys/fs/cgroup/{mount}{path}/pids.max").read())
                    except OSError:
                        pass
    """
    layout = find_layout()
    if counted is not Accounting.CGROUP_V2 and not layout.pids:
        pytest.skip("no control groups here that count processes")
    seen = observe(text, Limits(wall_s=600, processes=5))
    assert seen.stdout.split()[:1] == [b"10000"]


def test_no_group_is_left(counted: Accounting) -> None:
    observe("pass", Limits(wall_s=600, cpu_s=60, memory_mib=500))
    layout = find_layout()
    assert layout.accounting is counted
    for folder in filter(None, (layout.members, layout.memory, layout.pids)):
        # A group can be removed when its last process has been released by the kernel.
        while any(name.startswith(f"xtest-{os.getpid()}-") for name in os.listdir(folder)):
            GroupPool().close()
            time.sleep(0.01)


def test_the_loop_removes_its_groups(counted: Accounting, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Accounting] = []
    monkeypatch.setattr(GroupPool, "close", lambda _: closed.append(counted))
    observe("pass", Limits(wall_s=600, cpu_s=60))
    monkeypatch.undo()
    GroupPool().close()
    assert closed == [counted]
