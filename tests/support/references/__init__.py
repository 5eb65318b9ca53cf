"""Independent implementations of the wire programs, slow and obvious.

Written from docs/ alone; they import nothing of the project, so that a wrong answer would have to
be implemented twice to pass. Each function takes the bytes of an input and returns what the program
prints, as plain Python values; error objects have no message.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from support.references import (
    bitboard36,
    isolation,
    tictactoe,
    tsuro,
    tsuro_game,
    xmoves,
    xrules,
)
from support.references.forms import Answer, printed_at_the_end, printed_for

REFERENCES: Final[dict[str, Callable[[bytes], list[Answer]]]] = {
    "xtiles": tsuro.xtiles,
    "xboard": partial(printed_at_the_end, answer=tsuro.outcome),
    "xmoves": partial(printed_at_the_end, answer=xmoves.answer),
    "xrules": partial(printed_at_the_end, answer=xrules.answer),
    "xref": partial(printed_at_the_end, answer=tsuro_game.answer_of_game),
    "xadmin": partial(printed_at_the_end, answer=tsuro_game.answer_of_tournament),
    "xisolation": partial(printed_for, answer=isolation.answer_to),
    "xtictactoe": partial(printed_for, answer=tictactoe.answer_to),
    "xbitboard36": partial(printed_for, answer=bitboard36.answer_to),
}
