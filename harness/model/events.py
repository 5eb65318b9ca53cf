"""Declare the events of a run, and make them from what was observed and judged.

Reports, history and resuming know only these. The amount of data in an event is bounded.
model/event_lines.py writes them as JSON. Source: docs/results.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple

from harness.jsonio.members import ALWAYS, JsonMember
from harness.model.case import Case, CaseInfo, InvalidCase
from harness.model.judgement import Judgement, ShownDifference, ShownMessage
from harness.model.limits import Limit, Limits
from harness.model.sessions import FRESH
from harness.model.subject import SubjectInfo
from harness.model.suite_info import SuiteInfo
from harness.model.transcript import CompanionRun, Exited, NotStarted, Signalled, Transcript
from harness.model.verdict import Verdict
from harness.text import first_bytes, last_bytes, signal_name

_MOST_WRITTEN: Final = 5  # files of a run that are named
_EXCERPT: Final = 65_536  # bytes of each stream: without a bound, one run could fill the disk

_NO_COUNTS: Final[Mapping[str, int]] = MappingProxyType({})


class Excerpt(NamedTuple):
    """A part of some bytes, at most 64 KiB, and the size of the whole."""

    data: bytes
    total: int

    @property
    def is_truncated(self) -> bool:
        return len(self.data) < self.total


class CompanionEvidence(NamedTuple):
    """The end of a companion, and of the text that it printed."""

    name: str
    ended: str
    printed: Excerpt
    late: Annotated[bool, "Whether it was late, so that other runs may be to blame."] = False


class Evidence(NamedTuple):
    """The data that a person needs to see why a run failed."""

    stdin: Excerpt
    expected: Excerpt
    stdout: Excerpt
    stderr: Excerpt
    differences: Annotated[tuple[ShownDifference, ...], ALWAYS] = ()
    differences_total: Annotated[int, ALWAYS] = 0
    talk: Annotated[
        tuple[ShownMessage, ...],
        "The conversation, if the case is a dialogue; `expected` and `stdout` are then those of the"
        " message that is wrong.",
    ] = ()
    companions: Annotated[
        tuple[CompanionEvidence, ...], "What became of each companion of the suite."
    ] = ()
    expected_by: Annotated[
        str, "Who printed `expected`, if it is no expected output but an answer that disagrees."
    ] = ""

    @property
    def sides(self) -> tuple[str, str]:
        """The names of `expected` and `stdout` in reports."""
        return self.expected_by or "expected", "printed"


class KnownFailure(NamedTuple):
    """A known failure: why the case fails, where it is discussed, and the file that lists it."""

    reason: str
    link: str = ""
    # The run failed as the entry says: it did not pass or fail differently.
    holds: Annotated[bool, ALWAYS] = True
    mismatch: Annotated[str, "Why it does not hold, unless the verdict says so."] = ""
    file: Annotated[str, "The file that lists it, if it does not hold."] = ""


class LimitUse(NamedTuple):
    """A limit of which a run used more than half: both amounts are in the unit of the limit."""

    limit: str
    used: float
    allowed: float


class RunResult(NamedTuple):
    """The result of one run. At most one of `exit` and `signal` is set: how the program ended."""

    suite: str
    case: str
    subject: str
    delivery: str
    verdict: Verdict
    message: str
    exit: int | None = None
    signal: str | None = None
    wall_s: Annotated[float, ALWAYS] = 0.0
    first_byte_s: float | None = None
    cpu_s: Annotated[float, ALWAYS] = 0.0
    peak_mib: float | None = None
    processes: Annotated[int, ALWAYS] = 1
    stdout_bytes: Annotated[int, ALWAYS] = 0
    stderr_bytes: Annotated[int, ALWAYS] = 0
    tags: Annotated[tuple[str, ...], ALWAYS] = ()
    content: str = ""  # a fingerprint of the case, or empty if it could not be read
    known: KnownFailure | None = None
    repeat: Annotated[tuple[str, ...], ALWAYS] = ()  # a command line that repeats this run alone
    evidence: Evidence | None = None
    cached: bool = False  # from an earlier run of xtest
    retried: bool = False  # repeated alone after a timeout, or for want of processes
    near_limits: tuple[LimitUse, ...] = ()  # only if it reached no limit
    accounting: Annotated[
        str,
        "How processor time, memory and processes were counted, if one of them is limited:"
        " `cgroup-v2`, `cgroup-v1`, `cgroup-members`, `proc`, `psutil` or `exit`.",
    ] = ""
    judged_in: Annotated[
        str,
        "How the verdict was reached: in a fresh process (`fresh`, the default),"
        " or in a session (`stream`, `protocol`, `fork`).",
        JsonMember("reached"),
    ] = FRESH
    info: CaseInfo | None = None  # if the suite says anything about the case
    tests: Annotated[
        int, "The number of tests in the expected output, if the suite declares `[assertions]`."
    ] = 0
    tests_passed: Annotated[int, "How many of these tests passed (default: 0)."] = 0
    points: float | None = None  # the share of those of its case, 0 to 1, if a checker says one
    failed_tests: Annotated[
        tuple[str, ...],
        "The places of the tests that failed, unless the output could not be compared or more than"
        " 1,000 tests failed.",
    ] = ()
    wrote: Annotated[
        tuple[str, ...],
        "Files that the run wrote into its private working folder: discarded; at most 5.",
    ] = ()
    shared_folder: Annotated[
        bool,
        "Whether the run shared its working folder with others, because the machine allows no"
        " private ones (default: false).",
    ] = False
    folder_changed: Annotated[
        bool,
        "Whether files in the shared folder may have changed during the run, or before it since"
        " the first run (default: false).",
    ] = False
    verdicts: Annotated[
        tuple[Verdict, ...], "The different verdicts of the runs of a `flaky` case."
    ] = ()

    @property
    def is_bare_pass(self) -> bool:
        """True if it is a pass with no more to it than amounts and names."""
        return self.verdict is Verdict.PASSED and not (
            self.evidence or self.known or self.near_limits or self.info
        )

    @property
    def failed(self) -> bool:
        """Return whether this result makes xtest exit with a status other than 0."""
        if self.verdict is Verdict.SKIPPED:
            return False
        if self.verdict is Verdict.PASSED:
            return self.known is not None
        return self.known is None or not self.known.holds


class RunFingerprint(NamedTuple):
    """A fingerprint of everything that verdicts depend on, except the cases."""

    suite: str
    subject: str
    key: str  # runs with the same one had the same subject and the same policy
    files: Annotated[str, "A fingerprint of the subject's files alone."] = ""
    settings: Annotated[str, "A fingerprint of the suite's settings alone."] = ""


class RunStarted(NamedTuple):
    """The first event: the plan of the run."""

    xtest: str
    started: str  # in UTC, in the format of RFC 3339; of the first part of a resumed run
    suites: tuple[str, ...]
    runs: int
    parallel: int
    fingerprints: Annotated[tuple[RunFingerprint, ...], JsonMember("basis")] = ()
    resumed: int = 0  # results from earlier parts
    # Only if reports need it.
    suite_infos: Annotated[tuple[SuiteInfo, ...], JsonMember("about")] = ()
    subjects: tuple[SubjectInfo, ...] = ()
    host: Annotated[str, "The name of the machine."] = ""
    command_line: Annotated[tuple[str, ...], "The words of the command line."] = ()
    withheld: bool = False  # cases are left out that the readers of a report may not see
    withheld_points: Annotated[str, "The points that suites declare for these cases."] = ""
    backend: Annotated[
        str, "`portable` if the [portable back end](running.md#other-systems) watched the programs."
    ] = ""
    continued: Annotated[str, "Only in a resumed run: the start of its last part, in UTC."] = ""


class DeliveriesDiffer(NamedTuple):
    """A case whose verdict depends on the delivery: `passed` of `of` deliveries passed."""

    where: str  # SUITE/CASE
    subject: str
    passed: int
    of: int
    message: str


class DependsOnOrder(NamedTuple):
    """A case that passed in a session, and fails in a fresh process."""

    where: Annotated[str, "The case, as `SUITE/CASE`."]
    subject: str
    polluter: Annotated[
        str, "The earlier case of the session that makes it pass; empty if unknown."
    ]
    message: Annotated[str, "The finding, in one line; its words may change between versions."]
    repeat: Annotated[tuple[str, ...], "A command line that shows the difference."]


class SessionsEnded(NamedTuple):
    """The sessions of a subject in this part of the run."""

    subject: str
    kind: Annotated[str, "`stream`, `protocol` or `fork`."]
    sessions: Annotated[int, "The number of processes started to answer several cases.", ALWAYS] = 0
    passed: Annotated[int, "Cases that passed in a session, and were not repeated.", ALWAYS] = 0
    alone: Annotated[int, "Cases whose verdict comes from a process of their own.", ALWAYS] = 0
    repeated: Annotated[int, "Cases that passed in a session, and were repeated alone.", ALWAYS] = 0
    differing: Annotated[int, "The number of repeated cases that failed alone.", ALWAYS] = 0
    seed: Annotated[int, "The seed of the random choice of cases to repeat.", ALWAYS] = 0
    stopped: Annotated[str, "The reason why no more sessions were used."] = ""
    noise: Annotated[
        tuple[str, ...], "The first lines on standard output that are not responses."
    ] = ()
    stderr: Annotated[
        tuple[str, ...], "The last lines on standard error of the first session that failed."
    ] = ()


class Diagnostic(NamedTuple):
    """A problem that is not the verdict of a run: an unusable suite, or a fault of xtest."""

    where: str
    message: str


class RunEnded(NamedTuple):
    """The last event: the number of runs by verdict, and the exit status of xtest."""

    counts: Mapping[str, int]
    wall_s: float  # the duration of the last part
    exit: int
    interrupted: Annotated[bool, ALWAYS] = False
    known: Mapping[str, int] = _NO_COUNTS  # the known failures among them
    unexpected_pass: int = 0  # passed although listed as known failures
    stopped: bool = False  # --max-failures was reached
    not_run: int = 0  # cases that were not run with every delivery: stopped or interrupted
    why_nothing_ran: Annotated[str, JsonMember("idle")] = ""  # if that is not a fault
    resumed: int = 0  # from earlier parts of this run
    cached: int = 0  # from other runs
    retried: int = 0  # repeated alone after a timeout, or for want of processes
    runs_that_wrote: Annotated[
        int, "Runs that wrote into their private working folders (default: 0)."
    ] = 0
    wrote: Annotated[tuple[str, ...], "Some of the files that these runs wrote."] = ()
    shared_folders: Annotated[
        int, "Runs that had to share their working folder with others (default: 0)."
    ] = 0

    @property
    def passed(self) -> int:
        """The number of runs that passed, without those listed as known failures."""
        return self.counts.get(Verdict.PASSED.value, 0) - self.unexpected_pass

    @property
    def skipped(self) -> int:
        """The number of cases that their subjects do not claim."""
        return self.counts.get(Verdict.SKIPPED.value, 0)

    @property
    def total(self) -> int:
        return sum(self.counts.values()) - self.skipped


Event = (
    RunStarted
    | RunResult
    | DeliveriesDiffer
    | DependsOnOrder
    | SessionsEnded
    | Diagnostic
    | RunEnded
)


class Origin(NamedTuple):
    """The subject and delivery of a run, a command line that repeats it, and the kind of session
    that judged it, or `fresh`."""

    subject: str
    delivery: str
    repeat: tuple[str, ...]
    judged_in: str = FRESH


def run_result(
    case: Case | InvalidCase, transcript: Transcript | None, judgement: Judgement, origin: Origin
) -> RunResult:
    """Return the event of one run; `transcript` is None if nothing was run."""
    if transcript is None:
        transcript = Transcript(NotStarted(""))
    evidence = None
    if judgement.verdict is not Verdict.PASSED and isinstance(case, Case):
        evidence = evidence_of_case(case, transcript, judgement)
    # The first ones by position: Python builds a dict for a call with more than 15 keywords.
    return RunResult(
        case.suite,
        case.name,
        origin.subject,
        origin.delivery,
        judgement.verdict,
        judgement.message,
        transcript.ending.status if isinstance(transcript.ending, Exited) else None,
        signal_name(transcript.ending.number) if isinstance(transcript.ending, Signalled) else None,
        _micros(transcript.wall_s),
        None if transcript.first_byte_s is None else _micros(transcript.first_byte_s),
        _micros(transcript.usage.cpu_s),
        round(transcript.usage.memory_mib, 3) if transcript.usage.memory_mib > 0 else None,
        transcript.usage.processes,
        transcript.stdout_bytes,
        transcript.stderr_bytes,
        case.tags if isinstance(case, Case) else (),
        case.content if isinstance(case, Case) else "",
        repeat=origin.repeat,
        judged_in=origin.judged_in,
        evidence=evidence,
        near_limits=_near_limits(case, transcript) if not judgement.verdict.is_limit else (),
        accounting=transcript.accounting,
        tests=judgement.tests,
        tests_passed=judgement.tests_passed,
        points=judgement.points,
        failed_tests=judgement.failed_tests,
        info=case.info if isinstance(case, Case) else None,
        wrote=transcript.written.names[:_MOST_WRITTEN],
        shared_folder=transcript.shares_folder,
        folder_changed=transcript.folder_changed,
        verdicts=judgement.verdicts,
    )


_CASE, _BYTES, _TAGS, _CONTENT, _INFO, _REPEAT = map(
    RunResult._fields.index, ("case", "stdout_bytes", "tags", "content", "info", "repeat")
)


def pass_like(event: RunResult, case: Case, repeat: tuple[str, ...]) -> RunResult:
    """Return the pass of a case of the same suite that printed just what is expected.

    The event is a pass under the same policy, in the same way and with the same amounts.
    """
    values: list[Any] = list(event)
    values[_CASE] = case.name
    values[_BYTES] = len(case.expected_text)
    values[_TAGS] = case.tags
    values[_CONTENT] = case.content
    values[_INFO] = case.info
    values[_REPEAT] = repeat
    return RunResult._make(values)


def _near_limits(case: Case | InvalidCase, transcript: Transcript) -> tuple[LimitUse, ...]:
    if isinstance(case, InvalidCase):
        return ()
    amounts = transcript.amounts
    return tuple(
        LimitUse(name, round(used, 6), allowed)
        for name, allowed in zip(Limits._fields, case.policy.limits, strict=True)
        if allowed is not None
        and (used := amounts.get(name)) is not None
        and used > allowed / 2
        and not Limit(name).is_integer  # a count is exact: there is no risk in coming near
    )


def _micros(time_s: float) -> float:
    # Ten times as fast as round(time_s, 6), which goes through a decimal text.
    return round(time_s * 1e6) / 1e6


# Evidence.


def evidence_of_case(case: Case, transcript: Transcript, judgement: Judgement) -> Evidence:
    expected = case.expected_text if judgement.expected is None else judgement.expected
    evidence = evidence_of(
        case.stdin,
        expected,
        transcript,
        judgement.differences,
        judgement.differences_total,
    )
    if transcript.companions:
        evidence = evidence._replace(companions=tuple(map(_companion, transcript.companions)))
    if not case.is_talk:
        return evidence
    printed = transcript.stdout if judgement.printed is None else judgement.printed
    total = transcript.stdout_bytes if judgement.printed is None else len(printed)
    return evidence._replace(stdout=excerpt(printed, total), talk=judgement.talk)


def _companion(run: CompanionRun) -> CompanionEvidence:
    printed = Excerpt(run.stdout + run.stderr, run.output_bytes)
    return CompanionEvidence(run.name, run.ended, printed, run.is_late)


def evidence_of(
    stdin: bytes,
    expected: bytes,
    transcript: Transcript,
    differences: tuple[ShownDifference, ...] = (),
    differences_total: int = 0,
) -> Evidence:
    return Evidence(
        stdin=excerpt(stdin, len(stdin)),
        expected=excerpt(expected, len(expected)),
        stdout=excerpt(transcript.stdout, transcript.stdout_bytes),
        # The end, where a traceback names the cause.
        stderr=Excerpt(last_bytes(transcript.stderr, _EXCERPT), transcript.stderr_bytes),
        differences=differences,
        differences_total=differences_total,
    )


def excerpt(data: bytes, total: int, most: int = _EXCERPT) -> Excerpt:
    """Return the first bytes, `most` at most, of data that is the beginning of `total` bytes."""
    return Excerpt(first_bytes(data, most, has_more=len(data) < total), total)
