"""Sources: results files, of which the last verdict counts, and their sorted runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.events import DIFFERS, ENDED, STARTED, evidence, run, source_of_events

from harness.model.event_lines import event_line
from harness.model.events import Event, RunResult
from harness.model.judgement import ShownDifference
from harness.reports.source import ResultSorter, Source, source_of
from harness.results.results_file import InvalidResultsFile, read_run_starts


def file_of(path: Path, *events: Event) -> str:
    path.write_text("".join(map(event_line, events)), encoding="ascii")
    return str(path)


def test_of_several_runs_the_last_verdict_counts(tmp_path: Path) -> None:
    right, other = run("3"), run("3", subject="y")
    first = file_of(tmp_path / "1", STARTED, run("1"), DIFFERS, ENDED)
    second = file_of(tmp_path / "2", STARTED, right, ENDED)
    both = file_of(tmp_path / "3", STARTED, DIFFERS, ENDED, STARTED, right, ENDED)
    third = file_of(tmp_path / "4", STARTED, other, ENDED)
    again = (STARTED, right, ENDED)
    assert [*source_of([first, second])()] == [STARTED, run("1"), ENDED, *again]
    assert [*source_of([both])()] == [STARTED, ENDED, *again]
    assert [*source_of([second, third])()] == [*again, STARTED, other, ENDED]


def test_the_latest_verdict_counts_in_any_order_of_the_files(tmp_path: Path) -> None:
    old, resumed = (STARTED._replace(continued=time) for time in ("", "2026-01-02T03:04:06Z"))
    new = STARTED._replace(started="2026-02-01T00:00:00Z")
    runs = {"1.10": (new, run("3")), "1.9": (resumed, DIFFERS), "1.9-part": (old, DIFFERS)}
    files = [file_of(tmp_path / name, *events, ENDED) for name, events in runs.items()]
    assert [*source_of(files)()] == [old, ENDED, resumed, ENDED, new, run("3"), ENDED]


@pytest.mark.parametrize(
    "data", [b"", b'{"event":"run-st', b"x\n", event_line(run("1")).encode(), None]
)
def test_a_file_without_a_run_is_refused(tmp_path: Path, data: bytes | None) -> None:
    file = tmp_path / "r"
    if data is not None:
        file.write_bytes(data)
    with pytest.raises(InvalidResultsFile, match=str(file)):
        source_of([str(file)])


def test_runs_of_other_writers_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "r"
    spaced = event_line(STARTED).replace('{"event":', '{ "event": ')
    converted = event_line(STARTED).replace("\n", "\r\n")  # by Git on Windows
    file.write_bytes(f"{spaced}{{}}\n{converted}".encode())
    assert read_run_starts(str(file)) == [STARTED, STARTED]


def sorted_names(source: Source, sorter: ResultSorter) -> list[str]:
    for event in source():
        if isinstance(event, RunResult):
            sorter.add(event)
    runs = sorter.runs(source)
    return [f"{one.suite} {one.subject} {one.case} {one.delivery}" for one in runs]


def test_runs_are_sorted_naturally_with_the_plain_delivery_first() -> None:
    events = (
        *(STARTED, run("10"), run("9", delivery="cut"), run("9", delivery="slow"), run("9")),
        *(run("1", suite="s10"), run("1", suite="s9", subject="b"), run("1", suite="s9"), ENDED),
    )
    found = ", ".join(sorted_names(source_of_events(*events), ResultSorter()))
    assert found.startswith("s x 9 plain, s x 9 cut, s x 9 slow, s x 10 plain, ")
    assert found.endswith(", s9 b 1 plain, s9 x 1 plain, s10 x 1 plain")


@pytest.mark.parametrize(("reverse", "passes"), [(False, 1), (True, 5)])
def test_sorting_holds_a_bounded_number_of_runs(reverse: bool, passes: int) -> None:
    large = evidence(ShownDifference("/0", "9" * 9_000, None), stdout="8" * 9_000)
    events = [DIFFERS._replace(case=str(case), evidence=large) for case in range(1, 10)]
    count = 0

    def source() -> Iterator[Event]:
        nonlocal count
        count += 1
        return iter(events[::-1] if reverse else events)

    names = sorted_names(source, ResultSorter(held=50_000))
    assert names == [f"s x {case} plain" for case in range(1, 10)]
    assert count == 1 + passes
