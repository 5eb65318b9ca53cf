"""Where the tables and keys of a suite.toml stand."""

from __future__ import annotations

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


def test_keys_of_the_top_are_found() -> None:
    places = TomlPlaces(TEXT)
    assert places.key("title") == Position(2, 1)
    assert places.key("program") == Position(3, 3)
    assert places.key("deliveries") == Position(6, 1)


def test_tables_are_distinguished_by_their_number() -> None:
    places = TomlPlaces(TEXT)
    assert places.key("", "compare") == Position(11, 1)
    assert places.key("", "cases") == Position(15, 1)
    assert places.key("", "cases", 1) == Position(18, 1)
    assert places.key("match", "cases", 0) == Position(16, 1)
    assert places.key("match", "cases", 1) == Position(20, 1)
    assert places.key("unordered", "compare") == Position(13, 1)


def test_a_text_in_a_list_is_found() -> None:
    places = TomlPlaces(TEXT)
    assert places.find_text("/b", "compare", "ignore") == Position(12, 17)
    assert places.find_text("cut", "", "deliveries") == Position(8, 3)


def test_what_is_not_there_has_the_place_of_what_it_would_stand_in() -> None:
    places = TomlPlaces(TEXT)
    assert places.find_text("/c", "compare", "ignore") is None
    assert places.key("ignore", "limits") == Position(1, 1)
    assert places.key("tags", "cases", 1) == Position(18, 1)
    assert places.key("", "cases", 2) == Position(1, 1)


def test_the_header_in_a_text_of_many_lines_is_none() -> None:
    assert TomlPlaces(TEXT).key("", "limits") == Position(1, 1)


def test_dotted_keys_are_keys_of_their_table() -> None:
    places = TomlPlaces(b'exit = 1\ncompare.ignore = ["/x"]\n')
    assert places.key("ignore", "compare") == Position(2, 1)
    assert places.find_text("/x", "compare", "ignore") == Position(2, 19)


def test_columns_count_characters() -> None:
    assert TomlPlaces('ignore = ["é", "/x"]'.encode()).find_text("/x", "", "ignore") == Position(
        1, 16
    )


def test_what_is_no_toml_has_no_places_and_does_no_harm() -> None:
    places = TomlPlaces(b'= 1\n[[\n]]\n"abc\n\xff = 2')
    assert places.key("", "cases") == Position(1, 1)
