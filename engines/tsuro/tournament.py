"""A tournament of any number of players: groups, advancement and the result.

Games are played by a function that the caller provides. Players are any hashable values, in order
of age. Source: "The tournament" in docs/games/tsuro-games.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Final, Generic, NamedTuple, TypeVar

from engines.tsuro.record import Game
from engines.tsuro.referee import FEWEST_PLAYERS, MOST_PLAYERS

__all__ = [
    "Ending",
    "Match",
    "Standing",
    "Tournament",
    "hold_tournament",
    "match_sizes",
    "standing_of",
]

T = TypeVar("T")

# The number of top ranks of each game whose players advance to the next round.
_ADVANCING_RANKS: Final = 2


class Standing(NamedTuple, Generic[T]):
    """The result of a game: its ranks, best first, none of them empty, and the cheaters."""

    ranking: tuple[tuple[T, ...], ...]
    cheaters: tuple[T, ...]


class Match(NamedTuple, Generic[T]):
    """A game of a tournament: its players in order of age, and its result."""

    players: tuple[T, ...]
    standing: Standing[T]


class Ending(Enum):
    """Why a tournament ended."""

    LAST_GAME = "the last game was played"
    TOO_FEW = "fewer than three players were left"
    NOBODY_OUT = "a round left more than five players and eliminated none"


class Tournament(NamedTuple, Generic[T]):
    """The record of a tournament.

    `rounds` are the games before the last one, round by round; `last` is the last game, if any.
    `winners` is the ranking of the last game; without one, the remaining players form one rank, in
    order of age, if there are any. `cheaters` are those of all games, in the order of the games.
    """

    rounds: tuple[tuple[Match[T], ...], ...]
    last: Match[T] | None
    ending: Ending
    winners: tuple[tuple[T, ...], ...]
    cheaters: tuple[T, ...]


def hold_tournament(
    entrants: Sequence[T], play: Callable[[tuple[T, ...]], Standing[T]]
) -> Tournament[T]:
    """Return the record of a tournament of these players, in order of age.

    `play` is called with three to five players. Raises ValueError for duplicate players, and any
    exception of `play`.
    """
    remaining = tuple(entrants)
    if len(set(remaining)) < len(remaining):
        raise ValueError("entrants must be distinct players")
    # Terminates within len(entrants) - 5 rounds: another round follows only if players were
    # eliminated, and advancing players are a subset of those before, whatever `play` returns.
    rounds: list[tuple[Match[T], ...]] = []
    someone_eliminated = True
    while len(remaining) > MOST_PLAYERS and someone_eliminated:
        rounds.append(tuple(Match(group, play(group)) for group in _split_into_groups(remaining)))
        advancing = tuple(player for match in rounds[-1] for player in _advancing_players(match))
        someone_eliminated = len(advancing) < len(remaining)
        remaining = advancing
    return _conclude(tuple(rounds), remaining, play)


def standing_of(game: Game, players: Sequence[T]) -> Standing[T]:
    """Return the result of a game in terms of its players, oldest first.

    Raises ValueError if the numbers of players and colours differ.
    """
    by_color = dict(zip(game.players, players, strict=True))
    return Standing(
        tuple(tuple(by_color[color] for color in rank) for rank in game.ranking),
        tuple(by_color[color] for color in game.cheaters),
    )


def match_sizes(players: int) -> Iterator[int]:
    """Yield the number of players in each game of a round, the oldest players' game first.

    Games have five players as long as at least three remain. Fewer than three players play no game.
    """
    while players > MOST_PLAYERS:
        size = min(MOST_PLAYERS, players - FEWEST_PLAYERS)
        yield size
        players -= size
    if players >= FEWEST_PLAYERS:
        yield players


def _split_into_groups(players: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    start = 0
    for size in match_sizes(len(players)):
        yield players[start : start + size]
        start += size


def _advancing_players(match: Match[T]) -> Iterator[T]:
    """Return the players of the top ranks, in order of age."""
    first = {player for rank in match.standing.ranking[:_ADVANCING_RANKS] for player in rank}
    return (player for player in match.players if player in first)


def _conclude(
    rounds: tuple[tuple[Match[T], ...], ...],
    remaining: tuple[T, ...],
    play: Callable[[tuple[T, ...]], Standing[T]],
) -> Tournament[T]:
    standings = [match.standing for matches in rounds for match in matches]
    earlier_cheaters = tuple(cheater for standing in standings for cheater in standing.cheaters)
    if FEWEST_PLAYERS <= len(remaining) <= MOST_PLAYERS:
        last = Match(remaining, play(remaining))
        ranking, cheaters = last.standing
        return Tournament(rounds, last, Ending.LAST_GAME, ranking, earlier_cheaters + cheaters)
    ending = Ending.TOO_FEW if len(remaining) < FEWEST_PLAYERS else Ending.NOBODY_OUT
    winners = (remaining,) if remaining else ()
    return Tournament(rounds, None, ending, winners, earlier_cheaters)
