"""How things are said in messages: amounts, counts, signals, bytes made visible, texts cut to size.

Pure, and without any opinion on what is said.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Sequence
from typing import Final

__all__ = [
    "amount",
    "as_written",
    "clip",
    "count_of",
    "cut",
    "did_you_mean",
    "first_bytes",
    "harmless",
    "last_bytes",
    "quoted",
    "ranges",
    "shell_line",
    "shortened",
    "signal_name",
    "visible",
    "wrapped",
]

_NAMED: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
# Patterns are texts: compiled when first used, most runs never need them.
# What leaves no ink and yet is no white space, format character or control character to Python:
# joiners and variation selectors, fillers of Hangul and Khmer, the empty Braille pattern.
_WITHOUT_INK: Final = (
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
# A UTF-8 character whose last bytes are missing, at the end; whose first ones are, at the start.
_BEGUN: Final = rb"(?:[\xc0-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xff][\x80-\xbf]{0,2})\Z"
_CONTINUED: Final = rb"\A[\x80-\xbf]{1,3}"


def amount(value: float) -> str:
    """A number without a tail of zeros: 10, 0.5."""
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def as_written(value: str) -> str:
    """A text as it stands in an event that was written and read again."""
    # Names that the system gave and that are not UTF-8 have no place in JSON.
    return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()


def count_of(number: int, thing: str) -> str:
    """A number of things: "1 value", "2 values"."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def signal_name(number: int) -> str:
    """A signal's name, or its number where it has none here."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def visible(text: str) -> str:
    """A text on one line, in which nothing acts on a terminal and nothing is hidden: whatever is
    not ink or a plain space stands as an escape (a lone surrogate too, so that it can be UTF-8)."""
    if text.isprintable() and (text.isascii() or not re.search(_WITHOUT_INK, text)):
        return text
    return "".join(
        char if char.isprintable() and not re.match(_WITHOUT_INK, char) else _escape(char)
        for char in text
    )


def harmless(line: str) -> str:
    """A line in which the log of no CI server finds a command. GitHub's runner looks for `::` at
    its beginning, behind spaces, and for `##[` anywhere; Azure for `##vso[`, TeamCity for
    `##teamcity[`. Of either one character stands as an escape."""
    if "##" in line:
        line = re.sub(r"##(?=\w*\[)", r"#\\x23", line)
    return line.replace("::", ":\\x3a", 1) if line.lstrip().startswith("::") else line


def quoted(text: str, width: int) -> str:
    """A text as it is named in a message: visible, in double quotes, cut to size."""
    return f'"{clip(visible(text), width)}"'


def cut(text: str, width: int) -> str:
    """A text of at most `width` characters; where some are left out, that is said at its end."""
    if len(text) <= width:
        return text
    return shortened(text, width, f"{len(text):,} characters")


def clip(text: str, width: int) -> str:
    """The same without saying how much is left out."""
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"[:width]


def wrapped(text: str, width: int | None) -> Iterator[str]:
    """A text in lines of at most `width` characters (None: in one line), broken at spaces; a longer
    word stands whole. Colours take no room."""
    line, *words = text.split(" ")
    for word in words:
        if width is not None and _room_of(line) + 1 + _room_of(word) > width:
            yield line
            line = word
        else:
            line += f" {word}"
    yield line


def _room_of(text: str) -> int:
    return len(re.sub(r"\x1b\[\d*m", "", text) if "\x1b" in text else text)


def shortened(text: str, width: int, note: str) -> str:
    """The beginning of a text that goes on, and a note on the whole where there is room for one."""
    ending = f" … {note}"
    if 3 * len(ending) > 2 * width:
        ending = "…"
    return (text[: max(0, width - len(ending))] + ending)[:width]


def first_bytes(data: bytes, most: int, *, goes_on: bool = False) -> bytes:
    """The beginning of bytes, at most so many. Where more follow (in `data`, or because `goes_on`
    says so), it does not end inside a UTF-8 character."""
    kept = data[:most]
    if len(kept) == len(data) and not goes_on:
        return kept
    return kept[:-3] + re.sub(_BEGUN, b"", kept[-3:])


def last_bytes(data: bytes, most: int) -> bytes:
    """The end of bytes, at most so many; where more come before, it does not begin inside a UTF-8
    character."""
    begin = max(0, len(data) - most)
    return re.sub(_CONTINUED, b"", data[begin:]) if begin else data


def shell_line(words: tuple[str, ...]) -> str:
    """A command as a line that can be pasted into bash or zsh, and that is visible as a whole."""
    return " ".join(_shell_word(word) for word in words)


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """What to say of a name that is none of those that are known: the nearest one, or all."""
    import difflib  # pylint: disable=import-outside-toplevel  # for faults only

    near = difflib.get_close_matches(name, known, n=1)
    return f'did you mean "{near[0]}"?' if near else f"known: {', '.join(known)}"


def ranges(numbers: list[int]) -> str:
    """Ascending numbers in short: "1-3, 7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _escape(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return _NAMED.get(char, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _shell_word(word: str) -> str:
    if visible(word) == word:
        import shlex  # pylint: disable=import-outside-toplevel  # for failures only

        return shlex.quote(word)
    # Byte by byte: the same in every locale, and for words that are not UTF-8.
    try:
        plain = word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a surrogate pair, which no system gave us
        plain = word.encode("utf-8", "surrogatepass")
    return "$'" + "".join(_shell_byte(byte) for byte in plain) + "'"


def _shell_byte(byte: int) -> str:
    if chr(byte) in "'\\":
        return f"\\{chr(byte)}"
    if 0x20 <= byte < 0x7F:
        return chr(byte)
    return _NAMED.get(chr(byte), f"\\{byte:03o}")  # octal: three digits, and no more are taken
