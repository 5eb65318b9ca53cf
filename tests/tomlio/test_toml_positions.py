"""Where the tables and keys of a suite.toml stand."""

from __future__ import annotations

from typing import Any

from support.golden import Golden

from harness.tomlio.positions import TomlPlaces

TEXT = b'''# title = "not this one"
title = "[cases]"
  program = """
[limits]
"""
deliveries = [
  "plain",  # and ]
  'cut',
]

[ compare ]
ignore = ["/a", "/b"]
"unordered" = []

[[cases]]
match = "1"

[["cases"]]
exit = 1
match = "2"
'''


DOCUMENTS = {
    "long": TEXT,
    "dotted": b'exit = 1\ncompare.ignore = ["/x"]\n',
    "accent": 'ignore = ["é", "/x"]'.encode(),
    "no TOML": b'= 1\n[[\n]]\n"abc\n\xff = 2',
}


def test_tables_and_keys_and_texts_are_found(golden: Golden) -> None:
    def position(example: tuple[Any, ...]) -> str:
        """Return the place of a key in a numbered table, or of a text in the list of a key."""
        document, *words = example
        places = TomlPlaces(DOCUMENTS[document])
        is_key = len(words) == 2 or isinstance(words[2], int)
        found = places.key(*words) if is_key else places.find_text(*words)
        return f"line {found.line}, column {found.column}" if found else "nowhere"

    golden.table("toml_positions.txt", position)
