"""Count the points of cases, suites and subjects from the events of runs, in exact arithmetic.

Pure. A case has points of its own, or an equal share of what is left of the suite's points
(docs/suites.md). Memory per judged case is its name and two numbers.
Source: docs/howto/gradescope.md.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Final, NamedTuple

from harness.model.case_names import input_name, natural, selects
from harness.model.events import RunResult, RunStarted
from harness.model.suite_info import Audience, SuiteInfo, Visibility
from harness.model.verdict import Verdict
from harness.suites.settings import index_of

_LEAST_DECIMALS: Final = 2
_MOST_DECIMALS: Final = 12  # a float has 15 digits
# The smallest share has at least this many steps, so that rounding loses less than 1 %.
_STEPS: Final = 100


class CaseGrade(NamedTuple):
    """The points of a case, in steps: scored and possible, whichever other cases were run."""

    scored: int
    points: int


class SuiteGrades(NamedTuple):
    """The grades of a subject on a suite.

    `unrun` planned cases were not run; they are worth `unrun_points`, in steps. The totals are
    exact: those of three cases that share ten points are ten, though each shows 3.33.
    """

    cases: dict[str, CaseGrade]  # in natural order
    unrun: int
    unrun_points: int
    scored: Fraction
    points: Fraction


class Grade(NamedTuple):
    """The points that a subject scored, and could have scored, as decimals."""

    points: str
    maximum: str

    def __str__(self) -> str:
        return f"{self.points}/{self.maximum}"


class Gradebook:
    """Collects the events of runs; then computes points from the grading rules of their suites.

    Points are in steps of 10**-`decimals`, which are as fine as the declared points need.
    """

    def __init__(self) -> None:
        self.visibilities: Final = Visibilities()
        self._suites: dict[str, None] = {}
        # Of several runs of a suite, the last one counts.
        self._suite_infos: dict[str, SuiteInfo] = {}
        self._unrun = Counter[tuple[str, str]]()  # by suite and subject, in the runs before
        # By suite and subject, by case: the sum of the shares that runs score, and their number;
        # a case that the subject does not claim has none, and no points.
        self._runs: dict[tuple[str, str], dict[str, tuple[Fraction, int]]] = {}

    def start_run(self, event: RunStarted) -> None:
        self.visibilities.start_run(event.suite_infos)
        self._suites.update(dict.fromkeys(event.suites))
        self._suite_infos.update({each.suite: each for each in event.suite_infos})
        for each in event.fingerprints:
            self._runs.setdefault((each.suite, each.subject), {})

    def add(self, event: RunResult) -> None:
        cases = self._runs.setdefault((event.suite, event.subject), {})
        self.visibilities.note(event.suite, event.case)
        scoring, runs = cases.get(event.case, (Fraction(0), 0))
        if event.verdict is Verdict.SKIPPED:
            cases[event.case] = Fraction(0), 0
        else:
            cases[event.case] = scoring + share_earned(event), runs + 1

    def end_run(
        self,
        started: RunStarted,
        judged_cases: Mapping[tuple[str, str], Collection[str]],
        most: int = sys.maxsize,
    ) -> None:
        """Count the planned cases that a run left out: at most so many of each subject.

        `judged_cases` are those of this run, by suite and subject.
        """
        known = {(each.suite, each.subject) for each in started.fingerprints} or {*judged_cases}
        for suite_info in started.suite_infos:
            subjects = {subject for suite, subject in known if suite == suite_info.suite}
            subjects = subjects or {subject for _, subject in known}
            planned = min(suite_info.selected // max(1, len(subjects)), suite_info.cases)
            for subject in subjects:
                pair = suite_info.suite, subject
                self._unrun[pair] += max(0, min(planned - len(judged_cases.get(pair, ())), most))

    @property
    def has_points(self) -> bool:
        """Return whether a suite declares points."""
        return any(grading_rules(each).declares_points for each in self._suite_infos.values())

    @property
    def suites(self) -> Sequence[str]:
        """All suites that were planned or run."""
        return list(dict.fromkeys((*self._suites, *(suite for suite, _ in self._runs))))

    @property
    def pairs(self) -> Sequence[tuple[str, str]]:
        """The suites and subjects that were run together."""
        return list(self._runs)

    def rules(self, suite: str) -> GradingRules:
        return grading_rules(self._suite_infos.get(suite, SuiteInfo(suite, "")))

    @cached_property
    def decimals(self) -> int:
        return decimals_for(map(self.rules, self.suites))

    def grades(self, subject: str, suite: str) -> SuiteGrades:
        rules, runs = self.rules(suite), self._runs.get((suite, subject), {})
        lost = rules.lost_cases(runs)
        runs = {
            case: (Fraction(0) if case in lost else scoring, number)
            for case, (scoring, number) in runs.items()
        }
        worth = {case: rules.points_of(case) for case in sorted(runs, key=natural)}
        cases = {case: self._case_grade(points, *runs[case]) for case, points in worth.items()}
        parts = (
            worth[case] if scoring == number else Fraction(cases[case].scored, 10**self.decimals)
            for case, (scoring, number) in runs.items()
            if number
        )
        known = sum(worth.values(), Fraction(0))
        points = sum((worth[case] for case in runs if runs[case][1]), Fraction(0))
        # Another run may have judged them: no more are left than the suite has.
        left_out = rules.suite_info.cases - len(cases)
        unrun = max(0, min(self._unrun[suite, subject], left_out))
        rest = unrun * rules.share
        if unrun and unrun == left_out:
            rest = max(rules.whole - known, Fraction(0))
        left = to_steps(rest, self.decimals)
        return SuiteGrades(cases, unrun, left, sum(parts, Fraction(0)), points + rest)

    def _case_grade(self, points: Fraction, scoring: Fraction, number: int) -> CaseGrade:
        if not number:
            return CaseGrade(0, 0)
        steps = to_steps(points, self.decimals)
        # Rounded down: only a full pass scores all points.
        return CaseGrade(floor(steps * scoring / number), steps)

    def grade(self, subject: str, suite: str | None = None) -> Grade | None:
        """Return the grade of a subject on a suite, or on all its suites; None without any."""
        suites = [each for each, name in self._runs if name == subject and suite in (each, None)]
        grades = [self.grades(subject, each) for each in suites]
        scored = sum((each.scored for each in grades), Fraction(0))
        points = sum((each.points for each in grades), Fraction(0))
        steps = (self._decimal(to_steps(each, self.decimals)) for each in (scored, points))
        return Grade(*steps) if suites else None

    def case_grades(self, subject: str, suite: str) -> dict[str, Grade]:
        cases = self.grades(subject, suite).cases
        return {case: Grade(*map(self._decimal, grade)) for case, grade in cases.items()}

    def _decimal(self, steps: int) -> str:
        return _format_steps(steps, self.decimals)


def earns_points(run: RunResult) -> bool:
    """Return whether a run passed, is a known failure, or its case is invalid.

    A harness-fault earns none: an output may have taken too long to judge on purpose.
    """
    return run.verdict in (Verdict.PASSED, Verdict.INVALID_CASE) or not run.failed


def share_earned(run: RunResult) -> Fraction:
    """Return the share of its points that a run scores: if it failed, by its checker or tests."""
    if earns_points(run):
        return Fraction(1)
    if run.points is not None:
        return Fraction(repr(run.points))
    return Fraction(run.tests_passed, run.tests) if run.tests else Fraction(0)


# The grading rules of suites.


class GradingRules(NamedTuple):
    """The points of a suite."""

    suite_info: SuiteInfo
    share: Fraction  # of each case without points of its own
    whole: Fraction  # of all cases

    @property
    def declares_points(self) -> bool:
        info = self.suite_info
        return info.points is not None or any(rule.points is not None for rule in info.worth)

    def points_of(self, case: str) -> Fraction:
        """Return the points of a case; the last matching rule wins."""
        rules = index_of(self.suite_info.worth).matching(input_name(case))
        points = [rule.points for rule in rules if rule.points is not None]
        return _exact(points[-1]) if points else self.share

    def visibility(self, case: str) -> Visibility:
        """Return who sees a case; the last matching rule wins."""
        rules = index_of(self.suite_info.worth).matching(input_name(case))
        visibilities = [rule.visibility for rule in rules if rule.visibility is not None]
        return visibilities[-1] if visibilities else self.suite_info.visibility

    def lost_cases(self, runs: Mapping[str, tuple[Fraction, int]]) -> set[str]:
        """Return the cases of groups that score all their points or none, and lack a pass.

        `runs` are the sum of the shares that the runs of a case score, and their number.
        """
        lost = set[str]()
        for rule in self.suite_info.worth:
            if rule.all_or_nothing:
                group = [case for case in runs if selects(rule.match, input_name(case))]
                if any(scoring < number for scoring, number in map(runs.__getitem__, group)):
                    lost.update(group)
        return lost

    def is_open_to(self, audience: Audience) -> bool:
        """Return whether these readers see all cases."""
        rules = (rule.visibility for rule in self.suite_info.worth)
        return audience.sees.issuperset({self.suite_info.visibility, *rules} - {None})


class Visibilities:
    """Collects the rules of runs; tells who sees a case.

    A case that the last run of its suite did not judge may have been renamed since: then the rules
    of the last run that judged it count, too, and the stricter ones decide.
    """

    def __init__(self) -> None:
        self._latest: dict[str, GradingRules] = {}  # by suite
        self._own: dict[tuple[str, str], GradingRules] = {}  # by suite and case

    def start_run(self, suite_infos: Iterable[SuiteInfo]) -> None:
        self._latest |= {each.suite: grading_rules(each) for each in suite_infos}

    def note(self, suite: str, case: str) -> None:
        """Note that the run judged a case."""
        if suite in self._latest:
            self._own[suite, case] = self._latest[suite]

    def of(self, suite: str, case: str) -> Visibility:
        rules = self._latest.get(suite), self._own.get((suite, case))
        levels = [each.visibility(case) for each in rules if each is not None]
        readers = {each: sum(each in audience.sees for audience in Audience) for each in levels}
        return min(readers, key=readers.__getitem__, default=Visibility.VISIBLE)

    def is_open_to(self, audience: Audience, suite: str) -> bool:
        """Return whether these readers see all cases of a suite."""
        rules = self._latest.get(suite)
        return (rules is None or rules.is_open_to(audience)) and all(
            self.of(*each) in audience.sees for each in self._own if each[0] == suite
        )


def grading_rules(suite_info: SuiteInfo) -> GradingRules:
    deciding = [rule for rule in suite_info.worth if rule.points is not None]
    own = sum((rule.cases * _exact(rule.points or 0) for rule in deciding), Fraction(0))
    others = suite_info.cases - sum(rule.cases for rule in deciding)
    share = Fraction(1)
    if suite_info.points is not None:
        left = max(_exact(suite_info.points) - own, Fraction(0))
        share = left / others if others > 0 else Fraction(0)
    return GradingRules(suite_info, share, own + max(others, 0) * share)


def decimals_for(suites: Iterable[GradingRules]) -> int:
    """Return the number of decimals that keeps declared points exact and shares close enough."""
    declared, shares = set[Fraction](), set[Fraction]()
    for suite in suites:
        points = [suite.suite_info.points, *(rule.points for rule in suite.suite_info.worth)]
        declared.update(_exact(each) for each in points if each is not None)
        shares.add(suite.share)
    for decimals in range(_LEAST_DECIMALS, _MOST_DECIMALS):
        steps = 10**decimals
        fine = all(_is_whole(share * steps) or share * steps >= _STEPS for share in shares)
        if fine and all(_is_whole(points * steps) for points in declared):
            return decimals
    return _MOST_DECIMALS


def format_points(points: Fraction, suites: Iterable[GradingRules]) -> str:
    """Return points as a decimal that is as fine as these suites need."""
    decimals = decimals_for(suites)
    return _format_steps(to_steps(points, decimals), decimals)


def _format_steps(steps: int, decimals: int) -> str:
    """Return a number of steps as an exact decimal."""
    whole, part = divmod(steps, 10**decimals)
    return f"{whole}.{part:0{decimals}}".rstrip("0").rstrip(".")


def _is_whole(number: Fraction) -> bool:
    return number.denominator == 1


def to_steps(points: Fraction, decimals: int) -> int:
    """Return points as the nearest number of whole steps of 10**-decimals."""
    # `round` would round halves to even numbers.
    step: int = 10**decimals
    return floor(points * step + Fraction(1, 2))


def _exact(points: float) -> Fraction:
    """Return a number as it was written: 0.1 is one tenth."""
    return Fraction(repr(points))
