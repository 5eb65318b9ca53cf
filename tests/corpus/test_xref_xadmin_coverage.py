"""The cases of xref and xadmin cover the 351 games that their strategies can play."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from itertools import product
from typing import Final

from support.corpus import BundledCase, cases_of, readme_of, served_inputs
from support.references import tsuro_game as reference
from support.references.json_stream import values_of

from engines.tsuro import (
    FIRST,
    SECOND,
    THIRD,
    Standing,
    Strategy,
    endless_deck,
    play_game,
    standing_of,
)

STRATEGIES: Final[dict[str, Strategy]] = {"first": FIRST, "second": SECOND, "third": THIRD}


@cache
def _games() -> dict[tuple[str, ...], reference.Game]:
    every = [each for count in (3, 4, 5) for each in product(STRATEGIES, repeat=count)]
    return {
        each: reference.game([reference.Player(str(k), name) for k, name in enumerate(each)])
        for each in every
    }


@cache
def _tournaments() -> list[tuple[list[reference.Player], reference.Tournament]]:
    entries = [reference.players_of(list(values_of(text))) for text in served_inputs("xadmin")]
    return [(players, reference.tournament(players)) for players in entries]


def test_the_engine_and_the_reference_agree_on_all_351_games() -> None:
    assert len(_games()) == 3**3 + 3**4 + 3**5
    for strategies, game in _games().items():
        played = play_game([STRATEGIES[each] for each in strategies], endless_deck())
        standing = standing_of(played, [str(k) for k, _ in enumerate(strategies)])
        ranking = tuple(tuple(rank) for rank in game.winners)
        found = Standing(standing.ranking, tuple(sorted(standing.cheaters)))
        assert found == Standing(ranking, tuple(game.cheaters)), strategies


def test_what_the_readme_says_about_all_games_is_true() -> None:
    assert all(game.winners for game in _games().values())
    all_continue = {
        len(each) for each, game in _games().items() if sum(map(len, game.winners[:2])) == len(each)
    }
    assert all_continue == {3, 4}
    looping = [each for each, game in _games().items() if game.has_loop]
    assert looping == [("third", "third", "second", "third")]
    assert any(held.games[-1].has_loop for _, held in _tournaments())


def _ages_of_ranks_and_cheaters(case: BundledCase, names: list[str]) -> str:
    """Return the outcome of a case of xref without its names."""
    (answer,) = case.expected
    ranks = [sorted(map(names.index, rank)) for rank in answer["winners"]]
    return str((ranks, sorted(map(names.index, answer["cheaters"]))))


def test_a_table_passes_the_names_of_xref_and_fails_most_games_with_a_deck() -> None:
    by_count: dict[int, set[str]] = {}
    by_strategies: dict[tuple[str, ...], Counter[str]] = {}
    for case in cases_of("xref"):
        if case.status == "0":
            (value,) = values_of(case.stdin)
            if isinstance(value, list):
                names = [str(name) for name in value]
                outcome = _ages_of_ranks_and_cheaters(case, names)
                by_count.setdefault(len(names), set()).add(outcome)
            else:
                players = json.loads(case.stdin)["players"]
                outcome = _ages_of_ranks_and_cheaters(case, [each["name"] for each in players])
                strategies = tuple(each["strategy"] for each in players)
                by_strategies.setdefault(strategies, Counter())[outcome] += 1
    assert {count: len(outcomes) for count, outcomes in by_count.items()} == {3: 1, 4: 1, 5: 1}
    # The best table for the strategies, which ignores deck and placements.
    guessed = sum(max(outcomes.values()) for outcomes in by_strategies.values())
    games = sum(sum(outcomes.values()) for outcomes in by_strategies.values())
    guessed -= len(by_strategies)  # its first guess of each is learnt from the case itself
    assert games >= 100 and guessed < games / 4


def test_the_other_readings_in_the_readme_of_xadmin_name_existing_cases() -> None:
    names = {case.name for case in cases_of("xadmin")}
    rows = readme_of("xadmin").split("| misreading |")[1].split("\n\n")[0].splitlines()[2:]
    assert len(rows) >= 10
    for row in rows:
        listed = re.findall(r"(?:[a-z]+-)?\d+", row.split("|")[2].split(" and others")[0])
        assert listed and set(listed) <= names, row
