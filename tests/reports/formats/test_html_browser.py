"""The HTML report in Chromium: it can be used and read, and nothing foreign runs in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.chromium import Browser, Tab
from support.events import ENDED, STARTED, bytes_of, evidence_of, evidence_with
from support.suites import write_program

from harness.files import test_cases_folder as bundled_suites
from harness.model.events import Event, KnownFailure, RunResult
from harness.model.judgement import ShownDifference
from harness.model.suite_info import SuiteInfo
from harness.model.verdict import Verdict
from harness.reports.formats.html.document import document

pytestmark = pytest.mark.system

EVIL = "</script><script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>"
EVIDENCE = evidence_of(
    '{"state":{"board":"XO.......","player":"X"}}', '{"state":{"board":"XO..X....","player":"O"}}'
)._replace(stdin=bytes_of('{"ask":["state"]}\n'), stderr=bytes_of("KeyError\n"))
CONTRASTS = Path(__file__).with_name("contrasts.js").read_text("utf-8")
SHOWN = "document.getElementById('shown').textContent"


def run(case: str, verdict: Verdict = Verdict.DIFFERS, **more: Any) -> RunResult:
    """Return a run of the bundled suite xtictactoe, whose boards are drawn."""
    event = RunResult("xtictactoe", case, "./mine", "plain", verdict, f"2 differences in {case}")
    evidence = None if verdict is Verdict.PASSED else EVIDENCE
    repeat = ("xtest", "run", "--case", case)
    return event._replace(repeat=repeat, evidence=evidence)._replace(**more)


def write_page(
    folder: Path, *events: Event, suite: str = "xtictactoe", where: Path | None = None
) -> str:
    """Write a page and return its address; `where` is the folder of a suite to draw."""
    started = STARTED._replace(suite_infos=(SuiteInfo(suite, "nowhere"),))
    drawn = {suite: where or bundled_suites() / suite}
    file = folder / "report.html"
    with file.open("w", encoding="utf-8") as page:
        page.writelines(document(lambda: iter([started, *events, ENDED]), drawn))
    return file.as_uri()


@pytest.fixture(scope="module", name="mixed")
def _mixed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page of 15 cases, each of two subjects in suites of their own."""
    events: list[RunResult] = []
    for number in range(1, 16):
        verdict = (Verdict.PASSED, Verdict.DIFFERS, Verdict.CRASHED)[number % 3]
        tags = ("even",) if number % 2 == 0 else ()
        message = "ended by SIGSEGV" if verdict is Verdict.CRASHED else f"in case-{number}"
        mine = run(f"case-{number}", verdict, tags=tags, message=message)
        theirs = run(mine.case, Verdict.PASSED, subject="theirs", suite="other", message="")
        events += (mine, theirs)
    return write_page(tmp_path_factory.mktemp("mixed"), *events)


def texts(tab: Tab, selector: str) -> list[str]:
    """Return the texts of the elements that a selector matches, as they are shown."""
    everything = f"[...document.querySelectorAll({selector!r})]"
    found: list[str] = tab.value(f"{everything}.map(one => one.innerText)")
    return found


def listed(tab: Tab) -> list[str]:
    return texts(tab, ".run .who")


def choose(tab: Tab, field: str, value: str) -> list[str]:
    """Set a field of the filter; return the listed runs."""
    tab.value(
        f"(() => {{ const field = document.getElementById({field!r}); field.value = {value!r};"
        " field.dispatchEvent(new Event('input', { bubbles: true })); })()"
    )
    return listed(tab)


def until(tab: Tab, expression: str) -> None:
    """Wait until a JavaScript expression is true."""
    again = "setTimeout(look, 20, left - 1)"
    look = f"const look = left => ({expression}) || !left ? done(left) : {again}"
    assert tab.value(f"new Promise(done => {{ {look}; look(1000); }})"), expression


def open_first(tab: Tab) -> str:
    tab.value("document.querySelector('.run:not([open]):first-child > summary')?.click()")
    until(tab, "document.querySelector('.run > .body')")
    return str(tab.value("document.querySelector('.run').innerText"))


def widths(tab: Tab) -> list[int]:
    """Return the widths of all loaded pictures."""
    load = "image => image.decode().then(() => image.naturalWidth)"
    return list(tab.value(f"Promise.all([...document.images].map({load}))"))


def is_clean(tab: Tab, address: str) -> bool:
    """Return whether only the page was requested, without complaints, and nothing foreign ran."""
    foreign = tab.value("window.pwned ?? window.frames.length")
    return (tab.requests(), tab.complaints(), foreign) == ([address], [], 0)


# Use.


def test_strings_from_right_to_left_keep_their_places(browser: Browser, tmp_path: Path) -> None:
    """Without isolation, a browser swaps a key with its value, and elements with each other."""
    left = '{"\u05d0\u05d1":"\u05d2\u05d3","list":["\u05d4","\u05d5","\u05d6\u05d7"]}'
    right = left.replace("\u05d7", "\u05d8")
    shown = evidence_of(left, right)
    (difference,) = shown.differences
    message = '"\u05d0" expected, "\u05d1" printed'
    event = run("1", evidence=shown, message=message)
    place = difference._replace(pointer="/0/\u05d0/\u05d1")
    other = run("2", evidence=shown._replace(differences=(place,)), message=message)
    # The horizontal positions of the texts of a line that have an element of their own.
    line = "one => [...one.querySelectorAll('bdi')].map(each => each.getBoundingClientRect().left)"
    lines = ".message, .why, .row .cell, pre"
    with browser.tab() as tab:
        tab.open(write_page(tmp_path, event, other))
        tab.value("document.querySelectorAll('.run').forEach(one => one.open = true)")
        until(tab, "document.querySelectorAll('.run > .body').length === 2")
        positions = tab.value(f"[...document.querySelectorAll('{lines}')].map({line})")
        assert {2, 3} <= {len(each) for each in positions}
        assert all(each == sorted(each) for each in positions), positions
        marked = tab.value("[...document.querySelectorAll('bdi mark')].map(one => one.innerText)")
        assert marked == ["\u05d7", "\u05d8"] * 2


def test_a_page_opens_with_the_unexpected_runs_and_their_details(
    browser: Browser, mixed: str
) -> None:
    with browser.tab() as tab:
        tab.open(mixed)
        heading = tab.value("document.querySelector('h1').textContent")
        assert heading == "1 of 2 subjects passes everything"
        assert listed(tab)[0] == "xtictactoe/case-1 ./mine"
        assert tab.value(SHOWN) == "10 of 30 shown"
        body = open_first(tab)
        parts = ("in case-1", "Differences: 2", "/state/board", '{"ask":["state"]}')
        for text in (*parts, "KeyError", "xtest run --case case-1", Verdict.DIFFERS.description):
            assert text in body
        assert texts(tab, ".row mark") == [".", "X", "X", "O"]
        assert widths(tab) == [388, 388, 388]
        badge = tab.value("document.querySelector('.run .badge').title")
        assert badge == Verdict.DIFFERS.description
        tab.value("navigator.clipboard.writeText = async text => { window.copied = text; }")
        tab.value("document.querySelector('.command button').click()")
        assert tab.value("window.copied") == "xtest run --case case-1"
        until(tab, "document.querySelector('.command button').textContent === 'Copied'")
        assert is_clean(tab, mixed)


def test_the_filter_and_the_url_agree(browser: Browser, mixed: str) -> None:
    with browser.tab() as tab:
        tab.open(mixed)
        assert choose(tab, "q", "EVEN case-1") == [f"xtictactoe/case-1{n} ./mine" for n in (0, 4)]
        choose(tab, "q", "case-2 &")
        choose(tab, "verdict", "crashed")
        assert tab.value("location.href") == f"{mixed}#q=case-2+%26&verdict=crashed"
        choose(tab, "q", "")
        assert choose(tab, "subject", "theirs") == []
        assert "No runs match the filter." in tab.value("document.body.innerText")
        assert len(choose(tab, "verdict", "")) == 15
        tab.value("document.getElementById('all').click()")
        assert len(listed(tab)) == 30
    with browser.tab() as tab:
        tab.open(f"{mixed}#verdict=crashed&suite=xtictactoe&q=case-2")
        assert listed(tab) == ["xtictactoe/case-2 ./mine"]
        tab.value("[...document.querySelectorAll('.matrix td a')].at(-1).click()")
        until(tab, "document.querySelectorAll('.run').length === 15")
        # Unknown names do not filter.
        tab.value("location.hash = '#verdict=nonsense&suite=nonsense'")
        until(tab, "document.querySelectorAll('.run').length === 30")


def test_a_link_opens_its_runs_whatever_their_verdict(browser: Browser, tmp_path: Path) -> None:
    cases = ("account-2", "account-20", "2")
    events = [
        *(run(case, subject=who, suite="account") for case in cases for who in ("plain", "z")),
        run("2", subject="z", suite="account", delivery="cut"),
        run("3", Verdict.PASSED, subject="z", suite="account", delivery="cut"),
    ]
    address = write_page(tmp_path, *events, suite="account")
    with browser.tab() as tab:
        tab.open(f"{address}#run=account/2")
        assert texts(tab, ".run[open] .who") == listed(tab) == ["account/2 plain", "account/2 z"]
        assert tab.value(SHOWN) == "2 of 8 shown: account/2"
        found = {"2@z": ["2 z"], "2!cut": ["2 z cut"], "3": ["3 z cut"], "4": []}
        for wanted, names in found.items():
            tab.value(f"location.hash = {f'#run=account/{wanted}'!r}")
            until(tab, "document.querySelectorAll('.run').length === 8")
            assert texts(tab, ".run[open] .who") == [f"account/{name}" for name in names], wanted
        assert tab.value(SHOWN) == "8 of 8 shown; no run is named account/4"


def test_known_failures_are_listed_separately(browser: Browser, tmp_path: Path) -> None:
    known = KnownFailure("ties are not split yet", "https://example.org/7")
    unexpected = run("3", Verdict.PASSED, known=known._replace(holds=False), message="")
    address = write_page(tmp_path, run("1"), run("2", known=known), unexpected)
    with browser.tab() as tab:
        tab.open(f"{address}#verdict=")
        assert [" ".join(text.split()) for text in texts(tab, ".run")] == [
            "differs xtictactoe/1 2 differences in 1",
            "known xtictactoe/2 differs: ties are not split yet",
            "passed xtictactoe/3 passed, but is listed as a known failure: remove the entry"
            " (ties are not split yet)",
        ]
        options = ["all (3)", "unexpected (2)", "known failures (1)"]
        options += ["unexpected pass (1)", "differs (1)"]
        assert texts(tab, "#verdict option") == options
        assert choose(tab, "verdict", "differs") == ["xtictactoe/1"]
        assert choose(tab, "verdict", "known") == ["xtictactoe/2"]
        text = "Known failure (differs): ties are not split yet, https://example.org/7"
        assert text in open_first(tab)
        assert choose(tab, "verdict", "unexpected pass") == ["xtictactoe/3"]
        text = "Listed as a known failure, but it passed: ties are not split yet"
        assert text in open_first(tab)


def test_kinds_of_many_failures_are_counted_and_filter(browser: Browser, tmp_path: Path) -> None:
    first = "document.querySelector('#kinds button')"
    differing = [run(f"case-{number}") for number in range(1, 6)]
    crashed = [run(f"crash-{at}", Verdict.CRASHED, message="SIGSEGV") for at in range(1, 7)]
    with browser.tab() as tab:
        tab.open(write_page(tmp_path, *crashed, *differing))
        kinds = [line.split()[:2] for line in texts(tab, "#kinds li")]
        assert kinds == [["6", "crashed"], ["5", "differs"]]
        assert tab.value("document.querySelectorAll('#kinds .badge.bad').length") == 2
        tab.value(f"{first}.click()")
        assert len(listed(tab)) == 6
        assert tab.value("location.hash").startswith("#verdict=unexpected&kind=crashed%3A")
        assert len(choose(tab, "q", "crash-1")) == 1
        tab.value(f"{first}.click()")
        assert len(listed(tab)) == 1
        assert tab.value("document.getElementById('kinds').hidden")


def test_back_undoes_a_choice_but_not_each_character_of_a_search(
    browser: Browser, mixed: str
) -> None:
    with browser.tab() as tab:
        tab.open(mixed)
        choose(tab, "verdict", "crashed")
        assert tab.value(SHOWN) == "5 of 30 shown"
        for text in ("c", "ca", "case-2"):
            choose(tab, "q", text)
        assert tab.value(SHOWN) == "1 of 30 shown"
        tab.value("history.back()")
        until(tab, f"{SHOWN} === '10 of 30 shown'")
        assert tab.value("document.getElementById('q').value") == ""


def test_a_printed_page_has_the_details_of_the_first_failures(browser: Browser, mixed: str) -> None:
    with browser.tab() as tab:
        tab.open(mixed)
        assert tab.value("document.querySelectorAll('.run[open]').length") == 1
        tab.value("dispatchEvent(new Event('beforeprint'))")
        assert tab.value("document.querySelectorAll('.run[open] .rows').length") == 10


def test_the_keyboard_is_enough(browser: Browser, mixed: str) -> None:
    with browser.tab() as tab:
        tab.open(mixed)
        focused = "document.activeElement.id || document.activeElement.innerText"
        tab.press("/", 191)
        assert tab.value(focused) == "q"
        tab.press("7", 55)
        assert listed(tab) == ["xtictactoe/case-7 ./mine"]
        tab.press("Escape", 27)
        tab.value("document.activeElement.blur()")
        for key in "jjjk":
            tab.press(key)
        assert "case-2" in tab.value(focused)
        tab.press("Enter", 13)
        until(tab, "document.querySelectorAll('.run[open] .body').length === 1")


def test_cells_of_the_table_open_the_answers_side_by_side(browser: Browser, tmp_path: Path) -> None:
    cut = run("2", Verdict.CRASHED, delivery="cut", wall_s=3.0, message="ended by SIGABRT")
    passed = [run(case, Verdict.PASSED, subject="theirs", message="") for case in "123"]
    again = run("3", subject="other", message="3 differences")
    first = run("0", subject="theirs", message="1 difference")
    address = write_page(tmp_path, run("1"), run("2"), cut, *passed, again, first)
    focused = "document.activeElement.getAttribute('aria-label')"
    with browser.tab(width=1600) as tab:
        tab.open(f"{address}#view=table")
        assert [row.split() for row in texts(tab, "tr.case")] == [
            ["xtictactoe/0", "-", "-", "differs"],
            ["xtictactoe/1", "differs", "-", "passed"],
            # Of two deliveries, the first cause counts.
            ["xtictactoe/2", "crashed", "-", "passed"],
            ["xtictactoe/3", "-", "differs", "passed"],
        ]
        assert tab.value(SHOWN) == "4 cases with 5 of 8 runs"
        for key in "jjj":
            tab.press(key)
        tab.press("ArrowRight", 39)
        assert tab.value(focused) == "xtictactoe/2, theirs: passed"
        tab.press("Enter", 13)
        mine, theirs = texts(tab, ".answer")
        assert mine.startswith("./mine crashed") and "ended by SIGABRT" in mine
        assert "Passed. Only failures keep their output." in theirs
        assert tab.value("document.querySelector('.answer.current b').textContent") == "theirs"
        tab.press("Enter", 13)
        assert texts(tab, ".answer") == []
        assert choose(tab, "sort", "time") == []
        assert texts(tab, "tr.case")[0].startswith("xtictactoe/2")
        assert choose(tab, "view", "")[0] == "xtictactoe/2 ./mine cut"
        assert tab.value("location.hash") == "#verdict=unexpected&sort=time"
        assert is_clean(tab, address)


def test_json_is_indented_exactly_and_clipped_boxes_say_so(
    browser: Browser, tmp_path: Path
) -> None:
    wide = '{"n":[12345678901234567890,1.50],"names":["%s","%s"]}' % ("a" * 30, "b, {" * 9)
    tidy = wide.replace('{"n":[', '{\n  "n": [').replace("90,1", "90, 1").replace("0],", "0],\n  ")
    tidy = tidy.replace('s":["', 's": [\n    "').replace('a","b', 'a",\n    "b')
    tidy = tidy.replace('"]}', '"\n  ]\n}')
    # Other text is shown as it was printed.
    streams = (wide, wide.replace(",", " "), "\n".join(map(str, range(80))), "Traceback: {}")
    seen = evidence_with(streams)
    address = write_page(tmp_path, run("1", evidence=seen, message="why"), suite="s")
    tools, streams_shown = ".tools button:not([hidden])", ".streams pre"
    with browser.tab() as tab:
        tab.open(address)
        open_first(tab)
        assert texts(tab, streams_shown) == [tidy, *streams[1:]]
        until(tab, "document.querySelector('.box.clipped')")
        assert texts(tab, tools) == ["Raw", "Show all"]
        tab.value(f"document.querySelectorAll({tools!r}).forEach(b => b.click())")
        assert texts(tab, streams_shown)[0] == wide
        assert texts(tab, tools) == ["Raw", "Show less"]
        box = "document.querySelector('.whole pre')"
        assert tab.value(f"{box}.scrollHeight <= {box}.clientHeight")


# Looks.


def test_a_long_name_leaves_room_for_verdicts(browser: Browser, tmp_path: Path) -> None:
    long = run("x" * 200)
    address = write_page(tmp_path, long, long._replace(subject="theirs"))
    last = "[...document.querySelectorAll('tr.case td')].at(-1).getBoundingClientRect()"
    with browser.tab(width=390, height=844) as tab:
        tab.open(f"{address}#view=table")
        assert tab.value(f"{last}.right <= 390")


@pytest.mark.parametrize("width", [390, 320])
def test_on_a_phone_nothing_is_wider_than_the_screen(
    browser: Browser, mixed: str, width: int
) -> None:
    is_beyond = f"element => element.getBoundingClientRect().right > {width}"
    beyond = f"[...document.querySelectorAll('body *:not(.scroll *)')].filter({is_beyond}).length"
    with browser.tab(width=width, height=844) as tab:
        tab.open(mixed)
        open_first(tab)
        assert tab.value("document.documentElement.scrollWidth") == width
        assert tab.value(beyond) == 0


def test_on_a_phone_the_first_of_many_failures_is_on_the_first_screen(
    browser: Browser, tmp_path: Path
) -> None:
    failures = [run(str(number), message=f"at /{number % 5}") for number in range(25)]
    page = write_page(tmp_path, *failures)
    with browser.tab(width=390, height=844) as tab:
        tab.open(page)
        top = tab.value("document.querySelector('.run > summary').getBoundingClientRect().top")
        assert top < 800
        assert "\nStarted" not in tab.value("document.querySelector('header').innerText")
        tab.value("document.querySelector('.about > summary').click()")
        assert "\nStarted" in tab.value("document.querySelector('header').innerText")


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_has_the_contrast_that_wcag_requires(
    browser: Browser, tmp_path: Path, *, dark: bool
) -> None:
    runs = (run(verdict.value, verdict, message="why", wall_s=1.0) for verdict in Verdict)
    address = write_page(tmp_path, *runs, run("1", known=KnownFailure("ties")))
    paper = "getComputedStyle(document.body).backgroundColor"
    with browser.tab(dark=dark) as tab:
        tab.open(f"{address}#verdict=")
        open_first(tab)
        assert tab.value(paper) == ("rgb(21, 23, 26)" if dark else "rgb(252, 251, 249)")
        assert tab.value(CONTRASTS) == []
        # The measure itself finds text that is too faint.
        tab.value("document.querySelector('h1').style.color = 'rgb(128, 128, 128)'")
        assert [found[0] for found in tab.value(CONTRASTS)] == ([] if dark else ["H1"])
        tab.call("Emulation.setEmulatedMedia", media="print")
        assert tab.value("getComputedStyle(document.getElementById('filter')).display") == "none"
        assert tab.value(paper) == "rgb(255, 255, 255)"


# Safety.


def test_output_of_programs_is_shown_and_never_run(browser: Browser, tmp_path: Path) -> None:
    difference = ShownDifference(f"/{EVIL}", f'"{EVIL}"', f"[{EVIL}]")
    seen = evidence_with([f'"{EVIL}"'] * 4, difference)
    names: dict[str, Any] = dict.fromkeys(("suite", "subject", "message"), EVIL)
    event = run(EVIL, **names, tags=(EVIL,), repeat=("xtest", EVIL), evidence=seen)
    address = write_page(tmp_path, event, run("1", subject=EVIL))
    with browser.tab() as tab:
        tab.open(address)
        assert open_first(tab).count("<script>window.pwned = 1</script>") > 6
        assert tab.value("document.scripts.length") == 5
        tab.value("document.body.insertAdjacentHTML('beforeend', '<p id=x style=\"color:red\">x')")
        assert tab.value("getComputedStyle(document.getElementById('x')).color") != "rgb(255, 0, 0)"
        assert (tab.requests(), tab.value("window.pwned ?? 0")) == ([address], 0)


HOSTILE = """<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="pwned = 1">
<script>parent.pwned = top.pwned = window.pwned = 2</script>
<image href="http://127.0.0.1:9/x.png" width="9" height="9"/>
<foreignObject width="9" height="9">
<iframe xmlns="http://www.w3.org/1999/xhtml" src="http://127.0.0.1:9/"/></foreignObject>
<rect width="40" height="40" fill="red"/></svg>"""


@pytest.mark.parametrize(("svg", "sizes"), [(HOSTILE, [40, 40]), ("<svg><g>", None)])
def test_svg_is_a_picture_or_a_note(
    browser: Browser, tmp_path: Path, svg: str, sizes: list[int] | None
) -> None:
    write_program(tmp_path / "renderer", f"cat <<'E'\n{svg}\nE")
    (tmp_path / "suite.toml").write_text("[render]\ncommand = './renderer'\n", encoding="utf-8")
    address = write_page(tmp_path, run("1", suite="h"), suite="h", where=tmp_path)
    with browser.tab() as tab:
        tab.open(address)
        open_first(tab)
        if sizes is not None:
            assert (widths(tab), is_clean(tab, address)) == (sizes, True)
        else:
            until(tab, "!document.images.length")
            (body,) = texts(tab, ".run")
            assert body.count("no picture: the browser cannot show the SVG") == 2


def test_five_thousand_failures_remain_usable(browser: Browser, tmp_path: Path) -> None:
    address = write_page(tmp_path, *(run(f"case-{number}") for number in range(5_000)))
    assert (tmp_path / "report.html").stat().st_size < 8_000_000
    with browser.tab() as tab:
        tab.open(address)
        assert tab.value(SHOWN) == "5,000 of 5,000 shown"
        assert texts(tab, "#kinds b") == ["5,000"]
        tab.value("(range = new Range()).selectNodeContents(document.querySelector('#kinds b'))")
        assert tab.value("range.getClientRects().length") == 1  # one line
        assert tab.value("document.querySelectorAll('*').length") < 6_000
        assert choose(tab, "q", "case-4999") == ["xtictactoe/case-4999"]
        assert "Differences: 2" in open_first(tab)
        choose(tab, "q", "")
        tab.value("document.getElementById('more').click()")
        assert len(listed(tab)) >= 400
        assert is_clean(tab, address)
