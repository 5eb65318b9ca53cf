"""Write Gradescope's results.json: a test per case, with its points and visibility.

Pure. Sources: the autograder specifications of gradescope-autograders.readthedocs.io, and
docs/howto/gradescope.md for the scoring.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

from harness.analysis.grades import CaseGrade, Gradebook, SuiteGrades, earns_points
from harness.analysis.summary import Summary, summary_of
from harness.model.events import RunResult
from harness.model.exit_codes import ExitCode
from harness.model.suite_info import Audience, Visibility
from harness.model.tally import RunOutcome, is_unexpected_pass, message_of, outcome_of
from harness.model.verdict import Verdict
from harness.reports.registry import FORMATS, describe_subjects
from harness.reports.source import ReportError, ResultSorter, Source
from harness.reports.text.display import Display
from harness.reports.text.events import failure_lines
from harness.text import escape_nonprintable, pluralize, shorten, truncate

_DISPLAY: Final = Display(width=160, most_lines=60)
_NAME: Final = 200  # characters of a name
_OUTPUT: Final = 20_000  # characters of a test's output
_ALL_OUTPUT: Final = 4_000_000  # characters of all outputs
_LEAST: Final = 200  # characters of a test's output after _ALL_OUTPUT is used up
_WHOLE: Final = 4_096  # bytes of an input that is shown in full
_TELL: Final = "Please tell the course staff."
_NOT_VISIBLE: Final = "H"  # before the numbers of cases that are not visible at once


def document(source: Source) -> Iterator[str]:
    """Return a results.json in pieces. Raises ReportError if there are several subjects."""
    order = ResultSorter()
    summary = summary_of(source(), order.add)
    subjects = list(dict.fromkeys(group.subject for group in summary.groups))
    if len(subjects) > 1:
        reason = FORMATS["gradescope"].single_subject
        raise ReportError(
            f"the results have {describe_subjects(subjects)}, and {reason};"
            " choose one with --subject; xtest report --each FOLDER writes a file for each"
        )
    grading = _ResultsBuilder(summary.book, order.runs(source), subjects[0] if subjects else "")
    yield '{\n  "tests": ['
    comma = ""
    for test in grading.tests():
        yield f"{comma}\n    {json.dumps(test)}"
        comma = ","
    yield "\n  ]"
    for name, value in _totals(summary, grading).items():
        yield f',\n  "{name}": {json.dumps(value)}'
    yield "\n}\n"


class _ResultsBuilder:
    def __init__(self, book: Gradebook, runs: Iterator[RunResult], subject: str) -> None:
        self._book = book
        self._runs = runs
        self._subject = subject
        self._room = _ALL_OUTPUT
        self.shown = Counter[str]()  # of the cases that are visible at once: all, passed, ...
        self.visibilities: set[Visibility] = set()

    @property
    def score(self) -> float | int:
        grade = self._book.grade(self._subject)
        total: float | int = json.loads(grade.points if grade is not None else "0")
        return total

    def points(self, steps: int) -> float | int:
        number: int = 10**self._book.decimals
        return steps / number if steps % number else steps // number

    def tests(self) -> Iterator[dict[str, Any]]:
        """Yield all tests in natural order of suites and cases; suites that were not run last."""
        left = dict.fromkeys(self._book.suites)
        several = len(left) > 1
        suites = groupby(self._runs, key=lambda event: event.suite)
        for place, (suite, events) in enumerate(suites, start=1):
            del left[suite]
            yield from self._tests_of(suite, events, f"{place}." if several else "")
        for suite in left:
            yield from self._tests_of(suite, iter(()), "")

    def _tests_of(
        self, suite: str, events: Iterator[RunResult], prefix: str
    ) -> Iterator[dict[str, Any]]:
        grades = self._book.grades(self._subject, suite)
        counts = Counter[str]()
        for case, group in groupby(events, key=lambda event: event.case):
            visibility = self._book.visibilities.of(suite, case)
            # Numbered separately: a gap would reveal how many hidden cases there are.
            mark = "" if visibility is Visibility.VISIBLE else _NOT_VISIBLE
            counts[mark] += 1
            number = f"{prefix}{mark}{counts[mark]}"
            yield self._test(list(group), number, visibility, grades.cases[case])
        if grades.unrun:
            yield self._not_run(suite, grades)

    def _test(
        self, runs: list[RunResult], number: str, visibility: Visibility, grade: CaseGrade
    ) -> dict[str, Any]:
        self.visibilities.add(visibility)
        if visibility is Visibility.VISIBLE and outcome_of(runs[0]) is not RunOutcome.SKIPPED:
            verdicts = {run.verdict for run in runs}
            self.shown.update(
                all=1,
                passed={*map(outcome_of, runs)} == {RunOutcome.PASSED},
                invalid=Verdict.INVALID_CASE in verdicts,
                unjudged=Verdict.HARNESS_FAULT in verdicts,
            )
        test: dict[str, Any] = {
            "number": number,
            "name": shorten(f"{runs[0].suite}/{runs[0].case}", _NAME),
            "score": self.points(grade.scored),
            "max_score": self.points(grade.points),
            "status": "passed" if all(map(earns_points, runs)) else "failed",
            "visibility": visibility.value,
        }
        if output := "\n".join(_output(runs)):
            test["output"] = truncate(output, min(_OUTPUT, max(self._room, _LEAST)))
            self._room -= len(test["output"])
        if runs[0].tags:
            test["tags"] = [shorten(tag, _NAME) for tag in runs[0].tags]
        return test

    def _not_run(self, suite: str, grades: SuiteGrades) -> dict[str, Any]:
        """Return one test for all planned cases that were not run."""
        # It reveals how many cases there are.
        is_open = self._book.visibilities.is_open_to(Audience.STUDENT, suite)
        visibility = Visibility.VISIBLE if is_open else Visibility.HIDDEN
        self.visibilities.add(visibility)
        return {
            "name": shorten(f"{suite}: not run", _NAME),
            "score": 0,
            "max_score": self.points(grades.unrun_points),
            "status": "failed",
            "visibility": visibility.value,
            "output": f"{pluralize(grades.unrun, 'case')} not run, which score no points",
        }


# What a student sees.


def _output(runs: list[RunResult]) -> Iterator[str]:
    """Return the output of a case, with the details of its first failure; nothing if it passed."""
    failed = [run for run in runs if outcome_of(run) is not RunOutcome.PASSED]
    if failed and len(runs) > 1:
        yield f"{len(runs) - len(failed)} of {len(runs)} deliveries of the input passed"
    needs_details = True
    groups: dict[tuple[Verdict, str, RunOutcome], list[RunResult]] = {}
    for run in failed:
        groups.setdefault((run.verdict, run.message, outcome_of(run)), []).append(run)
    for (_, _, outcome), alike in groups.items():
        run = alike[0]
        deliveries = ", ".join(escape_nonprintable(each.delivery) for each in alike)
        suffix = f" ({deliveries})" if len(runs) > 1 else ""
        yield f"{run.verdict.value}{suffix}: {escape_nonprintable(message_of(run))}"
        if run.verdict is Verdict.INVALID_CASE:
            yield "This is a mistake in the case, not yours: you get its points."
        elif run.verdict is Verdict.HARNESS_FAULT:
            yield f"No points yet: this case could not be judged. {_TELL}"
        elif is_unexpected_pass(run):
            yield "This does not count against you: you get its points."
        elif outcome is RunOutcome.KNOWN:
            yield "This is a known problem that does not count against you: you get its points."
        elif needs_details:
            needs_details = False
            yield from _details(run)


def _details(run: RunResult) -> Iterator[str]:
    # The repeat command would only work on the grading machine.
    own = run._replace(repeat=())
    # The first two lines are an empty line, and the verdict and message shown above.
    yield from list(failure_lines(own, _DISPLAY))[2:]
    if run.evidence is None:
        return
    # An input that does not fit in one line, so that students can try it.
    stdin = run.evidence.stdin
    text = stdin.data.decode("utf-8", "backslashreplace")
    is_short = len(text) < _DISPLAY.width // 2 and "\n" not in text.rstrip("\n")
    if not (is_short or stdin.is_truncated or stdin.total > _WHOLE):
        yield "The whole input:"
        yield from map(escape_nonprintable, text.splitlines())


def _totals(summary: Summary, grading: _ResultsBuilder) -> dict[str, Any]:
    """Return the members after the tests; call it after all tests were made."""
    visibilities = grading.visibilities
    common = next(iter(visibilities)) if len(visibilities) == 1 else Visibility.VISIBLE
    return {
        "score": grading.score,
        "execution_time": summary.wall_s,
        "output": "\n".join(_heading(summary, grading)),
        # Output of programs must not be read as HTML.
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": common.value,
        # Stdout of the autograder has all cases, hidden ones too.
        "stdout_visibility": Visibility.HIDDEN.value,
        "extra_data": {"xtest": summary.xtest},
    }


def _heading(summary: Summary, grading: _ResultsBuilder) -> Iterator[str]:
    """Return the text above all tests. It is always visible, so it must not count hidden cases."""
    others = "" if grading.visibilities <= {Visibility.VISIBLE} else "; others are not shown"
    for subject in summary.unbuilt.values():
        yield shorten(subject.build_failure, _OUTPUT)
        yield from (f"    {escape_nonprintable(line)}" for line in subject.build_output)
    shown = grading.shown
    if shown["all"]:
        yield f"{shown['passed']:,} of {pluralize(shown['all'], 'case')} passed{others}."
    if shown["invalid"]:
        yield f"You get the points of {pluralize(shown['invalid'], 'invalid case')}."
    if shown["unjudged"]:
        cases = pluralize(shown["unjudged"], "case")
        yield f"No points yet for {cases} that could not be judged. {_TELL}"
    if not summary.groups:
        yield f"Nothing was run. {_TELL}"
    elif summary.not_run or summary.exit == ExitCode.INTERRUPTED:
        yield "The run ended early: cases that were not run score no points."
    elif summary.problems:
        yield f"There is a problem with the tests themselves. {_TELL}"
