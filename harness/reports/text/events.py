"""Format events as lines of text, for a pipe or for a terminal. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from harness.analysis.failure_kinds import run_name
from harness.analysis.summary import Group, Groups
from harness.judging.hints import says_reversed
from harness.model.events import (
    DeliveriesDiffer,
    DependsOnOrder,
    Diagnostic,
    Evidence,
    Excerpt,
    RunEnded,
    RunResult,
    RunStarted,
    SessionsEnded,
)
from harness.model.exit_codes import ExitCode
from harness.model.tally import RunOutcome, message_of
from harness.model.verdict import Verdict
from harness.reports.text.dialogue import dialogue_lines
from harness.reports.text.differences import difference_lines
from harness.reports.text.display import Display, Style, align_columns, table_width
from harness.reports.text.emphasis import look_alike
from harness.reports.text.phrases import (
    known_note,
    near_limits,
    not_claimed,
    reason_and_link,
    shorten_groups,
    tests_passed,
)
from harness.text import (
    cells,
    escape_nonprintable,
    first_bytes,
    fitting_length,
    pluralize,
    shell_line,
    shorten,
    shorten_to_width,
    truncate,
    truncate_to_width,
    wrap,
)

_LABEL: Final = 10  # characters of a label
_MARGIN: Final = 4
_TEXT_COLUMN: Final = _MARGIN + _LABEL + 1
_LEAST_ROOM: Final = 20  # characters of a line, however narrow the terminal
_STDERR_LINES: Final = 12  # of stderr, including the note on what is left out
_STDERR_IN_FULL: Final = 200
_COMPANION_LINES: Final = 4  # of what a companion printed
_INNER: Final = 2  # columns of their indentation
_STDERR_FOLDS: Final = 3  # lines of the terminal that a line of stderr takes at most
_SUBJECT: Final = 40
_FILE: Final = 60  # characters of a name
_LINK: Final = 500
INFO_LABELS: Final = ("group", "title", "link", "hint")  # what suite.toml says about a case
_REVERSED_LINES: Final = 5  # of the differences of a reversed array, which the message explains
_SHARED: Final = "--workspace shared"
SHARED_FOLDERS: Final = (
    "runs shared their working folders: this machine allows no private ones (xtest doctor), or"
    " something is mounted there"
)
_WHY_REPEATED: Final = (
    "; failures are repeated alone there if files changed meanwhile, or there are more than 10,000"
)
_TIMEOUTS: Final = (Verdict.SILENT.value, Verdict.STALLED.value)
_BAD_COLUMNS: Final = ("failed", "broken", "not run")


def brief_line(event: RunResult, display: Display) -> str:
    """Return the line of a run that passed, was skipped, or failed as expected."""
    style, case, by = display.style, escape_nonprintable(run_name(event)), _by(event, display)
    if event.known is not None:
        reason = escape_nonprintable(reason_and_link(event.known))
        if event.verdict is not Verdict.PASSED:
            return f"{style('known', 'dim')}  {case}{by}  {event.verdict.value}: {reason}"
        head = f"{style('passed', 'bad')}  {style(case, 'strong')}{by}"
        return f"{head}  {escape_nonprintable(message_of(event))} ({reason})"
    if event.verdict is Verdict.SKIPPED:
        return f"{style('skipped', 'dim')}  {case}{by}  {escape_nonprintable(event.message)}"
    cached = " (cached)" if event.cached else ""
    return f"{style('passed', 'good')}  {case}{by}  {event.wall_s * 1000:.0f} ms{cached}"


def failure_lines(event: RunResult, display: Display = Display()) -> Iterator[str]:
    """Return the details of a run that did not pass; only its first and last line may be long."""
    style = display.style
    yield ""
    yield failure_headline(event, message_of(event), display)
    for label in INFO_LABELS:
        if event.info is not None and (text := getattr(event.info, label)):
            room = _LINK if label == "link" else room_for_text(display)  # a part leads nowhere
            yield label_line(label, shorten(text, room), style)
    if event.evidence is not None and event.verdict is not Verdict.NOT_STARTED:
        yield from _evidence_lines(event, event.evidence, display)
    if event.tests > 1:
        tests = f"{event.tests_passed:,} of {pluralize(event.tests, 'test')} passed"
        yield label_line("tests", tests, style)
    if event.known is not None:
        reason = escape_nonprintable(reason_and_link(event.known))
        yield label_line("known", f"{reason}{known_note(event)}", style)
    if event.repeat and event.verdict is not Verdict.INVALID_CASE:
        yield label_line("rerun", shell_line(event.repeat), style)


def failure_headline(event: RunResult, message: str, display: Display) -> str:
    head = f"{display.style(event.verdict.value, event.verdict.colour)}  "
    case = display.style(escape_nonprintable(run_name(event)), "strong")
    return f"{head}{case}{_by(event, display)}  {escape_nonprintable(message)}"


def common_failure_lines(event: RunResult, display: Display) -> Iterator[str]:
    """Return the lines of a failure that is no case's own, such as a missing program."""
    verdict = display.style(event.verdict.value, event.verdict.colour)
    subject = display.style(shorten(event.subject, _SUBJECT), "strong")
    yield ""
    yield f"{verdict}  {subject}  {escape_nonprintable(message_of(event))}"


def program_lines(event: RunStarted, style: Style) -> Iterator[str]:
    """Return a line for each file that subjects start."""
    for subject in event.subjects:
        for path in subject.programs:
            name = shorten(subject.name, _SUBJECT)
            yield f"{style('program', 'dim')}  {name}  {escape_nonprintable(path)}"


def diagnostic_lines(event: Diagnostic, style: Style) -> Iterator[str]:
    where, message = escape_nonprintable(event.where), escape_nonprintable(event.message)
    yield f"{style('problem', 'odd')}  {where}: {message}"


def remark_lines(
    event: DeliveriesDiffer | DependsOnOrder | SessionsEnded, display: Display
) -> Iterator[str]:
    """Return the lines of an event that is about several runs."""
    style = display.style
    yield ""
    if isinstance(event, SessionsEnded):
        yield from _session_lines(event, display)
        return
    run = f"{style(escape_nonprintable(event.where), 'strong')}{_by(event, display)}"
    if isinstance(event, DeliveriesDiffer):
        score = f"{event.passed} of {event.of} deliveries passed"
        yield f"{style('deliveries', 'odd')}  {run}  {score}: {event.message}"
    else:
        yield f"{style('depends-on-order', 'bad')}  {run}  {escape_nonprintable(event.message)}"
        yield label_line("rerun", shell_line(event.repeat), style)


def _session_lines(event: SessionsEnded, display: Display) -> Iterator[str]:
    """Yield counts of the sessions of a subject, and what they printed besides."""
    text = (
        f"{event.passed + event.repeated - event.differing:,} passed in"
        f" {pluralize(event.sessions, 'session')}, {event.alone:,} run alone"
    )
    if event.repeated:
        differing = f"{event.differing:,} differing" if event.differing else "no difference"
        text += f"; {event.repeated:,} repeated: {differing} (seed {event.seed})"
    if event.stopped:
        text += f"; no more sessions: {event.stopped}"
    subject = f"{shorten(event.subject, _SUBJECT)}: " if display.names_subject else ""
    yield f"{display.style('sessions', 'dim')}  {subject}{text}"
    for line in event.noise:
        yield label_line("noise", escape_nonprintable(line), display.style)
    for line in event.stderr:
        yield label_line("stderr", escape_nonprintable(line), display.style)


def closing_lines(
    counts: Groups,
    ended: RunEnded,
    display: Display,
    width: int | None = None,
    problems: int = 0,
) -> Iterator[str]:
    """Return the table by suite, notes, and a closing line.

    The table is cut to `width` unless that is None; of more rows than `display.most_lines`, it has
    those with failures. `problems` is their number in the run.
    """
    style = display.style
    total = counts.total()
    if groups := counts.in_order():
        yield from _table_lines(groups, counts.unit, display, width)
    if note := near_limits(counts):
        yield from wrap(note, width)
    if note := workspace_note(ended.runs_that_wrote, ended.wrote):
        yield from wrap(note, width)
    if ended.shared_folders:
        yield from wrap(SHARED_FOLDERS + (_WHY_REPEATED if ended.retried else ""), width)
    if ended.total or ended.interrupted:
        yield _closing_line(ended, style, tests_passed(total, counts.unit))
    elif problems and not ended.why_nothing_ran:
        yield style("nothing was run", "odd")
    else:
        # With status 0, cases were selected, but no requested delivery applies to them.
        reason = "no case was selected" if ended.exit else "no selected case supports this delivery"
        reason = f"{ended.skipped:,} not claimed" if ended.skipped else reason
        yield style(f"nothing was run: {ended.why_nothing_ran or reason}", "odd")


def _table_lines(
    groups: Sequence[Group], unit: str, display: Display, width: int | None
) -> Iterator[str]:
    style = display.style
    shown, note = shorten_groups(groups, display.most_lines)
    if shown:
        rows = _table(shown, unit)
        is_single = len({group.subject for group in groups}) == 1
        if is_single and width is not None and table_width(rows) > width:
            rows = [(row[0], *row[2:]) for row in rows]
        bad = [at for at, name in enumerate(rows[0]) if name in _BAD_COLUMNS]
        heading, *lines = align_columns(rows, range(rows[0].index("passed") - 1), width)
        yield ""
        yield style(heading, "dim")
        for row, line in zip(rows[1:], lines, strict=True):
            yield line if {row[at] for at in bad} == {"0"} else style(line, "bad")
    yield ""
    if note:
        yield from (style(line, "dim") for line in wrap(note, width))


def _by(event: RunResult | DeliveriesDiffer | DependsOnOrder, display: Display) -> str:
    return f" by {shorten(event.subject, _SUBJECT)}" if display.names_subject else ""


def _closing_line(ended: RunEnded, style: Style, tests: str) -> str:
    total, passed = ended.total, ended.passed
    took = f"in {ended.wall_s:.1f} s"
    earlier = f"; {ended.resumed:,} resumed" if ended.resumed else ""
    earlier += f"; {ended.cached:,} cached" if ended.cached else ""
    if ended.interrupted:
        line = f"interrupted after {pluralize(total, 'run')}, {passed:,} passed, {took}"
        if not ended.retried and any(ended.counts.get(name) for name in _TIMEOUTS):
            line += "; timeouts were not repeated alone"
        return style(f"{line}{tests}{earlier}", "odd")
    known = sum(ended.known.values())
    is_all = passed == total > 1 and not ended.not_run
    score = f"all {total:,} passed" if is_all else f"{passed:,} of {total:,} passed"
    line = f"{score} {took}{_remarks(ended, known, tests)}{earlier}"
    if passed + known < total:
        return style(line, "bad")
    if ended.exit != ExitCode.OK:
        return style(f"{line}, but there were problems", "odd")
    return style(line, "good")


def workspace_note(runs: int, wrote: Sequence[str], remedy: str = _SHARED) -> str:
    """Return a note on files that runs wrote into their private working folders, or ""."""
    if not runs:
        return ""
    names = ", ".join(truncate_to_width(escape_nonprintable(name), _FILE) for name in wrote)
    return (
        f"{pluralize(runs, 'run')} wrote {names}: discarded; {remedy} keeps them"
        ' (in xtest.toml: workspace = "shared")'
    )


def _remarks(ended: RunEnded, known: int, tests: str) -> str:
    unexpected = {
        name: number - ended.known.get(name, 0)
        for name, number in ended.counts.items()
        if name not in (Verdict.PASSED.value, Verdict.SKIPPED.value)
    }
    others = ", ".join(f"{number:,} {name}" for name, number in unexpected.items() if number)
    remarks = f": {others}" if others else ""
    remarks += f"{tests}{not_claimed(ended.skipped)}"
    remarks += f"; {pluralize(known, 'known failure')}" if known else ""
    if ended.retried:
        remarks += f"; {ended.retried:,} repeated alone"
    if ended.unexpected_pass:
        remarks += f"; {ended.unexpected_pass:,} passed, though listed as known"
    if ended.stopped:
        remarks += f"; stopped early, {pluralize(ended.not_run, 'case')} not run"
    elif ended.not_run and Verdict.NOT_RUN.value not in ended.counts:
        remarks += f"; {pluralize(ended.not_run, 'case')} not run"
    return remarks


# Evidence.


def output_lines(evidence: Evidence, display: Display) -> Iterator[str]:
    """Return the input, the outputs, and the differences if the outputs do not show them."""
    style, room = display.style, room_for_text(display)
    if evidence.talk:
        yield from dialogue_lines(evidence.talk, display)
    else:
        yield label_line("input", one_line(evidence.stdin, room), style)
    if not evidence.talk and not shows_both_sides(evidence, room):
        for label, output in zip(evidence.sides, (evidence.expected, evidence.stdout), strict=True):
            yield label_line(shorten_to_width(label, _LABEL), one_line(output, room), style)
    if needs_block(evidence, room):
        yield from difference_block(evidence, display)


def _evidence_lines(event: RunResult, evidence: Evidence, display: Display) -> Iterator[str]:
    style, room = display.style, room_for_text(display)
    is_reversed = display.most_lines is not None and says_reversed(event.message)
    few = display._replace(most_lines=_REVERSED_LINES) if is_reversed else display
    yield from output_lines(evidence, few)
    yield from stderr_lines(evidence.stderr, style, room, in_full=display.most_lines is None)
    yield from companion_lines(evidence, style, room)
    if event.exit is None and event.signal is None and not event.wall_s:
        return  # not known, as of an input that fuzz has shrunk
    ending = "unknown" if event.exit is None else f"exit status {event.exit}"
    if event.signal is not None:
        ending = "by xtest" if event.verdict.is_limit else f"by {event.signal}"
    alone = "; repeated alone" if event.retried else ""
    ended = label_line("ended", f"{ending}, after {event.wall_s:.3f} s{alone}", style)
    yield from wrap(ended, display.width, " " * _TEXT_COLUMN)


def room_for_text(display: Display) -> int:
    """Return the characters of a line that follow its label."""
    return max(_LEAST_ROOM, display.width - _TEXT_COLUMN)


def one_line(excerpt: Excerpt, room: int) -> str:
    """Return an excerpt as one printable line of at most `room` terminal cells."""
    if excerpt.total == 0:
        return "(nothing)"
    data = first_bytes(excerpt.data, 4 * room)  # a character has at most four bytes
    text = data.decode("utf-8", "backslashreplace")
    line = escape_nonprintable(text.rstrip("\n") or text)
    if len(data) == excerpt.total and cells(line) <= room:
        return line
    return truncate(line, fitting_length(line, room), pluralize(excerpt.total, "byte"))


def shows_both_sides(evidence: Evidence, room: int) -> bool:
    """Return whether a block of differences shows both outputs, which need no other lines then."""
    is_whole = not (evidence.expected.is_truncated or evidence.stdout.is_truncated)
    return is_whole and needs_block(evidence, room)


def needs_block(evidence: Evidence, room: int) -> bool:
    """Return whether there are differences that the one-line views of both outputs do not show."""
    shows_all = max(evidence.expected.total, evidence.stdout.total) <= room and not any(
        each.asked is not None or look_alike(each.expected or "", each.actual or "")
        for each in evidence.differences[:1]
    )
    return evidence.differences_total > (1 if shows_all else 0)


def difference_block(
    evidence: Evidence, display: Display, sides: tuple[str, str] | None = None
) -> Iterator[str]:
    """Return the differences of two sides as indented lines."""
    inside = display._replace(width=max(_LEAST_ROOM, display.width - _MARGIN))
    for line in difference_lines(evidence, inside, sides):
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
    shown = [part for line in lines[:begun] for part in _folded(line, room)]
    if begun:
        hint = "" if in_full else "; see --full"
        left = len(lines) - begun - len(ended)
        shown.append(style(f"... ({pluralize(left, 'more line')}{hint})", "dim"))
    shown += [part for line in ended for part in _folded(line, room)]
    if stderr.is_truncated:
        shown.append(style(f"(the end of {pluralize(stderr.total, 'byte')})", "dim"))
    for index, line in enumerate(shown):
        yield label_line("stderr" if index == 0 else "", line, style)


def companion_lines(evidence: Evidence, style: Style, room: int) -> Iterator[str]:
    """Return what became of each companion, with the last lines that it printed."""
    shown: list[str] = []
    for each in evidence.companions:
        shown += _folded(escape_nonprintable(f"{each.name} {each.ended}"), room)
        text = each.printed.data.decode("utf-8", "backslashreplace")
        lines = [line for line in text.splitlines() if line.strip()]
        for line in lines[-_COMPANION_LINES:]:
            shown += (f"{' ' * _INNER}{part}" for part in _folded(line, room - _INNER))
    for index, line in enumerate(shown):
        yield label_line("" if index else "companion", line, style)


def _folded(line: str, room: int) -> Iterator[str]:
    """Return a line of stderr as a few: in a traceback, what matters may be at its end."""
    left = escape_nonprintable(line)
    for _ in range(_STDERR_FOLDS - 1):
        end = fitting_length(left, room)
        if end == len(left):
            break
        space = left.rfind(" ", 0, end + 1)
        end = space if left[: max(0, space)].strip() else end
        yield left[:end]
        left = left[end:].lstrip(" ")
    yield truncate(left, fitting_length(left, room))


def label_line(label: str, text: str, style: Style) -> str:
    return f"{' ' * _MARGIN}{style(label.ljust(_LABEL), 'dim')} {text}"


def _table(groups: Sequence[Group], unit: str) -> list[tuple[str, ...]]:
    always = RunOutcome.PASSED, RunOutcome.FAILED
    present = [each for each in RunOutcome if any(group.count(each) for group in groups)]
    columns = [each for each in RunOutcome if each in present or each in always]
    heading = (each.value.replace("_", " ") for each in columns)
    rows: list[tuple[str, ...]] = [("suite", "subject", unit, *heading)]
    for group in groups:
        numbers = (group.runs, *map(group.count, columns))
        names = escape_nonprintable(group.suite), shorten(group.subject, _SUBJECT)
        rows.append((*names, *(f"{number:,}" for number in numbers)))
    return rows
