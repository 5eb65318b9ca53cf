"""A law of games with random decks, honest and erratic players."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

import hypothesis
from hypothesis import settings
from hypothesis import strategies as st
from support.tsuro import exactly

from engines import tsuro
from engines.tsuro import SECOND, THIRD, ColorString, Layout, Strategy, TileIndex, play_game


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


_HONEST: st.SearchStrategy[Strategy] = st.sampled_from([tsuro.FIRST, SECOND, THIRD, THIRD])
_ERRATIC: st.SearchStrategy[Strategy] = st.builds(_Erratic, st.integers(0, 99), st.integers(2, 30))


def _deck(seed: int) -> Iterator[TileIndex]:
    # Some decks have few kinds of tiles, so that loops and suicides are frequent.
    random = Random(seed)
    kinds = random.choice([range(35), [2, 34], [34, 4, 2], [34]])
    while True:
        yield TileIndex(random.choice(kinds))


class _Camera(tsuro.GameObserver):
    """Keeps the boards of a game."""

    def __init__(self) -> None:
        self.boards: list[Layout] = []

    def move_made(self, move: tsuro.Move, layout: Layout) -> None:
        self.boards.append(layout)


@hypothesis.given(st.lists(_HONEST | _ERRATIC, min_size=3, max_size=5), st.integers(0, 999))
@settings(max_examples=60)
def test_the_record_of_a_game_is_consistent(players: list[Strategy], seed: int) -> None:
    camera = _Camera()
    game = play_game(players, _deck(seed), [camera])
    replayed = list(tsuro.replay(game))
    assert [*map(exactly, replayed)] == [*map(exactly, camera.boards)]
    assert exactly(tsuro.state_of(replayed[-1])) == exactly(replayed[-1])
    ranked = [player for rank in game.ranking for player in rank]
    assert sorted([*ranked, *game.cheaters]) == sorted(tsuro.COLORS[: len(players)])
    assert all(game.ranking)
    survivors = set(replayed[-1].avatars)
    assert not survivors or set(game.ranking[0]) == survivors
    dealt = [index for move in game.moves() for index in move.given]
    assert dealt == list(islice(_deck(seed), len(dealt)))
