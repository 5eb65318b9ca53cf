"""Run the items of a command in workers, as the options on execution say, and show the progress."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from math import inf
from typing import TypeVar

from harness.engine.running import WorkloadRun
from harness.engine.workload import RemotePool, Workload, WorkOptions
from harness.errors import UsageError
from harness.options import messages
from harness.options.arguments import ExecutionOptions
from harness.reports.terminal.progress_line import shown_progress
from harness.reports.text.events import SHARED_FOLDERS
from harness.text import escape_nonprintable

I = TypeVar("I")
R = TypeVar("R")


@contextmanager
def start_work(
    workload: Workload[I, R],
    items: Iterable[I],
    execution: ExecutionOptions,
    cluster: RemotePool | None = None,
    *,
    noun: str = "case",
    step: str = "",
    ends_at: float = inf,
) -> Iterator[WorkloadRun[I, R]]:
    """Start a workload; show its progress, of what the `noun` names, until the block ends.

    `items` are iterated several times. The progress names the `step`. All runs end at `ends_at` on
    the monotonic clock.
    """
    parallel = execution.parallel if cluster is None else max(1, cluster.parallel)
    with ExitStack() as at_end, shown_progress(parallel, noun) as board:
        board.ends_at = ends_at
        run = WorkloadRun(
            workload,
            items,
            sum(1 for _ in items),
            WorkOptions(parallel, board=board, ends_at=ends_at, step=step),
            start=None if cluster is None else cluster.start,
            retries=execution.retries(),
        )
        at_end.callback(lambda: run.shares_folders and _note_shared_folders())
        with closing(run):
            yield run


@cache  # a command has several workloads
def _note_shared_folders() -> None:
    messages.print_note(SHARED_FOLDERS)


def require_all(losses: Sequence[str]) -> None:
    """Raise UsageError if there are reasons why results are missing; print all but the last."""
    if losses:
        *others, last = map(escape_nonprintable, losses)
        for loss in others:
            messages.print_message(loss)
        raise UsageError(last)
