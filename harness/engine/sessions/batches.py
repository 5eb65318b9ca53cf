"""Record the batches of cases that sessions are given, and how the sessions of a target went.

Worker processes share the names of subjects that may not use sessions any more.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from harness.engine.ipc import CaseEvent
from harness.engine.plan import PlannedRun
from harness.engine.sessions.launchers import SessionLauncher
from harness.engine.sessions.polluters import PolluterSearch
from harness.model.case import Case
from harness.model.events import RunResult, SessionsEnded
from harness.model.sessions import SessionKind
from harness.project.targets import Target

_UNPRODUCTIVE_SESSIONS_ALLOWED: Final = 8  # sessions that may settle nothing ...
_CASES_PER_SESSION: Final = 4  # ... and the cases that each further one must settle on average
_HUNG_SESSION_COUNTS_AS: Final = 2  # sessions: it took the time of a whole run


@dataclass(eq=False, slots=True)
class SessionBatch:
    """Cases for one session. A batch with a `trial` only shows whether its last case passes."""

    sessions: Sessions
    planned: list[PlannedRun] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    trial: Trial | None = None
    passes: list[CaseEvent] = field(default_factory=list)
    awaited: int = 0  # answers that are being judged
    unrepeated: int = 0  # cases of the sample
    is_void: bool = False  # its passes that were not repeated do not count

    @property
    def target(self) -> Target:
        return self.planned[0].target

    def add(self, planned: PlannedRun, case: Case) -> None:
        self.planned.append(planned)
        self.cases.append(case)

    def part(self, begin: int, end: int) -> SessionBatch:
        return SessionBatch(self.sessions, self.planned[begin:end], self.cases[begin:end])

    def number_of(self, index: int) -> int:
        """Return the number, in the batch, of the case with this index in its suite."""
        return next(n for n, planned in enumerate(self.planned) if planned.case_index == index)


@dataclass(eq=False, slots=True)
class Trial:
    """The search for the case that makes a victim pass."""

    batch: SessionBatch
    victim: int
    search: PolluterSearch
    event: RunResult  # of the victim in a fresh process

    def next_batch(self) -> SessionBatch:
        """Return a batch with the candidates and the victim, in their order."""
        # Cases after the victim must stay in its session: the program may read them first.
        batch = SessionBatch(self.batch.sessions, trial=self)
        for number in sorted((*self.search.candidates, self.victim)):
            batch.add(self.batch.planned[number], self.batch.cases[number])
        return batch


@dataclass(eq=False, slots=True)
class Sessions:
    """The sessions of a subject on a suite, and their counts so far."""

    kind: SessionKind
    launcher: SessionLauncher
    ended: SessionsEnded
    sample_rate: float  # the share of passes to repeat
    size: int  # of the next batch
    settled: int = 0
    process_starts: int = 0
    passes_to_repeat: float = 0.0
    last_failure: str = ""  # of the last session that settled nothing

    def count(self, **amounts: int) -> None:
        added = {name: getattr(self.ended, name) + more for name, more in amounts.items()}
        self.ended = self.ended._replace(**added)

    def count_session(self, *, hung: bool, failure: str) -> None:
        """Count a session, and stop if they settle too little. A failure settles nothing."""
        self.last_failure = failure or self.last_failure
        self.count(sessions=1)
        self.process_starts += _HUNG_SESSION_COUNTS_AS if hung else 1
        allowed = _UNPRODUCTIVE_SESSIONS_ALLOWED + self.settled / _CASES_PER_SESSION
        if self.process_starts > allowed:
            # Without counts: sessions of other workers, and cases of this batch, are not in them.
            reason = f"sessions gave {'too few verdicts' if self.settled else 'no verdicts'}"
            self.stop(f"{reason} ({self.last_failure})" if self.last_failure else reason)

    def stop(self, reason: str) -> None:
        self.ended = self.ended._replace(stopped=reason)


class DistrustedSubjects:
    """The subjects of which a case that passed in a session has failed alone.

    Processes that are forked later share it.
    """

    def __init__(self, subjects: Iterable[str]) -> None:
        self._indexes = {name: index for index, name in enumerate(dict.fromkeys(subjects))}
        self._memory = mmap.mmap(-1, max(1, len(self._indexes)))

    def __contains__(self, subject: str) -> bool:
        return bool(self._memory[self._indexes[subject]])

    def add(self, subject: str) -> None:
        self._memory[self._indexes[subject]] = True
