"""The text of runs on terminals and in pipes: golden files, rules of details, and safety laws."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.events import ENDED, STREAM, bytes_of, evidence, evidence_of, run
from support.golden import Golden

from harness.analysis.failure_kinds import FailureKinds
from harness.analysis.summary import Groups
from harness.authoring.mutation_score import MutantFinding, MutantOutcome
from harness.model.events import Event, Evidence, Excerpt, RunEnded
from harness.model.judgement import ShownDifference
from harness.model.verdict import Verdict
from harness.reports.terminal import console
from harness.reports.terminal.console import failure_summary_lines
from harness.reports.terminal.mutation_score import mutation_score_lines, score
from harness.reports.text.differences import difference_lines
from harness.reports.text.display import (
    PLAIN,
    Display,
    align_columns,
    coloured,
    display_for,
    table_width,
)
from harness.reports.text.events import closing_lines, failure_lines, stderr_lines
from harness.text import cells

RERUN = ("xtest", "run", "s", "--", "./p")


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, verbosity: int, *events: Event) -> str:
    reporter = console.ConsoleReporter(stream, verbosity, rerun=RERUN)
    for event in events:
        reporter.show(event)
    reporter.close()
    return stream.getvalue()


@pytest.mark.parametrize("width", [50, 80, 160])
@pytest.mark.parametrize("colour", [False, True])
def test_a_terminal_shows_what_is_recorded(
    width: int, golden: Golden, monkeypatch: pytest.MonkeyPatch, *, colour: bool
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("CLICOLOR", str(int(colour)))
    text = shown(Screen(), console.Verbosity.VERBOSE, *STREAM)
    golden(f"terminal-{width}{'-colour' if colour else ''}.txt", text.replace("\x1b", "␛"))


@pytest.mark.parametrize("verbosity", console.Verbosity)
def test_a_pipe_shows_what_is_recorded(verbosity: console.Verbosity, golden: Golden) -> None:
    golden(f"pipe-{verbosity.name.lower()}.txt", shown(io.StringIO(), verbosity, *STREAM))


def test_colours_follow_the_environment(monkeypatch: pytest.MonkeyPatch, golden: Golden) -> None:
    def coloured_streams(variables: dict[str, str]) -> str:
        with monkeypatch.context() as patched:
            for name, value in {"TERM": "xterm", **variables}.items():
                patched.setenv(name, value)
            streams = {"terminal": Screen(), "pipe": io.StringIO()}.items()
            return " ".join(name for name, each in streams if display_for(each).style is coloured)

    golden.table("colours.txt", coloured_streams)


def test_the_closing_line_says_how_it_went(golden: Golden) -> None:
    display = Display(lambda text, role: f"<{role}>{text}")

    def closing_line(fields: dict[str, Any]) -> str:
        problems = fields.pop("problems", 0)
        ended = RunEnded(**{"wall_s": 1.0, "exit": 1, **fields})
        return "\n".join(closing_lines(Groups(), ended, display, problems=problems))

    golden.table("closing.txt", closing_line)


@pytest.mark.parametrize("failing", [0, 1, 30])
def test_a_long_table_has_only_rows_with_failures(failing: int) -> None:
    counts, ended = Groups(), RunEnded({"passed": 30}, 1.0, 1)
    for suite in ("s", "t"):
        for number in range(15):
            verdict = Verdict.CRASHED if number < failing and suite == "t" else Verdict.PASSED
            counts.add(run("1", verdict, suite=suite, subject=f"x{number}"))

    def table(most_lines: int | None) -> list[str]:
        return [*closing_lines(counts, ended, Display(most_lines=most_lines), 80)][1:-2]

    assert len(table(30)) == len(table(None)) == 31
    *rows, _, note = [*closing_lines(counts, ended, Display(most_lines=29), 80)][:-1]
    failed = min(failing, 15)
    assert len(rows) == (failed + 2 if failed else 0)
    left_out = f"left out: {30 - failed} rows without failures"
    assert note == f"{left_out}; {15 - failed} of 15 subjects have none"


@pytest.mark.parametrize(
    ("lines", "in_full", "numbers", "note"),
    [
        (12, False, [*range(12)], None),
        (13, False, [*range(5), *range(7, 13)], "... (2 more lines; see --full)"),
        (100, False, [*range(5), *range(94, 100)], "... (89 more lines; see --full)"),
        (200, True, [*range(200)], None),
        (300, True, [*range(99), *range(200, 300)], "... (101 more lines)"),
    ],
)
def test_long_stderr_keeps_its_beginning_and_its_end(
    lines: int, in_full: bool, numbers: list[int], note: str | None
) -> None:
    stderr = bytes_of("\n".join(map(str, range(lines))))
    found = [line[15:] for line in stderr_lines(stderr, PLAIN, 80, in_full=in_full)]
    assert [int(line) for line in found if line.isdecimal()] == numbers
    assert [line for line in found if not line.isdecimal()] == ([note] if note else [])


@pytest.mark.parametrize(
    ("expected", "actual", "is_listed"),
    [
        ("[1]", "[2]", False),
        ("[1,1]", "[2,2]", True),
        (f"[{'1,' * 99}1]", "[1]", True),
        ('"\u00e9"', '"e\u0301"', True),
    ],
)
def test_a_single_visible_difference_is_not_listed_again(
    expected: str, actual: str, is_listed: bool
) -> None:
    event = run("1", Verdict.DIFFERS, evidence=evidence_of(expected, actual))
    text = "\n".join(failure_lines(event, Display(width=80)))
    assert ("- expected, + printed" in text) == is_listed


def test_few_failures_have_no_summary_and_many_kinds_are_bounded() -> None:
    def summary(number: int) -> list[str]:
        failures = FailureKinds()
        for at in range(number):
            failures.add(run(str(at), Verdict.SILENT, message=f"kind {at} of it"))
        return [*failure_summary_lines(failures, RERUN, PLAIN, 100)]

    assert not summary(3)
    assert not any("kind" in line for line in summary(12))
    lines = summary(2_000)
    assert lines[2] == "1,500  in other ways"
    assert lines[3].startswith("       s/500, s/501, s/502, s/503, ") and lines[5].endswith(", ...")
    assert lines[13] == "    493 in 493 other ways"
    assert len(lines) == 19


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (
            "{}-in.json is cut short at byte 3: the text ends",
            "*-in.json is cut short: the text ends",
        ),
        ("{}-in.json has no {}-out.json; add it", "*-in.json has no *-out.json"),
        ("cases.jsonl, line 1,2{} is not a case", "cases.jsonl, line * is not a case"),
    ],
)
def test_broken_cases_are_of_one_kind_whatever_their_names(message: str, kind: str) -> None:
    failures = FailureKinds()
    for number in range(20, 24):
        broken = message.format(number, number)
        failures.add(run(f"folder/{number}", Verdict.INVALID_CASE, message=broken))
    assert [key.message for key in failures.kinds] == [kind]


def test_of_very_many_failures_of_a_kind_the_first_are_named_and_all_are_counted() -> None:
    failures = FailureKinds()
    for number in range(3_000, 0, -1):
        failures.add(run(str(number), Verdict.CRASHED, message="killed"))
    kind = next(iter(failures.kinds.values()))
    assert kind.others() == "and 2,999 more like it: s/2, s/3, s/4, ..."
    assert kind.examples() == "s/1, s/2, s/3, ..."


def test_equal_failures_are_shown_once_listed_in_brief_and_then_counted(golden: Golden) -> None:
    failures = [
        run(str(at), Verdict.CRASHED, message="killed", repeat=("xtest", "run", "s"))
        for at in range(1, 41)
    ]
    differing = [
        run(f"d{at}", Verdict.DIFFERS, message=f"/n: 1 expected, {at} printed", evidence=seen)
        for at in range(2, 5)
        for seen in [evidence(ShownDifference("/0/n", "1", str(at)))]
    ]
    missing = [run(f"m{at}", Verdict.NOT_STARTED, message="no such file") for at in range(3)]
    stream: list[Event] = [*missing, *failures, *differing, ENDED]
    verbosities = console.Verbosity.NORMAL, console.Verbosity.QUIET
    texts = [shown(io.StringIO(), verbosity, *stream) for verbosity in verbosities]
    golden("folded.txt", "\n".join(texts))
    reporter = console.ConsoleReporter(full := io.StringIO(), console.Verbosity.NORMAL, full=True)
    for event in stream:
        reporter.show(event)
    assert full.getvalue().count("    rerun ") == 43


def test_the_summary_groups_kinds_and_suggests_commands(golden: Golden) -> None:
    failures = FailureKinds()
    status = "the exit status is 1, not 0, and nothing was printed; its standard error"
    differing = [ShownDifference(f"/{n}/winner", "1", "2") for n in range(5)]
    messages = [
        *(f"{status} ends: KeyError: '{n}'" for n in range(3)),
        "3 values expected, 2 printed; /2 is missing",
        *("printed nothing within 3 s (0.01 s used)", "printed nothing within 3 s (0.02 s used)"),
    ]
    for number, message in enumerate(messages):
        subject = ("x", "y")[number % 2]
        failures.add(run(str(number), Verdict.TOO_FEW, message=message, subject=subject))
    again = ("xtest", "run", "s0", "--case", "9", "--wall", "3", "--", "./p")
    for one in differing:
        message = "1 difference, ... printed (they differ in case only); (a hint)"
        seen = evidence(one, one)
        failures.add(run("9", Verdict.DIFFERS, message=message, repeat=again, evidence=seen))
    for at in (50, 60):
        message = f"1 difference, ... printed (they differ from character {at} on)"
        failures.add(run(f"{at}", Verdict.DIFFERS, message=message, evidence=evidence(*differing)))
    text = [
        *failure_summary_lines(failures, RERUN, PLAIN, 100),
        "",
        *failure_summary_lines(failures, RERUN, PLAIN, 30),
        "",
    ]
    golden("failure-summary.txt", "\n".join(text))


def test_equal_failures_without_output_raise_a_doubt_about_the_command() -> None:
    def output(*printed: int) -> str:
        message = "the exit status is 2, not 0; its standard error ends: no "
        failed = run("1", Verdict.EXIT_STATUS)
        failures = (
            failed._replace(message=f"{message}{at}", stdout_bytes=stdout_bytes)
            for at, stdout_bytes in enumerate(printed)
        )
        return shown(io.StringIO(), console.Verbosity.NORMAL, *failures)

    doubt = "note  3 runs of x failed in the same way and printed nothing: is the command right?"
    assert output(0, 0, 0, 0, 0).count(doubt) == 1
    assert doubt not in output(0, 0)
    assert doubt not in output(1, 0, 0, 0)


DEEP = evidence_of("[" * 50 + "1" + "]" * 50, "[" * 50 + "2" + "]" * 50)
MANY = evidence_of(json.dumps([0] * 1_000), json.dumps([1] * 1_000), 3)
SIDES = ("expected", "printed")
MOVED = evidence_of('{"a": [1, 2, 3, 4, 5], "b": true}', '{"a": [1, 3, 4, 9], "b": true}')


def test_differences_keep_to_the_screen(golden: Golden) -> None:
    screens = [
        (MOVED, Display(PLAIN, 100, None, True), SIDES),
        (MOVED, Display(PLAIN, 72, None, True), SIDES),
        (MOVED, Display(PLAIN, 100, 7, False), ("A", "B C")),
        (DEEP, Display(PLAIN, 120, 6, False), SIDES),
        (DEEP, Display(PLAIN, 120, 6, True), SIDES),
        (MANY, Display(PLAIN, 60, None, False), SIDES),
        (MANY, Display(PLAIN, 60, 4, False), SIDES),
    ]
    blocks = (map(str.rstrip, difference_lines(*each)) for each in screens)
    golden("differences.txt", "\n\n".join(map("\n".join, blocks)))


@given(st.binary(max_size=60), st.binary(max_size=60), st.text(max_size=20), st.integers(1, 120))
@example("⚪".encode() * 20, b"", "", 60)
@example(b"", "〰".encode() * 30, "", 67)
@settings(max_examples=100)
def test_lines_of_a_failure_are_printable_and_keep_to_the_width(
    stdout: bytes, stderr: bytes, pointer: str, width: int
) -> None:
    output, errors = Excerpt(stdout, len(stdout)), Excerpt(stderr, len(stderr))
    found = (ShownDifference(pointer, "1", None),)
    seen = Evidence(output, output, output, errors, found, 2)
    event = run("1", Verdict.DIFFERS, evidence=seen)
    lines = [*failure_lines(event, Display(PLAIN, width, None, True))]
    assert all(line.isprintable() for line in lines)
    assert max(map(cells, lines[2:])) <= max(width, 50)


def test_columns_of_wide_characters_are_aligned() -> None:
    rows = [("陳大文", "1"), ("abc", "22")]
    assert [*align_columns(rows, {0})] == ["陳大文   1", "abc     22"]
    assert table_width(rows) == 10


def test_a_mutation_score_is_what_is_recorded(golden: Golden) -> None:
    hidden = MutantFinding("/*/m", "empty", MutantOutcome.HIDDEN, (0,), reason="by x")
    findings = [
        MutantFinding("/*/ok", "null", MutantOutcome.KILLED, (0, 1, 2), (0, 2)),
        MutantFinding("", "prints nothing", MutantOutcome.KILLED, (0, 1), (1,)),
        MutantFinding("/0/\x1b", "always 1", MutantOutcome.SURVIVED, reason="a\x07"),
        *(hidden, hidden._replace(what="null"), hidden._replace(reason="by y")),
        MutantFinding("/*/m", "one more", MutantOutcome.NO_EFFECT),
        MutantFinding("/*/t", "always 1", MutantOutcome.NO_EFFECT, reason="by its schema"),
    ]
    names = [str(number) for number in range(1, 16)]
    shown_lines = [
        *mutation_score_lines(findings, names, verbose=False),
        score(findings),
        "",
        *mutation_score_lines(findings, names, verbose=True),
        "",
        *mutation_score_lines(findings[1:2], names[:2], verbose=True),
        score(findings[:1] * 9_999 + findings[2:3]),
        score(findings[:1]),
        score([]),
    ]
    golden("mutation-score.txt", "\n".join([*shown_lines, ""]))
