"""Events as lines of text: what stands in a pipe, and what a terminal shows below its progress bar.

Pure: events in, lines out. A style is a function that may colour a text; without a terminal it is
the identity, so that both show the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from harness.events import Bytes, DeliveriesDiffer, Evidence, Judged, Known, Problem, RunEnded
from harness.records import Verdict
from harness.suites.corpus import Suite
from harness.suites.naming import CaseName, natural
from harness.words import clip, count_of, cut, first_bytes, shell_line, shortened, visible

__all__ = [
    "Look",
    "PLAIN",
    "SuiteCount",
    "Style",
    "Tally",
    "closing_lines",
    "delivery_lines",
    "failure_lines",
    "known_line",
    "labelled",
    "listing_lines",
    "one_line",
    "outgrown_line",
    "passed_line",
    "problem_lines",
    "shows_all",
    "stderr_lines",
]


class Look(NamedTuple):
    """How a failure is shown: its differences in how many lines at the most (None: in all that they
    take), whether expected and printed values may stand side by side, and whether its subject is
    named."""

    most_lines: int | None = 30
    side_by_side: bool = False
    names_subject: bool = False


# Colours a text by its role: "good", "bad", "odd", "dim", "strong".
Style = Callable[[str, str], str]


def PLAIN(text: str, _role: str) -> str:  # pylint: disable=invalid-name  # a constant style
    """The style that leaves every text as it is."""
    return text


_LABEL: Final = 10  # width of the labels' column
_MARGIN: Final = 4
_LEAST_ROOM: Final = 20  # a line is not made shorter than this, however narrow the terminal
_STDERR_LINES: Final = 12  # of standard error; of more, this many with what is said of the rest
_STDERR_IN_FULL: Final = 200
_SUBJECT: Final = 40
_LEAST_NAME: Final = 8

# Nobody's program fell short.
_NOT_THE_SUBJECT: Final = (Verdict.INVALID_CASE, Verdict.HARNESS_FAULT)
# xtest itself ended the program.
_KILLED: Final = (
    *(Verdict.SILENT, Verdict.STALLED, Verdict.CPU_LIMIT),
    *(Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT, Verdict.PROCESS_LIMIT),
)


class SuiteCount:
    """How the runs of one suite against one subject have gone so far."""

    __slots__ = ("broken", "failed", "known", "passed")

    def __init__(self) -> None:
        self.passed = 0
        self.known = 0
        self.failed = 0
        self.broken = 0


class Tally:
    """Counts by suite and subject."""

    __slots__ = ("counted", "suites")

    def __init__(self) -> None:
        self.suites: dict[tuple[str, str], SuiteCount] = {}
        self.counted = "cases"  # "runs" as soon as one case counts more than once

    def add(self, event: Judged) -> None:
        """Count one judged run."""
        if event.delivery != "plain":
            self.counted = "runs"
        counted = self.suites.setdefault((event.suite, event.subject), SuiteCount())
        if event.verdict is Verdict.PASSED:
            counted.passed += 1
        elif event.verdict in _NOT_THE_SUBJECT:
            counted.broken += 1
        elif not event.falls_short:
            counted.known += 1
        else:
            counted.failed += 1

    def table(self) -> list[tuple[str, ...]]:
        """The table by suite: a row of headings, then a row a suite in natural order."""
        has_known = any(counted.known for counted in self.suites.values())
        known_heading = ("known",) if has_known else ()
        rows: list[tuple[str, ...]] = [
            ("suite", "subject", self.counted, "passed", *known_heading, "failed", "broken"),
        ]
        for suite, subject in sorted(self.suites, key=lambda both: tuple(map(natural, both))):
            counted = self.suites[suite, subject]
            known = (counted.known,) if has_known else ()
            numbers = (counted.passed, *known, counted.failed, counted.broken)
            numbers = (sum(numbers), *numbers)
            names = (visible(suite), cut(visible(subject), _SUBJECT))
            rows.append((*names, *(f"{number:,}" for number in numbers)))
        return rows


def passed_line(event: Judged, style: Style, *, whose: bool = False) -> str:
    """One line for a run that passed; `whose`: its subject is named."""
    when = " (cached)" if event.cached else ""
    run = f"{_case(event)}{_by(event.subject, whose)}"
    return f"{style('passed', 'good')}  {run}  {event.wall_s * 1000:.0f} ms{when}"


def failure_lines(event: Judged, style: Style, width: int, look: Look = Look()) -> Iterator[str]:
    """All that a person needs about a run that did not pass. The first line and the last, which is
    a command to be pasted, are as long as they have to be; the others keep to `width`."""
    role = "odd" if event.verdict in _NOT_THE_SUBJECT else "bad"
    head = f"{style(event.verdict.value, role)}  {style(_case(event), 'strong')}"
    head += _by(event.subject, look.names_subject)
    yield ""
    yield f"{head}  {visible(event.message)}"
    if event.evidence is not None and event.verdict is not Verdict.NOT_STARTED:
        yield from _evidence_lines(event, event.evidence, style, width, look)
    if event.known is not None:
        otherwise = "" if event.known.holds else "otherwise than this: "
        yield labelled("known", f"{otherwise}{_reason(event.known)}", style)
    if event.repeat and event.verdict is not Verdict.INVALID_CASE:
        yield labelled("repeat", shell_line(event.repeat), style)


def known_line(event: Judged, known: Known, style: Style, *, whose: bool = False) -> str:
    """One line for a run that fell short as it is known to."""
    head = f"{style('known', 'dim')}  {_case(event)}{_by(event.subject, whose)}"
    return f"{head}  {event.verdict.value}: {_reason(known)}"


def outgrown_line(event: Judged, known: Known, style: Style, *, whose: bool = False) -> str:
    """One line for a run that passed, and is listed as a known failure."""
    run = f"{style(_case(event), 'strong')}{_by(event.subject, whose)}"
    head = f"{style('passed', 'bad')}  {run}  but it is listed as a known"
    return f"{head} failure ({_reason(known)}): take it out of [[known]] in suite.toml"


def problem_lines(event: Problem, style: Style) -> Iterator[str]:
    """A problem that is nobody's verdict."""
    yield f"{style('problem', 'odd')}  {visible(event.where)}: {visible(event.message)}"


def delivery_lines(event: DeliveriesDiffer, style: Style, *, whose: bool = False) -> Iterator[str]:
    """A case whose deliveries differ: which ways of feeding it matter, and how much is right."""
    score = f"{event.passed} of {event.of} deliveries passed"
    yield ""
    run = f"{style(event.where, 'strong')}{_by(event.subject, whose)}"
    yield f"{style('deliveries', 'odd')}  {run}  {score}: {event.message}"


def closing_lines(
    tally: Tally, ended: RunEnded, style: Style, width: int | None = None, problems: int = 0
) -> Iterator[str]:
    """The table by suite, and one last sentence; `problems` is how many were told before. In a
    terminal of this `width`, the table leaves out the only subject where it has no room for it."""
    if tally.suites:
        yield ""
        yield from _table_lines(_fitting(tally.table(), width), style)
        yield ""
    nothing = not sum(ended.counts.values()) and not ended.interrupted
    yield _nothing(ended, style, problems) if nothing else _last_sentence(ended, style)


def listing_lines(
    suites: Sequence[Suite],
    *,
    with_cases: bool,
    chosen: Mapping[str, Collection[CaseName]] | None = None,
) -> Iterator[str]:
    """Suites as `xtest list` shows them: name, number of cases, program, title. `chosen` has the
    cases that are listed, by the suite's name; all of them without it."""
    cases = [suite.names if chosen is None else chosen[suite.name] for suite in suites]
    rows = [
        (
            visible(suite.name),
            f"{len(names):,}",
            visible(suite.settings.program),
            visible(suite.settings.title),
        )
        for suite, names in zip(suites, cases, strict=True)
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for names, (name, number, program, title) in zip(cases, rows, strict=True):
        cells = (name.ljust(widths[0]), number.rjust(widths[1]), program.ljust(widths[2]), title)
        yield "  ".join(cells).rstrip()
        if with_cases:
            yield from (f"    {visible(case.text)}" for case in names)


def _case(event: Judged) -> str:
    return visible(f"{event.suite}/{event.case}")


def _by(subject: str, whose: bool) -> str:
    return f" by {cut(visible(subject), _SUBJECT)}" if whose else ""


def _reason(known: Known) -> str:
    link = f", {visible(known.link)}" if known.link else ""
    return f"{visible(known.reason)}{link}"


def _nothing(ended: RunEnded, style: Style, problems: int) -> str:
    """That nothing was run, and why, where that was not told in front of it."""
    if ended.idle:
        said = ended.idle
    elif problems:
        return style("nothing was run", "odd")
    else:
        # What was selected and not run was fed in no way that makes a difference for it.
        said = "no case was selected" if ended.exit else "no case that is selected can be fed so"
    return style(f"nothing was run: {said}", "odd")


def _last_sentence(ended: RunEnded, style: Style) -> str:
    total = sum(ended.counts.values())
    passed = ended.counts.get(Verdict.PASSED.value, 0)
    took = f"in {ended.wall_s:.1f} s"
    if ended.interrupted:
        said = f"interrupted after {count_of(total, 'run')}, {passed:,} passed, {took}"
        return style(f"{said}{_from_before(ended)}", "odd")
    known = sum(ended.known.values())
    score = f"all {total:,} passed" if passed == total else f"{passed:,} of {total:,} passed"
    said = f"{score} {took}{_remarks(ended, known)}"
    if passed + known < total or ended.outgrown:
        return style(said, "bad")
    if ended.exit != 0:
        return style(f"{said}, but there were problems", "odd")
    return style(said, "good")


def _remarks(ended: RunEnded, known: int) -> str:
    """What else there is to say at the end, each with what stands in front of it."""
    unexpected = {
        name: number - ended.known.get(name, 0)
        for name, number in ended.counts.items()
        if name != Verdict.PASSED.value
    }
    others = ", ".join(f"{number:,} {name}" for name, number in unexpected.items() if number)
    said = f": {others}" if others else ""
    if known:
        said += f"; {count_of(known, 'known failure')}"
    if ended.outgrown:
        said += f"; {ended.outgrown:,} passed, though listed as known"
    if ended.stopped:
        said += f"; stopped early, {count_of(ended.not_run, 'case')} not run"
    return f"{said}{_from_before(ended)}"


def _from_before(ended: RunEnded) -> str:
    """What was not run now."""
    said = f"; {ended.resumed:,} resumed" if ended.resumed else ""
    return f"{said}; {ended.cached:,} cached" if ended.cached else said


# Evidence.


def _evidence_lines(
    event: Judged, evidence: Evidence, style: Style, width: int, look: Look
) -> Iterator[str]:
    room = max(_LEAST_ROOM, width - _MARGIN - _LABEL - 1)
    yield labelled("input", one_line(evidence.stdin, room), style)
    yield labelled("expected", one_line(evidence.expected, room), style)
    yield labelled("printed", one_line(evidence.stdout, room), style)
    if evidence.differences_total > (1 if shows_all(evidence, room) else 0):
        yield from _difference_lines(evidence, style, width, look)
    yield from stderr_lines(evidence.stderr, style, room, in_full=look.most_lines is None)
    yield labelled("ended", _ending(event), style)


def one_line(carried: Bytes, room: int) -> str:
    """Bytes as one line, safe on a terminal and of at most so many characters."""
    if carried.total == 0:
        return "(nothing)"
    # Four bytes a character at the most: what is left out has no room in any case.
    data = first_bytes(carried.data, 4 * room)
    text = data.decode("utf-8", "backslashreplace")
    line = visible(text.rstrip("\n") or text)
    if len(data) == carried.total and len(line) <= room:
        return line
    return shortened(line, room, count_of(carried.total, "byte"))


def shows_all(evidence: Evidence, room: int) -> bool:
    """Whether one look at what was expected and what was printed shows where they differ."""
    return max(evidence.expected.total, evidence.stdout.total) <= room


def _difference_lines(evidence: Evidence, style: Style, width: int, look: Look) -> Iterator[str]:
    # Imported here: a run in which nothing differs does not pay for it.
    # pylint: disable-next=import-outside-toplevel
    from harness.report.differing import Screen, difference_lines

    screen = Screen(max(_LEAST_ROOM, width - _MARGIN), look.most_lines, look.side_by_side)
    for line in difference_lines(evidence, style, screen):
        yield f"{' ' * _MARGIN}{line}".rstrip()


def stderr_lines(stderr: Bytes, style: Style, room: int, *, in_full: bool = False) -> Iterator[str]:
    """Standard error, labelled; of much, its beginning and its end."""
    text = stderr.data.decode("utf-8", "backslashreplace")
    lines = [line for line in text.splitlines() if line.strip()]
    most = _STDERR_IN_FULL if in_full else _STDERR_LINES
    # Node says at the beginning what went wrong, Python at the end. A line says what is left out.
    begun = 0 if stderr.is_cut or len(lines) <= most else most // 2 - 1
    ended = lines[begun:][begun + bool(begun) - most :]
    shown = [cut(visible(line), room) for line in (*lines[:begun], *ended)]
    if begun:
        hint = "" if in_full else "; see --full"
        note = f"... ({count_of(len(lines) - len(shown), 'more line')}{hint})"
        shown.insert(begun, style(note, "dim"))
    if stderr.is_cut:
        shown.append(style(f"(the end of {count_of(stderr.total, 'byte')})", "dim"))
    for index, line in enumerate(shown):
        yield labelled("stderr" if index == 0 else "", line, style)


def _ending(event: Judged) -> str:
    how = "not known" if event.exit is None else f"exit status {event.exit}"
    if event.signal is not None:
        how = "by xtest" if event.verdict in _KILLED else f"by {event.signal}"
    return f"{how}, after {event.wall_s:.3f} s"


def labelled(label: str, text: str, style: Style) -> str:
    """A line of what is told of a run, indented, behind its label."""
    return f"{' ' * _MARGIN}{style(label.ljust(_LABEL), 'dim')} {text}"


def _fitting(rows: list[tuple[str, ...]], width: int | None) -> list[tuple[str, ...]]:
    """The table without what it has no room for: the subject, if there is but one; the ends of
    long names."""
    if width is None or _table_width(rows) <= width:
        return rows
    if len({row[1] for row in rows[1:]}) == 1:
        rows = [(row[0], *row[2:]) for row in rows]
    longest = max(len(row[0]) for row in rows)
    least = min(longest, max(_LEAST_NAME, longest - max(0, _table_width(rows) - width)))
    return [(clip(row[0], least), *row[1:]) for row in rows]


def _table_width(rows: Sequence[tuple[str, ...]]) -> int:
    columns = range(len(rows[0]))
    return sum(max(len(row[column]) for row in rows) + 2 for column in columns) - 2


def _table_lines(rows: Sequence[tuple[str, ...]], style: Style) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    names = rows[0].index("passed") - 1
    for index, row in enumerate(rows):
        # Columns of names, then numbers, which stand right.
        cells = [cell.ljust(width) for cell, width in zip(row[:names], widths[:names], strict=True)]
        cells += [
            cell.rjust(width) for cell, width in zip(row[names:], widths[names:], strict=True)
        ]
        line = "  ".join(cells)
        if index == 0:
            yield style(line, "dim")
        else:
            yield line if row[-2:] == ("0", "0") else style(line, "bad")
