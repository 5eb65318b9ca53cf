"""Print what a library reads in each JSON text: `parse.py json`, `parse.py orjson`."""

from __future__ import annotations

import importlib
import json
import math
import sys
from typing import Any

library = importlib.import_module(sys.argv[1])


def _plain(value: Any) -> Any:
    """Return a value without what JSON cannot hold: infinity, NaN and lone surrogates."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(each) for key, each in value.items()}
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


for line in sys.stdin:
    try:
        answer = {"value": _plain(library.loads(json.loads(line)))}
    except ValueError:
        answer = {"error": True}
    print(json.dumps(answer), flush=True)
