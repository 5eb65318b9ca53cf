"""How cases are called in pytest: the names of items, markers for tags, and ids on a command line.

Pure. An id stays the same as long as its suite, its case and the other subjects do. Source:
docs/pytest.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from harness.runs.deliveries import Delivery
from harness.words import shell_line, visible

__all__ = ["fits", "item_name", "marker_of", "subject_names", "suite_id"]

_NO_PART_OF_A_MARKER: Final = re.compile(r"[^\w.+-]")
# What means something to pytest itself: a tag must not skip a case.
_TAKEN: Final = frozenset(
    (
        *("skip", "skipif", "xfail", "parametrize", "usefixtures", "filterwarnings", "xtest"),
        *("tryfirst", "trylast", "and", "or", "not", "True", "False", "None"),
    )
)


def suite_id(name: str) -> str:
    """A suite in ids: its name, as `xtest run` shows it."""
    return visible(name).replace("::", ":")


def item_name(case: str, subject: str, delivery: Delivery) -> str:
    """A case within its suite: "7", "7[slow]", "7[js]", "7[js-slow]". `subject` is empty where
    there is only one."""
    fed = "" if delivery is Delivery.PLAIN else delivery.value
    label = "-".join(part for part in (visible(subject), fed) if part)
    return f"{visible(case)}[{label}]" if label else visible(case)


def marker_of(tag: str) -> str:
    """The marker for a tag, such as -m can name: where pytest would take the tag for something
    else, "tag_" stands in front."""
    name = _NO_PART_OF_A_MARKER.sub("_", tag)
    return f"tag_{name}" if name in _TAKEN or name.startswith("_") else name


def fits(wanted: str, found: str) -> bool:
    """Whether an id on a command line means an item of this id: itself, all of its suite, or its
    case in any way."""
    return found == wanted or found.startswith((f"{wanted}::", f"{wanted}["))


def subject_names(commands: Sequence[tuple[str, ...]], others: Collection[str]) -> list[str]:
    """What commands are called: by their programs, as `xtest run` does, unless that is the name of
    several."""
    programs = Counter((*(command[0] for command in commands), *others))
    return [
        command[0] if programs[command[0]] == 1 else shell_line(command) for command in commands
    ]
