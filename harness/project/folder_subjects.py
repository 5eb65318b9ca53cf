"""Make a subject of each folder that `folders` in xtest.toml matches. Source: docs/subjects.md."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from glob import glob, has_magic
from hashlib import sha256
from pathlib import PurePath
from typing import Final

from harness.errors import UsageError
from harness.model.case_names import natural
from harness.project.config import Config, SubjectConfig
from harness.text import escape_nonprintable, quote

ARCHIVE_CLUTTER: Final = "__MACOSX"  # beside the folders of an archive from macOS
_MOST_KEPT: Final = 40  # characters of the text that a name is made of


def valid_name(text: str) -> str:
    """Return a valid name of a subject: the text, or one with a digest that tells it from others.

    A valid name stays as it is.
    """
    name = re.sub("[^A-Za-z0-9_.+-]+", "-", text).lstrip(".+-")
    if name == text and len(name) <= 60:
        return name
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[:_MOST_KEPT].rstrip('-')}-{digest}".lstrip("-")


def with_folder_subjects(
    config: Config, folder: str, titles: Mapping[str, str], where: str
) -> Config:
    """Return the content of an xtest.toml in a folder, with a subject for each matching folder.

    A table of its own takes precedence over a folder's subject of that name. `titles` are those of
    a roster. Raises UsageError, which names the file `where`.
    """
    by_name = {each.name: each for each in config.subjects if not each.folders}
    tables = dict.fromkeys(by_name, "")
    for table in config.subjects:
        if not table.folders:
            continue
        key = f"{where}: [subjects.{table.name}] folders"
        for each in _expanded(table, folder, titles, key):
            if tables.setdefault(each.name, table.name) == table.name:
                by_name[each.name] = each
            elif tables[each.name]:
                first = f"[subjects.{tables[each.name]}]"
                raise UsageError(f"{key}: {quote(each.folder)}: {first} has a folder of this name")
    return config._replace(subjects=tuple(by_name.values()))


def _expanded(
    table: SubjectConfig, folder: str, titles: Mapping[str, str], key: str
) -> Iterator[SubjectConfig]:
    """Yield a subject for each folder, named and titled after what the wildcards stand for."""
    pattern = PurePath(table.folders).parts
    matches = glob(table.folders, root_dir=folder)
    paths = sorted(
        (path for path in matches if ARCHIVE_CLUTTER not in PurePath(path).parts), key=natural
    )
    if not paths:
        raise UsageError(f"{key}: {quote(table.folders)} matches no folder")
    for path in paths:
        if not os.path.isdir(os.path.join(folder, path)):
            raise UsageError(
                f"{key}: {quote(path)} is not a folder; unpack it, or end the glob with /"
            )
        parts = zip(pattern, PurePath(path).parts, strict=True)
        text = "/".join(part for glob_part, part in parts if has_magic(glob_part))
        name = valid_name(text)
        title = titles.get(name) or escape_nonprintable(text)
        yield table._replace(
            name=name,
            folder=path,
            folders="",
            title="" if title == name else title,
            tags=(*table.tags, table.name),
        )
