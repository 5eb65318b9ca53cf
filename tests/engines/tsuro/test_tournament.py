"""The tournament: its endings and its players; the corpus has groups and advancement."""

from __future__ import annotations

import pytest

from engines import tsuro
from engines.tsuro import FIRST, Ending, Standing, hold_tournament

Group = tuple[str, ...]


def _players(count: int) -> Group:
    return tuple(f"p{number}" for number in range(count))


@pytest.mark.parametrize(
    ("count", "ranked", "ending", "winners"),
    [
        (2, 5, Ending.TOO_FEW, (("p0", "p1"),)),
        (3, 0, Ending.LAST_GAME, ()),
        (6, 0, Ending.TOO_FEW, ()),
        (6, 1, Ending.TOO_FEW, (("p0", "p3"),)),
        (9, 5, Ending.NOBODY_OUT, (_players(9),)),
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
    game = tsuro.play_game([FIRST] * 3, tsuro.endless_deck())
    assert tsuro.standing_of(game, ["Ann", "Bob", "Cid"]) == Standing((("Ann",),), ("Cid", "Bob"))
    with pytest.raises(ValueError):
        tsuro.standing_of(game, ["Ann", "Bob"])
