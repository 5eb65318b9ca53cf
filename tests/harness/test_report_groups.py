"""Who agrees with whom, in whole lines and as JSON."""

from __future__ import annotations

import json
from itertools import combinations

from jsonschema import Draft202012Validator

from harness.events import Problem
from harness.judging.comparison import Comparison
from harness.records import Exited, Policy, Signalled, Transcript
from harness.report.groups import (
    Compared,
    View,
    separation_lines,
    subject_lines,
    sum_lines,
)
from harness.report.groups_json import comparison_json
from harness.report.text import PLAIN, Look
from harness.several.contrast import How, Separating, Separation, separation
from harness.several.grouping import Agreement, answer_of, groups_of
from harness.suites.bundled import schemas_folder

SCHEMA = json.loads((schemas_folder() / "compare.schema.json").read_text(encoding="utf-8"))
VIEW = View(PLAIN, 80, Look())
WIDE = View(PLAIN, 120, Look(None, side_by_side=True))


def printed(text: str, status: int = 0) -> Transcript:
    """What was observed of a subject that printed a text."""
    return Transcript(Exited(status), text.encode(), stdout_bytes=len(text.encode()))


CRASH = Transcript(Signalled(11), b"[", b"a\nbang\x1b\n", stdout_bytes=1, stderr_bytes=8)


def contrast(*seen: Transcript, stdin: bytes = b"[0]") -> Separation:
    """What is shown of an input to which subjects said this."""
    answers = [answer_of(each, Policy()) for each in seen]
    of = Separating("s", "1", len(stdin), groups_of(answers, Comparison()))
    return separation(of, stdin, seen, answers, How(Comparison(), ("xtest", "compare", "a b")))


def lines(shown: Separation, view: View = VIEW) -> list[str]:
    """The lines of an input that separates subjects."""
    return list(separation_lines(shown, view))


def compared(*inputs: tuple[Transcript, ...], interrupted: bool = False) -> Compared:
    """What came of some inputs, of which the first that separates is shown."""
    agreement = Agreement(len(inputs[0]) if inputs else 2)
    separating = []
    for seen in inputs:
        answers = [answer_of(each, Policy()) for each in seen]
        groups = groups_of(answers, Comparison())
        agreement.add(answers, groups)
        if len(groups) > 1:
            separating.append(contrast(*seen))
    names = tuple(f"./p{number}" for number in range(agreement.subjects))
    found = [each.of for each in separating]
    return Compared(names, False, agreement, found, separating[:1], interrupted=interrupted)


def test_what_a_glance_shows_is_shown_once() -> None:
    assert lines(contrast(printed("1"), printed("2"), printed("1"))) == [
        "",
        "A C | B  s/1  3 bytes",
        "    input      [0]",
        "    A C        1",
        "    B          2",
        "    repeat     xtest compare 'a b'",
    ]


def test_several_differences_are_shown_in_their_context() -> None:
    shown = contrast(printed("[1, 2, 3]"), printed("[1, 5, 6]"))
    assert lines(shown)[5:-1] == [
        "    - A, + B",
        "      [",
        "        1",
        "    -   2  at /0/1",
        "    +   5",
        "    -   3  at /0/2",
        "    +   6",
        "      ]",
    ]
    assert lines(shown, WIDE)[5:8] == [
        "    A                      B",
        "    [                      [",
        "      1                      1",
    ]


def test_one_difference_in_a_long_answer_is_shown_where_it_is() -> None:
    text = f'"{"x" * 100}"'
    shown = contrast(printed(f"[{text}, 1]"), printed(f"[{text}, 2]"))
    assert "    -   1  at /0/1" in lines(shown)


def test_those_that_fell_short_say_how_and_what_they_left() -> None:
    shown = contrast(printed("1"), CRASH, Transcript(Signalled(6)))
    assert lines(shown)[3:-1] == [
        "    A          1",
        "    B          crashed: ended by SIGSEGV, having printed part of a value",
        "               [",
        "    stderr     a",
        "               bang\\x1b",
        "    C          crashed: ended by SIGABRT, having printed nothing",
    ]


def test_exit_statuses_stand_behind_the_values() -> None:
    shown = contrast(printed("1"), printed("1", 3))
    assert lines(shown)[3:-1] == [
        "    A          1  (exit status 0)",
        "    B          1  (exit status 3)",
    ]


def test_nothing_acts_on_the_terminal_and_lines_are_bounded() -> None:
    shown = contrast(printed('"\x7f"'), printed(f'"{"y" * 999}"'), stdin=b"\x1b" * 999)
    told = lines(shown)
    assert max(map(len, told)) <= 80
    assert "\x1b" not in "".join(told) and "\x7f" not in "".join(told)


def test_the_first_lines_explain_the_letters() -> None:
    agreement = Agreement(2)
    both = Compared(("node a.js", "b\x1b"), True, agreement, (), ())
    assert list(subject_lines(both, PLAIN)) == ["A  node a.js (the reference)", "B  b\\x1b"]
    assert list(subject_lines(both._replace(has_reference=False), PLAIN))[0] == "A  node a.js"


def test_the_sum_says_who_agrees_with_whom() -> None:
    one, two = printed("1"), printed("2")
    found = compared((one, one, one), (one, two, CRASH), (one, one, two), (CRASH, CRASH, CRASH))
    assert list(sum_lines(found, 1, PLAIN)) == [
        "",
        "(1 input more; --limit 2 shows more)",
        "",
        "alike, in %      A      B      C   fell short",
        "A  ./p0          -   75.0   50.0   1 crashed",
        "B  ./p1       75.0      -   50.0   1 crashed",
        "C  ./p2       50.0   50.0      -   2 crashed",
        "",
        "        2  A B C",
        "        1  A | B | C",
        "        1  A B | C",
        "4 inputs: 2 alike; on 1 of them all fell short, 2 separate the subjects",
    ]


def test_problems_and_an_early_end_are_told() -> None:
    found = compared((printed("1"), printed("1")), interrupted=True)
    said = list(sum_lines(found._replace(problems=[Problem("s\x1b", "is broken")]), 1, PLAIN))
    assert said[0] == "problem  s\\x1b: is broken"
    assert said[-1] == "interrupted after 1 input: all subjects answer alike"
    assert list(sum_lines(compared(), 1, PLAIN)) == ["0 inputs: nothing was compared"]


def test_only_the_commonest_ways_of_making_groups_are_listed() -> None:
    one, two = printed("1"), printed("2")
    seen = [
        tuple(two if number in pair else one for number in range(6))
        for pair in combinations(range(6), 2)
    ]
    found = compared(*seen, *seen[:1])
    told = [line for line in sum_lines(found, 10, PLAIN) if " | " in line or "ways" in line]
    assert told[0] == "        2  A B | C D E F"
    assert (len(told), told[-1]) == (11, "        5  in 5 other ways")


def test_the_json_keeps_to_its_schema_and_says_the_same() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    one = printed("[1, 2]")
    found = compared((one, printed("[1]"), CRASH), (one, one, one))
    found = found._replace(problems=[Problem("s", "is broken")])
    for each in (found, compared(), found._replace(has_reference=True, interrupted=True)):
        Draft202012Validator(SCHEMA).validate(comparison_json(each))
    read = comparison_json(found)
    assert read["agreement"] == [
        {"subjects": [0, 1], "alike": 1},
        {"subjects": [0, 2], "alike": 1},
        {"subjects": [1, 2], "alike": 1},
    ]
    assert read["separating"] == [
        {"suite": "s", "case": "1", "bytes": 3, "groups": [[0], [1], [2]]}
    ]
    assert read["shown"][0]["answers"][1] == {
        "subjects": [1],
        "fell_short": False,
        "ending": "",
        "stdout": {"text": "[1]", "bytes": 3},
        "stderr": {"text": "", "bytes": 0},
        "beside": 0,
        "differences": [{"at": "/0/1", "expected": "2"}],
        "differences_total": 1,
    }
    assert read["subjects"][2] == {"name": "./p2", "fell_short": {"crashed": 1}}
