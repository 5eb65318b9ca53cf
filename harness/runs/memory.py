"""The memory of earlier runs: what became of each case, for --failed and --new of the next one.

A small file for each suite and subject, replaced as a run ends; one that cannot be written is done
without. In memory are nine bytes a case of a suite. Source: docs/selecting.md.
"""

from __future__ import annotations

import json
import os
from binascii import crc32
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from harness.events import Judged
from harness.records import Verdict
from harness.runs.plan import Plan, Selection, Target
from harness.suites.corpus import Suite, content_in
from harness.suites.naming import CaseName, case_order
from harness.words import visible

__all__ = ["Memory", "Picked", "memory_folder", "picked"]

_FORMAT: Final = "xtest-memory 1"
_MOVED: Final = "XTEST_CACHE"
# What is known of a case: that it has run, as it was then; that it fell short.
_RAN: Final = 1
_SHORT: Final = 2
_BYTES: Final = 8  # of a fingerprint
# The subject has not been run for these.
_NEVER_RAN: Final = (Verdict.INVALID_CASE, Verdict.NOT_STARTED)


class _Unreadable(Exception):
    """A file that cannot be used; the message says which, and why."""


class Picked(NamedTuple):
    """What memory picks out of a plan: a byte for each case of each target, by its key; of
    suites without a memory that is needed, where and why; and what is said if nothing is picked,
    although there was something to pick from (otherwise empty)."""

    picks: dict[tuple[str, str], bytearray]
    faults: list[tuple[str, str]]
    idle: str


class Memory:
    """Notes what becomes of runs; `write` keeps it for the next time."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._noted: dict[tuple[str, str], tuple[Target, _Past]] = {}  # by the target's key

    def note(self, target: Target, at: int, event: Judged) -> None:
        """Keep what became of a run of the case at this place of its suite."""
        suite = target.suite
        noted = self._noted.get(target.key)
        if noted is None:
            noted = target, _Past(len(suite.names))
            self._noted[target.key] = noted
        noted[1].note(at, event)

    def write(self) -> None:
        """Replace the files of all suites that had runs. What did not run keeps what it had. A file
        that cannot be written is passed over: a run needs no memory."""
        for target, past in self._noted.values():
            place = _place(self._folder, target)
            names = target.suite.names
            if not past.is_whole:
                with suppress(_Unreadable):
                    past.fill(_recalled(place, names))
            with suppress(OSError):
                _write(place, names, past)


def memory_folder(environment: Mapping[str, str]) -> str:
    """Where the files are: $XTEST_CACHE, otherwise xtest in the user's folder for caches."""
    moved = environment.get(_MOVED)
    if moved:
        return moved
    caches = environment.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(caches):  # as its specification has it
        caches = os.path.expanduser("~/.cache")
    return os.path.join(caches, "xtest")


def picked(targets: Collection[Target], plan: Plan, selection: Selection, folder: str) -> Picked:
    """Which runs of a plan are picked by --failed and by --new: what fell short the last time; what
    has never run, or holds something else since."""
    picks = {target.key: bytearray(len(target.suite.names)) for target in targets}
    pasts: dict[tuple[str, str], _Past] = {}
    faults: list[tuple[str, str]] = []
    for target in targets:
        try:
            past = _recalled(_place(folder, target), target.suite.names)
        except _Unreadable as problem:
            past = None
            faults.append((target.suite.name, str(problem)))
        else:
            if past is None and not selection.new:
                faults.append((target.suite.name, _nothing_of(target)))
        pasts[target.key] = past or _Past(len(target.suite.names))
    has_any = False
    for run in plan:
        has_any = True
        past = pasts[run.target.key]
        picks[run.target.key][run.at] = past.picks(run.target.suite, run.name, run.at, selection)
    return Picked(picks, faults, _idle(selection) if has_any and not faults else "")


def _nothing_of(target: Target) -> str:
    return (
        f"--failed: no run of {visible(target.subject.name)} on this suite is remembered; run it"
        " once without --failed"
    )


def _idle(selection: Selection) -> str:
    said = ["nothing fell short the last time"] if selection.failed else []
    said += ["no case is new or changed"] if selection.new else []
    return ", and ".join(said)


class _Past:
    """What is known of the cases of a suite, each by its place."""

    __slots__ = ("contents", "states")

    def __init__(self, size: int) -> None:
        self.states = bytearray(size)
        self.contents = bytearray(_BYTES * size)

    def note(self, at: int, event: Judged) -> None:
        """Keep a run: a case that is run in several ways falls short if one of them does."""
        if event.falls_short:
            self.states[at] |= _SHORT
        if event.content and event.verdict not in _NEVER_RAN:
            self.states[at] |= _RAN
            self.keep_content(at, bytes.fromhex(event.content))

    @property
    def is_whole(self) -> bool:
        """Whether every case has run."""
        return 0 not in self.states and _SHORT not in self.states

    def fill(self, older: _Past | None) -> None:
        """Take from an older one what is not known here."""
        if older is None:
            return
        for at, state in enumerate(self.states):
            if not state:
                self.states[at] = older.states[at]
            if not state & _RAN:
                # What could not be started this time may have run before.
                self.states[at] |= older.states[at] & _RAN
                self.keep_content(at, older.content(at))

    def picks(self, suite: Suite, name: CaseName, at: int, selection: Selection) -> bool:
        """Whether a case is one that is asked for."""
        state = self.states[at]
        if selection.failed and state & _SHORT:
            return True
        if not selection.new:
            return False
        return not state & _RAN or content_in(suite, name, at) != self.content(at).hex()

    def content(self, at: int) -> bytes:
        """The fingerprint of a case when it ran."""
        return bytes(self.contents[_BYTES * at : _BYTES * (at + 1)])

    def keep_content(self, at: int, content: bytes) -> None:
        """Set it."""
        self.contents[_BYTES * at : _BYTES * (at + 1)] = content


# Files. After a line that says whose memory it is, a line for each case, in the suite's order:
# the state, the fingerprint, the name.


class _Place(NamedTuple):
    """A file, and its first line."""

    file: str
    header: str


class _Entry(NamedTuple):
    """A line: a case, and what is known of it."""

    name: CaseName
    state: int
    content: bytes


def _place(folder: str, target: Target) -> _Place:
    # A command of the user's means what it means in his folder only.
    where: object = "" if target.is_default_subject else os.getcwd()
    if target.subject.setting is not None:
        where = target.subject.setting
    suite = os.path.realpath(target.suite.folder)
    header = json.dumps([_FORMAT, suite, where, target.subject.command])
    whole = header.encode()
    # Two that have one file by chance take turns: the header tells them apart.
    name = f"{crc32(whole):08x}{crc32(whole[::-1]):08x}"
    return _Place(os.path.join(folder, name), header)


def _recalled(place: _Place, names: Collection[CaseName]) -> _Past | None:
    """What a file says of these cases; None: it is not there, or another's. Raises _Unreadable."""
    try:
        with open(place.file, "rb") as lines:
            if lines.readline() != f"{place.header}\n".encode():
                return None
            return _aligned(map(_entry, lines), names)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        why = (problem.strerror or "cannot be read").lower()
        raise _Unreadable(f"{visible(place.file)}: {why}") from None
    except ValueError:
        said = f"{visible(place.file)}: not a memory of xtest; remove it"
        raise _Unreadable(said) from None


def _aligned(entries: Iterator[_Entry], names: Collection[CaseName]) -> _Past:
    """Entries by the places that their cases have now. Both are in natural order, so that neither
    has to be kept; what is no case any more is left out."""
    past = _Past(len(names))
    entry = next(entries, None)
    for at, name in enumerate(names):
        while entry is not None and entry.name != name:
            if case_order(entry.name) > case_order(name):
                break
            entry = next(entries, None)
        if entry is not None and entry.name == name:
            past.states[at] = entry.state
            past.keep_content(at, entry.content)
            entry = next(entries, None)
    return past


def _entry(line: bytes) -> _Entry:
    """Raises ValueError where a line is none of ours."""
    state, content, name = line.decode("ascii").removesuffix("\n").split(" ", 2)
    text = name.encode().decode("unicode_escape") if "\\" in name else name
    prefix, _, number = text.rpartition("-")
    fingerprint = bytes.fromhex(content)
    if len(fingerprint) != _BYTES:
        raise ValueError("a fingerprint of another size")
    return _Entry(CaseName(prefix, int(number)), int(state) & (_RAN | _SHORT), fingerprint)


def _write(place: _Place, names: Collection[CaseName], past: _Past) -> None:
    """Replace a file as a whole. Raises OSError."""
    os.makedirs(os.path.dirname(place.file), mode=0o700, exist_ok=True)
    ours = f"{place.file}.{os.getpid()}"
    try:
        with open(ours, "wb") as file:
            file.write(f"{place.header}\n".encode())
            digits, width = past.contents.hex(), 2 * _BYTES
            file.writelines(
                b"%d %b %b" % (state, digits[at * width : (at + 1) * width].encode(), _label(name))
                for at, (name, state) in enumerate(zip(names, past.states, strict=False))
                if state
            )
        os.replace(ours, place.file)
    finally:
        with suppress(OSError):
            os.unlink(ours)


def _label(name: CaseName) -> bytes:
    """A name as the end of a line of ASCII; most are that already."""
    if not name.prefix:
        return b"%d\n" % name.number
    text = name.text
    if text.isascii() and text.isprintable() and "\\" not in text:
        return f"{text}\n".encode()
    return text.encode("unicode_escape") + b"\n"
