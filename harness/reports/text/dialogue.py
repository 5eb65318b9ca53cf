"""Format a conversation as lines with times, steps and arrows. Pure. Source: docs/dialogues.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from harness.model.dialogue import EntryKind
from harness.model.judgement import ShownMessage
from harness.reports.text.display import Display
from harness.text import cells, escape_nonprintable, pluralize, truncate_to_width

_LABEL: Final = 10
_MARGIN: Final = 4
_MOST_MESSAGES: Final = 12  # up to the one that failed, unless all are shown
_LEAST_ROOM: Final = 20
_LEAST_TEXT: Final = 8  # cells of a message that a note follows
_LABELS: Final = {True: "failed", False: ""}
_ARROWS: Final = {
    EntryKind.SENT: "→",
    EntryKind.CLOSED: "→",
    EntryKind.ENDED: "■",
    EntryKind.LEFT_OUT: "…",
}
_NOTES: Final = {
    EntryKind.IGNORED: "ignored",
    EntryKind.ANSWERED: "answered",
    EntryKind.CLOSED: "the input was closed",
    EntryKind.MISSING: "did not come",
}


def arrow(message: ShownMessage) -> str:
    """Return the direction of a message: → to the program, ← from it."""
    return _ARROWS.get(message.kind, "←")


def note_on(message: ShownMessage) -> str:
    """Return what a line says beside its message, or ""."""
    return "; ".join(filter(None, (_NOTES.get(message.kind, ""), message.note)))


def _shown_part(
    talk: Sequence[ShownMessage], display: Display
) -> tuple[Sequence[ShownMessage], int, int]:
    """Return the messages that are shown, and how many before and after them are not."""
    if display.most_lines is None or len(talk) <= _MOST_MESSAGES:
        return talk, 0, 0
    failed = next((at for at, each in enumerate(talk) if each.failed), len(talk) - 1)
    begin = max(0, failed + 2 - _MOST_MESSAGES)
    end = min(len(talk), max(failed + 2, _MOST_MESSAGES))
    return talk[begin:end], begin, len(talk) - end


def dialogue_lines(talk: Sequence[ShownMessage], display: Display) -> Iterator[str]:
    """Return a conversation as indented lines; the one where it failed has a label."""
    style = display.style
    shown, before, after = _shown_part(talk, display)
    steps = max((len(each.step) for each in shown), default=0)
    label = "dialogue"
    if before:
        yield _line(label, style(_hidden(before, "earlier"), "dim"), display)
        label = ""
    for each in shown:
        label = _LABELS[each.failed] or label
        head = f"{each.at_s:8.3f} s  {each.step:>{steps}}  {arrow(each)} "
        room = max(_LEAST_ROOM, display.width - _MARGIN - _LABEL - 1 - len(head))
        text = _text(each, room if display.most_lines is not None else None)
        is_minor = each.kind not in (EntryKind.SENT, EntryKind.RECEIVED, EntryKind.MISSING)
        role = "bad" if each.failed else "dim" if is_minor else ""
        yield _line(label, style(head + text, role) if role else head + text, display)
        label = ""
    if after:
        yield _line("", style(_hidden(after, "later"), "dim"), display)


def _text(message: ShownMessage, room: int | None) -> str:
    """Return a message and the note on it, in `room` cells; the message is cut first."""
    text, note = escape_nonprintable(message.text), note_on(message)
    note = f"{'  ' if text else ''}({note})" if note else ""
    if room is None:
        return text + note
    text = truncate_to_width(text, max(_LEAST_TEXT, room - cells(note)))
    return truncate_to_width(text + note, room)


def _hidden(number: int, which: str) -> str:
    return f"... ({pluralize(number, f'{which} line')}; see --full)"


def _line(label: str, text: str, display: Display) -> str:
    role = "bad" if label == _LABELS[True] else "dim"
    return f"{' ' * _MARGIN}{display.style(label.ljust(_LABEL), role)} {text}".rstrip()
