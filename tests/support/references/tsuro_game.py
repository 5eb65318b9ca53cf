"""xref and xadmin on the board of `tsuro`, from docs/xref.md, docs/xadmin.md and docs/errors.md."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import cycle
from typing import Final, NamedTuple

from support.references.forms import Answer, Wrong, elements, error_of, members
from support.references.json_stream import Malformed, Value, values_of
from support.references.tsuro import (
    ANGLES,
    COLOURS,
    TOUCHES,
    Place,
    TilePat,
    faced_by,
    is_on_board,
    wires_of,
)

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

# A table, since a game looks wires up a hundred thousand times.
WIRES: Final = {(index, angle): wires_of((index, angle)) for index in range(35) for angle in ANGLES}

Tiles = dict[tuple[int, int], TilePat]
Avatars = dict[str, Place]


class Player(NamedTuple):
    """The name and strategy of a player."""

    name: str
    strategy: str


class Game(NamedTuple):
    """The ranks and cheaters of one game, and its events, one word a turn."""

    winners: list[list[str]]
    cheaters: list[str]
    events: list[str]
    rounds: int


class Tournament(NamedTuple):
    """The ranks and cheaters of a tournament, the sizes of the games of each round, and the reason
    why it ended."""

    winners: list[list[str]]
    cheaters: list[str]
    rounds: list[list[int]]
    ended: str
    games: list[Game]


# The two programs.


def xref(text: bytes) -> list[Answer]:
    """Return the one value that xref prints for an input."""
    try:
        names = _names(list(values_of(text)))
    except (Wrong, Malformed) as fault:
        return [error_of(fault)]
    played = game([Player(name, "first") for name in names])
    return [{"winners": [[*rank] for rank in played.winners], "cheaters": [*played.cheaters]}]


def xadmin(text: bytes) -> list[Answer]:
    """Return the one value that xadmin prints for an input."""
    try:
        players = players_of(list(values_of(text)))
    except (Wrong, Malformed) as fault:
        return [error_of(fault)]
    played = tournament(players)
    answer: dict[str, Answer] = {"winners": [[*rank] for rank in played.winners]}
    if played.cheaters:
        answer["cheaters"] = [*played.cheaters]
    return [answer]


# The tournament.


def tournament(players: list[Player]) -> Tournament:
    """Hold a tournament."""
    games: list[Game] = []
    rounds: list[list[int]] = []
    ended = ""
    while not ended and len(players) > 5:
        groups = _groups(players)
        rounds.append([len(group) for group in groups])
        goes_on: list[str] = []
        for group in groups:
            games.append(game(group))
            for rank in games[-1].winners[:2]:
                goes_on += rank
        if len(goes_on) == len(players):
            ended = "all went on"
        players = [player for player in players if player.name in goes_on]
    if not ended and len(players) >= 3:
        games.append(game(players))
        winners = games[-1].winners
        ended = "last game"
    else:
        ended = ended or f"{len(players)} left"
        winners = [sorted(player.name for player in players)] if players else []
    cheaters = sorted(name for played in games for name in played.cheaters)
    return Tournament(winners, cheaters, rounds, ended, games)


def _groups(players: list[Player]) -> list[list[Player]]:
    groups = []
    left = list(players)
    while len(left) > 5:
        size = min(5, len(left) - 3)
        groups.append(left[:size])
        left = left[size:]
    return [*groups, left]


# One game.


def game(players: list[Player]) -> Game:
    """Play a game. It depends on the strategies alone, so it is played once for each of them."""
    ranks, cheaters, events, rounds = _played(tuple(player.strategy for player in players))
    names = dict(zip(COLOURS, (player.name for player in players), strict=False))
    return Game(
        [sorted(names[one] for one in rank) for rank in ranks],
        sorted(names[one] for one in cheaters),
        events,
        rounds,
    )


@cache
def _played(by_age: tuple[str, ...]) -> Game:
    """Play a game, by colours."""
    strategies = dict(zip(COLOURS, by_age, strict=False))
    deck = cycle(range(35))
    tiles, avatars = _begun(strategies, deck)
    cheaters: list[str] = []
    fallen: list[list[str]] = []
    events: list[str] = []
    while len(avatars) > 1:
        fallen.append([])
        for colour, strategy in strategies.items():
            if colour in avatars:
                given = [next(deck), next(deck)]
                event, gone = _turn(tiles, avatars, colour, given, strategy)
                events.append(event)
                (cheaters if event == "cheats" else fallen[-1]).extend(gone)
    ranks = [list(avatars), *reversed(fallen)]
    return Game([rank for rank in ranks if rank], cheaters, events, len(fallen))


def _begun(strategies: dict[str, str], deck: Iterator[int]) -> tuple[Tiles, Avatars]:
    """Return the board after the initial round."""
    tiles: Tiles = {}
    avatars: Avatars = {}
    for colour, strategy in strategies.items():
        _, _, third = next(deck), next(deck), next(deck)
        x, y, port = _first_place(tiles, strategy)
        tiles[x, y] = (third, 0)
        avatars[colour] = (x, y, port)
    return tiles, avatars


def _turn(
    tiles: Tiles, avatars: Avatars, colour: str, given: list[int], strategy: str
) -> tuple[str, list[str]]:
    """Take a turn; return a word for it, and the avatars that it removed."""
    chosen = _choice(tiles, avatars, colour, given, strategy)
    if not is_legal(tiles, avatars, colour, given, chosen):
        del avatars[colour]
        return "cheats", [colour]
    fates = _fates(tiles, avatars, colour, chosen)
    looping = [one for one, fate in fates.items() if fate == "loops"]
    if not looping:
        tiles[faced_by(avatars[colour])] = chosen
    gone = looping or [one for one, fate in fates.items() if fate == "leaves"]
    for one, fate in fates.items():
        if one in gone:
            del avatars[one]
        elif not looping and not isinstance(fate, str):
            avatars[one] = fate
    return _word(looping, fates, colour), gone


def _word(looping: list[str], fates: dict[str, Place | str], colour: str) -> str:
    if looping:
        return "loops"
    if "leaves" in fates.values():
        return "suicide" if fates[colour] == "leaves" else "kills"
    return "stays"


def _first_place(tiles: Tiles, strategy: str) -> Place:
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


def _choice(
    tiles: Tiles, avatars: Avatars, colour: str, given: list[int], strategy: str
) -> TilePat:
    if strategy == "first":
        return given[0], 0
    order = given if strategy == "second" else given[::-1]
    for option in [(index, angle) for index in order for angle in ANGLES]:
        if is_legal(tiles, avatars, colour, given, option):
            return option
    return order[0], 0


def is_legal(
    tiles: Tiles, avatars: Avatars, colour: str, given: list[int], chosen: TilePat
) -> bool:
    """Return whether the choice of an avatar on the board is legal."""
    options = [(index, angle) for index in given for angle in ANGLES]
    fates = {option: _fates(tiles, avatars, colour, option) for option in [*options, chosen]}
    loops = {option: "loops" in fates[option].values() for option in fates}
    suicides = {option: fates[option][colour] == "leaves" and not loops[option] for option in fates}
    if chosen[0] not in given:
        return False
    if loops[chosen] and not all(loops[option] for option in options):
        return False
    return not suicides[chosen] or all(suicides[option] for option in options)


def _fates(tiles: Tiles, avatars: Avatars, colour: str, chosen: TilePat) -> dict[str, Place | str]:
    """Return the place where each avatar comes to rest, or a word for its fate."""
    then = {**tiles, faced_by(avatars[colour]): chosen}
    fates: dict[str, Place | str] = {}
    for one, start in avatars.items():
        seen: list[Place] = []
        place = start
        while place not in seen and faced_by(place) in then:
            seen.append(place)
            x, y = faced_by(place)
            place = (x, y, WIRES[then[x, y]][TOUCHES[place[2]]])
        if place in seen:
            fates[one] = "loops"
        else:
            fates[one] = place if is_on_board(faced_by(place)) else "leaves"
    return fates


# Parsing of the input.


def _names(values: list[Value]) -> list[str]:
    parts = _one_array(values, range(3, 6))
    names = [_text(part, f"/0/{number}") for number, part in enumerate(parts)]
    _check_only(values)
    for number, name in enumerate(names):
        if name in names[:number]:
            raise Wrong("invalid-spec", f"/0/{number}")
    return names


def players_of(values: list[Value]) -> list[Player]:
    """Return the players that an input of xadmin names."""
    parts = _one_array(values, range(3, 21))
    players = [_player(part, f"/0/{number}") for number, part in enumerate(parts)]
    _check_only(values)
    for number, player in enumerate(players):
        if player.name in [other.name for other in players[:number]]:
            raise Wrong("invalid-spec", f"/0/{number}/name")
    return players


def _one_array(values: list[Value], lengths: range) -> list[Value]:
    if not values:
        raise Wrong("incomplete-input", "/0")
    return elements(values[0], "/0", tuple(lengths))


def _check_only(values: list[Value]) -> None:
    if len(values) > 1:
        raise Wrong("invalid-spec", "/1")


def _player(value: Value, at: str) -> Player:
    parts: dict[str, str] = {}
    for member, part, here in members(value, at, ["name", "strategy"]):
        parts[member] = _text(part, here)
        if member == "strategy":
            word = parts[member].split("/")[-1].split(".")[0]
            if word not in SPELLINGS:
                raise Wrong("invalid-spec", here)
            parts[member] = SPELLINGS[word]
    return Player(parts["name"], parts["strategy"])


def _text(value: Value, at: str) -> str:
    if not isinstance(value, str):
        raise Wrong("invalid-spec", at)
    return value
