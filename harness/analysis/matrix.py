"""Count which subject passes which cases, from the events of any number of runs.

Pure: events in, counts out. Memory per case is its name and a byte per subject, so five subjects by
2,000 cases take some 400 kB. Source: docs/subjects.md.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from harness.model.case_names import natural
from harness.model.events import Event, RunEnded, RunResult, RunStarted
from harness.model.verdict import Verdict


class Score(NamedTuple):
    """The number of cases that a subject passed, and ran, without broken and unclaimed ones."""

    passed: int = 0
    cases: int = 0
    broken: int = 0
    skipped: int = 0


class PassedTests(NamedTuple):
    """The number of tests that a subject passed and ran; a case without its own counts as one."""

    passed: int
    all: int


class SameOutcome(NamedTuple):
    """Counts of the cases that two subjects both ran: all, and those that both or neither pass."""

    one: str
    other: str
    agree: int
    cases: int


class PassedBy(NamedTuple):
    """The number of cases that all subjects pass, some pass, and none passes."""

    all: int
    some: int
    none: int


class MatrixRow(NamedTuple):
    """A case, and its verdict for each subject, or None where it was not run."""

    suite: str
    case: str
    verdicts: tuple[Verdict | None, ...]


# Codes from the first cause to the last, then PASSED: of several runs of a case, the lowest code
# counts. 0 means that it was not run.
CODES: Final = {
    verdict: code
    for code, verdict in enumerate(sorted(Verdict, key=lambda each: each is Verdict.PASSED), 1)
}
VERDICTS: Final = {code: verdict for verdict, code in CODES.items()}


def _bits(wanted: set[int]) -> bytes:
    """Return a table for bytes.translate: the digit 1 for wanted codes, else 0."""
    return bytes(ord("1") if code in wanted else ord("0") for code in range(256))


_PASSED: Final = _bits({CODES[Verdict.PASSED]})
_CONCERNING: Final = {code for verdict, code in CODES.items() if verdict.concerns_subject}
_RAN: Final = _bits(_CONCERNING)


class Matrix:
    """The verdicts of all subjects on all cases; the subjects in `order` come first.

    Subjects and suites of an incomplete run have a place even if they have no verdict.
    Several runs of a case, such as its deliveries, count as one, which passes if all of them do,
    and has as many passed tests as the worst of them. Callers leave out runs that were judged again
    later. If suites count tests, subjects are ordered by the number that they passed.
    """

    def __init__(self, order: Sequence[str] = ()) -> None:
        self._order: Final = {name: place for place, name in enumerate(order)}
        self._indexes: Final[dict[str, dict[str, int]]] = {}  # by suite, by case
        self._codes: Final[dict[tuple[str, str], bytearray]] = {}  # by suite and subject
        # By suite and subject: of each case, the tests passed, and the tests.
        self._tests: Final[dict[tuple[str, str], array[int]]] = {}
        # The planned pairs of suite and subject, for each run that is incomplete or in progress.
        self._planned: Final[list[set[tuple[str, str]]]] = []
        self._sizes: Final[dict[str, int]] = {}  # the number of cases of each suite
        # By suite and subject: the digest of the suite's files at the latest run.
        self._versions: Final[dict[tuple[str, str], str]] = {}
        self._subjects: tuple[str, ...] | None = None

    def add(self, event: Event) -> None:
        if isinstance(event, RunResult):
            self._add_verdict(event)
        elif isinstance(event, RunStarted):
            pairs = {(each.suite, each.subject) for each in event.fingerprints}
            self._planned.append({pair for pair in pairs if pair[0] in event.suites})
            self._add_suites(event, pairs)
            self._subjects = None
        elif isinstance(event, RunEnded) and self._planned:
            if not (event.not_run or event.interrupted):
                self._planned.pop()  # what has no verdict was not selected
            self._subjects = None

    @property
    def subjects(self) -> tuple[str, ...]:
        """Return the subjects: those of the given order, then in natural order."""
        if self._subjects is None:
            last = len(self._order)
            pairs = set(self._codes).union(*self._planned)
            names = sorted(
                {subject for _, subject in pairs},
                key=lambda name: (self._order.get(name, last), natural(name), name),
            )
            if self.has_tests:
                names.sort(key=lambda name: -self.tests(name).passed)
            self._subjects = tuple(names)
        return self._subjects

    @property
    def suites(self) -> tuple[str, ...]:
        suites = set(self._indexes).union(suite for pairs in self._planned for suite, _ in pairs)
        return tuple(sorted(suites, key=lambda name: (natural(name), name)))

    @property
    def cases(self) -> int:
        return sum(map(len, self._indexes.values()))

    def left_out(self, subject: str, suite: str | None = None) -> int:
        """Return how many cases of its suites a subject was not run on: they were not selected, or
        the run ended before their turn. 0 where the size of a suite is unknown."""
        suites = self.suites if suite is None else (suite,)
        ran = {one: self.verdicts(subject, one) for one in suites}
        return sum(
            max(0, self._sizes.get(one, 0) - verdicts.total() + verdicts[Verdict.NOT_RUN])
            for one, verdicts in ran.items()
            if verdicts
        )

    @property
    def all_left_out(self) -> int:
        """The sum of the cases that each subject was not run on."""
        return sum(map(self.left_out, self.subjects))

    @property
    def mixed_suites(self) -> tuple[str, ...]:
        """Return the suites of which subjects ran different versions."""
        versions: dict[str, set[str]] = {}
        for (suite, _), version in self._versions.items():
            versions.setdefault(suite, set()).add(version)
        return tuple(suite for suite in self.suites if len(versions.get(suite, ())) > 1)

    def score(self, subject: str, suite: str | None = None) -> Score:
        """Return the score of a subject on a suite, or on all of them."""
        verdicts = self.verdicts(subject, suite)
        broken = sum(count for verdict, count in verdicts.items() if verdict.is_fault)
        cases = sum(count for verdict, count in verdicts.items() if verdict.concerns_subject)
        return Score(verdicts[Verdict.PASSED], cases, broken, verdicts[Verdict.SKIPPED])

    @property
    def has_tests(self) -> bool:
        """Return whether a suite counts parts of its expected outputs as tests."""
        return bool(self._tests)

    def tests(self, subject: str, suite: str | None = None) -> PassedTests:
        """Return the tests of a subject on a suite, or on all of them."""
        passed = every = 0
        for one in self.suites if suite is None else (suite,):
            counts = self._tests.get((one, subject), array("Q"))
            for index, code in enumerate(self._codes_of(subject, one)):
                if code in _CONCERNING:
                    tests = counts[2 * index + 1] if 2 * index < len(counts) else 0
                    passed += counts[2 * index] if tests else code == CODES[Verdict.PASSED]
                    every += tests or 1
        return PassedTests(passed, every)

    def verdicts(self, subject: str, suite: str | None = None) -> Counter[Verdict]:
        """Return the number of cases of a suite, or of all, by verdict."""
        counts = Counter(self._codes_of(subject, suite))
        return Counter({verdict: counts[code] for verdict, code in CODES.items() if counts[code]})

    def verdict(self, subject: str, suite: str, case: str) -> Verdict | None:
        """Return the verdict of a subject on a case, or None if it was not run."""
        index = self._indexes.get(suite, {}).get(case)
        codes = self._codes.get((suite, subject), b"")
        return None if index is None or index >= len(codes) else VERDICTS.get(codes[index])

    def same_outcomes(self) -> Iterator[SameOutcome]:
        """Yield the pairs of subjects that ran a common case, except subjects that pass nothing.

        That two subjects fail the same cases says little.
        """
        passing = [subject for subject in self.subjects if self.score(subject).passed]
        codes = {subject: self._codes_of(subject) for subject in passing}
        # Digits parsed as one binary number: faster than setting bits one by one.
        ran = {subject: int(codes[subject].translate(_RAN), 2) for subject in passing}
        passed = {subject: int(codes[subject].translate(_PASSED), 2) for subject in passing}
        for one, other in combinations(passing, 2):
            both = ran[one] & ran[other]
            if both:
                agree = (both & ~(passed[one] ^ passed[other])).bit_count()
                yield SameOutcome(one, other, agree, both.bit_count())

    def passed_by(self) -> PassedBy:
        """Return how many cases all, some or no subjects pass; broken cases are left out."""
        passed = CODES[Verdict.PASSED]
        every = some = none = 0
        for codes in zip(*map(self._codes_of, self.subjects), strict=True):
            outcomes = _CONCERNING.intersection(codes)
            every += outcomes == {passed}
            some += passed in outcomes and len(outcomes) > 1
            none += bool(outcomes) and passed not in outcomes
        return PassedBy(every, some, none)

    def rows(self) -> Iterator[MatrixRow]:
        """Yield the cases in natural order, with verdicts in the order of `subjects`."""
        for suite in self.suites:
            indexes = self._indexes.get(suite, {})
            columns = [self._codes_of(subject, suite) for subject in self.subjects]
            for case in sorted(indexes, key=natural):
                codes = (column[indexes[case]] for column in columns)
                yield MatrixRow(suite, case, tuple(map(VERDICTS.get, codes)))

    def _add_suites(self, event: RunStarted, pairs: Iterable[tuple[str, str]]) -> None:
        if event.withheld:
            return  # not all cases are there
        for info in event.suite_infos:
            self._sizes[info.suite] = info.cases
            if info.digest:
                own = {pair: info.digest for pair in pairs if pair[0] == info.suite}
                self._versions.update(own)

    def _add_verdict(self, event: RunResult) -> None:
        indexes = self._indexes.setdefault(event.suite, {})
        index = indexes.setdefault(event.case, len(indexes))
        codes = self._codes.setdefault((event.suite, event.subject), bytearray())
        if index >= len(codes):
            codes.extend(bytes(index + 1 - len(codes)))
        code = CODES[event.verdict]
        codes[index] = min(codes[index] or code, code)
        self._subjects = None
        if event.tests:
            self._add_tests(event, index)

    def _add_tests(self, event: RunResult, index: int) -> None:
        counts = self._tests.setdefault((event.suite, event.subject), array("Q"))
        counts.extend([0] * (2 * index + 2 - len(counts)))
        fewest = min(counts[2 * index], event.tests_passed)
        counts[2 * index] = fewest if counts[2 * index + 1] else event.tests_passed
        counts[2 * index + 1] = event.tests

    def _codes_of(self, subject: str, suite: str | None = None) -> bytes:
        """Return the codes of a subject on all cases of a suite, or of all suites."""
        if suite is None:
            return b"".join(self._codes_of(subject, each) for each in self.suites)
        codes = self._codes.get((suite, subject), bytearray())
        return bytes(codes.ljust(len(self._indexes.get(suite, ())), b"\0"))
