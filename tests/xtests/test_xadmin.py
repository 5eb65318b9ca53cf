"""xadmin: a tournament, its ranking and cheaters by name, and the strategies by their paths."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from subprocess import CompletedProcess

import pytest

from harness.jsontext import PROGRAM_DEPTH, Decoder, encode
from xtests import xadmin
from xtests.refusal import Kind, Refused

Run = Callable[[str, bytes], CompletedProcess[bytes]]

WORDS = {"f": "first-s", "s": "second-s", "t": "third-s"}


def _players(strategies: str) -> list[dict[str, str]]:
    """Players with names from z downwards, so that no list of names is sorted by age."""
    return [
        {"name": chr(ord("z") - k), "strategy": WORDS[strategy]}
        for k, strategy in enumerate(strategies)
    ]


def _answer(players: Sequence[object] | str) -> str:
    text = players if isinstance(players, str) else json.dumps(players)
    decoder = Decoder(PROGRAM_DEPTH)
    return encode(xadmin.answer(decoder.feed(text.encode()) + decoder.close()))


def _refusal(players: Sequence[object] | str) -> Refused:
    with pytest.raises(Refused) as caught:
        _answer(players)
    return caught.value


def test_up_to_five_play_one_game() -> None:
    assert _answer(_players("stf")) == '{"winners":[["y"],["z"]],"cheaters":["x"]}'


def test_without_a_cheater_there_is_no_list_of_them() -> None:
    assert _answer(_players("sss")) == '{"winners":[["y"],["z"],["x"]]}'


def test_who_shares_a_rank_is_sorted_by_name() -> None:
    assert _answer(_players("tft")) == '{"winners":[["y"],["x","z"]]}'


def test_two_who_are_left_of_a_round_share_the_first_rank() -> None:
    assert _answer(_players("ffffff")) == '{"winners":[["w","z"]],"cheaters":["u","v","x","y"]}'


def test_after_a_round_that_sent_everybody_on_all_share_the_first_rank() -> None:
    assert _answer(_players("tsttst")) == '{"winners":[["u","v","w","x","y","z"]]}'


def test_cheaters_of_all_games_are_told() -> None:
    answer = json.loads(_answer(_players("f" * 18)))
    assert answer == {"winners": [["u"]], "cheaters": [*"ijklmnopqrstvwxyz"]}


@pytest.mark.parametrize(
    "path",
    [
        *("third-s", "ThirdS", "a/third-s.rkt", "../b/ThirdS.java", "/third-s", "ThirdS.a.b"),
        *("first-s/third-s", "first-s.d/ThirdS.", "third-s.first-s"),
    ],
)
def test_a_strategy_is_the_last_part_of_its_path_up_to_its_first_dot(path: str) -> None:
    players = _players("stf")
    players[1]["strategy"] = path
    assert _answer(players) == _answer(_players("stf"))


@pytest.mark.parametrize(
    "path",
    [
        *("", "third", "third-S", "thirds", "Third-s", "third-s/", ".third-s", "a/.ThirdS"),
        *("third-s/x", "a\\third-s", " third-s", "third-s ", "third-s\n", "x.third-s"),
    ],
)
def test_any_other_path_is_no_strategy(path: str) -> None:
    players = _players("stf")
    players[1]["strategy"] = path
    refused = _refusal(players)
    assert (refused.kind, refused.at) == (Kind.INVALID_SPEC, "/0/1/strategy")


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("[]", "/0", "an array of 3 to 20 players expected at /0, found []"),
        ("{}", "/0", "an array of 3 to 20 players expected at /0, found {}"),
        (
            '[1,{"name":2},3]',
            "/0/0",
            'a player {"name": string, "strategy": path} expected at /0/0, found 1',
        ),
        (
            '[{"name":"a","strategy":"x"},1,2]',
            "/0/0/strategy",
            "the path of a strategy (whose last part, up to its first dot, is first-s, second-s, "
            'third-s, FirstS, SecondS or ThirdS) expected at /0/0/strategy, found "x"',
        ),
    ],
)
def test_a_bad_spec_is_refused_at_its_first_fault(text: str, at: str, message: str) -> None:
    refused = _refusal(text)
    assert (refused.kind, refused.at, refused.message) == (Kind.INVALID_SPEC, at, message)


@pytest.mark.parametrize("count", [2, 21])
def test_fewer_than_three_and_more_than_twenty_are_refused(count: int) -> None:
    refused = _refusal(_players("f" * count))
    assert refused.at == "/0"
    assert refused.message.startswith("an array of 3 to 20 players expected at /0, found ")


def test_a_name_that_is_there_twice_is_refused_at_the_later_one() -> None:
    players = _players("stf")
    players[2]["name"] = "z"
    refused = _refusal(players)
    assert (refused.kind, refused.at) == (Kind.INVALID_SPEC, "/0/2/name")
    assert refused.message == (
        'two players of one name: "z" at /0/0/name, found again at /0/2/name'
    )


def test_a_second_value_is_refused() -> None:
    text = json.dumps(_players("stf"))
    assert _refusal(f"{text} {text}").at == "/1"


def test_the_program_prints_one_line(run: Run) -> None:
    ran = run("xadmin", json.dumps(_players("stf")).encode())
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout == b'{"winners":[["y"],["z"]],"cheaters":["x"]}\n'


def test_a_refusal_is_one_line_and_status_1(run: Run) -> None:
    ran = run("xadmin", b"")
    assert (ran.returncode, ran.stderr) == (1, b"")
    assert ran.stdout == (
        b'{"error":{"kind":"incomplete-input","at":"/0","message":"an array of 3 to 20 players '
        b'expected at /0, but the input ends there"}}\n'
    )
