"""A 6 x 6 board of two colours in two 36-bit words: moves, neighbour counts, base states, pictures.

Public names are loaded on first use. Source: docs/games/bitboard36.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.deferred import deferred_names, deferred_pictures

if TYPE_CHECKING:
    from engines.bitboard36.boards import (
        Board,
        Player,
        State,
        Variants,
        after_move,
        base_state,
        legal_moves,
        perft,
        state_of,
        variants,
    )
    from engines.bitboard36.errors import (
        BitboardError,
        IllegalMove,
        InvalidPosition,
        InvalidWord,
        Overlap,
    )
    from engines.bitboard36.neighbours import neighbour_count, neighbour_counts, neighbour_planes
    from engines.bitboard36.numbering import numbering_svg
    from engines.bitboard36.pictures import board_svg, state_svg, variants_svg
    from engines.bitboard36.shape import Position, column_of, position, position_at, row_of
    from engines.bitboard36.terminal import board_text
    from engines.bitboard36.words import (
        Word,
        hexadecimal,
        horizontal_mirror,
        moved,
        toggled,
        value,
        vertical_mirror,
        word,
    )

__all__ = [
    "BitboardError",
    "Board",
    "IllegalMove",
    "InvalidPosition",
    "InvalidWord",
    "Overlap",
    "Player",
    "Position",
    "State",
    "Variants",
    "Word",
    "after_move",
    "base_state",
    "board_svg",
    "board_text",
    "column_of",
    "hexadecimal",
    "horizontal_mirror",
    "legal_moves",
    "moved",
    "neighbour_count",
    "neighbour_counts",
    "neighbour_planes",
    "numbering_svg",
    "perft",
    "position",
    "position_at",
    "row_of",
    "state_of",
    "state_svg",
    "toggled",
    "value",
    "variants",
    "variants_svg",
    "vertical_mirror",
    "word",
]

__getattr__, __dir__ = deferred_names(
    __name__,
    {
        "boards": (
            "Board Player State Variants after_move base_state legal_moves perft state_of variants"
        ),
        "errors": "BitboardError IllegalMove InvalidPosition InvalidWord Overlap",
        "neighbours": "neighbour_count neighbour_counts neighbour_planes",
        "numbering": "numbering_svg",
        "pictures": "board_svg state_svg variants_svg",
        "shape": "Position column_of position position_at row_of",
        "terminal": "board_text",
        "words": "Word hexadecimal horizontal_mirror moved toggled value vertical_mirror word",
    },
)

deferred_pictures(
    __name__,
    {
        "boards.Board": "pictures.board_svg",
        "boards.State": "pictures.state_svg",
        "boards.Variants": "pictures.variants_svg",
    },
)
