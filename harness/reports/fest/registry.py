"""Declare the report formats of a fest. Source: docs/howto/test-fest.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from harness.analysis.fest import FestScores
from harness.reports.fest.content import Reveal
from harness.reports.fest.pages import staff_page, team_pages
from harness.reports.fest.text_formats import csv_files, gradescope, markdown


class FestFormat(NamedTuple):
    """A format: a function that returns texts by file name, and whether PATH is a folder."""

    documents: Callable[[FestScores, Reveal], Mapping[str, str]]
    is_folder: bool = False


FEST_FORMATS: Final = {
    "html": FestFormat(staff_page),
    "pages": FestFormat(team_pages, is_folder=True),
    "csv": FestFormat(csv_files, is_folder=True),
    "gradescope": FestFormat(gradescope, is_folder=True),
    "markdown": FestFormat(markdown),
}
