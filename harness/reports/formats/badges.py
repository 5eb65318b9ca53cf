"""Write badges into a folder. Pure. Source: docs/site.md."""

from __future__ import annotations

from collections.abc import Iterator

from harness.reports.badges import badge_files
from harness.reports.source import Source
from harness.reports.summary import summary_of


def documents(source: Source) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the name and the content of each file."""
    for name, content in badge_files(summary_of(source()).matrix):
        yield name, iter([content])
