"""Find the line and column of tables, keys and strings in a suite.toml.

The text must be valid TOML. Syntax that is not supported, such as inline tables, has no position.
Source: the grammar of TOML 1.0.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from harness.jsonio.positions import Position
from harness.tomlio.tables import TomlPlace

_TOKEN: Final = re.compile(
    r"""(?P<skip>\#[^\n]*|[ \t\r]+)
    |(?P<string>\"\"\"(?:[^\\]|\\.)*?\"\"\"\"{0,2}|'''.*?''''{0,2}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')
    |(?P<bare>[A-Za-z0-9_-]+)
    |(?P<end>\n)
    |(?P<open>[\[{])|(?P<close>[\]}])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


class TomlPlaces:
    """The positions in a suite.toml.

    `number` counts the tables of one name, from 0.
    """

    def __init__(self, text: bytes) -> None:
        self._text: Final = text.decode("utf-8", "replace")
        self._offsets: Final[dict[TomlPlace, int]] = {}  # of keys; of headers, with an empty key
        self._strings: Final[dict[TomlPlace, dict[str, int]]] = {}
        table, number, counts = "", 0, Counter[str]()
        for tokens in _statements(self._text):
            if tokens[0].lastgroup == "open":
                table = ".".join(_names(tokens))
                number = counts[table]
                counts[table] += 1
                self._offsets[table, number, ""] = tokens[0].start()
            else:
                self._add_key(tokens, table, number)

    def key(self, key: str, table: str = "", number: int = 0) -> Position:
        """Return the position of a key, or else of its table, or else of the beginning."""
        header = self._offsets.get((table, number, ""), 0)
        return self._position(self._offsets.get((table, number, key), header))

    def find_text(self, wanted: str, table: str, key: str = "") -> Position | None:
        """Return the position of a string below a key, or None.

        Without a key, it is searched in a whole table and the tables in it.
        """
        for (name, _, its_key), offsets in self._strings.items():
            if name == table and key in ("", its_key) or not key and name.startswith(f"{table}."):
                if wanted in offsets:
                    return self._position(offsets[wanted])
        return None

    def _position(self, offset: int) -> Position:
        before = self._text[:offset]
        return Position(before.count("\n") + 1, offset - before.rfind("\n"))

    def _add_key(self, tokens: list[re.Match[str]], table: str, number: int) -> None:
        texts = [token[0] for token in tokens]
        equals = texts.index("=") if "=" in texts else len(texts)
        *outer, key = _names(tokens[:equals]) or [""]
        # A dotted key, compare.ignore = [...], is a key of that table.
        place = (".".join(outer), 0, key) if outer and not table else (table, number, key)
        self._offsets.setdefault(place, tokens[0].start())
        self._strings[place] = {
            _plain(token): token.start()
            for token in reversed(tokens[equals:])  # the first of equal strings counts
            if token.lastgroup == "string"
        }


def _statements(text: str) -> Iterator[list[re.Match[str]]]:
    """Yield the tokens of each statement, which may have several lines."""
    tokens: list[re.Match[str]] = []
    depth = 0
    for token in _TOKEN.finditer(text + "\n"):
        depth += (token.lastgroup == "open") - (token.lastgroup == "close")
        if token.lastgroup not in ("skip", "end"):
            tokens.append(token)
        elif token.lastgroup == "end" and depth <= 0:
            if tokens:
                yield tokens
            tokens, depth = [], 0


def _names(tokens: list[re.Match[str]]) -> list[str]:
    return [_plain(token) for token in tokens if token.lastgroup in ("bare", "string")]


def _plain(token: re.Match[str]) -> str:
    """Return a bare word, or a string without its quotes. Escapes are rare, and are kept."""
    return token[0] if token.lastgroup == "bare" else token[0].strip(token[0][0])
