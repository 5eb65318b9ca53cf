"""Control groups: folders that imitate those of the kernel, and those that this machine has."""

from __future__ import annotations

import os
import sys
import time
from itertools import chain
from pathlib import Path

import pytest
from support.processes import observe_python
from support.suites import write_files

from harness.model.limits import Limit, Limits
from harness.model.protection import Accounting
from harness.model.transcript import Exited, Job
from harness.process.cgroups import (
    GroupPool,
    Layout,
    detect_accounting,
    enable_memory_controller,
    find_layout,
)
from harness.process.loop import in_order, run

PAGE = os.sysconf("SC_PAGE_SIZE")
V2 = {"cgroup.controllers": "", "u/cgroup.procs": "", "u/cgroup.controllers": "cpu memory pids\n"}
MEMBERS = {**V2, "u/cgroup.subtree_control": "\n"}
BOTH = {"unified/cgroup.controllers": "", "unified/cgroup.procs": "", "memory/m/cgroup.procs": ""}
FILES = (
    *("cgroup.procs", "cgroup.kill", "pids.max", "memory.max", "memory.swap.max"),
    *("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"),
)


def imitate(folder: Path, files: dict[str, str]) -> str:
    return str(write_files(folder, files))


@pytest.fixture(name="groups")
def _groups(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The groups that are made from now on, with files in them, as the kernel does."""
    made: list[Path] = []
    make = os.mkdir

    def mkdir(path: str | Path, mode: int = 0o777) -> None:
        make(path, mode)
        if "xtest-" in str(path):
            made.append(Path(path))
            write_files(made[-1], dict.fromkeys(FILES, ""))

    monkeypatch.setattr(os, "mkdir", mkdir)
    return made


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
    tmp_path: Path, groups: list[Path]
) -> None:
    mounts = imitate(tmp_path / "mounts", {**BOTH, "pids/p/cgroup.procs": ""})
    process = imitate(tmp_path / "self", {"cgroup": "9:pids:/p\n4:memory:/m\n0::/\n"})
    group = GroupPool(find_layout(process, mounts)).take()
    assert group is not None
    group.adopt(12, Limits())
    (made,) = (each for each in groups if each.parent == Path(mounts, "pids/p"))
    assert (made / "pids.max").read_text("ascii") == "10000"
    assert (made / "cgroup.procs").read_text("ascii") == "12"


def test_a_process_alone_in_its_group_gets_the_controllers_of_version_2(tmp_path: Path) -> None:
    process, mounts = imitate(tmp_path / "self", {"cgroup": "0::/u\n"}), tmp_path / "mounts"
    imitate(mounts, MEMBERS)
    home = f"u/xtest-{os.getpid()}-home"
    imitate(mounts, {f"{home}/cgroup.procs": ""})
    (mounts / home / "cgroup.procs").unlink()
    (mounts / home).rmdir()
    # Refused: nothing makes the files of the new folder.
    enable_memory_controller(process, str(mounts))
    assert (mounts / "u/cgroup.subtree_control").read_text("ascii") == "\n"
    imitate(tmp_path / "self", {"cgroup": f"0::/{home}\n"})
    imitate(mounts, {"u/cgroup.subtree_control": "memory pids\n"})
    layout = find_layout(process, str(mounts))
    assert (layout.members, layout.home) == (str(mounts / "u"), str(mounts / home))


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
    groups: list[Path],
    kind: Accounting,
    written: dict[str, int],
    counters: dict[str, str],
) -> None:
    imitate(tmp_path, {"members/cgroup.procs": "", "memory/cgroup.procs": ""})
    members, memory = str(tmp_path / "members"), str(tmp_path / "memory")
    memory = members if kind is Accounting.CGROUP_V2 else memory
    group = GroupPool(Layout(kind, members, memory, members)).take()
    assert group is not None
    assert group.call(lambda: 7, Limits(memory_mib=3)) == 7
    assert {name: int((groups[-1] / name).read_text("ascii")) for name in written} == written
    write_files(groups[0], {"cpu.stat": "usage_usec 2500000\n", "cgroup.procs": "12\n13\n"})
    assert (round(group.cpu_s(), 1), group.pids()) == (2.5, [12, 13])
    assert not group.reset()  # it has processes
    for number, is_exceeded in ((0, False), (2, True)):
        write_files(groups[-1], {name: text.format(number) for name, text in counters.items()})
        assert group.has_exceeded_memory() is is_exceeded
    group.kill()
    assert (groups[0] / "cgroup.kill").read_text("ascii") == "1"


@pytest.fixture(name="counted")
def _counted() -> Accounting:
    found = detect_accounting()
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
    seen = observe_python(text, Limits(wall_s=600, cpu_s=0.3))
    assert (seen.limit, seen.accounting) == (Limit.CPU, counted.value)


def test_pages_of_files_do_not_count(counted: Accounting, tmp_path: Path) -> None:
    file = tmp_path / "large"
    text = f"""
with open({str(file)!r}, "wb") as f:
    for _ in range(64): f.write(bytes(1 << 20))
with open({str(file)!r}, "rb") as f:
    while f.read(1 << 20): pass
"""
    seen = observe_python(text, Limits(wall_s=600, memory_mib=40))
    assert (seen.ending, seen.limit, seen.accounting) == (Exited(0), None, counted.value)


# Finds the folders of the control group of a run that count processes.
OWN_FOLDERS = """
import os
groups = [line.rstrip().split(":", 2) for line in open("/proc/self/cgroup")]
folders = [
    f"/sys/fs/cgroup/{mount}{path}"
    for _, controller, path in groups
    for mount in (controller, "unified", ".")
    if "/xtest-" in path and os.path.exists(f"/sys/fs/cgroup/{mount}{path}/pids.max")
]
"""


@pytest.fixture(name="limited")
def _limited(counted: Accounting) -> Accounting:
    if counted is not Accounting.CGROUP_V2 and not find_layout().pids:
        pytest.skip("no control groups here that count processes")
    return counted


# The shell and the program leave the group, which is then removed.
LEAVE = "for p in 0 {os.getpid()}; do echo $p > {folder}/../cgroup.procs; done; rmdir {folder}"


@pytest.mark.parametrize(
    "change",
    [
        "open(folder + '/pids.max', 'w').write('1')",
        "os.makedirs(folder + '/a/a/a')",
        f"os.system(f'exec 2> /dev/null; {LEAVE}')",
    ],
    ids=["limits", "groups", "removal"],
)
def test_what_a_program_changes_in_its_group_affects_no_other_run(
    limited: Accounting, change: str
) -> None:
    changing = f"{OWN_FOLDERS}\nfor folder in folders:\n    {change}\n    print('changed')"
    forking = "os.wait() if os.fork() else os._exit(0)"
    listing = f"{OWN_FOLDERS}\n{forking}\nprint(['a' in os.listdir(each) for each in folders])"
    limits = Limits(wall_s=600, cpu_s=60)
    jobs = (
        (n, Job((sys.executable, "-c", text), b"", limits))
        for n, text in enumerate((changing, listing))
    )
    first, second = (each.transcript for each in run(in_order(jobs), 1, os.environ))
    assert (first.ending, first.stdout.split()) == (Exited(0), [b"changed"])
    assert (second.ending, second.stdout, second.stderr) == (Exited(0), b"[False]\n", b"")
    assert second.accounting == limited.value
    left = (Path(folder).glob(f"xtest-{os.getpid()}-*/a") for folder in find_layout().folders)
    assert not [*chain(*left)]


@pytest.mark.usefixtures("counted")
def test_a_pool_leaves_the_groups_of_another_in_place() -> None:
    outer, inner = GroupPool(), GroupPool()
    group, other = outer.take(), inner.take()
    assert group is not None and other is not None
    inner.give_back(other)
    inner.close()
    assert group.call(lambda: 7, Limits()) == 7 and group.reset()
    outer.give_back(group)
    outer.close()


@pytest.mark.usefixtures("limited")
def test_a_run_cannot_start_any_number_of_processes() -> None:
    text = f"{OWN_FOLDERS}\nfor folder in folders:\n    print(open(folder + '/pids.max').read())"
    seen = observe_python(text, Limits(wall_s=600, processes=5))
    assert seen.stdout.split()[:1] == [b"10000"]


def test_no_group_is_left(counted: Accounting, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[GroupPool] = []
    close = GroupPool.close

    def close_and_note(pool: GroupPool) -> None:
        close(pool)
        closed.append(pool)

    monkeypatch.setattr(GroupPool, "close", close_and_note)
    observe_python("pass", Limits(wall_s=600, cpu_s=60, memory_mib=500))
    assert len(closed) == 1
    layout = find_layout()
    assert layout.accounting is counted
    for folder in filter(None, (layout.members, layout.memory, layout.pids)):
        # A group can be removed when its last process has been released by the kernel.
        while any(name.startswith(f"xtest-{os.getpid()}-") for name in os.listdir(folder)):
            GroupPool().close()
            time.sleep(0.01)
