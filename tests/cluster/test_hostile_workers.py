"""Encrypted connections, a worker that sends pickles, and a scheduler that dies."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.dask_cluster import DaskProcesses, start_dask
from support.processes import until
from support.suites import read_judged, write_program, write_suite
from support.xtest import Xtest

pytestmark = [pytest.mark.slow, pytest.mark.system]

# Loaded by the worker: batches with a case "evil-N" return a pickle that writes a file, or fail
# with one.
_EVIL = """
from harness.cluster import tasks

class Evil(Exception):
    def __reduce__(self):
        return exec, (f"import os; open(os.path.join({FOLDER!r}, str(os.getpid())), 'w')",)

honest = tasks.honest = getattr(tasks, "honest", tasks.run_batch)  # loaded twice

def run_batch(name, request):
    if b"evil-1" in request:
        return Evil()
    if b"evil-2" in request:
        raise Evil()
    return honest(name, request)

tasks.run_batch = run_batch
"""


@pytest.fixture(scope="module", name="folder")
def folder_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module", name="dask")
def dask_fixture(folder: Path) -> Iterator[DaskProcesses]:
    # One certificate, which is its own authority.
    names = ("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem"))
    options = ("-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=cluster")
    subprocess.run(["openssl", "req", "-x509", *options, *names], check=True, capture_output=True)
    (folder / "ca.pem").write_bytes((folder / "cert.pem").read_bytes())
    (folder / "loaded").mkdir()
    evil = folder / "evil.py"
    evil.write_text(f"FOLDER = {str(folder / 'loaded')!r}\n{_EVIL}", encoding="utf-8")
    tls = [
        *("--protocol", "tls", "--tls-ca-file", str(folder / "ca.pem")),
        *("--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem")),
    ]
    with start_dask(folder, *tls) as running:
        running.start_workers(1, "--preload", str(evil))
        yield running


def test_no_pickle_of_a_worker_is_loaded(folder: Path, dask: DaskProcesses, xtest: Xtest) -> None:
    write_suite(xtest.folder / "suite", dict.fromkeys(("evil-1", "evil-2", "good-1"), "1"))
    words = ("run", "suite", "--cluster", dask.address, "--cluster-tls", str(folder), "-v")
    with xtest.start(*words, "--", "cat") as running:
        output, errors = running.communicate()
    assert running.returncode == 2, errors
    assert output.count("harness-fault  suite/evil-") == 2, output + errors
    assert "passed  suite/good-1" in output
    assert str(running.pid) not in os.listdir(folder / "loaded")


def test_a_scheduler_that_dies_leaves_what_has_ended(
    folder: Path, dask: DaskProcesses, xtest: Xtest
) -> None:
    waits = 'touch "$XTEST_SUITE/../waiting"; sleep 100'
    write_program(xtest.folder / "subject", f"read x; [ $x = 40 ] && {{ {waits}; }}; echo $x")
    write_suite(xtest.folder / "suite", {str(x): str(x) for x in range(1, 41)})
    words = ("run", "suite", "--results", "r.jsonl", "--cluster-tls", str(folder))
    with xtest.start(*words, "--cluster", dask.address, "--", "./subject") as running:
        until((xtest.folder / "waiting").exists)
        dask.processes[0].kill()
        output, errors = running.communicate()
    assert running.returncode == 2, errors
    assert f"the connection to {dask.address} was lost; --resume runs the cases" in output
    verdicts = [event["verdict"] for event in read_judged(xtest.folder / "r.jsonl")]
    assert verdicts.count("passed") >= 16
