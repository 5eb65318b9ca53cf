"""The stream of events: what a run tells the world. Everything shown to anyone is made of these.

Pure: what was observed and judged goes in, records come out, with bounds to what they carry. Their
lines of JSON are in eventlines.py. Source: docs/results.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from harness.jsontext import Json, encode
from harness.records import (
    MISSING,
    Case,
    Difference,
    Exited,
    InvalidCase,
    Judgement,
    Missing,
    NotStarted,
    Signalled,
    Transcript,
    Verdict,
)
from harness.suites.content import content_of
from harness.words import cut, first_bytes, last_bytes, signal_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.about import About

__all__ = [
    "Basis",
    "Bytes",
    "DeliveriesDiffer",
    "Event",
    "Evidence",
    "Judged",
    "Known",
    "Origin",
    "Problem",
    "RunEnded",
    "RunStarted",
    "ShownDifference",
    "evidence_of",
    "judged",
]

# What an event carries at the most. Without bounds, one run could fill the disk.
_CARRIED: Final = 65_536  # bytes of each stream
_DIFFERENCES: Final = 200
_VALUE: Final = 4_096  # characters of a differing value, and of its place

_NO_COUNTS: Final[Mapping[str, int]] = MappingProxyType({})


class Bytes(NamedTuple):
    """Bytes as an event carries them: 64 KiB at the most, and how many there were. Of standard
    error it is their end, where a traceback says what went wrong; otherwise their beginning."""

    data: bytes
    total: int

    @property
    def is_cut(self) -> bool:
        """Whether some are left out."""
        return len(self.data) < self.total


class ShownDifference(NamedTuple):
    """A difference with its values as JSON texts, long ones cut; None: there is no value.
    `actual_pointer`: where the printed value stands, if elsewhere than the expected one."""

    pointer: str
    expected: str | None
    actual: str | None
    actual_pointer: str | None = None


class Evidence(NamedTuple):
    """What a person needs in order to see why a run did not pass."""

    stdin: Bytes
    expected: Bytes
    stdout: Bytes
    stderr: Bytes
    differences: tuple[ShownDifference, ...] = ()
    differences_total: int = 0


class Known(NamedTuple):
    """What suite.toml says of a failure that is known: why it is there, and where that is talked
    about. `holds`: the run fell short as it says; otherwise it passed, or fell short in a way that
    is not listed."""

    reason: str
    link: str = ""
    holds: bool = True


class Judged(NamedTuple):
    """One run was judged. `exit` and `signal`: how the program ended, at most one of them.
    `content` is a fingerprint of the case, empty where it could not be read. `repeat` is a command
    line that runs just this again. `cached`: it ran in an earlier run of xtest, and not now."""

    suite: str
    case: str
    subject: str
    delivery: str
    verdict: Verdict
    message: str
    exit: int | None = None
    signal: str | None = None
    wall_s: float = 0.0
    first_byte_s: float | None = None
    cpu_s: float = 0.0
    peak_mib: float | None = None
    processes: int = 1
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    tags: tuple[str, ...] = ()
    content: str = ""
    known: Known | None = None
    repeat: tuple[str, ...] = ()
    evidence: Evidence | None = None
    cached: bool = False

    @property
    def falls_short(self) -> bool:
        """Whether this keeps xtest from the exit status 0: nobody expected it."""
        if self.verdict is Verdict.PASSED:
            return self.known is not None
        return self.known is None or not self.known.holds


class Basis(NamedTuple):
    """What the verdicts of a suite and a subject rest on beside the cases, as a fingerprint: two
    runs with the same `key` are of the same subject under the same policy."""

    suite: str
    subject: str
    key: str


class RunStarted(NamedTuple):
    """The first event: what is going to be run. `started` is a time in UTC, as RFC 3339 has it; of
    a run that was gone on with, of its first part. `resumed` runs were over before this part.
    `about` is what a report says of the suites; empty where nobody asked for it. `subjects` are all
    of them by name, where there are several."""

    xtest: str
    started: str
    suites: tuple[str, ...]
    runs: int
    parallel: int
    basis: tuple[Basis, ...] = ()
    resumed: int = 0
    about: tuple[About, ...] = ()
    subjects: tuple[str, ...] = ()


class DeliveriesDiffer(NamedTuple):
    """The deliveries of one case got different verdicts: `passed` of `of` are right. `where` is
    the suite and the case, with a slash between them."""

    where: str
    subject: str
    passed: int
    of: int
    message: str


class Problem(NamedTuple):
    """Something that is nobody's verdict: a suite that cannot be used, a fault of our own."""

    where: str
    message: str


class RunEnded(NamedTuple):
    """The last event: how many runs got which verdict, and the exit status of xtest.

    `known` counts those of them that are known failures; `outgrown` runs passed, and are listed as
    such. `stopped`: there were as many failures as --max-failures allows. `not_run` cases were not
    run, or not in every way, as it was stopped or interrupted. `idle` says why nothing was run,
    where that is no fault. Of the runs that are counted, `resumed` were over before this part of
    the run, and `cached` stem from another run; `wall_s` is what the last part took.
    """

    counts: Mapping[str, int]
    wall_s: float
    exit: int
    interrupted: bool = False
    known: Mapping[str, int] = _NO_COUNTS
    outgrown: int = 0
    stopped: bool = False
    not_run: int = 0
    idle: str = ""
    resumed: int = 0
    cached: int = 0


Event = RunStarted | Judged | DeliveriesDiffer | Problem | RunEnded


class Origin(NamedTuple):
    """Whose run it was, how its input was delivered, and how to repeat it."""

    subject: str
    delivery: str
    repeat: tuple[str, ...]


def judged(
    case: Case | InvalidCase, transcript: Transcript | None, judgement: Judgement, origin: Origin
) -> Judged:
    """The event of one run; without a transcript where nothing was run. Evidence is carried by
    those that did not pass."""
    seen = transcript if transcript is not None else Transcript(NotStarted(""))
    failed = judgement.verdict is not Verdict.PASSED
    # The first ones by place: of more than fifteen keywords Python makes a dict, for each call.
    return Judged(
        case.suite,
        case.name,
        origin.subject,
        origin.delivery,
        judgement.verdict,
        judgement.message,
        seen.ending.status if isinstance(seen.ending, Exited) else None,
        signal_name(seen.ending.number) if isinstance(seen.ending, Signalled) else None,
        _micros(seen.wall_s),
        None if seen.first_byte_s is None else _micros(seen.first_byte_s),
        cpu_s=_micros(seen.cpu_s),
        peak_mib=None if seen.peak_mib is None else round(seen.peak_mib, 3),
        processes=seen.processes,
        stdout_bytes=seen.stdout_bytes,
        stderr_bytes=seen.stderr_bytes,
        tags=case.tags if isinstance(case, Case) else (),
        content=content_of(case.stdin, case.expected_text) if isinstance(case, Case) else "",
        repeat=origin.repeat,
        evidence=_evidence(case, seen, judgement) if failed and isinstance(case, Case) else None,
    )


def _micros(time_s: float) -> float:
    # Python rounds to six digits by way of a text, which takes ten times as long.
    return round(time_s * 1e6) / 1e6


# Evidence.


def evidence_of(
    stdin: bytes, expected: bytes, seen: Transcript, differences: Sequence[Difference] = ()
) -> Evidence:
    """What an event carries of a run, and of where it differs from the expected text."""
    return Evidence(
        stdin=_head(stdin, len(stdin)),
        expected=_head(expected, len(expected)),
        stdout=_head(seen.stdout, seen.stdout_bytes),
        stderr=Bytes(last_bytes(seen.stderr, _CARRIED), seen.stderr_bytes),
        differences=tuple(_shown(entry) for entry in differences[:_DIFFERENCES]),
        differences_total=len(differences),
    )


def _evidence(case: Case, seen: Transcript, judgement: Judgement) -> Evidence:
    return evidence_of(case.stdin, case.expected_text, seen, judgement.differences)


def _head(data: bytes, total: int) -> Bytes:
    return Bytes(first_bytes(data, _CARRIED, goes_on=len(data) < total), total)


def _shown(difference: Difference) -> ShownDifference:
    expected, actual = _value_text(difference.expected), _value_text(difference.actual)
    moved = difference.actual_pointer
    beside = None if moved is None else cut(moved, _VALUE)
    return ShownDifference(cut(difference.pointer, _VALUE), expected, actual, beside)


def _value_text(value: Json | Missing) -> str | None:
    return None if value is MISSING else cut(encode(value), _VALUE)
