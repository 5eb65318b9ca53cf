"""The names of cases in pytest: item names, markers for tags, and ids on the command line.

Pure. The id of an item does not change when other cases are added.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from harness.delivery.registry import Delivery
from harness.text import escape_nonprintable, shell_line

__all__ = ["fits", "item_name", "marker_of", "subject_names", "suite_id"]

_NOT_IN_MARKERS: Final = re.compile(r"[^\w.+-]")
# Names with a meaning of their own in pytest: a tag must not skip a case.
_RESERVED: Final = frozenset(
    (
        *("skip", "skipif", "xfail", "parametrize", "usefixtures", "filterwarnings", "xtest"),
        *("tryfirst", "trylast", "and", "or", "not", "True", "False", "None"),
    )
)


def suite_id(name: str) -> str:
    """Return the id of a suite: its name, without the separator of ids."""
    return escape_nonprintable(name).replace("::", ":")


def item_name(case: str, subject: str, delivery: Delivery) -> str:
    """Return the name of an item in its suite: "7", "7[slow]", "7[js]" or "7[js-slow]"."""
    delivery_name = "" if delivery is Delivery.PLAIN else delivery.value
    label = "-".join(part for part in (escape_nonprintable(subject), delivery_name) if part)
    return f"{escape_nonprintable(case)}[{label}]" if label else escape_nonprintable(case)


def marker_of(tag: str) -> str:
    """Return the marker for a tag; "tag_" is prefixed to names that pytest reserves."""
    name = _NOT_IN_MARKERS.sub("_", tag)
    return f"tag_{name}" if name in _RESERVED or name.startswith("_") else name


def fits(requested: str, node_id: str) -> bool:
    """Return whether an id names an item, its suite, or its case without the label."""
    return node_id == requested or node_id.startswith((f"{requested}::", f"{requested}["))


def subject_names(commands: Sequence[tuple[str, ...]], others: Collection[str]) -> list[str]:
    """Return the program of each command, or the whole command line if that is not unique."""
    programs = Counter((*(command[0] for command in commands), *others))
    return [
        command[0] if programs[command[0]] == 1 else shell_line(command) for command in commands
    ]
