"""The trend over earlier runs: what began to fail or to pass, and since which run.

Pure: the events of runs in, in the order of time; findings out. What is kept grows with the cases,
and not with the runs, of which each has one line. Source: docs/history.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from harness.events import Event, Judged, RunStarted
from harness.report.text import Style
from harness.suites.naming import natural
from harness.words import count_of, cut, visible

__all__ = ["FORMAT", "Change", "History", "RunLine", "SuiteLine", "history_json", "history_lines"]

FORMAT: Final = 1
_NAME: Final = 60  # characters of a name
_DELIVERY: Final = "plain"

# Suite, subject, case and delivery: whose outcome it is.
_Key = tuple[str, str, str, str]


class RunLine(NamedTuple):
    """A run of xtest: when it began, the file it stands in, how many of its cases (each in each
    delivery) passed, were known failures, and fell short; and how many did otherwise before."""

    started: str
    file: str
    passed: int = 0
    known: int = 0
    failed: int = 0
    began_to_fail: int = 0
    began_to_pass: int = 0


class SuiteLine(NamedTuple):
    """A suite and a subject: in how many runs they are, and how their cases stand now."""

    suite: str
    subject: str
    runs: int
    passed: int
    failed: int
    began_to_fail: int
    began_to_pass: int


class Change(NamedTuple):
    """A case that has another outcome than it once had: the verdict now and the one before, the run
    that first had the outcome of now (by its place, from 0, and time), in how many runs it holds
    since, and how often it changed. `case_changed`: the case itself was another one before."""

    suite: str
    subject: str
    case: str
    delivery: str
    fails: bool
    verdict: str
    before: str
    run: int
    since: str
    runs: int
    changes: int
    case_changed: bool


class _State:
    """What is known of one case."""

    __slots__ = ("before", "case_changed", "changes", "content", "fails", "run", "runs", "verdict")

    def __init__(self, event: Judged, run: int) -> None:
        self.fails = event.falls_short
        self.verdict = event.verdict.value
        self.content = event.content
        self.before = ""
        self.run = run
        self.runs = 1
        self.changes = 0
        self.case_changed = False


class History:
    """Gathers runs, the oldest first."""

    def __init__(self) -> None:
        self.runs: list[RunLine] = []
        self._states: dict[_Key, _State] = {}
        self._in_runs: dict[tuple[str, str], list[int]] = {}  # how many, and which was the last

    def begin(self, heading: RunStarted, file: str) -> None:
        """Another run begins: the events that come are of it."""
        self.runs.append(RunLine(heading.started, file))

    def add(self, event: Event) -> None:
        """One event of the run that began last; only those that judge say something here."""
        if not isinstance(event, Judged):
            return
        number = len(self.runs) - 1
        self._count(event, number)
        key = event.suite, event.subject, event.case, event.delivery
        state = self._states.get(key)
        if state is None:
            self._states[key] = _State(event, number)
        elif state.fails == event.falls_short:
            state.verdict = event.verdict.value
            state.content = event.content or state.content
            state.runs += 1
        else:
            self._turn(state, event, number)

    def changes(self) -> list[Change]:
        """The cases whose outcome changed: the latest change first, failures before the others."""
        found = [
            Change(
                *key,
                fails=state.fails,
                verdict=state.verdict,
                before=state.before,
                run=state.run,
                since=self.runs[state.run].started,
                runs=state.runs,
                changes=state.changes,
                case_changed=state.case_changed,
            )
            for key, state in self._states.items()
            if state.changes
        ]
        return sorted(found, key=_order)

    def suites(self) -> list[SuiteLine]:
        """How each suite stands with each subject, by the last outcome of every case."""
        counts = {whose: [0, 0, 0, 0] for whose in self._in_runs}
        for (suite, subject, _, _), state in self._states.items():
            counted = counts[suite, subject]
            counted[state.fails] += 1
            if state.changes:
                counted[3 - state.fails] += 1
        return [
            SuiteLine(*whose, self._in_runs[whose][0], *counts[whose])
            for whose in sorted(counts, key=lambda both: tuple(map(natural, both)))
        ]

    @property
    def fell_behind(self) -> bool:
        """Whether something began to fail in the newest run."""
        return bool(self.runs) and self.runs[-1].began_to_fail > 0

    def _count(self, event: Judged, number: int) -> None:
        line = self.runs[number]
        if event.falls_short:
            self.runs[number] = line._replace(failed=line.failed + 1)
        elif event.known is not None:
            self.runs[number] = line._replace(known=line.known + 1)
        else:
            self.runs[number] = line._replace(passed=line.passed + 1)
        seen = self._in_runs.setdefault((event.suite, event.subject), [0, -1])
        if seen[1] != number:
            seen[:] = (seen[0] + 1, number)

    def _turn(self, state: _State, event: Judged, number: int) -> None:
        """The outcome is another one than before."""
        line = self.runs[number]
        state.case_changed = bool(event.content) and event.content != state.content
        state.before = state.verdict
        state.fails = event.falls_short
        state.verdict = event.verdict.value
        state.content = event.content or state.content
        state.run = number
        state.runs = 1
        state.changes += 1
        if state.fails:
            self.runs[number] = line._replace(began_to_fail=line.began_to_fail + 1)
        else:
            self.runs[number] = line._replace(began_to_pass=line.began_to_pass + 1)


def _order(change: Change) -> tuple[object, ...]:
    names = (change.suite, change.subject, change.case, change.delivery)
    return (-change.run, not change.fails, tuple(map(natural, names)))


# To be read by people.


def history_lines(history: History, style: Style) -> Iterator[str]:
    """The runs, the suites, and what changed."""
    yield from _table(_run_rows(history.runs), 1, style)
    yield ""
    yield from _table(_suite_rows(history.suites()), 2, style)
    changes = history.changes()
    for fails, heading in ((True, "began to fail"), (False, "began to pass")):
        found = [change for change in changes if change.fails is fails]
        if found:
            yield ""
            yield style(f"{heading}: {len(found):,}", "bad" if fails else "good")
            yield from (f"    {_change_line(change)}" for change in found)
    yield ""
    yield _last_sentence(history, style)


def _run_rows(runs: list[RunLine]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        ("started", "judged", "passed", "known", "failed", "began to fail", "began to pass")
    ]
    for run in runs:
        counts = (run.passed, run.known, run.failed)
        numbers = (sum(counts), *counts, run.began_to_fail, run.began_to_pass)
        rows.append((_shown(run.started), *(f"{number:,}" for number in numbers)))
    return rows


def _suite_rows(suites: list[SuiteLine]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        ("suite", "subject", "in runs", "pass now", "fail now", "began to fail", "began to pass")
    ]
    for line in suites:
        names = (_shown(line.suite), _shown(line.subject))
        rows.append((*names, *(f"{number:,}" for number in line[2:])))
    return rows


def _table(rows: list[tuple[str, ...]], names: int, style: Style) -> Iterator[str]:
    """Rows in columns, of which the first ones are names and the others numbers."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = [cell.ljust(width) for cell, width in zip(row[:names], widths, strict=False)]
        cells += [
            cell.rjust(width) for cell, width in zip(row[names:], widths[names:], strict=True)
        ]
        line = "  ".join(cells)
        yield style(line, "dim") if number == 0 else line


def _change_line(change: Change) -> str:
    where = _shown(f"{change.suite}/{change.case}")
    how = "" if change.delivery == _DELIVERY else f", fed {_shown(change.delivery)}"
    said = f"{where}  {_shown(change.subject)}{how}  {change.verdict} since {_shown(change.since)}"
    said += f" ({count_of(change.runs, 'run')}), {change.before} before"
    if change.case_changed:
        said += "; the case changed, too"
    return said if change.changes == 1 else f"{said}; changed {change.changes:,} times"


def _last_sentence(history: History, style: Style) -> str:
    last = history.runs[-1]
    if history.fell_behind:
        said = f"{last.began_to_fail:,} began to fail in the newest of"
        return style(f"{said} {count_of(len(history.runs), 'run')}", "bad")
    said = f"nothing began to fail in the newest of {count_of(len(history.runs), 'run')}"
    return style(said, "good")


def _shown(name: str) -> str:
    return cut(visible(name), _NAME)


# To be read by programs.


def history_json(history: History) -> str:
    """All of it as one JSON text, in ASCII; schemas/history.schema.json describes it."""
    whole: Mapping[str, Any] = {
        "format": FORMAT,
        "runs": [line._asdict() for line in history.runs],
        "suites": [line._asdict() for line in history.suites()],
        "changes": [change._asdict() for change in history.changes()],
    }
    return json.dumps(whole, indent=2)
