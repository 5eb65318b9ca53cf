"""Declare work that other machines can do, and how they are asked to do it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from harness.engine.ipc import CaseEvent
from harness.engine.progress import ProgressBoard
from harness.engine.remaining import Deadline
from harness.engine.request import RunRequest, Targets, Workers
from harness.process.sandbox import Sandbox
from harness.project.targets import Target

T = TypeVar("T")
R = TypeVar("R")

Json = dict[str, Any]


class Results(NamedTuple, Generic[T, R]):
    """The results of a batch, and the items that are missing."""

    results: list[R]
    missing: tuple[T, ...]


class Work(ABC, Generic[T, R]):
    """Items that workers run, and results of type R; it travels to workers as a pickle.

    `remedy` is the end of the message about results that cannot come.
    """

    remedy: str
    targets: Sequence[Target]
    sandbox: Sandbox | None
    paths: tuple[str, ...] = ()  # parts of the subjects, beside the files that they name
    has_suites = True  # workers read the files of suites

    # On a worker.

    @abstractmethod
    def place(self, targets: Sequence[Target], sandbox: Sandbox | None) -> None:
        """Use the targets and the sandbox as they are on this machine.

        Raises UsageError if a subject that is needed cannot start.
        """

    @abstractmethod
    def run(self, request: Json, losses: list[str]) -> Iterator[str]:
        """Run the items of a request; yield lines as they come, then add sentences on workers that
        were lost."""

    # On the client.

    @abstractmethod
    def kind_of(self, item: T) -> Hashable:
        """Return what has the same value for items that take equally long."""

    @abstractmethod
    def pack(self, items: Sequence[T]) -> Json:
        """Return the members of a request that name these items."""

    @abstractmethod
    def unpack(self, items: Sequence[T], lines: Sequence[str]) -> Results[T, R]:
        """Return the results in the lines of a batch, with names as they are here: they need not be
        UTF-8. Raises ValueError."""

    @abstractmethod
    def fault(self, item: T, message: str) -> R:
        """Return the result of an item that cannot be run."""


def read_numbered(
    items: Sequence[T], lines: Sequence[str], read: Callable[[T, str], R], what: str
) -> Results[T, R]:
    """Return the results in lines that begin with the number of their item. Raises ValueError."""
    results: dict[int, R] = {}
    for line in lines:
        number, text = line.split(" ", 1)
        if not 0 <= int(number) < len(items):
            raise ValueError(f"{what} that was not asked for")
        results[int(number)] = read(items[int(number)], text)
    missing = tuple(item for number, item in enumerate(items) if number not in results)
    return Results(list(results.values()), missing)


class RemotePool(Protocol):
    """Other machines that run cases and other work."""

    @property
    def parallel(self) -> int:
        """The number of subjects that run at once on the workers that have come so far."""

    def start_workers(
        self, request: RunRequest, targets: Targets, total: int
    ) -> Workers[CaseEvent]:
        """Start the cases of a request. Raises UsageError if no worker can run them."""

    def start(
        self,
        work: Work[T, R],
        items: Iterable[T],
        total: int,
        *,
        is_alone: bool = False,
        board: ProgressBoard | None = None,
        deadline: Deadline | None = None,
        known: Mapping[Hashable, float] = MappingProxyType({}),
    ) -> Workers[R]:
        """Start work; a later call has the same workers run other items of the first work.

        `is_alone`: one item at a time. `known` are the seconds that an item of a kind takes. Raises
        UsageError if no worker can do the work.
        """
