"""The summary of a run with many failures: whole blocks, short for few, bounded for many."""

from __future__ import annotations

from typing import Any

from harness.events import Bytes, Evidence, Judged, ShownDifference
from harness.records import Verdict
from harness.report.summary import Shortfalls
from harness.report.text import PLAIN


def failed(case: str, message: str, verdict: Verdict = Verdict.SILENT, **more: object) -> Judged:
    """A run that fell short."""
    repeat = ("xtest", "run", "s", "--case", case, "--", "./p")
    given: dict[str, Any] = {"subject": "./p", "delivery": "plain", "repeat": repeat, **more}
    return Judged(suite="s", case=case, verdict=verdict, message=message, **given)


def differing(case: str, pointer: str, message: str, count: int = 1) -> Judged:
    """A run whose values differ."""
    nothing = Bytes(b"", 0)
    shown = (ShownDifference(pointer, "1", "2"),)
    evidence = Evidence(nothing, nothing, nothing, nothing, shown, count)
    return failed(case, message, Verdict.DIFFERS, evidence=evidence)


def summary_of(*events: Judged, width: int = 100) -> list[str]:
    """The lines for these."""
    gathered = Shortfalls()
    for event in events:
        gathered.add(event)
    return list(gathered.lines(PLAIN, width))


def test_a_few_failures_speak_for_themselves() -> None:
    assert not summary_of(*(failed(str(case), "printed nothing") for case in range(3)))


def test_kinds_come_most_frequent_first_with_what_to_do_next() -> None:
    hangs = [failed(f"{n}", f"printed nothing within 3 s (0.0{n} s used)") for n in (1, 2)]
    message = "1 difference, ... printed (they differ in case only); (a hint)"
    wrong = [differing(f"{n}", f"/{n}/winner", message, n - 2) for n in (3, 4, 5, 6, 7)]
    assert summary_of(*hangs, *wrong) == [
        "",
        "7 runs fell short",
        "    5  differs  at /*/winner (they differ in case only)  s/3, s/4, s/5, ...",
        "    2  silent  printed nothing within 3 s  s/1, s/2",
        "",
        "    one again  xtest run s --case 3 -- ./p",
        "    all these  xtest run s --failed -- ./p",
        "    in full    xtest run s --failed --full -- ./p",
        "    as a page  xtest run s --failed --report html=xtest.html -- ./p",
    ]


def test_a_narrow_terminal_gets_the_names_on_a_line_of_their_own() -> None:
    lines = summary_of(*(failed(str(n), "printed nothing within 3 s") for n in range(9)), width=30)
    assert lines[2:4] == ["    9  silent  printed nothin…", "       s/0, s/1, s/2, ..."]


def test_the_same_commands_are_made_for_deliveries_suites_and_subjects() -> None:
    ways = ("plain", "cut", "slow", "plain")
    repeats = [
        ("xtest", "run", suite, "--case", "1", "--deliver", way, "--wall", "3", "--subject", whose)
        for suite, way, whose in zip("abca", ways, "xyxy", strict=True)
    ]
    events = [
        failed("1", "crashed", subject=repeat[-1], delivery=repeat[6], repeat=repeat)
        for repeat in repeats
    ]
    lines = summary_of(*events)
    assert lines[2:4] == [
        "    2  silent  x: crashed  s/1, ...",
        "    2  silent  y: crashed  s/1, ...",
    ]
    again = "--deliver plain,cut,slow --subject x --subject y --wall 3"
    assert lines[6] == f"    all these  xtest run a b c --failed {again}"


def test_what_no_one_command_asked_for_gets_none_for_all() -> None:
    own = failed("1", "crashed", repeat=("xtest", "run", "t", "--case", "1"))
    assert summary_of(own, *(failed(str(n), "crashed") for n in range(3)))[-1] == (
        "    one again  xtest run t --case 1"
    )


def test_failures_without_a_command_are_summed_up_without_one() -> None:
    lines = summary_of(*(failed(str(n), "no such case", repeat=()) for n in range(4)))
    assert lines == ["", "4 runs fell short", "    4  silent  no such case  s/0, s/1, s/2, ..."]


def test_values_that_are_missing_are_gathered_by_how_many() -> None:
    nothing = Bytes(b"", 0)
    shown = (ShownDifference("/2", "1", None),)
    evidence = Evidence(nothing, nothing, nothing, nothing, shown, 1)
    message = "3 values expected, 2 printed; /2 is missing"
    events = [failed(str(n), message, Verdict.TOO_FEW, evidence=evidence) for n in range(4)]
    assert summary_of(*events)[2].startswith("    4  too-few  3 values expected, 2 printed  s/0")


def test_programs_that_crashed_are_gathered_by_the_kind_of_their_exception() -> None:
    said = "the exit status is 1, not 0; its standard error"
    told = [
        *(f"{n} values expected, none printed; {said} ends: KeyError: '{n}'" for n in range(2, 5)),
        *(f"{n} values expected, none printed; {said} says: a.TypeError" for n in range(2, 4)),
        f"2 values expected, none printed; {said} ends: so it is",
    ]
    events = [failed(str(at), message, Verdict.TOO_FEW) for at, message in enumerate(told)]
    assert summary_of(*events)[2:5] == [
        f"    3  too-few  {said} ends: KeyError  s/0, s/1, s/2",
        f"    2  too-few  {said} says: a.TypeError  s/3, s/4",
        "    1  too-few  2 values expected, none printed  s/5",
    ]


def test_it_is_bounded_however_many_kinds_there_are() -> None:
    lines = summary_of(*(failed(str(n), f"kind {n} of it") for n in range(2000)))
    assert lines[2] == "1,500  in other ways  s/500, s/501, s/502, ..."
    assert lines[10] == "    493 in 493 other ways"
    assert len(lines) == 15
