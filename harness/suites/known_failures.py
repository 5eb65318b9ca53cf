"""Match runs against the `[[known]]` tables of suite.toml. Source: docs/suites.md."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from harness.model.case_names import CaseName
from harness.model.events import Judged, KnownFailure
from harness.model.subject import Subject
from harness.model.verdict import Verdict
from harness.suites.settings import KnownRule, SuiteSettings

__all__ = ["find_known_failure", "pattern_matches"]


def find_known_failure(
    settings: SuiteSettings, subject: Subject, name: CaseName, event: Judged
) -> KnownFailure | None:
    """Return the known failure that lists a run, or None if no table does.

    The first table that predicts the verdict is taken, or else the first that lists the run.
    """
    if not event.verdict.subject_ran:
        return None
    first = None
    for rule in _rules_for(settings, subject, name, event.delivery):
        known = KnownFailure(rule.reason, rule.link, _predicts(rule, event.verdict))
        if known.holds:
            return known
        first = first or known
    return first


def _rules_for(
    settings: SuiteSettings, subject: Subject, name: CaseName, delivery: str
) -> Iterator[KnownRule]:
    for rule in settings.known:
        if rule.applies_to(name) and (not rule.deliveries or delivery in rule.deliveries):
            if pattern_matches(rule.subject, subject):
                yield rule


def pattern_matches(pattern: str, subject: Subject) -> bool:
    """Return whether a glob matches a subject's name, with or without folder, or its command line.

    The command line matters because `python3 mine.py` is called python3.
    """
    names = (subject.name, subject.name.rpartition("/")[2], " ".join(subject.command))
    return any(fnmatchcase(text, pattern) for text in names)


def _predicts(rule: KnownRule, verdict: Verdict) -> bool:
    if verdict is Verdict.PASSED:
        return False
    return not rule.verdicts or verdict in rule.verdicts
