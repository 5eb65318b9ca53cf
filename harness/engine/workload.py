"""Declare workloads: the items that a command runs, and how their results travel.

Every command that runs programs has one. harness/engine/running.py runs it in worker processes,
here or on a cluster. Source: docs/explanation/how-a-case-runs.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from enum import Enum, auto
from math import inf
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from harness.delivery.registry import Delivery
from harness.engine.plan import PlannedRun
from harness.engine.progress import ProgressBoard
from harness.engine.units import Source
from harness.model.case_names import input_name
from harness.model.verdict import Verdict
from harness.process.sandbox import Sandbox
from harness.process.workspace import Workspaces
from harness.project.targets import Target

I = TypeVar("I")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

_STAYS: Final = "a command without --cluster has work for this machine only"


class WorkOptions(NamedTuple):
    """Options of workers, which run `parallel` items at once.

    They start none after `ends_at` on the monotonic clock.

    With `is_alone`, they run one item at a time, each in a fresh process. The board shows the runs
    in progress and the `step` to which they belong.
    """

    parallel: int = 1
    is_alone: bool = False
    board: ProgressBoard | None = None
    ends_at: float = inf
    step: str = ""


class Share(NamedTuple):
    """Facts that a worker process needs about its share of the items.

    `in_hand` returns how many of the next items no other worker can take; it is None if outcomes
    decide what is run next.
    """

    parallel: int
    is_alone: bool
    in_hand: Callable[[], int] | None
    workspaces: Workspaces | None


class ResultKind(Enum):
    RUN = auto()
    OF_RUNS = auto()  # compares the runs of an item, so that a repetition of one changes it
    REMARK = auto()


class Timeout(NamedTuple):
    """A run that timed out while it waited for the processor, and the share of it that it got."""

    subject: Hashable
    cpu_share: float = 0.0
    is_late: bool = True  # and not only disturbed by others


class ResultFacts(NamedTuple):
    """Facts about a result that the engine needs.

    `item` is the key of its item, or None if it belongs to none. A result that `is_last` completes
    its item. A run with a `timeout` may have another outcome when it runs alone. `timed_out` says
    that the run used all its time, for whatever reason.
    """

    item: Hashable
    kind: ResultKind = ResultKind.RUN
    is_last: bool = True
    timeout: Timeout | None = None
    timed_out: bool = False

    @property
    def is_late_again(self) -> bool:
        """Return whether a repeated run has taken too long once more."""
        return self.timed_out or (self.timeout is not None and self.timeout.is_late)


class Workload(ABC, Generic[I, R]):
    """Items of type I, and their results of type R; it travels to other machines as a pickle.

    `remedy` is the end of the message about results that cannot come. Workers need the `targets`,
    with the files of their suites if it `has_suites`, and the `paths`, which are parts of subjects.
    """

    remedy: str
    targets: Sequence[Target]
    sandbox: Sandbox | None
    paths: tuple[str, ...] = ()
    has_suites = True
    keeps_files = False  # what runs write into their working folders stays there
    has_known_durations = False  # the last run of a target says how long its items take

    @property
    def reads_ahead(self) -> bool:
        """True if a worker takes several items at once: no outcome decides what comes next."""
        return False

    # On the machine that runs items.

    def prepare(self, _items: Iterable[I], _options: WorkOptions) -> None:
        """Do what comes before the workers of this machine are forked."""

    @abstractmethod
    def source(self, items: Iterator[I], share: Share) -> Source[R]:
        """Return the source of a worker process that runs these items."""

    def sent(self, results: Generator[list[R], None, None]) -> Generator[list[R], None, None]:
        """Yield the results that a worker process sends; the runs end with the generator."""
        return results

    @abstractmethod
    def pack(self, results: Sequence[R]) -> Iterable[bytes]:
        """Return results as messages, of one or several, for another process of this machine."""

    @abstractmethod
    def unpack(self, message: bytes) -> Sequence[R]:
        """Return the results in a message that `pack` made."""

    # What the engine knows of items and results.

    @abstractmethod
    def key(self, item: I) -> Hashable:
        """Return what the facts of all results of an item have as `item`."""

    @abstractmethod
    def facts(self, result: R) -> ResultFacts: ...

    def shares_folder(self, _result: R) -> bool:
        """Return whether the machine allowed a run no private working folder; called for each
        result, unless events say it."""
        return False

    # Items that are repeated alone.

    def again(self, item: I, _settled: Sequence[R]) -> I:
        """Return the item without the runs whose results are settled, if it can be cut."""
        return item

    def with_last(self, result: R, _is_last: bool) -> R:
        """Return a result that says whether its item is complete."""
        return result

    def repeated(self, result: R) -> R:
        """Return the result of a repetition, marked as one."""
        return result

    def unrepeated(self, result: R) -> R:
        """Return a result that was not repeated because of an interruption."""
        return result

    @abstractmethod
    def fault(self, item: I, message: str) -> R:
        """Return the result of an item that cannot be run: its workers are lost."""

    # On other machines, and for them. Results are checked when they come back.

    def place(self, targets: Sequence[Target], sandbox: Sandbox | None) -> None:
        """Use the targets and the sandbox as they are on this machine.

        Raises UsageError if a subject that is needed cannot start.
        """
        self.targets, self.sandbox = targets, sandbox

    def kind_of(self, _item: I) -> Hashable:
        """Return what has the same value for items that take equally long."""
        raise TypeError(_STAYS)

    def write_item(self, _item: I) -> Any:
        """Return an item as a JSON value."""
        raise TypeError(_STAYS)

    def read_item(self, _written: Any) -> I:
        raise TypeError(_STAYS)

    def write_result(self, _result: R) -> str:
        """Return a result as a line of text."""
        raise TypeError(_STAYS)

    def read_result(self, _item: I | None, _line: str) -> R:
        """Return the result in a line, with the names of its item as they are here: they need not
        be UTF-8. Raises ValueError."""
        raise TypeError(_STAYS)


class PlannedWorkload(Workload[PlannedRun, R], ABC):
    """A workload whose items are planned runs of its targets."""

    def __init__(self, targets: Sequence[Target], sandbox: Sandbox | None) -> None:
        self.targets = tuple(targets)
        self.sandbox = sandbox
        self._numbers = {target.key: number for number, target in enumerate(targets)}

    def key(self, item: PlannedRun) -> Hashable:
        suite, subject = item.target.key
        return subject, f"{suite}/{item.name.text}"

    def kind_of(self, item: PlannedRun) -> Hashable:
        return item.target.key

    def write_item(self, item: PlannedRun) -> Any:
        return (
            self._numbers[item.target.key],
            item.case_index,
            item.name.text,
            tuple(delivery.value for delivery in item.deliveries),
            tuple((delivery.value, verdict.value) for delivery, verdict in item.earlier),
        )

    def read_item(self, written: Any) -> PlannedRun:
        number, index, name, deliveries, earlier = written
        return PlannedRun(
            self.targets[number],
            input_name(name),
            tuple(map(Delivery, deliveries)),
            index,
            tuple((Delivery(delivery), Verdict(verdict)) for delivery, verdict in earlier),
        )


class Workers(Protocol[R_co]):
    """Processes that run the items of a workload."""

    def outcomes(self) -> Generator[R_co, None, None]:
        """Yield results until all runs have ended; a second call continues an interrupted one."""

    def stop(self) -> None:
        """End all runs; results that were sent stay readable."""

    def losses(self) -> list[str]:
        """Return a sentence for each new reason why results are missing."""

    def close(self) -> None:
        """Stop, and release what is in use."""


class StartWorkers(Protocol):
    """Starts workers for `total` items, which are iterated several times.

    Raises UsageError if no worker can run them.
    """

    def __call__(
        self, workload: Workload[I, R], items: Iterable[I], total: int, options: WorkOptions
    ) -> Workers[R]: ...


class RemotePool(Protocol):
    """Other machines; all calls of `start` are for the same workload."""

    @property
    def start(self) -> StartWorkers: ...

    @property
    def parallel(self) -> int:
        """The number of subjects that run at once on the workers that have come so far."""
