"""The HTML report in a real Chromium: it can be used, it is seen, nothing foreign runs in it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import Browser, Tab

from harness.about import About
from harness.documents.html import document
from harness.events import (
    Bytes,
    Event,
    Evidence,
    Judged,
    Known,
    RunEnded,
    RunStarted,
    ShownDifference,
)
from harness.records import Verdict

pytestmark = pytest.mark.system

EVIL = "</script><script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>"
STATE = '{"board":"XO.......","player":"X"}'
OTHER = '{"board":"XO..X....","player":"O"}'


@pytest.fixture(scope="module", name="browser")
def _browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if shutil.which("chromium") is None:
        message = "chromium is not installed (.ci/setup installs it)"
        if os.environ.get("XTEST_REQUIRE_SYSTEM"):
            pytest.fail(message)
        pytest.skip(message)
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


def carried(text: str) -> Bytes:
    """A stream as a whole."""
    return Bytes(text.encode(), len(text.encode()))


def run(case: str, verdict: Verdict = Verdict.DIFFERS, **more: Any) -> Judged:
    """A judged run of the bundled suite xtictactoe, whose boards are drawn."""
    expected, stdout = f'{{"state":{STATE}}}', f'{{"state":{OTHER}}}'
    differences = (
        ShownDifference("/0/state/board", '"XO......."', '"XO..X...."'),
        ShownDifference("/0/state/player", '"X"', '"O"'),
    )
    asked = carried('{"ask":["state"]}\n')
    streams = asked, carried(expected), carried(stdout), carried("KeyError: 7\n")
    evidence = None if verdict is Verdict.PASSED else Evidence(*streams, differences, 2)
    told: dict[str, Any] = {
        **{"suite": "xtictactoe", "subject": "./mine", "delivery": "plain"},
        **{"message": f"2 differences in {case}", "repeat": ("xtest", "run", "--case", case)},
        "evidence": evidence,
    }
    return Judged(case=case, verdict=verdict, **(told | more))


def written(folder: Path, *events: Event, suite: str = "xtictactoe", where: str = "") -> str:
    """The address of a page of these events; `where` is the folder of the suite."""
    about = About(suite, where or "nowhere", title="Tic-tac-toe")
    started = RunStarted("0.1.0", "2026-01-31T12:00:00Z", (suite,), 9, 2, about=(about,))
    told = [started, *events, RunEnded({}, 1.0, 1)]
    file = folder / "report.html"
    with file.open("w", encoding="utf-8") as page:
        page.writelines(document(lambda: iter(told)))
    return file.as_uri()


@pytest.fixture(scope="module", name="mixed")
def _mixed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with some of everything: 30 cases of two subjects in two suites."""
    events: list[Judged] = []
    for number in range(1, 16):
        verdict = (Verdict.PASSED, Verdict.DIFFERS, Verdict.CRASHED)[number % 3]
        told = {"message": "ended by SIGSEGV"} if verdict is Verdict.CRASHED else {}
        tags = ("even",) if number % 2 == 0 else ()
        events.append(run(f"case-{number}", verdict, tags=tags, **told))
        passed = {"subject": "theirs", "suite": "other", "message": ""}
        events.append(run(f"case-{number}", Verdict.PASSED, **passed))
    return written(tmp_path_factory.mktemp("mixed"), *events)


def listed(tab: Tab) -> list[str]:
    """The cases that are in sight of the filter."""
    names: list[str] = tab.value(
        "[...document.querySelectorAll('.run .who')].map(who => who.textContent)"
    )
    return names


def choose(tab: Tab, field: str, value: str) -> None:
    """Set a field of the filter, as a person does."""
    tab.value(
        f"(() => {{ const field = document.getElementById({field!r}); field.value = {value!r};"
        " field.dispatchEvent(new Event('input', { bubbles: true })); })()"
    )


OPENED = "[...document.querySelectorAll('.run[open] .who')].map(who => who.textContent)"


def until(tab: Tab, expression: str) -> None:
    """Wait until an expression of JavaScript is true: events come after what causes them."""
    again = "setTimeout(look, 20, left - 1)"
    look = f"const look = left => ({expression}) || !left ? done(left) : {again}"
    assert tab.value(f"new Promise(done => {{ {look}; look(1000); }})"), expression


def opened(tab: Tab) -> str:
    """Open the first run by a click on it; what is read in it then."""
    tab.value("document.querySelector('.run > summary').click()")
    until(tab, "document.querySelector('.run > .body')")
    body: str = tab.value("document.querySelector('.run').innerText")
    return body


def widths(tab: Tab) -> list[int]:
    """How wide the pictures are that have been loaded."""
    found: list[int] = tab.value(
        "Promise.all([...document.images].map("
        "image => image.decode().then(() => image.naturalWidth)))"
    )
    return found


def is_clean(tab: Tab, address: str) -> bool:
    """Nothing was asked for but the page, nothing complained, nothing foreign ran."""
    foreign = tab.value("window.pwned ?? window.frames.length")
    return (tab.requests(), tab.complaints(), foreign) == ([address], [], 0)


# It can be used.


def test_the_page_loads_and_shows_what_is_to_be_looked_at(browser: Browser, mixed: str) -> None:
    with browser.tab() as tab:
        tab.open(mixed)
        heading = "document.querySelector('h1').textContent"
        assert tab.value(heading) == "1 of 2 subjects passes everything"
        assert len(listed(tab)) == 10
        assert listed(tab)[0] == "xtictactoe/case-1 ./mine"
        assert tab.value("document.getElementById('shown').textContent") == "10 of 30 shown"
        assert is_clean(tab, mixed)


def test_a_failure_opens_with_differences_boards_and_all_the_rest(
    browser: Browser, mixed: str
) -> None:
    with browser.tab() as tab:
        tab.open(mixed)
        body = opened(tab)
        for said in (
            "2 differences in case-1",
            "Differences: 2",
            '"board": "XO..X...."',
            "/0/state/board",
            "input",
            "expected",
            "printed",
            '{"ask":["state"]}',
            "KeyError: 7",
            "xtest run --case case-1",
            "Copy",
        ):
            assert said in body, said
        marked = "[...document.querySelectorAll('.row mark')].map(mark => mark.textContent)"
        assert tab.value(marked) == [".", "X", "X", "O"]
        assert widths(tab) == [388, 388, 388]
        sides = "[...document.querySelectorAll('figcaption')].map(side => side.textContent)"
        assert tab.value(sides) == ["input", "expected", "printed"]
        assert is_clean(tab, mixed)


def test_the_filter_takes_words_verdicts_suites_and_subjects(browser: Browser, mixed: str) -> None:
    with browser.tab() as tab:
        tab.open(mixed)
        choose(tab, "q", "EVEN case-1")
        assert listed(tab) == ["xtictactoe/case-10 ./mine", "xtictactoe/case-14 ./mine"]
        choose(tab, "q", "")
        choose(tab, "verdict", "crashed")
        assert [name.split("-")[1] for name in listed(tab)] == [
            *("2 ./mine", "5 ./mine", "8 ./mine", "11 ./mine", "14 ./mine")
        ]
        choose(tab, "subject", "theirs")
        assert listed(tab) == []
        assert "Nothing here matches the filter." in tab.value("document.body.innerText")
        choose(tab, "verdict", "")
        assert len(listed(tab)) == 15
        tab.value("document.getElementById('all').click()")
        assert len(listed(tab)) == 30


def test_the_address_has_the_filter_and_brings_it_back(browser: Browser, mixed: str) -> None:
    with browser.tab() as tab:
        tab.open(mixed)
        choose(tab, "q", "case-2 &")
        choose(tab, "verdict", "crashed")
        address = tab.value("location.href")
        assert address == f"{mixed}#q=case-2+%26&verdict=crashed"
    with browser.tab() as tab:
        tab.open(f"{mixed}#verdict=crashed&suite=xtictactoe&q=case-2")
        assert listed(tab) == ["xtictactoe/case-2 ./mine"]
        tab.value("location.hash = '#verdict=passed&subject=theirs'")
        until(tab, "document.querySelectorAll('.run').length === 15")
        # What a name cannot be is no filter.
        tab.value("location.hash = '#verdict=nonsense&suite=nonsense'")
        until(tab, "document.querySelectorAll('.run').length === 30")


def test_a_link_to_a_case_opens_it_whatever_its_verdict(browser: Browser, mixed: str) -> None:
    with browser.tab() as tab:
        tab.open(f"{mixed}#run=xtictactoe%2Fcase-13%40.%2Fmine")
        assert tab.value(OPENED) == ["xtictactoe/case-13 ./mine"]
        link = "document.querySelector('.run[open] .ending a').href"
        assert tab.value(link) == f"{mixed}#run=xtictactoe%2Fcase-13%40.%2Fmine"
        top = "document.querySelector('.run[open]').getBoundingClientRect().top"
        assert 0 <= tab.value(top) < 900


def test_a_link_to_a_case_opens_it_for_every_subject(browser: Browser, tmp_path: Path) -> None:
    cases = ("account-2", "account-20", "2")
    events = [
        *(run(case, subject=who, suite="account") for case in cases for who in ("a", "b")),
        run("2", subject="b", suite="account", delivery="cut"),
        run("3", subject="b", suite="account", delivery="cut"),
    ]
    address = written(tmp_path, *events, suite="account")
    with browser.tab() as tab:
        tab.open(f"{address}#run=account/2")
        assert tab.value(OPENED) == listed(tab) == ["account/2 a", "account/2 b"]
        assert tab.value("document.querySelectorAll('.run[open] .body').length") == 2
        shown = "document.getElementById('shown').textContent"
        assert tab.value(shown) == "2 of 8 shown: account/2"
        for wanted, found in {
            "account/2@b": ["account/2 b"],
            "account/2!cut": ["account/2 b cut"],
            "account/2@b!cut": ["account/2 b cut"],
            "account/3": ["account/3 b cut"],
            "account/3@b": ["account/3 b cut"],
            "account/4": [],
        }.items():
            tab.value(f"location.hash = {f'#run={wanted}'!r}")
            until(tab, "document.querySelectorAll('.run').length === 8")
            assert (wanted, tab.value(OPENED)) == (wanted, found)
        assert tab.value(shown) == "8 of 8 shown; none is called account/4"
        tab.value("location.hash = '#run=account/account-2'")
        until(tab, "document.querySelectorAll('.run').length === 2")
        tab.value("document.getElementById('all').click()")
        assert (len(listed(tab)), tab.value(OPENED)) == (8, [])


def test_a_link_that_names_a_subject_opens_where_there_is_but_one(
    browser: Browser, tmp_path: Path
) -> None:
    address = written(tmp_path, run("1"), run("2"))
    with browser.tab() as tab:
        tab.open(f"{address}#run=xtictactoe/2@./mine")
        assert tab.value(OPENED) == ["xtictactoe/2"]


def test_a_known_failure_says_that_it_is_known_and_why(browser: Browser, tmp_path: Path) -> None:
    known = Known("ties are not split yet", "https://example.org/7")
    outgrown = run("3", Verdict.PASSED, known=known._replace(holds=False), message="")
    address = written(tmp_path, run("1"), run("2", known=known), outgrown)
    line = "[...document.querySelectorAll('.run')].map(run => run.innerText.replace(/\\s+/g, ' '))"
    with browser.tab() as tab:
        tab.open(f"{address}#verdict=")
        assert [said.rsplit(" ", 2)[0] for said in tab.value(line)] == [
            "differs xtictactoe/1 2 differences in 1",
            "known xtictactoe/2 differs: ties are not split yet",
            "passed xtictactoe/3 but it is listed as a known failure: ties are not split yet",
        ]
        entries = "[...document.getElementById('verdict').options].map(one => one.textContent)"
        assert tab.value(entries) == [
            *("all (3)", "to look at (2)", "known failures (1)", "differs (1)", "passed (1)")
        ]
        tab.value("document.querySelector('.count.known').click()")
        until(tab, "document.querySelectorAll('.run').length === 1")
        assert tab.value("document.getElementById('verdict').value") == "known"
        said = "Known failure (differs): ties are not split yet, https://example.org/7"
        assert said in opened(tab)
        choose(tab, "verdict", "differs")
        assert listed(tab) == ["xtictactoe/1"]
        choose(tab, "verdict", "")
        choose(tab, "q", "known split xtictactoe/2")
        assert listed(tab) == ["xtictactoe/2"]


def test_the_matrix_leads_to_its_runs(browser: Browser, mixed: str) -> None:
    with browser.tab() as tab:
        tab.open(mixed)
        tab.value("[...document.querySelectorAll('.matrix td a')].at(-1).click()")
        until(tab, "document.querySelectorAll('.run').length === 15")
        assert all("theirs" in name for name in listed(tab))


def test_the_keyboard_is_enough(browser: Browser, mixed: str) -> None:
    with browser.tab() as tab:
        tab.open(mixed)
        focused = "document.activeElement.id || document.activeElement.innerText"
        tab.press("/", 191)
        assert tab.value(focused) == "q"
        tab.press("7", 55)
        assert listed(tab) == ["xtictactoe/case-7 ./mine"]
        tab.press("Escape", 27)
        assert len(listed(tab)) == 10
        tab.value("document.activeElement.blur()")
        tab.press("j", 74)
        tab.press("j", 74)
        tab.press("j", 74)
        tab.press("k", 75)
        assert "case-2" in tab.value(focused)
        tab.press("Enter", 13)
        until(tab, "document.querySelectorAll('.run[open] .body').length === 1")


def test_the_command_is_copied(browser: Browser, mixed: str) -> None:
    with browser.tab() as tab:
        tab.open(mixed)
        opened(tab)
        tab.value(
            "navigator.clipboard.writeText = text => { window.copied = text;"
            " return Promise.resolve(); }"
        )
        tab.value("document.querySelector('.command button').click()")
        assert tab.value("window.copied") == "xtest run --case case-1"
        until(tab, "document.querySelector('.command button').textContent === 'Copied'")


def test_what_went_wrong_alike_is_counted_and_leads_to_its_runs(
    browser: Browser, mixed: str
) -> None:
    said = "[...document.querySelectorAll('#kinds li')].map(line => line.innerText.split(/\\s+/))"
    first = "document.querySelector('#kinds button')"
    with browser.tab() as tab:
        tab.open(mixed)
        assert [line[:2] for line in tab.value(said)] == [["5", "differs"], ["5", "crashed"]]
        tab.value(f"{first}.click()")
        assert len(listed(tab)) == 5
        assert tab.value("document.activeElement.dataset.kind") == "0"
        assert tab.value("location.hash").startswith("#verdict=to-look-at&kind=differs%3A")
        choose(tab, "q", "case-1")
        assert [line[:2] for line in tab.value(said)] == [["3", "differs"], ["2", "crashed"]]
        assert len(listed(tab)) == 3
        # Another click lets the others in again.
        tab.value(f"{first}.click()")
        assert len(listed(tab)) == 5
        choose(tab, "q", "case-7")
        assert tab.value("document.getElementById('kinds').hidden")
        choose(tab, "q", "")
        tab.value("document.querySelectorAll('#kinds button')[1].click()")
        tab.value("document.getElementById('all').click()")
        assert len(listed(tab)) == 30


def test_a_verdict_says_what_it_means(browser: Browser, mixed: str) -> None:
    meaning = "It printed as many values as expected, and not the same."
    with browser.tab() as tab:
        tab.open(mixed)
        chip = "document.querySelector('.count[href$=\"=differs\"]')"
        for shown in (chip, "document.querySelector('.run .badge')"):
            assert tab.value(f"{shown}.title") == meaning
        assert f"differs: {meaning}" in opened(tab)


# It is seen.


@pytest.mark.parametrize("width", [390, 320])
def test_on_a_phone_nothing_is_wider_than_the_screen(
    browser: Browser, mixed: str, width: int
) -> None:
    with browser.tab(width=width, height=844) as tab:
        tab.open(mixed)
        opened(tab)
        assert tab.value("document.documentElement.scrollWidth") == width
        # Nor is anything cut off, but for what scrolls by itself.
        beyond = (
            "[...document.querySelectorAll('body *:not(.scroll *)')].filter(element =>"
            f" element.getBoundingClientRect().right > {width}).map(element => element.className)"
        )
        assert tab.value(beyond) == []
        # Nor does the matrix of a few suites need to scroll, and names stay whole.
        table = "document.querySelector('.scroll')"
        assert tab.value(f"{table}.scrollWidth - {table}.clientWidth") == 0
        height = "document.querySelector('.matrix tbody th a').getClientRects().length"
        assert tab.value(height) == 1


COLOURS = """(() => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const paper = element => {
    for (let one = element; one; one = one.parentElement) {
      const colour = rgb(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(
      c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const found = [];
  for (const element of document.querySelectorAll('body *:not(svg *)')) {
    const texts = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!texts || !element.checkVisibility({ visibilityProperty: true })) continue;
    const [one, other] = [light(rgb(getComputedStyle(element).color)), light(paper(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) found.push([element.className || element.tagName, ratio]);
  }
  return found;
})()"""


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_has_the_contrast_that_wcag_asks_for(
    browser: Browser, mixed: str, *, dark: bool
) -> None:
    with browser.tab(dark=dark) as tab:
        tab.open(mixed)
        opened(tab)
        assert tab.value(COLOURS) == []
        # The measure itself: what is too faint is found.
        tab.value("document.querySelector('h1').style.color = 'rgb(128, 128, 128)'")
        assert [found[0] for found in tab.value(COLOURS)] == ([] if dark else ["H1"])


def test_in_the_dark_the_page_is_dark(browser: Browser, mixed: str) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    seen: list[str] = []
    for dark in (False, True):
        with browser.tab(dark=dark) as tab:
            tab.open(mixed)
            seen.append(tab.value(paper))
    assert seen == ["rgb(252, 251, 249)", "rgb(21, 23, 26)"]


def test_on_paper_there_is_no_filter_and_nothing_dark(browser: Browser, mixed: str) -> None:
    with browser.tab(dark=True) as tab:
        tab.open(mixed)
        tab.call("Emulation.setEmulatedMedia", media="print")
        assert tab.value("getComputedStyle(document.getElementById('filter')).display") == "none"
        assert tab.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_without_javascript_the_summary_and_the_list_are_there(
    browser: Browser, mixed: str
) -> None:
    with browser.tab() as tab:
        tab.call("Emulation.setScriptExecutionDisabled", value=True)
        tab.open(mixed)
        words = tab.value("document.body.innerText")
        assert "20 of 30 passed: 10 failed" in words
        assert "10 runs did not pass." in words
        assert "xtictactoe/case-1, ./mine 2 differences in case-1" in words
        assert "Filter" not in words


# Nothing foreign runs.


def test_what_programs_print_is_shown_and_never_run(browser: Browser, tmp_path: Path) -> None:
    seen = Evidence(
        carried(EVIL),
        carried(f'"{EVIL}"'),
        carried(f"[{EVIL}]"),
        carried(EVIL),
        (ShownDifference(f"/{EVIL}", f'"{EVIL}"', f"[{EVIL}]"),),
        1,
    )
    told: dict[str, Any] = {"tags": (EVIL,), "repeat": ("xtest", EVIL), "evidence": seen}
    event = run(EVIL, message=EVIL, subject=EVIL, suite=EVIL, **told)
    address = written(tmp_path, event, run("1", subject=EVIL))
    with browser.tab() as tab:
        tab.open(address)
        assert opened(tab).count("<script>window.pwned = 1</script>") > 6
        assert tab.value("document.scripts.length") == 5
        assert is_clean(tab, address)


HOSTILE = """<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="pwned = 1">
<script>parent.pwned = top.pwned = window.pwned = 2</script>
<image href="http://127.0.0.1:9/x.png" width="9" height="9"/>
<foreignObject width="9" height="9">
<iframe xmlns="http://www.w3.org/1999/xhtml" src="http://127.0.0.1:9/"/></foreignObject>
<rect width="40" height="40" fill="red"/></svg>"""


def test_svg_of_a_hostile_renderer_is_a_picture_and_nothing_more(
    browser: Browser, tmp_path: Path
) -> None:
    renderer = tmp_path / "hostile"
    renderer.write_text(f"#!{sys.executable}\nprint('''{HOSTILE}''')\n", encoding="utf-8")
    renderer.chmod(0o755)
    (tmp_path / "suite.toml").write_text("[render]\ncommand = './hostile'\n", encoding="utf-8")
    address = written(tmp_path, run("1", suite="h"), suite="h", where=str(tmp_path))
    with browser.tab() as tab:
        tab.open(address)
        opened(tab)
        assert widths(tab) == [40, 40]
        assert is_clean(tab, address)


def test_a_picture_that_cannot_be_shown_is_a_note(browser: Browser, tmp_path: Path) -> None:
    renderer = tmp_path / "broken"
    renderer.write_text(f"#!{sys.executable}\nprint('<svg><g>')\n", encoding="utf-8")
    renderer.chmod(0o755)
    (tmp_path / "suite.toml").write_text("[render]\ncommand = './broken'\n", encoding="utf-8")
    with browser.tab() as tab:
        tab.open(written(tmp_path, run("1", suite="b"), suite="b", where=str(tmp_path)))
        opened(tab)
        until(tab, "!document.images.length")
        body = tab.value("document.querySelector('.run').innerText")
        assert body.count("no picture: the renderer printed SVG that cannot be shown") == 2


def test_a_style_that_was_slipped_in_has_no_effect(browser: Browser, mixed: str) -> None:
    with browser.tab() as tab:
        tab.open(mixed)
        tab.value("document.body.insertAdjacentHTML('beforeend', '<p id=x style=\"color:red\">x')")
        assert tab.value("getComputedStyle(document.getElementById('x')).color") != "rgb(255, 0, 0)"


# It is large.


def test_five_thousand_failures_are_a_page_that_can_be_used(
    browser: Browser, tmp_path: Path
) -> None:
    events = [run(f"case-{number}") for number in range(5_000)]
    address = written(tmp_path, *events)
    assert (tmp_path / "report.html").stat().st_size < 8_000_000
    with browser.tab() as tab:
        tab.open(address)
        assert tab.value("document.getElementById('shown').textContent") == "5,000 of 5,000 shown"
        # No more is built than is looked at.
        assert tab.value("document.querySelectorAll('*').length") < 6_000
        choose(tab, "q", "case-4999")
        assert listed(tab) == ["xtictactoe/case-4999"]
        assert "Differences: 2" in opened(tab)
        assert widths(tab) == [388, 388, 388]
        choose(tab, "q", "")
        more = "document.getElementById('more')"
        tab.value(f"{more}.click()")
        assert len(listed(tab)) >= 400
        assert is_clean(tab, address)
