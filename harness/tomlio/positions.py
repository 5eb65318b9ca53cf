"""Find the line and column of tables, keys and strings in a suite.toml.

The text must be valid TOML. Spellings that are not known, such as inline tables, have no position.
Source: the grammar of TOML 1.0.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from harness.jsonio.positions import Position, position_at

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
    """A key of a table, or the header of the table if `key` is empty.

    `number` counts the tables of that name, from 0.
    """

    table: str
    number: int
    key: str


class TomlPlaces:
    """The positions in a suite.toml."""

    __slots__ = ("_keys", "_strings", "_text")

    def __init__(self, text: bytes) -> None:
        self._text: Final = text.decode("utf-8", "replace")
        self._keys: Final[dict[_Key, int]] = {}
        self._strings: Final[dict[_Key, list[tuple[str, int]]]] = {}
        self._read()

    def table(self, name: str, number: int = 0) -> Position:
        """Return the position of the header of a table, or of the beginning of the file."""
        return self._position(self._keys.get(_Key(name, number, ""), 0))

    def key(self, key: str, table: str = "", number: int = 0) -> Position:
        """Return the position of a key, or of its table."""
        offset = self._keys.get(_Key(table, number, key))
        return self.table(table, number) if offset is None else self._position(offset)

    def text_in(self, wanted: str, key: str, table: str = "", number: int = 0) -> Position:
        """Return the position of a string in the list under a key, or of the key."""
        strings = self._strings.get(_Key(table, number, key), [])
        found = next((offset for text, offset in strings if text == wanted), None)
        return self.key(key, table, number) if found is None else self._position(found)

    def text_below(self, wanted: str, table: str) -> Position:
        """Return the position of a string anywhere in a table, or of the table."""
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
        line: list[re.Match[str]] = []  # the tokens of a statement, perhaps of several lines
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
        """Record the positions in a statement; return the current table after it."""
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
    """Return a bare word, or a string without its quotes. Escapes are rare, and are kept."""
    return token[0] if token.lastgroup == "bare" else token[0].strip(token[0][0])
