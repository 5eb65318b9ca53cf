"""Documents of some subjects and suites alone: what is told, and how it is counted."""

from __future__ import annotations

import pytest
from told_events import run, source_of_events

from harness.about import About
from harness.documents.choosing import Choice, chosen_of
from harness.documents.formats import document_of
from harness.documents.summary import summary_of
from harness.events import (
    Basis,
    DeliveriesDiffer,
    Event,
    Judged,
    Known,
    Problem,
    RunEnded,
    RunStarted,
)
from harness.records import Verdict
from harness.usage import UsageFault

BASIS = tuple(Basis(suite, subject, "k") for suite in ("s/a", "b") for subject in ("ada", "bob"))
ABOUT = (About("s/a", "s/a", cases=3, selected=4), About("b", "b", cases=1, selected=2))
STARTED = RunStarted(
    "0.1.0", "2026-01-31T12:00:00Z", ("s/a", "b"), 6, 2, BASIS, resumed=1, about=ABOUT
)
ENDED = RunEnded({}, 0.6, 1, cached=3, resumed=1)


def of(subject: str, suite: str, case: str, verdict: Verdict, **more: object) -> Judged:
    """A run of one of them."""
    return run(case, verdict, suite=suite, subject=subject, **more)


ADA = (
    of("ada", "s/a", "1", Verdict.PASSED, cached=True),
    of("ada", "s/a", "2", Verdict.DIFFERS, known=Known("why")),
    of("ada", "b", "1", Verdict.PASSED),
)
BOB = (
    of("bob", "s/a", "1", Verdict.PASSED, known=Known("why", holds=False)),
    of("bob", "s/a", "2", Verdict.CRASHED),
    of("bob", "b", "1", Verdict.INVALID_CASE),
)
WHOLE = (STARTED, *BOB, *ADA, ENDED._replace(exit=2))


def told(
    *events: Event, subjects: tuple[str, ...] = (), suites: tuple[str, ...] = ()
) -> list[Event]:
    """What is left of events; the same each time."""
    source = chosen_of(source_of_events(*events), Choice(subjects, suites))
    first = list(source())
    assert list(source()) == first
    return first


def test_a_subject_has_its_own_runs_and_counts_that_fit() -> None:
    start, *runs, end = told(*WHOLE, subjects=("ada",))
    assert start == STARTED._replace(
        runs=3,
        basis=(BASIS[0], BASIS[2]),
        resumed=0,
        about=(ABOUT[0]._replace(selected=2), ABOUT[1]._replace(selected=1)),
    )
    assert tuple(runs) == ADA
    assert end == RunEnded(
        {"passed": 2, "differs": 1}, 0.6, 0, known={"differs": 1}, resumed=0, cached=1
    )


def test_a_suite_is_meant_by_its_name_a_glob_or_its_last_part() -> None:
    for glob in ("s/a", "s/*", "a", "[a]"):
        start, *runs, end = told(*WHOLE, suites=(glob,))
        assert isinstance(start, RunStarted) and isinstance(end, RunEnded)
        assert (start.suites, start.runs, start.about) == (("s/a",), 4, ABOUT[:1])
        assert tuple(runs) == (*BOB[:2], *ADA[:2])
        assert (end.exit, end.outgrown, end.wall_s) == (1, 1, 0.6)
    assert told(*WHOLE, subjects=("bob",), suites=("b",))[1:] == [
        BOB[2],
        RunEnded({"invalid-case": 1}, 0.25, 2),
    ]


def test_without_a_choice_all_is_told() -> None:
    assert told(*WHOLE) == list(WHOLE)


def test_a_glob_may_mean_several_and_a_name_with_brackets_means_itself() -> None:
    assert len(told(*WHOLE, subjects=("a*", "bob"))) == len(WHOLE)
    odd = of("x[1]", "b", "1", Verdict.PASSED)
    assert told(STARTED._replace(basis=()), odd, ENDED, subjects=("x[1]",))[1] == odd


def test_what_was_told_of_others_is_left_out() -> None:
    kept = (
        DeliveriesDiffer("s/a/1", "ada", 1, 2, "m"),
        Problem("xtest", "a loss"),
        Problem("xtest.toml: [subjects.ada] suites", "idle"),
        Problem("no-suite", "cannot be read"),
    )
    others = (
        DeliveriesDiffer("s/a/1", "bob", 1, 2, "m"),
        DeliveriesDiffer("b/1", "ada", 1, 2, "m"),
        Problem("b", "suite.toml: no such case"),
        Problem("xtest.toml: [subjects.bob] suites", "idle"),
    )
    found = told(STARTED, *others, *kept, *ADA, ENDED, subjects=("ada",), suites=("a",))
    assert found[1:-1] == [*kept, *ADA[:2]]
    end = found[-1]
    assert isinstance(end, RunEnded) and end.exit == 2
    (end,) = told(STARTED, Problem("b", "x"), *ADA, ENDED, suites=("a",))[-1:]
    assert isinstance(end, RunEnded) and end.exit == 0


def test_of_a_run_that_ended_early_each_has_its_share_of_what_was_not_run() -> None:
    stopped = ENDED._replace(stopped=True, not_run=4)
    events = (STARTED, BOB[0], *ADA, stopped)
    start, *_, end = told(*events, subjects=("bob",))
    assert isinstance(start, RunStarted) and isinstance(end, RunEnded)
    assert (start.runs, end.not_run, end.stopped, end.exit) == (3, 2, True, 1)
    end = told(*events, subjects=("ada",))[-1]
    assert isinstance(end, RunEnded)
    assert (end.not_run, end.stopped, end.exit) == (0, False, 0)
    end = told(*events[:-1], stopped._replace(interrupted=True, exit=130), subjects=("bob",))[-1]
    assert isinstance(end, RunEnded) and (end.exit, end.not_run) == (130, 2)
    # Killed: there is no end.
    cut_off = chosen_of(source_of_events(*events[:-1]), Choice(subjects=("bob",)))
    (trouble,) = summary_of(cut_off()).troubles
    assert trouble.message == "the results end early: of 3 runs, 1 were judged"


def test_a_run_that_has_nothing_of_it_is_left_out() -> None:
    alone = STARTED._replace(suites=("b",), basis=(), about=())
    theirs = (alone, Problem("xtest", "theirs"), BOB[2], ENDED)
    ours = (alone, ADA[2], ENDED)
    assert told(*theirs, *ours, subjects=("ada",)) == told(*ours, subjects=("ada",))


def test_gradescope_has_a_file_for_one_subject_of_many() -> None:
    source = chosen_of(source_of_events(*WHOLE), Choice(subjects=("ada",)))
    document = "".join(document_of("gradescope")(source))
    assert "not run" not in document
    assert '"score": 3, "max_score"' not in document
    assert '\n  "score": 3,' in document


@pytest.mark.parametrize(
    ("subjects", "suites", "said"),
    [
        (
            ("adda",),
            (),
            '--subject "adda": no subject of these results has this name; did you mean "ada"?',
        ),
        (
            ("x\x1b*",),
            (),
            '--subject "x\\x1b*": no subject of these results has this name;'
            " known: ada, bob, z\\x1b",
        ),
        (("ada",), ("c",), '--suite "c": no suite of these results has this name; known: b, s/a'),
        (
            ("z*",),
            ("b",),
            '--subject "z*" --suite "b": in these results, nothing was run of both',
        ),
    ],
)
def test_what_means_nothing_is_told(
    subjects: tuple[str, ...], suites: tuple[str, ...], said: str
) -> None:
    strange = of("z\x1b", "s/a", "1", Verdict.PASSED)
    with pytest.raises(UsageFault) as caught:
        chosen_of(source_of_events(STARTED, *ADA, strange, ENDED), Choice(subjects, suites))
    assert str(caught.value) == said


def test_of_a_run_without_anything_no_name_is_known() -> None:
    with pytest.raises(UsageFault, match='^--subject "a": no subject of these results has this na'):
        chosen_of(source_of_events(Problem("x", "y")), Choice(("a",)))
