"""The page of a history: its charts and lists, and that names are only ever text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.chromium import Browser
from support.events import history_of, run, runs_of_letters
from support.golden import Golden

from harness.analysis.history import RunOrder
from harness.model.events import RunResult
from harness.reports.pages import history as history_page
from harness.reports.pages.history import chart_line, document, sparkline_of

EVIL = "</title></script><script>window.pwned = 1</script><img src=x>"


def page_of(runs: list[list[RunResult]]) -> str:
    return "".join(document(history_of(runs), RunOrder.TIME))


def test_all_trends_have_the_scale_from_none_to_all() -> None:
    assert chart_line([0.5, None, 0.75, 1.0]) == "M0.25 10H0.5M2.25 6H2.5L3.5 2"
    assert chart_line([1.0, 1.0]) == "M0.25 2H0.5L1.5 2"
    assert chart_line([0.0, 0.0]) == "M0.25 18H0.5L1.5 18"


def test_a_timeline_has_a_chart_and_counts_changes(golden: Golden) -> None:
    def described(letters: str) -> str:
        (line,) = history_of(runs_of_letters({"a": letters})).cases()
        facts = ["fails"] * line.fails + [f"changes: {line.flips}"] + ["flaky"] * line.is_flaky
        chart = sparkline_of(line)
        bands = (" ".join(band) for band in chart.bands)
        return ", ".join([*facts, f"{chart.width} wide", *bands, chart.line, chart.label])

    golden.table("timelines.txt", described)


def test_a_page_is_what_is_recorded(golden: Golden) -> None:
    letters = {"old": "pppp", "new": "pppd", "twice": "pdpp", "mended": "dppp", "gone": "dd--"}
    text = page_of(runs_of_letters(letters))
    without_scripts = re.sub(r"(<(script|style)\b[^>]*>).*?(</\2>)", r"\1\3", text, flags=re.S)
    golden("history.html", re.sub("sha256-[A-Za-z0-9+/=]*", "sha256-...", without_scripts))


@pytest.mark.parametrize(
    ("letters", "header"),
    [("pp", '<header class="good">'), ("pd", '<header class="bad">'), ("dd", "<header>")],
)
def test_the_headline_is_green_only_if_nothing_fails(letters: str, header: str) -> None:
    text = page_of(runs_of_letters({"a": letters, "b": "pp"}))
    assert re.findall("<header.*?>", text) == [header]


def test_long_lists_say_what_they_leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for bound in ("_CHANGES", "_CASES"):
        monkeypatch.setattr(history_page, bound, 2)
    text = page_of(runs_of_letters({"a": "pd", "b": "pd", "c": "pd", "d": "pp"}))
    for heading, note in {"Began to fail": "1 more<", "Cases": "2 more, left out for size"}.items():
        section = text.partition(f">{heading}</h2>")[2].partition("</section>")[0]
        assert re.findall(r'class="name"><b>s/(.*?)</b>', section) == ["a", "b"]
        assert f"and {note}" in section


@pytest.mark.system
def test_the_page_is_used_by_keyboard_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    runs = runs_of_letters({"first": "pppd", "second": "pdpp", EVIL: "pppp"})
    runs[-1].append(run("1", subject=EVIL, suite=EVIL, delivery=EVIL))
    (tmp_path / "page.html").write_text(page_of(runs), encoding="utf-8")
    address = (tmp_path / "page.html").as_uri()
    names = "document.querySelectorAll('#all li:not([hidden]) .name b')"
    shown = f"[...{names}].map(name => name.textContent)"
    with browser.tab(width=390, height=844) as tab:
        tab.open(f"{address}#show=flaky")
        assert tab.value(shown) == ["s/second"]
        assert tab.value("document.getElementById('shown').textContent") == "1 of 4 shown"
        tab.value("document.getElementById('show').value = ''")
        tab.press("/", 191)
        for key in "fir":
            tab.press(key)
        assert tab.value(shown) == ["s/first"]
        assert tab.value("location.hash") == "#q=fir"
        tab.press("Escape", 27)
        assert len(tab.value(shown)) == 4
        assert tab.value("document.documentElement.scrollWidth") == 390
        assert tab.value("window.pwned ?? document.images.length") == 0
        assert (tab.requests(), tab.complaints()) == ([address], [])
