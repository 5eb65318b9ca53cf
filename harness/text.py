"""Format and escape text for messages: numbers, counts, names, excerpts, command lines."""

from __future__ import annotations

import difflib
import re
import shlex
import signal
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Final
from unicodedata import combining, east_asian_width, normalize

_MOST_KNOWN: Final = 40  # names in a hint
_ESCAPES: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
# Patterns are strings, compiled on first use: most runs need none of them.
# Invisible characters that str.isprintable() accepts: joiners and variation selectors, fillers of
# Hangul and Khmer, the empty Braille pattern.
_WITHOUT_INK: Final = (
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
_MARKED_COMMAND: Final = r"##(?=\w*\[)"
# A number at the end, short enough to leave it out.
_LAST_NUMBER: Final = r"(?<![\w.+-])[-+]?[0-9][0-9,.eE+-]{0,30}\Z"
# A UTF-8 character without its last bytes, at the end; without its first ones, at the start.
_CUT_AT_END: Final = rb"(?:[\xc0-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xff][\x80-\xbf]{0,2})\Z"
_CUT_AT_START: Final = rb"\A[\x80-\xbf]{1,3}"


def format_number(value: float) -> str:
    """Return a number without trailing zeros: 10, 0.5."""
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def to_utf8_text(value: str) -> str:
    """Return a text that can be encoded as UTF-8: lone surrogates are escaped."""
    # Names that the system gave and that are not UTF-8 have no place in JSON.
    return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()


def pluralize(number: int, thing: str, things: str = "") -> str:
    """Return a number of things: "1 value", "2 values"; `things` is an irregular plural."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {things or f'{thing}s'}"


def percent(part: int, whole: int) -> str:
    """Return a percentage with one decimal; only 0 is "0 %", and only the whole is "100 %"."""
    if part == whole:
        return "100 %"
    tenths = max(1 if part else 0, min(999, (2000 * part + whole) // (2 * whole)))
    return f"{tenths // 10}.{tenths % 10} %" if tenths else "0 %"


def signal_name(number: int) -> str:
    """Return the name of a signal, or "signal N" if it has none on this system."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def escape_nonprintable(text: str) -> str:
    """Return a text with every character but visible ones and plain spaces escaped."""
    if text.isprintable() and (text.isascii() or not re.search(_WITHOUT_INK, text)):
        return text
    return "".join(
        char if char.isprintable() and not re.match(_WITHOUT_INK, char) else _escape(char)
        for char in text
    )


def escape_ci_commands(line: str) -> str:
    """Return a line in which no CI server finds a command.

    GitHub looks for `::` after leading spaces and for `##[` anywhere, Azure for `##vso[`, and
    TeamCity for `##teamcity[`. One character of each is escaped.
    """
    if "##" in line:
        line = re.sub(_MARKED_COMMAND, r"#\\x23", line)
    return line.replace("::", ":\\x3a", 1) if line.lstrip().startswith("::") else line


def escape_ci_json(document: str) -> str:
    """Return the same JSON, in which no CI server finds a command."""
    # Two number signs can only be in a string.
    return re.sub(_MARKED_COMMAND, r"#\\u0023", document) if "##" in document else document


def matches_glob(name: str, pattern: str) -> bool:
    """Return whether a glob matches a name; one with glob characters also matches itself.

    Accents may be characters of their own, as in names of files from macOS, or not.
    """
    return name == pattern or fnmatchcase(normalize("NFC", name), normalize("NFC", pattern))


def quote(text: str, width: int = 60) -> str:
    """Return a text for a message: escaped, truncated and in double quotes."""
    return f'"{shorten_to_width(text, width)}"'


def shorten(text: str, width: int) -> str:
    """Return a text, escaped and truncated as by `truncate`, which adds its size."""
    return truncate(escape_nonprintable(text), width)


def shorten_to_width(text: str, width: int) -> str:
    """Return a text, escaped and truncated as by `truncate_to_width`, which adds only "…"."""
    return truncate_to_width(escape_nonprintable(text), width)


def truncate(text: str, width: int, note: str = "") -> str:
    """Return a text of at most `width` characters that ends with its size if it was cut.

    With a note, the result always ends with " … NOTE" if there is room for it.
    """
    if len(text) <= width and not note:
        return text
    ending = f" … {note or f'{len(text):,} characters'}"
    if 3 * len(ending) > 2 * width:
        ending = "…"
    return (_before_number(text, max(0, width - len(ending))) + ending)[:width]


def truncate_to_width(text: str, width: int) -> str:
    """Return a text of at most `width` characters and terminal cells, with "…" if it was cut."""
    if len(text) <= width and cells(text) <= width:
        return text
    return _before_number(text, fitting_length(text, width - 1)) + "…"[:width]


def cells(text: str) -> int:
    """Return the terminal cells that a printable text takes: a Chinese character takes two."""
    if text.isascii():
        return len(text)
    wide = sum(east_asian_width(char) in ("W", "F") for char in text if not combining(char))
    return wide + sum(not combining(char) for char in text)


def fitting_length(text: str, room: int) -> int:
    """Return the length of the longest beginning of at most `room` characters and cells."""
    length = max(0, min(room, len(text)))
    while length and (excess := cells(text[:length]) - room) > 0:
        length -= (excess + 1) // 2  # each character takes two cells at most
    return length


def pad(text: str, width: int, *, at_end: bool = True) -> str:
    """Return a text with spaces after it, or before it, so that it takes `width` cells."""
    spaces = " " * (width - cells(text))
    return f"{text}{spaces}" if at_end else f"{spaces}{text}"


def _before_number(text: str, length: int) -> str:
    """Return the beginning of a text: `length` characters, or fewer if that would cut a number."""
    # A cut number would be taken for another one.
    if text[length : length + 1] not in tuple("0123456789.eE"):
        return text[:length]
    return re.sub(_LAST_NUMBER, "", text[:length]) or text[:length]


def wrap(text: str, width: int | None, indent: str = "") -> Iterator[str]:
    """Yield a text in lines of at most `width` cells (None: one line), broken at spaces.

    All lines but the first begin with `indent`. A longer word is not broken. Colour sequences do
    not count.
    """
    line, *words = text.split(" ")
    for word in words:
        if width is not None and _visible_width(line) + 1 + _visible_width(word) > width:
            yield line
            line = f"{indent}{word}"
        else:
            line += f" {word}"
    yield line


def _visible_width(text: str) -> int:
    return cells(re.sub(r"\x1b\[[\d;]*m", "", text) if "\x1b" in text else text)


def first_bytes(data: bytes, most: int, *, has_more: bool = False) -> bytes:
    """Return at most `most` bytes from the beginning, without cutting a UTF-8 character.

    `has_more` says that more bytes follow `data`.
    """
    kept = data[:most]
    if len(kept) == len(data) and not has_more:
        return kept
    return kept[:-3] + re.sub(_CUT_AT_END, b"", kept[-3:])


def last_bytes(data: bytes, most: int) -> bytes:
    """Return at most `most` bytes from the end, without cutting a UTF-8 character."""
    begin = max(0, len(data) - most)
    return re.sub(_CUT_AT_START, b"", data[begin:]) if begin else data


def shell_line(words: tuple[str, ...]) -> str:
    """Return a command as one printable line that can be pasted into bash or zsh."""
    return " ".join(_shell_word(word) for word in words)


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return a hint for an unknown name: the nearest known one, or all, at most the first 40."""
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f'did you mean "{near[0]}"?'
    more = f" and {len(known) - _MOST_KNOWN:,} more" if len(known) > _MOST_KNOWN else ""
    return f"known: {', '.join(known[:_MOST_KNOWN])}{more}"


def space_hint(name: str) -> str:
    """Return a hint for a missing program whose name may be a whole command line."""
    hint = "put a program with arguments after --, or in xtest.toml, as separate words"
    return f"; the space is part of the name: {hint}" if " " in name else ""


def _escape(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return _ESCAPES.get(char, f"\\x{code:02x}")
    return f"<U+{code:04X}>"  # \u200d would be what JSON writes for it


def _shell_word(word: str) -> str:
    if escape_nonprintable(word) == word:
        return shlex.quote(word)
    # Byte by byte, for words that are not UTF-8, in every locale.
    try:
        data = word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate that does not stand for a byte
        data = word.encode("utf-8", "surrogatepass")
    return "$'" + "".join(_shell_byte(byte) for byte in data) + "'"


def _shell_byte(byte: int) -> str:
    if chr(byte) in "'\\":
        return f"\\{chr(byte)}"
    if 0x20 <= byte < 0x7F:
        return chr(byte)
    return _ESCAPES.get(chr(byte), f"\\{byte:03o}")  # octal: at most three digits are read
