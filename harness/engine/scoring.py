"""Count the verdicts and sessions of a run, and derive its exit status."""

from __future__ import annotations

from collections import Counter

from harness.model.events import Judged, SessionsEnded
from harness.model.exit_codes import ExitCode
from harness.model.verdict import Verdict


class RunScore:
    """Counters of the runs that were judged so far.

    `earlier` runs finished before this execution, `cached` runs come from the cache. `cases` counts
    the cases that this execution completed, `new_failures` its unexpected results, `retried` the
    runs that were repeated alone, `order_dependent` the cases that pass only in a session.
    `sessions` has the totals of the workers' session summaries, by subject.
    """

    def __init__(self) -> None:
        self._verdicts: Counter[Verdict] = Counter()
        self._known: Counter[Verdict] = Counter()
        self._failures = 0
        self.unexpected_pass = 0
        self.earlier = 0
        self.cached = 0
        self.cases = 0
        self.new_failures = 0
        self.retried = 0
        self.order_dependent = 0
        self.sessions: dict[str, SessionsEnded] = {}

    def add(self, event: Judged, *, is_earlier: bool = False, completes_case: bool = False) -> None:
        failed = event.failed
        self._verdicts[event.verdict] += 1
        self.earlier += is_earlier
        self.cached += event.cached
        self.cases += completes_case
        # Earlier failures do not count for --max-failures: a stopped run could never be resumed.
        self.new_failures += failed and not is_earlier
        self.retried += event.retried
        if failed:
            self._failures += 1
            self.unexpected_pass += event.verdict is Verdict.PASSED
        elif event.known is not None:
            self._known[event.verdict] += 1

    @property
    def counts(self) -> dict[str, int]:
        """The number of runs by verdict."""
        return _by_name(self._verdicts)

    @property
    def known(self) -> dict[str, int]:
        """The number of known failures by verdict."""
        return _by_name(self._known)

    def exit_code(self, *, faulty: bool) -> ExitCode:
        """Return the exit status of the run; `faulty`: something other than a run went wrong."""
        if faulty or any(verdict.is_fault for verdict in self._verdicts):
            return ExitCode.FAULT
        return ExitCode.FAILED if self._failures or self.order_dependent else ExitCode.OK


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
        )


def _by_name(counts: Counter[Verdict]) -> dict[str, int]:
    return {verdict.value: counts[verdict] for verdict in Verdict if counts[verdict]}
