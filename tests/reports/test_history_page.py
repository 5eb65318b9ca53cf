"""The page of a history: its charts and lists, and that names are only ever text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.chromium import Browser
from support.events import run

from harness.analysis.history import History, Order, Timeline, Timelines
from harness.model.events import Judged, KnownFailure, RunStarted
from harness.model.verdict import Verdict
from harness.reports.history import document as history_page
from harness.reports.history.charts import sparkline_of, trend_line
from harness.reports.history.document import document

EVIL = "</title></script><script>window.pwned = 1</script><img src=x>"
VERDICTS = {"p": Verdict.PASSED, "d": Verdict.DIFFERS, "k": Verdict.CRASHED, "f": Verdict.FLAKY}


def recorded(runs: list[list[Judged]]) -> tuple[History, Timelines]:
    """Return the history and the timelines of runs, a day apart."""
    found, timelines = History(), Timelines()
    for number, events in enumerate(runs, start=1):
        found.begin(RunStarted("0", f"2026-01-{number:02}", ("s",), 1, 1), f"r{number}")
        timelines.begin()
        for event in events:
            found.add(event)
            timelines.add(event)
    return found, timelines


def outcomes(**letters: str) -> list[list[Judged]]:
    """Return runs with these outcomes by case; k is a known failure, and - is not run."""
    runs: list[list[Judged]] = [[] for _ in next(iter(letters.values()))]
    for case, row in letters.items():
        for at, letter in enumerate(row):
            if letter != "-":
                known = KnownFailure("why") if letter == "k" else None
                event = run(case, VERDICTS[letter], wall_s=(at + 1) / 8, known=known)
                runs[at].append(event)
    return runs


def page_of(runs: list[list[Judged]]) -> str:
    """Return the page of runs."""
    return "".join(document(*recorded(runs), Order.TIME))


def line_of(letters: str) -> Timeline:
    """Return the timeline of a case with these outcomes."""
    (line,) = recorded(outcomes(a=letters))[1]
    return line


def names_in(text: str, heading: str) -> list[str]:
    """Return the cases listed below a heading."""
    section = text.partition(f">{heading}</h2>")[2].partition("</section>")[0]
    return re.findall(r'class="name"><b>s/(.*?)</b>', section)


def test_a_sparkline_joins_equal_neighbours_and_has_gaps() -> None:
    chart = sparkline_of(line_of("pp-dk"))
    assert chart.width == 5
    assert chart.bands == [
        ("passed", "M0 0h2v20h-2z"),
        ("known", "M4 0h1v20h-1z"),
        ("failed", "M3 0h1v20h-1z"),
    ]
    assert chart.line == "M0.25 15H0.5L1.5 12M3.25 5H3.5L4.5 2"
    assert chart.label == "passed in 2, known in 1, failed in 1 of 5 runs"


def test_a_trend_is_scaled_to_its_own_range() -> None:
    assert trend_line([0.5, None, 0.75, 1.0]) == "M0.25 18H0.5M2.25 10H2.5L3.5 2"
    assert trend_line([1.0, 1.0]) == "M0.25 18H0.5L1.5 18"


@pytest.mark.parametrize(
    ("letters", "fails", "changes", "is_flaky"),
    [
        ("ppp", False, 0, False),
        ("pd-", True, 1, False),
        ("kkp", False, 0, False),
        ("p-d-p", False, 2, True),
        ("dpd", True, 2, True),
        ("pf", True, 1, True),
    ],
)
def test_a_timeline_counts_changes(
    letters: str,
    fails: bool,
    changes: int,
    is_flaky: bool,  # noqa: FBT001  # a table
) -> None:
    line = line_of(letters)
    assert (line.fails, line.changes, line.is_flaky) == (fails, changes, is_flaky)


def test_changed_flaky_and_slow_cases_are_listed() -> None:
    text = page_of(outcomes(old="pppp", new="pppd", twice="pdpp", mended="dppp", gone="dd--"))
    assert "<h1>1 began to fail in the newest run</h1>" in text
    assert names_in(text, "Began to fail") == ["new"]
    assert re.findall(r"<h3>(.*?)</h3>", text) == ["2026-01-04", "2026-01-03", "2026-01-02"]
    assert "passed before, differs in 1 run since" in text
    assert names_in(text, "Flaky") == ["twice"]
    assert names_in(text, "Began to pass") == ["twice", "mended"]
    assert names_in(text, "Slowest")[-1] == "gone"
    assert names_in(text, "Cases") == ["gone", "mended", "new", "old", "twice"]
    assert '<td class="number">33.3 %</td>' not in text
    assert '<td class="number">60.0 %</td><td class="number bad">3/4</td>' in text


def test_long_lists_say_what_they_leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for bound in ("_CHANGES", "_CASES"):
        monkeypatch.setattr(history_page, bound, 2)
    text = page_of(outcomes(a="pd", b="pd", c="pd", d="pp"))
    assert names_in(text, "Began to fail") == ["a", "b"]
    assert "and 1 more</p>" in text
    assert names_in(text, "Cases") == ["a", "b"]
    assert "and 2 more, left out for size" in text


@pytest.mark.system
def test_the_page_is_used_by_keyboard_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    runs = outcomes(**{"first": "pppd", "second": "pdpp", EVIL: "pppp"})
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
