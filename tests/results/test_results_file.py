"""Results files: read back even if truncated, and continued without losing a line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.golden import Golden
from support.xtest import clean_environment

from harness.model.event_lines import event_line
from harness.model.events import Diagnostic, RunStarted
from harness.results.results_file import (
    ContinuedResultsFile,
    InvalidResultsFile,
    ResultsFile,
    find_damage,
    read_events,
)

STARTED = RunStarted("0.1.0", "2026-01-31T12:00:00Z", ("s",), 1, 1)
FIRST, SECOND = Diagnostic("s", "first"), Diagnostic("s", "second")
LINES = [event_line(event).encode() for event in (STARTED, FIRST, SECOND)]


def written(file: Path, data: bytes) -> str:
    file.write_bytes(data)
    return str(file)


def test_events_come_with_their_places(tmp_path: Path) -> None:
    path = written(tmp_path / "r", b"".join(LINES))
    found = list(read_events(path))
    assert [event for _, event in found] == [STARTED, FIRST, SECOND]
    assert [place.line for place, _ in found] == [1, 2, 3]
    again = list(read_events(path, found[1][0].offset))
    assert [event for _, event in again] == [FIRST, SECOND]


def test_a_file_cut_anywhere_has_all_its_whole_lines(tmp_path: Path) -> None:
    data = b"".join(LINES)
    ends = [len(b"".join(LINES[:count])) for count in range(4)]
    for length in range(len(data) + 1):
        path = written(tmp_path / "r", data[:length])
        # A last line may be whole, but for its line end.
        whole = sum(end <= length + 1 for end in ends[1:])
        assert len(list(read_events(path))) == whole, length


def test_an_invalid_results_file_is_reported_with_the_line(tmp_path: Path, golden: Golden) -> None:
    later = LINES[0].replace(b'"format":1', b'"format":2')

    def message(data: bytes) -> str:
        for word, line in ((b"RUN", LINES[0]), (b"CASE", LINES[1]), (b"LATER", later)):
            data = data.replace(word, line)
        path = written(tmp_path / "r", data)
        with pytest.raises(InvalidResultsFile) as problem:
            list(read_events(path))
        assert str(problem.value).isprintable()
        return str(problem.value).removeprefix(f"{path}, ")

    golden.table("invalid_results.txt", message)


def test_a_replaced_file_has_each_line_at_once(tmp_path: Path) -> None:
    path = tmp_path / "r"
    path.write_bytes(b"old")
    file = ResultsFile(str(path))
    file.write(STARTED)
    assert path.read_bytes() == LINES[0]
    file.close()


def test_a_continued_file_replaces_the_old_one_when_it_is_settled(
    tmp_path: Path,
) -> None:
    path = tmp_path / "r"
    path.write_bytes(b"old")
    path.chmod(0o640)
    file = ContinuedResultsFile(str(path))
    file.write(STARTED)
    assert path.read_bytes() == b"old"
    file.settle()
    assert path.read_bytes() == LINES[0]
    file.write(FIRST)
    assert path.read_bytes() == LINES[0] + LINES[1]
    file.close()
    assert (path.stat().st_mode & 0o777, os.listdir(tmp_path)) == (0o640, ["r"])


def test_the_part_of_a_killed_xtest_is_reused_and_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / ".r.xtest-part").write_bytes(b"much longer than what comes" * 99)
    link = tmp_path / "link"
    link.symlink_to("r")
    file = ContinuedResultsFile(str(link))
    file.write(STARTED)
    file.settle()
    file.close()
    assert sorted(os.listdir(tmp_path)) == ["link", "r"]
    assert link.is_symlink() and (tmp_path / "r").read_bytes() == LINES[0]


HOLD = """
import sys
from harness.model.events import Diagnostic
from harness.results.results_file import ContinuedResultsFile, ResultsFile
file = ContinuedResultsFile("r") if sys.argv[1] == "before" else ResultsFile("r")
if sys.argv[1] == "after":
    file.write(Diagnostic("s", "first"))
print(flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_two_processes_cannot_continue_one_file(
    tmp_path: Path, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [sys.executable, "-P", "-c", HOLD, when]
    environment, pipe = clean_environment(tmp_path), subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, env=environment) as other:
        assert other.stdout is not None
        other.stdout.readline()
        for kind in (ContinuedResultsFile, *([ResultsFile] if when == "after" else ())):
            with pytest.raises(InvalidResultsFile) as problem:
                kind("r")
            assert str(problem.value) == "r: another xtest is writing to it"
        assert when == "before" or Path("r").read_bytes() == LINES[1]
        other.kill()
    file = ContinuedResultsFile("r")
    file.settle()
    file.close()


@pytest.mark.parametrize("kind", [ResultsFile, ContinuedResultsFile])
@pytest.mark.parametrize(
    ("attack", "damage"),
    [
        ("true", ""),
        ("rm r", "deleted"),
        ("cp r copy && mv copy r", "replaced"),
        ("rm r && mkdir r", "replaced"),
        ("ln -sf /dev/null r", "replaced"),
        (": > r", "changed"),
        ("echo >> r", "changed"),
    ],
)
def test_what_a_subject_does_to_the_file_is_noticed(
    kind: type[ResultsFile | ContinuedResultsFile], attack: str, damage: str, tmp_path: Path
) -> None:
    file = kind(str(tmp_path / "r"))
    file.write(STARTED)
    if isinstance(file, ContinuedResultsFile):
        file.settle()
    subprocess.run(["sh", "-c", attack], cwd=tmp_path, check=True)
    file.write(FIRST)
    expected = [f"--results r: it was {damage} during the run; --sandbox prevents this"]
    assert find_damage("r", file) == (expected if damage else [])
    file.close()
