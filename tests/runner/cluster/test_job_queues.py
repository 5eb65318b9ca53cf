"""Clusters that xtest starts: on this machine, and through a stand-in of Slurm."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.suites import write_program, write_suite
from support.xtest import Xtest

pytestmark = pytest.mark.slow

# dask-jobqueue removes the script as soon as sbatch has ended.
_SBATCH = """#!/bin/sh
grep -q '^#SBATCH -p short' "$1" || { echo "no such partition" >&2; exit 1; }
script=$(cat "$1")
setsid sh -c "$script" >> log 2>&1 &
echo "Submitted batch job $!"
"""
_SCANCEL = """#!/bin/sh
echo "$1" >> cancelled
kill -- -"$1"
"""
_CONFIGURATION = """
queue: short
cores: 1
memory: 1GB
jobs: 2
scheduler_options: {host: 127.0.0.1}
"""


def test_slurm_starts_workers_and_ends_them(xtest: Xtest) -> None:
    folder = xtest.folder
    write_program(folder / "bin" / "sbatch", _SBATCH)
    write_program(folder / "bin" / "scancel", _SCANCEL)
    (folder / "slurm.yaml").write_text(_CONFIGURATION, encoding="utf-8")
    write_suite(folder / "suite", {str(x): str(x) for x in range(1, 21)})
    path = f"{folder}/bin{os.pathsep}{xtest.environment()['PATH']}"
    words = ("run", "suite", "--cluster", "slurm:slurm.yaml", "--", "cat")
    ended = xtest(*words, env={"PATH": path})
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "all 20 passed" in ended.stdout
    assert len((folder / "cancelled").read_text(encoding="utf-8").split()) == 2


# Prints the addresses that the processes of its cluster, which have its working folder in their
# environment, listen on.
LISTENING = """#!/usr/bin/env python3
import glob, os, sys
inodes = set()
for process in glob.glob("/proc/[0-9]*"):
    try:
        if os.getcwd().encode() in open(f"{process}/environ", "rb").read():
            inodes.update(map(os.readlink, glob.glob(f"{process}/fd/*")))
    except OSError:
        pass
with open("sockets", "w") as file:
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in open(table):
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in inodes:
                print(words[1], file=file)
print(1)
"""


def test_a_local_cluster_listens_on_loopback_only(tmp_path: Path) -> None:
    write_program(tmp_path / "subject", LISTENING)
    write_suite(tmp_path / "suite", {"1": "1"})
    xtest = Xtest(tmp_path, tmp_path / "cache")
    ended = xtest("run", "suite", "--cluster", "local:1", "--", "./subject")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "xtest: note: the dashboard of the cluster is at http://127.0.0.1:" in ended.stderr
    opened = (tmp_path / "sockets").read_text(encoding="utf-8").split()
    assert len(opened) >= 3  # scheduler, dashboard, worker
    assert {address.partition(":")[0] for address in opened} == {"0100007F"}
