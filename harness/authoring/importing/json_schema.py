"""Import the JSON Schema test suite, in all of its layouts.

Source: the README of JSON-Schema-Test-Suite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from harness.authoring.importing import records
from harness.errors import UsageError
from harness.jsonio.decoder import Json, encode
from harness.model.case import stream_text
from harness.model.case_names import natural
from harness.text import escape_nonprintable, shorten

# Folders whose tests an implementation may leave out, and their tags.
_TAGS: Final = {"optional": "optional", "format": "format", "proposals": "proposal"}
_DIALECT: Final = re.compile(r"draft[0-9-].*|v[0-9]+|latest")  # a folder of tests
_SHOWN: Final = 200  # characters of the names of dialects in a message
_REMOTE_HOST: Final = "localhost:1234"
_KNOWN_KEYS: Final = {"description", "schema", "tests", "compatibility", "comment", "specification"}


def _read(source: Path) -> records.Imported:
    """Yield a case for each group of a file, or of all files in a folder, and the remotes.

    The input has `schema` and the `instances` of the group, the output is an array with the
    validity of each. Raises UsageError for the tests of all dialects.
    """
    _check_is_one_dialect(source)
    yield records.SuiteLines(("[assertions]", 'each = "/*/*"'))
    files = records.relative_files(source, "*.json") if source.is_dir() else [(source, source.name)]
    needs_remotes = False
    for path, where in files:
        value = records.read_json(source, path, where)
        groups = _groups_of(value)
        if isinstance(value, records.NotImported):
            yield value
        elif groups is None:
            yield records.NotImported(where, "not a list of groups")
        else:
            for number, group in enumerate(groups, 1):
                needs_remotes = needs_remotes or _REMOTE_HOST in encode(group)
                yield _read_group(where, number, group)
    if needs_remotes:
        yield from _remotes(source)


def _check_is_one_dialect(source: Path) -> None:
    """Raise UsageError for a checkout or its folder `tests`: a test does not name its dialect."""
    for tests, place in ((source, ""), (source / "tests", " in tests")):
        folders = (each.name for each in tests.glob("*/"))
        dialects = sorted(filter(_DIALECT.fullmatch, folders), key=natural)
        if len(dialects) > 1:
            where = escape_nonprintable(str(source))
            names = escape_nonprintable(shorten(", ".join(dialects), _SHOWN))
            raise UsageError(
                f"{where}: has tests of several dialects; name one folder{place}: {names}"
            )


def _groups_of(value: Any) -> list[Any] | None:
    """Return the groups of a file: a list, or in newer layouts an object that has one."""
    if isinstance(value, dict):
        value = value.get("tests", value.get("suite"))
    return value if isinstance(value, list) else None


def _read_group(file: str, number: int, group: Any) -> records.ImportedCase | records.NotImported:
    try:
        is_annotated = any("assertions" in each for each in group["tests"])
        question, answers, tests = (_annotations if is_annotated else _validity)(group)
        title = records.to_text(group["description"])
    except (KeyError, TypeError, AttributeError):
        return records.NotImported(f"{file}, group {number}", "not a group of tests")
    folders = file.split("/")[:-1]
    tags = [_TAGS[each] for each in folders if each in _TAGS]
    if "compatibility" in group:
        tags.append(f"compatibility-{records.to_text(group['compatibility'])}")
    return records.ImportedCase(
        f"{records.identity_of(file)}-{title}",
        stream_text([question]),
        stream_text([answers]),
        title=title,
        description="; ".join([*tests, *_remarks(group)]),
        group=file,
        tags=tuple(dict.fromkeys(tags)),
        key=f"{file} {title} {encode(group['schema'])}",
    )


def _validity(group: Any) -> tuple[Json, list[Json], list[str]]:
    """Return the question of a group, its answers, and the descriptions of its tests."""
    valid: list[Json] = [each["valid"] for each in group["tests"]]
    if not all(isinstance(each, bool) for each in valid):
        raise TypeError("a validity must be true or false")
    question = {"schema": group["schema"], "instances": [each["data"] for each in group["tests"]]}
    tests = [_with_comment(records.to_text(each["description"]), each) for each in group["tests"]]
    return question, valid, tests


def _annotations(group: Any) -> tuple[Json, list[Json], list[str]]:
    """Return the same for a group that says which annotations instances get."""
    asked: list[Json] = []
    answers: list[Json] = []
    for test in group["tests"]:
        for each in test["assertions"]:
            place = {"location": each["location"], "keyword": each["keyword"]}
            asked.append({"instance": test["instance"], **place})
            answers.append(each["expected"])
    tests = [
        records.to_text(test["description"]) for test in group["tests"] if "description" in test
    ]
    return {"schema": group["schema"], "annotations": asked}, answers, tests


def _with_comment(text: str, item: Any) -> str:
    return f"{text} ({records.to_text(item['comment'])})" if "comment" in item else text


def _remarks(group: Any) -> Iterator[str]:
    if "comment" in group:
        yield records.to_text(group["comment"])
    for key in group:
        if key == "specification" or key not in _KNOWN_KEYS:
            yield f"{key}: {encode(group[key])}"


def _remotes(source: Path) -> records.Imported:
    """Yield the files that tests refer to as http://localhost:1234/, if they are in the checkout.

    They are beside the folder `tests`.
    """
    above = Path(source).resolve()
    folder = next((each / "remotes" for each in above.parents if (each / "remotes").is_dir()), None)
    if folder is None:
        reason = (
            f"schemas refer to files at http://{_REMOTE_HOST}; import from a checkout with them"
        )
        yield records.NotImported("remotes", reason)
        return
    yield records.SuiteLines(('files = ["remotes"]',), is_top=True)
    for path, where in records.relative_files(folder, "*"):
        data = records.file_content(folder, path, f"remotes/{where}")
        yield (
            data
            if isinstance(data, records.NotImported)
            else records.SuiteFile(f"remotes/{where}", data)
        )


JSON_SCHEMA: Final = records.Importer(
    "json-schema",
    "a file of the JSON Schema test suite, or a folder of them, such as `tests/draft2020-12` or"
    " `tests/v1` of a checkout",
    'a group of tests: the input is `{"schema": ..., "instances": [...]}`, the expected output an'
    " array of true and false. Groups of annotation tests have `annotations` instead, and the"
    " expected values. Tags are `optional`, `format`, `proposal` and `compatibility-N`. The folder"
    " `remotes` is copied if schemas refer to it",
    "461 cases with 2,225 tests (draft2020-12), 447 with 2,216 (v1), 79 remotes",
    _read,
)
