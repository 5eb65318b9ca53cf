"""Which elements of two sequences belong together."""

from __future__ import annotations

import pytest

from harness.judging.alignment import AlignedPair, Keys, Sides, WorkBudget, align, most_matches

PLENTY = 10**6


def alike(left: str, right: str) -> float:
    """Words that begin with the same letter are alike; with the same kind of letter, a little."""
    if left[0] == right[0]:
        return 0.9
    return 0.05 if left[0].isupper() == right[0].isupper() else 0.0


def sides_of(left: list[str], right: list[str]) -> Sides:
    """Two sequences of words."""

    def keys(lefts: range, rights: range) -> Keys:
        return left[lefts.start : lefts.stop], right[rights.start : rights.stop]

    return Sides(
        len(left),
        len(right),
        lambda i, j: left[i] == right[j],
        lambda i, j: alike(left[i], right[j]),
        keys,
    )


def parted(left: str, right: str) -> list[AlignedPair] | None:
    """Where two texts part, word by word."""
    return align(sides_of(left.split(), right.split()), WorkBudget(PLENTY))


@pytest.mark.parametrize(
    ("left", "right", "steps"),
    [
        ("", "", []),
        ("a b c", "a b c", []),
        ("a b c", "a x c", [(1, 1)]),
        ("a b c d", "b c d", [(0, None)]),
        ("a b c d", "a b d", [(2, None)]),
        ("a b c", "a b c d", [(None, 3)]),
        ("a b c", "z a b c", [(None, 0)]),
        ("", "a b", [(None, 0), (None, 1)]),
        ("a a a", "a a", [(2, None)]),
        # Two changes, or one put in and one left out: rather changed.
        ("a b c", "b a c", [(0, 0), (1, 1)]),
        # Four changes, or two: rather moved.
        ("a b c d", "b c d e", [(0, None), (None, 3)]),
        # A changed one beside one that was put in.
        ("a b1 c", "a x b2 c", [(None, 1), (1, 2)]),
        ("a b1 c", "a b2 x c", [(1, 1), (None, 2)]),
        ("a b1 x c", "a b2 c", [(1, 1), (2, None)]),
        ("a x b1 c", "a b2 c", [(1, None), (2, 1)]),
        # Nothing is alike: the first with the first.
        ("a b c", "a X Y c", [(1, 1), (None, 2)]),
        ("a B c", "a x Y c", [(None, 1), (1, 2)]),
        # All were changed, and one left out in front: likeness alone finds the partners.
        ("a1 b1 c1", "b2 c2", [(0, None), (1, 0), (2, 1)]),
    ],
)
def test_elements_are_put_in_left_out_or_changed(
    left: str, right: str, steps: list[tuple[int | None, int | None]]
) -> None:
    assert parted(left, right) == steps


@pytest.mark.parametrize(
    ("left", "right", "steps"),
    [
        ("a b c", "b c d", [(0, None), (None, 2)]),
        ("3 5 6 7 8", "4 5 7 8 x", [(0, 0), (2, None), (None, 4)]),
        ("a b c", "b a c", [(0, 0), (1, 1)]),
        # The cells of a board, of two kinds: rather changed.
        ("0 1 1 0 1", "1 1 0 1 1", [(0, 0), (2, 2), (3, 3)]),
        ("0 0 1 1 0 1 1", "1 0 1 0 1 1 0", [(0, 0), (3, 3), (4, 4), (6, 6)]),
    ],
)
def test_where_as_many_remain_they_were_moved_only_if_most_are_different(
    left: str, right: str, steps: list[tuple[int | None, int | None]]
) -> None:
    assert parted(left, right) == steps


def numbered(many: int, letter: str = "n") -> list[str]:
    """So many words, all different."""
    return [f"{letter}{number}" for number in range(many)]


def test_many_changes_do_not_hide_what_was_left_out() -> None:
    left = numbered(400)
    right = [word if number % 2 else f"{word}x" for number, word in enumerate(left)][1:]
    steps = align(sides_of(left, right), WorkBudget(PLENTY))
    assert steps == [(0, None), *((number, number - 1) for number in range(2, 400, 2))]


def test_in_a_large_gap_pairs_are_made_by_index() -> None:
    left, right = numbered(300), numbered(299, "N")
    steps = align(sides_of(left, right), WorkBudget(PLENTY))
    assert steps == [*((number, number) for number in range(299)), (299, None)]


def test_when_the_work_is_used_up_nothing_is_said() -> None:
    left = numbered(400)
    assert align(sides_of(left, left[::-1]), WorkBudget(20_000)) is None


def test_a_search_has_an_end() -> None:
    lefts, rights = range(30), range(30)
    assert most_matches(lefts, rights, lambda i, j: i == j + 10, WorkBudget(PLENTY), 19) is None
    found = most_matches(lefts, rights, lambda i, j: i == j + 10, WorkBudget(PLENTY), 20)
    assert found == [(j + 10, j) for j in range(20)]


def test_work_is_used_up_once_and_for_all() -> None:
    work = WorkBudget(10)
    assert work.spend(9)
    assert not work.spend(5)
    assert not work.spend(0)
    assert work.left == 0
