"""A tournament of any number of players: who meets whom, who goes on, and when it is over.

Pure, and how a game is played is not known here: whoever asks hands in a function that plays one.
Players are any hashable values, in order of age. Source: "The tournament" in docs/xadmin.md.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Generic, NamedTuple, TypeVar

from engines.tsuro.referee import FEWEST_PLAYERS, MOST_PLAYERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engines.tsuro.record import Game

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

# From a game of a round, the players of so many ranks go on.
_RANKS_THAT_GO_ON: Final = 2


class Standing(NamedTuple, Generic[T]):
    """How a game ended: its ranks, best first, none of them empty, and those who cheated."""

    ranking: tuple[tuple[T, ...], ...]
    cheaters: tuple[T, ...]


class Match(NamedTuple, Generic[T]):
    """A game of a tournament: who played it, in order of age, and how it ended."""

    players: tuple[T, ...]
    standing: Standing[T]


class Ending(Enum):
    """Why a tournament was over."""

    LAST_GAME = "the last game was played"
    TOO_FEW = "fewer than three players were left"
    NOBODY_OUT = "a round left more than five players, and as many as there were before it"


class Tournament(NamedTuple, Generic[T]):
    """All of a tournament.

    `rounds` are the games before the last one, round by round; `last` is the last game, if there
    was one. `winners` is the ranking of the last game; without one, all who are left are one rank,
    in order of age, and where nobody is left there is no rank. `cheaters` are those of all games,
    in the order of the games.
    """

    rounds: tuple[tuple[Match[T], ...], ...]
    last: Match[T] | None
    ending: Ending
    winners: tuple[tuple[T, ...], ...]
    cheaters: tuple[T, ...]


def hold_tournament(
    entrants: Sequence[T], play: Callable[[tuple[T, ...]], Standing[T]]
) -> Tournament[T]:
    """The tournament of these players, in order of age, with the games that `play` plays.

    `play` is asked for three to five players at a time. Raises ValueError where a player is there
    twice, and whatever `play` raises.
    """
    left = tuple(entrants)
    if len(set(left)) < len(left):
        raise ValueError("a player is there twice: each plays for itself, under a name of its own")
    # There are at most len(entrants) - 5 rounds: a round begins with more than five, and another
    # follows only where fewer are left than began. Those left are some of those who began, whatever
    # `play` says of others; so their number falls by one at least, and from 6 there is one round.
    rounds: list[tuple[Match[T], ...]] = []
    is_anybody_out = True
    while len(left) > MOST_PLAYERS and is_anybody_out:
        rounds.append(tuple(_match(group, play) for group in _groups(left)))
        going_on = tuple(player for match in rounds[-1] for player in _going_on(match))
        is_anybody_out = len(going_on) < len(left)
        left = going_on
    return _ended(tuple(rounds), left, play)


def standing_of(game: Game, players: Sequence[T]) -> Standing[T]:
    """How a game ended, for those who played it, oldest first. Raises ValueError where they are
    more or fewer than its colours."""
    by_color = dict(zip(game.players, players, strict=True))
    return Standing(
        tuple(tuple(by_color[color] for color in rank) for rank in game.ranking),
        tuple(by_color[color] for color in game.cheaters),
    )


def match_sizes(players: int) -> Iterator[int]:
    """How many play in each game when so many players are left, the oldest first: fives as long as
    a game of three is left to be played. Fewer than three play in no game."""
    while players > MOST_PLAYERS:
        size = min(MOST_PLAYERS, players - FEWEST_PLAYERS)
        yield size
        players -= size
    if players >= FEWEST_PLAYERS:
        yield players


def _groups(players: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    start = 0
    for size in match_sizes(len(players)):
        yield players[start : start + size]
        start += size


def _match(players: tuple[T, ...], play: Callable[[tuple[T, ...]], Standing[T]]) -> Match[T]:
    return Match(players, play(players))


def _going_on(match: Match[T]) -> Iterator[T]:
    """The players of the first ranks, in order of age, however the ranks have them."""
    first = {player for rank in match.standing.ranking[:_RANKS_THAT_GO_ON] for player in rank}
    return (player for player in match.players if player in first)


def _ended(
    rounds: tuple[tuple[Match[T], ...], ...],
    left: tuple[T, ...],
    play: Callable[[tuple[T, ...]], Standing[T]],
) -> Tournament[T]:
    caught = [cheater for matches in rounds for match in matches for cheater in _cheaters(match)]
    if FEWEST_PLAYERS <= len(left) <= MOST_PLAYERS:
        last = _match(left, play)
        cheaters = (*caught, *_cheaters(last))
        return Tournament(rounds, last, Ending.LAST_GAME, last.standing.ranking, cheaters)
    ending = Ending.TOO_FEW if len(left) < FEWEST_PLAYERS else Ending.NOBODY_OUT
    return Tournament(rounds, None, ending, (left,) if left else (), tuple(caught))


def _cheaters(match: Match[T]) -> tuple[T, ...]:
    return match.standing.cheaters
