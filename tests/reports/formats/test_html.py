"""The HTML report: its content, the data of its script, and that nothing else can run in it."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import unescape
from typing import Any

import pytest
from support.events import ENDED, STARTED, STREAM, bytes_of, evidence, evidence_of, run
from support.golden import Golden

from harness.analysis import failure_kinds
from harness.model.dialogue import EntryKind
from harness.model.events import DeliveriesDiffer, Diagnostic, Event, Excerpt, KnownFailure
from harness.model.judgement import ShownDifference, ShownMessage
from harness.model.subject import SubjectInfo
from harness.model.suite_info import SuiteInfo
from harness.model.verdict import Category, Verdict
from harness.reports.formats.html import document as html_document
from harness.reports.formats.html import page_values
from harness.reports.formats.html.document import page
from harness.reports.pages.page import KNOWN_ICON, verdict_facts
from harness.reports.pictures import Picture, Rendering, RenderJob
from harness.suites.settings import RenderedSide
from harness.text import escape_nonprintable

NASTY = "</script><script>window.pwned = 1</script><!-- \u202e \x1b[31m \ud800"
DIFFERS = Verdict.DIFFERS


def text_of(*events: Event) -> str:
    """Return the page of events without pictures."""
    return "".join(page(lambda: iter(events), {}, lambda _: []))


def embedded(text: str, name: str) -> Any:
    """Return the data of a script element."""
    found = re.search(f'<script type="application/json" id="{name}">(.*?)</script>', text, re.S)
    assert found is not None
    return json.loads(found[1])


def words_of(text: str) -> str:
    """Return the readable text of a page, on one line."""
    plain = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", text, flags=re.S)
    return " ".join(unescape(plain).split())


def test_a_page_is_what_is_recorded(golden: Golden) -> None:
    text = text_of(*STREAM)
    without_scripts = re.sub(r"(<(script|style)\b[^>]*>).*?(</\2>)", r"\1\3", text, flags=re.S)
    golden("html.html", re.sub("sha256-[A-Za-z0-9+/=]*", "sha256-...", without_scripts))
    data = {name: embedded(text, name) for name in ("names", "data", "kinds-data", "pictures")}
    golden("html-data.json", json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def test_a_page_works_offline_and_runs_only_its_own_script() -> None:
    text = text_of(STARTED, run("1"), ENDED)
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


def test_no_text_of_a_run_becomes_markup() -> None:
    seen = evidence(ShownDifference(NASTY, NASTY, NASTY))._replace(stdout=Excerpt(b"\xff<b>", 5))
    names = dict.fromkeys(("suite", "subject", "delivery", "message"), NASTY)
    known = KnownFailure(NASTY, NASTY, holds=False)
    words = {"tags": (NASTY,), "repeat": ("xtest", NASTY)}
    everywhere = run(NASTY, DIFFERS, **names, **words, evidence=seen, known=known)
    text = text_of(
        STARTED._replace(suite_infos=(SuiteInfo(NASTY, "nowhere", title=NASTY),)),
        *(everywhere, run("1"), DeliveriesDiffer(f"{NASTY}/{NASTY}", NASTY, 1, 2, NASTY)),
        *(Diagnostic(NASTY, NASTY), ENDED._replace(why_nothing_ran=NASTY)),
    )
    assert "window.pwned" in text
    assert not re.search(r"<script>window|<!--", text)
    assert not set(text) & {"\u202e", "\x1b", "\ud800"}
    assert embedded(text, "data")[0][7]["s"][2][1] == "\\xff<b>"


def test_pictures_are_drawn_for_many_runs_at_once_and_kept_once() -> None:
    drawn: list[list[str]] = []

    def draw(jobs: Sequence[RenderJob]) -> list[Picture]:
        drawn.append([job.value for job in jobs])
        return [Picture(f"<svg>{job.value}</svg>".encode()) for job in jobs]

    renders = {"s": Rendering(("r",), "/s", (RenderedSide.OUTPUT,))}
    runs = [run(str(number), DIFFERS, evidence=evidence_of("1", "2")) for number in range(70)]
    text = "".join(page(lambda: iter([STARTED, *runs, ENDED]), renders, draw))
    assert drawn == [["1", "2"], []]
    assert len(embedded(text, "pictures")) == 2
    boards = [["expected", "", 0, "", 0], ["printed", "", 1, "", 0]]
    assert all(found[7]["b"] == boards for found in embedded(text, "data"))


def test_the_heading_says_where_the_results_come_from() -> None:
    started = STARTED._replace(
        host="build-7",
        command_line=("xtest", "run", "my suite"),
        suite_infos=(SuiteInfo("s", "s", commit="77aa10c07b3e5d6f"),),
        subjects=(SubjectInfo("x", ("x",), commit="4f2a91c07b3e5d6f"),),
    )
    text = words_of(text_of(started, run("1"), ENDED))
    assert "Machine build-7 Commit 4f2a91c07b3e Commit of the suites 77aa10c07b3e" in text
    assert "Command xtest run 'my suite'" in text
    # Several runs have several commands.
    again = started._replace(command_line=("xtest", "run", "other"))
    assert "Command" not in words_of(text_of(started, run("1"), ENDED, again, ENDED))


@pytest.mark.parametrize(
    ("wall_s", "shown"),
    [(59.94, "59.9 s"), (59.97, "1 min 0 s"), (3599.4, "59 min 59 s"), (3599.6, "1 h 0 min")],
)
def test_a_minute_is_shown_as_a_minute(wall_s: float, shown: str) -> None:
    assert f" Took {shown} " in words_of(text_of(STARTED, run("1"), ENDED._replace(wall_s=wall_s)))


def test_a_subject_with_an_unexpected_pass_does_not_pass_everything() -> None:
    unexpected = run("2", subject="y", known=KnownFailure("x", holds=False))
    totals = page_values.ReportTotals([STARTED, run("1"), unexpected, ENDED])
    head = page_values.head_of(totals)
    assert head["headline"] == "1 of 2 subjects passes everything"
    assert head["below"] == "Runs: 1 of 2 passed: 1 failed"
    assert [chip[:2] for chip in head["counts"]] == [("passed", "1"), ("unexpected pass", "1")]


def test_the_slowest_runs_are_listed() -> None:
    runs = [run(str(number), wall_s=number / 8) for number in (5, 12, *range(1, 5), *range(6, 12))]
    names = re.findall(r"<li><span>([\d.]+) s</span>", text_of(STARTED, *runs, ENDED))
    assert (names[:2], len(names)) == (["1.500", "1.375"], 10)
    assert "Slowest" not in text_of(STARTED, *runs[:9], ENDED)


def test_every_category_has_an_icon_of_its_own() -> None:
    icons = {verdict.category: verdict_facts(verdict)[-1] for verdict in Verdict}
    assert set(icons) == set(Category)
    assert len({KNOWN_ICON, *icons.values()}) == len(Category) + 1


def test_a_single_failure_among_thousands_is_visible_in_the_bar() -> None:
    text = text_of(STARTED, *(run(str(n)) for n in range(1_000)), run("x", DIFFERS), ENDED)
    assert re.findall(r'class="failed" x="[\d.]+" width="([\d.]+)"', text) == ["0.4"]


def test_several_suites_have_a_table_that_links_to_their_runs() -> None:
    assert "<table" not in text_of(STARTED, run("1"), ENDED)
    suites = text_of(STARTED, run("1"), run("1", DIFFERS, suite="a b&c"), ENDED)
    assert "Suites passed failed seconds a b&c 0 1 0.2 s 1 0 0.2" in words_of(suites)
    assert '<a href="#suite=a+b%26c">a b&amp;c</a>' in suites


def test_details_are_limited_and_say_so() -> None:
    many = tuple(ShownDifference(f"/{n}", str(n), "0") for n in range(1, 201))
    long = evidence(*many, stderr="\x00" * 3_000 + "\nend\n")._replace(
        expected=bytes_of(" ".join(map(str, range(1, 4_000)))), differences_total=398
    )
    event = run("1", DIFFERS, evidence=long, repeat=("x" * 5_000,))
    (found,) = embedded(text_of(STARTED, event, ENDED), "data")
    details = found[7]
    assert (details["n"], len(details["r"])) == (398, 200)
    assert details["w"] == "There are more differences than shown here."
    assert details["x"] == "(the command is too long to show)"
    names = ["Input", "Expected output", "Printed", "Standard error"]
    sizes, notes = [1, 6_000, 1, 6_000], ["", "beginning", "", "end"]
    shown = [(name, len(text), note) for name, text, _, note in details["s"]]
    assert shown == list(zip(names, sizes, notes, strict=True))
    assert details["s"][3][1].endswith("\\x00\nend")


def test_a_dialogue_has_a_row_for_each_message_with_its_side_and_the_failing_one_marked() -> None:
    talk = (
        ShownMessage(EntryKind.SENT, 0.0, "start 1", '{"id":0}'),
        ShownMessage(EntryKind.IGNORED, 0.25, "", NASTY),
        ShownMessage(EntryKind.RECEIVED, 0.5, "1", "oops", "malformed", failed=True),
        ShownMessage(EntryKind.CLOSED, 0.5),
        ShownMessage(EntryKind.LEFT_OUT, 0.5, note="7 more"),
        ShownMessage(EntryKind.ENDED, 1.0, note="the program was ended by xtest"),
    )
    event = run("1", Verdict.MALFORMED, evidence=evidence()._replace(talk=talk))
    text = text_of(STARTED, event, ENDED)
    (found,) = embedded(text, "data")
    assert found[7]["c"] == [
        ["0.000", "start 1", '{"id":0}', "", 1, 0],
        ["0.250", "", escape_nonprintable(NASTY), "ignored", 0, 0],
        ["0.500", "1", "oops", "malformed", 0, 1],
        ["0.500", "", "", "the input was closed", 1, 0],
        ["0.500", "", "", "7 more", 0, 0],
        ["1.000", "", "", "the program was ended by xtest", 0, 0],
    ]
    assert [name for name, *_ in found[7]["s"]] == ["Script", "Expected output", "Printed"]
    assert "<script>window" not in text


def test_a_full_report_keeps_messages_and_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_document, "_BUDGET", 400)
    seen = evidence(ShownDifference("/0", "[6]", "6"))
    events = [run(case, DIFFERS, evidence=seen) for case in "12"]
    first, second = embedded(text_of(STARTED, *events, ENDED), "data")
    assert "s" in first[7]
    assert set(second[7]) == {"g", "m", "x", "w"}


def test_kinds_of_failures_are_numbered_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failure_kinds, "_KINDS", 3)
    kinds = failure_kinds.FailureKinds(by_subject=False)
    events = [
        run("1", Verdict.CRASHED),
        run("2", DIFFERS, known=KnownFailure("x")),
        run("3", known=KnownFailure("x", holds=False)),
        *(run(str(n), Verdict.CRASHED, message=f"ended {n % 5}") for n in range(5)),
        run("8", Verdict.CRASHED, message="ended 0"),
    ]
    numbers = [kind and kind.number for kind in map(kinds.add, events)]
    assert numbers == [0, None, 1, 2, 3, 3, 3, 3, 2]
    messages = [key.message for key in kinds.kinds]
    assert messages[1] == "passed, but is listed as a known failure: remove the entry"
    assert messages[3] == "in other ways"


def test_without_javascript_a_bounded_list_remains(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Everything passed." in text_of(STARTED, run("1"), ENDED)
    monkeypatch.setattr(page_values, "_LISTED", 2)
    text = text_of(STARTED, *(run(str(number), DIFFERS) for number in range(5)), ENDED)
    assert "These are the first 2 of 5 that did not pass." in text
    assert text.count("<li><b") == 2
