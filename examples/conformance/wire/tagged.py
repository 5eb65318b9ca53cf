"""Tagged JSON, as toml-test has it: each value of a TOML document with its type."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import date, datetime
from typing import Any


def tag(value: Any) -> Any:
    """Return a value of TOML, as Python has it, as tagged JSON."""
    if isinstance(value, dict):
        return {key: tag(each) for key, each in value.items()}
    if isinstance(value, list):
        return [tag(each) for each in value]
    if isinstance(value, bool):
        return {"type": "bool", "value": str(value).lower()}
    if isinstance(value, int | float | str):
        names = {int: "integer", float: "float", str: "string"}
        return {"type": names[type(value)], "value": str(value)}
    if isinstance(value, datetime):
        name = "datetime" if value.tzinfo else "datetime-local"
    else:
        name = "date-local" if isinstance(value, date) else "time-local"
    return {"type": name, "value": value.isoformat()}


def main(parse: Callable[[str], dict[str, Any]]) -> None:
    """Print the document on standard input as tagged JSON; exit with 1 if it is not TOML."""
    try:
        document = parse(sys.stdin.buffer.read().decode())
    except ValueError as problem:
        sys.exit(str(problem))
    print(json.dumps(tag(document)))
