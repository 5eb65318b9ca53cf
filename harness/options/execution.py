"""The options on how and where subjects run, which all commands that run subjects share."""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from harness.model.sessions import SessionMode, SessionOptions
from harness.model.subject import WorkspaceMode

AUTO: Final = "auto"  # the value of --sandbox for the first that works


class ExecutionOptions(NamedTuple):
    """Options that decide how and where subjects run, by their names.

    A command declares the options that make sense for it; the others keep their defaults.
    """

    jobs: int | None = None  # None for one per processor
    wall: float | None = None  # seconds, None for the limit of each suite
    retry_timeouts: bool | None = None  # None: if runs are beside others
    give_up: bool = False  # on subjects that time out again and again
    sandbox: str | None = None
    shown: tuple[str, ...] = ()
    workspace: WorkspaceMode = WorkspaceMode.PRIVATE
    sessions: SessionOptions = SessionOptions()
    cluster: str = ""
    cluster_tls: str = ""
    ships: bool = False
    rebuild: bool = False  # subjects that have not changed since their last build, too

    @property
    def parallel(self) -> int:
        """The number of runs at once on this machine."""
        return self.jobs or os.cpu_count() or 1

    def retries(self, *, is_shared: bool) -> bool:
        """Return whether timeouts are repeated alone; `is_shared`: runs are beside others."""
        return is_shared if self.retry_timeouts is None else self.retry_timeouts

    @property
    def outcome_args(self) -> tuple[str, ...]:
        """The words of these options that verdicts depend on."""
        args: list[str] = []
        if self.wall is not None:
            args += ("--wall", repr(self.wall).removesuffix(".0"))
        if self.sandbox is not None:
            args.append("--sandbox" if self.sandbox == AUTO else f"--sandbox={self.sandbox}")
        for path in self.shown:
            args += ("--show", path)
        if self.workspace is WorkspaceMode.SHARED:
            args += ("--workspace", self.workspace.value)
        if self.sessions.mode is SessionMode.TRUST:
            args += ("--sessions", self.sessions.mode.value)
        return tuple(args)
