"""Sources of reports: results files, of which the last run counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from told_events import DIFFERS, ENDED, STARTED, run

from harness.documents.source import source_of, source_of_run
from harness.eventlines import event_line
from harness.events import Event
from harness.runs.resultsfile import BadResults, runs_in


def file_of(path: Path, *events: Event) -> str:
    """A results file with these events."""
    path.write_text("".join(map(event_line, events)), encoding="ascii")
    return str(path)


def test_a_source_tells_the_same_as_often_as_it_is_asked(tmp_path: Path) -> None:
    events = (STARTED, run("1"), DIFFERS, ENDED)
    file = file_of(tmp_path / "r", *events)
    for source in (source_of([file]), source_of_run(file)):
        assert tuple(source()) == events
        assert tuple(source()) == events


def test_of_several_runs_the_last_verdict_counts(tmp_path: Path) -> None:
    right = run("3")
    first = file_of(tmp_path / "1", STARTED, run("1"), DIFFERS, ENDED)
    second = file_of(tmp_path / "2", STARTED, right, ENDED)
    assert list(source_of([first, second])()) == [
        *(STARTED, run("1"), ENDED, STARTED, right, ENDED),
    ]
    both = file_of(tmp_path / "3", STARTED, DIFFERS, ENDED, STARTED, right, ENDED)
    assert list(source_of([both])()) == [STARTED, ENDED, STARTED, right, ENDED]
    other = run("3", subject="y")
    third = file_of(tmp_path / "4", STARTED, other, ENDED)
    assert list(source_of([second, third])()) == [STARTED, right, ENDED, STARTED, other, ENDED]


def test_a_last_line_that_is_cut_short_is_passed_over(tmp_path: Path) -> None:
    file = Path(file_of(tmp_path / "r", STARTED, run("1"), ENDED))
    file.write_bytes(file.read_bytes()[:-9])
    assert list(source_of([str(file)])()) == [STARTED, run("1")]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "FILE: no run is in it"),
        (b'{"event":"run-st', "FILE: no run is in it"),
        (b"x\n", "FILE, line 1: a results file begins with run-started"),
        (
            event_line(run("1")).encode(),
            "FILE, line 1: a results file begins with run-started",
        ),
    ],
)
def test_a_file_without_a_run_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    file = tmp_path / "r"
    file.write_bytes(data)
    with pytest.raises(BadResults) as caught:
        source_of([str(file)])
    assert str(caught.value) == said.replace("FILE", str(file))
    with pytest.raises(BadResults) as caught:
        source_of([str(tmp_path / "nix")])
    assert str(caught.value) == f"{tmp_path / 'nix'}: no such file or directory"


def test_runs_are_counted_also_where_another_program_wrote_the_lines(tmp_path: Path) -> None:
    file = tmp_path / "r"
    file.write_text('{ "event": "run-started", "format": 1 }\n{}\n' * 2, encoding="ascii")
    assert runs_in(str(file)) == 2
