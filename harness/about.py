"""What suites say of themselves, as the first event of a run carries it for reports.

Pure: records to JSON and back. What a case is worth is drawn from them in documents/points.py; who
makes them is runs/abouts.py. Imported only where one of them is there. Source: docs/results.md.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from harness.members import Members, count, elements, seconds, text
from harness.records import Visibility
from harness.words import as_written

__all__ = ["About", "Worth", "about_json", "about_records"]


class Worth(NamedTuple):
    """What one `[[cases]]` table says of grading. `match` is the pattern of the cases it is for,
    `cases` of how many of the suite's it decides the points. None: it does not say."""

    match: str
    points: float | None = None
    visibility: Visibility | None = None
    cases: int = 0


class About(NamedTuple):
    """A suite of a run: its folder, as seen from where xtest ran, and what its suite.toml says.

    `points` None: a point for each case without points of its own. The suite has `cases` in all;
    `selected` runs of them are to come, one for each case and subject.
    """

    suite: str
    folder: str
    title: str = ""
    program: str = ""
    points: float | None = None
    visibility: Visibility = Visibility.VISIBLE
    worth: tuple[Worth, ...] = ()
    cases: int = 0
    selected: int = 0


def about_json(about: tuple[About, ...]) -> list[dict[str, Any]]:
    """The member `about` of an event. What has nothing to say is left out."""
    return [_about_json(each) for each in about]


def _about_json(about: About) -> dict[str, Any]:
    entries: dict[str, Any] = {"suite": as_written(about.suite), "folder": as_written(about.folder)}
    entries |= {"cases": about.cases, "selected": about.selected}
    if about.title:
        entries["title"] = as_written(about.title)
    if about.program:
        entries["program"] = as_written(about.program)
    if about.points is not None:
        entries["points"] = about.points
    if about.visibility is not Visibility.VISIBLE:
        entries["visibility"] = about.visibility.value
    if about.worth:
        entries["worth"] = [_worth_json(each) for each in about.worth]
    return entries


def _worth_json(worth: Worth) -> dict[str, Any]:
    entries: dict[str, Any] = {"match": as_written(worth.match), "cases": worth.cases}
    if worth.points is not None:
        entries["points"] = worth.points
    if worth.visibility is not None:
        entries["visibility"] = worth.visibility.value
    return entries


def about_records(value: Any) -> tuple[About, ...]:
    """What such a member holds. Raises ValueError."""
    return tuple(_about_record(entry) for entry in elements(value))


def _about_record(value: Any) -> About:
    members = Members(value, "one")
    about = About(
        suite=members.take("suite", text),
        folder=members.take("folder", text),
        title=members.take_or_none("title", text) or "",
        program=members.take_or_none("program", text) or "",
        points=members.take_or_none("points", seconds),
        visibility=members.take_or_none("visibility", Visibility) or Visibility.VISIBLE,
        worth=members.take_or_none("worth", _worth_records) or (),
        cases=members.take("cases", count),
        selected=members.take("selected", count),
    )
    members.end()
    return about


def _worth_records(value: Any) -> tuple[Worth, ...]:
    return tuple(_worth_record(entry) for entry in elements(value))


def _worth_record(value: Any) -> Worth:
    members = Members(value, "one")
    worth = Worth(
        match=members.take("match", text),
        points=members.take_or_none("points", seconds),
        visibility=members.take_or_none("visibility", Visibility),
        cases=members.take("cases", count),
    )
    members.end()
    return worth
