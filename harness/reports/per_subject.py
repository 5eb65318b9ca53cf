"""Split results by subject, and make safe file names. Source: docs/reports.md."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from glob import escape
from hashlib import sha256
from typing import Final
from unicodedata import normalize

from harness.model.events import (
    DeliveriesDiffer,
    DependsOnOrder,
    Event,
    RunResult,
    RunStarted,
    SessionsEnded,
)
from harness.reports.filter import ReportFilter, filter_source
from harness.reports.source import ResultsFiles, Source, names_in
from harness.text import first_bytes

_STEM: Final = 100  # bytes
_UNSAFE: Final = r"[^\w.+-]+"


def sources_by_subject(
    files: Sequence[str],
    selected: ReportFilter,
    revise: Callable[[Event], Event] | None = None,
) -> dict[str, Source]:
    """Return by subject a source that reads only its lines. Raises InvalidResultsFile.

    `revise` may change events.
    """
    results = ResultsFiles(files, names_in(files, revise), revise=revise)
    suites: dict[str, set[str]] = {}
    places: dict[str, list[tuple[int, int]]] = {}
    shared: list[tuple[int, int]] = []  # places that concern all subjects
    for place, event in results.events():
        if isinstance(event, RunResult | DeliveriesDiffer | DependsOnOrder | SessionsEnded):
            places.setdefault(event.subject, list(shared)).append(place)
            if isinstance(event, RunResult):
                suites.setdefault(event.subject, set()).add(event.suite)
            continue
        for fingerprint in event.fingerprints if isinstance(event, RunStarted) else ():
            places.setdefault(fingerprint.subject, list(shared))
            suites.setdefault(fingerprint.subject, set()).add(fingerprint.suite)
        shared.append(place)
        for own in places.values():
            own.append(place)
    sources = {}
    for subject, own in places.items():
        if any(selected.matches(suite, subject) for suite in suites.get(subject, ())):
            only = selected._replace(subjects=(escape(subject),))
            sources[subject] = filter_source(partial(results.events_at, own), only)
    return sources


def file_stems(names: Collection[str], taken: Collection[str] = ()) -> dict[str, str]:
    """Return safe file names without endings, none of them `taken`, which differ by more than upper
    and lower case."""
    stems = {name: _safe(name) for name in names}
    uses = Counter(map(_fold_case, (*stems.values(), *taken)))
    for name, stem in stems.items():
        if not stem or uses[_fold_case(stem)] > 1:
            digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            stems[name] = f"{stem}-{digest}" if stem else digest
    return stems


def _safe(name: str) -> str:
    text = re.sub(_UNSAFE, "-", name.encode("utf-8", "replace").decode())
    return first_bytes(text.lstrip(".-+").encode(), _STEM).decode().rstrip(".-")


def _fold_case(stem: str) -> str:
    return normalize("NFC", stem.casefold())
