"""perft: golden counts, and what depth and the end of the game mean to it."""

import pytest

from engines.isolation import Action, Isolation, perft

AFTER_57_AND_0 = Isolation().result(57).result(0)


def breakdown(state: Isolation, depth: int) -> dict[int, int]:
    """The count behind each action, to find which one is wrong."""
    return {action: perft(state.result(action), depth - 1) for action in state.actions()}


@pytest.mark.parametrize(
    ("depth", "count"),
    list(enumerate([1, 8, 16, 109, 527, 2880, 13148, 65021, 341228])),
)
def test_perft_after_57_and_0(depth: int, count: int) -> None:
    assert perft(AFTER_57_AND_0, depth) == count, breakdown(AFTER_57_AND_0, max(depth, 1))


@pytest.mark.parametrize(("depth", "count"), [(0, 1), (1, 99), (2, 99 * 98)])
def test_perft_of_the_opening_places_each_piece_on_each_open_cell(depth: int, count: int) -> None:
    assert perft(Isolation(), depth) == count


def test_nothing_is_played_after_the_end_but_the_empty_sequence() -> None:
    # NNW leads from 0 to 27: player 1 could go on, but player 2 on 114 cannot.
    over = Isolation(board=1 << 27, ply_count=2, locs=(0, 114))
    assert over.actions() == [Action.NNW]
    assert [perft(over, depth) for depth in range(3)] == [1, 0, 0]


def test_the_only_move_to_cell_0_is_counted() -> None:
    state = Isolation(board=1 << 0 | 1 << 84, ply_count=2, locs=(15, 57))
    assert perft(state, 1) == 1


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(ValueError) as caught:
        perft(Isolation(), -1)
    assert str(caught.value) == "depth is -1: expected 0 or more"
