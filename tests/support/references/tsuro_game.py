"""xref and xadmin on the board of `tsuro`, from docs/games/tsuro-games.md and errors.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import cycle
from typing import Final, NamedTuple

from support.references.forms import Answer, Wrong, each_of, elements, members, one_of, word_of
from support.references.json_stream import Value
from support.references.tsuro import (
    ANGLES,
    COLOURS,
    LETTERS,
    Avatars,
    Place,
    TilePat,
    Tiles,
    faced_by,
    is_on_board,
)
from support.references.xrules import is_legal, option_of

SPELLINGS: Final = {
    **{"first-s": "first", "second-s": "second", "third-s": "third"},
    **{"FirstS": "first", "SecondS": "second", "ThirdS": "third"},
}
CORNERS: Final = [(0, 0), (9, 0), (9, 9), (0, 9)]
CLOCKWISE: Final = [
    *[(x, 0) for x in range(9)],
    *[(9, y) for y in range(9)],
    *[(x, 9) for x in range(9, 0, -1)],
    *[(0, y) for y in range(9, 0, -1)],
]


class Beginning(NamedTuple):
    """An initial placement that a player of xref makes, whatever its strategy."""

    pattern: TilePat
    place: Place


class Player(NamedTuple):
    """The name and strategy of a player, and its initial placement if it does not choose one."""

    name: str
    strategy: str
    beginning: Beginning | None = None


class Game(NamedTuple):
    """The ranks and cheaters of one game, and whether some turn ended in a loop."""

    winners: list[list[str]]
    cheaters: list[str]
    has_loop: bool


class Tournament(NamedTuple):
    """The ranks and cheaters of a tournament, and its games."""

    winners: list[list[str]]
    cheaters: list[str]
    games: list[Game]


# The two programs.


def answer_of_game(values: list[Value]) -> Answer:
    deck = ENDLESS
    if values and isinstance(values[0], dict):
        players, deck = _players_and_deck(values)
    else:
        players = _distinct(values, range(3, 6), _first_player, "")
    played = game(players, deck)
    return {"winners": [[*rank] for rank in played.winners], "cheaters": [*played.cheaters]}


def answer_of_tournament(values: list[Value]) -> Answer:
    played = tournament(players_of(values))
    answer: dict[str, Answer] = {"winners": [[*rank] for rank in played.winners]}
    if played.cheaters:
        answer["cheaters"] = [*played.cheaters]
    return answer


# The tournament.


def tournament(players: list[Player]) -> Tournament:
    games: list[Game] = []
    all_went_on = False
    while not all_went_on and len(players) > 5:
        goes_on: list[str] = []
        for group in _groups(players):
            games.append(game(group))
            for rank in games[-1].winners[:2]:
                goes_on += rank
        all_went_on = len(goes_on) == len(players)
        players = [player for player in players if player.name in goes_on]
    if not all_went_on and len(players) >= 3:
        games.append(game(players))
        winners = games[-1].winners
    else:
        winners = [sorted(player.name for player in players)] if players else []
    return Tournament(winners, sorted(name for each in games for name in each.cheaters), games)


def _groups(players: list[Player]) -> list[list[Player]]:
    groups = []
    left = list(players)
    while len(left) > 5:
        size = min(5, len(left) - 3)
        groups.append(left[:size])
        left = left[size:]
    return [*groups, left]


# One game.


ENDLESS: Final = tuple(range(35))


def game(players: list[Player], deck: tuple[int, ...] = ENDLESS) -> Game:
    """Play a game. It does not depend on the names, so it is played once for all of them."""
    ranks, cheaters, has_loop = _played(
        tuple(player.strategy for player in players),
        tuple(player.beginning for player in players),
        deck,
    )
    names = dict(zip(COLOURS, (player.name for player in players), strict=False))
    winners = [sorted(names[one] for one in rank) for rank in ranks]
    return Game(winners, sorted(names[one] for one in cheaters), has_loop)


@cache
def _played(
    by_age: tuple[str, ...],
    beginnings: tuple[Beginning | None, ...],
    tiles_in_deck: tuple[int, ...],
) -> Game:
    """Play a game, by colours."""
    players = dict(zip(COLOURS, zip(by_age, beginnings, strict=True), strict=False))
    deck = cycle(tiles_in_deck)
    tiles, avatars = _begun(players, deck)
    cheaters = [colour for colour in players if colour not in avatars]
    fallen: list[list[str]] = []
    has_loop = False
    while len(avatars) > 1:
        fallen.append([])
        for colour in players:
            if colour not in avatars:
                continue
            given = next(deck), next(deck)
            chosen = choice(tiles, avatars, colour, given, players[colour][0])
            if not is_legal(tiles, avatars, colour, given, chosen):
                del avatars[colour]
                cheaters.append(colour)
                continue
            moved = option_of(tiles, avatars, colour, chosen).moved
            has_loop = has_loop or moved.looping != []
            fallen[-1] += moved.looping or moved.leaving
            if moved.looping:
                avatars = {c: place for c, place in avatars.items() if c not in moved.looping}
            else:
                tiles[faced_by(avatars[colour])] = chosen
                avatars = moved.staying
    ranks = [rank for rank in (list(avatars), *reversed(fallen)) if rank]
    return Game(ranks, cheaters, has_loop)


def _begun(
    players: dict[str, tuple[str, Beginning | None]], deck: Iterator[int]
) -> tuple[Tiles, Avatars]:
    """Return the board after the initial round, without the avatars of cheaters."""
    tiles: Tiles = {}
    avatars: Avatars = {}
    for colour, (strategy, beginning) in players.items():
        given = [next(deck), next(deck), next(deck)]
        if beginning is None:
            beginning = Beginning((given[2], 0), first_place(tiles, strategy))
        x, y, _ = beginning.place
        if beginning.pattern[0] in given and may_begin(tiles, beginning.place):
            tiles[x, y] = beginning.pattern
            avatars[colour] = beginning.place
    return tiles, avatars


def may_begin(tiles: Tiles, place: Place) -> bool:
    x, y, _ = place
    near = [(x, y), (x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)]
    is_free = not any(square in tiles for square in near)
    return (x, y) in CLOCKWISE and is_free and is_on_board(faced_by(place))


def first_place(tiles: Tiles, strategy: str) -> Place:
    squares = CLOCKWISE[1:] + CLOCKWISE[:1]
    ports = "ABCDEFGH"
    if strategy == "third":
        squares = CLOCKWISE[:0:-1] + CLOCKWISE[:1]
        ports = "AHGFEDCB"
    for x, y in squares:
        near = [(x, y), (x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)]
        if not any(square in tiles for square in near):
            inwards = [port for port in ports if is_on_board(faced_by((x, y, port)))]
            return x, y, inwards[0]
    raise AssertionError("five tiles leave room for another")


def choice(
    tiles: Tiles, avatars: Avatars, colour: str, given: tuple[int, int], strategy: str
) -> TilePat:
    if strategy == "first":
        return given[0], 0
    order = given if strategy == "second" else given[::-1]
    for option in [(index, angle) for index in order for angle in ANGLES]:
        if is_legal(tiles, avatars, colour, given, option):
            return option
    return order[0], 0


# Parsing of the input.


def players_of(values: list[Value]) -> list[Player]:
    """Return the players that an input of xadmin names."""
    return _distinct(values, range(3, 21), _player, "/name")


def _distinct(
    values: list[Value], lengths: range, player_of: Callable[[Value, str], Player], at_name: str
) -> list[Player]:
    """Return the players of the only value, whose names differ."""
    if not values:
        raise Wrong("incomplete-input", "/0")
    parts = elements(values[0], "/0", tuple(lengths))
    players = [player_of(part, f"/0/{number}") for number, part in enumerate(parts)]
    if len(values) > 1:
        raise Wrong("invalid-spec", "/1")
    for number, player in enumerate(players):
        if player.name in [other.name for other in players[:number]]:
            raise Wrong("invalid-spec", f"/0/{number}{at_name}")
    return players


def _players_and_deck(values: list[Value]) -> tuple[list[Player], tuple[int, ...]]:
    """Return the players and the deck of a game of xref that is an object."""
    players: list[Player] = []
    deck: list[int] = []
    for name, part, at in members(values[0], "/0", ["players", "deck"]):
        if name == "players":
            parts = elements(part, at, (3, 4, 5))
            players = [_placed_player(each, f"{at}/{number}") for number, each in enumerate(parts)]
        else:
            deck = each_of(range(35), part, at)
            if not deck:
                raise Wrong("invalid-spec", at)
    if len(values) > 1:
        raise Wrong("invalid-spec", "/1")
    for number, player in enumerate(players):
        if player.name in [other.name for other in players[:number]]:
            raise Wrong("invalid-spec", f"/0/players/{number}/name")
    return players, tuple(deck)


def _placed_player(value: Value, at: str) -> Player:
    name = strategy = ""
    beginning = None
    for member, part, here in members(value, at, ["name", "strategy"], ["placement"]):
        if member == "name":
            name = _text(part, here)
        elif member == "strategy":
            strategy = _strategy(part, here)
        else:
            beginning = _beginning(part, here)
    return Player(name, strategy, beginning)


def _beginning(value: Value, at: str) -> Beginning:
    parts = elements(value, at, (4,))
    pair = elements(parts[0], f"{at}/0", (2,))
    pattern = one_of(range(35), pair[0], f"{at}/0/0"), one_of(ANGLES, pair[1], f"{at}/0/1")
    port = word_of(LETTERS, parts[1], f"{at}/1")
    x, y = (one_of(range(10), parts[k], f"{at}/{k}") for k in (2, 3))
    return Beginning(pattern, (x, y, port))


def _first_player(value: Value, at: str) -> Player:
    return Player(_text(value, at), "first")


def _player(value: Value, at: str) -> Player:
    parts: dict[str, str] = {}
    for member, part, here in members(value, at, ["name", "strategy"]):
        read = _text if member == "name" else _strategy
        parts[member] = read(part, here)
    return Player(parts["name"], parts["strategy"])


def _strategy(value: Value, at: str) -> str:
    word = _text(value, at).split("/")[-1].split(".")[0]
    if word not in SPELLINGS:
        raise Wrong("invalid-spec", at)
    return SPELLINGS[word]


def _text(value: Value, at: str) -> str:
    if not isinstance(value, str):
        raise Wrong("invalid-spec", at)
    return value
