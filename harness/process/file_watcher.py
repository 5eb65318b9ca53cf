"""Watch folders for changes of their files, in processes of their own.

The threads of the library that watches would make forking a run from this process unsafe.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, Pipe
from typing import Final

from watchfiles import Change, DefaultFilter, watch

from harness.errors import UsageError
from harness.interruption import STOP_SIGNALS
from harness.process.own_process import fork
from harness.process.system import SYSTEM

_QUIET_MS: Final = 25  # changes that follow each other closer than this are reported together
_READY_MS: Final = 50


class FileWatcher:
    """A process that reports the paths of changed files; ready when constructed.

    With `deep`, it watches everything below the folders, otherwise only the files in them. It
    leaves out what editors, Python and version control write beside files, and files that are
    not `is_relevant`. Raises UsageError if the system cannot watch the folders.
    """

    def __init__(
        self, folders: Sequence[str], is_relevant: Callable[[str], bool], *, deep: bool
    ) -> None:
        self._ours, its = Pipe(duplex=False)
        parent = os.getpid()

        def work() -> int:
            for number in STOP_SIGNALS:
                signal.signal(number, signal.SIG_IGN)  # the parent decides when it ends
            SYSTEM.end_with_parent(parent, signal.SIGKILL)
            _report_changes(folders, is_relevant, its, deep=deep)
            return 0

        self._pid = fork(work)
        its.close()
        self.wait()

    @property
    def connection(self) -> Connection:
        """The connection to wait for: it can be read when files have changed."""
        return self._ours

    def wait(self) -> set[str]:
        """Wait for a change, and return the paths that changed. Raises UsageError."""
        try:
            reported: set[str] | str = self._ours.recv()
        except EOFError:
            reported = "the process that watches files ended"
        if isinstance(reported, str):
            raise UsageError(f"--watch: {reported}")
        return reported

    def close(self) -> None:
        self._ours.close()
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)


def _report_changes(
    folders: Sequence[str], is_relevant: Callable[[str], bool], sink: Connection, *, deep: bool
) -> None:
    keeps, is_ready = DefaultFilter(), False

    def wanted(change: Change, path: str) -> bool:
        return is_relevant(path) and keeps(change, path)

    try:
        for changes in watch(
            *folders,
            watch_filter=wanted,
            step=_QUIET_MS,
            rust_timeout=_READY_MS,
            yield_on_timeout=True,
            recursive=deep,
            ignore_permission_denied=True,
        ):
            SYSTEM.check_parent()
            if not is_ready:
                sink.send(set[str]())
                is_ready = True
            if changed := _without_passing(changes):
                sink.send(changed)
    except BrokenPipeError:
        return
    except Exception as problem:  # pylint: disable=broad-exception-caught  # OSError, and one of Rust
        sink.send(str(problem))


def _without_passing(changes: set[tuple[Change, str]]) -> set[str]:
    """Return the paths, but no files that appeared and vanished: editors test folders this way."""
    added = {path for change, path in changes if change is Change.added}
    return {path for _, path in changes if path not in added or os.path.lexists(path)}
