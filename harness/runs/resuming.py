"""What need not be run again: which runs of a plan are over, by the events of an earlier one.

Pure: events in, and a plan of what is left out; what a case holds now is told by a function that is
handed in. Who reads and writes events is harness/runs/continuing.py. Source: docs/resuming.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from harness.events import DeliveriesDiffer, Judged
from harness.records import Verdict
from harness.runs.deliveries import Delivery, difference_of
from harness.runs.plan import PlannedRun
from harness.words import as_written

__all__ = ["Done", "Kept", "Left", "Look", "Now", "is_over"]

# Nothing was run, or nothing that says anything of the subject: the next time may be the right one.
_NEVER_OVER: Final = (Verdict.INVALID_CASE, Verdict.NOT_STARTED, Verdict.HARNESS_FAULT)

# By the names of suite and subject.
_Whose = tuple[str, str]
_Outcomes = tuple[tuple[Delivery, Verdict], ...]


def is_over(event: Judged) -> bool:
    """Whether a run need not be made again as long as nothing changes: also one that fell short."""
    return bool(event.content) and event.verdict not in _NEVER_OVER


class Now(NamedTuple):
    """What a case holds now: its fingerprint, and the deliveries that make a difference for it."""

    content: str
    deliveries: tuple[Delivery, ...]


# Looks at a case as it is now; None: it is broken, and has to be run in order to be told so.
Look = Callable[[PlannedRun], Now | None]


# What became of the deliveries of a case, by what it held then.
_Past = dict[str, _Outcomes]


class Done:
    """The runs that are over, case by case. Of two of the same run the first counts."""

    def __init__(self) -> None:
        self._cases: dict[_Whose, dict[str, _Past]] = {}

    def add(self, event: Judged) -> None:
        """Note a run that is over."""
        cases = self._cases.setdefault((event.suite, event.subject), {})
        past = cases.setdefault(event.case, {})
        outcomes = past.get(event.content, ())
        delivery = Delivery(event.delivery)
        if delivery not in dict(outcomes):
            past[event.content] = (*outcomes, (delivery, event.verdict))

    def taken(self, run: PlannedRun) -> _Past | None:
        """What is known of a planned case, which is forgotten here."""
        suite, subject, case = _names(run)
        return self._cases.get((suite, subject), {}).pop(case, None)

    def remaining(self) -> Iterator[tuple[str, str, str]]:
        """Suite, subject and name of the cases that were not taken."""
        for (suite, subject), cases in self._cases.items():
            yield from ((suite, subject, case) for case in cases)


class Left:
    """The runs of a plan that are not over, in its order; gone through as often as one likes."""

    def __init__(self, plan: Iterable[PlannedRun]) -> None:
        self._plan = plan
        # By the place in the suite: 1 where nothing is left.
        self._over: dict[_Whose, bytearray] = {}
        self._begun: dict[tuple[str, str, int], _Outcomes] = {}

    def __iter__(self) -> Iterator[PlannedRun]:
        for run in self._plan:
            suite, subject = run.target.suite.name, run.target.subject.name
            over = self._over.get((suite, subject))
            if over is not None and over[run.at]:
                continue
            begun = self._begun.get((suite, subject, run.at))
            yield run if begun is None else run._replace(earlier=begun)

    def take_out(self, run: PlannedRun) -> None:
        """Nothing of this case is left."""
        suite = run.target.suite
        whose = suite.name, run.target.subject.name
        self._over.setdefault(whose, bytearray(len(suite.names)))[run.at] = 1

    def begin(self, run: PlannedRun, outcomes: _Outcomes) -> None:
        """These deliveries of a case are over, and others are left."""
        self._begun[run.target.suite.name, run.target.subject.name, run.at] = outcomes


class _Held:
    """A case of which runs are kept: as it was planned, what it holds, the deliveries that are
    still to be told again, and all its outcomes where nothing of it is left."""

    __slots__ = ("content", "outcomes", "run", "untold")

    def __init__(
        self, run: PlannedRun, content: str, untold: set[str], outcomes: _Outcomes | None
    ) -> None:
        self.run = run
        self.content = content
        self.untold = untold
        self.outcomes = outcomes


class Kept:
    """Which of the runs that are over still hold for a plan: the case holds what it held, and is
    asked for in that delivery. `left` is the rest of the plan, `cases` has how many cases of each
    suite nothing is left of, and `runs` are to be told again. `unasked` names those that would
    hold, in deliveries that nobody asks for now."""

    def __init__(self, plan: Iterable[PlannedRun], done: Done, look: Look) -> None:
        self.left = Left(plan)
        self.cases: dict[str, int] = {}
        self.runs = 0
        self.unasked: list[str] = []
        self._held: dict[tuple[str, str, str], _Held] = {}
        for run in plan:
            self.cases.setdefault(run.target.suite.name, 0)
            past = done.taken(run)
            now = look(run) if past is not None else None
            if past is not None and now is not None and now.content in past:
                self._keep(run, past[now.content], now)

    def told(self, event: Judged) -> tuple[PlannedRun, DeliveriesDiffer | None] | None:
        """Whether a run that is over is to be told again, which is so once: its case as it was
        planned, and what there is to say behind it, if it is the last one of its case."""
        key = event.suite, event.subject, event.case
        held = self._held.get(key)
        if held is None or held.content != event.content or event.delivery not in held.untold:
            return None
        held.untold.remove(event.delivery)
        if held.untold:
            return held.run, None
        del self._held[key]
        whole = held.outcomes
        differs = None if whole is None or len(whole) == 1 else difference_of(event, dict(whole))
        return held.run, differs

    def _keep(self, run: PlannedRun, known: _Outcomes, now: Now) -> None:
        suite = run.target.suite.name
        self.unasked += (
            f"{suite}/{run.name.text} ({delivery.value})"
            for delivery, _ in known
            if delivery not in run.deliveries
        )
        before = dict(run.earlier)
        fresh = tuple(
            (delivery, verdict)
            for delivery, verdict in known
            if delivery in now.deliveries and delivery not in before
        )
        if not fresh:
            return
        outcomes = (*run.earlier, *fresh)
        is_whole = len(outcomes) == len(now.deliveries)
        if is_whole:
            self.left.take_out(run)
            self.cases[suite] += 1
        else:
            self.left.begin(run, outcomes)
        self.runs += len(fresh)
        untold = {delivery.value for delivery, _ in fresh}
        self._held[_names(run)] = _Held(run, now.content, untold, outcomes if is_whole else None)


def _names(run: PlannedRun) -> tuple[str, str, str]:
    """Suite, subject and case as their events have them."""
    names = run.target.suite.name, run.target.subject.name, run.name.text
    suite, subject, case = map(as_written, names)
    return suite, subject, case
