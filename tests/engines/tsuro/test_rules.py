"""The rules by example; test_rules_laws.py compares them with plain ones."""

from __future__ import annotations

import pytest
from support.tsuro import STRAIGHT, U_TURNS, layout, pair, pattern, port, spot

from engines.tsuro import (
    DEGREES,
    BoardPosition,
    ColorString,
    Degrees,
    InitialChoice,
    InitialRefusal,
    InitialTiles,
    PortID,
    TileIndex,
    TilePattern,
    TurnRefusal,
    initial_refusal,
    options,
    turn_outcome,
)

# Red faces an empty square in the middle of the board; whatever leads back loops.
MIDDLE = layout({(3, 6): U_TURNS}, {"red": spot(3, 6, "C")})


@pytest.mark.parametrize(
    ("player", "choice", "refusal"),
    [
        ("white", pattern(9), TurnRefusal.NOT_ON_BOARD),
        ("red", pattern(9), TurnRefusal.NOT_GIVEN),
        ("red", pattern(0), TurnRefusal.NOT_GIVEN),
        ("red", None, TurnRefusal.NO_CHOICE),
        ("red", (2, 0), TurnRefusal.NO_CHOICE),
        ("red", pattern(35), TurnRefusal.NO_CHOICE),
        ("red", pattern(-1), TurnRefusal.NO_CHOICE),
        ("red", pattern(2, 45), TurnRefusal.NO_CHOICE),
        ("red", pattern(2, 360), TurnRefusal.NO_CHOICE),
        ("red", pattern(2, False), TurnRefusal.NO_CHOICE),
        ("white", pattern(True), TurnRefusal.NO_CHOICE),
    ],
)
def test_a_turn_is_refused_for_the_first_reason(
    player: ColorString, choice: object, refusal: TurnRefusal
) -> None:
    assert turn_outcome(MIDDLE, player, pair(2, 1), choice) is refusal


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
        TilePattern(TileIndex(_EqualToAll(9)), DEGREES[0]),
        TilePattern(TileIndex(2), Degrees(_EqualToAll(0))),
        _SubPattern(TileIndex(2), DEGREES[0]),
        tuple.__new__(TilePattern, (2,)),
        tuple.__new__(TilePattern, (2, 0, 0)),
        tuple.__new__(TilePattern, ([], {})),
    ],
)
def test_a_deceptive_pattern_is_refused(choice: object) -> None:
    assert turn_outcome(MIDDLE, "red", pair(2, 1), choice) is TurnRefusal.NO_CHOICE
    initial = InitialChoice(choice, BoardPosition(0, 0), PortID(2))  # type: ignore[arg-type]  # what is tested
    assert _refusal(initial) is InitialRefusal.NO_CHOICE


def test_a_player_not_on_the_board_has_no_options() -> None:
    with pytest.raises(ValueError) as caught:
        options(MIDDLE, "blue", pair(2, 4))
    assert str(caught.value) == "blue has no turn: it is not on the board"


GIVEN: InitialTiles = (TileIndex(5), TileIndex(0), TileIndex(9))
STARTED = layout({(5, 0): STRAIGHT}, {"white": spot(5, 0, "E")})


def _choice(x: int, y: int, letter: str, index: int = 5, degrees: int = 0) -> InitialChoice:
    return InitialChoice(pattern(index, degrees), BoardPosition(x, y), port(letter))


def _refusal(choice: object, player: ColorString = "red") -> InitialRefusal | None:
    return initial_refusal(STARTED, player, GIVEN, choice)


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
        (_choice(7, 0, "C", index=35), InitialRefusal.NO_CHOICE),
        (_choice(7, 0, "C", degrees=1), InitialRefusal.NO_CHOICE),
        (None, InitialRefusal.NO_CHOICE),
        (pattern(5), InitialRefusal.NO_CHOICE),
        (tuple(_choice(7, 0, "C")), InitialRefusal.NO_CHOICE),
        (_choice(7, 0, "C")._replace(port=PortID(8)), InitialRefusal.NO_CHOICE),
        (_choice(7, 0, "C")._replace(port=PortID(True)), InitialRefusal.NO_CHOICE),
        (_choice(7, 0, "C")._replace(port=PortID(_EqualToAll(9))), InitialRefusal.NO_CHOICE),
        (tuple.__new__(InitialChoice, ()), InitialRefusal.NO_CHOICE),
        (
            tuple.__new__(InitialChoice, (pattern(5), (7, 0), PortID(2))),
            InitialRefusal.NO_CHOICE,
        ),
        (
            InitialChoice(pattern(5), object.__new__(BoardPosition), PortID(2)),
            InitialRefusal.NO_CHOICE,
        ),
    ],
)
def test_an_initial_placement_is_refused_for_the_first_reason(
    choice: object, refusal: InitialRefusal
) -> None:
    assert _refusal(choice) is refusal
