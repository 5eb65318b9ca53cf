"""The rules by example: refused turns and initial placements; where strategies start."""

from __future__ import annotations

from itertools import combinations

import pytest
from support.references import tsuro_game
from support.tsuro import STRAIGHT, U_TURNS, layout, pair, pattern, port, spot, square

from engines import tsuro
from engines.tsuro import (
    InitialChoice,
    InitialRefusal,
    Layout,
    Square,
    TileIndex,
    TilePattern,
    TurnRefusal,
)
from engines.tsuro.positions import neighbors

# Red faces an empty square in the middle of the board; whatever leads back loops.
MIDDLE = layout({(3, 6): U_TURNS}, {"red": spot(3, 6, "C")})


@pytest.mark.parametrize(
    ("player", "choice", "refusal"),
    [
        ("white", pattern(9), TurnRefusal.NOT_ON_BOARD),
        ("red", pattern(9), TurnRefusal.NOT_GIVEN),
        ("red", pattern(0), TurnRefusal.NOT_GIVEN),
        *(
            ("red", choice, TurnRefusal.NO_CHOICE)
            for choice in (None, (2, 0), pattern(35), pattern(-1), pattern(2, 45), pattern(2, 360))
        ),
        ("red", pattern(2, False), TurnRefusal.NO_CHOICE),
        ("white", pattern(True), TurnRefusal.NO_CHOICE),
    ],
)
def test_a_turn_is_refused_for_the_first_reason(
    player: tsuro.ColorString, choice: object, refusal: TurnRefusal
) -> None:
    assert tsuro.turn_outcome(MIDDLE, player, pair(2, 1), choice) is refusal


class _EqualToAll(int):
    """A number that equals every other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class _SubPattern(TilePattern):
    """A subclass, which could override anything."""


@pytest.mark.parametrize(
    "choice",
    [
        TilePattern(TileIndex(_EqualToAll(9)), tsuro.DEGREES[0]),
        TilePattern(TileIndex(2), tsuro.Degrees(_EqualToAll(0))),
        _SubPattern(TileIndex(2), tsuro.DEGREES[0]),
        tuple.__new__(TilePattern, (2,)),
        tuple.__new__(TilePattern, (2, 0, 0)),
        tuple.__new__(TilePattern, ([], {})),
    ],
)
def test_a_deceptive_pattern_is_refused(choice: object) -> None:
    assert tsuro.turn_outcome(MIDDLE, "red", pair(2, 1), choice) is TurnRefusal.NO_CHOICE
    initial = InitialChoice(choice, tsuro.BoardPosition(0, 0), tsuro.PortID(2))  # type: ignore[arg-type]  # what is tested
    assert _refusal(initial) is InitialRefusal.NO_CHOICE


def test_a_player_that_is_not_on_the_board_cannot_place_a_tile() -> None:
    message = "blue is not on the board, so it cannot place a tile"
    assert tsuro.placement(MIDDLE, "blue", U_TURNS).error() == message
    with pytest.raises(ValueError, match="^blue has no turn: it is not on the board$"):
        tsuro.options(MIDDLE, "blue", pair(2, 4))


def test_a_probe_needs_an_empty_square() -> None:
    message = "^square 63 holds a tile: no other can be tried there$"
    with pytest.raises(ValueError, match=message):
        tsuro.SquareProbe(MIDDLE, square(3, 6))


GIVEN: tsuro.InitialTiles = (TileIndex(5), TileIndex(0), TileIndex(9))
STARTED = layout({(5, 0): STRAIGHT}, {"white": spot(5, 0, "E")})


def _choice(x: int, y: int, letter: str, index: int = 5, degrees: int = 0) -> InitialChoice:
    return InitialChoice(pattern(index, degrees), tsuro.BoardPosition(x, y), port(letter))


def _refusal(choice: object, player: tsuro.ColorString = "red") -> InitialRefusal | None:
    return tsuro.initial_refusal(STARTED, player, GIVEN, choice)


@pytest.mark.parametrize(
    ("choice", "refusal"),
    [
        (_choice(3, 3, "A"), InitialRefusal.NOT_ON_EDGE),
        (_choice(5, 0, "E"), InitialRefusal.NOT_FREE),
        (_choice(4, 0, "A"), InitialRefusal.NOT_FREE),
        (_choice(6, 0, "E"), InitialRefusal.NOT_FREE),
        (_choice(7, 0, "B"), InitialRefusal.FACES_OFF),
        (_choice(0, 4, "G"), InitialRefusal.FACES_OFF),
        (_choice(3, 3, "A", index=1), InitialRefusal.NOT_GIVEN),
        *(
            (choice, InitialRefusal.NO_CHOICE)
            for choice in (
                _choice(7, 0, "C", index=35),
                _choice(7, 0, "C", degrees=1),
                None,
                pattern(5),
                tuple(_choice(7, 0, "C")),
                _choice(7, 0, "C")._replace(port=tsuro.PortID(8)),
                _choice(7, 0, "C")._replace(port=tsuro.PortID(True)),
                _choice(7, 0, "C")._replace(port=tsuro.PortID(_EqualToAll(9))),
                tuple.__new__(InitialChoice, ()),
                tuple.__new__(InitialChoice, (pattern(5), (7, 0), tsuro.PortID(2))),
                _choice(7, 0, "C")._replace(position=object.__new__(tsuro.BoardPosition)),
            )
        ),
    ],
)
def test_an_initial_placement_is_refused_for_the_first_reason(
    choice: object, refusal: InitialRefusal
) -> None:
    assert _refusal(choice) is refusal


# The initial placements of strategies; tests/xtests/test_random_inputs.py has their turns.

EDGE = [square for square in map(Square, range(100)) if tsuro.position_of(square).is_edge()]


def _only_free(*free: Square) -> Layout:
    """Return a board on which of the squares along the edge only these are free."""
    empty = {*free, *(near for square in free for near in neighbors(square))}
    return Layout(
        {square: STRAIGHT for square in map(Square, range(100)) if square not in empty}, {}
    )


@pytest.mark.parametrize("name", tsuro.STRATEGIES)
def test_a_player_starts_on_the_first_free_square_of_its_direction(name: str) -> None:
    for free in (*combinations(EDGE, 1), *combinations(EDGE, 2)):
        board = _only_free(*free)
        tiles = {(square % 10, square // 10): (2, 0) for square in board.tiles}
        chosen, position, at = tsuro.STRATEGIES[name].initial_placement(board, "white", GIVEN)
        assert chosen == (GIVEN[2], 0)  # the third tile, unrotated
        start = position.x, position.y, tsuro.PORT_LETTERS[at]
        assert start == tsuro_game.first_place(tiles, tsuro_game.SPELLINGS[name]), free


@pytest.mark.parametrize("player", tsuro.STRATEGIES.values())
def test_a_player_cannot_start_without_a_free_square(player: tsuro.Strategy) -> None:
    with pytest.raises(ValueError, match="^white cannot start: no square on the edge is free$"):
        player.initial_placement(_only_free(), "white", GIVEN)
