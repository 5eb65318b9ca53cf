"""What pytest says of cases: failures, known failures, broken cases, suites and folders; JUnit."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from plugged import plugged, suite

pytest_plugins = ["pytester"]

KNOWN = """
program = "cat"
[[known]]
match = "known-*"
reason = "not done yet"
link = "https://example.org/1"
verdicts = ["differs"]
"""
FAILING = "sh -c 'cat; echo wrong >&2; exit 3'"


@pytest.fixture(name="folder")
def _folder(pytester: pytest.Pytester) -> pytest.Pytester:
    """A suite with a case of each kind, for cat."""
    known = {"known_1": ("1", "2"), "known_2": ("1", "1"), "known_3": ("1", "1 2")}
    suite(pytester.path / "s", KNOWN, _1=("1", "1"), _2=("{", "1"), **known)
    return pytester


def test_a_failure_is_told_in_the_words_of_xtest_run(pytester: pytest.Pytester) -> None:
    suite(pytester.path / "s", "", _1=('{"a": [1, 2]}', '{"a": [1, 3], "b": 4}'))
    result = plugged(pytester, "--xtest-suite", "s", "--xtest-subject", FAILING)
    begin = next(at for at, line in enumerate(result.outlines) if line.startswith("____"))
    lines = [line for line in result.outlines[begin:-1] if "ended" not in line]
    assert lines == [
        " s/1 ".center(80, "_").rstrip(),
        "differs  s/1  2 differences, the first at /0/a/1: 3 expected, 2 printed; the exit status"
        " is 3, not 0",
        '    input      {"a": [1, 2]}',
        '    expected   {"a": [1, 3], "b": 4}',
        '    printed    {"a": [1, 2]}',
        "    - expected, + printed",
        "      {",
        '        "a": [',
        "          1",
        "    -     3  at /0/a/1",
        "    +     2",
        "        ]",
        '    -   "b": 4  at /0/b',
        "      }",
        " Captured stderr call ".center(80, "-"),
        "wrong",
        " repeat ".center(80, "-"),
        f"xtest run s --case 1 -- sh -c {FAILING[6:]}",
        " short test summary info ".center(80, "="),
        "FAILED s::1 - differs: 2 differences, the first at /0/a/1: 3 expected, 2 prin...",
    ]


def test_each_kind_of_case_has_its_outcome(folder: pytest.Pytester) -> None:
    result = plugged(folder, "--xtest-suite", "s", "-rA", "-vv")
    result.assert_outcomes(passed=1, errors=1, xfailed=1, failed=2)
    listed = "not done yet, https://example.org/1"
    # Before pytest 9 it put a word in front of the reason.
    summary = [line.replace(" - reason: ", " - ") for line in result.outlines[-6:-1]]
    assert summary == [
        "PASSED s::1",
        f"XFAIL s::known-1 - differs: {listed}",
        "ERROR s::2 - invalid-case: 2-in.json is cut short at byte 1 (line 1, column 2): the text"
        ' ends inside an object; here: {-->; if that is meant, declare input = "raw" in suite.toml',
        "FAILED s::known-2 - passed: passed, but is listed as a known failure",
        "FAILED s::known-3 - too-few: 2 values expected, 1 printed; those are right",
    ]
    assert (
        f"passed  s/known-2  but it is listed as a known failure ({listed}): take it out of"
        " [[known]] in suite.toml"
    ) in result.outlines
    assert f"    known      otherwise than this: {listed}" in result.outlines


def test_runxfail_makes_failures_of_known_ones(folder: pytest.Pytester) -> None:
    result = plugged(folder, "--xtest-suite", "s", "--runxfail", "s::known-1")
    result.assert_outcomes(failed=1)
    assert "    known      not done yet, https://example.org/1" in result.outlines


def test_what_is_wrong_with_a_folder_is_an_error_beside_its_cases(
    pytester: pytest.Pytester,
) -> None:
    suite(pytester.path / "s", 'program = "cat"', _1=("1", "1"))
    (pytester.path / "s" / "2_in.json").touch()
    result = plugged(pytester, "--xtest-suite", "s")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["*ERROR at setup of s: <problem 1>*", '"2_in.json" looks like a file of a case, and *']
    )


def test_a_suite_that_cannot_be_used_is_an_error_of_collection(pytester: pytest.Pytester) -> None:
    suite(pytester.path / "s", "exti = 1", _1=("1", "1"))
    result = plugged(pytester, "--xtest-suite", "s", "--xtest-subject", "cat")
    result.assert_outcomes(errors=1)
    assert result.ret == 2
    result.stdout.fnmatch_lines(
        ["*ERROR collecting s *", 's/suite.toml: unknown key "exti"; did you mean "exit"?*']
    )


def test_colours_are_pytests_own_and_what_a_subject_prints_has_none(
    pytester: pytest.Pytester,
) -> None:
    suite(pytester.path / "s", "", _1=("1", "2"))
    loud = r"printf '\033[31m3'; printf '\033[31mloud\n::error::no\n' >&2"
    words = ("--xtest-suite", "s", "--xtest-subject", f'sh -c "{loud}"')
    plain, coloured, far = (
        plugged(pytester, *words, option, *more)
        for option, more in (("--color=no", ()), ("--color=yes", ()), ("--color=yes", ("-n1",)))
    )
    assert "\x1b" not in plain.stdout.str()
    assert r"\x1b[31mloud" in plain.outlines
    assert r":\x3aerror::no" in plain.outlines  # nothing that a CI server obeys
    head = "\x1b[31mmalformed\x1b[0m  \x1b[1ms/1\x1b[0m  "
    for result in (coloured, far):
        assert any(line.startswith(head) for line in result.outlines)


def test_junit_has_the_differences_and_how_to_repeat_them(folder: pytest.Pytester) -> None:
    words = ("--xtest-suite", "s", "--xtest-subject", FAILING, "-o", "junit_logging=all")
    for more in ((), ("-n", "1")):
        plugged(folder, *words, "--junitxml=j.xml", "s::1", "s::2", *more)
        tests = ElementTree.parse(folder.path / "j.xml").findall(".//testcase")
        assert [(test.get("classname"), test.get("name")) for test in tests] == [
            ("s", "1"),
            ("s", "2"),
        ]
        failure, error = tests[0].find("failure"), tests[1].find("error")
        assert failure is not None and error is not None
        assert failure.get("message") == (
            "exit-status: the values are right, but the exit status is 3, not 0"
        )
        assert (failure.text or "").startswith("exit-status  s/1  ")
        assert "wrong" in tests[0].findtext("system-err", "")
        properties = {each.get("name"): each.get("value") for each in tests[0].iter("property")}
        assert properties == {
            "xtest_subject": "sh",
            "xtest_verdict": "exit-status",
            "xtest_repeat": f"xtest run s --case 1 -- sh -c {FAILING[6:]}",
        }
