"""Compare what fuzz finds with the README: `python check.py`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

COMMAND = "xtest fuzz suite --seed 8 --inputs 2000"
KINDS = {
    "NaN and Infinity": r"NaN|Infinity",
    "lone surrogates": r"\\u[dD][89a-fA-F]",
    "numbers above 1.8e308": r"[eE][+]?[0-9]{3}",
    "integers above 2^64": r"[0-9]{20}",
    "integers above 2^53": r"[0-9]{16}",
}


def main() -> int:
    """Return the exit status: 0 if fuzz finds what the table of the README lists."""
    readme = Path("README.md").read_text(encoding="utf-8")
    assert f"\n{COMMAND}\n" in readme
    with tempfile.TemporaryDirectory() as folder:
        subprocess.call([*COMMAND.split(), "--to", folder])
        texts = [json.loads(path.read_bytes()) for path in Path(folder).glob("*-in.json")]
    found = {
        next((kind for kind, pattern in KINDS.items() if re.search(pattern, text)), text)
        for text in texts
    }
    listed = set(re.findall(r"^\| ([^|:]+?) \| `", readme, re.MULTILINE))
    print(f"found, not listed: {found - listed}; listed, not found: {listed - found}")
    return 0 if found == listed else 1


if __name__ == "__main__":
    sys.exit(main())
