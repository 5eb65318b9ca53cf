"""What stands above the list of runs: how it went, in words, numbers and a table; and the list for
those who have no JavaScript.

Pure: events in, values for the template out; all texts are made visible. Source:
docs/html-report.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlencode

from harness.about import About
from harness.documents.meanings import KNOWN, MEANINGS
from harness.documents.order import Order
from harness.documents.summary import Group, Outcome, Summary, headline, outcome_of, summary_of
from harness.events import DeliveriesDiffer, Event, Judged, RunStarted
from harness.records import Verdict
from harness.report.matrix import percent
from harness.several.matrix import Matrix, matrix_noting
from harness.words import count_of, cut, visible

__all__ = ["Gathered", "Listed", "Names", "gathered", "head_of", "table_of"]

_TROUBLES: Final = 50
_LISTED: Final = 1_000  # runs that are listed for those without JavaScript
_SAID: Final = 300  # characters of a message there
_NAME: Final = 200
_MEASURE: Final = 100  # width of the bar

_TONES: Final = {
    Outcome.PASSED: "good",
    Outcome.KNOWN: "known",
    Outcome.FAILED: "bad",
    Outcome.BROKEN: "odd",
}
_KNOWN: Final = "known"  # in a verdict's place
_VERDICTS: Final = sorted(Verdict, key=lambda each: each is not Verdict.PASSED)
_BROKEN: Final = (Verdict.INVALID_CASE, Verdict.HARNESS_FAULT)


class Names(NamedTuple):
    """All names that runs are told by."""

    suites: tuple[str, ...]
    subjects: tuple[str, ...]
    deliveries: tuple[str, ...]
    verdicts: tuple[str, ...]


class Gathered:
    """What one way through all events tells."""

    def __init__(self) -> None:
        self.matrix = Matrix()
        self.order = Order()
        self.verdicts: Counter[Verdict] = Counter()
        self.known: Counter[Verdict] = Counter()  # of these, those that are known failures
        self.names = Names((), (), (), ())
        self.summary = summary_of(())
        self._abouts: dict[str, About] = {}
        self._deliveries: dict[str, None] = {"plain": None}
        self._differing: dict[tuple[str, str], str] = {}

    @property
    def abouts(self) -> tuple[About, ...]:
        """What suites say of themselves, as far as the results have it."""
        return tuple(self._abouts.values())

    def title_of(self, suite: str) -> str:
        """The title of a suite, empty where it has none."""
        return self._abouts[suite].title if suite in self._abouts else ""

    def deliveries_of(self, event: Judged) -> str:
        """Which deliveries of a case matter; empty where they do not."""
        return self._differing.get((f"{event.suite}/{event.case}", event.subject), "")

    def see(self, events: Iterable[Event]) -> None:
        """Go through all events."""
        noted = matrix_noting(self.matrix, self.order.noting(events))
        self.summary = summary_of(self._seen(noted))
        verdicts = (verdict.value for verdict in Verdict if self.verdicts[verdict])
        self.names = Names(
            self.matrix.suites, self.matrix.subjects, tuple(self._deliveries), tuple(verdicts)
        )

    def _seen(self, events: Iterable[Event]) -> Iterator[Event]:
        for event in events:
            if isinstance(event, Judged):
                self.verdicts[event.verdict] += 1
                self._deliveries[event.delivery] = None
                if outcome_of(event) is Outcome.KNOWN:
                    self.known[event.verdict] += 1
            elif isinstance(event, RunStarted):
                self._abouts = {about.suite: about for about in event.about} | self._abouts
            elif isinstance(event, DeliveriesDiffer):
                self._differing[event.where, event.subject] = cut(event.message, _SAID)
            yield event


def gathered(events: Iterable[Event]) -> Gathered:
    """What stands in the page beside single runs."""
    found = Gathered()
    found.see(events)
    return found


# The head.


class Count(NamedTuple):
    """How many runs got a verdict; known failures are counted by themselves."""

    verdict: str
    shown: str
    tone: str
    meaning: str


class Share(NamedTuple):
    """A piece of the bar."""

    outcome: str
    x: float
    width: float


class Trouble(NamedTuple):
    """A problem that is nobody's verdict."""

    where: str
    message: str


class Head(NamedTuple):
    """What stands at the top; `topic` is what was run against what, `below` what stands below the
    headline."""

    title: str
    topic: str
    headline: str
    below: str
    tone: str
    xtest: str
    runs: int
    things: str
    counts: list[Count]
    shares: list[Share]
    facts: list[tuple[str, str]]
    troubles: list[Trouble]


def head_of(found: Gathered) -> Head:
    """The top of the page."""
    summary = found.summary
    said = _headline(found)
    passing = _passing(found)
    topic = _topic(found)
    return Head(
        title=f"xtest: {passing or said}{f' ({topic})' if topic else ''}",
        topic=topic,
        headline=passing or said,
        below=f"Runs: {said[0].lower()}{said[1:]}" if passing else "",
        tone=_tone_of(summary, is_mixed=bool(passing)),
        xtest=visible(summary.xtest),
        runs=summary.runs,
        things=_things(found).capitalize(),
        counts=list(_counts(found)),
        shares=list(_shares(summary)),
        facts=list(_facts(found)),
        troubles=list(_troubles(summary)),
    )


def _headline(found: Gathered) -> str:
    summary = found.summary
    said = headline(summary)
    return said[0].upper() + said[1:] + (f": {visible(summary.idle)}" if summary.idle else "")


def _passing(found: Gathered) -> str:
    """Of several subjects, how many have nothing left to do; empty for one."""
    subjects = found.names.subjects
    if len(subjects) < 2:
        return ""
    scores = [found.matrix.score(subject) for subject in subjects]
    passing = sum(score.passed == score.cases > 0 for score in scores)
    if passing == len(subjects):
        return f"All {passing:,} subjects pass everything"
    verb = "passes" if passing == 1 else "pass"
    return f"{passing:,} of {len(subjects):,} subjects {verb} everything"


def _topic(found: Gathered) -> str:
    """The title of a lone suite, or else its name; and a lone subject."""
    suites, subjects = found.names.suites, found.names.subjects
    lone = [found.title_of(suites[0]) or suites[0]] if len(suites) == 1 else []
    lone += subjects if len(subjects) == 1 else ()
    return ", ".join(map(_short, lone))


def _tone_of(summary: Summary, *, is_mixed: bool) -> str:
    if summary.count(Outcome.FAILED):
        # Of several subjects, that some fall short is no alarm: the bar and the table show which.
        return "mixed" if is_mixed else "bad"
    return "good" if summary.exit == 0 and summary.runs else "odd"


def _things(found: Gathered) -> str:
    """What is counted: cases, unless one counts more than once."""
    is_once = len(found.names.subjects) <= 1 and found.names.deliveries == ("plain",)
    return "cases" if is_once else "runs"


def _counts(found: Gathered) -> Iterator[Count]:
    numbers = found.verdicts - found.known
    counted = [(each.value, numbers[each], _tone(each), MEANINGS[each]) for each in _VERDICTS]
    counted.insert(1, (_KNOWN, found.known.total(), "known", KNOWN))
    return (Count(name, f"{number:,}", *others) for name, number, *others in counted if number)


def _tone(verdict: Verdict) -> str:
    if verdict is Verdict.PASSED:
        return "good"
    return "odd" if verdict in _BROKEN else "bad"


def _shares(summary: Summary) -> Iterator[Share]:
    if not summary.runs:
        return
    x = 0.0
    for outcome in Outcome:
        width = round(_MEASURE * summary.count(outcome) / summary.runs, 4)
        if width:
            # What is there is to be seen, be it one of 100,000.
            yield Share(outcome.value, round(x, 4), max(width, 0.4))
        x += width


def _facts(found: Gathered) -> Iterator[tuple[str, str]]:
    summary, names = found.summary, found.names
    if summary.started:
        yield "Started", visible(summary.started).replace("T", " ").replace("Z", " UTC")
    yield "Took", _duration(summary.wall_s)
    if summary.runs:
        one = names.subjects[0] if len(names.subjects) == 1 else f"{len(names.subjects):,}"
        yield ("Subject" if len(names.subjects) == 1 else "Subjects"), _short(one)
        title = found.title_of(names.suites[0])
        lone = names.suites[0] + (f" ({title})" if title else "")
        several = len(names.suites) > 1
        yield (
            ("Suites" if several else "Suite"),
            f"{len(names.suites):,}" if several else (_short(lone)),
        )
    if summary.not_run:
        yield "Not run", count_of(summary.not_run, "case")


def _duration(wall_s: float) -> str:
    if wall_s < 60:
        return f"{wall_s:.1f} s"
    minutes, seconds = divmod(round(wall_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s"


def _troubles(summary: Summary) -> Iterator[Trouble]:
    for trouble in summary.troubles[:_TROUBLES]:
        yield Trouble(_short(trouble.where), cut(visible(trouble.message), 2_000))
    if len(summary.troubles) > _TROUBLES:
        yield Trouble("", f"and {len(summary.troubles) - _TROUBLES:,} problems more")


# The table: of one subject by suite, of several as a matrix.


class Cell(NamedTuple):
    """What stands in a cell; `link` is the state of the filter that shows it, `hint` what a pointer
    over it brings."""

    text: str
    tone: str = ""
    link: str = ""
    aside: str = ""
    hint: str = ""


class Table(NamedTuple):
    """A table: its first `names` columns have words, the others numbers."""

    title: str
    heading: list[str]
    rows: list[list[Cell]]
    names: int


def table_of(found: Gathered) -> Table:
    """How each subject did on each suite."""
    if len(found.names.subjects) > 1:
        return _matrix(found)
    groups = found.summary.groups
    if len(groups) < 2:
        return Table("", [], [], 0)  # the head says it all
    titled = any(map(found.title_of, found.names.suites))
    outcomes = [each for each in Outcome if each in _ALWAYS or found.summary.count(each)]
    words = ["", "title"] if titled else [""]
    heading = [*words, *(_COLUMNS[outcome] for outcome in outcomes), "seconds"]
    rows = [_suite_row(group, found, outcomes, titled=titled) for group in groups]
    return Table("Suites", heading, rows, len(words))


_ALWAYS: Final = (Outcome.PASSED, Outcome.FAILED)
_COLUMNS: Final = {
    Outcome.PASSED: "passed",
    Outcome.KNOWN: "known",
    Outcome.FAILED: "fell short",
    Outcome.BROKEN: "broken",
}


def _suite_row(
    group: Group, found: Gathered, outcomes: Sequence[Outcome], *, titled: bool
) -> list[Cell]:
    title = [Cell(_short(found.title_of(group.suite)))] if titled else []
    numbers = [getattr(group, outcome.value) for outcome in outcomes]
    counted = (
        Cell(f"{number:,}", _TONES[outcome] if number else "")
        for number, outcome in zip(numbers, outcomes, strict=True)
    )
    link = urlencode({"suite": visible(group.suite)})
    return [Cell(_short(group.suite), "", link), *title, *counted, Cell(f"{group.wall_s:,.1f}")]


def _matrix(found: Gathered) -> Table:
    suites = found.names.suites
    several = len(suites) > 1
    heading = ["", *map(_short, suites), *(["all"] if several else [])]
    rows = []
    for subject in found.names.subjects:
        row = [Cell(_short(subject), "", urlencode({"subject": visible(subject)}))]
        row += (_score(found, subject, suite) for suite in suites)
        if several:
            row.append(_score(found, subject, None))
        rows.append(row)
    return Table("Subjects and suites", heading, rows, 1)


def _score(found: Gathered, subject: str, suite: str | None) -> Cell:
    score = found.matrix.score(subject, suite)
    if not score.cases:
        return Cell(f"{score.broken:,} broken", "odd") if score.broken else Cell("-")
    link = {"subject": visible(subject)} | ({"suite": visible(suite)} if suite else {})
    tone = "good" if score.passed == score.cases else "bad"
    shown = f"{score.passed:,}/{score.cases:,}"
    verdicts = found.matrix.verdicts(subject, suite)
    hint = ", ".join(f"{verdicts[each]:,} {each.value}" for each in _VERDICTS if verdicts[each])
    return Cell(shown, tone, urlencode(link), percent(score.passed, score.cases), hint)


def _short(name: str) -> str:
    return cut(visible(name), _NAME)


# For those who have no JavaScript.


class ListedRun(NamedTuple):
    """A run that fell short, in one line."""

    verdict: str
    tone: str
    name: str
    message: str


class Listed:
    """The runs that are to be looked at; the first of them by name, all by number."""

    def __init__(self) -> None:
        self.runs: list[ListedRun] = []
        self._all = 0

    def add(self, event: Judged) -> None:
        """Take a run in, where it did not pass."""
        outcome = outcome_of(event)
        if outcome is Outcome.PASSED:
            return
        self._all += 1
        if len(self.runs) < _LISTED:
            where = f"{event.suite}/{event.case}, {event.subject}"
            way = "" if event.delivery == "plain" else f", {event.delivery}"
            name = cut(visible(where + way), _SAID)
            said, message = _said(event, outcome)
            message = cut(visible(message), _SAID)
            self.runs.append(ListedRun(said, _TONES[outcome], name, message))

    def said(self) -> str:
        """What is listed."""
        if not self._all:
            return "Everything passed."
        if self._all > len(self.runs):
            return f"These are the first {len(self.runs):,} of {self._all:,} that did not pass."
        return f"{count_of(self._all, 'run')} did not pass."


def _said(event: Judged, outcome: Outcome) -> tuple[str, str]:
    """What a run is called and why, as the script says it."""
    verdict = event.verdict.value
    reason = "" if event.known is None else event.known.reason
    if outcome is Outcome.KNOWN:
        return _KNOWN, f"{verdict}: {reason}"
    if reason and event.verdict is Verdict.PASSED:
        return verdict, f"but it is listed as a known failure: {reason}"
    return verdict, event.message
