"""Run the real `xtest` as a process, in an environment that does not depend on the machine."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from subprocess import CompletedProcess, Popen
from typing import Any

import pytest
from support.fork_server import client_command

import harness
from harness.process.system import SYSTEM

TOP = Path(__file__).resolve().parents[2]  # the repository
PACKAGES = Path(harness.__file__).resolve().parents[1]  # where the tested packages are installed
XTEST = (sys.executable, "-P", "-m", "harness")
# Where xtest is installed, pytest finds the plugin without its name.
_IS_INSTALLED = any(each.name == "xtest" for each in entry_points(group="pytest11"))
_PLUGIN = () if _IS_INSTALLED else ("-p", "harness.pytest_plugin.plugin")
# Loading them takes twice as long as the rest of pytest.
NO_OTHER_PLUGINS = ("-p", "no:hypothesispytest", "-p", "no:anyio")
# In an editable install, pytest warns that its plugin was imported before, as it is in a fork.
_IMPORTED = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
_PYTEST_OPTIONS = ("-W", "error", "-W", _IMPORTED, *NO_OTHER_PLUGINS, *_PLUGIN)

# Variables that change what xtest, pytest or Python print or remember.
_REMOVED = {
    *("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "PY_COLORS", "TERM", "COLUMNS"),
    *("LINES", "CI", "BUILD_NUMBER", "PYTHONSAFEPATH", "PYTHONIOENCODING", "PYTHONUNBUFFERED"),
    "PYTHONDONTWRITEBYTECODE",  # each module is compiled once, not in each process
    "XDG_CACHE_HOME",
    "TOX_ENV_DIR",  # where pytest has its cache then: one for all scenarios
}
_REMOVED_PREFIXES = ("XTEST_", "_XTEST", "GITHUB_", "PYTEST_", "LC_")


NOTES_OF_BACKEND = "".join(
    f"xtest: note: {each}\n"
    for each in (SYSTEM.missing_protections() if "XTEST_BACKEND" in os.environ else ())
)

# Runs a command where nothing is in /proc, which only root can do.
HIDES_PROC = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh")

# Programs of tests say by a file in their working folder that they have begun, or wait for one.
SHARED = {"XTEST_WORKSPACE": "shared"}


def clean_environment(cache: Path, /, **variables: str) -> dict[str, str]:
    """Return this process's environment without what would change an output, plus `variables`."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in _REMOVED and not name.startswith(_REMOVED_PREFIXES)
    }
    beside = f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', os.defpath)}"
    ours = {"PATH": beside, "PYTHONPATH": str(PACKAGES), "LANG": "C.UTF-8"}
    if "XTEST_BACKEND" in os.environ:
        ours |= without_linux(os.environ["XTEST_BACKEND"])
    return {**kept, **ours, "XDG_CACHE_HOME": str(cache), **variables}


def run_command(folder: Path, words: Sequence[str]) -> CompletedProcess[str]:
    """Run a command in a folder, without input; its cache is there, too."""
    return subprocess.run(
        words,
        cwd=folder,
        env=clean_environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def without_notes(errors: str) -> str:
    """Remove what every run notes of its back end: tests are about what else is printed."""
    return errors.replace(NOTES_OF_BACKEND, "")


def as_ordinary_user() -> tuple[str, ...]:
    """Return a command that runs another as an ordinary user, or skip the test.

    The user can read what root can, because the Python may be root's own.
    """
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    reads = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
    under = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *reads, "--")
    if subprocess.run([*under, sys.executable, "-c", ""], check=False).returncode != 0:
        pytest.skip("setpriv cannot become another user here")
    return under


def without_linux(backend: str = "portable") -> dict[str, str]:
    """Return variables with which xtest has a back end, and nothing that only Linux has."""
    folder = PACKAGES / "tests" / "without_linux"
    return {"XTEST_BACKEND": backend, "PYTHONPATH": f"{PACKAGES}{os.pathsep}{folder}"}


@dataclass(frozen=True)
class Xtest:
    """A callable that runs `xtest` in a folder to its end."""

    folder: Path
    cache: Path
    variables: Mapping[str, str] = field(default_factory=dict)  # set in every run

    def __call__(
        self,
        *words: str,
        stdin: str = "",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float = 600,  # ends a hang, on a busy machine, too
    ) -> CompletedProcess[str]:
        environment = self.environment(**(env or {}))
        done = subprocess.run(
            [
                *_forked("harness", environment["PYTHONPATH"], needs_cluster="--cluster" in words),
                *words,
            ],
            input=stdin,
            cwd=cwd or self.folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=timeout,
        )
        done.stderr = without_notes(done.stderr)
        return done

    def run(
        self, *command: str, stdin: str | None = None, **variables: str
    ) -> CompletedProcess[str]:
        """Run any command to its end, in the folder and the environment of `xtest`."""
        done = subprocess.run(
            command,
            input=stdin,
            cwd=self.folder,
            env=self.environment(**variables),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        done.stderr = without_notes(done.stderr)
        return done

    def environment(self, **variables: str) -> dict[str, str]:
        """Return the environment of each run, plus `variables`."""
        return clean_environment(self.cache, **{**SHARED, **self.variables, **variables})

    @contextmanager
    def start(
        self,
        *words: str,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.PIPE,
        **variables: str,
    ) -> Iterator[Popen[str]]:
        """Start `xtest`, as a rule with piped output; kill it at the end of the `with` block."""
        with Popen(
            [*XTEST, *words],
            cwd=self.folder,
            env=self.environment(**variables),
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        ) as running:
            try:
                yield running
            finally:
                running.kill()


def await_process(path: Path, started: Popen[Any]) -> Path:
    """Wait until a program has written its process ID into a file; return its folder in /proc.

    Fail if the process that started it ends before.
    """
    while not path.exists() or not path.read_bytes():
        assert started.poll() is None, started.communicate()
        time.sleep(0.01)
    return Path("/proc", path.read_text("ascii").strip())


def _forked(
    module: str, path: str = str(PACKAGES), *, needs_cluster: bool = False
) -> tuple[str, ...]:
    environment = clean_environment(Path(os.devnull), PYTHONPATH=path)
    return client_command(module, environment, needs_cluster=needs_cluster)


def write_launchers(folder: Path) -> None:
    """Write `xtest` and `pytest` as programs into a folder, to be put on PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, words in (
        ("xtest", _forked("harness")),
        ("pytest", (*_forked("pytest"), *_PYTEST_OPTIONS)),
    ):
        launcher = folder / name
        launcher.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
        launcher.chmod(0o755)
