"""The parts of the process package that need no subject: input, /proc, host process, doctor."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import pytest
from support.suites import write_files

from harness.model.limits import MIB, Limit, Limits, Usage
from harness.model.transcript import Chunk, Job
from harness.process.backend import Process, descendants
from harness.process.diagnosis import control_groups, diagnose, user_namespaces
from harness.process.own_process import preserved_process_state
from harness.process.procfs import read_process
from harness.process.reaper import RunProcesses
from harness.process.run_state import InputWriter
from harness.process.sampling import exceeded_clock, resource_usage
from harness.process.system import SYSTEM


def test_a_chunk_waits_for_its_answers() -> None:
    chunks = iter([Chunk(b"1"), Chunk(b"2", pause_s=0.5, answers=3)])
    writer = InputWriter(Job((), b"", feed=chunks), 0)
    assert (writer.advance(), writer.begin(), writer.pending) == (0.0, True, b"1")
    assert (writer.advance(), writer.begin(), writer.awaited) == (0.5, False, 3)
    assert writer.count_answers(b"[1] ")
    assert (writer.begin(), writer.awaited) == (False, 3)
    assert writer.count_answers(b"[2] [3] ")
    assert (writer.begin(), writer.awaited, writer.pending) == (True, 0, b"2")
    assert writer.advance() is None


def test_answers_printed_while_a_chunk_is_written_count() -> None:
    chunks = iter([Chunk(b"long"), Chunk(b"2", answers=1)])
    writer = InputWriter(Job((), b"", feed=chunks), 0)
    assert (writer.advance(), writer.begin()) == (0.0, True)
    writer.position = 2
    assert writer.count_answers(b"[1] ")
    assert (writer.begin(), writer.awaited, writer.pending) == (False, 0, b"long")
    writer.position = 4
    assert (writer.advance(), writer.begin(), writer.pending) == (0.0, True, b"2")


def process(pid: int, parent: int, state: str = "S") -> Process:
    """A process that used a second and a page."""
    return Process(pid, state, parent, 1, 1, 0, 1.0, 4096)


def test_descendants_are_found_at_any_depth() -> None:
    everyone = {pid: process(pid, pid // 2) for pid in (1, 2, 4, 8, 5, 7)}
    assert {found.pid for found in descendants([2, 3], everyone)} == {2, 4, 5, 8}


def test_a_zombie_counts_only_its_processor_time() -> None:
    usage = resource_usage([process(1, 0), process(2, 1, "Z")._replace(resident=0)])
    assert usage == Usage(cpu_s=2.0, memory_mib=4096 / MIB, processes=1)


def test_a_process_with_an_odd_name_is_read(tmp_path: Path) -> None:
    program = tmp_path / "a) R (b"
    program.symlink_to("/bin/sleep")
    with subprocess.Popen([program, "600"]) as running:
        try:
            found = read_process(running.pid)
            assert found is not None
            assert (found.parent, found.group) == (os.getpid(), os.getpgrp())
        finally:
            running.kill()
    assert read_process(running.pid) is None


def test_a_run_owns_processes_by_session_sample_or_mark() -> None:
    run = RunProcesses(7, b"XTEST_RUN=1")
    stranger = process(os.getpid(), 1)
    assert not run.owns(stranger)
    assert run.owns(stranger._replace(session=7))
    run.remember([stranger._replace(started=5, session=9)])
    assert run.owns(stranger._replace(started=5)) and not run.owns(stranger)
    assert run.owns(stranger._replace(session=9))
    with subprocess.Popen(["sleep", "600"], env={"XTEST_RUN": "1"}) as marked:
        try:
            # Until its exec, the child has the environment of this process.
            while b"XTEST_RUN" not in Path(f"/proc/{marked.pid}/environ").read_bytes():
                pass
            assert run.owns(process(marked.pid, 1))
        finally:
            marked.kill()


@pytest.mark.parametrize(
    ("elapsed_s", "has_begun", "limit"),
    [
        (1.9, False, None),
        (2.0, False, Limit.FIRST_BYTE),
        (2.9, True, None),
        (3.0, True, Limit.WALL),
        (3.0, False, Limit.WALL),
    ],
)
def test_a_clock_runs_out(elapsed_s: float, has_begun: bool, limit: Limit | None) -> None:
    limits = Limits(wall_s=3, first_byte_s=2)
    assert exceeded_clock(limits, elapsed_s, has_begun=has_begun) is limit
    assert exceeded_clock(Limits(wall_s=3), 2.9, has_begun=False) is None


@pytest.mark.needs("adoption")
def test_a_host_process_that_adopts_orphans_keeps_adopting_them() -> None:
    SYSTEM.adopt_orphans()
    with preserved_process_state():
        pass
    assert SYSTEM.adopts_orphans()


PR_GET_DUMPABLE = 3  # <linux/prctl.h>


@pytest.mark.needs("no tracing")
def test_a_process_that_forbids_tracing_cannot_be_traced() -> None:
    before = ctypes.CDLL(None).prctl(PR_GET_DUMPABLE, 0, 0, 0, 0)
    pid = os.fork()
    if pid == 0:
        SYSTEM.forbid_tracing()
        os._exit(ctypes.CDLL(None).prctl(PR_GET_DUMPABLE, 0, 0, 0, 0))
    assert os.waitpid(pid, 0)[1] == 0
    assert ctypes.CDLL(None).prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == before


# The findings of `xtest doctor`, on imitations of other machines.


def test_control_groups_count_memory_or_have_a_fix(tmp_path: Path) -> None:
    ours = write_files(tmp_path / "self", {"cgroup": "0::/u\n"})
    files = {"cgroup.controllers": "", "u/cgroup.procs": "", "u/cgroup.subtree_control": "memory"}
    mounts = write_files(tmp_path / "mounts", files)
    assert control_groups(ours, mounts)[:2] == ("control groups", True)
    write_files(mounts, {"u/cgroup.subtree_control": ""})
    assert control_groups(ours, mounts).fix.startswith("systemd-run --user --scope")
    (mounts / "cgroup.controllers").unlink()
    assert control_groups(ours, mounts).fix.startswith("run xtest as root")


@pytest.mark.parametrize(
    ("settings", "holds"),
    [
        ({}, True),
        ({"user/max_user_namespaces": "100\n"}, True),
        ({"user/max_user_namespaces": "0\n"}, False),
        ({"kernel/unprivileged_userns_clone": "0\n"}, False),
        ({"kernel/apparmor_restrict_unprivileged_userns": "1\n"}, False),
    ],
)
def test_user_namespaces_by_the_settings_of_the_kernel(
    tmp_path: Path, settings: dict[str, str], holds: bool
) -> None:
    found = user_namespaces(write_files(tmp_path, settings))
    assert found.holds is holds
    assert found.fix.startswith("sysctl -w") is not holds


def test_every_missing_feature_has_a_fix() -> None:
    findings = list(diagnose())
    assert all(finding.detail and (finding.holds or finding.fix) for finding in findings)
