"""Laws of games and tournaments with random decks, honest and erratic players."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

import hypothesis
from hypothesis import settings
from hypothesis import strategies as st
from support.tsuro import exactly

from engines import tsuro
from engines.tsuro import SECOND, THIRD, ColorString, Layout, Strategy, TileIndex, play_game

_law = settings(max_examples=60)


class _Erratic:
    """The second strategy, but in one turn of `one_in` it raises, answers nonsense or cheats."""

    def __init__(self, seed: int, one_in: int) -> None:
        self._random = Random(seed)
        self._one_in = one_in

    def initial_placement(
        self, layout: Layout, player: ColorString, given: tsuro.InitialTiles
    ) -> tsuro.InitialChoice:
        self._err(layout)
        return SECOND.initial_placement(layout, player, given)

    def turn(
        self, layout: Layout, player: ColorString, given: tsuro.TurnTiles
    ) -> tsuro.TilePattern:
        self._err(layout)
        chosen = SECOND.turn(layout, player, given)
        return chosen if self._random.randrange(self._one_in) else chosen[:1]  # type: ignore[return-value]  # nonsense

    def _err(self, layout: Layout) -> None:
        if self._random.randrange(self._one_in) == 0:
            raise RuntimeError("erratic")
        if self._random.randrange(self._one_in) == 0 and layout.tiles:
            layout.tiles.clear()  # type: ignore[attr-defined]  # what must not be done


_HONEST: Sequence[Strategy] = (tsuro.FIRST, SECOND, SECOND, THIRD, THIRD)
_honest = st.sampled_from(_HONEST)
_erratic: st.SearchStrategy[Strategy] = st.builds(_Erratic, st.integers(0, 99), st.integers(2, 30))


def _players(
    player: st.SearchStrategy[Strategy] = _honest | _erratic,
) -> st.SearchStrategy[list[Strategy]]:
    return st.lists(player, min_size=3, max_size=5)


def _deck(seed: int) -> Iterator[TileIndex]:
    # Some decks have few kinds of tiles, so that loops and suicides are frequent.
    random = Random(seed)
    kinds = random.choice([range(35), [2, 34], [34, 4, 2], [34]])
    while True:
        yield TileIndex(random.choice(kinds))


_seeds = st.integers(0, 999)


class _Camera(tsuro.GameObserver):
    """Keeps the boards of a game."""

    def __init__(self) -> None:
        self.boards: list[Layout] = []

    def move_made(self, move: tsuro.Move, layout: Layout) -> None:
        self.boards.append(layout)


@hypothesis.given(_players(), _seeds)
@_law
def test_the_record_of_a_game_is_consistent(players: list[Strategy], seed: int) -> None:
    camera = _Camera()
    game = play_game(players, _deck(seed), [camera])
    replayed = list(tsuro.replay(game))
    assert [*map(exactly, replayed)] == [*map(exactly, camera.boards)]
    assert exactly(tsuro.state_of(replayed[-1])) == exactly(replayed[-1])
    ranked = [player for rank in game.ranking for player in rank]
    assert sorted([*ranked, *game.cheaters]) == sorted(tsuro.COLORS[: len(players)])
    assert all(game.ranking)
    dealt = [index for move in game.moves() for index in move.given]
    assert dealt == list(islice(_deck(seed), len(dealt)))


@hypothesis.given(_players(_honest), _seeds)
@_law
def test_the_record_follows_the_rules(players: list[Strategy], seed: int) -> None:
    # On the replayed boards, players give the recorded answers, legal unless there is an offence.
    game = play_game(players, _deck(seed))
    layout = Layout({}, {})
    by_color = dict(zip(game.players, players, strict=False))
    for move, after in zip(game.moves(), tsuro.replay(game), strict=True):
        player = by_color[move.player]
        if len(move.given) == 3:
            assert player.initial_placement(layout, move.player, move.given) == move.choice
            assert (
                tsuro.initial_refusal(layout, move.player, move.given, move.choice) == move.offence
            )
        else:
            assert player.turn(layout, move.player, move.given) == move.choice
            outcome = tsuro.turn_outcome(layout, move.player, move.given, move.choice)
            assert isinstance(outcome, tsuro.Placement) == (move.offence is None)
        layout = after
    left = set(layout.avatars)
    assert (set(game.ranking[0]) if game.ranking and left else set()) == left
