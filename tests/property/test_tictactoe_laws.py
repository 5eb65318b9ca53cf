"""Laws of tic-tac-toe: a second, slow implementation agrees, and symmetries change nothing.

The second one is as obvious as can be: a list of nine characters, lines written out, and a plain
minimax without memo, bits or tables. It knows nothing of the first.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engines.tictactoe import (
    START,
    Cell,
    Player,
    State,
    best_moves,
    board_svg,
    board_text,
    canonical,
    finished,
    images,
    mark_at,
    mirrored,
    move_values,
    moves,
    next_states,
    parse,
    perft,
    place,
    reachable,
    state_of,
    symbols,
    tree,
    turned,
    utility,
    value,
    winner,
)
from engines.tictactoe.notebook import set_bits, to_board

SLOW_LINES = [
    *([0, 1, 2], [3, 4, 5], [6, 7, 8]),
    *([0, 3, 6], [1, 4, 7], [2, 5, 8]),
    *([0, 4, 8], [2, 4, 6]),
]


def slow_holders(board: list[str]) -> set[str]:
    """The marks that fill some line."""
    return {board[a] for a, b, c in SLOW_LINES if board[a] == board[b] == board[c] != "."}


def slow_utility(board: list[str]) -> int | None:
    """1, -1 or 0 for a game won by X, won by O or drawn; None for one that goes on."""
    holders = slow_holders(board)
    if "X" in holders:
        return 1
    if "O" in holders:
        return -1
    return None if "." in board else 0


def slow_next(board: list[str], mark: str) -> list[list[str]]:
    """The boards after each move, by ascending cell."""
    if slow_utility(board) is not None:
        return []
    return [board[:n] + [mark] + board[n + 1 :] for n in range(9) if board[n] == "."]


def slow_value(board: list[str], mark: str) -> int:
    """Plain minimax: X takes the greatest value, O the least."""
    decided = slow_utility(board)
    if decided is not None:
        return decided
    other = "O" if mark == "X" else "X"
    values = [slow_value(after, other) for after in slow_next(board, mark)]
    return max(values) if mark == "X" else min(values)


def slow_tree(board: list[str], mark: str) -> tuple[int, int, int, int]:
    """Nodes, games won by X, games won by O, games drawn."""
    decided = slow_utility(board)
    if decided is not None:
        return 1, int(decided == 1), int(decided == -1), int(decided == 0)
    other = "O" if mark == "X" else "X"
    below = [slow_tree(after, other) for after in slow_next(board, mark)]
    nodes, x_wins, o_wins, draws = (sum(column) for column in zip(*below, strict=True))
    return 1 + nodes, x_wins, o_wins, draws


BOARDS = st.text("XO.", min_size=9, max_size=9)
STATES = BOARDS.map(parse).filter(lambda result: result.is_ok()).map(lambda result: result.value())
PLAYERS = st.sampled_from(Player)
CELLS = st.integers(0, 8).map(Cell)

# At most six empty cells: what a minimax without a memo walks in a moment.
FULLER_STATES = STATES.filter(lambda state: symbols(state).count(".") <= 6)

laws = settings(deadline=None)


@laws
@given(BOARDS)
def test_a_board_is_refused_exactly_when_both_hold_a_line(text: str) -> None:
    """`parse` takes every board but those that the slow rules find won twice."""
    assert parse(text).is_ok() == (len(slow_holders(list(text))) < 2)


@laws
@given(st.sets(st.integers(0, 8)), st.sets(st.integers(0, 8)))
def test_a_number_is_a_state_when_no_cell_has_both_marks_and_no_two_sides_a_line(
    x_cells: set[int], o_cells: set[int]
) -> None:
    """`state_of` judges the number as the slow rules judge its sets of cells."""
    number = set_bits([*x_cells, *(cell + 9 for cell in o_cells)])
    full = [sum(set(line) <= owned for line in SLOW_LINES) for owned in (x_cells, o_cells)]
    assert state_of(number).is_ok() == (not x_cells & o_cells and 0 in full)


@laws
@given(STATES)
def test_parsing_what_is_shown_is_the_identity(state: State) -> None:
    """A state, its symbols and its number name each other."""
    assert parse(symbols(state)).value() == state_of(state).value() == state


@laws
@given(STATES)
def test_the_slow_rules_agree_on_every_question(state: State) -> None:
    """Utility, end, winner and marks are those of the list of characters."""
    board = list(symbols(state))
    assert utility(state) == slow_utility(board)
    assert finished(state) == (slow_utility(board) is not None)
    holder = "".join(slow_holders(board))
    assert winner(state) == (Player[holder] if holder else None)
    owners = [mark_at(state, Cell(cell)) for cell in range(9)]
    assert owners == [None if mark == "." else Player[mark] for mark in board]


@laws
@given(STATES, PLAYERS)
def test_the_slow_rules_reach_the_same_states_in_the_same_order(
    state: State, player: Player
) -> None:
    """Moves, next states and `place` are three views of one thing."""
    reached = ["".join(after) for after in slow_next(list(symbols(state)), player.name)]
    assert [symbols(after) for after in next_states(state, player)] == reached
    placed = [place(state, player, cell).value() for cell in moves(state)]
    assert tuple(placed) == next_states(state, player)


@laws
@given(STATES, PLAYERS, CELLS)
def test_a_mark_can_be_placed_exactly_where_there_is_a_move(
    state: State, player: Player, cell: Cell
) -> None:
    """`place` refuses all that `moves` does not name, and what it makes is a state."""
    after = place(state, player, cell)
    assert after.is_ok() == (cell in moves(state))
    assert after.is_error() or state_of(after.value()).is_ok()


@laws
@given(FULLER_STATES, PLAYERS)
def test_plain_minimax_finds_the_same_value_and_the_same_best_moves(
    state: State, player: Player
) -> None:
    """The solver is exact for any state and either player."""
    board, other = list(symbols(state)), player.other.name
    assert value(state, player) == slow_value(board, player.name)
    values = [slow_value(after, other) for after in slow_next(board, player.name)]
    assert move_values(state, player) == tuple(zip(moves(state), values, strict=True))
    best = [cell for cell, found in move_values(state, player) if found == value(state, player)]
    assert best_moves(state, player) == tuple(best)


@laws
@given(FULLER_STATES, PLAYERS)
def test_plain_recursion_counts_the_same_tree(state: State, player: Player) -> None:
    """The counts hold below any state, not only below the start."""
    assert tree(state, player) == slow_tree(list(symbols(state)), player.name)


@laws
@given(FULLER_STATES, PLAYERS)
def test_the_nodes_of_a_tree_are_those_of_its_depths(state: State, player: Player) -> None:
    """Each node is counted at one depth, none below the ninth."""
    assert sum(perft(state, player, depth) for depth in range(10)) == tree(state, player).nodes


@laws
@given(STATES, PLAYERS)
def test_a_game_that_goes_on_has_a_best_move_and_it_keeps_the_value(
    state: State, player: Player
) -> None:
    """Perfect play never changes what a state is worth."""
    kept = [place(state, player, cell).value() for cell in best_moves(state, player)]
    assert finished(state) == (not kept)
    assert all(value(after, player.other) == value(state, player) for after in kept)


@laws
@given(STATES, PLAYERS)
def test_swapping_the_marks_and_the_player_turns_every_value_around(
    state: State, player: Player
) -> None:
    """X and O are the same game: values change their sign, and best moves stay."""
    swapped = parse(symbols(state).translate(str.maketrans("XO", "OX"))).value()
    assert value(swapped, player.other) == -value(state, player)
    assert best_moves(swapped, player.other) == best_moves(state, player)


@laws
@given(STATES)
def test_four_turns_and_two_mirrors_are_the_identity(state: State) -> None:
    """A turn has order four, a mirror is its own inverse, and it turns turns around."""
    assert turned(turned(turned(turned(state)))) == state
    assert mirrored(mirrored(state)) == state
    assert turned(mirrored(turned(state))) == mirrored(state)


@laws
@given(STATES, PLAYERS)
def test_all_images_of_a_state_are_worth_the_same(state: State, player: Player) -> None:
    """Values and counts do not depend on how the board lies, nor does the canonical state."""
    lying = images(state)
    assert {value(image, player) for image in lying} == {value(state, player)}
    assert {canonical(image) for image in lying} == {canonical(state)}
    assert canonical(state) in lying
    assert all(state_of(image).value() == image for image in lying)


@laws
@given(FULLER_STATES, PLAYERS)
def test_all_images_of_a_state_have_the_same_tree(state: State, player: Player) -> None:
    """The tree of an image is the image of the tree."""
    assert {tree(image, player) for image in images(state)} == {tree(state, player)}


@laws
@given(STATES)
def test_pictures_show_every_mark(state: State) -> None:
    """A cross has two strokes and a ring is one circle; text has the letters themselves."""
    x_marks, o_marks = symbols(state).count("X"), symbols(state).count("O")
    assert board_svg(state).count('stroke="#c8372d"') == 2 * x_marks
    assert board_svg(state).count("<circle") == o_marks
    framed = "".join(row for row in board_text(state).split("\n") if "│" in row)
    assert (framed.count("X"), framed.count("O")) == (x_marks, o_marks)
    assert to_board(state).count("X") == x_marks


def test_every_position_of_the_game_is_worth_the_best_of_its_children() -> None:
    """All 5,478 positions, each checked one ply deep: with the utilities this fixes every value."""
    for state in reachable(START, Player.X):
        text = symbols(state)
        player = Player.X if text.count("X") == text.count("O") else Player.O
        best = max if player is Player.X else min
        decided = slow_utility(list(text))
        below = [value(after, player.other) for after in next_states(state, player)]
        assert value(state, player) == (best(below) if decided is None else decided), text
