"""Share what the HTML report and the site have in common: their style, and data in scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

__all__ = ["STYLE", "in_script"]

STYLE: Final = Path(__file__).with_name("page.css").read_text(encoding="utf-8")


def in_script(value: Any) -> str:
    """Return JSON without `<`, which could close the script element or open another one."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
