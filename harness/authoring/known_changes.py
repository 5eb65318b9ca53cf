"""Update the known failures of a subject by its runs, and format them as TOML. Pure.

Source: docs/known.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from harness.authoring.project_files import toml_list, toml_value
from harness.model.case_names import natural
from harness.model.events import Judged
from harness.model.verdict import Verdict
from harness.project.known_file import KnownCases
from harness.suites.settings import DELIVERY_NAMES

_HEAD: Final = (
    "# Known failures of {}. `xtest known` rewrites this file, and keeps `reason` and `link`.\n"
)

_CaseKey = tuple[str, str]  # suite and case
_Entry = tuple[str, str, tuple[Verdict, ...], tuple[str, ...]]  # reason, link, and what fails


class KnownChange(NamedTuple):
    """A case that is added to the file, fails in another way, or is removed."""

    kind: str  # "new", "changed", "passes" or "skipped"
    suite: str
    case: str
    message: str


def known_changes(
    tables: Iterable[KnownCases], runs: Iterable[Judged], reason: str, link: str
) -> tuple[tuple[KnownCases, ...], list[KnownChange]]:
    """Return the tables updated by the runs of a subject, and the changes.

    Cases that did not run stay as they are. `reason` and `link` are for new entries.
    """
    old: dict[_CaseKey, _Entry] = {
        (table.suite, case): (table.reason, table.link, table.verdicts, table.deliveries)
        for table in tables
        for case in table.cases
    }
    by_case: dict[_CaseKey, list[Judged]] = {}
    for run in runs:
        if run.verdict.subject_ran or run.verdict is Verdict.SKIPPED:
            by_case.setdefault((run.suite, run.case), []).append(run)
    new, changes = dict(old), []
    for place, of_case in by_case.items():
        listed = old.get(place)
        kind, message = _change(of_case, listed)
        if kind:
            changes.append(KnownChange(kind, *place, message))
        if kind in ("passes", "skipped"):
            del new[place]
        elif kind:
            new[place] = _updated(listed or (reason, link, (), ()), of_case)
    changes.sort(key=lambda each: (natural(each.suite), natural(each.case)))
    return tuple(_tables_of(new)), changes


def _change(runs: list[Judged], listed: _Entry | None) -> tuple[str, str]:
    """Return the kind of change that the runs of a case require, and a message; or "" and "".

    `listed` is the present entry of the case, or None.
    """
    failures = _failures(runs)
    if listed is None:
        failed = [run for run in runs if run.failed and run.verdict is not Verdict.PASSED]
        return ("new", failed[0].message) if failed else ("", "")
    if not failures and runs[0].verdict is Verdict.SKIPPED:
        return "skipped", "not claimed"
    deliveries = _deliveries(runs, listed)
    if not failures and not deliveries:
        return "passes", listed[0]
    if set(deliveries) != set(listed[3]) or (listed[2] and not set(failures) <= set(listed[2])):
        ways = ", ".join(each.value for each in failures or listed[2])
        return "changed", f"{ways} ({', '.join(deliveries)})" if deliveries else ways
    return "", ""


def _updated(entry: _Entry, runs: list[Judged]) -> _Entry:
    reason, link, verdicts, _ = entry
    return reason, link, _failures(runs) or verdicts, _deliveries(runs, entry)


def _deliveries(runs: list[Judged], listed: _Entry | None) -> tuple[str, ...]:
    """Return the deliveries with which a case fails; none if it passed with none of them."""
    before = set(listed[3]) if listed else set[str]()
    passed = {run.delivery for run in runs if run.verdict is Verdict.PASSED}
    failed = {run.delivery for run in runs if run.verdict.is_failure}
    if not before and not passed:
        return ()
    now = before - passed | failed
    return tuple(name for name in DELIVERY_NAMES if name in now)


def _failures(runs: list[Judged]) -> tuple[Verdict, ...]:
    seen = {run.verdict for run in runs}
    return tuple(verdict for verdict in Verdict if verdict.is_failure and verdict in seen)


def _tables_of(entries: Mapping[_CaseKey, _Entry]) -> Iterator[KnownCases]:
    groups: dict[tuple[str, _Entry], list[str]] = {}
    for (suite, case), entry in entries.items():
        groups.setdefault((suite, entry), []).append(case)
    for (suite, entry), cases in groups.items():
        yield KnownCases(suite, tuple(sorted(cases, key=natural)), *entry)


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
