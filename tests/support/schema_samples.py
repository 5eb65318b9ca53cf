"""Inputs and outputs with which the schemas of the programs are tested."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final, NamedTuple

from support.schemas import integers_in_canonical_form
from support.wire import PROGRAMS, Plain

from harness.jsonio.decoder import Json

__all__ = ["FITTING_ERRORS", "SAMPLES", "UNFIT", "UNFIT_ERRORS", "Samples"]

_PROGRAMS: Final = tuple(PROGRAMS)
_REQUESTS: Final = ("xisolation", "xtictactoe", "xbitboard36")


class Samples(NamedTuple):
    """Inputs of a program, and how to change them.

    Every change of the texts in `near` is tried: `pieces` replace parts, `added` names members to
    add. The schema accepts `beyond_schema`, the program does not: 1.0 is not an integer, parts
    contradict each other, or a move is illegal.
    """

    accepted: list[str]
    near: list[str]
    pieces: str
    beyond_schema: list[str]
    added: str = ""
    equivalent: Callable[[Json], Json] | None = None


def _without_boards(value: Json) -> Json:
    # The schema of xisolation sees the digits of a board, but not which bits are set.
    if isinstance(value, list):
        return [_without_boards(each) for each in value]
    if isinstance(value, dict):
        others = {name: _without_boards(part) for name, part in value.items()}
        return {**others, "board": "0"} if isinstance(value.get("board"), str) else others
    return integers_in_canonical_form(value)


def _with_unique_names(value: Json) -> Json:
    # The schema of xadmin cannot compare the names of players.
    if not isinstance(value, list):
        return value
    return [
        {**each, "name": str(k)} if isinstance(each, dict) else each for k, each in enumerate(value)
    ]


_BOARD: Final = '[[[6,90],"red","D",3,7],[[9,0],"blue","A",0,1],[[2,0],4,8]]'
_TURN: Final = '[["red",[9,0]],9,2]'
_END: Final = '{"board":"36349881425809777517250506995532800","ply_count":84,"locs":[32,21]}'
_WORDS: Final = '{"white":[5,9,10],"black":4352,"to_play":"white"}'
_NUMBERS: Final = "-1 0 1 -0 0.0 1.0 1e400 10.5 10000000000000000000000 "
_OTHERS: Final = 'true false null "" "0" [] [0] {} '
_TSURO: Final = (
    _NUMBERS + _OTHERS + '9 10 34 35 45 90 180 270 360 90.0 9e1 "A" "H" "I" "a" "red" "Red" "blue" '
    '"pink" [0,0] [0,90,0] [[0,0],1,1] ["red",[0,0]] [["red",[0,0]],0,0] {"index":0,"degrees":90}'
)

SAMPLES: Final = {
    "xtiles": Samples(
        accepted=['[6,90,"D"]', '[0,0,"A"] [34,270,"H"] [7,180,"E"]'],
        near=['[6,90,"D"] [0,0,"A"]'],
        pieces=_TSURO,
        beyond_schema=['[6.0,90,"D"]', '[6,9e1,"D"]', '[-0,90,"D"]', '[6,-0,"D"]'],
    ),
    "xboard": Samples(
        accepted=[
            "[]",
            _BOARD,
            _BOARD + '["red",[9,0]] ["blue",[34,270]]',
            '[[[0,0],"white","C",0,0],[[0,0],"black","E",0,0]] ["white",[0,0]]',
            '[[[9,0],9,9],[[9,0],9,9]] ["green",[1,180]]',
        ],
        near=['[[[6,90],"red","D",3,7],[[2,0],4,8]]["red",[9,0]]'],
        pieces=_TSURO,
        beyond_schema=[
            "[[[6,90],3,0.0]]",
            _BOARD + '["red",[10E-1,0]]',
            '[[[6,90],"red","H",0,7]]',
            '[[[6,90],"red","D",3,7],[[2,0],4,7]]',
            "[[[3,0],4,7],[[3,90],4,7]]",
            '[[[6,90],"red","D",3,7],[[6,90],"red","D",3,7]]',
            _BOARD + '["green",[9,0]]',
        ],
    ),
    "xrules": Samples(
        accepted=[_BOARD + _TURN, "[]" + _TURN, _BOARD + '[["blue",[34,270]],0,0]'],
        near=['[[[6,90],"red","D",3,7]]' + _TURN],
        pieces=_TSURO,
        beyond_schema=[
            _BOARD + '[["red",[9,0]],9.0,2]',
            _BOARD + '[["red",[9,0]],9,-0]',
            '[[[6,90],"red","H",0,7]]' + _TURN,
            '[[[6,90],"red","D",3,7],[[2,0],4,7]][["white",[9,0]],1,2]',
        ],
    ),
    "xref": Samples(
        accepted=['["a","b","c"]', '["","é","\\n","b","B"]'],
        near=['["a","b","c"]', '["","é","\\n","b","B"]'],
        pieces=_OTHERS + '1 1.0 "a" "b" "é" ["a","b","d"]',
        beyond_schema=[],
    ),
    "xadmin": Samples(
        accepted=[
            '[{"name":"a","strategy":"first-s"},{"name":"b","strategy":"x/SecondS.java"},'
            '{"strategy":"ThirdS.","name":"c"}]'
        ],
        near=[
            '[{"name":"a","strategy":"first-s"},{"name":"b","strategy":"x/SecondS.java"},'
            '{"strategy":"ThirdS.","name":"c"}]'
        ],
        pieces=_OTHERS + '1 1.0 "d" "first-s" "x/SecondS.java" "ThirdS.x/y" "first-s/" '
        '"./third-s..." "Third-s" "first-s\\n" "\\nfirst-s" "\\n/first-s.\\n" {"name":"d"} '
        '{"name":"d","strategy":"third-s"} {"name":"d","strategy":"third-s","age":7}',
        beyond_schema=[
            '[{"name":"a","strategy":"first-s"},{"name":"b","strategy":"first-s"},'
            '{"name":"a","strategy":"first-s"}]'
        ],
        added="name strategy age",
        equivalent=_with_unique_names,
    ),
    "xisolation": Samples(
        accepted=[
            '{"ask":[]}',
            '{"ask":["state","player","actions","terminal","bitboard","text","picture"]}',
            '{"moves":[57,0,25],"ask":[{"liberties":null},{"utility":1},{"ind2xy":-27}]}',
            f'{{"state":{_END},"moves":[],"ask":[{{"encoding":{{"width":2,"height":9}}}},"text"]}}',
            '{"state":{"board":"1","ply_count":98,"locs":[15,27]},"ask":[{"liberties":0}]}',
        ],
        near=[
            f'{{"state":{_END},"moves":[25],"ask":[]}}',
            '{"ask":["text",{"perft":3},{"liberties":null}]}',
            '{"ask":[{"utility":0},{"ind2xy":57},{"encoding":{"width":2,"height":32}}]}',
        ],
        pieces=_NUMBERS + _OTHERS + "2 6 7 11 12 32 33 57 84 99 100 114 115 -27 -28 57.0 5.7e1 "
        '"00" "1" "1\\n" "2048" "57" "state" "State" "perft" "٣" [15,27] [null,null] ["state"] '
        '{"perft":1} {"perft":7} {"liberties":12} {"utility":0} {"ind2xy":0,"perft":1} '
        '{"encoding":{"width":1,"height":1}} {"width":1,"height":1} {"x":1}',
        beyond_schema=[
            '{"moves":[57.0],"ask":[]}',
            '{"moves":[-0],"ask":[]}',
            f'{{"state":{_END.replace("84", "84.0")},"ask":[]}}',
            '{"ask":[{"perft":1e0}]}',
            f'{{"state":{_END.replace("36349881425809777517250506995532800", "2048")},"ask":[]}}',
            f'{{"state":{_END.replace("36", "96", 1)},"ask":[]}}',
            f'{{"state":{_END.replace("84", "83")},"ask":[]}}',
            f'{{"state":{_END.replace("21", "null")},"ask":[]}}',
            f'{{"state":{_END.replace("21", "32")},"ask":[]}}',
            '{"moves":[57,57],"ask":[]}',
            f'{{"state":{_END},"moves":[25],"ask":[]}}',
        ],
        added="ask state moves board ply_count locs perft liberties utility width x",
        equivalent=_without_boards,
    ),
    "xtictactoe": Samples(
        accepted=[
            '{"ask":[]}',
            '{"ask":["state","player",{"perft":2},{"mark":0},{"symbol":[2,0]}]}',
            '{"state":{"board":"XO.XO....","player":"O"},"moves":[7,6],"ask":["tree","winner"]}',
            '{"state":{"player":"X","board":"OOOOOOOOO"},"ask":["winning_lines","picture"]}'
            '{"moves":[],"ask":["value"]}',
        ],
        near=[
            '{"state":{"player":"O","board":"XO......."},"moves":[7],'
            '"ask":["tree",{"symbol":[2,0]}]}'
        ],
        pieces=_NUMBERS + _OTHERS + '2 3 8 9 10 2.0 9.0 "X" "O" "x" "." "state" "tree" "perft" '
        '"mark" "State" "........." "XO......" "XO........" "XO......x" [0,2] [0,3] [0,0,0] '
        '{"perft":3} {"perft":10} {"mark":8} {"mark":[]} {"symbol":[1,1]} {"state":1} '
        '{"perft":1,"mark":1} {"board":"XO.......","player":"X"}',
        beyond_schema=[
            '{"moves":[4.0],"ask":[]}',
            '{"moves":[-0],"ask":[]}',
            '{"ask":[{"perft":2e0}]}',
            '{"ask":[{"symbol":[1,10E-1]}]}',
            '{"state":{"board":"XXX...OOO","player":"X"},"ask":[]}',
            '{"moves":[4,4],"ask":[]}',
            '{"moves":[0,3,1,4,2,5],"ask":[]}',
        ],
        added="state ask player perft tree ~/",
    ),
    "xbitboard36": Samples(
        accepted=[
            "",
            '{"ask":[]}',
            f'{{"state":{_WORDS},"moves":[[5,0],[8,35]],"ask":["state",{{"moved":[0,35]}}]}}',
            '{"ask":[{"value":0}]} {"moves":[],"ask":[{"position_at":{"row":5,"column":0}}]}',
            '{"ask":["variants"],"state":{"to_play":"black","black":[],"white":68719476735}}',
        ],
        near=[
            f'{{"state":{_WORDS},"moves":[[5,0],[8,35]],"ask":["state",{{"perft":7}}]}}',
            '{"ask":[{"value":0}]} {"moves":[],"ask":[{"position_at":{"row":5,"column":0}}]}',
            '{"ask":[{"moved":[0,35]}]}',
        ],
        pieces=_NUMBERS + _OTHERS + '5 6 7 8 35 36 68719476735 68719476736 5e0 "state" "State" '
        '"perft" "white" [0,0] [0,1] [1,0,2] [[0,1]] {"perft":1} {"value":0} '
        '{"perft":1,"value":0} {"state":0} {"row":0,"column":0} '
        '{"white":0,"black":0,"to_play":"white"}',
        beyond_schema=[
            '{"ask":[{"value":1.0}]}',
            '{"ask":[{"perft":-0}]}',
            '{"ask":[],"moves":[[1e0,2]]}',
            '{"ask":[],"state":{"white":6.8e1,"black":0,"to_play":"white"}}',
            '{"ask":[],"state":{"white":3,"black":1,"to_play":"white"}}',
            '{"ask":[],"state":{"white":3,"black":[5,0],"to_play":"white"}}',
            '{"ask":[],"moves":[[0,1]]}',
            f'{{"ask":[],"moves":[[5,5]],"state":{_WORDS}}}',
        ],
        added="moves white perft column other",
    ),
}


def _each_alone(*answers: Plain) -> list[Plain]:
    return [[answer] for answer in answers]


# Outputs, as arrays of values, that no program prints.
UNFIT: Final[dict[str, list[Plain]]] = {
    "xtiles": [
        [],
        [["if ", "A", " is the entrance, ", "I", " is the exit."]],
        [["if ", "A", " is the entrance, ", "B", " is the exit"]],
        [["if ", "A", " is the entrance, ", "B", " is the exit.", ""]],
    ],
    "xboard": [
        [],
        ["red died", "red died"],
        ["red won"],
        [[[6, 90], "blue", "D", 3, 7]],
        [[[6, 90], 3, 7]],
        # Not the least degrees: 2 looks the same at every turn, 3 after half a turn.
        [[[2, 90], "red", "D", 3, 7]],
        [[[3, 180], "red", "D", 3, 7]],
    ],
    "xrules": [[], ["legal", "legal"], ["Legal"], [True]],
    "xref": [
        [],
        [{"winners": []}],
        [{"winners": [[]], "cheaters": []}],
        [{"winners": ["a"], "cheaters": []}],
        [{"winners": [["a"]], "cheaters": ["b", "b"]}],
        [{"winners": [["a"]], "cheaters": [], "losers": []}],
    ],
    "xadmin": [
        [],
        [{"winners": [["a"]], "cheaters": []}],
        [{"cheaters": ["a"]}],
        [{"winners": [["a"]]}, {"winners": [["a"]]}],
    ],
    "xisolation": _each_alone(
        {"player": 2},
        {"turn": 0},
        {"utility": 0},
        {"terminal": 0},
        {"perft": "99"},
        {"perft": 8528481},
        {"actions": [12]},
        {"actions": [57, 25]},
        {"actions": [25, 25]},
        {"liberties": [11]},
        {"ind2xy": [5]},
        {"ind2xy": [13, 0]},
        {"bitboard": "1" * 115},
        {"state": {"board": 1, "ply_count": 98, "locs": [15, 27]}},
        {"state": {"board": "1", "ply_count": 98, "locs": [15]}},
        {"text": ""},
        {"picture": "player 1 to move, ply 0"},
        {"encoding": {"length": 10}},
    ),
    "xtictactoe": _each_alone(
        {"state": {"board": "........."}},
        {"state": {"board": "..........", "player": "X"}},
        {"state": {"board": ".........", "player": "x"}},
        {"player": 0},
        {"bitboard": 262144},
        {"bitboard": "0"},
        {"marks": {"X": []}},
        {"marks": {"X": [], "O": [9]}},
        {"actions": [0, 0]},
        {"next_states": [[0, "X"]]},
        {"finished": 0},
        {"finished": None},
        {"utility": 2},
        {"utility": "win"},
        {"utility": False},
        {"winner": "draw"},
        {"winning_lines": [[0, 1, 3]]},
        {"winning_lines": [[2, 1, 0]]},
        {"value": None},
        {"move_values": [[0, 1]]},
        {"move_values": [{"cell": 0, "value": None}]},
        {"images": []},
        {"tree": {"nodes": 1, "games": 1, "x_wins": 1, "o_wins": 0}},
        {"tree": {"nodes": 0, "games": 1, "x_wins": 1, "o_wins": 0, "draws": 0}},
        {"reachable": 5478},
        {"perft": -1},
        {"mark": " "},
        {"symbol": None},
        {"symbol": "."},
        {"text": "+-+-+-+\n"},
        {"picture": ""},
        {"turn": "X"},
        None,
        [],
    ),
    "xbitboard36": _each_alone(
        None,
        {"other": 1},
        {"player": "White"},
        {"pieces": -1},
        {"pieces": 2**36},
        {"pieces": [0]},
        {"state": {"white": 0, "black": 0}},
        {"state": {"white": [], "black": 0, "to_play": "white"}},
        {"positions": {"white": [36], "black": []}},
        {"hexadecimal": {"white": "0x00000000A", "black": "0x000000000"}},
        {"hexadecimal": {"white": "0xa", "black": "0x000000000"}},
        {"text": "White to play"},
        {"actions": [[0]]},
        {"current_next": {"current": 0}},
        {"variants": {"white_right": {"white": 0, "black": 0, "to_play": "white"}}},
        {"neighbour_counts": [0] * 35},
        {"neighbour_counts": [9] * 36},
        {"neighbour_planes": {"ones": 0, "twos": 0, "fours": 0}},
        {"value": {"white": 2, "black": 0}},
        {"neighbour_count": 9},
        {"row_column": {"row": 6, "column": 0}},
        {"position_at": 36},
        {"perft": 2**53},
    ),
}
# Kind and place of errors that these programs do not print.
UNFIT_ERRORS: Final[list[tuple[str, Plain, Collection[str]]]] = [
    ("invalid-spec", "", _PROGRAMS),
    ("invalid-spec", "0", _PROGRAMS),
    ("invalid-spec", "/00", _PROGRAMS),
    ("invalid-spec", {"byte": 0}, _PROGRAMS),
    ("malformed-json", "/0", _PROGRAMS),
    ("malformed-json", {"byte": -1}, _PROGRAMS),
    ("malformed-json", {"byte": 0, "line": 1}, _PROGRAMS),
    ("incomplete-input", "/2", _PROGRAMS),
    ("incomplete-input", "/1", ("xtiles", "xboard", "xref", "xadmin", *_REQUESTS)),
    ("incomplete-input", "/0", _REQUESTS),
    ("illegal-move", "/0", _PROGRAMS),
    ("illegal-move", "/0/moves", _PROGRAMS),
    ("illegal-move", "/1", [program for program in _PROGRAMS if program != "xboard"]),
    ("other", "/0", _PROGRAMS),
    ("invalid-spec", "/0/m~n", _REQUESTS),
    ("invalid-spec", "/0/~2", _REQUESTS),
    ("invalid-spec", "/0/5", ("xref",)),
    ("invalid-spec", "/0/20", ("xadmin",)),
    ("invalid-spec", "/0/1/name/2", ("xadmin",)),
    ("invalid-spec", "/0/moves/01", ("xtictactoe",)),
    ("invalid-spec", "/0/ask/0/symbol/2", ("xtictactoe",)),
    ("invalid-spec", "/0/state/board/0", ("xtictactoe",)),
    ("illegal-move", "/0/moves/-1", ("xbitboard36",)),
]
FITTING_ERRORS: Final[list[tuple[str, Plain]]] = [
    *(("invalid-spec", at) for at in ("/0", "/12/state", "/12/state/board", "/12/state/a~1b")),
    *(("invalid-spec", at) for at in ("/0/moves/10", "/0/ask/0/symbol/1", "/0/ask/0/")),
    ("illegal-move", "/7/moves/0"),
    ("malformed-json", {"byte": 0}),
]
