"""Judge what the companions of a program did: their failures are no fault of the program.

Source: docs/dialogues.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from harness.judging.explanation import stderr_summary
from harness.model.case import Companion, CompanionRole
from harness.model.judgement import Judgement
from harness.model.transcript import CompanionRun, CompanionState, Exited, NotStarted
from harness.model.verdict import MACHINE_LIMIT, Verdict
from harness.text import escape_nonprintable

# Timeouts, in which a program may have waited for a client that never came.
_WAITING: Final = (Verdict.SILENT, Verdict.STALLED)
# Failures that a program causes itself, whatever its companions do.
_OWN: Final = (
    Verdict.CRASHED,
    Verdict.EXIT_STATUS,
    Verdict.CPU_LIMIT,
    Verdict.MEMORY_LIMIT,
    Verdict.OUTPUT_LIMIT,
    Verdict.PROCESS_LIMIT,
)


def with_companions(
    judgement: Judgement, runs: Sequence[CompanionRun], companions: Sequence[Companion]
) -> Judgement:
    """Return the judgement of a program, given what became of its companions."""
    faulty = next(_faulty(judgement, runs, companions), None)
    if faulty is not None:
        return _with_fault(judgement, faulty)
    absent = next((run for run in runs if run.state is CompanionState.NOT_STARTED), None)
    if absent is None:
        return judgement
    note = f"the program did not listen on its port, so companion {absent.name} did not start"
    if judgement.verdict is Verdict.PASSED:
        return judgement._replace(verdict=Verdict.TOO_FEW, message=note, points=None)
    return judgement._replace(message=f"{judgement.message}; {note}")


def _faulty(
    judgement: Judgement, runs: Sequence[CompanionRun], companions: Sequence[Companion]
) -> Iterator[CompanionRun]:
    """Yield the companions that failed: first those without which the program cannot be judged,
    last those that were only late, perhaps because of the others."""
    yield from filter(_is_unusable, runs)
    declared = (companion for companion in companions for _ in companion.labels)
    for companion, run in zip(declared, runs, strict=True):
        if run.state is CompanionState.ENDED:
            # A server that has lost its client when the program ended has done its work.
            is_over = companion.role is CompanionRole.SERVER and judgement.verdict is Verdict.PASSED
            is_right = isinstance(run.ending, Exited) and (
                is_over or companion.exit.accepts(run.ending.status)
            )
            if run.limit is not None or not is_right:
                yield run
    yield from (run for run in runs if run.state is CompanionState.NOT_CONNECTED)
    if judgement.verdict in _WAITING:
        yield from (run for run in runs if not run.has_called)


def _is_unusable(run: CompanionRun) -> bool:
    return run.state is CompanionState.NOT_LISTENING or isinstance(run.ending, NotStarted)


def _with_fault(judgement: Judgement, run: CompanionRun) -> Judgement:
    is_absent = not run.has_called and judgement.verdict in _WAITING
    absent = " without a connection" if is_absent else ""
    ended = f"companion {run.name} {escape_nonprintable(run.ended)}{absent}"
    ended += stderr_summary(run.stderr)
    if judgement.verdict in _OWN and not _is_unusable(run):
        return judgement._replace(message=f"{judgement.message}; {ended}")
    if isinstance(run.ending, NotStarted) and run.ending.by_machine:
        ended = f"{MACHINE_LIMIT}: {ended}"
    xtest_killed_it = isinstance(run.ending, NotStarted)
    if judgement.verdict not in (Verdict.PASSED, Verdict.NOT_STARTED) and not xtest_killed_it:
        ended += f"; the program: {judgement.verdict.value}: {judgement.message}"
    return judgement._replace(verdict=Verdict.HARNESS_FAULT, message=ended, points=None)
