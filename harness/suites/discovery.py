"""Find the suites that arguments name: folders, all folders below one, bundled suites.

For an argument that names none, suggest a folder, a bundled suite or a program. Source:
docs/suites.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from errno import ENOENT, ENOTDIR
from itertools import count, islice
from pathlib import Path
from typing import Final, NamedTuple

from harness.errors import os_reason
from harness.files import (
    find_executable,
    is_folder_entry,
    may_execute,
    read_regular,
    test_cases_folder,
)
from harness.model.case_names import CONFIG_FILE, PACKED_FILE, SETTINGS_FILE, case_of_file, natural
from harness.suites.inheritance import project_root
from harness.suites.loading import CorpusError, corpus_errors
from harness.suites.strays import is_packed, likely_name
from harness.suites.value_types import NAME
from harness.text import escape_nonprintable
from harness.tomlio.tables import TomlError, parse_toml

_BUNDLED: Final = test_cases_folder()  # the suites that come with xtest
_MOST_SEARCHED: Final = 10_000  # folders, for suites that no path leads to
_MOST_SUGGESTED: Final = 2_000  # folders, at most two levels deep, that may be suggested
_SIMILARITY: Final = 0.75
# Without the sign --, the words of a command are taken for suites.
_PROGRAM_HINT: Final = "; a program under test goes after --"
_NAME: Final = b"name"  # in the bytes of every suite.toml that declares a name
_MOST_BYTES: Final = 1 << 20  # of a suite.toml
_DATA: Final = (".json", ".jsonl", ".toml", ".md", ".txt")  # suffixes of files that never run


class DiscoveredSuite(NamedTuple):
    """A suite: its name, unique in a run; its folder; and an argument that names it alone."""

    name: str
    folder: Path
    argument: str


def resolve_suites(
    arguments: Sequence[str],
    bundled: Path = _BUNDLED,
    *,
    inputs: bool = False,
    root: Path | None = None,
) -> list[DiscoveredSuite]:
    """Return the suites that arguments name, each folder once, in order.

    Without a project or repository, names are paths from `root`, or else from the folder that an
    argument names. With `inputs`, a folder of JSON files is a suite, too. Raises CorpusError, also
    for two suites with the same name.
    """
    suites = dict[object, DiscoveredSuite]()  # by identity
    for argument in arguments:
        top, root_folder = _root(argument, bundled)
        for folder in _find_below(top, argument, inputs=inputs):
            name = _suite_name(folder, root or root_folder, bundled)
            is_bundled = root_folder == bundled
            argument_below = os.path.relpath(folder, bundled) if is_bundled else str(folder)
            suites.setdefault(_identity(folder), DiscoveredSuite(name, folder, argument_below))
    return _with_distinct_names(suites.values())


def find_suites(argument: str, bundled: Path = _BUNDLED) -> list[Path]:
    """Return the folders of the suites that an argument names. Raises CorpusError.

    The argument is a folder with cases, a folder above such folders, or the name of a suite, which
    is bundled or below the folder of the xtest.toml or repository, or else the current folder.
    """
    return _find_below(_root(argument, bundled)[0], argument)


def _find_below(top: Path, argument: str, *, inputs: bool = False) -> list[Path]:
    folders = list(_suites_below(top))
    if not folders and inputs and any(entry.name.endswith(".json") for entry in _scan(top)):
        folders = [top]
    if not folders:
        other = ", or a file *.json in the folder itself" if inputs else ""
        raise CorpusError(
            f"{escape_nonprintable(argument)}: no cases in this folder or below; a case is a pair"
            f" of files N-in.json and N-out.json, or a line of {PACKED_FILE}{other}"
        )
    return folders


def find_inputs(arguments: Sequence[str], bundled: Path = _BUNDLED) -> list[DiscoveredSuite]:
    """Return the suites and folders of inputs that arguments name. Raises CorpusError."""
    for argument in arguments:
        if os.path.isfile(argument):
            folder = os.path.dirname(argument) or "."
            raise CorpusError(
                f"{escape_nonprintable(argument)}: a file, not a folder of inputs; use its"
                f" folder, {escape_nonprintable(folder)}, with --case"
            )
    return resolve_suites(arguments, bundled, inputs=True)


def only_suite(suites: Sequence[DiscoveredSuite], argument: str) -> DiscoveredSuite:
    """Return the suite that an argument names. Raises CorpusError if there are several."""
    if len(suites) > 1:
        raise _several(argument, [suite.name for suite in suites])
    return suites[0]


def nearby_suites() -> list[str]:
    """Return the folders with suites in and below the current folder that can be found."""
    folders = []
    with suppress(CorpusError):  # a folder that cannot be listed
        for folder in _suites_below(Path("."), _MOST_SEARCHED):
            folders.append(os.path.normpath(folder))
    return folders


def holds_cases(files: Iterable[str]) -> bool:
    """Return whether a folder with these files is a suite with cases."""
    return any(file == PACKED_FILE or case_of_file(file) is not None for file in files)


def _suite_name(folder: Path, argument: Path, bundled: Path) -> str:
    """Return the one name of a suite, however a command line spells its folder.

    It is `name` of its suite.toml; otherwise its path from the nearest xtest.toml above it, or else
    from the root of its repository, or else from the `argument`.
    """
    declared = _declared_name(folder / SETTINGS_FILE)
    if declared:
        return declared
    path = os.path.realpath(folder)
    if path.startswith(f"{os.path.realpath(bundled)}/"):
        return os.path.relpath(path, os.path.realpath(bundled))
    root = project_root(path) or os.path.realpath(argument)
    name = os.path.relpath(path, root)
    if name.startswith("../"):  # behind a link, which has a name of the project
        path = os.path.abspath(folder)
        name = os.path.relpath(path, project_root(path) or os.path.abspath(argument))
    return os.path.basename(path) or path if name == "." else name


def _declared_name(file: Path) -> str:
    """Return the name in a suite.toml, or "" without a valid one: reading the suite reports why."""
    with suppress(OSError, TomlError):
        if os.path.isfile(file) and os.path.getsize(file) <= _MOST_BYTES:
            text = read_regular(file)
            return NAME.read(parse_toml(text).get("name")) or "" if _NAME in text else ""
    return ""


def _root(argument: str, bundled: Path) -> tuple[Path, Path]:
    """Return the folder that an argument names, and the folder that names of suites are relative
    to without a project: `bundled` for a bundled suite."""
    if argument and os.path.isdir(argument):
        return Path(argument), Path(argument)
    steps = Path(argument).parts
    if steps and not os.path.isabs(argument) and ".." not in steps:
        if os.path.isdir(bundled / argument):
            return bundled / argument, bundled
        named = _suites_named(argument, bundled)
        if len(named) == 1:
            return named[0], Path(str(named[0]).removesuffix(f"/{argument}"))
        if named:
            raise _several(argument, [*map(str, named)])
    raise CorpusError(_not_found(argument, bundled))


def _several(argument: str, names: Sequence[str]) -> CorpusError:
    shown = ", ".join(map(escape_nonprintable, names[:3])) + (", …" if len(names) > 3 else "")
    return CorpusError(f"{escape_nonprintable(argument)}: several suites ({shown}); name one")


def _suites_named(name: str, bundled: Path) -> list[Path]:
    """Return the folders of suites with a name as reports show it, relative to the current one."""
    try:
        here = os.getcwd()
    except OSError:  # it was removed
        return []
    root = project_root(here)
    top = Path(root or here)
    if root is not None and os.path.isdir(top / name):
        return [Path(os.path.relpath(top / name))]
    with suppress(CorpusError):
        return [
            Path(os.path.relpath(each))
            for each in _suites_below(top, _MOST_SEARCHED)
            if _suite_name(each, top, bundled) == name
            or (root is None and os.path.realpath(each).endswith(f"/{name}"))
        ]
    return []


def _with_distinct_names(discovered: Iterable[DiscoveredSuite]) -> list[DiscoveredSuite]:
    """Return the suites. Raises CorpusError if two have one name."""
    suites = [*discovered]
    folders: dict[str, Path] = {}
    for suite in suites:
        other = folders.setdefault(suite.name, suite.folder)
        if other is not suite.folder:
            one, two = (escape_nonprintable(str(folder)) for folder in (other, suite.folder))
            raise CorpusError(
                f"{one} and {two} are both named {escape_nonprintable(suite.name)};"
                f" rename one in its {SETTINGS_FILE}"
            )
    return suites


def _suites_below(folder: Path, most: int | None = None) -> Iterator[Path]:
    """Yield the suites in a folder; below one with cases, there are none.

    A folder that only looks like a suite is yielded, too: reading it reports what is wrong. One
    with a suite.toml and nothing else is not a suite if there are suites below it. At most `most`
    folders are searched, each once, whatever links lead to it.
    """
    waiting = [folder]
    searched = set[object]()
    above: list[Path] = []  # a folder with a suite.toml, if no suite is below so far
    for _ in count() if most is None else range(most):
        if not waiting:
            break
        folder = waiting.pop()
        identity = _identity(folder)
        if identity in searched:
            continue
        searched.add(identity)
        entries = _scan(folder)
        has_cases = holds_cases(entry.name for entry in entries)
        signs = [] if has_cases else [each.name for each in entries if _is_suspicious(each)]
        if has_cases or signs:
            yield from (each for each in above if not folder.is_relative_to(each))
            above = [folder]
            if signs != [SETTINGS_FILE]:
                yield from above
                above = []
        if not has_cases:
            waiting += [
                Path(entry.path)
                for entry in sorted(entries, key=_search_order, reverse=True)
                if is_folder_entry(entry)
                and not entry.name.startswith(".")
                and not _leads_up(entry)
            ]
            for entry in entries:
                if "." not in entry.name and not os.path.exists(entry.path):
                    yield Path(entry.path)  # a link to a folder that is gone: reading it says so
    yield from above


def _identity(folder: Path) -> object:
    """Return what is equal for a folder by any of its names, also in capitals."""
    try:
        status = folder.stat()
    except OSError:  # a link to a folder that is gone
        return os.path.realpath(folder)
    return status.st_dev, status.st_ino


def _is_suspicious(entry: os.DirEntry[str]) -> bool:
    """Return whether a file is a suite.toml, or looks like a case or settings but is not read."""
    if entry.name == SETTINGS_FILE:
        return True
    if likely_name(entry.name) in (None, CONFIG_FILE) and not is_packed(Path(entry.path)):
        return False
    return not is_folder_entry(entry)


def _search_order(entry: os.DirEntry[str]) -> tuple[bool, object]:
    """Return a sort key: folders before links, which may lead to one of them."""
    return entry.is_symlink(), natural(entry.name)


def _leads_up(entry: os.DirEntry[str]) -> bool:
    """Return whether a link leads to a folder that it is in: all there would be found below it."""
    if not entry.is_symlink():
        return False
    real, here = os.path.realpath(entry.path), os.path.realpath(os.path.dirname(entry.path))
    return here == real or here.startswith(f"{real.rstrip('/')}/")


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    with corpus_errors(), os.scandir(folder) as entries:
        return list(entries)


# Suggestions.


def _not_found(argument: str, bundled: Path) -> str:
    """Return the message for an argument that is neither a folder nor a suite in `bundled`."""
    shown = escape_nonprintable(argument) or '""'
    try:
        os.stat(argument)
    except OSError as problem:
        if problem.errno not in (ENOENT, ENOTDIR):
            return f"{shown}: {os_reason(problem)}"
    if os.path.isfile(argument):
        return f"{shown}: a file, not a suite{_file_hint(argument)}"
    known = sorted(entry.name for entry in bundled.iterdir()) if os.path.isdir(bundled) else []
    folder = similar_folder(argument)
    similar = (
        get_close_matches(argument, known, n=1) if folder is None else [escape_nonprintable(folder)]
    )
    hint = f"did you mean {similar[0]}?" if similar else f"bundled: {', '.join(known) or 'none'}"
    is_program = not similar and argument and "/" not in argument and find_executable(argument)
    program = _PROGRAM_HINT if is_program else ""
    return f"{shown}: no such folder or bundled suite; {hint}{program}"


def _file_hint(argument: str) -> str:
    """Return how to name the suite of a file, or how to run the file itself as a program."""
    file = Path(argument)
    folder, case = escape_nonprintable(str(file.parent)), case_of_file(file.name)
    if case is not None:
        alone = f"xtest run {folder} --case {case.text} runs only this case"
        return f"; name its folder, {folder}; {alone}"
    if file.name == PACKED_FILE:
        return f"; name its folder, {folder}"
    if file.suffix not in _DATA and ("/" in argument or may_execute(argument)):
        return f"{_PROGRAM_HINT}: xtest run SUITE -- {escape_nonprintable(argument)}"
    return "; a suite is a folder"


def similar_folder(argument: str) -> str | None:
    """Return a folder with the same name, deeper down, or else a similar one, or None."""
    if not argument.strip("./"):
        return None
    wanted = os.path.normpath(argument)
    above, name = os.path.split(wanted)
    candidates = list(islice(_candidates(above), _MOST_SUGGESTED))
    same = [path for path in candidates if os.path.basename(path) == name]
    if same:
        return same[0]
    if above and not os.path.isdir(above):
        similar = get_close_matches(wanted, candidates, n=1, cutoff=_SIMILARITY)
        return similar[0] if similar else None
    names = {os.path.basename(path): path for path in reversed(candidates)}
    similar = get_close_matches(name, names, n=1, cutoff=_SIMILARITY)
    return names[similar[0]] if similar else None


def _candidates(above: str) -> Iterator[str]:
    """Yield the folders in `above`, and those one and two levels below the current folder."""
    if above:
        yield from _folders(above)
    for folder in _folders(""):
        yield folder
        yield from _folders(folder)


def _folders(path: str) -> list[str]:
    try:
        with os.scandir(path or ".") as entries:
            names = [
                entry.name for entry in entries if entry.is_dir() and not entry.name.startswith(".")
            ]
    except OSError:
        return []
    return [os.path.join(path, name) for name in sorted(names)]
