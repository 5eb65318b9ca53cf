"""What fell short in a run with many failures, gathered, and how one goes on from there.

Pure: events in, lines out. One failure, or a few, speak for themselves: each was shown with its own
command. Bounded, however much falls short.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from harness.events import Judged
from harness.records import Verdict
from harness.report.text import Style, labelled
from harness.words import clip, count_of, shell_line, visible

__all__ = ["Shortfalls", "gist_of"]

_ENOUGH: Final = 4  # fewer are seen at one look, with their own commands
_KINDS: Final = 500  # that are told apart; what comes later is counted in one
_SHOWN: Final = 8
_NAMES: Final = 3
_NO_KIND: Final = "in other ways"
# What makes two messages of one kind differ: where, how much of what, and what stands there.
_PARTICULARS: Final = re.compile(
    r";.*| \([^()]*\)| at byte [\d,]+|, having printed .*|, after [\d,]+ whole values?"
)
# Of what a program ended with, the kind of its exception tells such runs apart.
_RAISED: Final = re.compile(
    r"; (the exit status is \d+, not [^;( ]+).*(; its standard error (?:ends|says): )"
    r"([\w.$]*(?:Error|Exception))\b"
)
_NOTE: Final = re.compile(r" printed( \([^()]*\))(?:\Z|; )")
_INDEX: Final = re.compile(r"/[0-9]+(?=/|\Z)")
_BY_CASE: Final = ("--case", "--deliver", "--subject")


class _Kind:
    """Runs that fell short alike."""

    __slots__ = ("count", "first", "names")

    def __init__(self, first: Judged) -> None:
        self.first = first
        self.count = 0
        self.names: list[str] = []

    def add(self, event: Judged) -> None:
        """One more of them."""
        self.count += 1
        name = f"{event.suite}/{event.case}"
        if len(self.names) <= _NAMES and name not in self.names:
            self.names.append(name)


class Shortfalls:
    """The runs that fell short, by verdict and message."""

    __slots__ = ("_cut", "_deliveries", "_kinds", "_rest", "_subjects", "_suites", "total")

    def __init__(self) -> None:
        self.total = 0
        self._kinds: dict[tuple[str, str, str], _Kind] = {}
        # What stands in the commands of those that fell short: in dicts for their order.
        self._suites: dict[str, None] = {}
        self._subjects: dict[str, None] = {}
        self._deliveries: dict[str, None] = {}
        self._rest: dict[tuple[str, ...], None] = {}
        self._cut = False

    def add(self, event: Judged) -> None:
        """Count one run that fell short."""
        self.total += 1
        key = (event.verdict.value, gist_of(event), event.subject)
        if len(self._kinds) >= _KINDS and key not in self._kinds:
            key = ("", _NO_KIND, "")
        self._kinds.setdefault(key, _Kind(event)).add(event)
        self._deliveries.setdefault(event.delivery)
        if event.evidence is not None and event.evidence.differences_total > 1:
            self._cut = True
        if event.repeat:
            self._note(event.repeat)

    def lines(self, style: Style, width: int) -> Iterator[str]:
        """The kinds, the most frequent first, and commands to go on with; nothing for a few runs,
        which were all shown."""
        if self.total < _ENOUGH:
            return
        yield ""
        yield style(f"{count_of(self.total, 'run')} fell short", "strong")
        found = sorted(self._kinds.items(), key=lambda entry: -entry[1].count)
        across = len({subject for _, _, subject in self._kinds}) > 1
        for (verdict, gist, subject), kind in found[:_SHOWN]:
            whose = f"{visible(subject)}: " if across and subject else ""
            yield from _kind_lines(kind, verdict, f"{whose}{gist}", style, width)
        if len(found) > _SHOWN:
            left = found[_SHOWN:]
            others = f"{sum(kind.count for _, kind in left):,} in {len(left):,} other ways"
            yield style(f"    {others}", "dim")
        yield from self._command_lines(found[0][1].first, style)

    def _note(self, repeat: tuple[str, ...]) -> None:
        """Take a command apart: xtest run SUITE --case NAME [...] [-- COMMAND]."""
        self._suites.setdefault(repeat[2])
        rest: list[str] = []
        words = iter(repeat[3:])
        for word in words:
            if word == "--":
                rest += [word, *words]
            elif word not in _BY_CASE:
                rest.append(word)
            elif word == "--subject":
                self._subjects.setdefault(next(words))
            else:
                next(words)
        self._rest.setdefault(tuple(rest))

    def _command_lines(self, first: Judged, style: Style) -> Iterator[str]:
        if first.repeat:
            yield ""
            yield labelled("one again", shell_line(first.repeat), style)
        if len(self._rest) != 1:
            return  # they were not asked for by one command
        yield labelled("all these", self._again("--failed"), style)
        if self._cut:
            yield labelled("in full", self._again("--failed", "--full"), style)
        yield labelled("as a page", self._again("--failed", "--report", "html=xtest.html"), style)

    def _again(self, *options: str) -> str:
        """The command that makes the runs again that fell short."""
        rest = next(iter(self._rest))
        words = ["xtest", "run", *self._suites, *options]
        if tuple(self._deliveries) != ("plain",):
            words += ["--deliver", ",".join(self._deliveries)]
        for subject in self._subjects:
            words += ["--subject", subject]
        return shell_line((*words, *rest))


def gist_of(event: Judged) -> str:
    """What a failure has in common with others of its kind."""
    evidence = event.evidence
    if evidence is not None and evidence.differences:
        note = _NOTE.search(event.message)
        place = _INDEX.sub("/*", evidence.differences[0].pointer)
        if event.verdict is Verdict.DIFFERS:
            return f"at {visible(place) or 'the whole'}{visible(note[1]) if note else ''}"
    raised = _RAISED.search(event.message)
    if raised is not None:
        return visible("".join(raised.groups()))
    return visible(_PARTICULARS.sub("", event.message))


def _kind_lines(kind: _Kind, verdict: str, gist: str, style: Style, width: int) -> Iterator[str]:
    names = ", ".join(visible(name) for name in kind.names[:_NAMES])
    names += ", ..." if kind.count > len(kind.names[:_NAMES]) else ""
    head = f"{kind.count:>5,}  {verdict}"
    said = f"{head}  {gist}" if verdict else f"{kind.count:>5,}  {gist}"
    if len(said) + len(names) + 2 <= width:
        yield f"{_in_colour(said, verdict, style)}  {style(names, 'dim')}"
        return
    yield _in_colour(clip(said, width), verdict, style)
    yield style(clip(f"       {names}", width), "dim")


def _in_colour(said: str, verdict: str, style: Style) -> str:
    return said.replace(verdict, style(verdict, "bad"), 1) if verdict else said
