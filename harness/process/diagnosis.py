"""Check which protections and measurements of runs this machine supports. Source: docs/running.md.

Reads /proc, /sys and PATH, and tries each sandbox with a program that does nothing.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, NamedTuple

from harness.errors import Refused
from harness.files import read_regular
from harness.model.case_names import natural
from harness.model.protection import SandboxKind
from harness.process.cgroups import find_layout
from harness.process.inventory import Exposure
from harness.process.own_process import fork
from harness.process.sandbox import find_sandbox
from harness.process.system import SYSTEM
from harness.process.workspace import Workspaces

_SCOPE: Final = "systemd-run --user --scope -p Delegate=yes xtest ..."
_PYTHON_S: Final = 10  # seconds that an interpreter may take to start
_SETTINGS: Final = (
    ("user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=10000"),
    ("kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)
_FIXES: Final = {
    SandboxKind.BWRAP: (
        "apt-get install bubblewrap dash; it requires user namespaces; in a container, also"
        " --security-opt systempaths=unconfined"
    ),
    SandboxKind.LANDLOCK: "add landlock to lsm= on the kernel's command line (Linux 6.2 or newer)",
}
_USE_LINUX: Final = "use Linux"


class Finding(NamedTuple):
    """Something that a machine has or lacks.

    `needed` is true if runs fail without it. `fix` is what an administrator would do to get it.
    """

    name: str
    holds: bool
    detail: str
    fix: str = ""
    needed: bool = False


def diagnose() -> Iterator[Finding]:
    """Yield the features that this machine has and lacks."""
    accounting = "" if SYSTEM.has_namespaces else f"; {SYSTEM.detect_accounting().description}"
    yield Finding("back end", True, SYSTEM.name + accounting)
    lost = "; ".join(SYSTEM.missing_protections())
    fix = "use Linux, with CONFIG_PROC_CHILDREN"
    kept = "processes that a run leaves behind are killed"
    yield Finding("orphans", not lost, lost or kept, fix, needed=SYSTEM.has_namespaces)
    if SYSTEM.has_namespaces:
        proc = Path("/proc")
        yield control_groups(proc / "self", Path("/sys/fs/cgroup"))
        yield user_namespaces(proc / "sys")
    yield private_folders()
    for kind in SandboxKind:
        yield _sandbox(kind)
    yield _pythons()


def control_groups(process: Path, mounts: Path) -> Finding:
    """Return whether runs can have control groups that count their memory.

    Args:
        process: the folder of this process in /proc
        mounts: where control groups are mounted
    """
    accounting = find_layout(str(process), str(mounts)).accounting
    is_v2 = (mounts / "cgroup.controllers").exists()
    as_root = "run xtest as root, with a writable /sys/fs/cgroup"
    fix = "" if accounting.protections else _SCOPE if is_v2 else as_root
    return Finding("control groups", bool(accounting.protections), accounting.description, fix)


def user_namespaces(settings: Path) -> Finding:
    """Return whether an ordinary user may create user namespaces, by the kernel's settings."""
    for name, refused, fix in _SETTINGS:
        file = settings / name
        if file.exists() and read_regular(file).strip() == refused.encode():
            return Finding("user namespaces", False, f"{name} is {refused}", fix)
    return Finding("user namespaces", True, "allowed for every user")


def private_folders() -> Finding:
    """Return whether runs can have private working folders."""
    shared = "runs share their working folders"
    if not SYSTEM.has_namespaces:
        return Finding("private folders", False, shared, _USE_LINUX)
    code = os.waitstatus_to_exitcode(os.waitpid(fork(_try_private_folder), 0)[1])
    detail = shared if code else "each run has a view of its own"
    fix = "allow mount namespaces; for a container: --cap-add SYS_ADMIN, or --privileged"
    return Finding("private folders", not code, detail, fix)


def _try_private_folder() -> int:
    """Return 0 if this process, which cannot be used for anything else then, can mount one."""
    SYSTEM.forbid_tracing()  # as workers do
    with tempfile.TemporaryDirectory() as folder, closing(Workspaces()) as workspaces:
        return int(workspaces.take(folder) is None)


def _sandbox(kind: SandboxKind) -> Finding:
    sandbox = find_sandbox(kind, Exposure())
    name = f"sandbox {kind.value}"
    if isinstance(sandbox, Refused):
        fix = _FIXES[kind] if SYSTEM.has_namespaces else _USE_LINUX
        return Finding(name, False, sandbox.reason, fix)
    promised = sorted(each.value for each in sandbox.protections)
    return Finding(name, True, ", ".join(promised))


def _pythons() -> Finding:
    paths: dict[str, str] = {}
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        with suppress(OSError):  # missing, or not readable
            for name in os.listdir(folder):
                if re.fullmatch(r"python3(\.[0-9]+)?", name):
                    paths.setdefault(name, os.path.join(folder, name))
    programs = [paths[name] for name in sorted(paths, key=natural)]
    with ThreadPoolExecutor() as pool:
        detail = ", ".join(dict.fromkeys(filter(None, pool.map(_executed_python, programs))))
    return Finding(
        "Python versions", bool(detail), detail or "none on PATH", "apt-get install python3"
    )


def _executed_python(program: str) -> str:
    """Return the interpreter that a program runs, or "" if none: pyenv's scripts may fail."""
    command = [program, "-I", "-c", "import sys; print(sys.executable)"]
    with suppress(OSError, subprocess.SubprocessError):
        ran = subprocess.run(
            command, check=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=_PYTHON_S
        )
        return os.fsdecode(ran.stdout).rstrip("\n")
    return ""
