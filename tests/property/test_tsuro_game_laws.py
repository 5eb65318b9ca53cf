"""Laws of games and tournaments: over random decks, players of every strategy, and bad ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

import hypothesis
from hypothesis import settings
from hypothesis import strategies as st

from engines.tsuro import (
    COLORS,
    FIRST,
    SECOND,
    THIRD,
    ColorString,
    GameObserver,
    InitialChoice,
    InitialTiles,
    Layout,
    Move,
    Placement,
    Player,
    Standing,
    TileIndex,
    TilePattern,
    TurnTiles,
    board_svg,
    hold_tournament,
    initial_refusal,
    layout_of,
    play_game,
    replay,
    state_of,
    turn_outcome,
)

_law = settings(deadline=None, max_examples=60)


class _Erratic:
    """Raises, answers nonsense or changes the board, in one turn of so many; else it is the second
    strategy."""

    def __init__(self, seed: int, one_in: int) -> None:
        self._random = Random(seed)
        self._one_in = one_in

    def initial_placement(
        self, layout: Layout, player: ColorString, given: InitialTiles
    ) -> InitialChoice:
        """A placement, most times."""
        self._err(layout)
        return SECOND.initial_placement(layout, player, given)

    def turn(self, layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        """A turn, most times."""
        self._err(layout)
        chosen = SECOND.turn(layout, player, given)
        return chosen if self._random.randrange(self._one_in) else chosen[:1]  # type: ignore[return-value]  # nonsense

    def _err(self, layout: Layout) -> None:
        if self._random.randrange(self._one_in) == 0:
            raise RuntimeError("erratic")
        if self._random.randrange(self._one_in) == 0 and layout.tiles:
            layout.tiles.clear()  # type: ignore[attr-defined]  # what must not be done


_HONEST: Sequence[Player] = (FIRST, SECOND, SECOND, THIRD, THIRD)
_honest = st.sampled_from(_HONEST)
_erratic: st.SearchStrategy[Player] = st.builds(_Erratic, st.integers(0, 99), st.integers(2, 30))


def _players(
    player: st.SearchStrategy[Player] = _honest | _erratic,
) -> st.SearchStrategy[list[Player]]:
    return st.lists(player, min_size=3, max_size=5)


def _deck(seed: int) -> Iterator[TileIndex]:
    # Seeds of which a few tiles are all there are, too: loops and suicides are then no rare events.
    random = Random(seed)
    kinds = random.choice([range(35), [2, 34], [34, 4, 2], [34]])
    while True:
        yield TileIndex(random.choice(kinds))


_seeds = st.integers(0, 999)


class _Camera(GameObserver):
    """Keeps the boards that it is shown."""

    def __init__(self) -> None:
        self.boards: list[Layout] = []

    def move_made(self, move: Move, layout: Layout) -> None:
        self.boards.append(layout)


def _exactly(layout: Layout) -> tuple[object, ...]:
    """A layout, tiles by their wires, since `==` of tiles is blind to rotation."""
    return {square: tile.edges for square, tile in layout.tiles.items()}, layout.avatars


@hypothesis.given(_players(), _seeds)
@_law
def test_replaying_a_game_gives_the_boards_that_were_seen(players: list[Player], seed: int) -> None:
    """Move by move, of the record alone; and they can be drawn."""
    camera = _Camera()
    game = play_game(players, _deck(seed), [camera])
    replayed = list(replay(game))
    assert [*map(_exactly, replayed)] == [*map(_exactly, camera.boards)]
    assert board_svg(state_of(replayed[-1])).startswith("<svg")
    assert _exactly(layout_of(state_of(replayed[-1]))) == _exactly(replayed[-1])


@hypothesis.given(_players(), _seeds)
@_law
def test_a_game_is_over_within_a_hundred_turns_and_five(players: list[Player], seed: int) -> None:
    """Each turn places a tile on a square of its own, or takes somebody off the board."""
    turns = [turn for turns in play_game(players, _deck(seed)).rounds for turn in turns]
    assert len(turns) <= 100 + 5
    assert all(turns for turns in play_game(players, _deck(seed)).rounds)


@hypothesis.given(_players(), _seeds)
@_law
def test_everybody_is_ranked_once_or_a_cheater(players: list[Player], seed: int) -> None:
    """And no rank is empty."""
    game = play_game(players, _deck(seed))
    ranked = [player for rank in game.ranking for player in rank]
    assert sorted([*ranked, *game.cheaters]) == sorted(COLORS[: len(players)])
    assert all(game.ranking)


@hypothesis.given(_players(), _seeds)
@_law
def test_tiles_are_dealt_one_after_the_other_and_to_nobody_in_vain(
    players: list[Player], seed: int
) -> None:
    """Those given, in order, are the beginning of the deck."""
    game = play_game(players, _deck(seed))
    dealt = [index for move in game.moves() for index in move.given]
    assert dealt == list(islice(_deck(seed), len(dealt)))


@hypothesis.given(_players(_honest), _seeds)
@_law
def test_the_record_keeps_the_rules(players: list[Player], seed: int) -> None:
    """What each player answers, asked again on the replayed board, is what the record has; and it
    is legal just where the record has no offence."""
    game = play_game(players, _deck(seed))
    layout = Layout({}, {})
    by_color = dict(zip(game.players, players, strict=False))
    for move, after in zip(game.moves(), replay(game), strict=True):
        player = by_color[move.player]
        if len(move.given) == 3:
            assert player.initial_placement(layout, move.player, move.given) == move.choice
            assert initial_refusal(layout, move.player, move.given, move.choice) == move.offence
        else:
            assert player.turn(layout, move.player, move.given) == move.choice
            outcome = turn_outcome(layout, move.player, move.given, move.choice)
            assert isinstance(outcome, Placement) == (move.offence is None)
        layout = after
    left = set(layout.avatars)
    assert (set(game.ranking[0]) if game.ranking and left else set()) == left


@hypothesis.given(st.integers(0, 60), st.integers(0, 9999))
@_law
def test_a_tournament_ends_and_has_everybody_in_one_place_at_most(count: int, seed: int) -> None:
    """However games end: within as many rounds as there are players beyond five."""
    random = Random(seed)

    def play(group: tuple[int, ...]) -> Standing[int]:
        shuffled = random.sample(group, len(group))
        ranks: dict[int, list[int]] = {}
        for player in shuffled:
            ranks.setdefault(random.randrange(random.choice([1, 3, 5])), []).append(player)
        cheats = random.random() < 0.2
        cheaters = tuple(ranks.pop(min(ranks))) if cheats else ()
        return Standing(tuple(map(tuple, ranks.values())), cheaters)

    held = hold_tournament(range(count), play)
    assert len(held.rounds) <= max(0, count - 5)
    named = [*(player for rank in held.winners for player in rank), *held.cheaters]
    assert len(set(named)) == len(named)
    assert set(named) <= set(range(count))
    for matches in held.rounds:
        everybody = [player for match in matches for player in match.players]
        assert everybody == sorted(everybody)
