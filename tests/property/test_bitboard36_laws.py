"""The laws of the 36-bit board, on random boards."""

from __future__ import annotations

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from engines.bitboard36.boards import (
    Board,
    Player,
    State,
    after_move,
    base_state,
    state_of,
    variants,
)
from engines.bitboard36.errors import IllegalMove
from engines.bitboard36.moves import legal_moves, perft
from engines.bitboard36.neighbours import neighbour_count, neighbour_counts, neighbour_planes
from engines.bitboard36.shape import FULL, POSITIONS, Position, column_of, position_at, row_of
from engines.bitboard36.words import (
    Word,
    horizontal_mirror,
    moved,
    toggled,
    value,
    vertical_mirror,
)
from engines.bits import cells

law = settings(deadline=None)
positions = st.sampled_from(POSITIONS)
words = st.integers(0, FULL).map(Word)


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Any pieces, each of either colour, and either player to play."""
    pieces, colours = draw(words), draw(words)
    return Board(pieces & colours, pieces & ~colours, draw(st.sampled_from(Player)))


@st.composite
def symmetrical_boards(draw: st.DrawFn) -> Board:
    """Boards that are their own vertical mirror, which random ones hardly ever are."""
    board = draw(boards())
    left = sum(1 << at for at in POSITIONS if column_of(at) < 3)
    white, black = Word(board.white & left), Word(board.black & left)
    return Board(white | vertical_mirror(white), black | vertical_mirror(black), board.to_play)


any_boards = st.one_of(boards(), symmetrical_boards())


@law
@given(words)
def test_each_mirror_is_its_own_inverse(pieces: Word) -> None:
    """Mirroring twice along the same axis changes nothing."""
    assert vertical_mirror(vertical_mirror(pieces)) == pieces
    assert horizontal_mirror(horizontal_mirror(pieces)) == pieces


@law
@given(words)
def test_the_mirrors_commute(pieces: Word) -> None:
    """Either order turns the board by half a turn."""
    turned = Word(sum(1 << 35 - at for at in cells(pieces)))
    assert vertical_mirror(horizontal_mirror(pieces)) == turned
    assert horizontal_mirror(vertical_mirror(pieces)) == turned


@law
@given(words)
def test_mirrors_agree_with_their_definition(pieces: Word) -> None:
    """Row -> 5 - row, and column -> 5 - column, cell by cell."""
    at = [(row_of(Position(cell)), column_of(Position(cell))) for cell in cells(pieces)]
    assert horizontal_mirror(pieces) == sum(1 << position_at(5 - row, column) for row, column in at)
    assert vertical_mirror(pieces) == sum(1 << position_at(row, 5 - column) for row, column in at)


@law
@given(words)
@example(Word(FULL))
@example(Word(1 << 2 | 1 << 3))
@example(Word(1 << 5 | 1 << 30))
def test_the_orbit_of_a_word_under_both_mirrors_has_1_2_or_4_members(pieces: Word) -> None:
    """Its members times the mirrors that change nothing (and no mirror at all) make four."""
    flipped = horizontal_mirror(pieces)
    images = (pieces, flipped, vertical_mirror(pieces), vertical_mirror(flipped))
    assert len(set(images)) in (1, 2, 4)
    assert len(set(images)) * images.count(pieces) == 4


@law
@given(any_boards)
def test_all_four_variants_have_the_same_base_state(board: Board) -> None:
    """The mapping forgets which of its four variants a board is."""
    base = base_state(board)
    assert {base_state(variant) for variant in variants(base)} == {base}


@law
@given(any_boards)
def test_a_board_is_one_of_the_variants_of_its_base_state(board: Board) -> None:
    """The mapping forgets nothing but the variant."""
    assert board in variants(base_state(board))


@law
@given(any_boards)
def test_a_base_state_is_a_fixed_point(board: Board) -> None:
    """As a board of White to play, a base state is its own base state."""
    base = base_state(board)
    assert base_state(Board(base.current, base.next)) == base
    assert state_of(variants(base).white_right) == base


@law
@given(any_boards)
def test_four_variants_are_two_where_the_board_is_its_own_vertical_mirror(board: Board) -> None:
    """An orbit has 2 members or 4; never 1, as one half of it has the other player to play."""
    symmetrical = vertical_mirror(board.white) == board.white and (
        vertical_mirror(board.black) == board.black
    )
    assert len(set(variants(base_state(board)))) == (2 if symmetrical else 4)


@law
@given(boards())
def test_a_base_state_is_not_larger_than_its_mirror(board: Board) -> None:
    """Smaller is by the current player's word, then by the next player's."""
    base = base_state(board)
    mirror = State(vertical_mirror(base.current), vertical_mirror(base.next))
    assert (base.current, base.next) <= (mirror.current, mirror.next)


@law
@given(words)
def test_counts_agree_with_the_slow_definition(pieces: Word) -> None:
    """All three ways of counting agree with looking at each cell around each position."""
    slow = tuple(_slow_count(pieces, at) for at in POSITIONS)
    ones, twos, fours, eights = neighbour_planes(pieces)
    assert neighbour_counts(pieces) == slow
    assert tuple(neighbour_count(pieces, at) for at in POSITIONS) == slow
    assert slow == tuple(
        (ones >> at & 1) + 2 * (twos >> at & 1) + 4 * (fours >> at & 1) + 8 * (eights >> at & 1)
        for at in POSITIONS
    )


@law
@given(words)
def test_planes_stay_on_the_board(pieces: Word) -> None:
    """No plane has a bit beyond the 36."""
    assert max(neighbour_planes(pieces)) <= FULL


@law
@given(words)
def test_counts_are_mirrored_with_the_board(pieces: Word) -> None:
    """A mirror knows no neighbours that the board did not have."""
    counts = neighbour_counts(pieces)
    mirrored = neighbour_counts(vertical_mirror(pieces))
    assert counts == tuple(mirrored[position_at(row_of(at), 5 - column_of(at))] for at in POSITIONS)


@law
@given(words, positions)
def test_toggling_twice_is_the_identity(pieces: Word, at: Position) -> None:
    """And toggling once changes that value, and no other."""
    once = toggled(pieces, at)
    assert value(once, at) == 1 - value(pieces, at)
    assert once & ~(1 << at) == pieces & ~(1 << at)
    assert toggled(once, at) == pieces


@law
@given(words, positions, positions)
def test_a_move_is_two_toggles_and_undone_by_the_move_back(
    pieces: Word, origin: Position, target: Position
) -> None:
    """The source's third formula is its second, twice."""
    there = moved(pieces, origin, target)
    assert there == toggled(toggled(pieces, origin), target)
    assert moved(there, target, origin) == pieces


@law
@given(any_boards, st.data())
def test_a_legal_move_keeps_all_other_pieces_and_their_number(
    board: Board, data: st.DataObject
) -> None:
    """Nothing is captured: one piece changes its cell, and the turn passes."""
    player = board.to_play
    own = board.white if player is Player.WHITE else board.black
    origins, targets = list(cells(own)), list(cells(FULL ^ board.pieces))
    assume(origins and targets)
    origin, target = data.draw(st.sampled_from(origins)), data.draw(st.sampled_from(targets))
    after = after_move(board, Position(origin), Position(target))
    assert after.to_play is player.other
    assert after.pieces == (board.pieces ^ 1 << origin) | 1 << target
    others = {Player.WHITE: (board.black, after.black), Player.BLACK: (board.white, after.white)}
    assert len(set(others[player])) == 1


@law
@given(any_boards, positions, positions)
def test_a_move_is_listed_where_it_is_taken(
    board: Board, origin: Position, target: Position
) -> None:
    """`legal_moves` and `after_move` agree on every move."""
    try:
        after_move(board, origin, target)
    except IllegalMove:
        assert (origin, target) not in legal_moves(board)
    else:
        assert (origin, target) in legal_moves(board)


@law
@given(any_boards)
def test_sequences_are_those_after_each_move(board: Board) -> None:
    """What perft multiplies, walking counts."""
    assert perft(board, 0) == 1
    assert perft(board, 2) == sum(perft(after_move(board, *move), 1) for move in legal_moves(board))
    assert perft(board, 1) == len(legal_moves(board))


def _slow_count(pieces: Word, at: Position) -> int:
    count = 0
    for row in range(row_of(at) - 1, row_of(at) + 2):
        for column in range(column_of(at) - 1, column_of(at) + 2):
            inside = 0 <= row < 6 and 0 <= column < 6
            if inside and (row, column) != (row_of(at), column_of(at)):
                count += pieces >> 6 * row + column & 1
    return count
