"""The site and the badges: their files, and the pages in Chromium, opened without a server."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.chromium import Browser
from support.events import ENDED, STARTED, STREAM, evidence, run, source_of_events
from support.golden import Golden
from support.suites import write_suite

from harness.model.case import CaseInfo
from harness.model.dialogue import EntryKind
from harness.model.events import Event, RunEnded
from harness.model.judgement import ShownMessage
from harness.model.suite_info import SuiteInfo
from harness.model.verdict import Verdict
from harness.reports.registry import ReportRequest
from harness.reports.writer import make_reports

EVIL = "<img src=x onerror='window.pwned = 1'></script>"
NAMES = "[...document.querySelectorAll('#rows th a')].map(a => a.textContent)"


def write(name: str, folder: Path, *events: Event) -> dict[str, str]:
    report = ReportRequest("--to", name, str(folder))
    assert not make_reports([report], source_of_events(*events))
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files}


@pytest.mark.parametrize("name", ["badges", "site"])
def test_the_files_are_what_is_recorded(name: str, tmp_path: Path, golden: Golden) -> None:
    again = STARTED._replace(started="2026-02-01T12:00:00Z"), RunEnded({"passed": 4}, 1.0, 0)
    files = write(name, tmp_path, *STREAM, *again)
    made = sorted(files.keys() - {"site.css", "site.js"})
    golden(f"{name}.txt", "".join(f"{file}\n\n{files[file]}\n" for file in made))


def test_no_page_of_a_suite_replaces_the_index(tmp_path: Path) -> None:
    files = write("site", tmp_path, STARTED, run("1", suite="index"), ENDED)
    pages = sorted(name for name in files if name.startswith("index-"))
    assert len(pages) == 3 and f'href="{pages[0]}"' in files["index.html"]


def test_inputs_of_passed_cases_come_from_the_suite(tmp_path: Path) -> None:
    write_suite(tmp_path / "s", {"1": ("[1]\n", "2\n")})
    started = STARTED._replace(suite_infos=(SuiteInfo("s", str(tmp_path / "s")),))
    files = write("site", tmp_path / "site", started, run("1"), ENDED)
    assert '[["Input","[1]"],["Expected output","2"]]' in files["s/0.js"]


def test_an_output_that_escapes_make_too_long_is_marked_as_cut(tmp_path: Path) -> None:
    seen = evidence(stdout="\x01" * 1_000)
    files = write("site", tmp_path, STARTED, run("1", Verdict.DIFFERS, evidence=seen), ENDED)
    assert "\\\\x01 ... (1,000 bytes)" in files["s/0.js"]


@pytest.mark.system
def test_cases_are_searched_and_opened_in_the_browser(tmp_path: Path, browser: Browser) -> None:
    info = CaseInfo(f"A tab {EVIL}", "More.", "https://example.org/tab", f"Blanks {EVIL}")
    talk = (ShownMessage(EntryKind.RECEIVED, 0.5, "1", EVIL, failed=True),)
    seen = evidence(stdout=EVIL)._replace(talk=talk)
    runs = [
        run("tab", Verdict.DIFFERS, info=info, evidence=seen, message=EVIL),
        run("tab", subject="y"),
        *(run(f"{number}", subject=subject) for number in range(300) for subject in "xy"),
    ]
    write("site", tmp_path, STARTED, *runs, ENDED)
    with browser.tab(width=390, height=844) as tab:
        tab.open((tmp_path / "index.html").as_uri())
        assert tab.value("document.querySelector('h1').textContent") == "2 implementations, 1 suite"
        assert tab.value("document.querySelector('img').naturalWidth") > 0
        tab.open((tmp_path / "s.html").as_uri())
        assert tab.value("document.getElementById('count').textContent") == "301 of 301 cases"
        assert tab.value(f"{NAMES}.length") == 200
        tab.value("document.getElementById('more').click()")
        assert tab.value(f"{NAMES}.length") == 301
        tab.value("document.getElementById('q').value = 'a TAB'")
        tab.value("document.getElementById('q').dispatchEvent(new Event('input', {bubbles: true}))")
        assert tab.value(NAMES) == ["tab"]
        groups = tab.value("[...document.querySelectorAll('th.group')].map(each => each.innerText)")
        assert groups == [f"Blanks {EVIL}"]
        tab.value("document.querySelector('#rows a').click()")
        shown = tab.value(
            "new Promise(done => { const look = () => document.querySelector('.answers')"
            " ? done(document.getElementById('case').innerText) : setTimeout(look, 5); look(); })"
        )
        for text in (f"tab: A tab {EVIL}", "More.", "https://example.org/tab", "differs", "passed"):
            assert text in shown
        tab.value("document.querySelector('.answers summary').click()")
        failed = "document.querySelector('.answers .talk .failed td:nth-child(4)').innerText"
        assert tab.value(failed) == EVIL
        size = "Number.parseFloat(getComputedStyle(document.querySelector('{}')).fontSize)"
        assert tab.value(f"{size.format('#case > h2')} > {size.format('h1')}") is True
        assert tab.value("document.documentElement.scrollWidth") <= 390
        assert tab.value("window.pwned") is None
        assert tab.complaints() == []
        assert all(address.startswith("file:") for address in tab.requests())
