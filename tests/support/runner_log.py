"""The commands that GitHub's runner finds in a log.

After the parser of actions/runner (ActionCommand), which looks at each line of a step's output: for
`::name key=value,...::data` behind white space at its beginning, and for the older
`##[name key=value;...]data` anywhere in it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_NEW = re.compile(r"\s*::(?P<name>[^ :]*)(?: (?P<properties>.*?))?::(?P<data>.*)", re.DOTALL)
_OLD = re.compile(r".*?##\[(?P<name>[^ \]]*)(?: (?P<properties>[^\]]*))?\](?P<data>.*)", re.DOTALL)
_DATA = {"%0D": "\r", "%0A": "\n"}
_PROPERTY = {**_DATA, "%3A": ":", "%2C": ","}


class Command(NamedTuple):
    """A command in a log."""

    name: str
    properties: dict[str, str]
    data: str


def commands_in(log: str) -> list[Command]:
    """Return the commands in a log.

    Any line that might be one counts, where the runner wants a name that it knows.
    """
    lines = re.split("\r\n|\r|\n", log)
    return [found for line in lines if (found := _command(line)) is not None]


def _command(line: str) -> Command | None:
    found = _NEW.fullmatch(line) or _OLD.fullmatch(line)
    if found is None:
        return None
    pairs = [part.partition("=") for part in (found["properties"] or "").split(",") if part]
    properties = {key: _plain(value, _PROPERTY) for key, _, value in pairs}
    return Command(found["name"], properties, _plain(found["data"], _DATA))


def _plain(text: str, escapes: dict[str, str]) -> str:
    for escape, char in escapes.items():
        text = text.replace(escape, char)
    return text.replace("%25", "%")
