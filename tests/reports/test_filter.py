"""Reports of some subjects and suites: the events that remain, and counts that fit them."""

from __future__ import annotations

import pytest
from support.events import run, source_of_events
from support.golden import Golden, message_of

from harness.analysis.summary import summary_of
from harness.errors import UsageError
from harness.model.events import (
    Event,
    KnownFailure,
    RunEnded,
    RunFingerprint,
    RunResult,
    RunStarted,
)
from harness.model.suite_info import Audience, SuiteInfo
from harness.model.verdict import Verdict
from harness.reports.filter import ReportFilter, filter_source

BASIS = tuple(
    RunFingerprint(suite, subject, "k") for suite in ("s/a", "b") for subject in ("ada", "bob")
)
ABOUT = (SuiteInfo("s/a", "s/a", cases=3, selected=4), SuiteInfo("b", "b", cases=1, selected=2))
STARTED = RunStarted("0", "2026-01-31T12:00:00Z", ("s/a", "b"), 6, 2, BASIS, 1, suite_infos=ABOUT)
ENDED = RunEnded({}, 0.6, 1, cached=3, resumed=1)


def of(subject: str, suite: str, case: str, verdict: Verdict, **more: object) -> RunResult:
    return run(case, verdict, suite=suite, subject=subject, **more)


ADA = (
    of("ada", "s/a", "1", Verdict.PASSED, cached=True),
    of("ada", "s/a", "2", Verdict.DIFFERS, known=KnownFailure("why")),
    of("ada", "b", "1", Verdict.PASSED),
)
BOB = (
    of("bob", "s/a", "1", Verdict.PASSED, known=KnownFailure("why", holds=False)),
    of("bob", "s/a", "2", Verdict.CRASHED),
    of("bob", "b", "1", Verdict.INVALID_CASE),
)
WHOLE = (STARTED, *BOB, *ADA, ENDED._replace(exit=2))


def filtered(
    *events: Event, subjects: tuple[str, ...] = (), suites: tuple[str, ...] = ()
) -> list[Event]:
    """Return the events that remain, the same each time."""
    source = filter_source(source_of_events(*events), ReportFilter(subjects, suites))
    first = list(source())
    assert list(source()) == first
    return first


def test_a_subject_keeps_its_runs_with_counts_that_fit() -> None:
    # The command line may name other subjects.
    origin = STARTED._replace(host="build-7", command_line=("xtest", "run", "bob"))
    start, *runs, end = filtered(origin, *WHOLE[1:], subjects=("ada",))
    suite_infos = (ABOUT[0]._replace(selected=2), ABOUT[1]._replace(selected=1))
    fingerprints = (BASIS[0], BASIS[2])
    assert start == STARTED._replace(
        runs=3, fingerprints=fingerprints, resumed=0, suite_infos=suite_infos
    )
    assert tuple(runs) == ADA
    counts = {"passed": 2, "differs": 1}
    assert end == RunEnded(counts, 0.6, 0, known={"differs": 1}, resumed=0, cached=1)


def test_staff_see_where_all_subjects_ran_and_students_do_not() -> None:
    origin = STARTED._replace(host="build-7", command_line=("xtest", "run"))
    source = source_of_events(origin, *WHOLE[1:])
    shown = (("build-7", ("xtest", "run")), ("", ()))
    for audience, seen in zip((Audience.STAFF, Audience.STUDENT), shown, strict=True):
        start = next(filter_source(source, ReportFilter(suites=("b",), audience=audience))())
        assert isinstance(start, RunStarted) and (start.host, start.command_line) == seen


@pytest.mark.parametrize("glob", ["s/a", "s/*", "a", "[a]"])
def test_a_suite_matches_by_name_glob_or_last_part(glob: str) -> None:
    start, *runs, end = filtered(*WHOLE, suites=(glob,))
    assert isinstance(start, RunStarted) and isinstance(end, RunEnded)
    assert (start.suites, start.runs, start.suite_infos) == (("s/a",), 4, ABOUT[:1])
    assert tuple(runs) == (*BOB[:2], *ADA[:2])
    assert (end.exit, end.unexpected_pass, end.wall_s) == (1, 1, 0.6)


def test_several_globs_are_combined_and_brackets_match_themselves() -> None:
    assert filtered(*WHOLE) == list(WHOLE)
    assert len(filtered(*WHOLE, subjects=("a*", "bob"))) == len(WHOLE)
    both = filtered(*WHOLE, subjects=("bob",), suites=("b",))
    assert both[1:] == [BOB[2], RunEnded({"invalid-case": 1}, 0.25, 2)]
    odd = of("x[1]", "b", "1", Verdict.PASSED)
    assert filtered(STARTED._replace(fingerprints=()), odd, ENDED, subjects=("x[1]",))[1] == odd


def test_each_subject_has_its_share_of_the_runs_that_were_left() -> None:
    runs = (STARTED, BOB[0], *ADA)
    stopped = ENDED._replace(stopped=True, not_run=4)
    interrupted = stopped._replace(interrupted=True, exit=130)

    def end_for(subject: str, ended: RunEnded) -> tuple[int, int, bool, int]:
        start, *_, end = filtered(*runs, ended, subjects=(subject,))
        assert isinstance(start, RunStarted) and isinstance(end, RunEnded)
        return start.runs, end.not_run, end.stopped, end.exit

    assert end_for("bob", stopped) == (3, 2, True, 1)
    assert end_for("ada", stopped) == (3, 0, False, 0)
    assert end_for("bob", interrupted) == (3, 2, True, 130)
    problem = summary_of(filtered(*runs, subjects=("bob",))).problems[0]
    assert problem.message == "the results end early: 1 of 3 runs judged"


def test_a_glob_without_a_match_is_explained(golden: Golden) -> None:
    events = (STARTED, *ADA, of("z\x1b", "s/a", "1", Verdict.PASSED), ENDED)

    def refusal(globs: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
        source, selected = source_of_events(*events), ReportFilter(*globs)
        return ascii(message_of(UsageError, filter_source, source, selected))[1:-1]

    golden.table("filter.txt", refusal)
