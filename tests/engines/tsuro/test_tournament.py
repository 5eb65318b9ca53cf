"""The tournament: groups, advancement, endings and termination."""

from __future__ import annotations

import pytest

from engines import tsuro
from engines.tsuro import Ending, Standing, hold_tournament, standing_of

Group = tuple[str, ...]


def _players(count: int) -> Group:
    return tuple(f"p{number:02}" for number in range(count))


@pytest.mark.parametrize(
    ("players", "sizes"),
    [
        *[(0, []), (2, []), (3, [3]), (4, [4]), (5, [5]), (6, [3, 3]), (7, [4, 3]), (8, [5, 3])],
        *[(9, [5, 4]), (10, [5, 5]), (11, [5, 3, 3]), (12, [5, 4, 3]), (13, [5, 5, 3])],
        *[(16, [5, 5, 3, 3]), (18, [5, 5, 5, 3]), (20, [5, 5, 5, 5])],
    ],
)
def test_games_have_five_players_as_long_as_three_remain(players: int, sizes: list[int]) -> None:
    assert list(tsuro.match_sizes(players)) == sizes


def test_the_top_two_ranks_advance_in_order_of_age() -> None:
    def play(group: Group) -> Standing[str]:
        # The youngest wins, and the oldest two share the second rank.
        return Standing((group[-1:], group[1::-1], group[2:-1]), ())

    held = hold_tournament(_players(9), play)
    assert [[match.players for match in matches] for matches in held.rounds] == [
        [("p00", "p01", "p02", "p03", "p04"), ("p05", "p06", "p07", "p08")],
        [("p00", "p01", "p04"), ("p05", "p06", "p08")],
    ]
    assert held.ending is Ending.NOBODY_OUT  # in the second round
    assert held.winners == (("p00", "p01", "p04", "p05", "p06", "p08"),)


@pytest.mark.parametrize(
    ("count", "ranked", "ending", "winners"),
    [
        (2, 5, Ending.TOO_FEW, (("p00", "p01"),)),
        (3, 0, Ending.LAST_GAME, ()),
        (6, 0, Ending.TOO_FEW, ()),
        (6, 1, Ending.TOO_FEW, (("p00", "p03"),)),
    ],
)
def test_a_tournament_ends_without_a_last_game_or_without_a_winner(
    count: int, ranked: int, ending: Ending, winners: tuple[Group, ...]
) -> None:
    def play(group: Group) -> Standing[str]:
        return Standing((group[:ranked],) if ranked else (), group[ranked:])

    held = hold_tournament(_players(count), play)
    assert (held.ending, held.winners) == (ending, winners)


def test_entrants_must_be_distinct() -> None:
    with pytest.raises(ValueError, match="^entrants must be distinct players$"):
        hold_tournament(["a", "b", "c", "a"], lambda group: Standing((group,), ()))


def test_a_standing_names_the_players_of_the_colours() -> None:
    game = tsuro.play_game([tsuro.FIRST] * 3, tsuro.endless_deck())
    assert standing_of(game, ["Ann", "Bob", "Cid"]) == Standing((("Ann",),), ("Cid", "Bob"))
    with pytest.raises(ValueError):
        standing_of(game, ["Ann", "Bob"])
