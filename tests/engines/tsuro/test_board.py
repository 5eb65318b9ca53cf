"""The board: moves, refusals that leave it unchanged, copies and observers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
from support.tsuro import CORNERS, STRAIGHT, U_TURNS, exactly, port, state

from engines import tsuro
from engines.tsuro import Board, BoardPosition, ColorString, InitialMove, IntermediateMove, Port

# Without symmetry: wires AD BH CE FG.
LOPSIDED = tsuro.tile_pattern(15, 90)
RED_TURNS_BACK = IntermediateMove(U_TURNS, "red")


class _Observer(tsuro.BoardObserver):
    """Passes each event on to a function."""

    def __init__(self, notice: Callable[..., object]) -> None:
        self._notice = notice

    def player_entered_board(
        self,
        player: ColorString,
        position: BoardPosition,
        port: tsuro.PortID,  # pylint: disable=redefined-outer-name  # as in BoardObserver
    ) -> None:
        self._notice("entered", player, str(position), tsuro.PORT_LETTERS[port])

    def tile_placed(self, tile: tsuro.Tile, position: BoardPosition) -> None:
        self._notice("placed", tsuro.pattern_of(tile), str(position))

    def player_moved(
        self,
        player: ColorString,
        position: BoardPosition,
        port: tsuro.PortID,  # pylint: disable=redefined-outer-name  # as in BoardObserver
    ) -> None:
        self._notice("moved", player, str(position), tsuro.PORT_LETTERS[port])

    def player_exited_board(self, player: ColorString) -> None:
        self._notice("exited", player)

    def player_entered_loop(self, player: ColorString) -> None:
        self._notice("looped", player)


def _recorded(board: Board) -> list[tuple[object, ...]]:
    """Return a list to which the board's events are appended."""
    events: list[tuple[object, ...]] = []
    board.add_observer(_Observer(lambda *event: events.append(event)))
    return events


def _first(
    player: ColorString, x: int, y: int, letter: str, tile: tsuro.Tile = STRAIGHT
) -> InitialMove:
    return InitialMove(BoardPosition(x, y), tile, port(letter), player)


def _board(*placements: InitialMove) -> Board:
    return Board.create_board_from_initial_placements(list(placements)).value()


def _with_scissors(*placements: InitialMove) -> Board:
    board = Board()
    for placement in placements:
        assert board.initial_move_with_scissors(placement).is_ok()
    return board


def _standing(board: Board) -> dict[ColorString, tuple[int, int, str]]:
    return {
        player: (position.x, position.y, tsuro.PORT_LETTERS[port])
        for player, (position, port) in board.get_board_state().live_players.items()
    }


def _wires_at(board: Board, x: int, y: int) -> object:
    tile = board.get_board_state().get_tile(BoardPosition(x, y))
    return None if tile is None else tile.edges


# --- initial moves


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (
            _first(cast(ColorString, "purple"), 4, 0, "E"),
            "'purple' is not a player: use one of white, black, red, green, blue",
        ),
        (
            _first("red", 1, 5, "A")._replace(tile=cast(tsuro.Tile, None)),
            "a tile must be a Tile, not None",
        ),
        (
            _first("black", 4, 0, "E")._replace(position=cast(BoardPosition, (4, 0))),
            "a position must be a BoardPosition, not (4, 0)",
        ),
        (_first("red", 1, 5, "A"), "red is on the board already"),
        (InitialMove(None, STRAIGHT, Port.TopLeft, "black"), "an initial move needs a position"),
        (_first("black", 1, 5, "E"), "(1, 5) is not on the edge of the board"),
        (_first("black", 0, 5, "G"), "(0, 5) holds a tile already"),
        (_first("black", 0, 6, "G"), "(0, 5), next to (0, 6), holds a tile already"),
        (
            _first("black", 4, 0, "E")._replace(port=tsuro.PortID(8)),
            "a port must be an integer from 0 to 7, not 8",
        ),
        (_first("black", 4, 0, "A"), "port 0 of (4, 0) faces off the board"),
    ],
)
def test_a_refused_initial_move_is_explained_by_the_first_reason_and_changes_nothing(
    move: InitialMove, message: str
) -> None:
    board = _board(_first("red", 0, 5, "C", LOPSIDED))
    before = exactly(board.get_board_state())
    assert board.validate_initial_move(move).error() == message
    assert board.initial_move(move).error() == message
    assert exactly(board.get_board_state()) == before


def test_scissors_ignore_the_rules_of_initial_moves() -> None:
    board = _board(_first("red", 0, 5, "C", LOPSIDED))
    assert board.initial_move_with_scissors(_first("blue", 1, 5, "G", U_TURNS)).is_ok()
    assert board.initial_move_with_scissors(_first("red", 1, 5, "F", CORNERS)).is_ok()
    assert _standing(board) == {"red": (1, 5, "F"), "blue": (1, 5, "G")}
    assert _wires_at(board, 1, 5) == CORNERS.edges


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"position": None}, "an initial move needs a position"),
        ({"player": "pink"}, "'pink' is not a player: use one of white, black, red, green, blue"),
        ({"tile": "2"}, "a tile must be a Tile, not '2'"),
        ({"port": 8}, "a port must be an integer from 0 to 7, not 8"),
    ],
)
def test_scissors_refuse_what_is_none_of_the_game(changed: dict[str, object], message: str) -> None:
    board = _board(_first("red", 0, 5, "C", LOPSIDED))
    before = board.get_board_state()
    move = _first("blue", 1, 5, "G", U_TURNS)._replace(**cast(dict[str, Any], changed))
    assert board.initial_move_with_scissors(move).error() == message
    assert board.get_board_state() == before


def test_an_eliminated_player_cannot_start_again_except_with_scissors() -> None:
    board = _with_the_edge_ahead()
    assert board.place_tile(RED_TURNS_BACK).is_ok()
    again = _first("red", 9, 9, "A")
    assert board.initial_move(again).error() == "red has left the board and is out"
    assert board.initial_move_with_scissors(again).is_ok()
    assert _standing(board)["red"] == (9, 9, "A")
    assert board.initial_move(again).error() == "red is on the board already"


# --- later moves


def _with_the_edge_ahead() -> Board:
    # If a tile that turns back is placed at (1, 5), red leaves the board over its own tile.
    return _board(_first("red", 0, 5, "C"), _first("black", 7, 0, "F", LOPSIDED))


def _with_a_loop_ahead() -> Board:
    # If a tile that turns back is placed at (1, 5), red and black, on both ends of the wire CD,
    # loop; white, coming from the north, would leave the board.
    return _with_scissors(
        _first("red", 0, 5, "C", U_TURNS),
        _first("black", 0, 5, "D", U_TURNS),
        _first("white", 1, 4, "E", tsuro.tile_pattern(0, 0)),
        _first("blue", 9, 9, "A", LOPSIDED),
    )


def _with_red_facing_a_tile() -> Board:
    board = _board(_first("red", 0, 5, "C", LOPSIDED))
    board.place_tile_at_index_with_scissors(CORNERS, BoardPosition(1, 5))
    return board


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: _board(_first("blue", 4, 0, "E", LOPSIDED)), "red is not on the board"),
        (
            lambda: _with_scissors(_first("red", 0, 5, "H", LOPSIDED)),
            "red at (0, 5) faces off the board: no square for a tile",
        ),
        (_with_red_facing_a_tile, "red faces (1, 5), which holds a tile already"),
        (_with_a_loop_ahead, "a tile at (1, 5) would put black, red in a loop"),
    ],
)
def test_a_refused_tile_is_explained_and_changes_nothing(
    make: Callable[[], Board], message: str
) -> None:
    board = make()
    before = exactly(board.get_board_state())
    assert board.place_tile(RED_TURNS_BACK).error() == message
    assert exactly(board.get_board_state()) == before


def test_what_is_no_tile_is_refused_and_changes_nothing() -> None:
    board = _board(_first("red", 0, 5, "C", LOPSIDED))
    before = board.get_board_state()
    no_tile = cast(tsuro.Tile, ((0, 1), (2, 3), (4, 5), (6, 7)))
    message = "a tile must be a Tile, not ((0, 1), (2, 3), (4, 5), (6, 7))"
    move = IntermediateMove(no_tile, "red")
    assert board.validate_place_tile(move).error() == message
    assert board.place_tile(move).error() == message
    placed = board.place_tile_at_index_with_scissors(no_tile, BoardPosition(5, 5))
    assert placed.error() == message
    unknown = IntermediateMove(CORNERS, cast(ColorString, ["red"]))
    assert "['red'] is not a player" in board.place_tile(unknown).error()
    assert board.get_board_state() == before


def test_a_tile_by_scissors_moves_avatars_only_with_the_next_tile() -> None:
    board = _board(_first("red", 0, 5, "C"), _first("black", 7, 0, "F"))
    placed = board.place_tile_at_index_with_scissors(LOPSIDED, BoardPosition(1, 5))
    assert placed.value() is None
    assert _wires_at(board, 1, 5) == LOPSIDED.edges
    assert _standing(board) == {"black": (7, 0, "F"), "red": (0, 5, "C")}
    assert board.place_tile(IntermediateMove(STRAIGHT, "black")).is_ok()
    assert _standing(board) == {"black": (7, 1, "F"), "red": (1, 5, "B")}


def test_scissors_do_not_replace_a_tile() -> None:
    board = _board(_first("red", 0, 5, "C", LOPSIDED))
    placed = board.place_tile_at_index_with_scissors(U_TURNS, BoardPosition(0, 5))
    assert placed.error() == "(0, 5) holds a tile already"
    assert _wires_at(board, 0, 5) == LOPSIDED.edges


# --- boards from moves and states


def test_the_first_refused_move_is_reported_by_its_number() -> None:
    placements = [_first("red", 0, 5, "C"), _first("black", 0, 6, "C"), _first("red", 9, 9, "A")]
    message = "initial placement 2: (0, 5), next to (0, 6), holds a tile already"
    assert Board.create_board_from_initial_placements(placements).error() == message
    assert Board.create_board_from_moves(placements, []).error() == message
    looping = Board.create_board_from_moves(
        [_first("red", 1, 0, "D", CORNERS)], [IntermediateMove(CORNERS, "red")] * 3
    )
    assert looping.error() == "move 3: a tile at (1, 1) would put red in a loop"


def test_two_lists_are_played_up_to_the_first_refused_move() -> None:
    board = Board()
    refused = board.play(
        [_first("red", 1, 0, "D", CORNERS)], [IntermediateMove(CORNERS, "red")] * 3
    )
    assert refused == (
        False,
        3,
        tsuro.MoveRefusal.LOOPS,
        "a tile at (1, 1) would put red in a loop",
    )
    assert _standing(board) == {"red": (2, 1, "H")}
    assert board.play([], [IntermediateMove(STRAIGHT, "red")]) is None


def test_a_board_from_a_state_copies_it_and_moves_no_avatar() -> None:
    # Red faces a tile.
    given = state({(0, 5): LOPSIDED, (1, 5): LOPSIDED}, {"red": (BoardPosition(0, 5), port("C"))})
    board = Board.from_state(given)
    given.board[5][0] = None
    given.live_players = {}
    assert _standing(board) == {"red": (0, 5, "C")}
    assert _wires_at(board, 0, 5) == LOPSIDED.edges


def test_changing_a_copied_state_does_not_change_the_board() -> None:
    board = _board(_first("red", 0, 5, "C", LOPSIDED))
    before = exactly(board.get_board_state())
    copied = board.get_board_state()
    # Bypasses the immutability of Tile and BoardPosition.
    object.__setattr__(copied.get_tile(BoardPosition(0, 5)), "edges", ())
    object.__setattr__(copied.live_players["red"][0], "x", 9)
    cast("dict[ColorString, object]", copied.live_players).clear()
    copied.board[5][0] = None
    copied.board.reverse()
    assert exactly(board.get_board_state()) == before
    kept = board.get_board_state()
    board.place_tile(IntermediateMove(STRAIGHT, "red"))
    assert exactly(kept) == before


# --- observers


def test_moves_and_exits_are_reported_after_the_tile_in_the_order_of_the_colours() -> None:
    board = _with_scissors(
        *(_first("blue", 0, 5, "C"), _first("white", 0, 5, "D")),
        *(_first("red", 2, 5, "G", CORNERS), _first("green", 9, 9, "A")),
    )
    events = _recorded(board)
    board.place_tile(IntermediateMove(U_TURNS, "blue"))
    assert events == [
        ("placed", (34, 0), "(1, 5)"),
        *(("exited", "white"), ("moved", "red", "(2, 5)", "A"), ("exited", "blue")),
    ]


def test_refused_loops_are_reported_and_exits_that_they_prevent_are_not() -> None:
    board = _with_a_loop_ahead()
    events = _recorded(board)
    board.place_tile(RED_TURNS_BACK)
    assert events == [("looped", "black"), ("looped", "red")]


def test_initial_moves_and_tiles_by_scissors_are_reported_and_errors_are_not() -> None:
    board = _board(_first("red", 0, 5, "C"))
    events = _recorded(board)
    for _ in range(2):
        board.initial_move(_first("black", 7, 0, "F"))
    board.place_tile(IntermediateMove(STRAIGHT, "green"))
    for _ in range(2):
        board.place_tile_at_index_with_scissors(CORNERS, BoardPosition(4, 4))
    assert events == [
        *(("placed", (2, 0), "(7, 0)"), ("entered", "black", "(7, 0)", "F")),
        ("placed", (4, 0), "(4, 4)"),
    ]


def _raise(*_: object) -> None:
    raise RuntimeError


class _Idle(tsuro.BoardObserver):
    """Overrides nothing."""


@pytest.mark.parametrize("make", [_with_a_loop_ahead, _with_the_edge_ahead])
def test_exceptions_of_observers_are_ignored(make: Callable[[], Board]) -> None:
    board, undisturbed = make(), make()
    for observer in (_Observer(_raise), cast(tsuro.BoardObserver, object()), _Idle()):
        board.add_observer(observer)
    events = _recorded(board)
    assert repr(board.place_tile(RED_TURNS_BACK)) == repr(undisturbed.place_tile(RED_TURNS_BACK))
    assert exactly(board.get_board_state()) == exactly(undisturbed.get_board_state())
    assert events


def test_interrupts_propagate_after_the_move_is_made() -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    board = _with_the_edge_ahead()
    board.add_observer(_Observer(interrupt))
    with pytest.raises(KeyboardInterrupt):
        board.place_tile(RED_TURNS_BACK)
    assert _standing(board) == {"black": (7, 0, "F")}
