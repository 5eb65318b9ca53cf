"""Add up how the sessions of a subject went in all workers."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing

from harness.model.events import SessionsEnded
from harness.runner.ipc import CaseEvent


class SessionSummaries:
    """The summaries that workers sent, added up `by_subject`."""

    def __init__(self) -> None:
        self.by_subject: dict[str, SessionsEnded] = {}

    def take(
        self, case_events: Generator[CaseEvent, None, None]
    ) -> Generator[CaseEvent, None, None]:
        """Add up summaries, and yield all other events."""
        with closing(case_events):
            for case_event in case_events:
                event = case_event.event
                if isinstance(event, SessionsEnded):
                    self.add(event)
                else:
                    yield case_event

    def add(self, event: SessionsEnded) -> None:
        known = self.by_subject.get(event.subject)
        self.by_subject[event.subject] = event if known is None else _sum(known, event)


def _sum(one: SessionsEnded, other: SessionsEnded) -> SessionsEnded:
    return one._replace(
        sessions=one.sessions + other.sessions,
        passed=one.passed + other.passed,
        alone=one.alone + other.alone,
        repeated=one.repeated + other.repeated,
        differing=one.differing + other.differing,
        stopped=one.stopped or other.stopped,
        noise=one.noise or other.noise,
    )
