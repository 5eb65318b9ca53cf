"""Where the tables and keys of a suite.toml stand."""

from __future__ import annotations

from support.golden import Golden
from support.tables import check_table

from harness.jsonio.positions import Position
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
    def position(example: tuple[str, ...]) -> str:
        """Return the place of a key, or of a text in the list of a key."""
        document, *words = example
        places = TomlPlaces(DOCUMENTS[document])
        found = places.find_text(*words) if len(words) == 3 else places.key(words[0], words[1])
        return f"line {found.line}, column {found.column}" if found else "nowhere"

    check_table(golden, __file__, "toml_positions.txt", position)


def test_tables_are_distinguished_by_their_number() -> None:
    places = TomlPlaces(TEXT)
    headers = [places.key("", "cases", number) for number in range(3)]
    assert headers == [Position(15, 1), Position(18, 1), Position(1, 1)]
    assert [places.key("match", "cases", n) for n in (0, 1)] == [Position(16, 1), Position(20, 1)]
    assert places.key("tags", "cases", 1) == Position(18, 1)  # where it would stand
