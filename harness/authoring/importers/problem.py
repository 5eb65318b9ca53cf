"""Import the data of a problem package: *.in with *.ans below a folder.

The input is taken as it is. xtest compares JSON values, so that answers such as numbers, one or
more to a line, are taken, and other texts are not. Source: the problem package format.
"""

from __future__ import annotations

from pathlib import Path

from harness.authoring.importers.common import (
    Imported,
    ImportedCase,
    NotTaken,
    is_json,
    read_bytes,
    relative_files,
)


def read(source: Path) -> Imported:
    """Yield the cases of a package, or of a folder of data."""
    for path, where in relative_files(source, "*.in"):
        stdin, expected = read_bytes(path, where), read_bytes(path.with_suffix(".ans"), where)
        if isinstance(stdin, NotTaken):
            yield stdin
        elif isinstance(expected, NotTaken):
            yield NotTaken(where, "has no .ans")
        elif not is_json(expected):
            yield NotTaken(where, "its answer is not a sequence of JSON values")
        else:
            prefix = "-".join([*Path(where).parts[:-1], path.stem])
            raw = not is_json(stdin)
            yield ImportedCase(where, prefix, stdin, expected, title=where, raw=raw)
