"""Update the known failures of a subject by its runs, and format them as TOML. Pure.

Source: docs/known.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from harness.authoring.project_files import toml_key, toml_list, toml_value
from harness.model.case_names import natural
from harness.model.events import RunResult
from harness.model.verdict import Verdict
from harness.project.known_file import KnownCases
from harness.suites.settings import DELIVERY_NAMES, compare_tests, expects, may_pass

_HEAD: Final = (
    "# Known failures of {}. `xtest known` rewrites this file, and keeps `reason` and `link`.\n"
)

_CaseKey = tuple[str, str]  # suite and case


class _Entry(NamedTuple):
    """The entry of a case in the file, in the order of the fields of `KnownCases`."""

    reason: str
    link: str
    verdicts: tuple[Verdict, ...] = ()
    deliveries: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


class AbsentCases(NamedTuple):
    """Listed cases that their suites no longer have, and suites that the project does not have."""

    cases: Collection[_CaseKey]
    suites: Collection[str]


NONE_ABSENT: Final = AbsentCases((), ())


class KnownChange(NamedTuple):
    """A case that is added to the file, fails in another way, or is removed."""

    kind: str  # "new", "renamed", "changed", "passes", "skipped" or "gone"
    suite: str
    case: str
    message: str


def known_changes(
    tables: Iterable[KnownCases],
    runs: Iterable[RunResult],
    reason: str,
    link: str,
    absent: AbsentCases = NONE_ABSENT,
) -> tuple[tuple[KnownCases, ...], list[KnownChange]]:
    """Return the tables updated by the runs of a subject, and the changes.

    Cases that did not run stay as they are, but for those that are gone from their suites. The
    entry of an absent case follows its content into another suite. `reason` and `link` are for new
    entries.
    """
    listed = _ListedCases(tables, absent)
    left = dict(listed.entries)
    contents = dict(listed.contents)
    changes, moved = list[KnownChange](), set[_CaseKey | None]()
    for place, of_case in _by_case(runs).items():
        left.pop(place, None)
        contents[place] = next((run.content for run in of_case if run.content), "")
        origin = listed.find(place, contents[place])
        entry = None if origin is None else listed.entries[origin]
        change = _describe_change(place, origin, of_case, listed)
        if change is not None:
            changes.append(change)
            entry = _updated(entry or _Entry(reason, link), of_case)
        if entry is not None and (change is None or change.kind not in ("passes", "skipped")):
            left[place] = entry
            moved.add(origin)
    changes += _remove_absent(left, absent, moved)
    changes.sort(key=lambda each: (natural(each.suite), natural(each.case)))
    return tuple(_tables_of(left, contents)), changes


def _remove_absent(
    entries: dict[_CaseKey, _Entry], absent: AbsentCases, moved: Collection[_CaseKey | None]
) -> Iterator[KnownChange]:
    """Remove the entries of cases that are gone or moved; yield a change for those that are gone.

    Those of a suite that the project does not have stay unless they moved: it may run elsewhere.
    """
    for origin in moved:
        if origin is not None and origin[0] in absent.suites:
            entries.pop(origin, None)
    for place in absent.cases:
        if entries.pop(place, None) is not None and place not in moved:
            yield KnownChange("gone", *place, "its suite has no such case")


def _by_case(runs: Iterable[RunResult]) -> dict[_CaseKey, list[RunResult]]:
    by_case: dict[_CaseKey, list[RunResult]] = {}
    for run in runs:
        if run.verdict.subject_ran or run.verdict is Verdict.SKIPPED:
            by_case.setdefault((run.suite, run.case), []).append(run)
    return by_case


def _describe_change(
    place: _CaseKey, origin: _CaseKey | None, runs: list[RunResult], listed: _ListedCases
) -> KnownChange | None:
    """Return the change that the runs of a case require, or None.

    `origin` is the place under which it is listed.
    """
    kind, message = _change(runs, None if origin is None else listed.entries[origin])
    if origin is not None and origin != place and kind in ("", "changed"):
        origin_name = origin[1] if origin[0] == place[0] else "/".join(origin)
        kind, message = "renamed", f"listed as {origin_name}"
    elif kind == "new" and place in listed.entries:
        message += " (the case has changed since it was listed)"
    return KnownChange(kind, *place, message) if kind else None


class _ListedCases:
    """The entries of cases, which are found by name or, if a case was renamed, by content."""

    def __init__(self, tables: Iterable[KnownCases], absent: AbsentCases) -> None:
        self.entries: dict[_CaseKey, _Entry] = {}
        self.contents: dict[_CaseKey, str] = {}
        self._places: dict[tuple[str, str], _CaseKey] = {}  # by suite and content
        self._left_places: dict[str, _CaseKey] = {}  # those without a case, by content
        for table in tables:
            entry = _Entry(*(getattr(table, name) for name in _Entry._fields))
            for case in table.cases:
                place = table.suite, case
                self.entries[place] = entry
                if content := (table.contents or {}).get(case, ""):
                    self.contents[place] = content
                    self._places.setdefault((table.suite, content), place)
                    if place in absent.cases or table.suite in absent.suites:
                        self._left_places.setdefault(content, place)

    def find(self, place: _CaseKey, content: str) -> _CaseKey | None:
        """Return the place under which a case is listed, or None."""
        recorded = self.contents.get(place, "")
        if place in self.entries and (not content or recorded in ("", content)):
            return place
        return self._places.get((place[0], content)) or self._left_places.get(content)


def _change(runs: list[RunResult], listed: _Entry | None) -> tuple[str, str]:
    """Return the kind of change that the runs of a case require, and a message; or "" and "".

    `listed` is the present entry of the case, or None.
    """
    failures = [run for run in runs if run.verdict.is_failure]
    if listed is None:
        failed = [run for run in failures if run.failed]
        return ("new", failed[0].message) if failed else ("", "")
    if not failures and runs[0].verdict is Verdict.SKIPPED:
        return "skipped", "not claimed"
    deliveries = _deliveries(runs, listed)
    if not failures and not deliveries:
        return ("", "") if may_pass(listed.verdicts) else ("passes", listed.reason)
    is_other = not all(expects(listed.verdicts, run) for run in failures)
    message = ""
    if set(deliveries) != set(listed.deliveries) or is_other:
        ways = ", ".join(each.value for each in _verdicts(failures) or listed.verdicts)
        message = f"{ways} ({', '.join(deliveries)})" if deliveries else ways
    elif failures and any(compare_tests(listed.tests, tests := _tests(runs))):
        message = f"tests {', '.join(tests)}" if tests else "other tests"
    return ("changed", message) if message else ("", "")


def _updated(entry: _Entry, runs: list[RunResult]) -> _Entry:
    failures = [run for run in runs if run.verdict.is_failure]
    verdicts = _verdicts(failures)
    if may_pass(entry.verdicts):
        verdicts = tuple(each for each in Verdict if each in verdicts or each in entry.verdicts)
    return entry._replace(
        verdicts=verdicts or entry.verdicts,
        deliveries=_deliveries(runs, entry),
        tests=_tests(runs) if failures else entry.tests,
    )


def _tests(runs: list[RunResult]) -> tuple[str, ...]:
    """Return the tests that fail in each failed run, or none if these differ."""
    failed = {run.failed_tests for run in runs if run.verdict.is_failure}
    return failed.pop() if len(failed) == 1 else ()


def _deliveries(runs: list[RunResult], listed: _Entry | None) -> tuple[str, ...]:
    """Return the deliveries with which a case fails; none if it passed with none of them.

    Where a case may pass, that says nothing about a delivery.
    """
    before = set(listed.deliveries) if listed else set[str]()
    passed = {run.delivery for run in runs if run.verdict is Verdict.PASSED}
    failed = {run.delivery for run in runs if run.verdict.is_failure}
    if listed and may_pass(listed.verdicts):
        passed = set()
    if not before and not passed:
        return ()
    now = before - passed | failed
    return tuple(name for name in DELIVERY_NAMES if name in now)


def _verdicts(failures: list[RunResult]) -> tuple[Verdict, ...]:
    """Return the verdicts of failed runs; of flaky ones, those of their runs, also passes."""
    verdicts = {verdict for run in failures for verdict in run.verdicts or (run.verdict,)}
    return tuple(verdict for verdict in Verdict if verdict in verdicts)


def _tables_of(
    entries: Mapping[_CaseKey, _Entry], contents: Mapping[_CaseKey, str]
) -> Iterator[KnownCases]:
    groups: dict[tuple[str, _Entry], list[str]] = {}
    for (suite, case), entry in entries.items():
        groups.setdefault((suite, entry), []).append(case)
    for (suite, entry), cases in groups.items():
        names = tuple(sorted(cases, key=natural))
        recorded = {name: contents.get((suite, name), "") for name in names}
        recorded = {name: content for name, content in recorded.items() if content}
        yield KnownCases(suite, names, *entry, contents=recorded or None)


def known_text(subject: str, tables: Iterable[KnownCases]) -> str:
    ordered = sorted(tables, key=lambda each: (natural(each.suite), natural(each.cases[0])))
    blocks = ("\n".join(("", *_lines(table), "")) for table in ordered)
    return _HEAD.format(subject) + "".join(blocks)


def _lines(table: KnownCases) -> Iterator[str]:
    yield "[[known]]"
    yield f"suite = {toml_value(table.suite)}"
    yield f"cases = {toml_list(table.cases)}"
    yield f"reason = {toml_value(table.reason)}"
    if table.link:
        yield f"link = {toml_value(table.link)}"
    if table.verdicts:
        yield f"verdicts = {toml_list([each.value for each in table.verdicts])}"
    if table.deliveries:
        yield f"deliveries = {toml_list(table.deliveries)}"
    if table.tests:
        yield f"tests = {toml_list(table.tests)}"
    if table.contents:
        yield "[known.contents]"
        for case in sorted(table.contents, key=natural):
            yield f"{toml_key(case)} = {toml_value(table.contents[case])}"
