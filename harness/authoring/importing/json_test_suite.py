"""Import JSONTestSuite: texts that a parser of JSON accepts or rejects. Source: its README."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from harness.authoring.importing import records

_FOLDER: Final = "test_parsing"
# The expected output, by the beginning of the name of a file.
_ANSWERS: Final = {"y": b"true\n", "n": b"false\n", "i": b"[true]\n[false]\n"}
_TAGS: Final = {"y": "accept", "n": "reject", "i": "either"}


def _read(source: Path) -> records.Imported:
    """Yield the files y_*.json, n_*.json and i_*.json of a folder, as raw inputs."""
    top = source / _FOLDER if (source / _FOLDER).is_dir() else source
    if top != source:
        for each in sorted(path.name for path in source.glob("test_*") if path != top):
            yield records.NotImported(each, f"only {_FOLDER} says what a parser must do")
    for path, where in records.relative_files(top, "*"):
        kind, underscore, _ = path.name.partition("_")
        is_named = kind in _ANSWERS and bool(underscore)
        if path.suffix != ".json" and not is_named:
            continue
        data = records.file_content(top, path, where)
        if isinstance(data, records.NotImported):
            yield data
        elif not is_named or path.suffix != ".json":
            yield records.NotImported(where, "is not named y_*.json, n_*.json or i_*.json")
        else:
            yield records.ImportedCase(
                records.identity_of(where),
                data,
                _ANSWERS[kind],
                title=where,
                tags=(_TAGS[kind],),
                has_several=kind == "i",
                settings=(records.RAW,),
                key=where,
            )


JSON_TEST_SUITE: Final = records.Importer(
    "json-test-suite",
    f"the folder `{_FOLDER}` of JSONTestSuite, or a checkout",
    "a file, as raw input; the expected output is `true` for `y_` (a parser accepts the text),"
    " `false` for `n_`, and either for `i_`",
    "",
    _read,
)
