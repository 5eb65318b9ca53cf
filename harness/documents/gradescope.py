"""Gradescope's results.json: a test a case, with its points, and with what its student may see.

Pure. What is shown of a case stands in its own test and nowhere else, as Gradescope hides tests
one by one. Source: the autograder specifications of gradescope-autograders.readthedocs.io, and
docs/howto/gradescope.md on who scores what.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import groupby
from typing import Any, Final, NamedTuple

from harness.about import About
from harness.documents.order import Order
from harness.documents.points import Purse, Worths, decimals_for, worths_of
from harness.documents.source import NoReport, Source
from harness.documents.summary import Outcome, Summary, outcome_of, summary_of
from harness.events import Bytes, Event, Judged, RunStarted
from harness.records import Verdict, Visibility
from harness.report.text import PLAIN, Look, failure_lines
from harness.words import clip, count_of, cut, visible

__all__ = ["document"]

_WIDTH: Final = 160
_LINES: Final = 60  # of differences
_NAME: Final = 200  # characters of a name
_OUTPUT: Final = 20_000  # of what is shown of a test
_WHOLE: Final = 4_096  # bytes of an input that is shown as it is
_ALL_OUTPUT: Final = 4_000_000  # of all tests; whoever fails more has enough to read
_LEAST: Final = 200  # of what is shown of a test when there is no more room
_INTERRUPTED: Final = 130
_KEPT_BACK: Final = "H"  # in front of the numbers of cases that are not visible at once
_SUBJECTS: Final = 3  # that a message names


def document(source: Source) -> Iterator[str]:
    """The pieces of a results.json. Raises NoReport where more than one subject was run: Gradescope
    grades one submission."""
    order = Order()
    starts: list[RunStarted] = []
    summary = summary_of(_noting(starts, order.noting(source())))
    _refuse_several(summary)
    grading = _Grading(starts, order.runs(source))
    yield '{\n  "tests": ['
    comma = ""
    for test in grading.tests():
        yield f"{comma}\n    {json.dumps(test)}"
        comma = ","
    yield "\n  ]"
    for name, value in _of_the_whole(summary, grading).items():
        yield f',\n  "{name}": {json.dumps(value)}'
    yield "\n}\n"


def _noting(starts: list[RunStarted], events: Iterator[Event]) -> Iterator[Event]:
    """The events as they are; where a run starts, that is noted."""
    for event in events:
        if isinstance(event, RunStarted):
            starts.append(event)
        yield event


def _refuse_several(summary: Summary) -> None:
    subjects = list(dict.fromkeys(group.subject for group in summary.groups))
    if len(subjects) > 1:
        names = ", ".join(clip(visible(name), _NAME) for name in subjects[:_SUBJECTS])
        names += ", ..." if subjects[_SUBJECTS:] else ""
        raise NoReport(
            f"there are results of {len(subjects):,} subjects ({names}), and Gradescope grades one"
            " submission; choose one with --subject"
        )


class _Place(NamedTuple):
    """Of a test: its number, when it is shown, and what it is worth, in steps."""

    number: str
    visibility: Visibility
    steps: int


class _Grading:
    """The tests of a run, and what is known of them when they have been told."""

    def __init__(self, starts: list[RunStarted], runs: Iterator[Judged]) -> None:
        self._runs = runs
        self._is_one = len(starts) == 1
        # The last one that speaks of a suite has the last word.
        about = {each.suite: each for start in starts for each in start.about}
        names = dict.fromkeys(suite for start in starts for suite in start.suites)
        self._suites = {name: worths_of(about.get(name, About(name, ""))) for name in names}
        self._decimals = decimals_for(self._suites.values())
        self._room = _ALL_OUTPUT
        self.score = 0  # in steps of so many decimals
        self.shown = 0  # cases that are visible at once, and those of them that passed
        self.passed = 0
        self.excused = 0  # of them, those that could not be judged
        self.visibilities: set[Visibility] = set()

    def points(self, steps: int) -> float | int:
        """Steps as points: the number in which they are said."""
        number: int = 10**self._decimals
        return steps / number if steps % number else steps // number

    def tests(self) -> Iterator[dict[str, Any]]:
        """All tests, in natural order of suites and cases; then those that were not run."""
        left = dict(self._suites)
        suites = groupby(self._runs, key=lambda event: event.suite)
        for place, (suite, events) in enumerate(suites, start=1):
            worths = left.pop(suite, None) or worths_of(About(suite, ""))
            prefix = f"{place}." if len(self._suites) > 1 else ""
            yield from self._tests_of(worths, events, prefix)
        for worths in left.values():
            yield from self._tests_of(worths, iter(()), "")

    def _tests_of(
        self, worths: Worths, events: Iterator[Judged], prefix: str
    ) -> Iterator[dict[str, Any]]:
        purse = Purse(self._decimals)
        due, counts = Fraction(0), Counter[str]()
        for case, group in groupby(events, key=lambda event: event.case):
            worth, visibility = worths.of(case), worths.visibility(case)
            due += worth
            # By themselves: a gap would tell how many there are.
            mark = "" if visibility is Visibility.VISIBLE else _KEPT_BACK
            counts[mark] += 1
            place = _Place(f"{prefix}{mark}{counts[mark]}", visibility, purse.deal(worth))
            yield self._test(list(group), place)
        yield from self._not_run(worths, counts.total(), due, purse)

    def _test(self, runs: list[Judged], place: _Place) -> dict[str, Any]:
        scoring = sum(map(_scores, runs))
        # Downwards: all of it is for those who passed all of it.
        scored = place.steps * scoring // len(runs)
        self._count(runs, place.visibility, scored)
        test: dict[str, Any] = {
            "number": place.number,
            "name": cut(visible(f"{runs[0].suite}/{runs[0].case}"), _NAME),
            "score": self.points(scored),
            "max_score": self.points(place.steps),
            "status": "passed" if scoring == len(runs) else "failed",
            "visibility": place.visibility.value,
        }
        if said := "\n".join(_told(runs)):
            test["output"] = cut(said, min(_OUTPUT, max(self._room, _LEAST)))
            self._room -= len(test["output"])
        if runs[0].tags:
            test["tags"] = [cut(visible(tag), _NAME) for tag in runs[0].tags]
        return test

    def _count(self, runs: list[Judged], visibility: Visibility, scored: int) -> None:
        self.score += scored
        self.visibilities.add(visibility)
        if visibility is Visibility.VISIBLE:
            self.shown += 1
            self.passed += all(run.verdict is Verdict.PASSED for run in runs)
            self.excused += any(outcome_of(run) is Outcome.BROKEN for run in runs)

    def _not_run(
        self, worths: Worths, run: int, due: Fraction, purse: Purse
    ) -> Iterator[dict[str, Any]]:
        """What stands for the cases that were to be run, and were not; `run` of them were, which
        are worth what is `due`. How many are left would tell of those that are not shown."""
        about = worths.about
        # Of several runs, nobody knows which of the cases are the same.
        left = min(about.selected, about.cases) - run if self._is_one else 0
        if left <= 0:
            return
        rest = worths.whole - due if about.selected >= about.cases else left * worths.share
        visibility = Visibility.VISIBLE if worths.is_open else Visibility.HIDDEN
        self.visibilities.add(visibility)
        yield {
            "name": cut(visible(f"{worths.about.suite}: not run"), _NAME),
            "score": 0,
            "max_score": self.points(purse.deal(max(rest, Fraction(0)))),
            "status": "failed",
            "visibility": visibility.value,
            "output": f"{count_of(left, 'case')} not run: a case that is not run scores nothing",
        }


def _scores(run: Judged) -> bool:
    """Whether a run scores: it passed; or it fell short as suite.toml says it does; or it could not
    be judged, which is nothing that the student did."""
    return run.verdict is Verdict.PASSED or outcome_of(run) is not Outcome.FAILED


# What a student is told.


def _told(runs: list[Judged]) -> Iterator[str]:
    """What there is to say of a case: nothing where it just passed. What fell short first is told
    in full."""
    short = [run for run in runs if run.verdict is not Verdict.PASSED]
    if short and len(runs) > 1:
        yield f"{len(runs) - len(short)} of {len(runs)} ways of feeding the input passed"
    full = True
    for alike in _alike(short):
        run = alike[0]
        ways = ", ".join(visible(each.delivery) for each in alike)
        yield f"{run.verdict.value}{f' ({ways})' if len(runs) > 1 else ''}: {visible(run.message)}"
        outcome = outcome_of(run)
        if outcome is Outcome.BROKEN:
            yield "This case could not be judged, through no fault of yours: its points are given."
        elif outcome is Outcome.KNOWN:
            yield "This is known, and does not count against you: its points are given."
        elif full:
            full = False
            yield from _details(run)


def _alike(runs: list[Judged]) -> Iterable[list[Judged]]:
    """Runs of which there is the same to say, by the first of them."""
    groups: dict[tuple[Verdict, str, Outcome], list[Judged]] = {}
    for run in runs:
        groups.setdefault((run.verdict, run.message, outcome_of(run)), []).append(run)
    return groups.values()


def _details(run: Judged) -> Iterator[str]:
    # The command that repeats it is one for the machine that graded.
    own = run._replace(repeat=())
    # Behind the empty line and the head, of which more has been said.
    yield from list(failure_lines(own, PLAIN, _WIDTH, Look(_LINES)))[2:]
    if run.evidence is not None:
        yield from _whole_input(run.evidence.stdin)


def _whole_input(stdin: Bytes) -> Iterator[str]:
    """An input that has no room in one line, so that it can be tried at home."""
    text = stdin.data.decode("utf-8", "backslashreplace")
    is_short = len(text) < _WIDTH // 2 and "\n" not in text.rstrip("\n")
    if is_short or stdin.is_cut or stdin.total > _WHOLE:
        return
    yield "The whole input:"
    yield from (visible(line) for line in text.splitlines())


def _of_the_whole(summary: Summary, grading: _Grading) -> dict[str, Any]:
    """The members beside the tests, for when all tests have been told."""
    visibilities = grading.visibilities
    common = next(iter(visibilities)) if len(visibilities) == 1 else Visibility.VISIBLE
    return {
        "score": grading.points(grading.score),
        "execution_time": summary.wall_s,
        "output": "\n".join(_heading(summary, grading)),
        # Of what a program printed, nothing may be read as HTML.
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": common.value,
        # It has all the cases, also those that are hidden.
        "stdout_visibility": Visibility.HIDDEN.value,
        "extra_data": {"xtest": summary.xtest},
    }


def _heading(summary: Summary, grading: _Grading) -> Iterator[str]:
    """What stands above all tests, and is always shown: of what is hidden it has not even the
    number."""
    others = "" if grading.visibilities <= {Visibility.VISIBLE} else "; others are not shown"
    if grading.shown:
        yield f"{grading.passed:,} of {count_of(grading.shown, 'case')} passed{others}."
    if grading.excused:
        said = "could not be judged, through no fault of yours: the points are given."
        yield f"{count_of(grading.excused, 'case')} {said}"
    if not summary.groups:
        yield "Nothing was run. Please tell the course staff."
    elif summary.not_run or summary.exit == _INTERRUPTED:
        yield "The run ended early: what was not run scores nothing."
    elif summary.troubles:
        yield "There is a problem with the tests themselves. Please tell the course staff."
