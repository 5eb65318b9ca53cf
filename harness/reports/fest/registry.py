"""Declare the report formats of a fest, and what pages of teams reveal.

The module of a format is imported when the format is used. Source: docs/howto/test-fest.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final, NamedTuple

from harness.analysis.fest import FestScores
from harness.model.verdict import FactEnum


class Reveal(FactEnum):
    """The content of the page of a team; each level shows what those before it do, too."""

    description: str

    SCORES = "scores", "scores, and the status of its own cases"
    CASES = "cases", "also the names of the cases that its program fails"
    INPUTS = "inputs", "also their inputs and expected outputs, and why its cases are invalid"

    def shows(self, level: Reveal) -> bool:
        """Return whether pages show what this level adds."""
        levels = list(Reveal)
        return levels.index(self) >= levels.index(level)


REVEALED: Final = "; ".join(f"{each.value}: {each.description}" for each in Reveal)

Documents = Callable[[FestScores, Reveal], Mapping[str, str]]


class FestFormat(NamedTuple):
    """A format: a module whose `documents` returns texts by file name, and if PATH is a folder."""

    module: str
    is_folder: bool = False

    def load(self) -> Documents:
        """Import the module, and return the function that makes the documents."""
        documents: Documents = import_module(self.module).documents
        return documents


FEST_FORMATS: Final = {
    "html": FestFormat("harness.reports.fest.html"),
    "pages": FestFormat("harness.reports.fest.pages", is_folder=True),
    "csv": FestFormat("harness.reports.fest.csv", is_folder=True),
    "gradescope": FestFormat("harness.reports.fest.gradescope", is_folder=True),
    "markdown": FestFormat("harness.reports.fest.markdown"),
}
