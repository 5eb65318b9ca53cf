"""Write a folder of badges. Source: docs/site.md."""

from __future__ import annotations

from collections.abc import Iterator

from harness.analysis.summary import summary_of
from harness.reports.pages.badges import badge_files
from harness.reports.source import Source


def documents(source: Source) -> Iterator[tuple[str, Iterator[str]]]:
    for name, content in badge_files(summary_of(source()).matrix):
        yield name, iter([content])
