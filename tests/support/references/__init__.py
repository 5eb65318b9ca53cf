"""Independent implementations of the wire programs, slow and obvious.

Written from docs/ alone; they import nothing of the project, so that a wrong answer would have to
be implemented twice to pass. Each function takes the bytes of an input and returns what the program
prints, as plain Python values; error objects have no message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from support.references import bitboard36, isolation, tictactoe, tsuro, tsuro_game, xrules
from support.references.forms import Answer

REFERENCES: Final[dict[str, Callable[[bytes], list[Answer]]]] = {
    "xtiles": tsuro.xtiles,
    "xboard": tsuro.xboard,
    "xrules": xrules.xrules,
    "xref": tsuro_game.xref,
    "xadmin": tsuro_game.xadmin,
    "xisolation": isolation.printed,
    "xtictactoe": tictactoe.printed,
    "xbitboard36": bitboard36.printed,
}
