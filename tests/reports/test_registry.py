"""Report options: parsing, messages, and files that can or cannot be written."""

from __future__ import annotations

from pathlib import Path

from support.events import ENDED, STARTED, run, source_of_events
from support.golden import Golden

from harness.errors import UsageError
from harness.reports.registry import ReportRequest, parse_report_option
from harness.reports.writer import make_reports


def test_values_name_a_format_and_a_file(golden: Golden) -> None:
    def parsed(word: str) -> str:
        try:
            return str(parse_report_option(word, "--report"))
        except UsageError as problem:
            return ascii(str(problem))[1:-1]

    golden.table("report_options.txt", parsed)


def test_a_report_that_cannot_be_written_does_not_stop_the_others(tmp_path: Path) -> None:
    source = source_of_events(STARTED, run("1"), run("1", subject="y"), ENDED)
    files = {"g": "gradescope", ".": "tap", "t": "tap"}
    requests = [ReportRequest("--to", name, str(tmp_path / file)) for file, name in files.items()]
    failures = make_reports(requests, source)
    assert (tmp_path / "t").read_text("utf-8").startswith("TAP version 13\n1..2\n")
    assert len(failures) == 2
    assert not make_reports(requests[2:], source)
