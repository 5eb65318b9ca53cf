"""Count the runs and sessions of an execution, and derive its exit status."""

from __future__ import annotations

from harness.model.events import RunResult, SessionsEnded
from harness.model.tally import RunTally


class RunScore(RunTally):
    """Counters of the runs that were judged so far.

    `earlier` runs finished before this execution. `cases` counts the cases that this execution
    completed, `new_failures` its unexpected results, `order_dependent` the cases that pass only in
    a session. `sessions` has the totals of the workers' session summaries, by subject.
    """

    def __init__(self) -> None:
        super().__init__()
        self.earlier = 0
        self.cases = 0
        self.new_failures = 0
        self.order_dependent = 0
        self.sessions: dict[str, SessionsEnded] = {}

    def add_earlier(self, event: RunResult) -> None:
        # Earlier failures do not count for --max-failures: a stopped run could never be resumed.
        self.add(event)
        self.earlier += 1

    def add_new(self, event: RunResult, *, completes_case: bool) -> None:
        self.add(event)
        self.cases += completes_case
        self.new_failures += event.failed


def add_summary(sums: dict[str, SessionsEnded], event: SessionsEnded) -> None:
    """Add how the sessions of a subject went in a worker."""
    one = sums.setdefault(event.subject, event)
    if one is not event:
        sums[event.subject] = one._replace(
            sessions=one.sessions + event.sessions,
            passed=one.passed + event.passed,
            alone=one.alone + event.alone,
            repeated=one.repeated + event.repeated,
            differing=one.differing + event.differing,
            stopped=one.stopped or event.stopped,
            noise=one.noise or event.noise,
            stderr=one.stderr or event.stderr,
        )
