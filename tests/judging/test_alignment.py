"""Which elements of two sequences belong together."""

from __future__ import annotations

from support.golden import Golden

from harness.judging.alignment import Keys, Sides, WorkBudget, align, most_matches

PLENTY = 10**6


def alike(left: str, right: str) -> float:
    """Words that begin with the same letter are alike; with the same kind of letter, a little."""
    if left[0] == right[0]:
        return 0.9
    return 0.05 if left[0].isupper() == right[0].isupper() else 0.0


def sides_of(left: list[str], right: list[str]) -> Sides:

    def keys(lefts: range, rights: range) -> Keys:
        return left[lefts.start : lefts.stop], right[rights.start : rights.stop]

    return Sides(
        len(left),
        len(right),
        lambda i, j: left[i] == right[j],
        lambda i, j: alike(left[i], right[j]),
        keys,
    )


def parted(example: tuple[str, str]) -> str:
    left, right = (text.split() for text in example)
    return str([tuple(step) for step in align(sides_of(left, right), WorkBudget(PLENTY)) or ()])


def test_elements_are_inserted_removed_or_changed(golden: Golden) -> None:
    golden.table("alignment.txt", parted)


def numbered(many: int, letter: str = "n") -> list[str]:
    return [f"{letter}{number}" for number in range(many)]


def test_in_a_large_gap_pairs_are_made_by_index() -> None:
    left, right = numbered(300), numbered(299, "N")
    steps = align(sides_of(left, right), WorkBudget(PLENTY))
    assert steps == [*((number, number) for number in range(299)), (299, None)]


def test_a_search_gives_up_if_too_many_elements_would_be_left_over() -> None:
    lefts, rights = range(30), range(30)
    assert most_matches(lefts, rights, lambda i, j: i == j + 10, WorkBudget(PLENTY), 19) is None
    found = most_matches(lefts, rights, lambda i, j: i == j + 10, WorkBudget(PLENTY), 20)
    assert found == [(j + 10, j) for j in range(20)]


def test_a_spent_budget_stays_spent() -> None:
    work = WorkBudget(10)
    assert work.spend(9)
    assert not work.spend(5)
    assert not work.spend(0)
    assert work.left == 0
