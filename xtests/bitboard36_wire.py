"""Positions, words, boards and moves of the 36-bit board as xbitboard36 reads and prints them.

Form first, value by value, in document order; then `board`, which holds the facts about two words
together. Pure. The formats are those of docs/xbitboard36.md; the rules are the engine's.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from engines.bitboard36.boards import Board, Player
from engines.bitboard36.shape import FULL, POSITIONS, SIDE, Position, position_at
from engines.bitboard36.words import Word, value
from engines.bits import cells, mask_of
from harness.jsontext import Number
from xtests.form import array, number, spellings, word
from xtests.refusal import Kind, Pointer, Refused, element
from xtests.request import member, members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engines.bitboard36.boards import State
    from harness.jsontext import Json, Printable

__all__ = [
    "EMPTY_BOARD",
    "BoardSpec",
    "Move",
    "board",
    "board_spec",
    "move",
    "moves",
    "place",
    "position",
    "printed_board",
    "printed_state",
]

Move: TypeAlias = tuple[Position, Position]  # from, to
Pieces: TypeAlias = Word | tuple[Position, ...]  # a word in one of its two forms

_STATE: Final = 'a state {"white": word, "black": word, "to_play": colour}'
_WORD: Final = f"a word (an integer from 0 to {FULL}, or an array of positions)"
_COLOUR: Final = 'a colour ("white" or "black")'
_POSITION: Final = "an integer from 0 to 35 (a position)"
_MOVES: Final = "an array of moves [from, to]"
_MOVE: Final = "a move [from, to]"
_PLACE: Final = 'a place {"row": ..., "column": ...}'
_LINE: Final = "an integer from 0 to 5 (a row or a column)"

_MOST_DIGITS: Final = len(str(FULL))
_PLAYERS: Final = {player.value: player for player in Player}
_POSITIONS: Final = spellings(POSITIONS)
_LINES: Final = spellings(range(SIDE))


class BoardSpec(NamedTuple):
    """A board as it is written: the words of both colours in the order in which they came, and who
    plays."""

    words: Mapping[str, Pieces]
    to_play: Player


EMPTY_BOARD: Final = BoardSpec({"white": Word(0), "black": Word(0)}, Player.WHITE)


def board_spec(state: Json, at: Pointer) -> BoardSpec:
    """The form of a board; whether its words go together, `board` tells."""
    words: dict[str, Pieces] = {}
    to_play = Player.WHITE
    for name, part, there in members(state, at, ("white", "black", "to_play"), (), _STATE):
        if name == "to_play":
            to_play = word(part, there, _PLAYERS, _COLOUR)
        else:
            words[name] = _pieces(part, there)
    return BoardSpec(words, to_play)


def board(spec: BoardSpec, at: Pointer) -> Board:
    """The board of these words. Raises Refused where a cell is in both of them."""
    (first, earlier), (second, later) = spec.words.items()
    held = {first: _word_of(earlier)}
    held[second] = _apart(later, held[first], member(at, second))
    return Board(held["white"], held["black"], spec.to_play)


def moves(played: Json, at: Pointer) -> tuple[Move, ...]:
    """The form of moves; whether they are legal, the board tells."""
    return tuple(
        move(each, element(at, k)) for k, each in enumerate(array(played, at, None, _MOVES))
    )


def move(pair: Json, at: Pointer) -> Move:
    """The position to move from, and that to move to."""
    origin, target = array(pair, at, (2,), _MOVE)
    return position(origin, element(at, 0)), position(target, element(at, 1))


def position(cell: Json, at: Pointer) -> Position:
    """The number of a cell."""
    return number(cell, at, _POSITIONS, _POSITION)


def place(row_and_column: Json, at: Pointer) -> Position:
    """The cell in a row and a column."""
    lines = {
        name: number(part, there, _LINES, _LINE)
        for name, part, there in members(row_and_column, at, ("row", "column"), (), _PLACE)
    }
    return position_at(lines["row"], lines["column"])


def printed_board(there: Board) -> Printable:
    """A board as it is printed, which is one of the forms in which it is read."""
    return {
        "white": there.white,
        "black": there.black,
        "to_play": there.to_play.value,
    }


def printed_state(state: State) -> Printable:
    """A board without colours as it is printed."""
    return {"current": state.current, "next": state.next}


def _pieces(pieces: Json, at: Pointer) -> Pieces:
    if isinstance(pieces, list):
        return _positions(pieces, at)
    return number(pieces, at, _spelled(pieces), _WORD)


def _positions(listed: list[Json], at: Pointer) -> tuple[Position, ...]:
    found: dict[Position, Pointer] = {}
    for k, each in enumerate(listed):
        there = element(at, k)
        cell = position(each, there)
        if cell in found:
            message = f"position {cell} is at {found[cell]} already, found again at {there}"
            raise Refused(Kind.INVALID_SPEC, there, message)
        found[cell] = there
    return tuple(found)


def _spelled(pieces: Json) -> dict[str, Word]:
    # A table of all words would have 2^36 entries: this one has the only entry that can be found.
    # The digits are counted before they are converted.
    text = pieces.text if isinstance(pieces, Number) else ""
    if text.isdigit() and len(text) <= _MOST_DIGITS and int(text) <= FULL:
        return {text: Word(int(text))}
    return {}


def _word_of(pieces: Pieces) -> Word:
    return Word(mask_of(pieces)) if isinstance(pieces, tuple) else pieces


def _apart(pieces: Pieces, taken: Word, at: Pointer) -> Word:
    """The word of these pieces, none of which stands on a cell that is taken."""
    own = _word_of(pieces)
    if own & taken == 0:
        return own
    if not isinstance(pieces, tuple):
        raise _second_piece(next(cells(own & taken)), at)
    k, cell = next((k, cell) for k, cell in enumerate(pieces) if value(taken, cell) == 1)
    raise _second_piece(cell, element(at, k))


def _second_piece(cell: int, at: Pointer) -> Refused:
    message = f"the other colour has a piece on position {cell} already, found another at {at}"
    return Refused(Kind.INVALID_SPEC, at, message)
