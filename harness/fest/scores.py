"""Compute the status of each case of a fest and the scores of its teams, from events.

Pure: events and rulings in, scores out. Memory is a byte per program and case, so 200 programs on
200 suites of 25 cases take 1 MB. Formulas: docs/howto/test-fest.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain, compress, islice
from typing import Final, NamedTuple

from harness.analysis.matrix import Matrix
from harness.fest.events import (
    CaseStatus,
    Duplicates,
    FestEvent,
    FestPlan,
    Role,
    Ruling,
    Submitted,
    WheatsDiffer,
)
from harness.model.events import Diagnostic, RunEnded, RunResult, RunStarted
from harness.model.verdict import Verdict

NO_ANSWER: Final = "gave no answer"
SEVERAL_ANSWERS: Final = "gave several answers"

_CaseKey = tuple[str, str]  # team and case
_Status = tuple[CaseStatus, str, Ruling | None]  # of a case, its reason, and its ruling if any


class Timing(NamedTuple):
    """The runs of a program, and the seconds that they took."""

    runs: int = 0
    wall_s: float = 0.0
    cpu_s: float = 0.0
    longest_s: float = 0.0


class CaseScore(NamedTuple):
    """A case, its status, and how many programs fail it: 0 unless it counts."""

    case: Submitted
    status: CaseStatus
    reason: str
    counts: bool  # towards scores
    chaffs_caught: int
    programs_failed: int  # of other teams
    ruling: Ruling | None = None


class TeamScore(NamedTuple):
    """The exact scores of a team."""

    team: str
    submitted: int
    valid: int
    contested: int
    invalid: int
    # A share of nothing is None.
    validity: Fraction | None
    thoroughness: Fraction | None
    contribution: Fraction
    program_passed: int
    program_total: int
    program: Fraction | None


class Bug(NamedTuple):
    """Programs that fail the same cases, the suites that catch them, and one of the cases."""

    programs: tuple[str, ...]
    suites: tuple[str, ...]
    failed: int  # distinct valid cases
    smallest: CaseScore  # of these cases


def odd_wheats(difference: WheatsDiffer) -> tuple[dict[str, str], list[list[str]]]:
    """Return what is odd about each wheat that gave no answer or several, and the answers of the
    other wheats: the names of those that gave each."""
    answers_by_wheat = Counter(name for answer in difference.answers for name in answer.wheats)
    silent = (answer.wheats for answer in difference.answers if answer.exit is None)
    odd = dict.fromkeys(chain.from_iterable(silent), NO_ANSWER)
    odd |= {
        name: SEVERAL_ANSWERS for name, n in answers_by_wheat.items() if n > 1 and name not in odd
    }
    others = ([name for name in answer.wheats if name not in odd] for answer in difference.answers)
    return odd, list(filter(None, others))


def share(part: int, whole: int) -> Fraction | None:
    """Return a share, or None if it is one of nothing."""
    return Fraction(part, whole) if whole else None


class FestResults:
    """Collects the events of a fest, in the order of its results file."""

    def __init__(self) -> None:
        self.started = RunStarted("", "", (), 0, 1)  # until the first event
        self.plan = FestPlan((), Duplicates.EACH, (), ())
        self.cases: list[Submitted] = []
        self.problems: list[Diagnostic] = []
        self.disagreements: dict[str, WheatsDiffer] = {}  # by input
        self.timing: dict[str, Timing] = defaultdict(Timing)  # by subject
        self.faults: list[str] = []  # why runs could not be judged
        self.is_complete = False
        self._matrix: Final = Matrix()
        # Cases with the same content have the same results, and those with the same input the
        # same runs.
        self._first: dict[str, _CaseKey] = {}  # by content, and by input
        self._counted: set[_CaseKey] = set()  # cases whose runs are timed
        # The first failure by subject and content, of wheats without evidence.
        self._failed: dict[tuple[str, str], RunResult] = {}

    def add(self, event: FestEvent) -> None:
        match event:
            case RunStarted():
                self.started = event
            case FestPlan():
                self.plan = event
            case Submitted():
                self.cases.append(event)
                case = event.team, event.case
                if event.input is not None and event.content is not None:
                    if self._first.setdefault(event.input, case) == case:
                        self._counted.add(case)
                    self._first.setdefault(event.content, case)
            case RunResult():
                self._add_result(event)
            case WheatsDiffer():
                self.disagreements[event.input] = event
            case Diagnostic():
                self.problems.append(event)
            case RunEnded():
                self.is_complete = not event.interrupted

    @cached_property
    def programs(self) -> dict[Role, list[str]]:
        """The names of the programs, in order; read it after the plan was added."""
        return {
            role: [each.name for each in self.plan.programs if each.role is role] for role in Role
        }

    def verdict(self, role: Role, program: str, case: Submitted) -> Verdict | None:
        """Return how a program did on a case, or None if it was not run."""
        return self._matrix.verdict(role.subject(program), case.team, case.case)

    def passes(self, role: Role, program: str, case: Submitted) -> bool:
        return self.verdict(role, program, case) is Verdict.PASSED

    def failed_run(self, role: Role, program: str, case: Submitted) -> RunResult | None:
        """Return the run of a program that failed a case."""
        event = self._failed.get((role.subject(program), case.content or ""))
        if event is None:
            return None
        return event._replace(suite=case.team, case=case.case, subject=program)

    def failures(self, role: Role, cases: Sequence[Submitted]) -> dict[str, int]:
        """Return, by program, the cases that it ran and did not pass, as bits."""
        fine = None, Verdict.PASSED
        return {
            name: sum(
                1 << at
                for at, case in enumerate(cases)
                if self.verdict(role, name, case) not in fine
            )
            for name in self.programs[role]
        }

    def wheat_status(self, case: Submitted) -> tuple[CaseStatus, str]:
        """Return the status of a case by the answers of the wheats, and why."""
        if case.input is None:
            return CaseStatus.INVALID, case.reason or ""
        wheats = self.programs[Role.WHEAT]
        passing = [self.passes(Role.WHEAT, name, case) for name in wheats]
        if all(passing):
            return CaseStatus.VALID, ""
        difference = self.disagreements.get(case.input)
        if difference is not None and (any(passing) or not difference.checked):
            return CaseStatus.CONTESTED, self._disagreement(difference, case)
        failing = wheats[passing.index(False)]
        message = self._message(failing, case) or "not run; run the fest again"
        return CaseStatus.INVALID, f"wheat {failing}: {message}"

    def wheats_without_answers(self) -> dict[str, str]:
        """Return the wheats that answer no case, as without their interpreter, and one reason."""
        reasons: dict[str, str] = {}
        for name in self.programs[Role.WHEAT]:
            verdicts = {self.verdict(Role.WHEAT, name, case) for case in self.cases}
            messages = filter(None, (self._message(name, case) for case in self.cases))
            if verdicts.isdisjoint((Verdict.PASSED, Verdict.DIFFERS)):
                reasons |= {name: message for message in islice(messages, 1)}
        return reasons

    def _message(self, wheat: str, case: Submitted) -> str:
        """Return why a wheat failed a case, or ""."""
        run = self.failed_run(Role.WHEAT, wheat, case)
        return "" if run is None else f"{run.verdict.value}: {run.message}"

    def _disagreement(self, difference: WheatsDiffer, case: Submitted) -> str:
        """Return why there is no answer that all wheats agree on: one of them, or several answers.

        A wheat that gave no answer, or several, does not disagree with the others.
        """
        odd, answers = odd_wheats(difference)
        if len(answers) > 1:
            return f"the wheats disagree: {' / '.join(map(', '.join, answers))}"
        messages = {name: self._message(name, case) for name in odd}
        return "; ".join(
            f"wheat {name} {reason}: {messages[name]}"
            if reason == NO_ANSWER and messages[name]
            else f"wheat {name} {reason}"
            for name, reason in odd.items()
        )

    def _add_result(self, event: RunResult) -> None:
        self._matrix.add(event)
        case = event.suite, event.case
        if self._first.get(event.content) != case:
            return
        if event.verdict is Verdict.HARNESS_FAULT:
            self.faults.append(f"{event.subject}: {event.message}")
        if event.verdict is not Verdict.PASSED:
            is_wheat = event.subject.startswith(Role.WHEAT.subject(""))
            evidence = None if is_wheat else event.evidence
            self._failed.setdefault(
                (event.subject, event.content), event._replace(evidence=evidence)
            )
        if case in self._counted:
            runs, wall_s, cpu_s, longest_s = self.timing[event.subject]
            self.timing[event.subject] = Timing(
                runs + 1, wall_s + event.wall_s, cpu_s + event.cpu_s, max(longest_s, event.wall_s)
            )


class FestScores:
    """The statuses and scores of a fest under rulings.

    Raises ValueError for a ruling on an unknown case, or one that makes an unusable case valid.
    """

    def __init__(self, results: FestResults, rulings: Sequence[Ruling]) -> None:
        self.results = results
        self._rulings = {(each.team, each.case): each for each in rulings}
        self._check_rulings()
        statuses = [self._ruled_status(case) for case in results.cases]
        counting = list(self._counting(statuses))
        # The cases that count, those with the same content once, and their bits.
        distinct = {case.content: case for case in compress(results.cases, counting)}
        self._bits: Final = {content: 1 << at for at, content in enumerate(distinct)}
        cases = [*distinct.values()]
        self._failures: Final = {role: results.failures(role, cases) for role in Role}
        self.cases: Final = tuple(map(self._case_score, results.cases, statuses, counting))
        self.cases_of: Final[dict[str, list[CaseScore]]] = {team: [] for team in results.plan.teams}
        # By team, the bits of its cases that count.
        self._masks: Final = dict.fromkeys(results.plan.teams, 0)
        for each in self.cases:
            self.cases_of[each.case.team].append(each)
            self._masks[each.case.team] |= self._bit_of(each.case) if each.counts else 0

    def _bit_of(self, case: Submitted) -> int:
        """Return the bit of a case that counts in the failures of programs."""
        return self._bits.get(case.content, 0)

    def fails(self, role: Role, program: str, case: Submitted) -> bool:
        """Return whether a program fails a case that counts."""
        return bool(self._failures[role][program] & self._bit_of(case))

    @cached_property
    def teams(self) -> tuple[TeamScore, ...]:
        """The score of each team, in order."""
        contributions: dict[str, Fraction] = defaultdict(Fraction)
        for bug in self.bugs:
            for suite in bug.suites:
                contributions[suite] += Fraction(1, len(bug.suites))
        return tuple(
            self._team_score(team, cases, contributions[team])
            for team, cases in self.cases_of.items()
        )

    @cached_property
    def bugs(self) -> tuple[Bug, ...]:
        """The bugs that a suite of another team catches; those of the most programs come first."""
        clusters: dict[int, list[str]] = defaultdict(list)
        for name, mask in self._failures[Role.TEAM].items():
            if mask:
                clusters[mask].append(name)
        bugs = (self._bug_of(mask, names) for mask, names in clusters.items())
        return tuple(sorted(filter(None, bugs), key=lambda bug: (-len(bug.programs), -bug.failed)))

    def has_program(self, team: str) -> bool:
        return team in self._failures[Role.TEAM]

    def program_failures(self, team: str) -> list[RunResult]:
        """Return the runs of a team's program that fail counting cases of the other teams."""
        cases = (case for case, is_passed in self.program_results(team) if not is_passed)
        runs = (self.results.failed_run(Role.TEAM, team, case) for case in cases)
        return list(filter(None, runs))

    def program_results(self, team: str) -> Iterator[tuple[Submitted, bool]]:
        """Yield each counting case of the other teams, and whether a team's program passes it."""
        for case in (each.case for each in self.cases if each.counts):
            if case.team != team:
                yield case, self.results.passes(Role.TEAM, team, case)

    def _check_rulings(self) -> None:
        known = {(case.team, case.case): case for case in self.results.cases}
        for (team, name), ruling in self._rulings.items():
            case, where = known.get((team, name)), f'ruling on "{team}/{name}"'
            if case is None:
                raise ValueError(f"{where}: no such case")
            if ruling.status is not CaseStatus.VALID:
                continue
            if case.input is None:
                raise ValueError(f"{where}: it cannot be valid: {case.reason}")
            # All programs run on a case, but only if a wheat answers it.
            programs = self.results.programs[Role.TEAM]
            was_run = all(self.results.verdict(Role.TEAM, each, case) for each in programs)
            if self.results.is_complete and not was_run:
                raise ValueError(f"{where}: no wheat answered; run the fest again")

    def _ruled_status(self, case: Submitted) -> _Status:
        ruling = self._rulings.get((case.team, case.case))
        if ruling is None:
            return *self.results.wheat_status(case), None
        by = f" by {ruling.by}" if ruling.by else ""
        return ruling.status, f"ruled {ruling.status.value}{by}: {ruling.reason or ''}", ruling

    def _counting(self, statuses: Sequence[_Status]) -> Iterator[bool]:
        """Yield whether each case counts towards scores."""
        seen = set[str]()
        for case, (status, _, _) in zip(self.results.cases, statuses, strict=True):
            if status is not CaseStatus.VALID or case.input is None:
                yield False
                continue
            yield self.results.plan.duplicates is Duplicates.EACH or case.input not in seen
            seen.add(case.input)

    def _case_score(self, case: Submitted, outcome: _Status, is_counted: bool) -> CaseScore:
        status, reason, ruling = outcome
        chaffs = failed = 0
        if is_counted:
            bit = self._bit_of(case)
            chaffs = sum(bool(mask & bit) for mask in self._failures[Role.CHAFF].values())
            programs = self._failures[Role.TEAM].items()
            failed = sum(bool(mask & bit) for name, mask in programs if name != case.team)
        elif status is CaseStatus.VALID and not reason:
            reason = "only the first case with this input counts"
        return CaseScore(case, status, reason, is_counted, chaffs, failed, ruling)

    def _team_score(
        self, team: str, cases: Sequence[CaseScore], contribution: Fraction
    ) -> TeamScore:
        counts = {status: sum(each.status is status for each in cases) for status in CaseStatus}
        chaffs = self._failures[Role.CHAFF].values()
        caught = sum(bool(mask & self._masks[team]) for mask in chaffs)
        valid = counts[CaseStatus.VALID]
        passed = [is_passed for _, is_passed in self.program_results(team)]
        return TeamScore(
            team=team,
            submitted=len(cases),
            valid=valid,
            contested=counts[CaseStatus.CONTESTED],
            invalid=counts[CaseStatus.INVALID],
            validity=share(valid, len(cases)),
            thoroughness=share(caught, sum(map(bool, chaffs))),
            contribution=contribution,
            program_passed=sum(passed),
            program_total=len(passed),
            program=share(sum(passed), len(passed)),
        )

    def _bug_of(self, mask: int, names: Sequence[str]) -> Bug | None:
        suites = tuple(
            team
            for team, own in self._masks.items()
            if own & mask and any(name != team for name in names)
        )
        if not suites:
            return None
        failing = (each for each in self.cases if each.counts and mask & self._bit_of(each.case))
        return Bug(tuple(names), suites, mask.bit_count(), min(failing, key=_size))


def _size(score: CaseScore) -> int:
    return sum(text.total for text in (score.case.stdin, score.case.stdout) if text is not None)
