"""Declare what differs between the kinds of sessions: how one starts, and what it has answered."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final, NamedTuple

from harness.engine.sessions.outputs import (
    PROTOCOL_ENVIRONMENT,
    SessionOutput,
    can_share_process,
    lay_out,
    session_output,
    transcript_of_case,
)
from harness.errors import Refused
from harness.model.case import Case
from harness.model.sessions import SessionKind
from harness.model.transcript import Job, Transcript
from harness.process.workspace import Workspace, Workspaces
from harness.process.zygote.client import Zygote
from harness.process.zygote.programs import start_fork_session


class SessionStart(NamedTuple):
    """The job of a session; `is_new`: a process was started for it."""

    job: Job
    is_new: bool = True


class SessionLauncher(ABC):
    """Starts the sessions of a subject on a suite, each with at most `largest` cases.

    `is_worthwhile_alone`: a session is of use for a single case, too.
    """

    largest: int = 1_000
    is_worthwhile_alone: bool = False

    def takes(self, case: Case) -> bool:
        """Return whether a case may share a process with others."""
        return can_share_process(case)

    @abstractmethod
    def start(self, job: Job, cases: Sequence[Case]) -> SessionStart | Refused:
        """Return a session of these cases, or why this subject can have none.

        `job` runs the first of them alone.
        """

    @abstractmethod
    def output(self, cases: Sequence[Case], transcript: Transcript) -> SessionOutput:
        """Attribute what a session printed to its cases."""

    def transcript_of_case(
        self, transcript: Transcript, output: bytes, cases: Sequence[Case]
    ) -> Transcript:
        """Return the part of a session that belongs to one of its cases, which has this output."""
        return transcript_of_case(transcript, output, len(cases))

    def close(self) -> None:
        """End what runs besides sessions."""


class _Stream(SessionLauncher):
    def start(self, job: Job, cases: Sequence[Case]) -> SessionStart:
        return SessionStart(job._replace(stdin=lay_out(SessionKind.STREAM, cases)))

    def output(self, cases: Sequence[Case], transcript: Transcript) -> SessionOutput:
        return session_output(SessionKind.STREAM, cases, transcript)


class _Protocol(SessionLauncher):
    def start(self, job: Job, cases: Sequence[Case]) -> SessionStart:
        context = job.context
        if context is not None:
            context = context._replace(environment=(*context.environment, PROTOCOL_ENVIRONMENT))
        stdin = lay_out(SessionKind.PROTOCOL, cases)
        return SessionStart(job._replace(stdin=stdin, context=context))

    def output(self, cases: Sequence[Case], transcript: Transcript) -> SessionOutput:
        return session_output(SessionKind.PROTOCOL, cases, transcript)


class _Fork(SessionLauncher):
    """Forks each run from one process; that process, and not a run, is the session."""

    largest = 1
    is_worthwhile_alone = True

    def __init__(self, *, in_sandbox: bool, workspaces: Workspaces | None) -> None:
        self._in_sandbox: Final = in_sandbox
        self._workspaces: Final = workspaces
        self._private: Workspace | None = None
        self._zygote: Zygote | None = None

    def takes(self, case: Case) -> bool:
        return True

    def start(self, job: Job, cases: Sequence[Case]) -> SessionStart | Refused:
        is_new = self._zygote is None or not self._zygote.is_alive
        if self._private is None and self._workspaces is not None and not job.keeps_files:
            self._private = self._workspaces.reserve(
                job.own_folder, job.limits.memory_mib, job.argv
            )
        job = job._replace(private=self._private)
        if self._zygote is None or is_new:
            started = start_fork_session(job, os.environ, in_sandbox=self._in_sandbox)
            if isinstance(started, Refused):
                return started
            self._zygote = started
        return SessionStart(job._replace(launcher=self._zygote.launcher), is_new)

    def output(self, cases: Sequence[Case], transcript: Transcript) -> SessionOutput:
        return SessionOutput([transcript.stdout], 1)

    def transcript_of_case(
        self, transcript: Transcript, output: bytes, cases: Sequence[Case]
    ) -> Transcript:
        return transcript

    def close(self) -> None:
        if self._zygote is not None:
            self._zygote.close()
        if self._private is not None:
            self._private.close()


def launcher_of(
    kind: SessionKind, *, in_sandbox: bool, workspaces: Workspaces | None
) -> SessionLauncher:
    match kind:
        case SessionKind.STREAM:
            return _Stream()
        case SessionKind.PROTOCOL:
            return _Protocol()
        case SessionKind.FORK:
            return _Fork(in_sandbox=in_sandbox, workspaces=workspaces)
