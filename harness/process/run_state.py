"""Hold the input and the observations of a run in progress, and its transcript at its end."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import InitVar, dataclass, field
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from harness.dialogue.conversation import Conversation
from harness.jsonio.decoder import EXTENSIONS, JUDGE_DEPTH, Decoder
from harness.jsonio.fast import decode
from harness.model.dialogue import Script, Stop, TalkRecord
from harness.model.limits import Limit
from harness.model.transcript import Chunk, DeadEnd, Ending, Job, Signalled, Transcript
from harness.process.backend import CLOSED, ExitInfo, RunGroup
from harness.process.connecting import Connector
from harness.process.reaper import RunProcesses, to_ending
from harness.process.sampling import UsageSampler, has_written_too_much
from harness.process.spawn import Child
from harness.process.system import SYSTEM

K = TypeVar("K")

_LARGE: Final = 65_536  # bytes of an output that does not wait: many would fill the memory
_NO_INPUT: Final = Job((), b"")
# Seconds after a number at the end of an output, until a sleeping program must have answered.
QUIET_S: Final = 0.5
# Between two questions to a program whether it has ended, where no descriptor says so.
_EXIT_PART: Final = 0.02  # of the time that it has taken
_EXIT_LEAST_S: Final = 0.001
_EXIT_MOST_S: Final = 0.01


class InputWriter:
    """The input of one run, chunk by chunk; `pending` may be written now, from `position` on.

    A chunk may wait for a pause, or for answers: complete JSON values on standard output.
    """

    def __init__(self, job: Job, written: int) -> None:
        self.pending = job.stdin if job.feed is None else b""
        self.position = written
        self.is_over = False  # everything is written, or the subject closed its end
        self.not_before: float | None = None  # the end of the present pause
        self._chunks: Iterator[Chunk] = iter(()) if job.feed is None else job.feed
        # Known before the present chunk is written: what is printed meanwhile may be its answers.
        self._next = next(self._chunks, None)
        self._answered = 0
        self._decoder: Decoder | None = None  # None until there are answers to count
        self.dead_end: DeadEnd | None = None  # why the answers that it waits for cannot come
        self._lost = 0  # the number of answers that it then waited for

    @property
    def awaited(self) -> int:
        """The number of answers that the next chunk waits for, or 0 if it waits for none."""
        if self.dead_end is not None:
            return self._lost
        if self.is_over or self._is_writing or self._next is None:
            return 0
        return self._next.answers if self._answered < self._next.answers else 0

    @property
    def _is_writing(self) -> bool:
        return self.position < len(self.pending)

    def advance(self) -> float | None:
        """Prepare the next chunk, after everything pending was written.

        Returns the seconds to wait before it, or None if the input is complete.
        """
        self.pending, self.position = b"", 0
        return None if self._next is None else self._next.pause_s

    def begin(self) -> bool:
        """Make the next chunk pending after its pause; return False if it waits for answers, or the
        present one is not yet written."""
        if self._is_writing or self._next is None or self._answered < self._next.answers:
            return False
        self.pending, self.position = self._next.data, 0
        self._next = next(self._chunks, None)
        return True

    def count_answers(self, output: bytes) -> bool:
        """Count the answers in a part of the output; return whether a chunk waits for answers."""
        if self._next is None or self._next.answers == 0:
            return False
        if self._decoder is None:
            # Accepts every extension: it only counts, and the judge decides what is valid.
            self._decoder = Decoder(JUDGE_DEPTH, EXTENSIONS)
        self._answered += len(self._decoder.feed(output))
        return True

    def ends_in_number(self, output: bytes) -> bool:
        """Return whether a whole output ends in a number that would be an awaited answer, if
        anything followed it."""
        if not self.awaited or not output[-1:].isdigit() or len(output) > _LARGE:
            return False
        values, fault = decode(output, allow=EXTENSIONS)
        return fault is None and len(values) > self._answered

    # Of a dialogue.

    @property
    def due_at(self) -> float:
        """The time at which it goes on, or fails, without an answer."""
        return math.inf

    def go_on(self, _now: float) -> bool:
        """Go on at this time; return False if the dialogue has failed."""
        return True

    @property
    def has_failed(self) -> bool:
        """Return whether nothing that the program prints lets the dialogue go on."""
        return False

    @property
    def may_go_on(self) -> bool:
        """Return whether the dialogue is complete, and the program need not end by itself."""
        return False

    # pylint: disable-next=unused-argument  # for dialogues
    def record(self, *, is_whole: bool = True) -> TalkRecord | None:
        """Return what was said; the output of a run that a limit ended is not whole."""
        return None

    def give_up(self, dead_end: DeadEnd) -> None:
        """Send no more input, because the awaited answers cannot come."""
        self._lost = self.awaited
        self.dead_end = dead_end
        self.is_over = True


class ScriptWriter(InputWriter):
    """The input of a dialogue: what its script sends, as the output of the program arrives."""

    def __init__(self, job: Job, script: Script, connector: Connector | None = None) -> None:
        super().__init__(_NO_INPUT, 0)
        self._pace: Final = None if job.messages is None else job.messages.pace
        self._frame: Final = None if job.messages is None else job.messages.frame
        self._script: Final = script
        self._connector: Final = connector
        self._conversation: Conversation | None = None
        self._due_at = math.inf  # until it has begun
        now = time.monotonic()
        if connector is None:
            self.connect(now)
        elif script.rules.within_s is not None:
            self._due_at = now + script.rules.within_s

    def connect(self, now: float) -> None:
        """Begin, because the program can be reached."""
        self._conversation = Conversation(self._script, now, self._frame)

    @property
    def awaited(self) -> int:
        if self.dead_end is not None:
            return self._lost
        return int(self._conversation is not None and self._conversation.awaits_message)

    @property
    def due_at(self) -> float:
        if self._conversation is None:
            return self._due_at
        return math.inf if self._is_pacing else self._conversation.due_at

    @property
    def _is_pacing(self) -> bool:
        return self._next is not None

    def advance(self) -> float | None:
        assert self._conversation is not None
        self.pending, self.position = b"", 0
        if self._pace is not None:
            self._load(self._pace)
            if self._next is not None:
                return self._next.pause_s
        return None if self._conversation.is_silent else 0.0

    def begin(self) -> bool:
        conversation = self._conversation
        if conversation is None or self.is_over or self.position < len(self.pending):
            return False
        if self._pace is None:
            self.pending, self.position = conversation.take(), 0
            return bool(self.pending) or conversation.closes
        if self._load(self._pace) and self._next is not None and self._next.pause_s > 0:
            self.not_before = time.monotonic() + self._next.pause_s
        if self.not_before is not None and time.monotonic() < self.not_before:
            return False
        if self._next is None:
            self.pending, self.position = b"", 0
            return conversation.closes
        self.not_before = None
        self.pending, self.position = self._next.data, 0
        self._next = next(self._chunks, None)
        if self._next is None:
            conversation.restart_clock(time.monotonic())
        return True

    def _load(self, pace: Callable[[bytes], Sequence[Chunk]]) -> bool:
        """Take what the script sends next, if nothing is left to send; return whether there is."""
        assert self._conversation is not None
        data = b"" if self._is_pacing else self._conversation.take()
        if data:
            self._chunks = iter(pace(data))
            self._next = next(self._chunks, None)
        return bool(data)

    def count_answers(self, output: bytes) -> bool:
        assert self._conversation is not None
        self._conversation.receive(output, time.monotonic())
        return True

    def go_on(self, now: float) -> bool:
        if self._conversation is None:
            self._due_at = math.inf
            return False
        self._conversation.tick(now)
        return not self._conversation.has_failed

    @property
    def has_failed(self) -> bool:
        return self._conversation is not None and self._conversation.has_failed

    @property
    def may_go_on(self) -> bool:
        is_complete = self._conversation is not None and self._conversation.is_complete
        return is_complete and not self._script.rules.must_end

    def ends_in_number(self, output: bytes) -> bool:
        return False

    def record(self, *, is_whole: bool = True) -> TalkRecord:
        connector = self._connector
        if self._conversation is None:
            record = TalkRecord(stop=Stop.UNCONNECTED)
        else:
            if is_whole:
                self._conversation.end_output(time.monotonic())
            record = self._conversation.record()
        if connector is None:
            return record
        return record._replace(
            port=connector.port, listening=connector.listening, is_reset=connector.is_reset
        )


# Shared by all runs whose input was in the pipe before they started.
NOTHING_LEFT: Final = InputWriter(_NO_INPUT, 0)
NOTHING_LEFT.is_over = True


class CompanionRuns(Protocol):
    """A program and its companions; `next_at` is when the program needs attention."""

    program: RunState | None

    @property
    def next_at(self) -> float: ...


@dataclass(slots=True, eq=False)
class RunState:  # pylint: disable=too-many-instance-attributes  # one for each thing observed
    """A run in progress. Times are on the monotonic clock."""

    number: int
    job: Job
    child: Child
    started_at: float
    group: RunGroup | None
    connector: Connector | None  # of a dialogue over TCP
    companions: CompanionRuns | None  # of a program with companions, or of a companion
    is_alone: InitVar[bool]
    input: InputWriter = field(init=False)
    out: bytearray = field(default_factory=bytearray)  # parts would take a multiple of the memory
    err: bytearray = field(default_factory=bytearray)
    out_bytes: int = 0
    err_bytes: int = 0
    first_byte_at: float | None = None
    limit: Limit | None = None  # the first that was exceeded
    ended_at: float | None = None  # the exit of the program itself
    exit_info: ExitInfo | None = None  # if it was reaped then
    has_group: bool = True  # False if no process was left in its process group then
    drain_cpu_s: float | None = None  # used when the drain after the exit began
    open: set[int] = field(init=False)
    is_watched: bool = False  # whether its output wakes the loop, or only its exit
    processes: RunProcesses = field(init=False)
    sampler: UsageSampler = field(init=False)
    quiet_since: float = math.inf  # while its output ends in a number, and an answer is awaited
    kill_at: float = math.inf  # after a dead end of its conversation
    rests_at: float = math.inf  # when it is killed before that time if it is asleep
    is_killed: bool = False  # at that time

    def __post_init__(self, is_alone: bool) -> None:
        child = self.child
        if self.job.script is not None:
            self.input = ScriptWriter(self.job, self.job.script, self.connector)
        elif child.stdin == CLOSED:
            self.input = NOTHING_LEFT
        else:
            self.input = InputWriter(self.job, child.written)
        self.open = {child.stdout, child.stderr}
        if self.connector is not None:
            # What it prints besides its messages is kept with its standard error.
            self.child = child._replace(stdout=CLOSED)
        self.processes = RunProcesses(child.pid, child.mark, is_alone=is_alone)
        self.sampler = UsageSampler(self.job, self.processes, self.group, self.started_at)


def next_check_at(running: RunState) -> float:
    """Return when the clocks, the usage or the input of a living run need attention next."""
    limits = running.job.limits
    due = min(running.sampler.next_at, running.started_at + limits.wall_s)
    if running.first_byte_at is None and limits.first_byte_s is not None:
        due = min(due, running.started_at + limits.first_byte_s)
    due = min(due, input_due_at(running), running.kill_at, running.rests_at)
    if running.child.pidfd == CLOSED:
        now = time.monotonic()
        elapsed_s = now - running.started_at
        due = min(due, now + min(max(_EXIT_PART * elapsed_s, _EXIT_LEAST_S), _EXIT_MOST_S))
    if running.connector is not None:
        due = min(due, running.connector.next_at)
    if running.companions is not None and running.companions.program is running:
        due = min(due, running.companions.next_at)
    return due


def input_due_at(running: RunState) -> float:
    """Return when the input of a living run needs attention next, whatever it prints."""
    not_before = running.input.not_before
    due = min(running.quiet_since + QUIET_S, running.input.due_at)
    return due if not_before is None else min(due, not_before)


def transcript_of(running: RunState, exit_info: ExitInfo) -> Transcript:
    ended_at = running.ended_at if running.ended_at is not None else time.monotonic()
    wall_s = ended_at - running.started_at
    peak = running.sampler.peak
    accounting = SYSTEM.accounting if running.group is None else running.group.accounting
    # The output of a run that the loop never watched is read after its end.
    seen_at = running.first_byte_at
    ending = to_ending(exit_info.status)
    # By position: keywords take twice the time.
    return Transcript(
        ending,
        bytes(running.out),
        bytes(running.err),
        running.out_bytes,
        running.err_bytes,
        running.limit or _exceeded_at_exit(running.job, exit_info, wall_s),
        None if seen_at is None else min(seen_at, ended_at) - running.started_at,
        wall_s,
        # The kernel counts only reaped children.
        peak._replace(cpu_s=exit_info.cpu_s) if exit_info.cpu_s > peak.cpu_s else peak,
        running.input.awaited,
        accounting.value if running.job.limits.restrict_usage else "",
        _dead_end(running, ending),
        talk=running.input.record(is_whole=running.limit is None),
    )


def _dead_end(running: RunState, ending: Ending) -> DeadEnd | None:
    """Return the dead end of a conversation, or None if a crash was its cause.

    The output of a program that crashes is closed before its end can be seen.
    """
    has_crashed = isinstance(ending, Signalled) and not running.is_killed
    dead_end = running.input.dead_end
    return None if has_crashed and dead_end is DeadEnd.CLOSED else dead_end


def _exceeded_at_exit(job: Job, exit_info: ExitInfo, wall_s: float) -> Limit | None:
    """Return the limit that was exceeded between the last check and the end, or None."""
    limits = job.limits
    if limits.cpu_s is not None and exit_info.cpu_s > limits.cpu_s:
        return Limit.CPU
    if has_written_too_much(job):
        return Limit.FILE_SIZE
    return Limit.WALL if wall_s > limits.wall_s else None


class EndedRun(NamedTuple, Generic[K]):
    key: K
    transcript: Transcript


class EndedRuns(Generic[K]):
    """Runs that wait for others for `gather_s` seconds, twice as long while one is in progress.

    Each program evicts the processor's caches: processing one result after each run takes about
    twice as long as processing several in a row. Nothing waits beyond the `deadline`. Times are on
    the monotonic clock.
    """

    def __init__(self, gather_s: float, deadline: float) -> None:
        self._gather_s = gather_s
        self._deadline = deadline
        self._runs: deque[EndedRun[K]] = deque()
        self._due = math.inf

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def wait_until(self) -> float:
        """The time at which the runs are processed even if another one is in progress."""
        return min(self._due + self._gather_s, self._deadline)

    @property
    def are_due(self) -> bool:
        return time.monotonic() >= min(self._due, self._deadline)

    def add(self, key: K, transcript: Transcript) -> None:
        self._runs.append(EndedRun(key, transcript))
        due = time.monotonic() + self._gather_s
        self._due = 0.0 if transcript.stdout_bytes > _LARGE else min(self._due, due)

    def take(self) -> Iterator[EndedRun[K]]:
        """Yield all runs, each of them once even after an interruption."""
        self._due = math.inf
        while self._runs:
            yield self._runs.popleft()
