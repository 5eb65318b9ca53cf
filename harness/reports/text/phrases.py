"""Phrase what reports say about runs: a headline, remarks, and the use of a limit. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from harness.analysis.matrix import Matrix
from harness.analysis.summary import Group, Groups, Summary
from harness.model.events import KnownFailure, LimitUse, RunResult
from harness.model.exit_codes import ExitCode
from harness.model.limits import Limit
from harness.model.tally import RunTally, is_unexpected_pass
from harness.text import escape_nonprintable, format_number, pluralize


def headline(summary: Summary) -> str:
    """Return the result in one line without a period, and without the reason if nothing was run."""
    is_withheld = any(each.withheld for each in summary.starts)
    total = summary.total
    if not total.runs:
        nothing = "nothing that may be shown" if is_withheld else "nothing"
        return f"{nothing} was run{not_claimed(total.skipped)}"
    line = f"all {total.passed:,} passed"
    if total.passed < total.runs or total.runs == 1 or summary.not_run:
        counts = ((total.failed, "failed"), (total.broken, "broken"))
        others = ", ".join(f"{number:,} {name}" for number, name in counts if number)
        line = f"{total.passed:,} of {total.runs:,} passed{': ' if others else ''}{others}"
    line += f"{tests_passed(total, summary.counts.unit)}{not_claimed(total.skipped)}"
    line += f"; {pluralize(total.known, 'known failure')}" if total.known else ""
    line += f"; {pluralize(summary.not_run, 'case')} not run" if summary.not_run else ""
    line += partial_note(summary.matrix, summary.not_run)
    line += "; other cases are not shown" if is_withheld else ""
    if summary.exit in (ExitCode.OK, ExitCode.FAILED) or total.passed + total.known < total.runs:
        return line
    return f"{line}, but there were problems"


def format_time(moment: str) -> str:
    """Return a moment of an event for people: 2026-01-31 12:00:00 UTC."""
    return escape_nonprintable(moment).replace("T", " ").replace("Z", " UTC")


def partial_note(matrix: Matrix, told: int = 0) -> str:
    """Return a remark on the cases that were not run, but for the `told` ones, and on suites of
    which subjects ran different versions, or ""."""
    left = matrix.all_left_out - told
    note = f"; {pluralize(left, 'case')} not selected" if left > 0 else ""
    mixed = ", ".join(map(escape_nonprintable, matrix.mixed_suites))
    return f"{note}; not comparable: runs on different versions of {mixed}" if mixed else note


def known_note(event: RunResult) -> str:
    """Return a remark to follow the reason of a known failure if the run failed differently."""
    known = event.known
    if known is None or known.holds or is_unexpected_pass(event):
        return ""
    mismatch = escape_nonprintable(known.mismatch)
    return f" (not this failure: {mismatch})" if mismatch else " (not this failure)"


def not_claimed(skipped: int) -> str:
    """Return a remark on the cases that were skipped, or ""."""
    return f"; {skipped:,} not claimed" if skipped else ""


def tests_passed(tally: RunTally, unit: str) -> str:
    """Return a remark on the tests that passed, or "" if no suite counts them."""
    if not tally.has_tests:
        return ""
    tests = pluralize(tally.tests, "test")
    return (
        f"; {tally.tests_passed:,} of {tests} in {pluralize(tally.tested, unit.removesuffix('s'))}"
    )


def reason_and_link(known: KnownFailure) -> str:
    return f"{known.reason}, {known.link}" if known.link else known.reason


def shorten_groups(groups: Sequence[Group], most: int | None) -> tuple[Sequence[Group], str]:
    """Return the groups, only those with failures if there are more than `most`, and a note."""
    failed = [group for group in groups if group.failed or group.broken or group.not_run]
    left_out = len(groups) - len(failed)
    if most is None or len(groups) <= most or not left_out:
        return groups, ""
    note = f"left out: {pluralize(left_out, 'row')} without failures"
    subjects = {group.subject for group in groups}
    if len(subjects) > 1:
        clean = len(subjects - {group.subject for group in failed})
        note += f"; {clean:,} of {len(subjects):,} subjects have none"
    return failed, note


def near_limits(counts: Groups) -> str:
    """Return a line about the runs that used more than half of a limit, or ""."""
    if not counts.near_limits:
        return ""
    shown = ", ".join(
        escape_nonprintable(f"{near.case} {format_use(near.use)}") for near in counts.nearest
    )
    more = ", ..." if counts.near_limits > len(counts.nearest) else ""
    return f"{pluralize(counts.near_limits, 'run')} used more than half of a limit: {shown}{more}"


def format_use(use: LimitUse) -> str:
    """Return how much of a limit was used, such as "4.1 s of 5 s"."""
    unit = "s" if use.limit.endswith("_s") else "MiB"
    used = format_number(float(f"{use.used:.2g}"))
    name = "" if use.limit == Limit.WALL.value else f" ({use.limit})"
    return f"{used} {unit} of {format_number(use.allowed)} {unit}{name}"
