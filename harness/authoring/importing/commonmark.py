"""Import the examples of the CommonMark specification. Source: its spec.json."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from harness.authoring.importing import records
from harness.errors import UsageError
from harness.model.case import stream_text
from harness.text import escape_nonprintable, to_utf8_text

_DIGITS: Final = 8  # of the digest in a name


def _read(source: Path) -> records.Imported:
    """Yield the examples; their numbers change between versions, so names have a digest."""
    path = source / "spec.json" if source.is_dir() else source
    data: Any = records.read_sole_json(path)
    if not isinstance(data, list):
        raise UsageError(f"{escape_nonprintable(str(path))}: not a list of examples")
    for number, example in enumerate(data, 1):
        if not isinstance(example, dict) or not all(
            isinstance(example.get(key), str) for key in ("markdown", "html")
        ):
            yield records.NotImported(f"entry {number}", "has no text markdown or no text html")
        else:
            yield _read_example(example)


def _read_example(example: dict[str, Any]) -> records.ImportedCase:
    section = records.to_text(example.get("section", ""))
    question = stream_text([{"markdown": example["markdown"]}])
    number = records.to_text(example.get("example", ""))
    lines = [records.to_text(example[key]) for key in ("start_line", "end_line") if key in example]
    return records.ImportedCase(
        f"{section}-{sha256(question).hexdigest()[:_DIGITS]}",
        question,
        stream_text([{"html": example["html"]}]),
        title=f"example {number}" if number else "",
        description=f"lines {'-'.join(lines)} of spec.txt" if lines else "",
        group=to_utf8_text(section),
    )


COMMONMARK: Final = records.Importer(
    "commonmark",
    "`spec.json` of CommonMark, or its folder",
    'an example: the input is `{"markdown": ...}`, the expected output `{"html": ...}`',
    "",
    _read,
)
