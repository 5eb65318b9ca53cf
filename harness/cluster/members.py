"""Track the workers of a cluster: which have come, gone or been silent, and which can run the work.

The archive of a run is sent to them, once per cache folder.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from harness.cluster import tasks
from harness.cluster.batches import Batch
from harness.cluster.dask_client import DaskClient
from harness.cluster.shipping import Archive
from harness.results.file_digests import FolderContent, file_listing
from harness.text import escape_nonprintable, format_number, pluralize
from harness.version import VERSION

T = TypeVar("T")

_UPDATE_S: Final = 0.5  # between two updates of the list of workers
_SIGN_CHECKS: Final = 10  # for signs of life, before a silent worker counts as lost
_PART_BYTES: Final = 8 << 20  # at a time, so that scheduler and worker need little memory
_VERSIONS: Final = [VERSION, sys.version.split(maxsplit=1)[0]]


@dataclass(eq=False, slots=True)
class RemoteWorker(Generic[T]):
    """A worker: it is asked what it lacks, then gets batches, the oldest first."""

    address: str
    threads: int
    pending: Any = None  # the future of its next answer
    is_ready: bool = False
    problem: str = ""
    batches: dict[Batch[T], Any] = field(default_factory=dict)  # and their futures


class SilenceWatch:
    """The last sign of life of each worker, on any clock, and when it arrived here."""

    def __init__(self, after_s: float) -> None:
        self.silent: frozenset[str] = frozenset()
        self._after_s = after_s
        self._looked_at = 0.0
        self._signs: dict[str, tuple[float, float]] = {}

    def is_due(self, now: float) -> bool:
        return now >= self._looked_at + self._after_s / _SIGN_CHECKS

    def note(self, signs: Mapping[str, float], now: float) -> None:
        """Take the last sign of each worker that is connected."""
        self._looked_at = now
        known = self._signs
        self._signs = {
            worker: known[worker] if worker in known and known[worker][0] == sign else (sign, now)
            for worker, sign in signs.items()
        }
        limit = now - self._after_s
        self.silent = frozenset(each for each, (_, since) in self._signs.items() if since < limit)


class ArchiveTransfers:
    """The workers that receive an archive, and the workers that wait for it in the same folder."""

    def __init__(self, dask: DaskClient, archive: Archive | None) -> None:
        self._dask = dask
        self._archive = archive
        self._sent: dict[str, int] = {}  # bytes, by the address of the worker
        self._receivers: dict[str, str] = {}  # addresses, by the place of the archive
        self._waiting: dict[str, str] = {}  # places, by address

    @property
    def digest(self) -> str:
        return "" if self._archive is None else self._archive.digest

    def wanted(self, address: str, place: str) -> bool:
        """Note that a worker lacks the archive; return whether to send parts now."""
        if self._receivers.setdefault(place, address) == address:
            return True
        self._waiting[address] = place
        return False

    def send_part(self, key: object, address: str) -> Any:
        assert self._archive is not None
        offset = self._sent.get(address, 0)
        part = self._archive.part(offset, _PART_BYTES)
        self._sent[address] = offset + len(part)
        request = {"digest": self.digest, "offset": offset, "size": self._archive.size}
        return self._dask.submit(key, address, tasks.receive, json.dumps(request).encode(), part)

    def has_all(self, address: str) -> bool:
        return self._archive is not None and self._sent.get(address, 0) >= self._archive.size

    def end(self, address: str, *, has_gone: bool) -> list[str]:
        """Forget a worker that has the archive or has gone; return those that waited for it."""
        if has_gone:  # another one may get its address
            self._sent.pop(address, None)
        places = [place for place, each in self._receivers.items() if each == address]
        for place in places:
            del self._receivers[place]
        self._waiting.pop(address, None)
        waited = [each for each, place in self._waiting.items() if place in places]
        for each in waited:
            del self._waiting[each]
        return waited


class RemoteWorkers(Generic[T]):
    """The workers that are connected to a scheduler.

    `packed` is the work as it is sent to them; `report` is called with sentences to show. With
    `waits`, the time to wait for jobs in a queue is not limited.
    """

    def __init__(
        self,
        dask: DaskClient,
        packed: bytes,
        report: Callable[[str], None],
        archive: Archive | None,
        *,
        waits: bool,
    ) -> None:
        self.session: Final = secrets.token_hex(8)
        self.died = 0
        self.dask: Final = dask
        self.report: Final = report
        self._packed = packed
        self._pending = 0 if waits else None  # jobs of a queue, if there is one
        self._noted_since: float | None = None  # the `_empty_since` that was reported
        self._transfers = ArchiveTransfers(dask, archive)
        self._members: dict[str, RemoteWorker[T]] = {}  # by address
        self._looked_at = 0.0
        self._empty_since: float | None = None
        self._watch = SilenceWatch(dask.silence_s)

    @property
    def all(self) -> list[RemoteWorker[T]]:
        return list(self._members.values())

    @property
    def ready(self) -> list[RemoteWorker[T]]:
        return [member for member in self._members.values() if member.is_ready]

    @property
    def are_useless(self) -> bool:
        """True if there are workers, all of them lack something, and no jobs are pending."""
        members = self._members.values()
        return bool(members) and all(each.problem for each in members) and not self._pending

    def waited_too_long(self) -> bool:
        """Return whether no worker that may run something has come in time; note pending jobs."""
        since = self._empty_since
        is_late = since is not None and time.monotonic() > since + self.dask.silence_s
        if is_late and self._pending and self._noted_since != since:
            self._noted_since = since
            jobs = f"{pluralize(self._pending, 'job')} in the queue"
            failed = "a job that is no longer there has failed: see its log"
            self.report(f"still waiting for {jobs}; {failed}")
        return is_late and not self._pending

    def update(self) -> list[RemoteWorker[T]]:
        """Add the workers that have come, and remove and return the workers that have gone.

        Does nothing if the last update was just now. Raises ConnectionLost.
        """
        now = time.monotonic()
        if now < self._looked_at + _UPDATE_S:
            return []
        self._looked_at = now
        if self._pending is not None:
            self._pending = self.dask.pending_jobs()  # asked before the workers that it leaves out
        present = self.dask.workers()
        if self._watch.is_due(now):
            self._watch.note(self.dask.last_signs(), now)
        present = {each: present[each] for each in present if each not in self._watch.silent}
        gone = [self._members.pop(each) for each in [*self._members] if each not in present]
        for member in gone:
            if member.address in self._watch.silent:
                self.report_silence(member)
            else:
                self.died += bool(member.batches)
            self.dask.cancel(member.pending)
            self._end_transfer(member, has_gone=True)
        for address, threads in present.items():
            if address not in self._members:
                self._members[address] = RemoteWorker(address, threads)
                self.check(self._members[address])
        is_empty = all(each.problem for each in self._members.values())
        self._empty_since = (self._empty_since or now) if is_empty else None
        return gone

    def check(self, member: RemoteWorker[T]) -> None:
        """Send the work to a worker and ask what it lacks; `answered` takes the answer."""
        member.is_ready, member.problem = False, ""
        wanted = {"versions": _VERSIONS, "archive": self._transfers.digest}
        request = json.dumps({**wanted, "silence_s": self.dask.silence_s}).encode()
        member.pending = self.dask.submit(
            *(member, member.address, tasks.prepare, self.session, self._packed, request)
        )

    def answered(self, member: RemoteWorker[T], data: bytes | None) -> None:
        """Take what a worker lacks, or its answer to a part of the archive."""
        if self._members.get(member.address) is not member:
            return
        facts = json_object(data)
        problem = _problem_of(facts)
        has_all = self._transfers.has_all(member.address)
        if "lacks" in facts and has_all and not problem:
            problem, facts = "it lost the shipped files", {}
        if problem:
            self._refuse(member, problem, str(facts.get("host", "another machine")))
        elif "lacks" in facts:
            if self._transfers.wanted(member.address, str(facts["lacks"])):
                self._send_part(member)
        elif "received" not in facts:
            member.is_ready = True
        elif has_all:
            self.check(member)
            self._end_transfer(member)
        else:
            self._send_part(member)

    def report_silence(self, member: RemoteWorker[T]) -> None:
        silence = f"was silent for {format_number(self.dask.silence_s)} s"
        self.report(f"worker {member.address} {silence}; its cases in progress run again")

    def _send_part(self, member: RemoteWorker[T]) -> None:
        member.pending = self._transfers.send_part(member, member.address)

    def _end_transfer(self, member: RemoteWorker[T], *, has_gone: bool = False) -> None:
        """Let the workers that waited for this one ask again."""
        for address in self._transfers.end(member.address, has_gone=has_gone):
            if address in self._members:
                self.check(self._members[address])

    def _refuse(self, member: RemoteWorker[T], problem: str, host: str) -> None:
        member.problem = problem
        name = f"worker {member.address} on {escape_nonprintable(host)}"
        self.report(f"{name} gets no cases: {escape_nonprintable(problem)}")
        self._end_transfer(member)

    def stop(self) -> None:
        """End all runs on the workers, which then send what they have of their batches."""
        self.dask.tell_all(tasks.stop, self.session)

    def cancel(self) -> None:
        for member in self._members.values():
            for future in member.batches.values():
                self.dask.cancel(future)
            member.batches.clear()


def json_object(data: bytes | None) -> dict[str, Any]:
    """Return the JSON object that a worker sent; empty if it sent none."""
    try:
        value = json.loads(data or b"{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _problem_of(facts: dict[str, Any]) -> str:
    """Return what a worker lacks, by the facts that it sent; empty if nothing."""
    if "xtest" not in facts:
        return "it cannot load xtest; install the same version there"
    if [facts["xtest"], facts["python"]] != _VERSIONS:
        theirs = f"xtest {facts['xtest']} on Python {facts['python']}"
        return f"it has {theirs}, not xtest {_VERSIONS[0]} on Python {_VERSIONS[1]}"
    if "files" in facts:
        ours, theirs = file_listing(facts["path"], FolderContent(facts["kind"])), facts["files"]
        names = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
        path = os.path.join(facts["path"], names[0]) if names and names[0] else facts["path"]
        return f"{path} differs there; workers need the same files"
    return str(facts.get("problem") or facts.get("failure") or "")
