"""Send the archive of a run to workers, once per cache folder."""

from __future__ import annotations

import json
from typing import Any, Final

from harness.runner.cluster import tasks
from harness.runner.cluster.dask_client import DaskClient
from harness.runner.cluster.shipping import Archive

_PART_BYTES: Final = 8 << 20  # at a time, so that scheduler and worker need little memory


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
        """Send the next part, and return its future."""
        assert self._archive is not None
        offset = self._sent.get(address, 0)
        part = self._archive.part(offset, _PART_BYTES)
        self._sent[address] = offset + len(part)
        request = {"digest": self.digest, "offset": offset, "size": self._archive.size}
        return self._dask.submit(key, address, tasks.receive, json.dumps(request).encode(), part)

    def has_all(self, address: str) -> bool:
        """Return whether all parts were sent to a worker."""
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
