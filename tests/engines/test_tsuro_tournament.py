"""The tournament: its games, who goes on, how it ends, and that it does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engines.tsuro import (
    FIRST,
    Ending,
    Standing,
    endless_deck,
    hold_tournament,
    match_sizes,
    play_game,
    standing_of,
)

Group = tuple[str, ...]
Play = Callable[[Group], Standing[str]]


def _players(count: int) -> list[str]:
    return [f"p{number:02}" for number in range(count)]


def _by_age(group: Group) -> Standing[str]:
    """The oldest wins, then the next, and so on."""
    return Standing(tuple((player,) for player in group), ())


def _together(group: Group) -> Standing[str]:
    """All share a rank."""
    return Standing((group,), ())


def _all_cheat(group: Group) -> Standing[str]:
    return Standing((), group)


def _first_left(group: Group) -> Standing[str]:
    return Standing((group[:1],), group[1:])


@pytest.mark.parametrize(
    ("players", "sizes"),
    [
        (0, []),
        (1, []),
        (2, []),
        *[(3, [3]), (4, [4]), (5, [5]), (6, [3, 3]), (7, [4, 3]), (8, [5, 3]), (9, [5, 4])],
        *[(10, [5, 5]), (11, [5, 3, 3]), (12, [5, 4, 3]), (13, [5, 5, 3]), (14, [5, 5, 4])],
        *[(15, [5, 5, 5]), (16, [5, 5, 3, 3]), (18, [5, 5, 5, 3]), (20, [5, 5, 5, 5])],
    ],
)
def test_games_are_of_five_as_long_as_three_are_left_over(players: int, sizes: list[int]) -> None:
    assert list(match_sizes(players)) == sizes


def test_every_number_of_players_is_split_into_games_of_three_to_five() -> None:
    for players in range(3, 300):
        sizes = list(match_sizes(players))
        assert sum(sizes) == players
        assert set(sizes) <= {3, 4, 5}


@pytest.mark.parametrize("count", [3, 4, 5])
def test_up_to_five_play_one_game_and_its_ranking_is_the_result(count: int) -> None:
    held = hold_tournament(_players(count), _by_age)
    assert held.rounds == ()
    assert held.last is not None
    assert held.last.players == tuple(_players(count))
    assert held.winners == tuple((player,) for player in _players(count))
    assert (held.ending, held.cheaters) == (Ending.LAST_GAME, ())


def test_the_first_two_ranks_of_each_game_go_on_in_order_of_age() -> None:
    def play(group: Group) -> Standing[str]:
        # The youngest wins, and the oldest two share the second rank.
        return Standing((group[-1:], group[1::-1], group[2:-1]), ())

    held = hold_tournament(_players(9), play)
    assert [[match.players for match in matches] for matches in held.rounds] == [
        [("p00", "p01", "p02", "p03", "p04"), ("p05", "p06", "p07", "p08")],
        [("p00", "p01", "p04"), ("p05", "p06", "p08")],
    ]
    # In the second round nobody was left behind.
    assert held.ending is Ending.NOBODY_OUT
    assert held.winners == (("p00", "p01", "p04", "p05", "p06", "p08"),)


def test_cheaters_are_those_of_all_games_in_the_order_of_the_games() -> None:
    def play(group: Group) -> Standing[str]:
        return Standing(tuple((player,) for player in group[1:]), group[:1])

    held = hold_tournament(_players(8), play)
    assert held.cheaters == ("p00", "p05", "p01")
    assert held.winners == (("p02",), ("p06",), ("p07",))


def test_after_a_round_that_left_everybody_all_are_one_rank_if_more_than_five() -> None:
    held = hold_tournament(_players(6), _together)
    assert len(held.rounds) == 1
    assert (held.last, held.ending) == (None, Ending.NOBODY_OUT)
    assert held.winners == (tuple(_players(6)),)


def test_two_who_are_left_after_a_round_play_no_game_and_share_the_rank() -> None:
    held = hold_tournament(_players(6), _first_left)
    assert (held.last, held.ending) == (None, Ending.TOO_FEW)
    assert held.winners == (("p00", "p03"),)
    assert held.cheaters == ("p01", "p02", "p04", "p05")


def test_one_who_is_left_after_a_round_has_won() -> None:
    def play(group: Group) -> Standing[str]:
        return _first_left(group) if group[0] == "p00" else _all_cheat(group)

    held = hold_tournament(_players(20), play)
    assert held.winners == (("p00",),)
    assert held.cheaters == tuple(_players(20)[1:])


@pytest.mark.parametrize("count", [3, 5, 6, 20])
def test_where_everybody_cheats_nobody_has_won(count: int) -> None:
    held = hold_tournament(_players(count), _all_cheat)
    assert held.winners == ()
    assert held.cheaters == tuple(_players(count))
    assert held.ending is (Ending.LAST_GAME if count < 6 else Ending.TOO_FEW)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_play_no_game(count: int) -> None:
    held = hold_tournament(_players(count), _by_age)
    assert (held.rounds, held.last, held.ending) == ((), None, Ending.TOO_FEW)
    assert held.winners == ((tuple(_players(count)),) if count else ())


@pytest.mark.parametrize("count", range(6, 26))
def test_there_are_at_most_as_many_rounds_as_players_beyond_five(count: int) -> None:
    # The worst there can be: each round sends one home, and no more.
    def play(group: Group) -> Standing[str]:
        oldest = min(player for player in group)
        is_first_game = oldest == min(left[-1])
        out = group[-1:] if is_first_game else ()
        return Standing((tuple(player for player in group if player not in out),), out)

    left: list[Group] = [tuple(_players(count))]

    def noting(group: Group) -> Standing[str]:
        standing = play(group)
        left[-1] = tuple(player for player in left[-1] if player not in standing.cheaters)
        return standing

    held = hold_tournament(_players(count), noting)
    assert len(held.rounds) == count - 5
    assert held.ending is Ending.LAST_GAME


def test_a_function_that_ranks_strangers_cannot_make_it_endless() -> None:
    def play(group: Group) -> Standing[str]:
        return Standing((group + tuple(_players(50)), group), ())

    held = hold_tournament(_players(8), play)
    assert len(held.rounds) == 1
    assert held.winners == (tuple(_players(8)),)


def test_a_player_who_is_there_twice_is_refused() -> None:
    with pytest.raises(ValueError) as caught:
        hold_tournament(["a", "b", "c", "a"], _by_age)
    assert str(caught.value) == (
        "a player is there twice: each plays for itself, under a name of its own"
    )


def test_a_standing_has_the_players_in_the_places_of_their_colours() -> None:
    game = play_game([FIRST] * 3, endless_deck())
    assert standing_of(game, ["Ann", "Bob", "Cid"]) == Standing((("Ann",),), ("Cid", "Bob"))
    with pytest.raises(ValueError):
        standing_of(game, ["Ann", "Bob"])
