"""Remember the runs that passed, so that --cached need not repeat them.

Source: docs/resuming.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

from harness.delivery.registry import Delivery
from harness.model.case_names import natural
from harness.model.event_lines import event_line, parse_event
from harness.model.events import RunFingerprint, RunResult
from harness.model.verdict import Verdict
from harness.results.store import Space, Store, StoreError
from harness.text import to_utf8_text

_MOST_BYTES: Final = 32 << 20

_Key = tuple[str, str]  # the names of suite and subject


def may_be_cached(event: RunResult) -> bool:
    """Return whether a run passed as expected.

    A failure is not remembered: its reader wants to see it happen, and a time limit may depend on
    the load of the machine.
    """
    return event.verdict is Verdict.PASSED and bool(event.content) and event.known is None


class PassedCache:
    """The runs that passed for some suites and subjects, each under its fingerprint.

    Those of one suite and subject have at most `most_bytes`.
    """

    def __init__(
        self, folder: str, fingerprints: Iterable[RunFingerprint], most_bytes: int = _MOST_BYTES
    ) -> None:
        self._most_bytes = most_bytes
        self._store = Store(folder)
        self._spaces = {
            (each.suite, each.subject): Space("passed", each.key) for each in fingerprints
        }
        self._lines = {key: self._read(space) for key, space in self._spaces.items()}
        self._room = {key: most_bytes - sum(map(len, lines)) for key, lines in self._lines.items()}
        self._is_writable = True
        self._store.close()  # workers are forked before anything is written

    def events(self) -> Iterator[RunResult]:
        """Yield the runs that passed earlier, under the present names of suite and subject."""
        for key, lines in self._lines.items():
            suite, subject = map(to_utf8_text, key)
            for line in lines:
                with suppress(ValueError):
                    event = parse_event(line.decode("ascii"))
                    if isinstance(event, RunResult) and may_be_cached(event):
                        Delivery(event.delivery)  # raises ValueError for an unknown delivery
                        yield event._replace(suite=suite, subject=subject, cached=True)

    def add(self, event: RunResult) -> None:
        """Remember a run at once if it may be cached and there is room: xtest may be killed."""
        if not may_be_cached(event) or event.cached:
            return
        key = event.suite, event.subject
        # The command that repeats a run depends on the present command line.
        line = event_line(event._replace(repeat=())).encode("ascii")
        entry = f"{event.case} {event.delivery} {event.content}".encode("utf-8", "surrogatepass")
        # Entries of cases that have changed accumulate: a space that is half full starts over.
        has_room = self._room[key] >= self._most_bytes // 2
        starts_over = self._lines.pop(key, None) is not None and not has_room
        self._room[key] = (self._most_bytes if starts_over else self._room[key]) - len(line)
        if self._is_writable and self._room[key] >= 0:
            try:
                self._store.put(self._spaces[key], [(entry, line)], replace=starts_over)
            except StoreError:
                self._is_writable = False  # do not wait for a lock again

    def close(self) -> None:
        self._store.close()

    def _read(self, space: Space) -> list[bytes]:
        with suppress(StoreError):
            entries = dict(self._store.entries(space))
            names = sorted(entries, key=lambda key: natural(key.decode("utf-8", "surrogatepass")))
            return [entries[name] for name in names]
        return []
