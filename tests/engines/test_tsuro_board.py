"""The board: its moves, its refusals (each of which leaves it as it was), and its observers."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import cast

import pytest

from engines.tsuro import (
    COLORS,
    PORT_LETTERS,
    Board,
    BoardObserver,
    BoardPosition,
    BoardState,
    ColorString,
    InitialMove,
    IntermediateMove,
    PortID,
    Result,
    Tile,
    port_id,
    tile_pattern,
)

# All wires straight across; all wires from a side to the next; all wires back to their own side.
_STRAIGHT = tile_pattern(2, 0)
_CORNERS = tile_pattern(4, 0)
_BACK = tile_pattern(34, 0)
# With one turn only.
_LOPSIDED = tile_pattern(15, 90)


class _Recorder(BoardObserver):
    """Writes down what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, ColorString]] = []

    def player_exited_board(self, player: ColorString) -> None:
        self.heard.append(("exited", player))

    def player_entered_loop(self, player: ColorString) -> None:
        self.heard.append(("looped", player))


def _port(letter: str) -> PortID:
    return port_id(PORT_LETTERS.index(letter))


def _first(player: ColorString, x: int, y: int, letter: str, tile: Tile = _STRAIGHT) -> InitialMove:
    return InitialMove(BoardPosition(x, y), tile, _port(letter), player)


def _board(*placements: InitialMove) -> Board:
    return Board.create_board_from_initial_placements(list(placements)).value()


def _exactly(board: Board) -> tuple[list[list[object]], dict[ColorString, object]]:
    """All of a board's state. Tiles by their wires, since `==` of tiles is blind to rotation."""
    state = board.get_board_state()
    rows: list[list[object]] = [[tile and tile.edges for tile in row] for row in state.board]
    return rows, dict(state.live_players)


def _standing(board: Board) -> dict[ColorString, tuple[int, int, str]]:
    return {
        player: (position.x, position.y, PORT_LETTERS[port])
        for player, (position, port) in board.get_board_state().live_players.items()
    }


def test_a_new_board_is_empty() -> None:
    rows, players = _exactly(Board())
    assert rows == [[None] * 10] * 10
    assert not players


# --- initial moves


def test_an_initial_move_places_a_tile_as_it_is_turned_and_an_avatar() -> None:
    board = Board()
    moved = board.initial_move(_first("green", 4, 9, "B", _LOPSIDED))
    assert moved.is_ok()
    assert moved.value() is None
    tile = board.get_board_state().get_tile(BoardPosition(4, 9))
    assert tile is not None
    assert tile.same_wires(_LOPSIDED)
    assert _standing(board) == {"green": (4, 9, "B")}


def test_validating_an_initial_move_does_not_make_it() -> None:
    board = Board()
    assert board.validate_initial_move(_first("green", 4, 9, "B")).is_ok()
    assert _exactly(board) == _exactly(Board())


def test_a_corner_and_the_square_after_next_are_good_places_to_begin() -> None:
    board = _board(_first("white", 0, 0, "C"), _first("blue", 2, 0, "E"), _first("red", 0, 2, "A"))
    assert _standing(board) == {"white": (0, 0, "C"), "blue": (2, 0, "E"), "red": (0, 2, "A")}


def test_a_tile_across_a_corner_is_no_neighbor() -> None:
    board = Board()
    board.place_tile_at_index_with_scissors(_BACK, BoardPosition(1, 1))
    assert board.initial_move(_first("white", 0, 0, "C")).is_ok()


_REFUSED_INITIAL_MOVES: list[tuple[InitialMove, str]] = [
    (
        _first(cast(ColorString, "purple"), 4, 0, "E"),
        "'purple' is no player: one of white, black, red, green, blue",
    ),
    (_first("red", 4, 0, "E"), "red is on the board already"),
    (InitialMove(None, _STRAIGHT, _port("E"), "black"), "an initial move needs a position"),
    (_first("black", 1, 8, "E"), "(1, 8) is not along the edge of the board"),
    (_first("black", 0, 5, "C"), "(0, 5) holds a tile already"),
    (_first("black", 0, 6, "C"), "(0, 5), next to (0, 6), holds a tile already"),
    (
        InitialMove(BoardPosition(4, 0), _STRAIGHT, PortID(8), "black"),
        "a port is a whole number from 0 to 7, not 8",
    ),
    (
        InitialMove(BoardPosition(4, 0), _STRAIGHT, PortID(-3), "black"),
        "a port is a whole number from 0 to 7, not -3",
    ),
    (_first("black", 4, 0, "A"), "port 0 of (4, 0) faces off the board"),
]


@pytest.mark.parametrize(("move", "message"), _REFUSED_INITIAL_MOVES)
def test_a_refused_initial_move_says_why_and_leaves_the_board(
    move: InitialMove, message: str
) -> None:
    board = _board(_first("red", 0, 5, "C", _LOPSIDED))
    before = _exactly(board)
    assert board.validate_initial_move(move).error() == message
    assert board.initial_move(move).error() == message
    assert _exactly(board) == before


def test_of_many_faults_of_an_initial_move_the_first_is_told() -> None:
    board = _board(_first("red", 4, 0, "E"))
    board.place_tile_at_index_with_scissors(_BACK, BoardPosition(4, 1))
    faults = [
        (_first("red", 4, 1, "A"), "red is on the board already"),
        (_first("black", 4, 1, "A"), "(4, 1) is not along the edge of the board"),
        (_first("black", 4, 0, "A"), "(4, 0) holds a tile already"),
        (_first("black", 3, 0, "A"), "(4, 0), next to (3, 0), holds a tile already"),
        (_first("black", 2, 0, "A"), "port 0 of (2, 0) faces off the board"),
    ]
    assert [board.initial_move(move).error() for move, _ in faults] == [text for _, text in faults]


def test_with_scissors_an_initial_move_is_made_whatever_the_rules_say() -> None:
    board = _board(_first("red", 0, 5, "C", _LOPSIDED))
    assert board.initial_move_with_scissors(_first("blue", 1, 5, "G", _BACK)).is_ok()
    assert _standing(board) == {"red": (0, 5, "C"), "blue": (1, 5, "G")}
    assert board.initial_move_with_scissors(_first("red", 1, 5, "F", _CORNERS)).is_ok()
    assert _standing(board) == {"red": (1, 5, "F"), "blue": (1, 5, "G")}
    tile = board.get_board_state().get_tile(BoardPosition(1, 5))
    assert tile is not None
    assert tile.same_wires(_CORNERS)


def test_even_with_scissors_a_move_without_a_position_leaves_the_board() -> None:
    board = _board(_first("red", 0, 5, "C", _LOPSIDED))
    before = _exactly(board)
    move = InitialMove(None, _BACK, _port("A"), "blue")
    assert board.initial_move_with_scissors(move).error() == "an initial move needs a position"
    assert _exactly(board) == before


# --- later moves


def test_a_tile_goes_where_the_player_faces_and_the_player_goes_on() -> None:
    board = _board(_first("red", 0, 5, "C"), _first("black", 7, 0, "F"))
    moved = board.place_tile(IntermediateMove(_LOPSIDED, "red"))
    assert moved.is_ok()
    assert moved.value() is None
    tile = board.get_board_state().get_tile(BoardPosition(1, 5))
    assert tile is not None
    assert tile.same_wires(_LOPSIDED)
    # Its wires are AD BH CE FG: in at H, out at B.
    assert _standing(board) == {"black": (7, 0, "F"), "red": (1, 5, "B")}


def test_every_avatar_that_faces_the_tile_moves() -> None:
    board = Board()
    for move in (_first("red", 0, 1, "C"), _first("black", 1, 0, "E", _BACK)):
        board.initial_move_with_scissors(move)
    assert board.place_tile(IntermediateMove(_CORNERS, "black")).is_ok()
    # A collision: red goes by (1, 0) to black's old port, and both end on one port.
    assert _standing(board) == {"black": (1, 1, "C"), "red": (1, 1, "C")}


def test_collided_avatars_go_on_together() -> None:
    board = Board()
    for move in (_first("red", 0, 1, "C"), _first("black", 1, 0, "E", _BACK)):
        board.initial_move_with_scissors(move)
    for tile in (_CORNERS, _STRAIGHT):
        assert board.place_tile(IntermediateMove(tile, "red")).is_ok()
    assert _standing(board) == {"black": (2, 1, "C"), "red": (2, 1, "C")}


def test_who_leaves_the_board_is_removed_and_its_tiles_stay() -> None:
    board = _with_the_edge_ahead()
    assert board.place_tile(IntermediateMove(_BACK, "red")).is_ok()
    assert _standing(board) == {"black": (7, 0, "F")}
    state = board.get_board_state()
    assert state.get_tile(BoardPosition(0, 5)) == _STRAIGHT
    assert state.get_tile(BoardPosition(1, 5)) == _BACK


def _with_the_edge_ahead() -> Board:
    # Where a tile that turns back is placed at (1, 5), red leaves the board by its own tile.
    return _board(_first("red", 0, 5, "C"), _first("black", 7, 0, "F", _LOPSIDED))


def _with_red_facing_off() -> Board:
    board = Board()
    board.initial_move_with_scissors(_first("red", 0, 5, "H", _LOPSIDED))
    return board


def _with_red_facing_a_tile() -> Board:
    board = _board(_first("red", 0, 5, "C", _LOPSIDED))
    board.place_tile_at_index_with_scissors(_CORNERS, BoardPosition(1, 5))
    return board


def _with_a_loop_ahead() -> Board:
    # Where a tile that turns back is placed at (1, 5), red and black, on both ends of the wire CD,
    # go round for ever; and white, who comes from the north, would leave the board.
    board = _board(_first("red", 0, 5, "C", _BACK))
    for move in (
        _first("black", 0, 5, "D", _BACK),
        _first("white", 1, 4, "E", tile_pattern(0, 0)),
        _first("blue", 9, 9, "A", _LOPSIDED),
    ):
        board.initial_move_with_scissors(move)
    return board


_REFUSED_TILES: list[tuple[Callable[[], Board], str]] = [
    (lambda: _board(_first("blue", 4, 0, "E", _LOPSIDED)), "red is not on the board"),
    (_with_red_facing_off, "red at (0, 5) faces off the board: no square for a tile"),
    (_with_red_facing_a_tile, "red faces (1, 5), which holds a tile already"),
    (_with_a_loop_ahead, "a tile at (1, 5) would put black, red in a loop"),
]


@pytest.mark.parametrize(("make", "message"), _REFUSED_TILES)
def test_a_refused_tile_says_why_and_leaves_the_board(
    make: Callable[[], Board], message: str
) -> None:
    board = make()
    before = _exactly(board)
    assert board.place_tile(IntermediateMove(_BACK, "red")).error() == message
    assert _exactly(board) == before


def test_validating_a_tile_asks_only_whether_the_player_lives() -> None:
    board = _with_a_loop_ahead()
    before = _exactly(board)
    assert board.validate_place_tile(IntermediateMove(_BACK, "red")).is_ok()
    dead = board.validate_place_tile(IntermediateMove(_BACK, "green"))
    assert dead.error() == "green is not on the board"
    assert _exactly(board) == before


def test_after_a_refused_loop_another_tile_can_be_placed() -> None:
    board = _with_a_loop_ahead()
    board.place_tile(IntermediateMove(_BACK, "red"))
    assert board.place_tile(IntermediateMove(_STRAIGHT, "red")).is_ok()
    standing = _standing(board)
    assert standing["red"] == (1, 5, "C")
    assert standing["black"] == (1, 5, "D")
    assert standing["white"] == (1, 5, "E")


def test_with_scissors_a_tile_goes_anywhere_and_nobody_moves() -> None:
    board = _board(_first("red", 0, 5, "C"))
    placed = board.place_tile_at_index_with_scissors(_LOPSIDED, BoardPosition(1, 5))
    assert placed.is_ok()
    assert placed.value() is None
    tile = board.get_board_state().get_tile(BoardPosition(1, 5))
    assert tile is not None
    assert tile.same_wires(_LOPSIDED)
    assert _standing(board) == {"red": (0, 5, "C")}


def test_who_came_to_face_a_tile_by_scissors_moves_when_the_next_is_placed() -> None:
    board = _board(_first("red", 0, 5, "C"), _first("black", 7, 0, "F"))
    board.place_tile_at_index_with_scissors(_STRAIGHT, BoardPosition(1, 5))
    assert board.place_tile(IntermediateMove(_STRAIGHT, "black")).is_ok()
    assert _standing(board) == {"black": (7, 1, "F"), "red": (1, 5, "C")}


def test_even_with_scissors_no_tile_is_put_on_another() -> None:
    board = _board(_first("red", 0, 5, "C", _LOPSIDED))
    before = _exactly(board)
    placed = board.place_tile_at_index_with_scissors(_BACK, BoardPosition(0, 5))
    assert placed.error() == "(0, 5) holds a tile already"
    assert _exactly(board) == before


# --- boards from moves


def test_a_board_is_made_of_initial_placements_and_moves_in_their_order() -> None:
    made = Board.create_board_from_moves(
        [_first("red", 0, 5, "C"), _first("black", 7, 0, "F")],
        [
            IntermediateMove(_LOPSIDED, "red"),
            IntermediateMove(_CORNERS, "red"),
            IntermediateMove(_CORNERS, "black"),
        ],
    ).value()
    # Red: H to B in (1, 5), E to D in (1, 4). Black: A to H in (7, 1).
    assert _standing(made) == {"black": (7, 1, "H"), "red": (1, 4, "D")}


def test_no_placements_make_an_empty_board() -> None:
    assert _exactly(_board()) == _exactly(Board())


def test_the_first_refused_initial_placement_is_named() -> None:
    placements = [_first("red", 0, 5, "C"), _first("black", 0, 6, "C"), _first("red", 9, 9, "A")]
    message = "initial placement 2: (0, 5), next to (0, 6), holds a tile already"
    assert Board.create_board_from_initial_placements(placements).error() == message
    assert Board.create_board_from_moves(placements, []).error() == message


def test_the_first_refused_move_is_named() -> None:
    made = Board.create_board_from_moves(
        [_first("red", 1, 0, "D", _CORNERS)], [IntermediateMove(_CORNERS, "red")] * 3
    )
    assert made.error() == "move 3: a tile at (1, 1) would put red in a loop"


def test_a_board_stands_as_the_state_says_and_keeps_it_apart() -> None:
    rows: list[list[Tile | None]] = [[None] * 10 for _ in range(10)]
    rows[5][0] = rows[5][1] = _LOPSIDED
    state = BoardState(rows, {"red": (BoardPosition(0, 5), _port("C"))})
    board = Board.from_state(state)
    state.board[5][0] = None
    state.live_players = {}
    # Red faces a tile, and is where it was: nobody moves when a state is taken.
    assert _standing(board) == {"red": (0, 5, "C")}
    assert board.get_board_state().get_tile(BoardPosition(0, 5)) == _LOPSIDED


# --- copies


def test_nothing_done_to_a_state_reaches_its_board() -> None:
    board = _board(_first("red", 0, 5, "C", _LOPSIDED))
    before = _exactly(board)
    state = board.get_board_state()
    tile = state.get_tile(BoardPosition(0, 5))
    position, _ = state.live_players["red"]
    # Past the refusal of a Tile and a BoardPosition to be changed, as malice would.
    object.__setattr__(tile, "edges", ())
    object.__setattr__(position, "x", 9)
    cast("dict[ColorString, object]", state.live_players).clear()
    state.board[5][0] = None
    state.board[3].append(_BACK)
    state.board.reverse()
    assert _exactly(board) == before


def test_a_state_does_not_follow_its_board() -> None:
    board = _board(_first("red", 0, 5, "C"))
    state = board.get_board_state()
    board.place_tile(IntermediateMove(_STRAIGHT, "red"))
    assert state.get_tile(BoardPosition(1, 5)) is None
    assert state.live_players == {"red": (BoardPosition(0, 5), _port("C"))}


def test_a_deep_copy_of_a_board_goes_its_own_way() -> None:
    board = _board(_first("red", 0, 5, "C"))
    copied = deepcopy(board)
    copied.place_tile(IntermediateMove(_STRAIGHT, "red"))
    assert _standing(copied) == {"red": (1, 5, "C")}
    assert _standing(board) == {"red": (0, 5, "C")}


# --- observers


def test_observers_hear_who_left_the_board_in_the_order_of_the_colours() -> None:
    board, recorder = Board(), _Recorder()
    for move in (
        _first("blue", 0, 5, "C"),
        _first("white", 0, 5, "D"),
        _first("red", 2, 5, "G", _CORNERS),
    ):
        board.initial_move_with_scissors(move)
    board.add_observer(recorder)
    board.place_tile(IntermediateMove(_BACK, "blue"))
    assert recorder.heard == [("exited", "white"), ("exited", "blue")]


def test_observers_hear_who_would_loop_and_not_who_would_have_left() -> None:
    board, recorder = _with_a_loop_ahead(), _Recorder()
    board.add_observer(recorder)
    board.place_tile(IntermediateMove(_BACK, "red"))
    assert recorder.heard == [("looped", "black"), ("looped", "red")]


def test_observers_hear_nothing_of_other_moves_and_other_errors() -> None:
    board, recorder = _board(_first("red", 0, 5, "C")), _Recorder()
    board.add_observer(recorder)
    board.initial_move(_first("black", 7, 0, "F"))
    board.initial_move(_first("black", 7, 0, "F"))
    board.place_tile(IntermediateMove(_STRAIGHT, "red"))
    board.place_tile(IntermediateMove(_STRAIGHT, "green"))
    assert not recorder.heard


class _Furious(BoardObserver):
    """Raises at whatever it hears."""

    def player_exited_board(self, player: ColorString) -> None:
        raise RuntimeError(player)

    def player_entered_loop(self, player: ColorString) -> None:
        raise LookupError(player)


class _Deaf:
    """Has none of the methods of an observer."""


@pytest.mark.parametrize("make", [_with_a_loop_ahead, _with_the_edge_ahead])
def test_what_observers_raise_is_silenced_and_the_others_still_hear(
    make: Callable[[], Board],
) -> None:
    board, recorder, undisturbed = make(), _Recorder(), make()
    move = IntermediateMove(_BACK, "red")
    for observer in (_Furious(), cast(BoardObserver, _Deaf()), recorder):
        board.add_observer(observer)
    moved, expected = board.place_tile(move), undisturbed.place_tile(move)
    assert repr(moved) == repr(expected)
    assert _exactly(board) == _exactly(undisturbed)
    assert recorder.heard


def test_an_observer_that_hears_of_an_exit_finds_the_player_gone() -> None:
    board = _with_the_edge_ahead()
    seen: list[bool] = []

    class _Looker(BoardObserver):
        def player_exited_board(self, player: ColorString) -> None:
            seen.append(player in board.get_board_state().live_players)

    board.add_observer(_Looker())
    board.place_tile(IntermediateMove(_BACK, "red"))
    assert seen == [False]


def test_an_observer_that_is_added_while_another_hears_hears_the_next_event() -> None:
    board, late = _with_a_loop_ahead(), _Recorder()

    class _Host(BoardObserver):
        def player_entered_loop(self, player: ColorString) -> None:
            if player == "black":
                board.add_observer(late)

    board.add_observer(_Host())
    board.place_tile(IntermediateMove(_BACK, "red"))
    assert late.heard == [("looped", "red")]


class _Stop(BaseException):
    """Not an Exception: what ends a program, as an interrupt from the keyboard does."""


def test_what_ends_the_program_is_not_silenced_and_the_move_has_been_made() -> None:
    class _Stopper(BoardObserver):
        def player_exited_board(self, player: ColorString) -> None:
            raise _Stop

    board = _with_the_edge_ahead()
    board.add_observer(_Stopper())
    with pytest.raises(_Stop):
        board.place_tile(IntermediateMove(_BACK, "red"))
    assert _standing(board) == {"black": (7, 0, "F")}


def test_five_players_play_in_any_order() -> None:
    board = Board()
    for number, player in enumerate(reversed(COLORS)):
        assert board.initial_move(_first(player, 2 * number, 0, "E")).is_ok()
    results: list[Result[None]] = [
        board.place_tile(IntermediateMove(_STRAIGHT, player)) for player in COLORS
    ]
    assert all(result.is_ok() for result in results)
    assert _standing(board) == {
        "white": (8, 1, "E"),
        "black": (6, 1, "E"),
        "red": (4, 1, "E"),
        "green": (2, 1, "E"),
        "blue": (0, 1, "E"),
    }
