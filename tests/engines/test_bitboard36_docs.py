"""docs/bitboard36.md: its examples run, and its pictures are what the code draws.

`PYTHONPATH=. python tests/engines/test_bitboard36_docs.py` draws the pictures anew.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from engines.bitboard36 import Board, board_svg, numbering_svg, state_of, variants, variants_svg

DOCS = Path(__file__).parents[2] / "docs"

# The board of the page's examples.
BOARD = Board(white=0x4000AC620, black=0x04A401100)

PICTURES = {
    "bitboard36-numbering.svg": numbering_svg(),
    "bitboard36-variants.svg": variants_svg(variants(state_of(BOARD))),
    "bitboard36-board.svg": board_svg(BOARD),
}


def page() -> str:
    """The text of the page."""
    return (DOCS / "bitboard36.md").read_text(encoding="utf-8")


def test_the_examples_of_the_page_do_what_they_say() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", page(), re.DOTALL | re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(
        "\n".join(blocks), {}, "bitboard36.md", "bitboard36.md", 0
    )
    report: list[str] = []
    ran = doctest.DocTestRunner(verbose=False).run(examples, out=report.append)
    assert not report, "".join(report)
    assert ran.attempted > 20


def test_the_page_shows_exactly_the_pictures_that_are_checked() -> None:
    assert re.findall(r"!\[.+\]\(pictures/(.+)\)", page()) == list(PICTURES)
    assert f"Board(white={BOARD.white:#011x}, black={BOARD.black:#011x}" in page()


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_the_page_is_what_the_code_draws(name: str) -> None:
    committed = (DOCS / "pictures" / name).read_text(encoding="utf-8")
    assert committed == PICTURES[name] + "\n", f"draw it anew: {__doc__}"


if __name__ == "__main__":
    for file_name, picture in PICTURES.items():
        (DOCS / "pictures" / file_name).write_text(picture + "\n", encoding="utf-8")
