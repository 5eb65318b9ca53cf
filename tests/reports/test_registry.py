"""Report options: parsing, messages, and files that can or cannot be written."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.events import ENDED, STARTED, run, source_of_events
from support.golden import Golden
from support.tables import check_table

from harness.errors import UsageError
from harness.reports.registry import ReportRequest, parse_report_option, refuse_several
from harness.reports.writer import check_reports, make_reports


def test_values_name_a_format_and_a_file(golden: Golden) -> None:
    def parsed(word: str) -> str:
        try:
            return str(parse_report_option(word, "--report"))
        except UsageError as problem:
            return ascii(str(problem))[1:-1]

    check_table(golden, __file__, "report_options.txt", parsed)


def test_a_format_without_a_file_has_the_one_of_the_option() -> None:
    assert parse_report_option("html", "--to", bare="f") == ReportRequest("--to", "html", "f")


def test_a_format_for_one_subject_refuses_several() -> None:
    requests = [parse_report_option(word, "--report") for word in ("tap=t", "gradescope=g")]
    refuse_several(requests, ["x"])
    refuse_several(requests[:1], ["x", "y"])
    with pytest.raises(UsageError, match=r"gradescope=g: 2 subjects \(x, \\x1b\), and Gradescope"):
        refuse_several(requests, ["x", "\x1b"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tap=folder"], "tap=folder: is a directory"),
        (["tap=none/t"], "tap=none/t: its folder does not exist; create it first"),
        (["tap=results"], "tap=results: the report is made from it; choose another file"),
        (["tap=t", "json=./t"], "json=./t: the tap report goes there; choose another file"),
        (["tap=-", "json=-"], "json=-: the tap report goes there; choose another file"),
    ],
)
def test_files_that_cannot_be_written_are_refused_beforehand(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError) as caught:
        check_reports(words, "--to", sources=("results",))
    assert str(caught.value) == f"--to {message}"
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_report_that_cannot_be_written_does_not_stop_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = source_of_events(STARTED, run("1"), run("1", subject="y"), ENDED)
    requests = [
        ReportRequest("--to", "gradescope", str(tmp_path / "g")),
        ReportRequest("--to", "tap", str(tmp_path)),
        ReportRequest("--to", "tap", str(tmp_path / "t")),
    ]
    assert make_reports(requests, source) == 2
    assert (tmp_path / "t").read_text("utf-8").startswith("TAP version 13\n1..2\n")
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert make_reports(requests[2:], source) == 0
