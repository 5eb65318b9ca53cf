"""Positions, words, boards and moves of the 36-bit board as xbitboard36 reads and prints them.

The parsers check one value after the other, in document order; `make_board` then checks that the
two words of a state are disjoint. docs/games/bitboard36.md specifies the formats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from engines.bitboard36.boards import Board, Player
from engines.bitboard36.shape import FULL, POSITIONS, SIDE, Position, position_at
from engines.bitboard36.words import Word, value
from engines.bits import cells, mask_of
from harness.jsonio.decoder import Number
from xtests.errors import InputError, Kind, Pointer, element, member
from xtests.parsing import integers_by_text, parse_array, parse_members, parse_number, parse_word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engines.bitboard36.boards import State
    from harness.jsonio.decoder import Json, Printable

__all__ = [
    "EMPTY_BOARD",
    "MOVES",
    "BoardSpec",
    "Move",
    "make_board",
    "parse_board",
    "parse_move",
    "parse_place",
    "parse_position",
    "print_board",
    "print_state",
]

Move: TypeAlias = tuple[Position, Position]  # from, to
Pieces: TypeAlias = Word | tuple[Position, ...]  # the two forms of a word

MOVES: Final = "an array of moves [from, to]"

_STATE: Final = 'a state {"white": word, "black": word, "to_play": colour}'
_WORD: Final = f"a word (an integer from 0 to {FULL}, or an array of positions)"
_COLOUR: Final = 'a colour ("white" or "black")'
_POSITION: Final = "an integer from 0 to 35 (a position)"
_MOVE: Final = "a move [from, to]"
_PLACE: Final = 'a place {"row": ..., "column": ...}'
_LINE: Final = "an integer from 0 to 5 (a row or a column)"

_MOST_DIGITS: Final = len(str(FULL))
_PLAYERS: Final = {player.value: player for player in Player}
_POSITIONS: Final = integers_by_text(POSITIONS)
_LINES: Final = integers_by_text(range(SIDE))


class BoardSpec(NamedTuple):
    """A board as written: the words of both colours in document order, and the player to move."""

    words: Mapping[str, Pieces]
    to_play: Player


EMPTY_BOARD: Final = BoardSpec({"white": Word(0), "black": Word(0)}, Player.WHITE)


def parse_board(state: Json, at: Pointer) -> BoardSpec:
    """Return a board, whose words `make_board` checks for overlap."""
    words: dict[str, Pieces] = {}
    to_play = Player.WHITE
    for name, part, place in parse_members(state, at, ("white", "black", "to_play"), (), _STATE):
        if name == "to_play":
            to_play = parse_word(part, place, _PLAYERS, _COLOUR)
        else:
            words[name] = _parse_pieces(part, place)
    return BoardSpec(words, to_play)


def make_board(spec: BoardSpec, at: Pointer) -> Board:
    """Return the board. Raise InputError if both colours have a piece on one cell."""
    (first, earlier), (second, later) = spec.words.items()
    held = {first: _word_of(earlier)}
    held[second] = _disjoint_word(later, held[first], member(at, second))
    return Board(held["white"], held["black"], spec.to_play)


def parse_move(pair: Json, at: Pointer) -> Move:
    """Return a move, which may be illegal on the board."""
    origin, target = parse_array(pair, at, (2,), _MOVE)
    return parse_position(origin, element(at, 0)), parse_position(target, element(at, 1))


def parse_position(cell: Json, at: Pointer) -> Position:
    """Return the number of a cell."""
    return parse_number(cell, at, _POSITIONS, _POSITION)


def parse_place(row_and_column: Json, at: Pointer) -> Position:
    """Return the cell in a row and a column."""
    lines = {
        name: parse_number(part, place, _LINES, _LINE)
        for name, part, place in parse_members(row_and_column, at, ("row", "column"), (), _PLACE)
    }
    return position_at(lines["row"], lines["column"])


def print_board(board: Board) -> Printable:
    """Return the JSON value of a board, which `parse_board` accepts."""
    return {
        "white": board.white,
        "black": board.black,
        "to_play": board.to_play.value,
    }


def print_state(state: State) -> Printable:
    """Return the JSON value of a board without colours."""
    return {"current": state.current, "next": state.next}


def _parse_pieces(pieces: Json, at: Pointer) -> Pieces:
    if isinstance(pieces, list):
        return _parse_positions(pieces, at)
    return parse_number(pieces, at, _word_by_text(pieces), _WORD)


def _parse_positions(listed: list[Json], at: Pointer) -> tuple[Position, ...]:
    found: dict[Position, Pointer] = {}
    for k, each in enumerate(listed):
        place = element(at, k)
        cell = parse_position(each, place)
        if cell in found:
            message = f"position {cell} is at {found[cell]} already, found again at {place}"
            raise InputError(Kind.INVALID_SPEC, place, message)
        found[cell] = place
    return tuple(found)


def _word_by_text(pieces: Json) -> dict[str, Word]:
    # A table of all words would have 2^36 entries; this one has the single entry that can match.
    # The length is checked first: converting a million digits takes minutes.
    text = pieces.text if isinstance(pieces, Number) else ""
    if text.isdigit() and len(text) <= _MOST_DIGITS and int(text) <= FULL:
        return {text: Word(int(text))}
    return {}


def _word_of(pieces: Pieces) -> Word:
    return Word(mask_of(pieces)) if isinstance(pieces, tuple) else pieces


def _disjoint_word(pieces: Pieces, taken: Word, at: Pointer) -> Word:
    own = _word_of(pieces)
    if own & taken == 0:
        return own
    if not isinstance(pieces, tuple):
        raise _overlap(next(cells(own & taken)), at)
    k, cell = next((k, cell) for k, cell in enumerate(pieces) if value(taken, cell) == 1)
    raise _overlap(cell, element(at, k))


def _overlap(cell: int, at: Pointer) -> InputError:
    message = f"the other colour has a piece on position {cell} already, found another at {at}"
    return InputError(Kind.INVALID_SPEC, at, message)
