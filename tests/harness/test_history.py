"""The trend: what began to fail or to pass, since when; by events that are built here."""

from __future__ import annotations

import json
from pathlib import Path

from jsonschema import Draft202012Validator

from harness.events import Judged, Known, Problem, RunStarted
from harness.records import Verdict
from harness.report.text import PLAIN
from harness.several.history import History, history_json, history_lines
from harness.suites.bundled import schemas_folder

SCHEMA = json.loads(Path(schemas_folder(), "history.schema.json").read_text(encoding="utf-8"))

NAMES = ("suite", "subject", "delivery")
# How a case went, by a letter.
OUTCOMES = {"p": Verdict.PASSED, "d": Verdict.DIFFERS, "c": Verdict.CRASHED, "k": Verdict.DIFFERS}


def judged(case: str, letter: str, content: str = "00" * 8, **others: str) -> Judged:
    """A run of a case of the suite s by the subject x, with other names where they are given."""
    known = Known("why") if letter == "k" else None
    event = Judged("s", case, "x", "plain", OUTCOMES[letter], "", content=content, known=known)
    names = {name: others.get(name, getattr(event, name)) for name in NAMES}
    return event._replace(**names)


def history(*runs: dict[str, str]) -> History:
    """A history of runs, each of cases with letters."""
    found = History()
    for number, run in enumerate(runs, start=1):
        found.begin(RunStarted("0", f"2026-01-{number:02}", ("s",), 1, 1), f"r{number}")
        for case, letter in run.items():
            found.add(judged(case, letter))
    return found


def turns(found: History) -> list[tuple[str, str, str, str, int, int]]:
    """What changed: the case, its verdicts before and now, since when, in how many runs, and how
    often it changed."""
    return [
        (one.case, one.before, one.verdict, one.since, one.runs, one.changes)
        for one in found.changes()
    ]


def test_a_case_that_always_has_the_same_outcome_has_not_changed() -> None:
    found = history({"1": "p", "2": "d"}, {"1": "p", "2": "c"})
    assert not found.changes()
    assert not found.fell_behind


def test_what_began_to_fail_and_to_pass_is_dated_by_the_first_run_that_did() -> None:
    found = history(
        {"1": "p", "2": "c"}, {"1": "p", "2": "d"}, {"1": "d", "2": "p"}, {"1": "c", "2": "p"}
    )
    assert turns(found) == [
        ("1", "passed", "crashed", "2026-01-03", 2, 1),
        ("2", "differs", "passed", "2026-01-03", 2, 1),
    ]
    assert [one.fails for one in found.changes()] == [True, False]
    assert not found.fell_behind


def test_what_began_to_fail_in_the_newest_run_is_a_step_back() -> None:
    assert history({"1": "p"}, {"1": "d"}).fell_behind
    assert not history({"1": "p"}, {"1": "d"}, {"2": "p"}).fell_behind
    assert not history({"1": "d"}, {"1": "p"}).fell_behind
    assert not history({"1": "d"}).fell_behind
    assert not history().fell_behind


def test_a_run_without_a_case_says_nothing_of_it() -> None:
    found = history({"1": "p", "2": "p"}, {"2": "p"}, {"1": "d"}, {"2": "p"}, {"1": "d"})
    assert turns(found) == [("1", "passed", "differs", "2026-01-03", 2, 1)]


def test_what_comes_and_goes_says_how_often() -> None:
    found = history({"1": "p"}, {"1": "d"}, {"1": "p"}, {"1": "c"})
    assert turns(found) == [("1", "passed", "crashed", "2026-01-04", 1, 3)]


def test_a_known_failure_does_not_fail() -> None:
    assert not history({"1": "p"}, {"1": "k"}).changes()
    assert turns(history({"1": "k"}, {"1": "d"})) == [
        ("1", "differs", "differs", "2026-01-02", 1, 1)
    ]


def test_suites_subjects_and_deliveries_are_followed_each_by_itself() -> None:
    found = History()
    others: tuple[dict[str, str], ...] = ({"suite": "t"}, {"subject": "y"}, {"delivery": "slow"})
    for number, letter in enumerate("pd", start=1):
        found.begin(RunStarted("0", f"2026-01-{number:02}", ("s",), 1, 1), "r")
        found.add(Problem("s", "nothing that judges"))
        found.add(judged("1", "p"))
        for other in others:
            found.add(judged("1", letter, **other))
    assert [(one.suite, one.subject, one.delivery) for one in found.changes()] == [
        *(("s", "x", "slow"), ("s", "y", "plain"), ("t", "x", "plain"))
    ]
    lines = [(one.suite, one.subject, one.passed, one.failed) for one in found.suites()]
    assert lines == [("s", "x", 1, 1), ("s", "y", 0, 1), ("t", "x", 0, 1)]


def test_a_case_that_was_another_one_before_the_change_is_marked() -> None:
    found = History()
    contents = ("00" * 8, "11" * 8, "11" * 8, "")
    for case, before, after in (("1", 0, 1), ("2", 1, 2), ("3", 0, 3)):
        for letter, content in (("p", contents[before]), ("d", contents[after])):
            found.begin(RunStarted("0", "now", ("s",), 1, 1), "r")
            found.add(judged(case, letter, content))
    assert {one.case: one.case_changed for one in found.changes()} == {
        "1": True,
        "2": False,
        "3": False,
    }


TREND = history(
    {"3": "c", "7": "p", "10": "p", "11": "p", "12": "k"},
    {"3": "p", "7": "d", "10": "p", "11": "d", "12": "k"},
    {"3": "p", "7": "d", "10": "d", "11": "p", "12": "k"},
)


def test_people_read_the_runs_the_suites_and_the_changes() -> None:
    assert list(history_lines(TREND, PLAIN)) == [
        "started     judged  passed  known  failed  began to fail  began to pass",
        "2026-01-01       5       3      1       1              0              0",
        "2026-01-02       5       2      1       2              2              1",
        "2026-01-03       5       2      1       2              1              1",
        "",
        "suite  subject  in runs  pass now  fail now  began to fail  began to pass",
        "s      x              3         3         2              2              2",
        "",
        "began to fail: 2",
        "    s/10  x  differs since 2026-01-03 (1 run), passed before",
        "    s/7  x  differs since 2026-01-02 (2 runs), passed before",
        "",
        "began to pass: 2",
        "    s/11  x  passed since 2026-01-03 (1 run), differs before; changed 2 times",
        "    s/3  x  passed since 2026-01-02 (2 runs), crashed before",
        "",
        "1 began to fail in the newest of 3 runs",
    ]


def test_where_nothing_changed_that_is_all_there_is_to_say() -> None:
    assert list(history_lines(history({"1": "p"}), PLAIN)) == [
        "started     judged  passed  known  failed  began to fail  began to pass",
        "2026-01-01       1       1      0       0              0              0",
        "",
        "suite  subject  in runs  pass now  fail now  began to fail  began to pass",
        "s      x              1         1         0              0              0",
        "",
        "nothing began to fail in the newest of 1 run",
    ]


def test_names_and_times_from_files_are_safe_on_a_terminal_and_bounded() -> None:
    found = History()
    for letter, content in (("p", "00" * 8), ("d", "11" * 8)):
        found.begin(RunStarted("0", "\x1b[2J" + "9" * 99, (), 1, 1), "r")
        found.add(judged("\r1", letter, content, suite="s" * 99, delivery="\u202eslow"))
    lines = list(history_lines(found, PLAIN))
    assert max(map(len, lines)) < 300
    assert all(line.isprintable() for line in lines)
    (change,) = (line for line in lines if line.startswith("    "))
    assert "fed \\u202eslow  differs since \\x1b[2J999" in change
    assert change.endswith("passed before; the case changed, too")


def test_programs_read_json_that_keeps_its_schema() -> None:
    text = history_json(TREND)
    whole = json.loads(text)
    assert text.isascii()
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(SCHEMA).validate(whole)
    assert whole["format"] == 1
    assert whole["runs"][1] == {
        **{"started": "2026-01-02", "file": "r2", "passed": 2, "known": 1, "failed": 2},
        **{"began_to_fail": 2, "began_to_pass": 1},
    }
    assert whole["suites"] == [
        {
            **{"suite": "s", "subject": "x", "runs": 3, "passed": 3, "failed": 2},
            **{"began_to_fail": 2, "began_to_pass": 2},
        }
    ]
    assert whole["changes"][0] == {
        **{"suite": "s", "subject": "x", "case": "10", "delivery": "plain", "fails": True},
        **{"verdict": "differs", "before": "passed", "run": 2, "since": "2026-01-03"},
        **{"runs": 1, "changes": 1, "case_changed": False},
    }


def test_what_is_kept_grows_with_the_cases_and_not_with_the_runs() -> None:
    found = history(*({"1": "pd"[number % 2], "2": "p"} for number in range(300)))
    assert len(found.changes()) == 1
    assert len(vars(found)["_states"]) == 2
