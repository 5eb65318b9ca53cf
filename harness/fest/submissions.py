"""Read the suites that teams submit, without trusting them, under the settings of the staff.

Only the files of cases count. Their settings come from the folder of the fest, so that no team
decides how its cases are judged. Whatever a folder contains, a broken case gets a reason; it
never raises an exception.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from harness.errors import os_reason
from harness.jsonio.decoder import Json
from harness.model.case import Case, InputKind, listed_outputs, stream_text
from harness.model.case_names import PACKED_FILE, SETTINGS_FILE
from harness.suites.cases import BrokenCase, load_case
from harness.suites.loading import Suite, files_by_case
from harness.suites.packed import PackedFile
from harness.suites.settings import SuiteSettings
from harness.text import escape_nonprintable, pluralize

# Returns the fault of a case, by the values of its input, or "" if it has none.
SubmissionCheck = Callable[[Case, list[Json]], str]


class SubmissionRules(NamedTuple):
    settings: SuiteSettings
    max_cases: int
    max_bytes: int
    check: SubmissionCheck


class Submission(NamedTuple):
    """A submitted case with canonical texts, or the reason why it cannot be used."""

    name: str
    case: Case | None
    reason: str = ""


def read_submissions(
    team: str, folder: Path, rules: SubmissionRules
) -> tuple[list[Submission], str]:
    """Return the cases of a team in natural order, and what is wrong with its folder, or ""."""
    if folder.is_symlink():
        return [], "its folder of cases is a symbolic link"
    try:
        with os.scandir(folder) as entries:
            by_name = {entry.name: entry for entry in entries}
        packed = _packed(by_name.get(PACKED_FILE), folder, rules)
    except OSError as problem:
        return [], f"its folder of cases cannot be read: {os_reason(problem)}"
    if isinstance(packed, str):
        return [], packed
    files = files_by_case(by_name)
    if packed is not None and files:
        return [], f"cases both in {PACKED_FILE} and in files; only one is allowed"
    suite = Suite(team, folder, rules.settings, files, packed=packed)
    is_ignored = f"{SETTINGS_FILE} is not read: the one beside fest.toml applies to all"
    note = is_ignored if SETTINGS_FILE in by_name else "" if suite.names else "no cases"
    return list(_submissions(suite, by_name, rules)), note


def _packed(
    entry: os.DirEntry[str] | None, folder: Path, rules: SubmissionRules
) -> PackedFile | str | None:
    if entry is None:
        return None
    if not entry.is_file(follow_symlinks=False):
        return f"{PACKED_FILE} is not a regular file"
    # Escapes take up to 6 bytes of a line for a byte of a case.
    most = 8 * rules.max_cases * rules.max_bytes
    if entry.stat(follow_symlinks=False).st_size > most:
        return f"{PACKED_FILE} has more than {most:,} bytes"
    return PackedFile(folder / PACKED_FILE)


def _submissions(
    suite: Suite, entries: Mapping[str, os.DirEntry[str]], rules: SubmissionRules
) -> Iterator[Submission]:
    for at, name in enumerate(suite.names):
        shown = name.text
        if at >= rules.max_cases:
            yield Submission(
                shown, None, f"more than {pluralize(rules.max_cases, 'case')} (max_cases)"
            )
            continue
        reason = _unusable([entries[file] for file in suite.files.get(name, ())], rules)
        case = None
        if not reason:
            try:
                case, input_values = load_case(suite, name, at)
                if case.is_talk:
                    yield Submission(shown, None, "dialogues cannot be submitted")
                    continue
                is_too_large = len(case.stdin) + len(case.expected_text) > rules.max_bytes
                reason = _too_large(rules) if is_too_large else rules.check(case, input_values)
                case = _canonical(case, input_values)
            except BrokenCase as problem:
                reason = str(problem)
            except OSError as problem:
                reason = os_reason(problem)
        yield Submission(shown, None if reason else case, reason)


def _unusable(entries: list[os.DirEntry[str]], rules: SubmissionRules) -> str:
    size = 0
    for entry in entries:
        shown = escape_nonprintable(entry.name)
        if entry.is_symlink():
            return f"{shown} is a symbolic link"
        if not entry.is_file(follow_symlinks=False):
            return f"{shown}: not a regular file"
        size += entry.stat(follow_symlinks=False).st_size
    return _too_large(rules) if size > rules.max_bytes else ""


def _too_large(rules: SubmissionRules) -> str:
    return f"more than {rules.max_bytes:,} bytes (max_bytes)"


def _canonical(case: Case, input_values: list[Json]) -> Case:
    """Return a case in canonical text, so that equal JSON values give equal bytes."""
    if case.kind is not InputKind.RAW:
        case = case._replace(stdin=canonical_text(input_values))
    return case._replace(expected_text=canonical_text(listed_outputs(case)))


def canonical_text(values: list[Json] | list[list[Json]]) -> bytes:
    """Return values as lines of JSON without white space, members in the order of their names."""
    return stream_text([_in_order(value) for value in values])


def _in_order(value: Json | list[Json]) -> Json:
    """Return a value with the members of each object in the order of their names.

    Does not recurse: a value may have any depth.
    """
    root: list[Json] = [value]
    waiting: list[list[Json] | dict[str, Json]] = [root]
    while waiting:
        container = waiting.pop()
        places = container.items() if isinstance(container, dict) else enumerate(container)
        for place, part in list(places):
            if isinstance(part, dict):
                inner: list[Json] | dict[str, Json] = {name: part[name] for name in sorted(part)}
            elif isinstance(part, list):
                inner = [*part]
            else:
                continue
            container[place] = inner  # type: ignore[call-overload, index]  # its own place
            waiting.append(inner)
    return root[0]
