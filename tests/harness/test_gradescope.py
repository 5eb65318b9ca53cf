"""Gradescope's results.json: who scores what, what a student sees, and that it is as documented."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from harness.about import About, Worth
from harness.documents.gradescope import document
from harness.documents.source import NoReport
from harness.events import (
    Bytes,
    Event,
    Evidence,
    Judged,
    Known,
    Problem,
    RunEnded,
    RunStarted,
    ShownDifference,
)
from harness.records import Verdict, Visibility

SCHEMA = json.loads(Path(__file__).with_name("gradescope.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
ENDED = RunEnded({}, 1.25, 0)


def run(case: str, verdict: Verdict = Verdict.PASSED, **more: Any) -> Judged:
    """A judged run of the suite s."""
    told = {"suite": "s", "subject": "./p", "delivery": "plain", "message": "it is so"} | more
    return Judged(case=case, verdict=verdict, **told)


def evidence(stdin: bytes, expected: bytes, stdout: bytes) -> Evidence:
    """What was seen of a run."""
    difference = ShownDifference("/0", expected.decode(), stdout.decode())
    one, two, three = (Bytes(data, len(data)) for data in (stdin, expected, stdout))
    return Evidence(one, two, three, Bytes(b"", 0), (difference,), 1)


def started(*said: About, suites: tuple[str, ...] = ("s",)) -> RunStarted:
    """The first event of a run of these suites."""
    return RunStarted("0.1.0", "2026-01-31T12:00:00Z", suites, 9, 1, about=said)


def about(cases: int, points: float | None = 10.0, **more: Any) -> About:
    """The suite s, all of which is run."""
    return About("s", "s", points=points, cases=cases, selected=cases)._replace(**more)


def text_of(*events: Event) -> str:
    """The document of these events."""
    return "".join(document(lambda: iter(events)))


def graded(*events: Event) -> dict[str, Any]:
    """The same, read; it keeps the schema."""
    found: dict[str, Any] = json.loads(text_of(*events))
    VALIDATOR.validate(found)
    return found


def scores(*events: Event) -> list[tuple[float, float]]:
    """Of each test, its score and what it is worth."""
    return [(test["score"], test["max_score"]) for test in graded(*events)["tests"]]


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


# Who scores what.


def test_all_that_passed_is_all_the_points() -> None:
    found = graded(started(about(3)), run("1"), run("2"), run("10"), ENDED)
    assert [test["max_score"] for test in found["tests"]] == [3.33, 3.34, 3.33]
    assert found["score"] == 10
    assert found["tests"][2] == {
        **{"number": "3", "name": "s/10", "score": 3.33, "max_score": 3.33},
        **{"status": "passed", "visibility": "visible"},
    }
    assert found["execution_time"] == 1.25
    assert found["output"] == "3 of 3 cases passed."
    # A number that is whole is written as one.
    assert '"score": 10,' in text_of(started(about(3)), run("1"), run("2"), run("10"), ENDED)


def test_the_tests_are_in_natural_order_whenever_their_runs_ended() -> None:
    found = graded(started(about(3)), run("10"), run("bad-1"), run("2"), ENDED)
    assert [test["name"] for test in found["tests"]] == ["s/2", "s/10", "s/bad-1"]


def test_what_fell_short_scores_nothing() -> None:
    found = graded(started(about(2)), run("1"), run("2", Verdict.CRASHED), ENDED)
    assert found["score"] == 5
    assert found["tests"][1]["status"] == "failed"
    assert found["tests"][1]["output"] == "crashed: it is so"
    assert found["output"] == "1 of 2 cases passed."


def test_a_case_scores_the_part_of_its_deliveries_that_passed() -> None:
    runs = [
        run("1"),
        run("1", Verdict.DIFFERS, delivery="slow"),
        run("1", Verdict.DIFFERS, delivery="cut"),
        run("1", Verdict.SILENT, delivery="crlf"),
    ]
    found = graded(started(about(1)), *runs, ENDED)
    (test,) = found["tests"]
    assert (test["score"], test["max_score"], test["status"]) == (2.5, 10, "failed")
    assert test["output"] == (
        "1 of 4 ways of feeding the input passed\n"
        "silent (crlf): it is so\n"
        "differs (cut, slow): it is so"
    )
    assert found["output"] == "0 of 1 case passed."


def test_a_part_is_rounded_down() -> None:
    runs = [run("1"), run("1", delivery="slow"), run("1", Verdict.DIFFERS, delivery="cut")]
    assert scores(started(about(1)), *runs, ENDED) == [(6.66, 10)]


def test_a_known_failure_does_not_count_against_anybody() -> None:
    known = Known("ties are not split yet")
    found = graded(started(about(2)), run("1"), run("2", Verdict.DIFFERS, known=known), ENDED)
    assert found["score"] == 10
    assert found["tests"][1]["status"] == "passed"
    assert found["tests"][1]["output"] == (
        "differs: it is so\nThis is known, and does not count against you: its points are given."
    )
    assert found["output"] == "1 of 2 cases passed."


def test_a_failure_that_is_not_as_it_is_known_scores_nothing() -> None:
    known = Known("ties are not split yet", holds=False)
    assert scores(started(about(1)), run("1", Verdict.CRASHED, known=known), ENDED) == [(0, 10)]


def test_what_passed_though_it_is_known_to_fail_scores() -> None:
    known = Known("ties are not split yet", holds=False)
    found = graded(started(about(1)), run("1", known=known), ENDED)
    assert (found["score"], found["tests"][0].get("output")) == (10, None)


@pytest.mark.parametrize("verdict", [Verdict.INVALID_CASE, Verdict.HARNESS_FAULT])
def test_what_could_not_be_judged_is_no_students_loss(verdict: Verdict) -> None:
    found = graded(started(about(2)), run("1"), run("2", verdict), ENDED)
    assert found["score"] == 10
    assert found["tests"][1]["output"] == (
        f"{verdict.value}: it is so\n"
        "This case could not be judged, through no fault of yours: its points are given."
    )
    assert found["output"] == (
        "1 of 2 cases passed.\n"
        "1 case could not be judged, through no fault of yours: the points are given."
    )


def test_results_of_before_there_were_points_give_one_for_each_case() -> None:
    assert scores(started(), run("1"), run("2", Verdict.SILENT), ENDED) == [(1, 1), (0, 1)]
    # A file may be of a run whose first event is lost in another order.
    assert scores(started(suites=()), run("1"), ENDED) == [(1, 1)]


def test_a_case_is_worth_the_same_when_only_some_are_selected() -> None:
    found = graded(started(about(10)._replace(selected=2)), run("1"), run("7"), ENDED)
    assert ([test["max_score"] for test in found["tests"]], found["score"]) == ([1, 1], 2)


def test_several_suites_have_numbers_of_their_own() -> None:
    other = About("t", "t", points=1.0, cases=1, selected=1)
    events = (run("1", suite="t"), run("1"), run("2"))
    found = graded(started(about(2), other, suites=("s", "t")), *events, ENDED)
    told = [(test["number"], test["name"], test["score"]) for test in found["tests"]]
    assert told == [("1.1", "s/1", 5), ("1.2", "s/2", 5), ("2.1", "t/1", 1)]
    assert found["score"] == 11


# What was not run.


def test_what_was_not_run_scores_nothing_and_is_told() -> None:
    ended = RunEnded({}, 1.0, 130, interrupted=True, not_run=3)
    found = graded(started(about(5)), run("1"), run("2"), ended)
    assert found["score"] == 4
    assert found["tests"][2] == {
        **{"name": "s: not run", "score": 0, "max_score": 6, "status": "failed"},
        "visibility": "visible",
        "output": "3 cases not run: a case that is not run scores nothing",
    }
    assert found["output"] == (
        "2 of 2 cases passed.\nThe run ended early: what was not run scores nothing."
    )


def test_how_much_was_not_run_of_what_is_hidden_is_hidden() -> None:
    ended = RunEnded({}, 1.0, 130, interrupted=True, not_run=3)
    some = about(5, worth=(Worth("4-5", None, Visibility.AFTER_DUE_DATE),))
    found = graded(started(some), run("1"), run("2"), ended)
    assert found["tests"][2]["visibility"] == "hidden"
    assert found["output"] == (
        "2 of 2 cases passed; others are not shown.\n"
        "The run ended early: what was not run scores nothing."
    )


def test_results_that_were_cut_off_are_not_taken_for_the_whole() -> None:
    found = graded(started(about(4)), run("1"))
    assert (found["score"], found["tests"][1]["max_score"]) == (2.5, 7.5)
    assert found["output"].endswith("The run ended early: what was not run scores nothing.")


def test_a_suite_of_which_nothing_was_run_is_told_of() -> None:
    other = About("t", "t", points=1.0, cases=4, selected=3)
    ended = RunEnded({}, 1.0, 1, stopped=True, not_run=3)
    found = graded(started(about(1), other, suites=("s", "t")), run("1"), ended)
    assert found["tests"][1]["name"] == "t: not run"
    assert found["tests"][1]["max_score"] == 0.75


def test_of_several_runs_nobody_says_what_is_missing() -> None:
    first, second = started(about(4)._replace(selected=2)), started(about(4)._replace(selected=3))
    found = graded(first, run("1"), ENDED, second, run("2"), ENDED)
    assert [test["name"] for test in found["tests"]] == ["s/1", "s/2"]


def test_nothing_at_all_is_told_as_what_it_is() -> None:
    assert graded(started(about(0, None)), ENDED) == {
        "tests": [],
        "score": 0,
        "execution_time": 1.25,
        "output": "Nothing was run. Please tell the course staff.",
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"xtest": "0.1.0"},
    }


def test_a_problem_with_the_suite_is_told_without_its_words() -> None:
    problem = Problem("s", 'no case is meant by match = "secret-*"')
    text = text_of(started(about(1)), problem, run("1"), RunEnded({}, 1.0, 2))
    assert "secret" not in text
    assert json.loads(text)["output"] == (
        "1 of 1 case passed.\n"
        "There is a problem with the tests themselves. Please tell the course staff."
    )


def test_several_subjects_are_refused() -> None:
    runs = [run("1", subject=name) for name in ("./a", "b\n", "c", "d")]
    with pytest.raises(NoReport) as caught:
        text_of(started(about(1)), *runs, ENDED)
    assert str(caught.value) == (
        "there are results of 4 subjects (./a, b\\n, c, ...), and Gradescope grades one submission;"
        " choose one with --subject"
    )


def test_what_is_left_is_worth_no_less_than_nothing() -> None:
    # Two results of one suite whose points changed in between, put together by hand.
    said = about(3, 1.0, worth=(Worth("1", 5.0, None, 0),))
    assert scores(started(said), run("1"))[1] == (0, 0)


# What a student sees.

SECRET = "s3cret"


def seen(document_: dict[str, Any]) -> str:
    """All that Gradescope shows of it while nothing is due or published."""
    tests = [test for test in document_["tests"] if test["visibility"] == "visible"]
    return json.dumps({**document_, "tests": tests})


@pytest.mark.parametrize("visibility", [each for each in Visibility if each.value != "visible"])
def test_of_a_hidden_case_a_student_sees_nothing(visibility: Visibility) -> None:
    hidden = Worth(f"{SECRET}-*", 1.0, visibility, 2)
    secrets = evidence(SECRET.encode(), SECRET.encode(), SECRET.encode())
    events: list[Event] = [
        run("1", Verdict.DIFFERS, evidence=evidence(b"[1]", b"[2]", b"[3]")),
        run(f"{SECRET}-1", Verdict.DIFFERS, message=SECRET, tags=(SECRET,), evidence=secrets),
        run(f"{SECRET}-2", Verdict.INVALID_CASE, message=SECRET),
        Problem("s", SECRET),
    ]
    found = graded(started(about(3, worth=(hidden,))), *events, RunEnded({}, 1.0, 2))
    assert [test["number"] for test in found["tests"]] == ["1", "H1", "H2"]
    assert SECRET in json.dumps(found)
    assert SECRET not in seen(found)
    # Not even how many there are, or how they went.
    assert found["output"] == (
        "0 of 1 case passed; others are not shown.\n"
        "There is a problem with the tests themselves. Please tell the course staff."
    )
    assert found["stdout_visibility"] == "hidden"


def test_what_all_tests_have_in_common_is_said_of_the_whole() -> None:
    found = graded(started(about(1, visibility=Visibility.AFTER_DUE_DATE)), run("1"), ENDED)
    assert (found["visibility"], found["tests"][0]["visibility"]) == ("after_due_date",) * 2
    assert found["output"] == ""


def test_a_failure_is_told_as_on_a_terminal_but_for_the_command_that_repeats_it() -> None:
    stdin = b'{"a": 1,\n "b": [' + b"2, " * 40 + b'"\x1b[2J\xff"]}\n'
    event = run(
        *("1", Verdict.DIFFERS),
        message="1 difference",
        exit=0,
        tags=("easy", "\x07"),
        repeat=("xtest", "run", "/autograder/source/s"),
        evidence=evidence(stdin, b"[1]", b"[2]"),
    )
    (test,) = graded(started(about(1)), event, ENDED)["tests"]
    lines = test["output"].splitlines()
    assert lines[0] == "differs: 1 difference"
    assert lines[1].startswith('    input      {"a": 1,\\n "b": [2, 2,')
    assert lines[2:5] == [
        "    expected   [1]",
        "    printed    [2]",
        "    ended      exit status 0, after 0.000 s",
    ]
    assert lines[5:] == [
        "The whole input:",
        '{"a": 1,',
        ' "b": [' + "2, " * 40 + '"\\x1b[2J\\xff"]}',
    ]
    assert test["tags"] == ["easy", "\\x07"]


@pytest.mark.parametrize(
    ("stdin", "is_repeated"),
    [
        (Bytes(b"[1]\n", 4), False),
        (Bytes(b"[1,\n2]\n", 7), True),
        (Bytes(b"1" * 4_096, 4_096), True),
        (Bytes(b"1" * 4_097, 4_097), False),
        (Bytes(b"1" * 4_000, 4_001), False),
    ],
)
def test_an_input_that_has_no_room_in_a_line_is_shown_again(
    stdin: Bytes, is_repeated: bool
) -> None:
    seen_of = evidence(b"", b"1", b"2")._replace(stdin=stdin)
    (test,) = graded(started(about(1)), run("1", Verdict.DIFFERS, evidence=seen_of), ENDED)["tests"]
    assert ("The whole input:" in test["output"]) == is_repeated


def test_a_program_that_prints_html_or_json_prints_text() -> None:
    nasty = b'"</script><script>alert(1)</script>\\u202e", "tests": ['
    event = run("1", Verdict.DIFFERS, evidence=evidence(b"1", b"[2]", nasty))
    found = graded(started(about(1)), event, ENDED)
    formats = (found[name] for name in ("output_format", "test_output_format", "test_name_format"))
    assert set(formats) == {"text"}
    assert len(found["tests"]) == 1


def test_a_document_is_bounded_whatever_was_printed() -> None:
    long = "x" * 50_000
    events: list[Event] = [run(str(case), Verdict.DIFFERS, message=long) for case in range(210)]
    found = graded(started(about(210)), *events, ENDED)
    lengths = [len(test["output"]) for test in found["tests"]]
    assert (max(lengths), lengths[-1]) == (20_000, 200)
    assert sum(lengths) < 5_000_000


def test_names_that_are_no_text_are_made_visible() -> None:
    (test,) = graded(started(about(1)), run("\udcff-1"), ENDED)["tests"]
    assert test["name"] == "s/\\udcff-1"


# Laws.

VERDICTS = st.sampled_from(
    [Verdict.PASSED, Verdict.DIFFERS, Verdict.CRASHED, Verdict.INVALID_CASE, Verdict.NOT_STARTED]
)


@given(
    st.lists(VERDICTS, min_size=1, max_size=30),
    st.integers(0, 10**5).map(lambda hundredths: hundredths / 100),
    st.lists(st.builds(Worth, st.just("*"), st.none() | st.just(0.25)), max_size=1),
    st.randoms(),
)
@settings(deadline=None)
def test_the_score_is_the_sum_of_the_tests_and_never_more_than_the_points(
    verdicts: list[Verdict], points: float, worth: list[Worth], random: Any
) -> None:
    """What a student adds up is what is at the top; full marks are exactly the points."""
    decided = tuple(each._replace(cases=len(verdicts) // 2) for each in worth if each.points)
    ranged = tuple(each._replace(match=f"1-{len(verdicts) // 2}") for each in decided)
    runs: list[Event] = [run(str(case), verdict) for case, verdict in enumerate(verdicts, start=1)]
    random.shuffle(runs)
    found = graded(started(about(len(verdicts), points, worth=ranged)), *runs, ENDED)
    exact: Callable[[float], Fraction] = lambda number: Fraction(repr(number))
    assert exact(found["score"]) == sum(exact(test["score"]) for test in found["tests"])
    whole = max(exact(points), Fraction(len(verdicts) // 2, 4) * len(ranged))
    assert sum(exact(test["max_score"]) for test in found["tests"]) == whole
    if set(verdicts) <= {Verdict.PASSED, Verdict.INVALID_CASE}:
        assert exact(found["score"]) == whole
