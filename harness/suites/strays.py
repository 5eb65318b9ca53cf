"""Find what lies in a suite's folder and is not part of the suite. Source: docs/suites.md.

What looks like a case or a setting is a fault; anything else that nothing names is worth a note.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple
from unicodedata import normalize

from harness.files import open_regular, read_regular
from harness.model.case_names import CONFIG_FILE, PACKED_FILE, SETTINGS_FILE, case_of_file
from harness.text import quote

_FIXED: Final = (SETTINGS_FILE, PACKED_FILE)
_MISNAMED: Final = (
    "is not a case file; name it N-in.json, N-out.json, prefix-N-in.json, prefix-N-out.json or"
    " N-talk.jsonl"
)
_CLUTTER: Final = re.compile(
    r"\..*|#.*#|.*~|~\$.*|.*\.(?:bak|orig|old|rej|sw[op]|tmp|part|crdownload|py[co])"
    r"|(?:readme|licen[cs]e|copying|notice|authors|contributing|changelog|changes)\b.*"
    r"|thumbs\.db|desktop\.ini|icon\r|__macosx|__pycache__|cvs|rcs|sccs",
    re.DOTALL,
)
# Of hidden files: other systems and editors keep data of a file beside it.
_SIDECAR: Final = re.compile(r"\.[_#~]")
_DASHES: Final = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63]")
_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_WORD: Final = re.compile(r"[^\W\d_]+|\d+")
_SIDES: Final = {
    **dict.fromkeys(("in", "input", "inp", "stdin", "injson"), "in"),
    "talk": "talk",
    **dict.fromkeys(("out", "output", "stdout", "outjson", "expected", "ans", "answer"), "out"),
}
_UNNUMBERED: Final = ("in", "out", "input", "output")
_CASE_ENDINGS: Final = ("", "jsonl", "txt", "text", "dat", *_SIDES)
_COPY: Final = re.compile(r"\W*\b(?:copy|kopie|copie|copia|kopia)(?: (?:of|von|de|di))?\b\W*", re.I)
_SIMILARITY: Final = 0.7  # of the ending of a name to .json
_SETTINGS_SIMILARITY: Final = 0.85  # suite.tml, cases.json; but not suite.yaml
_MOST_READ: Final = 1 << 20  # bytes of a file that may name others
_MOST_FOLDERS: Final = 1_000  # searched for cases in one folder of a suite
_PEEKED: Final = 256  # bytes of a file that may be packed
_WANTED_CASE: Final = re.compile(r"\S+-(?:in\.json|out\.json|talk\.jsonl)")
NO_PART: Final = "is not part of the suite; move it, or name it in the README or in suite.toml"
_PACKED_LINE: Final = re.compile(rb'\s*\{\s*"(?:case|in)"\s*:')


class Strays(NamedTuple):
    """The entries of a folder that are not read, by name: those with a fault, and the others."""

    faults: dict[str, str]  # what is wrong with each, after its name
    others: tuple[str, ...]


def likely_name(file_name: str) -> str | None:
    """Return the name that a misnamed case or settings file should have, or None for other files.

    It is "" if the case has no number.
    """
    if file_name in _FIXED or case_of_file(file_name) is not None:
        return None
    if file_name.startswith("."):
        if _SIDECAR.match(file_name) or case_of_file(file_name[1:]) is None:
            return None
    elif _CLUTTER.fullmatch(file_name.lower()):
        return None
    text = _INVISIBLE.sub("", normalize("NFKC", _DASHES.sub("-", file_name)))
    return _settings_name(text.lower()) or _case_name(text)


def find_strays(
    folder: Path,
    entries: Iterable[str],
    named: Iterable[str],
    texts: Sequence[bytes],
    *,
    has_cases: bool = True,
) -> Strays:
    """Return the strays among entries of a suite's folder that are not files of its cases.

    `named` are paths that settings name, `texts` the settings themselves. A file whose name is
    written in one of them, in the README or in a named file is no stray, unless it has a fault.
    """
    faults: dict[str, str] = {}
    others = []
    top = {os.path.normpath(name).split(os.sep)[0] for name in named}
    readmes = []
    for entry in entries:
        if entry in (*_FIXED, CONFIG_FILE) or entry in top:
            continue
        if fault := why_misnamed(folder, entry, nested=has_cases):
            faults[entry] = fault
        elif entry.lower().startswith("readme"):
            readmes.append(entry)
        elif not _CLUTTER.fullmatch(entry.lower()):
            others.append(entry)
    return Strays(faults, tuple(_unnamed(folder, others, [*sorted(top), *readmes], texts)))


def why_misnamed(folder: Path, entry: str, *, nested: bool = False) -> str:
    """Return what is wrong with an entry that looks like cases or settings, "" for others.

    `nested`: cases in a folder are wrong, too.
    """
    path = folder / entry
    if path.is_dir():
        return _why_nested(folder, path) if nested and not entry.startswith(".") else ""
    wanted = likely_name(entry)
    if wanted is None:
        return f"holds cases, but is not read; rename it {PACKED_FILE}" if is_packed(path) else ""
    if not wanted:
        return _MISNAMED
    if os.path.lexists(folder / wanted) and wanted.lower() != entry.lower():
        return f"is not read, and {wanted} exists; rename it as another case, or remove it"
    return f"is not read; rename it {wanted}"


def is_packed(path: Path) -> bool:
    """Return whether a file is named *.jsonl and begins like the lines of a packed suite."""
    with suppress(OSError):
        if not path.name.startswith(".") and path.name.lower().endswith(".jsonl"):
            with open_regular(path) as file:
                return _PACKED_LINE.match(file.read(_PEEKED)) is not None
    return False


def stray_messages(strays: Strays) -> Iterator[str]:
    """Yield a message for the faults of each kind: the first of them, and how many more."""
    kinds: dict[str, list[str]] = {}
    for entry, fault in strays.faults.items():
        kinds.setdefault(_WANTED_CASE.sub("", fault), []).append(entry)
    for entries in kinds.values():
        more = f" (and {len(entries) - 1:,} more)" if len(entries) > 1 else ""
        yield f"{quote(entries[0])}{more} {strays.faults[entries[0]]}"


def stray_note(entries: Sequence[str]) -> str:
    """Return a note on entries without a part in the suite, "" without any."""
    if not entries:
        return ""
    more = f" (and {len(entries) - 1:,} more)" if len(entries) > 1 else ""
    return f"{quote(entries[0])}{more} {NO_PART}"


def _settings_name(text: str) -> str:
    """Return the name of a settings file if a name is almost that, or a copy of it, or ""."""
    name_words = _WORD.findall(text)
    for name in (*_FIXED, CONFIG_FILE):
        first, ending = name.split(".")
        if text != CONFIG_FILE and name_words[:1] == [first] and ending in name_words[1:]:
            return name
    near = get_close_matches(text.strip(), _FIXED, 1, _SETTINGS_SIMILARITY)
    return near[0] if near else ""


def _case_name(text: str) -> str | None:
    """Return the name of a case file that a name stands for, "" without a number, or None."""
    matches = [*_WORD.finditer(text)]
    name_words = [each[0].lower() for each in matches]
    if "schema" in name_words:
        return None
    ending = name_words[-1] if "." in text and name_words else ""
    is_json = bool(get_close_matches(ending, ("json",), 1, _SIMILARITY))
    for index, word in enumerate(name_words):
        side = _SIDES.get(word)
        neighbours = [
            neighbour for neighbour in (index - 1, index + 1) if neighbour in range(len(name_words))
        ]
        number = next(
            (neighbour for neighbour in neighbours if name_words[neighbour].isdigit()), None
        )
        has_json = is_json or name_words[index + 1 : index + 2] == ["json"]
        if side is not None and number is not None and (has_json or ending in _CASE_ENDINGS):
            start = matches[min(index, number)].start()
            prefix = _COPY.sub("", text[:start].lstrip(".")).strip(" -_.(")
            name = "talk.jsonl" if side == "talk" else f"{side}.json"
            return "-".join(filter(None, (prefix, str(int(name_words[number])), name)))
        if word in _UNNUMBERED and index and name_words[index + 1 :] == ["json"]:
            return ""
    return None


def _why_nested(top: Path, folder: Path) -> str:
    if os.path.realpath(top).startswith(os.path.realpath(folder)):
        return ""  # a link that leads upwards
    for _, folders, files in islice(os.walk(folder), _MOST_FOLDERS):
        folders[:] = [each for each in folders if not each.startswith(".")]
        if any(file == PACKED_FILE or case_of_file(file) is not None for file in files):
            return "has cases that are never run, because the folder above has cases; move it"
    return ""


def _unnamed(
    folder: Path, entries: Sequence[str], files: Sequence[str], texts: Sequence[bytes]
) -> list[str]:
    """Return the entries that neither texts nor files name, nor any file that they name."""
    left, waiting, unread = list(entries), list(files), list(texts)
    while left and (unread or waiting):
        text = unread.pop() if unread else _beginning(folder / waiting.pop())
        named = {each for each in left if _is_named(each, text)}
        waiting += sorted(named)
        left = [each for each in left if each not in named]
    return left


def _is_named(entry: str, text: bytes) -> bool:
    name = re.escape(os.fsencode(entry))
    if entry.endswith(".py"):  # a module is imported without its ending
        name += rb"|(?:import|from)\s+" + re.escape(os.fsencode(entry.removesuffix(".py")))
    return re.search(rb"(?<![\w.-])(?:" + name + rb")(?![\w-])", text) is not None


def _beginning(path: Path) -> bytes:
    with suppress(OSError):
        if path.is_file() and path.stat().st_size <= _MOST_READ:
            return read_regular(path)
    return b""
