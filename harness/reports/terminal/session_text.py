"""Format what sessions have shown as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.model.events import DeliveriesDiffer, DependsOnOrder, SessionsEnded
from harness.reports.terminal.display import Display
from harness.reports.terminal.event_text import delivery_lines, label_line
from harness.text import escape_nonprintable, pluralize, shell_line, shorten

_SUBJECT: Final = 40  # characters of a subject's name


def remark_lines(
    event: DeliveriesDiffer | DependsOnOrder | SessionsEnded, display: Display
) -> Iterator[str]:
    """Return the lines of an event that is about several runs."""
    if isinstance(event, DeliveriesDiffer):
        return delivery_lines(event, display)
    if isinstance(event, DependsOnOrder):
        return _order_lines(event, display)
    return _session_lines(event, display)


def _order_lines(event: DependsOnOrder, display: Display) -> Iterator[str]:
    """Return the lines of a case that passes only in a session."""
    by = f" by {shorten(event.subject, _SUBJECT)}" if display.names_subject else ""
    run = f"{display.style(escape_nonprintable(event.where), 'strong')}{by}"
    yield ""
    yield f"{display.style('depends-on-order', 'bad')}  {run}  {escape_nonprintable(event.message)}"
    yield label_line("repeat", escape_nonprintable(shell_line(event.repeat)), display.style)


def _session_lines(event: SessionsEnded, display: Display) -> Iterator[str]:
    """Return the lines of how the sessions of a subject went."""
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
    yield ""
    yield f"{display.style('sessions', 'dim')}  {subject}{text}"
    for line in event.noise:
        yield label_line("noise", escape_nonprintable(line), display.style)
