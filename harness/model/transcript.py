"""Declare one run of a program and everything observed of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple, Protocol

from harness.model.dialogue import Script, TalkRecord, Transport
from harness.model.limits import MIB, Limit, Limits, Usage
from harness.model.subject import ExecutionContext
from harness.text import signal_name


class Chunk(NamedTuple):
    data: bytes
    pause_s: float = 0.0  # after the part before it
    answers: int = 0  # complete values that the program must have printed before


class MessageFormat(NamedTuple):
    """The bytes in which the messages of a script are sent, and their chunks if not at once."""

    frame: Callable[[bytes], bytes]
    pace: Callable[[bytes], Sequence[Chunk]] | None = None


# Starts a child process that leads a session, in place of spawning a program, and returns its pid.
# Called with its standard streams, a mark for its environment (NAME=value), and a function to call
# with the pid before the program begins. Raises ChildProcessError.
Fork = Callable[[tuple[int, int, int], bytes, Callable[[int], None]], int]


class Launcher(NamedTuple):
    """A way for a sandbox to start a process.

    `within` calls a function that spawns it, in the thread whose restrictions it inherits. If `log`
    is a descriptor, it becomes standard error, and standard error becomes descriptor 3. The
    subject's own variables override those in `environment`. If `fork` is set, it starts the
    process, and the other fields have no effect.
    """

    within: Callable[[Callable[[], int]], int] = lambda spawn: spawn()
    log: int = -1
    environment: Mapping[str, str] = MappingProxyType({})
    fork: Fork | None = None


class Written(NamedTuple):
    """Files that a run wrote in its private working folder: some of their names, relative to it,
    and their number."""

    names: tuple[str, ...] = ()
    total: int = 0


class PrivateFolder(Protocol):
    """A view of the working folder for one run, which is restored after the run.

    Source: harness/process/workspace.py.
    """

    def entered(self, folder: str) -> AbstractContextManager[None]:
        """Return a context in which started processes see the view, in a folder of it."""

    def hide(self, paths: tuple[tuple[str, bool], ...]) -> None:
        """Hide what lies at these paths in the folder, parents first, or show it again (True)."""

    def end_run(self) -> Written:
        """Discard what the run wrote, and return it; its processes must have ended."""


class Job(NamedTuple):
    """A run to execute: the resolved command, its input and its limits.

    `variables` are added to the caller's environment; those of the context win.
    """

    argv: tuple[str, ...]
    stdin: bytes
    limits: Limits = Limits()
    feed: Iterator[Chunk] | None = None  # the input, in place of `stdin`
    context: ExecutionContext | None = None
    launcher: Launcher = Launcher()
    variables: tuple[tuple[str, str], ...] = ()
    private: PrivateFolder | None = None  # None: the run shares its working folder with others
    has_changed: Callable[[], bool] | None = None  # whether files in its shared folder have
    builds: bool = False  # it may write into its working folder, which is shared, in a sandbox too
    written_mib: Callable[[], float] | None = None  # of a build: what it has added to its folder
    script: Script | None = None  # decides the input, in place of `stdin`
    messages: MessageFormat | None = None  # of the script
    port: int | None = None  # replaces {port} in the command, and is its XTEST_PORT

    companions: tuple[CompanionJob, ...] = ()

    @property
    def is_paced(self) -> bool:
        """Return whether its input is spread over time."""
        paced = self.messages is not None and self.messages.pace is not None
        return paced or self.feed is not None

    @property
    def is_fed(self) -> bool:
        """Return whether its input is decided while it runs."""
        return self.feed is not None or (self.script is not None and not self.has_connection)

    @property
    def uses_network(self) -> bool:
        """True if it shares a port with xtest or with companions."""
        return self.has_connection or bool(self.companions)

    @property
    def has_connection(self) -> bool:
        """True if its dialogue has a connection."""
        return self.script is not None and self.script.rules.transport is not Transport.STDIO

    @property
    def keeps_files(self) -> bool:
        """True if what the run writes into its working folder is to stay there."""
        return self.context is not None and self.context.keeps_files

    @property
    def folder(self) -> str:
        """The absolute path of the working folder."""
        return os.getcwd() if self.context is None else self.context.folder

    @property
    def own_folder(self) -> str:
        """The absolute path of the folder with everything that belongs to the subject."""
        return os.getcwd() if self.context is None else self.context.own_folder


class CompanionJob(NamedTuple):
    """A companion of a job, or the reason why it cannot start. If it `listens`, it starts first."""

    name: str
    job: Job | NotStarted
    listens: bool = False


# Not tuples: Exited(9) must not equal Signalled(9).


@dataclass(frozen=True, slots=True)
class NotStarted:
    """The operating system refused to run the command; `reason` is for people.

    `by_machine`: for want of processes, memory or descriptors, which is not the command's fault.
    """

    reason: str
    by_machine: bool = False


@dataclass(frozen=True, slots=True)
class Exited:
    """The program exited with this status (0 to 255)."""

    status: int


@dataclass(frozen=True, slots=True)
class Signalled:
    """A signal ended the program."""

    number: int


Ending = NotStarted | Exited | Signalled


class DeadEnd(Enum):
    """The reason why a conversation could not go on, although the program was running."""

    CLOSED = "closed"  # its standard output
    UNENDED = "unended"  # nothing follows the number that it printed last
    SCRIPT = "script"  # the script of a dialogue cannot go on, or is over


class CheckerAnswer(NamedTuple):
    """The answer of a suite's checker about a run, or the `fault` for which there is none."""

    passed: bool = False
    message: str = ""
    points: float | None = None  # the share of the points of the case, if it says one
    fault: str = ""


class CompanionState(Enum):
    """The state of a companion when its program ended, or its own end."""

    NOT_STARTED = "not started"  # because nothing listened on the port
    NOT_LISTENING = "not listening"  # although it must listen on the port
    ENDED = "ended"  # by itself, or at a limit, or it could not start
    NOT_CONNECTED = "not connected"  # running, when the program reached a time limit
    RUNNING = "running"


class CompanionRun(NamedTuple):
    """Everything observed of one companion; `stdout` and `stderr` are the ends of what it
    printed."""

    name: str
    state: CompanionState
    ending: Ending | None = None  # if it ended
    limit: Limit | None = None
    wall_s: float = 0.0
    stdout: bytes = b""
    stderr: bytes = b""
    output_bytes: int = 0  # of both
    listening: tuple[str, ...] = ()  # where the one that must listen listened instead
    has_called: bool = True  # whether a client may have connected before it ended

    @property
    def is_late(self) -> bool:
        """Return whether it had not connected or listened when the time was over."""
        is_not_listening = self.state is CompanionState.NOT_LISTENING and self.ending is None
        return is_not_listening or self.state is CompanionState.NOT_CONNECTED

    @property
    def ended(self) -> str:
        """Return what became of it, for people."""
        match self.state:
            case CompanionState.NOT_STARTED:
                return "was not started, because nothing listened on the port"
            case CompanionState.NOT_LISTENING if self.ending is None:
                where = " and ".join(self.listening)
                return f"did not listen on the port{f', but on {where}' if where else ''}"
            case CompanionState.NOT_CONNECTED:
                return "was running without a connection"
            case CompanionState.RUNNING:
                return "was running"
        if isinstance(self.ending, NotStarted):
            return f"did not start: {self.ending.reason}"
        early = ", before it listened" if self.state is CompanionState.NOT_LISTENING else ""
        if self.limit is not None:
            text = f"reached its limit {self.limit.value}"
        elif isinstance(self.ending, Exited):
            text = f"ended with exit status {self.ending.status}"
        else:
            assert self.ending is not None
            text = f"was killed by {signal_name(self.ending.number)}"
        return f"{text} after {self.wall_s:.3f} s{early}"


# `Limit.WALL.value` takes ten times as long as a name.
_WALL, _FIRST_BYTE, _OUTPUT = (each.value for each in (Limit.WALL, Limit.FIRST_BYTE, Limit.OUTPUT))


class Transcript(NamedTuple):
    """Everything observed of one run. Times are in seconds from the start.

    `stdout` and `stderr` are the kept parts of `stdout_bytes` and `stderr_bytes`.
    """

    ending: Ending
    stdout: bytes = b""
    stderr: bytes = b""
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    limit: Limit | None = None  # the first that was reached; `ending` is then our own signal
    first_byte_s: float | None = None
    wall_s: float = 0.0
    usage: Usage = Usage()
    awaited: int = 0  # answers that xtest was waiting for before it would send more input
    accounting: str = ""  # how usage was counted, if it is limited; a value of Accounting
    dead_end: DeadEnd | None = None  # no more input was sent; a program that stayed was killed
    written: Written = Written()  # in a private working folder, and discarded
    shares_folder: bool = False  # whether the machine allowed it no private working folder
    folder_changed: bool = False  # whether files in its shared working folder did, meanwhile
    checked: CheckerAnswer | None = None  # None if no checker was asked
    talk: TalkRecord | None = None  # of a dialogue
    companions: tuple[CompanionRun, ...] = ()  # in the order of the job's

    @property
    def amounts(self) -> dict[str, float | None]:
        """The amount used of each limit that xtest measures, by its name and in its unit."""
        return {
            _WALL: self.wall_s,
            _FIRST_BYTE: self.first_byte_s,
            _OUTPUT: self.stdout_bytes / MIB,
            **self.usage._asdict(),
        }
