"""Workers and schedulers that are there and say nothing: stopped, or behind a broken network."""

from __future__ import annotations

import json
import os
import re
import signal
from collections import Counter
from pathlib import Path

import pytest
from support.dask_cluster import DaskProcesses, start_dask, watch_workers
from support.processes import lives, until
from support.relay import start_relay
from support.suites import read_judged, write_program, write_suite
from support.xtest import Xtest

from harness.cluster.members import SilenceWatch

# xtest waits no longer than Dask waits for workers, if that is set.
_SOON = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "4s"}
# "stop-1" and "stop-2" stop a process above the subject, once the second run has begun, and once:
# the process of xtest that runs batches, or the Dask worker above it.
_SUBJECT = """#!/bin/sh
above() { sed -n 's/^PPid:\\t//p' /proc/$1/status; }
wait_for() { until [ -e "$1" ]; do sleep 0.1; done; }
read input
child=$(above $PPID)
case $input in
'"wait"')
    if mkdir run-1; then wait_for parted
    elif mkdir run-2; then sleep 100
    fi ;;
'"stop-1"') [ -e run-2 ] && mkdir stopped-1 && kill -STOP $child ;;
'"stop-2"')
    if [ -e run-2 ] && mkdir stopped-2; then
        echo $(above $child) $child > pids
        kill -STOP $(above $child)
    else
        touch again; wait_for continued
    fi ;;
esac
echo "$input"
"""
_SILENT = r"worker (\S+) was silent for 4 s; its cases in progress run again\n"


@pytest.mark.slow
def test_a_silent_worker_is_abandoned_and_nothing_counts_twice(tmp_path: Path) -> None:
    write_program(tmp_path / "subject", _SUBJECT)
    texts = {str(x): str(x) for x in range(1, 51)}
    texts.update({"3": '"wait"', "17": '"stop-1"', "50": '"stop-2"'})
    write_suite(tmp_path / "suite", texts)
    xtest = Xtest(tmp_path, tmp_path / "cache", _SOON)
    words = ("run", "suite", "--wall=60", "--results=results.jsonl", "--resume", "--cluster")
    with start_dask(tmp_path) as dask:
        port = int(dask.address.rpartition(":")[2])
        with start_relay(port) as far, start_relay(port) as near:
            _start_worker(dask, far.port, tmp_path / "behind.json")
            with watch_workers(dask) as workers:
                until(workers)
            address = f"tcp://127.0.0.1:{near.port}"
            with xtest.start(*words, address, "--", "./subject") as parted:
                until((tmp_path / "run-1").exists)
                near.stall()
                output, errors = parted.communicate()
            assert parted.returncode == 2, errors
            assert f"the connection to {address} was lost; --resume runs the cases" in output
            (tmp_path / "parted").touch()

            with xtest.start(*words, dask.address, "--", "./subject") as resumed:
                until((tmp_path / "run-2").exists)
                dask.start_workers(2)
                with watch_workers(dask) as workers:
                    until(lambda: len(workers()) == 3)
                far.stall()
                _continue_worker(tmp_path)
                _, errors = resumed.communicate()
    assert resumed.returncode == 0, errors
    cases = (event["case"] for event in read_judged(tmp_path / "results.jsonl"))
    assert Counter(cases) == Counter(texts.keys())
    # The worker behind the relay, and one or both of the others.
    assert len(set(re.findall(_SILENT, errors))) >= 2, errors


def _start_worker(dask: DaskProcesses, port: int, file: Path) -> None:
    """Start a worker that takes this port for that of the scheduler."""
    file.write_text(json.dumps({"address": f"tcp://127.0.0.1:{port}"}), encoding="utf-8")
    dask.start("worker", "--nthreads=1", "--no-nanny", "--scheduler-file", str(file))


def _continue_worker(folder: Path) -> None:
    """Continue the worker that was stopped, when its batch runs elsewhere."""
    until((folder / "again").exists)
    worker, child = (folder / "pids").read_text(encoding="utf-8").split()
    os.kill(int(worker), signal.SIGCONT)
    until(lambda: not lives(int(child)))  # the worker begins anew
    (folder / "continued").touch()


def test_a_worker_is_silent_while_its_last_sign_is_old() -> None:
    watch = SilenceWatch(60)
    assert watch.is_due(1_000)
    watch.note({"a": 5.0, "b": 5.0}, 1_000)
    assert not watch.is_due(1_005)
    watch.note({"a": 5.0, "b": 64.0}, 1_060)
    assert not watch.silent
    watch.note({"a": 5.0, "b": 64.0, "c": 66.0}, 1_061)
    assert watch.silent == {"a"}
    watch.note({"a": 67.0, "b": 68.0}, 1_400)  # this process was stopped itself
    assert not watch.silent
