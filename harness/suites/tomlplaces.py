"""Where in a suite.toml a table, a key or a text of a list stands.

Pure: text in, offsets out. What the file says is policy's business; here it is only looked where,
and a spelling that is not known (an inline table) has no place. Source: the grammar of TOML 1.0.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from harness.suites.positions import Position, position_at

__all__ = ["TomlPlaces"]

_TOKEN: Final = re.compile(
    r"""(?P<skip>\#[^\n]*|[ \t\r]+)
    |(?P<string>\"\"\"(?:[^\\]|\\.)*?\"\"\"\"{0,2}|'''.*?''''{0,2}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')
    |(?P<bare>[A-Za-z0-9_-]+)
    |(?P<end>\n)
    |(?P<open>[\[{])|(?P<close>[\]}])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


class _Key(NamedTuple):
    """A table by its name, which of that name it is (from 0), and a key of it; the empty key is
    the table's own header."""

    table: str
    number: int
    key: str


class TomlPlaces:
    """The places of a suite.toml, which was found to be TOML before."""

    __slots__ = ("_keys", "_strings", "_text")

    def __init__(self, text: bytes) -> None:
        self._text: Final = text.decode("utf-8", "replace")
        self._keys: Final[dict[_Key, int]] = {}
        self._strings: Final[dict[_Key, list[tuple[str, int]]]] = {}
        self._read()

    def table(self, name: str, number: int = 0) -> Position:
        """The header of a table, the `number`th of its name; else the beginning of the file."""
        return self._position(self._keys.get(_Key(name, number, ""), 0))

    def key(self, key: str, table: str = "", number: int = 0) -> Position:
        """A key of a table (of the top: ""), else the table."""
        offset = self._keys.get(_Key(table, number, key))
        return self.table(table, number) if offset is None else self._position(offset)

    def text_in(self, wanted: str, key: str, table: str = "", number: int = 0) -> Position:
        """A text in the list under a key, else the key."""
        strings = self._strings.get(_Key(table, number, key), [])
        found = next((offset for text, offset in strings if text == wanted), None)
        return self.key(key, table, number) if found is None else self._position(found)

    def text_below(self, wanted: str, table: str) -> Position:
        """A text under any key of a table or of those inside it, else the table."""
        found = (
            offset
            for key, strings in self._strings.items()
            if key.table == table or key.table.startswith(f"{table}.")
            for text, offset in strings
            if text == wanted
        )
        first = next(found, None)
        return self.table(table) if first is None else self._position(first)

    def _position(self, offset: int) -> Position:
        return position_at(self._text.encode(), len(self._text[:offset].encode()))

    def _read(self) -> None:
        table, counts = _Key("", 0, ""), dict[str, int]()
        line: list[re.Match[str]] = []  # the tokens of a statement, which may go on for lines
        depth = 0
        for token in _TOKEN.finditer(self._text + "\n"):
            depth += (token.lastgroup == "open") - (token.lastgroup == "close")
            if token.lastgroup == "skip":
                continue
            if token.lastgroup != "end":
                line.append(token)
            elif depth <= 0:
                table = self._statement(line, table, counts)
                line, depth = [], 0

    def _statement(self, tokens: list[re.Match[str]], table: _Key, counts: dict[str, int]) -> _Key:
        """Note what a statement says; returns the table that what follows belongs to."""
        if not tokens:
            return table
        if tokens[0].lastgroup == "open":
            name = ".".join(_plain(token) for token in tokens if token.lastgroup in _NAMES)
            number = counts.get(name, 0)
            counts[name] = number + 1
            table = _Key(name, number, "")
            self._keys[table] = tokens[0].start()
            return table
        # A dotted key, compare.ignore = [...], is a key of that table.
        names = [_plain(token) for token in _before_equals(tokens) if token.lastgroup in _NAMES]
        key = table._replace(key=names[-1]) if names else table
        if len(names) > 1 and not table.table:
            key = _Key(".".join(names[:-1]), 0, names[-1])
        self._keys.setdefault(key, tokens[0].start())
        values = tokens[len(_before_equals(tokens)) :]
        self._strings[key] = [
            (_plain(token), token.start()) for token in values if token.lastgroup == "string"
        ]
        return table


_NAMES: Final = ("bare", "string")


def _before_equals(tokens: list[re.Match[str]]) -> list[re.Match[str]]:
    texts = [token[0] for token in tokens]
    return tokens[: texts.index("=")] if "=" in texts else tokens


def _plain(token: re.Match[str]) -> str:
    """A bare word, or a string without its quotes: escapes are seldom, and stay."""
    return token[0] if token.lastgroup == "bare" else token[0].strip(token[0][0])
