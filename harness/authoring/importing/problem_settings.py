"""Read the settings of a problem package: the part of YAML that such files use.

A key is on a line of its own, or inside the key above it, from which its name is dotted. Values are
texts. Lists and texts of several lines are kept as one text.
"""

from __future__ import annotations

import re
from typing import Final

Settings = dict[str, str]

_LINE: Final = re.compile(r"( *)([A-Za-z_][\w.-]*) *:(?: +(.*)|)")
_COMMENT: Final = re.compile(r"(^|\s)#.*$")
_TOLERANCE: Final = re.compile(
    r"float_(absolute_|relative_|)tolerance[= ]+([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)"
)
# Flags without a counterpart that are true of xtest anyway.
_CASE_FLAG: Final = re.compile(r"\bcase_sensitive\b")


def parse_settings(text: str) -> Settings:
    """Return the values of a file by their dotted keys."""
    settings: Settings = {}
    around: list[tuple[int, str]] = []  # the indentation of each key around, and its name
    last = ""
    for line in text.splitlines():
        line = _COMMENT.sub("", line).rstrip()
        found = _LINE.fullmatch(line)
        if found is None:
            if last and line.strip() not in ("", "---", "..."):
                settings[last] = f"{settings[last]} {line.strip()}".strip()
            continue
        indent = len(found[1])
        while around and around[-1][0] >= indent:
            around.pop()
        around.append((indent, found[2]))
        last = ".".join(name for _, name in around)
        settings[last] = (found[3] or "").strip().strip("'\"")
    return settings


def tolerance_of(flags: str) -> tuple[tuple[str, ...], str]:
    """Return the comparison that flags of the default validator ask for, and the flags left."""
    amounts: dict[str, str] = {}
    for kind, amount in _TOLERANCE.findall(flags):
        for name in (kind.rstrip("_"),) if kind else ("absolute", "relative"):
            amounts[name] = amount
    left = " ".join(_CASE_FLAG.sub("", _TOLERANCE.sub("", flags)).split())
    if not amounts:
        return (), left
    table = ", ".join(f"{name} = {_toml_number(amount)}" for name, amount in amounts.items())
    return (f"compare.numbers = {{ {table} }}",), left


def _toml_number(amount: str) -> str:
    """Return a number as TOML spells it: with a digit after the point."""
    return re.sub(r"\.(?![0-9])", ".0", amount)
