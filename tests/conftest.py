"""What tests share: a memory that is nobody's, and the programs, as real processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from subprocess import PIPE, CompletedProcess, Popen

import pytest

Run = Callable[[str, bytes], CompletedProcess[bytes]]
Start = Callable[[str], Popen[bytes]]


@pytest.fixture(scope="session", autouse=True)
def _memory_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> None:
    # No xtest that a test starts remembers its runs in anybody's home. Never taken back: what still
    # ends after the last test is not to write there, either.
    lasting = pytest.MonkeyPatch()
    lasting.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    lasting.delenv("XTEST_CACHE", raising=False)
    for variable in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
        lasting.delenv(variable, raising=False)


@pytest.fixture
def run() -> Run:
    """Run a program on this input to its end."""

    def run_program(program: str, sent: bytes) -> CompletedProcess[bytes]:
        return subprocess.run(_words(program), input=sent, capture_output=True, check=False)

    return run_program


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a program, to converse with. What a failed test leaves behind is killed."""
    with ExitStack() as started:

        def start_program(program: str) -> Popen[bytes]:
            words = _words(program)
            process = started.enter_context(
                Popen(words, stdin=PIPE, stdout=PIPE, stderr=PIPE, bufsize=0)
            )
            started.callback(process.kill)  # before Popen's own exit, which waits
            return process

        yield start_program


def _words(program: str) -> list[str]:
    return [sys.executable, "-m", f"xtests.{program}"]
