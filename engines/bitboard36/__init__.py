"""The 6 x 6 board of two colours on two words of 36 bits.

Words, positions, neighbour counts, boards, moves, base states and pictures. Each name is imported
when it is first asked for, so that a program pays only for what it uses. Source:
docs/bitboard36.md.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engines.bitboard36.boards import (
        Board,
        Player,
        State,
        Variants,
        after_move,
        base_state,
        state_of,
        variants,
    )
    from engines.bitboard36.errors import (
        IllegalMove,
        InvalidPosition,
        InvalidWord,
        Overlap,
        Refused,
    )
    from engines.bitboard36.moves import legal_moves, perft
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
    "Board",
    "IllegalMove",
    "InvalidPosition",
    "InvalidWord",
    "Overlap",
    "Player",
    "Position",
    "Refused",
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

_MODULES = {
    "boards": (
        *("Board", "Player", "State", "Variants"),
        *("after_move", "base_state", "state_of", "variants"),
    ),
    "errors": ("IllegalMove", "InvalidPosition", "InvalidWord", "Overlap", "Refused"),
    "moves": ("legal_moves", "perft"),
    "neighbours": ("neighbour_count", "neighbour_counts", "neighbour_planes"),
    "numbering": ("numbering_svg",),
    "pictures": ("board_svg", "state_svg", "variants_svg"),
    "shape": ("Position", "column_of", "position", "position_at", "row_of"),
    "terminal": ("board_text",),
    "words": (
        *("Word", "hexadecimal", "horizontal_mirror", "moved"),
        *("toggled", "value", "vertical_mirror", "word"),
    ),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found  # the next use finds it without coming here
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
