"""What `xtest accept` does: asks the programs, shows what would change, writes what is confirmed.

Talks with the person at the terminal, and writes the suites' files; what may be proposed is decided
in harness/care/acceptance.py. Source: docs/care.md.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from harness.care.acceptance import Layout, Proposal, Refused, change_lines, considered, steady
from harness.care.answers import Asked, Asking, answers, read_cases, schema_check, wanted
from harness.care.wholefile import write_whole
from harness.events import Problem
from harness.records import InvalidCase
from harness.runs.plan import Plan, Target
from harness.runs.session import EXIT_FAULT, EXIT_OK, EXIT_SHORT, Check
from harness.suites.corpus import Suite, read_orphan
from harness.suites.naming import PACKED_FILE, CaseName
from harness.usage import UsageFault
from harness.words import count_of, shell_line, visible

__all__ = ["AcceptOptions", "accept"]


class AcceptOptions(NamedTuple):
    """What `xtest accept` was asked for. Without a layout, each file keeps its own."""

    asking: Asking
    everything: bool = False
    dry_run: bool = False
    missing: bool = False
    full: bool = False
    layout: Layout | None = None


_KEYS: Final = "y: yes, n: no, a: this and all that follow, q: this and all that follow stay"
_INDENT: Final = " " * 4


def accept(options: AcceptOptions, command: tuple[str, ...] | None) -> int:
    """Go through the suites. Returns the exit status: 0 nothing is left to change, 1 something is,
    or a program fell short, 2 the corpus is at fault. Raises UsageFault."""
    if options.everything and options.dry_run:
        raise UsageFault("--all writes, and --dry-run writes nothing: choose one")
    found = wanted(options.asking, command, "accept")
    for target in found.targets:
        if target.suite.packed is not None:
            raise UsageFault(_is_packed(target))
    if found.idle:
        print(f"{found.idle}: nothing to accept")
        return EXIT_OK
    for problem in found.problems:
        _tell_problem(problem)
    check = schema_check([target.suite for target in found.targets])
    session = _Session(options, found.plan, check)
    for target in found.targets:
        session.go_through(target)
    return session.end(faulty=bool(found.problems))


def _is_packed(target: Target) -> str:
    again = shell_line(("xtest", "unpack", target.argument, "-o", "FOLDER"))
    return (
        f"{visible(target.suite.name)}: its cases stand in {PACKED_FILE}, which is not rewritten;"
        f" unpack them ({again}), accept there, and pack them again"
    )


def _tell_problem(problem: Problem) -> None:
    print(f"xtest: {visible(problem.where)}: {visible(problem.message)}", file=sys.stderr)


class _Session:
    """The cases one by one: what became of them, and what the person said last."""

    def __init__(self, options: AcceptOptions, plan: Plan, check: Check | None) -> None:
        self._options = options
        self._plan = plan
        self._check = check
        self._tally: Counter[str] = Counter()
        self._asks = sys.stdin.isatty() and not options.everything and not options.dry_run
        self._writes = options.everything

    def go_through(self, target: Target) -> None:
        """All that a program's answers would change in a suite, in the order of the cases. Nobody
        is asked before all programs have ended: their clocks would run on."""
        asked = self._asked(target)
        found: dict[int, tuple[Asked, Proposal | Refused]] = {}
        for one, seen in answers(asked, target.subject, self._options.asking):
            new, layout = one.is_new, self._options.layout
            came = considered(one.case, seen, self._check, layout=layout, is_new=new)
            if came is None:
                self._tally["unchanged"] += 1
            else:
                found[one.at] = (one, came)
        # What a program prints only once is no expected output.
        proposed = (one for one, came in found.values() if isinstance(came, Proposal))
        for one, seen in answers(list(proposed), target.subject, self._options.asking):
            came = found[one.at][1]
            if isinstance(came, Proposal):
                found[one.at] = (one, steady(came, seen))
        for _, (one, came) in sorted(found.items()):
            self._settle(target.suite, one, came)

    def _asked(self, target: Target) -> Iterator[Asked]:
        for at, name, case in read_cases(self._plan, target):
            orphan = read_orphan(target.suite, name) if isinstance(case, InvalidCase) else None
            if not isinstance(case, InvalidCase):
                yield Asked(at, name, case)
            elif orphan is not None and self._options.missing:
                yield Asked(at, name, orphan, is_new=True)
            else:
                self._tally["invalid"] += 1
                hint = "; --missing writes it" if orphan is not None else ""
                self._tell("invalid", case.suite, case.name, f"{case.reason}{hint}")

    def _settle(self, suite: Suite, one: Asked, came: Proposal | Refused) -> None:
        case = one.case
        if isinstance(came, Refused):
            self._tally["refused"] += 1
            self._tell("refused", case.suite, case.name, came.reason)
            return
        self._tell("new" if came.is_new else "change", case.suite, case.name, came.message)
        for line in change_lines(came, full=self._options.full):
            print(f"{_INDENT}{line}")
        path = _path(suite, one.name)
        if not (self._confirmed(path) if self._asks else self._writes):
            self._tally["not written"] += 1
            return
        why = _write(path, came)
        self._tally["not written" if why else "written"] += 1
        print(f"{_INDENT}{f'not written: {why}' if why else f'written: {visible(str(path))}'}")

    def _confirmed(self, path: Path) -> bool:
        """What the person says; to all that follow, too, once they have said so."""
        while True:
            print(f"{_INDENT}write {visible(str(path))}? [y/n/a/q] ", end="", flush=True)
            line = sys.stdin.readline()
            said = line.strip().lower() if line else "q"
            if said in ("a", "q"):
                self._asks, self._writes = False, said == "a"
            if said in ("y", "yes", "n", "no", "a", "q"):
                return said in ("y", "yes", "a")
            print(f"{_INDENT}{_KEYS}")

    @staticmethod
    def _tell(what: str, suite: str, case: str, message: str) -> None:
        print(f"{what}  {visible(f'{suite}/{case}')}  {visible(message)}")

    def end(self, *, faulty: bool) -> int:
        """The last line, and the exit status."""
        tally = self._tally
        if not tally:
            print("xtest: no case is selected", file=sys.stderr)
            return EXIT_FAULT
        parts = ", ".join(f"{tally[what]:,} {what}" for what in _ENDS if tally[what])
        print(f"{count_of(tally.total(), 'case')}: {parts}")
        if tally["not written"] and not (self._options.dry_run or sys.stdin.isatty()):
            print("nobody is there to confirm: run it on a terminal, or with --all")
        if faulty or tally["invalid"]:
            return EXIT_FAULT
        return EXIT_SHORT if tally["refused"] or tally["not written"] else EXIT_OK


_ENDS: Final = ("unchanged", "written", "not written", "refused", "invalid")


def _path(suite: Suite, name: CaseName) -> Path:
    """The file of a case's expected output, whether or not it is there."""
    (stdin,) = (file for file in suite.files[name] if file.endswith("-in.json"))
    return suite.folder / f"{stdin.removesuffix('in.json')}out.json"


def _write(path: Path, proposal: Proposal) -> str:
    """Write an expected output. Returns why that could not be; the empty text: it is written."""
    try:
        if _bytes_of(path) != (None if proposal.is_new else proposal.case.expected_text):
            return f"{visible(str(path))} was changed in the meantime"
        write_whole(path, lambda file: file.write(proposal.text))
    except OSError as problem:
        return f"{visible(str(path))}: {(problem.strerror or 'cannot be written').lower()}"
    return ""


def _bytes_of(path: Path) -> bytes | None:
    return path.read_bytes() if os.path.lexists(path) else None
