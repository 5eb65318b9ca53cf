"""The matrix: which subject passes what, counted from the events of any number of runs.

Pure: events in, counts out. Of a case is kept its name and a byte a subject, so that five subjects
by 2,000 cases take some 400 kB. How it is shown is in harness/report/matrix.py.
Source: docs/subjects.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from harness.events import Event, Judged
from harness.records import Verdict
from harness.suites.naming import natural

__all__ = ["Agreement", "Matrix", "Row", "Score", "Shares", "matrix_noting"]


class Score(NamedTuple):
    """How many cases a subject passed, of how many that were run against it. `broken` ones are not
    among them: nobody could have passed those."""

    passed: int = 0
    cases: int = 0
    broken: int = 0


class Agreement(NamedTuple):
    """Two subjects, and on how many of the cases that both ran they agree: both pass, or neither
    does. Two that both fall short may still print different things."""

    one: str
    other: str
    agree: int
    cases: int


class Shares(NamedTuple):
    """Cases that are passed by all subjects that ran them, by some, by none."""

    all: int
    some: int
    none: int


class Row(NamedTuple):
    """A case, and its verdict by subject; None: it was not run against that one."""

    suite: str
    case: str
    verdicts: tuple[Verdict | None, ...]


# From the first cause to the last, and what passed at the end: of several runs of one case the
# least counts. 0 is for what was not run.
_CODES: Final = {
    verdict: code
    for code, verdict in enumerate(
        [verdict for verdict in Verdict if verdict is not Verdict.PASSED] + [Verdict.PASSED], 1
    )
}
_VERDICTS: Final = {code: verdict for verdict, code in _CODES.items()}
# Nobody's program fell short.
_BROKEN: Final = (Verdict.INVALID_CASE, Verdict.HARNESS_FAULT)


def _bits(wanted: set[int]) -> bytes:
    """A table for bytes.translate: the digit 1 for the codes that are wanted, else 0."""
    return bytes(ord("1") if code in wanted else ord("0") for code in range(256))


_PASSED: Final = _bits({_CODES[Verdict.PASSED]})
_RAN: Final = _bits({code for verdict, code in _CODES.items() if verdict not in _BROKEN})


class Matrix:
    """The verdicts of all subjects on all cases. Several runs of a case, as of several deliveries,
    count as one: it is passed if all of them passed."""

    def __init__(self, order: Sequence[str] = ()) -> None:
        """`order`: the subjects that are to stand first."""
        self._order: Final = {name: place for place, name in enumerate(order)}
        self._places: Final[dict[str, dict[str, int]]] = {}  # by suite, by case
        self._codes: Final[dict[tuple[str, str], bytearray]] = {}  # by suite and subject

    def add(self, event: Judged) -> None:
        """Count one judged run."""
        places = self._places.setdefault(event.suite, {})
        at = places.setdefault(event.case, len(places))
        codes = self._codes.setdefault((event.suite, event.subject), bytearray())
        if at >= len(codes):
            codes.extend(bytes(at + 1 - len(codes)))
        code = _CODES[event.verdict]
        codes[at] = min(codes[at] or code, code)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Those of the order that were run, in that order, and then the others in natural order."""
        last = len(self._order)
        names = {subject for _, subject in self._codes}
        return tuple(
            sorted(names, key=lambda name: (self._order.get(name, last), natural(name), name))
        )

    @property
    def suites(self) -> tuple[str, ...]:
        """Their names in natural order."""
        return tuple(sorted(self._places, key=natural))

    @property
    def cases(self) -> int:
        """How many there are in all suites."""
        return sum(map(len, self._places.values()))

    def score(self, subject: str, suite: str | None = None) -> Score:
        """How a subject did on a suite, or on all of them."""
        tally = self.verdicts(subject, suite)
        broken = sum(tally[verdict] for verdict in _BROKEN)
        return Score(tally[Verdict.PASSED], tally.total() - broken, broken)

    def verdicts(self, subject: str, suite: str | None = None) -> Counter[Verdict]:
        """How many cases of a suite, or of all, got which verdict."""
        tally: Counter[int] = Counter()
        for one in self.suites if suite is None else (suite,):
            tally.update(self._codes.get((one, subject), b""))
        return Counter({verdict: tally[code] for verdict, code in _CODES.items() if tally[code]})

    def agreements(self) -> Iterator[Agreement]:
        """All pairs of subjects."""
        masks = {subject: self._masks(subject) for subject in self.subjects}
        for one, other in combinations(self.subjects, 2):
            agree = cases = 0
            for left, right in zip(masks[one], masks[other], strict=True):
                both = left.ran & right.ran
                cases += both.bit_count()
                agree += (both & ~(left.passed ^ right.passed)).bit_count()
            yield Agreement(one, other, agree, cases)

    def shares(self) -> Shares:
        """By how many subjects cases are passed; broken ones are left out."""
        columns = zip(*map(self._masks, self.subjects), strict=True)
        every = some = none = 0
        for masks in columns:
            ran = passed = short = 0
            for mask in masks:
                ran |= mask.ran
                passed |= mask.passed
                short |= mask.ran & ~mask.passed
            every += (passed & ~short).bit_count()
            some += (passed & short).bit_count()
            none += (ran & ~passed).bit_count()
        return Shares(every, some, none)

    def rows(self) -> Iterator[Row]:
        """The cases, in natural order of suites and cases; verdicts in the order of `subjects`."""
        subjects = self.subjects
        for suite in self.suites:
            places = self._places[suite]
            columns = [self._codes.get((suite, subject), bytearray()) for subject in subjects]
            for case in sorted(places, key=natural):
                at = places[case]
                codes = (codes[at] if at < len(codes) else 0 for codes in columns)
                yield Row(suite, case, tuple(map(_VERDICTS.get, codes)))

    def _masks(self, subject: str) -> list[_Mask]:
        """A subject's cases as bits, suite by suite."""
        return [
            _mask(self._codes.get((suite, subject), bytearray()), len(self._places[suite]))
            for suite in self.suites
        ]


def matrix_noting(matrix: Matrix, events: Iterable[Event]) -> Iterator[Event]:
    """Events as they are, of which a matrix counts those that judge."""
    for event in events:
        if isinstance(event, Judged):
            matrix.add(event)
        yield event


class _Mask(NamedTuple):
    """A bit for each case: whether it was run, whether it was passed."""

    ran: int
    passed: int


def _mask(codes: bytearray, size: int) -> _Mask:
    # Of texts of ones and zeros, as integers of any size are made of them in no time.
    whole = codes.ljust(size, b"\0")
    return _Mask(int(whole.translate(_RAN), 2), int(whole.translate(_PASSED), 2))
