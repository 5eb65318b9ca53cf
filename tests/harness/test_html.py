"""The HTML report: what the page says, what its script gets, and that nothing else can run in it.

How it behaves in a browser is in test_html_browser.py.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import unescape
from typing import Any

import pytest

from harness.about import About
from harness.documents import html_runs, html_summary
from harness.documents.html import document, page
from harness.documents.pictures import Picture, Rendering, Sheet
from harness.events import (
    Bytes,
    DeliveriesDiffer,
    Event,
    Evidence,
    Judged,
    Known,
    Problem,
    RunEnded,
    RunStarted,
    ShownDifference,
)
from harness.records import Verdict
from harness.suites.policy import Drawn

ENDED = RunEnded({}, 1.25, 1)
NASTY = "</script><script>window.pwned = 1</script><!-- \u202e \x1b[31m \ud800"


def started(*about: About) -> RunStarted:
    """The first event of a run."""
    return RunStarted("0.1.0", "2026-01-31T12:00:00Z", ("s",), 9, 2, about=about)


def run(case: str, verdict: Verdict = Verdict.DIFFERS, **more: Any) -> Judged:
    """A judged run."""
    told: dict[str, Any] = {
        **{"suite": "s", "subject": "./p", "delivery": "plain", "message": "it is so"},
        "evidence": None if verdict is Verdict.PASSED else seen("1", "2"),
    }
    return Judged(case=case, verdict=verdict, **(told | more))


def carried(text: str, total: int = 0) -> Bytes:
    """A stream, of which there may have been more."""
    data = text.encode("utf-8", "surrogatepass")
    return Bytes(data, max(total, len(data)))


def seen(expected: str, stdout: str, stderr: str = "", **more: Any) -> Evidence:
    """What was seen of a run whose first value differs."""
    told: dict[str, Any] = {
        **{"stdin": carried("0\n"), "expected": carried(expected), "stdout": carried(stdout)},
        **{"stderr": carried(stderr), "differences_total": 1},
        "differences": (ShownDifference("/0", expected, stdout),),
    }
    return Evidence(**(told | more))


def text_of(*events: Event) -> str:
    """The page of these events, without pictures."""
    return "".join(page(lambda: iter(events), lambda _: {}, lambda _: []))


def embedded(text: str, name: str) -> Any:
    """What a data block of a page holds."""
    found = re.search(f'<script type="application/json" id="{name}">(.*?)</script>', text, re.S)
    assert found is not None
    return json.loads(found[1])


def runs_of(*events: Event) -> list[list[Any]]:
    """The runs of these events, as the script gets them."""
    runs: list[list[Any]] = embedded(text_of(*events), "data")
    return runs


def details_of(event: Judged, *others: Event) -> dict[str, Any]:
    """What a run shows when it is opened."""
    (found,) = runs_of(started(), event, *others, ENDED)
    details: dict[str, Any] = found[7]
    details.pop("g", None)  # the number of its kind, which is always the same here
    return details


def words_of(text: str) -> str:
    """What is read of a page without its scripts, on one line."""
    plain = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", text, flags=re.S)
    return " ".join(unescape(plain).split())


# The file.


def test_a_page_asks_nothing_of_a_network_and_runs_its_own_script_alone() -> None:
    text = text_of(started(), run("1"), ENDED)
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.S)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.S)
    hashes = [b64encode(sha256(part.encode()).digest()).decode() for part in (script, style)]
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert unescape(policy) == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}';"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert not re.findall(r'(?:src|href)="(?!#|data:)', text)
    assert " style=" not in text and not re.findall(r"<[^>]* on[a-z]+=", text)


def test_no_text_of_a_run_becomes_markup_and_nothing_hides_in_it() -> None:
    everywhere = run(
        NASTY,
        suite=NASTY,
        subject=NASTY,
        delivery=NASTY,
        message=NASTY,
        tags=(NASTY,),
        repeat=("xtest", NASTY),
        known=Known(NASTY, NASTY, holds=False),
        evidence=seen(json.dumps(NASTY), NASTY, NASTY),
    )
    differ = DeliveriesDiffer(f"{NASTY}/{NASTY}", NASTY, 1, 2, NASTY)
    about = About(NASTY, "nowhere", title=NASTY)
    text = text_of(
        started(about),
        everywhere,
        run("1"),
        differ,
        Problem(NASTY, NASTY),
        ENDED._replace(idle=NASTY),
    )
    assert "window.pwned" in text
    assert not re.search(r"<script>window|<!--", text)
    assert not set(text) & {"\u202e", "\x1b", "\ud800"}
    assert text.encode()
    assert [len(embedded(text, name)) for name in ("names", "data", "kinds-data", "pictures")] == [
        5,
        2,
        1,
        0,
    ]


def test_the_real_document_draws_with_the_renderers_of_the_suites() -> None:
    about = About("xrules", "nowhere")
    event = run("1", suite="xrules", evidence=seen('"legal"', '"x"', stdin=carried("[] 1")))
    events: list[Event] = [started(about), event, ENDED]
    text = "".join(document(lambda: iter(events)))
    (picture,) = embedded(text, "pictures")
    assert b"<title>Tsuro board, tiles: 0, avatars: none</title>" in b64decode(picture)
    assert embedded(text, "data")[0][7]["b"] == [["input", "", 0, "", 0]]


def test_pictures_are_drawn_for_many_runs_at_once_and_kept_once() -> None:
    drawn: list[list[str]] = []

    def draw(sheets: Sequence[Sheet]) -> list[Picture]:
        drawn.append([sheet.value for sheet in sheets])
        return [Picture(f"<svg>{sheet.value}</svg>".encode()) for sheet in sheets]

    renders = {"s": Rendering(("r",), "/s", (Drawn.OUTPUT,))}
    events: list[Event] = [started(), *(run(str(number)) for number in range(70)), ENDED]
    text = "".join(page(lambda: iter(events), lambda _: renders, draw))
    assert drawn == [["1", "2"], []]
    assert len(embedded(text, "pictures")) == 2
    boards = [["expected", "", 0, "", 0], ["printed", "", 1, "", 0]]
    assert all(found[7]["b"] == boards for found in embedded(text, "data"))


# The head.


@pytest.mark.parametrize(
    ("events", "tone", "said"),
    [
        ([run("1", Verdict.PASSED), run("2", Verdict.PASSED)], "good", "All 2 passed"),
        ([run("1", Verdict.PASSED), run("2")], "bad", "1 of 2 passed: 1 failed"),
        (
            [run("1", Verdict.PASSED), run("2", Verdict.INVALID_CASE)],
            "odd",
            "1 of 2 passed: 1 broken",
        ),
        (
            [run("1", Verdict.PASSED), run("2", known=Known("ties"))],
            "good",
            "1 of 2 passed; 1 known failure",
        ),
        (
            [run("1", Verdict.PASSED), Problem("s", "a stray file")],
            "odd",
            "All 1 passed, but there were problems",
        ),
        ([Problem("s", "no such suite")], "odd", "Nothing was run"),
    ],
)
def test_the_heading_says_how_it_went(events: list[Event], tone: str, said: str) -> None:
    text = text_of(started(), *events, ENDED)
    assert f'<header class="{tone}">' in text
    assert f"<h1>{said}</h1>" in text
    topic = "" if isinstance(events[0], Problem) else " (s, ./p)"
    assert f"<title>xtest: {said}{topic}</title>" in text


def test_heading_and_title_name_what_was_run_by_its_title() -> None:
    about = About("s", "nowhere", title="The board")
    text = text_of(started(about), run("1", Verdict.PASSED), ENDED)
    assert "<title>xtest: All 1 passed (The board, ./p)</title>" in text
    assert "xtest report: The board, ./p All 1 passed" in words_of(text)


@pytest.mark.parametrize(
    ("second", "third", "tone", "said", "below"),
    [
        (
            *(run("1", Verdict.PASSED, subject="b"), run("1", Verdict.PASSED, subject="c")),
            *("good", "All 3 subjects pass everything", "Runs: all 3 passed"),
        ),
        (
            *(run("1", Verdict.PASSED, subject="b"), run("1", subject="c")),
            *("mixed", "2 of 3 subjects pass everything", "Runs: 2 of 3 passed: 1 failed"),
        ),
        (
            *(run("1", Verdict.INVALID_CASE, subject="b"), run("1", subject="c")),
            *("mixed", "1 of 3 subjects passes everything"),
            "Runs: 1 of 3 passed: 1 failed, 1 broken",
        ),
    ],
)
def test_of_several_subjects_the_heading_counts_those_that_pass_everything(
    second: Judged, third: Judged, tone: str, said: str, below: str
) -> None:
    text = text_of(started(), run("1", Verdict.PASSED, subject="a"), second, third, ENDED)
    assert f'<header class="{tone}">' in text
    assert f'<h1>{said}</h1>\n<p class="below">{below}</p>' in text
    assert f"<title>xtest: {said} (s)</title>" in text


def test_a_run_of_nothing_says_why() -> None:
    text = text_of(started(), ENDED._replace(idle="nothing fell short the last time"))
    assert "<h1>Nothing was run: nothing fell short the last time</h1>" in text
    assert "Took 1.2 s" in words_of(text)
    assert 'id="filter"' not in text


def test_the_verdicts_are_counted_and_lead_to_their_runs() -> None:
    known = run("4", Verdict.CRASHED, known=Known("ties"))
    broken = run("5", Verdict.INVALID_CASE)
    failed = run("2"), run("3", known=Known("once", holds=False))
    text = text_of(started(), run("1", Verdict.PASSED), *failed, known, broken, ENDED)
    counts = re.findall(
        r'<a class="count (\w+)" href="#verdict=([\w-]+)" title=".+?"><b>(\d+)</b>', text
    )
    assert counts == [
        ("good", "passed", "1"),
        ("known", "known", "1"),
        ("odd", "invalid-case", "1"),
        ("bad", "differs", "2"),
    ]
    shares = re.findall(r'<rect class="(\w+)" x="([\d.]+)" width="([\d.]+)"', text)
    assert shares == [
        ("passed", "0.0", "20.0"),
        ("known", "20.0", "20.0"),
        ("failed", "40.0", "40.0"),
        ("broken", "80.0", "20.0"),
    ]


def test_a_single_failure_among_thousands_is_seen_in_the_bar() -> None:
    events = [run(str(number), Verdict.PASSED) for number in range(1_000)]
    text = text_of(started(), *events, run("x"), ENDED)
    assert re.findall(r'class="failed" x="[\d.]+" width="([\d.]+)"', text) == ["0.4"]


def test_the_facts_name_a_lone_suite_and_subject_and_count_several() -> None:
    about = About("s", "nowhere", title="The board")
    lone = words_of(text_of(started(about), run("1"), ENDED._replace(not_run=1)))
    assert "Started 2026-01-31 12:00:00 UTC" in lone
    assert "Took 1.2 s Subject ./p Suite s (The board) Not run 1 case" in lone
    several = words_of(text_of(started(), run("1"), run("1", suite="t", subject="q"), ENDED))
    assert "Subjects 2 Suites 2" in several


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(59.9, "59.9 s"), (61.0, "1 min 1 s"), (3_725.0, "1 h 2 min")],
)
def test_long_runs_are_told_in_minutes_and_hours(seconds: float, said: str) -> None:
    text = text_of(started(), run("1"), ENDED._replace(wall_s=seconds))
    assert f"Took {said} Subject" in words_of(text)


def test_results_without_a_beginning_are_shown_all_the_same() -> None:
    assert "Took 0.0 s Subject ./p" in words_of(text_of(run("1")))


def test_problems_are_listed_up_to_a_number() -> None:
    many = [Problem(f"suite{number}", "no such suite") for number in range(52)]
    words = words_of(text_of(started(), *many, ENDED))
    assert "suite49 no such suite and 2 problems more" in words


# The table.


def test_a_single_suite_and_subject_need_no_table() -> None:
    assert "<table" not in text_of(started(), run("1"), ENDED)


def test_of_one_subject_the_suites_are_listed_with_their_titles() -> None:
    about = About("s", "nowhere", title="The board")
    events = [run("1", Verdict.PASSED), run("2", wall_s=0.25), run("1", suite="a b&c")]
    text = text_of(started(about), *events, ENDED)
    assert "Suites title passed fell short seconds" in words_of(text)
    assert "a b&c 0 1 0.0 s The board 1 1 0.2" in words_of(text)
    assert '<a href="#suite=a+b%26c">a b&amp;c</a>' in text


def test_suites_without_titles_have_no_column_for_them() -> None:
    events = [run("1", known=Known("x")), run("1", Verdict.INVALID_CASE, suite="t")]
    words = words_of(text_of(started(), *events, ENDED))
    assert "Suites passed known fell short broken seconds s 0 1 0 0 0.0 t 0 0 0 1 0.0" in words


def test_several_subjects_make_a_matrix_whose_cells_lead_to_their_runs() -> None:
    events = [
        run("1", Verdict.PASSED, subject="a"),
        run("2", Verdict.PASSED, subject="a"),
        run("1", Verdict.PASSED, subject="b"),
        run("2", subject="b"),
        run("1", Verdict.INVALID_CASE, subject="b", suite="t"),
    ]
    text = text_of(started(), *events, ENDED)
    assert (
        "Subjects and suites s t all a 2/2 100 % - 2/2 100 % b 1/2 50.0 % 1 broken 1/2 50.0 %"
    ) in words_of(text)
    assert '<a href="#subject=b&amp;suite=s">1/2</a>' in text
    assert '<a href="#subject=b">1/2</a>' in text
    assert (
        '<td class="number bad" title="1 passed, 1 differs"><a href="#subject=b&amp;suite=s">'
        in text
    )


def test_a_matrix_of_one_suite_has_no_column_for_all() -> None:
    text = text_of(started(), run("1", subject="a"), run("1", subject="b"), ENDED)
    assert "Subjects and suites s a 0/1 0 % b 0/1 0 %" in words_of(text)
    assert '<h2 id="runs-heading">Runs</h2>' in text


# Runs.


def test_runs_are_told_by_numbers_in_natural_order() -> None:
    events = [
        run("10", Verdict.PASSED, wall_s=0.0126),
        run("9", Verdict.PASSED, delivery="cut"),
        run("9"),
    ]
    text = text_of(started(), *events, ENDED)
    assert embedded(text, "names") == {
        "suites": ["s"],
        "subjects": ["./p"],
        "deliveries": ["plain", "cut"],
        "verdicts": ["differs", "passed"],
        "meanings": [
            "It printed as many values as expected, and not the same.",
            "The values agree, and so does the exit status.",
        ],
    }
    short = [found[:7] for found in embedded(text, "data")]
    assert short == [[0, 0, "9", 0, 0, 0, 2], [0, 0, "9", 1, 1, 0, 0], [0, 0, "10", 0, 1, 13, 0]]
    assert len(embedded(text, "data")[1]) == 7


def test_runs_have_the_numbers_of_their_kinds() -> None:
    events = [
        run("1", message="1 difference"),
        run("2", Verdict.CRASHED, message="ended"),
        run("3"),
    ]
    text = text_of(started(), *events, ENDED)
    assert [found[7]["g"] for found in embedded(text, "data")] == [0, 1, 0]
    assert embedded(text, "kinds-data") == [["differs", "at /*"], ["crashed", "ended"]]


def test_a_run_that_passed_tells_its_tags_and_what_was_expected_of_it() -> None:
    assert details_of(run("1", Verdict.PASSED, tags=("slow",))) == {"t": ["slow"]}
    outgrown = run("1", Verdict.PASSED, known=Known("ties", "https://x", holds=False))
    assert details_of(outgrown) == {"k": ["ties", "https://x", False]}


def test_a_failure_tells_all_there_is_to_see() -> None:
    event = run(
        *("1", Verdict.DIFFERS),
        evidence=seen("[1,2]", "[1,3]", "Trace\nback\n"),
        repeat=("xtest", "run", "a b"),
        exit=0,
        wall_s=0.5,
        cpu_s=0.25,
        peak_mib=9.5,
        processes=2,
    )
    differ = DeliveriesDiffer("s/1", "./p", 1, 2, "passes plain")
    assert details_of(event, differ) == {
        "m": "it is so",
        "d": "passes plain",
        "x": "xtest run 'a b'",
        "e": [
            *("exit status 0", "after 0.500 s", "0.250 s of processor time"),
            *("9.5 MiB", "2 processes"),
        ],
        "r": [["changed", 0, ["[1,", "2", "]"], ["[1,", "3", "]"], "/0"]],
        "n": 1,
        "s": [
            ["Input", "0", 2, ""],
            ["Expected output", "[1,2]", 5, ""],
            ["Printed", "[1,3]", 5, ""],
            ["Standard error", "Trace\nback", 11, ""],
        ],
    }


def test_differences_stand_in_their_context_folded_with_both_places() -> None:
    missing = ShownDifference("/0/4", "5", None)
    moved = ShownDifference("/0/6", "7", "8", "/0/5")
    extra = ShownDifference("/1", None, '"x"')
    shown = seen(
        "[1,2,3,4,5,6,7]",
        '[1,2,3,4,6,8] "x"',
        differences=(missing, moved, extra),
        differences_total=3,
    )
    assert details_of(run("1", evidence=shown))["r"] == [
        ["same", 0, "[", "["],
        ["folded", 1, "… 3 equal values …", ""],
        ["same", 1, "4", "4"],
        ["missing", 1, ["", "5", ""], "", "/0/4"],
        ["same", 1, "6", "6"],
        ["changed", 1, ["", "7", ""], ["", "8", ""], "/0/6 → /0/5"],
        ["same", 0, "]", "]"],
        ["extra", 0, "", ["", '"x"', ""], "/1"],
    ]


def test_what_is_not_shown_of_the_differences_is_told() -> None:
    many = tuple(ShownDifference(f"/{n}", str(n), "0") for n in range(1, 201))
    expected = " ".join(map(str, range(1, 400)))
    shown = seen(expected, "0 " * 399, differences=many, differences_total=398)
    details = details_of(run("1", evidence=shown))
    assert (details["n"], details["w"]) == (398, "More differs than is shown here.")
    assert len(details["r"]) <= 200


def test_streams_are_cut_and_tell_which_part_is_shown() -> None:
    long = "x" * 9_000
    shown = seen(long, long, "y" * 5_999 + "\nend\n", stdin=carried("\x00" * 3_000))
    streams = details_of(run("1", evidence=shown._replace(differences=())))["s"]
    assert [(name, len(text), bytes_, note) for name, text, bytes_, note in streams] == [
        ("Input", 6_000, 3_000, "its beginning"),
        ("Expected output", 6_000, 9_000, "its beginning"),
        ("Printed", 6_000, 9_000, "its beginning"),
        ("Standard error", 5_999, 6_004, "its end"),
    ]
    assert streams[3][1].endswith("y\nend")


def test_bytes_that_are_no_text_are_seen() -> None:
    shown = seen("1", "2")._replace(stdout=Bytes(b"\xff\x1b\t<b>", 6))
    assert details_of(run("1", evidence=shown))["s"][2][1] == "\\xff\\x1b\\t<b>"


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"signal": "SIGSEGV"}, "ended by SIGSEGV"),
        ({"signal": "SIGKILL", "verdict": Verdict.STALLED}, "ended by xtest"),
        ({"exit": 3}, "exit status 3"),
        ({}, "after 0.000 s"),
    ],
)
def test_how_it_ended_is_told(how: dict[str, Any], said: str) -> None:
    event = run("1")._replace(**how)
    assert details_of(event)["e"][0] == said


def test_a_program_that_was_not_started_shows_no_streams() -> None:
    assert details_of(run("1", Verdict.NOT_STARTED)) == {"m": "it is so"}


def test_a_broken_case_has_no_command_to_repeat_it() -> None:
    event = run("1", Verdict.INVALID_CASE, repeat=("xtest",), evidence=None)
    assert details_of(event) == {"m": "it is so"}


def test_a_command_that_is_too_long_is_not_cut() -> None:
    event = run("1", repeat=("x" * 5_000,))
    assert details_of(event)["x"] == "the command is too long to be shown"


def test_when_the_report_is_full_failures_keep_their_message_and_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(html_runs, "_BUDGET", 400)
    first, second = runs_of(
        started(), run("1", repeat=("xtest",)), run("2", repeat=("xtest",)), ENDED
    )
    assert "s" in first[7]
    assert second[7] == {
        "g": 0,
        "m": "it is so",
        "x": "xtest",
        "w": "The report is full: what this run printed is not in it. The command below shows it.",
    }


# Without JavaScript.


def test_without_javascript_what_did_not_pass_is_listed() -> None:
    slow = run("2", Verdict.CRASHED, delivery="slow", message="ended <b>")
    outgrown = run("4", Verdict.PASSED, known=Known("ties", holds=False))
    events = run("1", Verdict.PASSED), slow, run("3", known=Known("x <i>")), outgrown
    text = text_of(started(), *events, ENDED)
    (fallback,) = re.findall("<noscript>(.*?)</noscript>", text, re.S)
    assert words_of(fallback) == (
        "3 runs did not pass. Each can be opened where JavaScript runs."
        " crashed s/2, ./p, slow ended <b> known s/3, ./p differs: x <i>"
        " passed s/4, ./p but it is listed as a known failure: ties"
    )
    assert '<b class="badge bad">crashed</b>' in fallback
    assert '<b class="badge known">known</b>' in fallback


def test_without_javascript_it_is_told_that_everything_passed() -> None:
    text = text_of(started(), run("1", Verdict.PASSED), ENDED)
    assert "Everything passed." in text


def test_the_list_without_javascript_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_summary, "_LISTED", 2)
    text = text_of(started(), *(run(str(number)) for number in range(5)), ENDED)
    assert "These are the first 2 of 5 that did not pass." in text
    assert text.count("<li><b") == 2
