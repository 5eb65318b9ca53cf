"""The fixture `xtest`: one case, one input."""

from __future__ import annotations

import pytest
from plugged import plugged, suite

pytest_plugins = ["pytester"]

TESTS = """
import os, pytest
from harness.pytesting import MISSING, Difference, Outcome, Verdict, Xtest
from harness.usage import UsageFault


def test_a_case_that_passes(xtest: Xtest) -> None:
    outcome = xtest.case("s", 1)
    assert outcome.passed and outcome.verdict is Verdict.PASSED
    assert outcome.values == [{"a": 1, "b": 2.5}]
    assert (outcome.exit, outcome.stderr, outcome.differences) == (0, b"", [])
    assert outcome.text == "passed  s/1  as expected\\n    repeat     xtest run s --case 1"


def test_a_case_that_differs(xtest: Xtest) -> None:
    outcome: Outcome = xtest.case("s", "bad-1", delivery="slow")
    assert outcome.verdict is Verdict.DIFFERS and not outcome.passed
    assert outcome.message == "2 differences, the first at /0/0: 2 expected, 1 printed"
    assert outcome.differences == [
        Difference("/0/0", 2, 1), Difference("/0/1", [None, 4.0], MISSING)
    ]
    assert "repeat     xtest run s --case bad-1 --deliver slow" in outcome.text
    assert repr(outcome) == f"<differs: {outcome.message}>"


def test_a_broken_case_is_a_verdict(xtest: Xtest) -> None:
    assert xtest.case("s", 2).verdict is Verdict.INVALID_CASE
    assert xtest.case("s", 2).values == []


def test_an_input(xtest: Xtest) -> None:
    assert xtest.input([1, "é", {"x": []}], subject="cat").values == [1, "é", {"x": []}]
    assert xtest.input("1 2", [1, 2], subject=["cat"]).passed
    outcome = xtest.input(b"1", "[1]", suite="s")
    assert outcome.verdict is Verdict.DIFFERS
    assert "repeat" not in outcome.text


def test_an_input_of_which_nobody_says_what_is_right(xtest: Xtest) -> None:
    assert xtest.input("7 [", subject="cat").verdict is Verdict.MALFORMED
    assert xtest.input("7 [", subject="cat").values == [7]
    failed = xtest.input("", subject="sh -c 'echo 1; echo no >&2; exit 3'")
    assert failed.verdict is Verdict.EXIT_STATUS
    assert (failed.exit, failed.stdout, failed.stderr) == (3, b"1\\n", b"no\\n")
    killed = xtest.input("", subject="sh -c 'kill -9 $$'")
    assert (killed.verdict, killed.exit) == (Verdict.CRASHED, None)


def test_a_suite_lends_its_limits_and_its_way_of_comparing(xtest: Xtest) -> None:
    assert xtest.input("1.0", "1", suite="lax", subject="cat").passed
    assert xtest.input("", suite="lax", subject="sleep 60").verdict is Verdict.SILENT


def test_the_environment_is_that_of_the_test(xtest: Xtest, monkeypatch) -> None:
    monkeypatch.setenv("NOTE", "5")
    assert xtest.input("", subject=["sh", "-c", "echo $NOTE"]).values == [5]


@pytest.mark.parametrize(("words", "more", "message"), [
    (("s", 9), {}, "s: 9 means no case of this suite"),
    (("s", "*"), {}, "s: * means 3 cases of this suite"),
    (("s", 1), {"delivery": "all"}, "xtest: one delivery at a time, not all"),
    (("s", 1), {"delivery": "value-by-value"}, "s/1: cannot be fed value-by-value"),
    (("s", 1), {"delivery": "x"}, 'unknown delivery "x"; known: '),
    (("lax", 1), {}, "lax: no suite.toml names its program, so say which one to run: "),
    ((".", 1), {"subject": "cat"}, "xtest: several suites are meant: "),
])
def test_faults(xtest: Xtest, words, more, message) -> None:
    with pytest.raises(UsageFault) as fault:
        xtest.case(*words, **more)
    assert str(fault.value).startswith(message)


def test_faults_of_inputs(xtest: Xtest) -> None:
    with pytest.raises(UsageFault, match="say which program to run: subject= or suite="):
        xtest.input("")
    with pytest.raises(UsageFault, match="expected: byte 1: the text ends inside an array"):
        xtest.input("", "[", subject="cat")


"""


def test_the_fixture_runs_cases_and_inputs(pytester: pytest.Pytester) -> None:
    cat = 'program = "cat"'
    good = '{"a": 1, "b": 2.5}'
    suite(
        pytester.path / "s", cat, _1=(good, good), _2=("{", "1"), bad_1=("[1]", "[2, [null, 4.0]]")
    )
    lax = '[limits]\nwall_s = 0.3\n[compare]\nnumbers = "value"'
    suite(pytester.path / "lax", lax, _1=("1", "1"))
    pytester.makepyfile(test_own=TESTS)
    result = plugged(pytester)
    assert result.ret == 0, result.stdout.str()
    result.assert_outcomes(passed=15)


def test_the_subject_of_the_options_is_the_fixtures_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_own(xtest):\n    assert xtest.input('1').values == [1]\n")
    plugged(pytester, "--xtest-subject", "cat").assert_outcomes(passed=1)
    several = plugged(pytester, "--xtest-subject", "cat", "--xtest-subject", "sh -c cat")
    several.stdout.fnmatch_lines(
        ["*UsageFault: xtest: say which subject to run, by subject=: cat, sh"]
    )


FAULTS = """
import pytest


def test_a_program_for_a_suite(xtest):
    xtest.case("cat", 1)


def test_a_file_for_a_suite(xtest):
    xtest.case("./prog", 1)


def test_a_space(xtest):
    assert xtest.input("1", subject=["./prog --wire"]).passed


def test_no_program(xtest):
    xtest.case("lax", 1)


def test_no_subject(xtest):
    xtest.input("1")
"""


def test_a_fault_of_a_call_is_shown_at_the_call_in_words_that_fit_it(
    pytester: pytest.Pytester,
) -> None:
    suite(pytester.path / "lax", "", _1=("1", "1"))
    (pytester.path / "prog").write_text("#!/bin/sh\ncat\n", encoding="ascii")
    pytester.makepyfile(test_own=FAULTS)
    result = plugged(pytester)
    result.assert_outcomes(failed=5)
    told = result.stdout.str()
    assert "fixture.py" not in told and "choosing.py" not in told
    assert "behind --" not in told and "xtest run" not in told
    result.stdout.fnmatch_lines(
        [
            *('>       xtest.case("cat", 1)', "*; a program under test is said by subject="),
            *('>       xtest.case("./prog", 1)', "*a file; a suite is a folder; a program under*"),
            "*words of their own: subject=[[]PROGRAM, ...[]]*",
            "*UsageFault: lax: *, so say which one to run: subject=, or --xtest-subject COMMAND",
            "*UsageFault: xtest.input: say which program to run: subject= or suite=",
        ]
    )
