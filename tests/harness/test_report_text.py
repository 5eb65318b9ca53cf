"""What a person reads of a run: whole blocks of lines, harmless whatever a subject printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.events import (
    Bytes,
    DeliveriesDiffer,
    Evidence,
    Judged,
    Known,
    Problem,
    RunEnded,
    ShownDifference,
)
from harness.records import Verdict
from harness.report.text import (
    PLAIN,
    Look,
    Tally,
    closing_lines,
    delivery_lines,
    failure_lines,
    known_line,
    listing_lines,
    outgrown_line,
    passed_line,
    problem_lines,
)
from harness.suites.corpus import Suite
from harness.suites.naming import CaseName
from harness.suites.policy import SuiteSettings


def whole(data: bytes) -> Bytes:
    """Bytes of which nothing is left out."""
    return Bytes(data, len(data))


EVIDENCE = Evidence(
    stdin=whole(b'["here", 7]\n'),
    expected=whole(b'{"winners":["red","blue"]}\n'),
    stdout=whole(b'{"winners":["red","white"]}\n'),
    stderr=whole(b""),
    differences=(ShownDifference("/0/winners/1", '"blue"', '"white"'),),
    differences_total=1,
)
EVENT = Judged(
    suite="xboard",
    case="7",
    subject="./mine",
    delivery="plain",
    verdict=Verdict.DIFFERS,
    message='1 difference, the first at /0/winners/1: "blue" expected, "white" printed',
    exit=0,
    wall_s=0.0123,
    repeat=("xtest", "run", "xboard", "--case", "7", "--", "./mine"),
    evidence=EVIDENCE,
)


def marked(text: str, role: str) -> str:
    """A style that shows itself."""
    return f"<{role}>{text}</{role}>"


def block(event: Judged, width: int = 100) -> str:
    """What is shown of a run that did not pass."""
    return "\n".join(failure_lines(event, PLAIN, width))


def test_a_run_that_passed_takes_one_line() -> None:
    event = EVENT._replace(verdict=Verdict.PASSED, case="bad\x1b-7")
    assert passed_line(event, PLAIN) == "passed  xboard/bad\\x1b-7  12 ms"
    assert passed_line(event, marked) == "<good>passed</good>  xboard/bad\\x1b-7  12 ms"
    cached = event._replace(cached=True)
    assert passed_line(cached, PLAIN) == "passed  xboard/bad\\x1b-7  12 ms (cached)"


def test_a_known_failure_takes_one_line_and_so_does_one_that_passes() -> None:
    known = Known("no ties\nyet", "https://example.org/\x1b7")
    assert known_line(EVENT, known, PLAIN) == (
        "known  xboard/7  differs: no ties\\nyet, https://example.org/\\x1b7"
    )
    passed = EVENT._replace(verdict=Verdict.PASSED)
    assert outgrown_line(passed, Known("no ties yet"), PLAIN) == (
        "passed  xboard/7  but it is listed as a known failure (no ties yet): take it out of"
        " [[known]] in suite.toml"
    )


def test_where_there_are_several_subjects_each_line_names_its_own() -> None:
    event, known = EVENT._replace(subject="./m\x1b " + "y" * 60), Known("why")
    differ = DeliveriesDiffer("s/7", "mine", 3, 4, "passes plain")
    by = " by ./m\\x1b yyyyyyyyyyyyyyyy … 68 characters"
    assert [
        passed_line(event, PLAIN, whose=True),
        known_line(event, known, PLAIN, whose=True),
        outgrown_line(event, known, PLAIN, whose=True).partition("  but ")[0],
        list(failure_lines(event._replace(message="m"), PLAIN, 99, Look(names_subject=True)))[1],
        list(delivery_lines(differ, PLAIN, whose=True))[1],
    ] == [
        f"passed  xboard/7{by}  12 ms",
        f"known  xboard/7{by}  differs: why",
        f"passed  xboard/7{by}",
        f"differs  xboard/7{by}  m",
        "deliveries  s/7 by mine  3 of 4 deliveries passed: passes plain",
    ]


def test_in_full_a_failure_says_what_is_known_of_it() -> None:
    lines = block(EVENT._replace(known=Known("no ties yet"))).splitlines()
    assert lines[-2] == "    known      no ties yet"
    lines = block(EVENT._replace(known=Known("no ties yet", holds=False))).splitlines()
    assert lines[-2] == "    known      otherwise than this: no ties yet"


def test_values_that_differ_where_one_look_shows_it() -> None:
    assert block(EVENT) == (
        "\n"
        "differs  xboard/7  1 difference, the first at /0/winners/1:"
        ' "blue" expected, "white" printed\n'
        '    input      ["here", 7]\n'
        '    expected   {"winners":["red","blue"]}\n'
        '    printed    {"winners":["red","white"]}\n'
        "    ended      exit status 0, after 0.012 s\n"
        "    repeat     xtest run xboard --case 7 -- ./mine"
    )


def test_values_that_differ_out_of_sight_or_in_several_places_are_listed() -> None:
    evidence = EVIDENCE._replace(
        stdin=whole(b""),
        expected=Bytes(b'{"many": "' + b"x" * 200, 70_000),
        stdout=whole(b"[" + b"1,\n" * 40 + b"1]"),
        stderr=whole(b"warning: \xff\n"),
        differences=(
            ShownDifference("/0/a", '"b"', '"c"'),
            ShownDifference("/0/k\ne", "[1," + "2," * 60 + "3]", None),
            ShownDifference("/1", None, "null"),
            ShownDifference("/2", None, "5"),
        ),
        differences_total=1_234,
    )
    assert block(EVENT._replace(message="many", evidence=evidence), width=60) == (
        "\n"
        "differs  xboard/7  many\n"
        "    input      (nothing)\n"
        '    expected   {"many": "xxxxxxxxxxxxxxxxxxxx … 70,000 bytes\n'
        "    printed    [1,\\n1,\\n1,\\n1,\\n1,\\n1,\\n1,\\n1,\\n … 123 bytes\n"
        "    - expected, + printed\n"
        '    - "b"  at /0/a\n'
        '    + "c"\n'
        "    - [1,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,…  at /0/k\\ne\n"
        "    + null  at /1\n"
        "    + 5  at /2\n"
        "    (and 1,230 more)\n"
        "    stderr     warning: \\xff\n"
        "    ended      exit status 0, after 0.012 s\n"
        "    repeat     xtest run xboard --case 7 -- ./mine"
    )


def test_a_program_that_crashed_with_a_traceback() -> None:
    trace = b"".join(b"  File line %d\n\n" % number for number in range(3)) + b"KeyError: 'x'\n"
    assert block(crashed(whole(trace))) == (
        "\n"
        "crashed  xboard/7  ended by SIGABRT, having printed nothing\n"
        '    input      ["here", 7]\n'
        '    expected   {"winners":["red","blue"]}\n'
        "    printed    (nothing)\n"
        "    stderr       File line 0\n"
        "                 File line 1\n"
        "                 File line 2\n"
        "               KeyError: 'x'\n"
        "    ended      by SIGABRT, after 0.012 s\n"
        "    repeat     xtest run xboard --case 7 -- ./mine"
    )


def crashed(stderr: Bytes) -> Judged:
    """A run that was ended by a signal, and had said this."""
    evidence = EVIDENCE._replace(
        stdout=whole(b""), stderr=stderr, differences=(), differences_total=0
    )
    said = "ended by SIGABRT, having printed nothing"
    event = EVENT._replace(verdict=Verdict.CRASHED, message=said, exit=None, signal="SIGABRT")
    return event._replace(evidence=evidence)


def said_of(stderr: Bytes, most_lines: int | None = 30) -> list[str]:
    """The lines that show standard error."""
    lines = list(failure_lines(crashed(stderr), PLAIN, 100, Look(most_lines)))
    return [line[15:] for line in lines[5:-2]]


def numbered(count: int) -> Bytes:
    """So many lines."""
    return whole(b"".join(b"%d\n" % number for number in range(count)))


def test_short_standard_error_is_shown_whole() -> None:
    """Node says at its beginning what went wrong, Python at its end."""
    assert said_of(numbered(12)) == [str(number) for number in range(12)]


def test_of_long_standard_error_both_ends_are_shown() -> None:
    rest = ["7", "8", "9", "10", "11", "12"]
    assert said_of(numbered(13)) == [
        "0",
        "1",
        "2",
        "3",
        "4",
        "... (2 more lines; see --full)",
        *rest,
    ]
    assert said_of(numbered(13), None) == [str(number) for number in range(13)]


def test_very_long_standard_error_is_not_shown_in_full_either() -> None:
    shown = said_of(numbered(1_000), None)
    assert len(shown) == 200
    assert shown[98:101] == ["98", "... (801 more lines)", "900"]


def test_of_standard_error_that_was_cut_there_is_no_beginning() -> None:
    shown = said_of(numbered(100)._replace(total=99_999))
    assert shown == [*map(str, range(88, 100)), "(the end of 99,999 bytes)"]


def test_without_differences_there_is_no_heading_for_them() -> None:
    flood = EVIDENCE._replace(stdout=Bytes(b"1\n" * 99, 2**40), differences=(), differences_total=0)
    event = EVENT._replace(verdict=Verdict.OUTPUT_LIMIT, message="m", evidence=flood)
    assert "- expected, + printed" not in block(event)


@pytest.mark.parametrize(
    ("verdict", "signal", "ending"),
    [
        (Verdict.SILENT, "SIGKILL", "by xtest"),
        (Verdict.STALLED, "SIGKILL", "by xtest"),
        (Verdict.CPU_LIMIT, "SIGXCPU", "by xtest"),
        (Verdict.MEMORY_LIMIT, "SIGKILL", "by xtest"),
        (Verdict.OUTPUT_LIMIT, "SIGKILL", "by xtest"),
        (Verdict.PROCESS_LIMIT, "SIGKILL", "by xtest"),
        (Verdict.CRASHED, "SIGKILL", "by SIGKILL"),
        (Verdict.OUTPUT_LIMIT, None, "exit status 0"),
        (Verdict.MALFORMED, None, "exit status 0"),
    ],
)
def test_a_program_that_xtest_killed_is_not_said_to_have_crashed(
    verdict: Verdict, signal: str | None, ending: str
) -> None:
    event = EVENT._replace(verdict=verdict, signal=signal, exit=None if signal else 0)
    assert f"    ended      {ending}, after 0.012 s" in block(event).splitlines()


def test_what_is_not_known_of_an_ending_is_not_made_up() -> None:
    event = EVENT._replace(verdict=Verdict.HARNESS_FAULT, exit=None)
    assert "    ended      not known, after 0.012 s" in block(event).splitlines()


def test_a_program_that_never_started_has_only_its_reason() -> None:
    event = EVENT._replace(verdict=Verdict.NOT_STARTED, message="./mine: permission denied")
    assert block(event) == (
        "\n"
        "not-started  xboard/7  ./mine: permission denied\n"
        "    repeat     xtest run xboard --case 7 -- ./mine"
    )


def test_an_invalid_case_cannot_be_repeated() -> None:
    event = EVENT._replace(
        verdict=Verdict.INVALID_CASE, message="7-in.json is an orphan", evidence=None
    )
    assert block(event) == "\ninvalid-case  xboard/7  7-in.json is an orphan"


def test_without_a_command_there_is_nothing_to_repeat() -> None:
    assert "repeat" not in block(EVENT._replace(repeat=()))


def test_colours_are_given_by_role() -> None:
    evidence = EVIDENCE._replace(stderr=Bytes(b"x\n", 99), differences_total=9)
    lines = list(failure_lines(EVENT._replace(message="m", evidence=evidence), marked, 100))
    assert lines[1] == "<bad>differs</bad>  <strong>xboard/7</strong>  m"
    assert lines[2] == '    <dim>input     </dim> ["here", 7]'
    assert lines[5:13] == [
        "    <dim>- expected, + printed</dim>",
        "      {",
        '        "winners": [',
        '          "red"',
        '    <good>-</good>     "<good>blu</good>e"<dim>  at /0/winners/1</dim>',
        '    <bad>+</bad>     "<bad>whit</bad>e"',
        "    <dim>(and 8 more)</dim>",
        "    <dim>stderr    </dim> x",
    ]
    assert lines[13] == "    <dim>          </dim> <dim>(the end of 99 bytes)</dim>"


@pytest.mark.parametrize("verdict", [Verdict.INVALID_CASE, Verdict.HARNESS_FAULT])
def test_what_is_not_the_subjects_fault_has_another_colour(verdict: Verdict) -> None:
    head = list(failure_lines(EVENT._replace(verdict=verdict), marked, 100))[1]
    assert head.startswith(f"<odd>{verdict.value}</odd>")


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        (whole(b"\n"), "\\n"),
        (whole(b" \n\n"), " "),
        (whole(b"1\n2\n"), "1\\n2"),
        (whole(b"\x1b]0;t\x07\x1b[2J"), "\\x1b]0;t\\x07\\x1b[2J"),
        (whole("a\u202eb\u2066".encode()), "a\\u202eb\\u2066"),
        (whole(b"caf\xe9 \xff"), "caf\\xe9 \\xff"),
        (whole("棋盤".encode()), "棋盤"),
        (Bytes(b"1", 17), "1 … 17 bytes"),
        (Bytes(b"", 17), " … 17 bytes"),
        (Bytes(b"x" * 65_536, 2**40), "xxxxxxxxxxxxxxxxxxx…"),
        (whole("棋".encode() * 21), "棋棋棋棋棋棋棋棋棋 … 63 bytes"),
        (whole(b"x" * 20), "x" * 20),
        (whole("棋".encode() * 400), "棋" * 19 + "…"),
    ],
)
def test_a_stream_is_one_visible_line_that_says_what_is_left_out(
    printed: Bytes, shown: str
) -> None:
    event = EVENT._replace(evidence=EVIDENCE._replace(stdout=printed))
    line = block(event, width=1).splitlines()[4]
    assert line == f"    printed    {shown}"


BYTES = st.builds(
    lambda data, more: Bytes(data, len(data) + more),
    st.one_of(
        st.binary(max_size=300), st.text(max_size=90).map(lambda t: t.encode("utf-8", "ignore"))
    ),
    st.sampled_from([0, 1, 2**45]),
)


@given(BYTES, BYTES, st.text(max_size=200), st.integers(0, 200))
@settings(deadline=None)
def test_whatever_was_printed_lines_are_printable_and_keep_to_the_width(
    stdout: Bytes, stderr: Bytes, text: str, width: int
) -> None:
    """Nothing of a subject acts on a terminal; only a line for pasting may be longer."""
    found = (ShownDifference(text, text, None),) * 2
    evidence = Evidence(stdout, stdout, stdout, stderr, found, 2)
    event = EVENT._replace(evidence=evidence, message=text, repeat=(text.replace("\ud800", ""),))
    lines = list(failure_lines(event, PLAIN, width))
    assert all(line.isprintable() for line in lines)
    assert max(map(len, lines[2:-1])) <= max(width, 55)


def test_a_command_to_repeat_is_visible_and_can_still_be_pasted() -> None:
    event = EVENT._replace(repeat=("xtest", "run", "--", "python3", "-c", "print(1)\nprint('2')"))
    assert block(event).splitlines()[-1] == (
        r"    repeat     xtest run -- python3 -c $'print(1)\nprint(\'2\')'"
    )


def test_a_problem_takes_one_line() -> None:
    problem = Problem("s\x07", "its suite.toml\nis wrong")
    assert list(problem_lines(problem, marked)) == [
        "<odd>problem</odd>  s\\x07: its suite.toml\\nis wrong"
    ]


# The end.


def test_the_table_counts_by_suite_and_subject_in_natural_order() -> None:
    tally = Tally()
    for suite, verdict in (
        ("x10", Verdict.PASSED),
        ("x9", Verdict.PASSED),
        ("x9", Verdict.DIFFERS),
        ("x9", Verdict.FLAKY),
        ("x9", Verdict.INVALID_CASE),
        ("x9", Verdict.HARNESS_FAULT),
    ):
        tally.add(EVENT._replace(suite=suite, verdict=verdict))
    tally.add(EVENT._replace(suite="x9", subject="s\x1b" + "y" * 60, verdict=Verdict.SILENT))
    ended = RunEnded({"passed": 2, "differs": 1}, 1.25, 2)
    assert "\n".join(closing_lines(tally, ended, PLAIN)) == (
        "\n"
        "suite  subject                                   cases  passed  failed  broken\n"
        "x9     ./mine                                        5       1       2       2\n"
        "x9     s\\x1byyyyyyyyyyyyyyyyyyy … 65 characters      1       0       1       0\n"
        "x10    ./mine                                        1       1       0       0\n"
        "\n"
        "2 of 3 passed in 1.2 s: 1 differs"
    )


def test_in_the_table_rows_with_failures_stand_out() -> None:
    tally = Tally()
    tally.add(EVENT)
    tally.add(EVENT._replace(suite="xtiles", verdict=Verdict.PASSED))
    assert list(closing_lines(tally, RunEnded({"passed": 1}, 0.0, 0), marked)) == [
        "",
        "<dim>suite   subject  cases  passed  failed  broken</dim>",
        "<bad>xboard  ./mine       1       0       1       0</bad>",
        "xtiles  ./mine       1       1       0       0",
        "",
        "<good>all 1 passed in 0.0 s</good>",
    ]


def test_known_failures_have_a_column_where_there_are_some() -> None:
    tally = Tally()
    tally.add(EVENT._replace(known=Known("why")))
    tally.add(EVENT._replace(known=Known("why", holds=False)))
    tally.add(EVENT._replace(suite="xtiles", known=Known("why")))
    assert list(closing_lines(tally, RunEnded({"differs": 3}, 0.0, 1), marked))[1:4] == [
        "<dim>suite   subject  cases  passed  known  failed  broken</dim>",
        "<bad>xboard  ./mine       2       0      1       1       0</bad>",
        "xtiles  ./mine       1       0      1       0       0",
    ]


@pytest.mark.parametrize(
    ("ended", "sentence"),
    [
        (RunEnded({"passed": 1_234}, 61.25, 0), "<good>all 1,234 passed in 61.2 s</good>"),
        (
            RunEnded({"passed": 3}, 1.0, 2),
            "<odd>all 3 passed in 1.0 s, but there were problems</odd>",
        ),
        (
            RunEnded({"crashed": 1_000, "passed": 2, "differs": 1}, 1.0, 1),
            "<bad>2 of 1,003 passed in 1.0 s: 1,000 crashed, 1 differs</bad>",
        ),
        (
            RunEnded({"passed": 3, "differs": 1}, 1.0, 1, resumed=1_000, cached=2),
            "<bad>3 of 4 passed in 1.0 s: 1 differs; 1,000 resumed; 2 cached</bad>",
        ),
        (
            RunEnded({"passed": 3}, 1.0, 130, interrupted=True, resumed=2),
            "<odd>interrupted after 3 runs, 3 passed, in 1.0 s; 2 resumed</odd>",
        ),
        (RunEnded({}, 0.0, 2), "<odd>nothing was run: no case was selected</odd>"),
        (
            RunEnded({}, 0.0, 0),
            "<odd>nothing was run: no case that is selected can be fed so</odd>",
        ),
        (
            RunEnded({}, 0.0, 0, idle="nothing fell short the last time"),
            "<odd>nothing was run: nothing fell short the last time</odd>",
        ),
        (
            RunEnded({"passed": 3, "differs": 1}, 1.0, 0, known={"differs": 1}),
            "<good>3 of 4 passed in 1.0 s; 1 known failure</good>",
        ),
        (
            RunEnded({"passed": 3, "differs": 2}, 1.0, 2, known={"differs": 2}),
            "<odd>3 of 5 passed in 1.0 s; 2 known failures, but there were problems</odd>",
        ),
        (
            RunEnded({"passed": 3, "differs": 2, "flaky": 1}, 1.0, 1, known={"differs": 2}),
            "<bad>3 of 6 passed in 1.0 s: 1 flaky; 2 known failures</bad>",
        ),
        (
            RunEnded({"passed": 3}, 1.0, 1, outgrown=2),
            "<bad>all 3 passed in 1.0 s; 2 passed, though listed as known</bad>",
        ),
        (
            RunEnded({"passed": 3, "differs": 1}, 1.0, 1, stopped=True, not_run=1_000),
            "<bad>3 of 4 passed in 1.0 s: 1 differs; stopped early, 1,000 cases not run</bad>",
        ),
        (
            RunEnded({"passed": 1, "differs": 1}, 1.0, 130, interrupted=True),
            "<odd>interrupted after 2 runs, 1 passed, in 1.0 s</odd>",
        ),
    ],
)
def test_the_last_sentence_says_how_it_went(ended: RunEnded, sentence: str) -> None:
    assert list(closing_lines(Tally(), ended, marked)) == [sentence]


# Listing.


def test_suites_are_listed_in_columns() -> None:
    cases = {CaseName("", 1): (), CaseName("bad\x07", 12): ()}
    ours = SuiteSettings(title="The\tboard", program="xboard")
    suites = [
        Suite("xboard", Path("."), ours, cases),
        Suite("a/b", Path("."), SuiteSettings(), {}),
    ]
    assert list(listing_lines(suites, with_cases=False)) == [
        "xboard  2  xboard  The\\tboard",
        "a/b     0",
    ]
    assert list(listing_lines(suites, with_cases=True)) == [
        "xboard  2  xboard  The\\tboard",
        "    1",
        "    bad\\x07-12",
        "a/b     0",
    ]
    assert not list(listing_lines([], with_cases=True))
    chosen = {"xboard": [CaseName("bad\x07", 12)]}
    assert list(listing_lines(suites[:1], with_cases=True, chosen=chosen)) == [
        "xboard  1  xboard  The\\tboard",
        "    bad\\x07-12",
    ]


def test_deliveries_that_differ_are_one_line_with_their_score() -> None:
    event = DeliveriesDiffer("s/7", "./prog", 3, 4, "passes plain; fails pretty")
    assert list(delivery_lines(event, PLAIN)) == [
        "",
        "deliveries  s/7  3 of 4 deliveries passed: passes plain; fails pretty",
    ]


def test_a_case_that_counts_more_than_once_makes_the_table_one_of_runs() -> None:
    tally = Tally()
    tally.add(Judged("s", "1", "p", "plain", Verdict.PASSED, ""))
    assert tally.table()[0][2] == "cases"
    tally.add(Judged("s", "1", "p", "slow", Verdict.PASSED, ""))
    assert tally.table()[0][2] == "runs"


def test_a_table_leaves_out_the_only_subject_where_it_has_no_room_for_it() -> None:
    tally = Tally()
    tally.add(EVENT)
    ended = RunEnded(counts={"differs": 1}, wall_s=1.0, exit=1)
    wide = list(closing_lines(tally, ended, PLAIN, 49))
    assert wide[1:3] == [
        "suite   subject  cases  passed  failed  broken",
        "xboard  ./mine       1       0       1       0",
    ]
    narrow = list(closing_lines(tally, ended, PLAIN, 40))
    assert narrow[1:3] == [
        "suite   cases  passed  failed  broken",
        "xboard      1       0       1       0",
    ]


def test_a_table_without_room_cuts_long_names_but_keeps_different_subjects() -> None:
    tally = Tally()
    tally.add(EVENT._replace(suite="a-suite-with-a-long-name"))
    tally.add(EVENT._replace(suite="a-suite-with-a-long-name", subject="./yours"))
    ended = RunEnded(counts={"differs": 2}, wall_s=1.0, exit=1)
    assert list(closing_lines(tally, ended, PLAIN, 50))[1:4] == [
        "suite       subject  cases  passed  failed  broken",
        "a-suite-w…  ./mine       1       0       1       0",
        "a-suite-w…  ./yours      1       0       1       0",
    ]


def test_a_run_of_nothing_does_not_speak_of_selecting_behind_a_problem() -> None:
    assert list(closing_lines(Tally(), RunEnded({}, 0.0, 2), PLAIN, None, 1)) == ["nothing was run"]
