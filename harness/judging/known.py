"""Known failures: whether suite.toml lists what became of a run, and how well that still holds.

Pure: settings, a subject and a verdict in, what is known out. A verdict is never changed by it.
Source: docs/suites.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from harness.events import Judged, Known
from harness.records import Subject, Verdict
from harness.suites.naming import CaseName
from harness.suites.policy import KnownRule, SuiteSettings

__all__ = ["known_of", "means"]

# Nothing that a subject did: no list of its failures can have meant it.
_NOT_ITS_DOING = (Verdict.INVALID_CASE, Verdict.NOT_STARTED, Verdict.HARNESS_FAULT)


def known_of(
    settings: SuiteSettings, subject: Subject, name: CaseName, event: Judged
) -> Known | None:
    """What the suite lists of this run; None: nothing. Of several entries one that holds is taken,
    otherwise the first."""
    if event.verdict in _NOT_ITS_DOING:
        return None
    found = None
    for rule in _rules_for(settings, subject, name, event.delivery):
        known = Known(rule.reason, rule.link, _holds(rule, event.verdict))
        if known.holds:
            return known
        found = found or known
    return found


def _rules_for(
    settings: SuiteSettings, subject: Subject, name: CaseName, delivery: str
) -> Iterator[KnownRule]:
    for rule in settings.known:
        if rule.applies_to(name) and (not rule.deliveries or delivery in rule.deliveries):
            if means(rule.subject, subject):
                yield rule


def means(pattern: str, subject: Subject) -> bool:
    """Whether a glob means a subject: by its name, by the name without its folder, or by the whole
    command line, since `python3 mine.py` is called python3."""
    names = (subject.name, subject.name.rpartition("/")[2], " ".join(subject.command))
    return any(fnmatchcase(text, pattern) for text in names)


def _holds(rule: KnownRule, verdict: Verdict) -> bool:
    if verdict is Verdict.PASSED:
        return False
    return not rule.verdicts or verdict in rule.verdicts
