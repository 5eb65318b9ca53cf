"""Format events as lines of text, for a pipe or for a terminal.

Pure: events in, lines out. A style colours texts by their role; outside a terminal it is PLAIN, so
both show the same words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.model.case_names import CaseName, natural
from harness.model.events import (
    DeliveriesDiffer,
    Diagnostic,
    Evidence,
    Excerpt,
    Judged,
    KnownFailure,
    RunEnded,
)
from harness.model.exit_codes import ExitCode
from harness.model.verdict import Verdict
from harness.reports.summary import (
    RunOutcome,
    outcome_of,
    reason_and_link,
)
from harness.reports.terminal.differences import DifferenceDisplay, difference_lines
from harness.suites.loading import Suite
from harness.text import (
    escape_nonprintable,
    first_bytes,
    pluralize,
    shell_line,
    truncate,
    truncate_to_width,
)

__all__ = [
    "PLAIN",
    "DisplayOptions",
    "Style",
    "Tally",
    "align_columns",
    "closing_lines",
    "delivery_lines",
    "diagnostic_lines",
    "failure_lines",
    "known_line",
    "label_line",
    "listing_lines",
    "one_line",
    "passed_line",
    "shows_all",
    "stderr_lines",
    "unexpected_pass_line",
]


class DisplayOptions(NamedTuple):
    """Options for showing a failure.

    Attributes:
        most_lines: the maximum number of lines of differences, or None for all
        side_by_side: allow two columns
        names_subject: name the subject
    """

    most_lines: int | None = 30
    side_by_side: bool = False
    names_subject: bool = False


# Colours a text by its role: "good", "bad", "odd", "dim", "strong".
Style = Callable[[str, str], str]


def PLAIN(text: str, _role: str) -> str:  # pylint: disable=invalid-name  # a constant style
    """Return the text without colours."""
    return text


_LABEL: Final = 10  # characters of a label
_MARGIN: Final = 4
_LEAST_ROOM: Final = 20  # characters of a line, however narrow the terminal
_STDERR_LINES: Final = 12  # of stderr, including the note on what is left out
_STDERR_IN_FULL: Final = 200
_SUBJECT: Final = 40
_LEAST_NAME: Final = 8


class Tally:
    """Counts outcomes by suite and subject."""

    __slots__ = ("counted", "outcomes")

    def __init__(self) -> None:
        self.outcomes: dict[tuple[str, str], Counter[RunOutcome]] = {}
        self.counted = "cases"  # "runs" as soon as a case counts more than once

    def add(self, event: Judged) -> None:
        """Count one run."""
        if event.delivery != Delivery.PLAIN.value:
            self.counted = "runs"
        self.outcomes.setdefault((event.suite, event.subject), Counter())[outcome_of(event)] += 1

    def table(self) -> list[tuple[str, ...]]:
        """Return a row of headings, then a row per suite and subject in natural order."""
        has_known = any(counts[RunOutcome.KNOWN] for counts in self.outcomes.values())
        columns = [each for each in RunOutcome if has_known or each is not RunOutcome.KNOWN]
        rows: list[tuple[str, ...]] = [
            ("suite", "subject", self.counted, *(outcome.value for outcome in columns)),
        ]
        for suite, subject in sorted(self.outcomes, key=lambda pair: tuple(map(natural, pair))):
            numbers = [self.outcomes[suite, subject][outcome] for outcome in columns]
            names = (escape_nonprintable(suite), truncate(escape_nonprintable(subject), _SUBJECT))
            rows.append((*names, *(f"{number:,}" for number in (sum(numbers), *numbers))))
        return rows


def passed_line(event: Judged, style: Style, *, names_subject: bool = False) -> str:
    """Return the line of a run that passed."""
    cached = " (cached)" if event.cached else ""
    run = f"{_case(event)}{_by(event.subject, names_subject)}"
    return f"{style('passed', 'good')}  {run}  {event.wall_s * 1000:.0f} ms{cached}"


def failure_lines(
    event: Judged, style: Style, width: int, look: DisplayOptions = DisplayOptions()
) -> Iterator[str]:
    """Return the details of a run that did not pass.

    The first line, and the last one with a command to paste, have any length; the others keep to
    `width`.
    """
    role = event.verdict.colour
    head = f"{style(event.verdict.value, role)}  {style(_case(event), 'strong')}"
    head += _by(event.subject, look.names_subject)
    yield ""
    yield f"{head}  {escape_nonprintable(event.message)}"
    if event.evidence is not None and event.verdict is not Verdict.NOT_STARTED:
        yield from _evidence_lines(event, event.evidence, style, width, look)
    if event.known is not None:
        note = "" if event.known.holds else " (not this failure)"
        yield label_line("known", f"{_reason(event.known)}{note}", style)
    if event.repeat and event.verdict is not Verdict.INVALID_CASE:
        yield label_line("repeat", shell_line(event.repeat), style)


def known_line(
    event: Judged, known: KnownFailure, style: Style, *, names_subject: bool = False
) -> str:
    """Return the line of a run that failed as expected."""
    head = f"{style('known', 'dim')}  {_case(event)}{_by(event.subject, names_subject)}"
    return f"{head}  {event.verdict.value}: {_reason(known)}"


def unexpected_pass_line(
    event: Judged, known: KnownFailure, style: Style, *, names_subject: bool = False
) -> str:
    """Return the line of a run that passed although it is listed as a known failure."""
    run = f"{style(_case(event), 'strong')}{_by(event.subject, names_subject)}"
    head = f"{style('passed', 'bad')}  {run}  but it is listed as a known"
    return f"{head} failure ({_reason(known)}): remove it from [[known]] in suite.toml"


def diagnostic_lines(event: Diagnostic, style: Style) -> Iterator[str]:
    """Return the line of a problem of a suite, the usage or xtest."""
    where, message = escape_nonprintable(event.where), escape_nonprintable(event.message)
    yield f"{style('problem', 'odd')}  {where}: {message}"


def delivery_lines(
    event: DeliveriesDiffer, style: Style, *, names_subject: bool = False
) -> Iterator[str]:
    """Return the lines of a case whose deliveries got different verdicts."""
    score = f"{event.passed} of {event.of} deliveries passed"
    yield ""
    run = f"{style(event.where, 'strong')}{_by(event.subject, names_subject)}"
    yield f"{style('deliveries', 'odd')}  {run}  {score}: {event.message}"


def closing_lines(
    tally: Tally, ended: RunEnded, style: Style, width: int | None = None, problems: int = 0
) -> Iterator[str]:
    """Return the table by suite, and a closing line.

    The table is cut to `width` characters, unless it is None. `problems` were printed before.
    """
    if tally.outcomes:
        yield ""
        yield from _table_lines(_fit_table(tally.table(), width), style)
        yield ""
    nothing = not sum(ended.counts.values()) and not ended.interrupted
    yield _idle_line(ended, style, problems) if nothing else _closing_line(ended, style)


def listing_lines(
    suites: Sequence[Suite],
    *,
    with_cases: bool,
    chosen: Mapping[str, Collection[CaseName]] | None = None,
) -> Iterator[str]:
    """Return the lines of `xtest list`: name, number of cases, program and title of each suite.

    `chosen` has the listed cases by suite; without it, all cases are listed.
    """
    cases = [suite.names if chosen is None else chosen[suite.name] for suite in suites]
    rows = [
        (
            escape_nonprintable(suite.name),
            f"{len(names):,}",
            escape_nonprintable(suite.settings.program),
            escape_nonprintable(suite.settings.title),
        )
        for suite, names in zip(suites, cases, strict=True)
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for names, (name, number, program, title) in zip(cases, rows, strict=True):
        cells = (name.ljust(widths[0]), number.rjust(widths[1]), program.ljust(widths[2]), title)
        yield "  ".join(cells).rstrip()
        if with_cases:
            yield from (f"    {escape_nonprintable(case.text)}" for case in names)


def _case(event: Judged) -> str:
    return escape_nonprintable(f"{event.suite}/{event.case}")


def _by(subject: str, names_subject: bool) -> str:
    return f" by {truncate(escape_nonprintable(subject), _SUBJECT)}" if names_subject else ""


def _reason(known: KnownFailure) -> str:
    return escape_nonprintable(reason_and_link(known))


def _idle_line(ended: RunEnded, style: Style, problems: int) -> str:
    if ended.idle:
        return style(f"nothing was run: {ended.idle}", "odd")
    if problems:
        return style("nothing was run", "odd")
    # With status 0, cases were selected, but no requested delivery changes their input.
    reason = "no case was selected" if ended.exit else "no selected case supports this delivery"
    return style(f"nothing was run: {reason}", "odd")


def _closing_line(ended: RunEnded, style: Style) -> str:
    total = sum(ended.counts.values())
    passed = ended.counts.get(Verdict.PASSED.value, 0)
    took = f"in {ended.wall_s:.1f} s"
    if ended.interrupted:
        line = f"interrupted after {pluralize(total, 'run')}, {passed:,} passed, {took}"
        return style(f"{line}{_earlier_runs(ended)}", "odd")
    known = sum(ended.known.values())
    score = f"all {total:,} passed" if passed == total else f"{passed:,} of {total:,} passed"
    line = f"{score} {took}{_remarks(ended, known)}"
    if passed + known < total or ended.unexpected_pass:
        return style(line, "bad")
    if ended.exit != ExitCode.OK:
        return style(f"{line}, but there were problems", "odd")
    return style(line, "good")


def _remarks(ended: RunEnded, known: int) -> str:
    unexpected = {
        name: number - ended.known.get(name, 0)
        for name, number in ended.counts.items()
        if name != Verdict.PASSED.value
    }
    others = ", ".join(f"{number:,} {name}" for name, number in unexpected.items() if number)
    remarks = f": {others}" if others else ""
    if known:
        remarks += f"; {pluralize(known, 'known failure')}"
    if ended.unexpected_pass:
        remarks += f"; {ended.unexpected_pass:,} passed, though listed as known"
    if ended.stopped:
        remarks += f"; stopped early, {pluralize(ended.not_run, 'case')} not run"
    return f"{remarks}{_earlier_runs(ended)}"


def _earlier_runs(ended: RunEnded) -> str:
    resumed = f"; {ended.resumed:,} resumed" if ended.resumed else ""
    return f"{resumed}; {ended.cached:,} cached" if ended.cached else resumed


# Evidence.


def _evidence_lines(
    event: Judged, evidence: Evidence, style: Style, width: int, look: DisplayOptions
) -> Iterator[str]:
    room = max(_LEAST_ROOM, width - _MARGIN - _LABEL - 1)
    yield label_line("input", one_line(evidence.stdin, room), style)
    yield label_line("expected", one_line(evidence.expected, room), style)
    yield label_line("printed", one_line(evidence.stdout, room), style)
    if evidence.differences_total > (1 if shows_all(evidence, room) else 0):
        yield from _difference_lines(evidence, style, width, look)
    yield from stderr_lines(evidence.stderr, style, room, in_full=look.most_lines is None)
    yield label_line("ended", _ending(event), style)


def one_line(excerpt: Excerpt, room: int) -> str:
    """Return bytes as one printable line of at most `room` characters."""
    if excerpt.total == 0:
        return "(nothing)"
    # A character has at most four bytes.
    data = first_bytes(excerpt.data, 4 * room)
    text = data.decode("utf-8", "backslashreplace")
    line = escape_nonprintable(text.rstrip("\n") or text)
    if len(data) == excerpt.total and len(line) <= room:
        return line
    return truncate(line, room, pluralize(excerpt.total, "byte"))


def shows_all(evidence: Evidence, room: int) -> bool:
    """Return whether the one-line views of both outputs are complete."""
    return max(evidence.expected.total, evidence.stdout.total) <= room


def _difference_lines(
    evidence: Evidence, style: Style, width: int, look: DisplayOptions
) -> Iterator[str]:
    screen = DifferenceDisplay(
        max(_LEAST_ROOM, width - _MARGIN), look.most_lines, look.side_by_side
    )
    for line in difference_lines(evidence, style, screen):
        yield f"{' ' * _MARGIN}{line}".rstrip()


def stderr_lines(
    stderr: Excerpt, style: Style, room: int, *, in_full: bool = False
) -> Iterator[str]:
    """Return stderr with a label; if it is long, only its beginning and its end."""
    text = stderr.data.decode("utf-8", "backslashreplace")
    lines = [line for line in text.splitlines() if line.strip()]
    most = _STDERR_IN_FULL if in_full else _STDERR_LINES
    # Node prints the error at the beginning, Python at the end.
    begun = 0 if stderr.is_truncated or len(lines) <= most else most // 2 - 1
    ended = lines[begun:][begun + bool(begun) - most :]
    shown = [truncate(escape_nonprintable(line), room) for line in (*lines[:begun], *ended)]
    if begun:
        hint = "" if in_full else "; see --full"
        note = f"... ({pluralize(len(lines) - len(shown), 'more line')}{hint})"
        shown.insert(begun, style(note, "dim"))
    if stderr.is_truncated:
        shown.append(style(f"(the end of {pluralize(stderr.total, 'byte')})", "dim"))
    for index, line in enumerate(shown):
        yield label_line("stderr" if index == 0 else "", line, style)


def _ending(event: Judged) -> str:
    ending = "unknown" if event.exit is None else f"exit status {event.exit}"
    if event.signal is not None:
        ending = "by xtest" if event.verdict.is_limit else f"by {event.signal}"
    return f"{ending}, after {event.wall_s:.3f} s"


def label_line(label: str, text: str, style: Style) -> str:
    """Return an indented line with a label."""
    return f"{' ' * _MARGIN}{style(label.ljust(_LABEL), 'dim')} {text}"


def _fit_table(rows: list[tuple[str, ...]], width: int | None) -> list[tuple[str, ...]]:
    """Return the table without the column of a single subject, and with names cut, as needed."""
    if width is None or _table_width(rows) <= width:
        return rows
    if len({row[1] for row in rows[1:]}) == 1:
        rows = [(row[0], *row[2:]) for row in rows]
    longest = max(len(row[0]) for row in rows)
    least = min(longest, max(_LEAST_NAME, longest - max(0, _table_width(rows) - width)))
    return [(truncate_to_width(row[0], least), *row[1:]) for row in rows]


def _table_width(rows: Sequence[tuple[str, ...]]) -> int:
    columns = range(len(rows[0]))
    return sum(max(len(row[column]) for row in rows) + 2 for column in columns) - 2


def _table_lines(rows: Sequence[tuple[str, ...]], style: Style) -> Iterator[str]:
    names = rows[0].index("passed") - 1
    heading, *lines = align_columns(rows, names)
    yield style(heading, "dim")
    for row, line in zip(rows[1:], lines, strict=True):
        yield line if row[-2:] == ("0", "0") else style(line, "bad")


def align_columns(rows: Sequence[tuple[str, ...]], names: int) -> Iterator[str]:
    """Return rows as lines; the first `names` columns are aligned left, the others right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if column < names else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells)
