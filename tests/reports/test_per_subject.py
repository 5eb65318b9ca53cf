"""Reports of each subject: safe and distinct file names, and only the subject's own results."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support.events import ENDED, STARTED, run
from support.golden import Golden

from harness.model.event_lines import event_line
from harness.model.events import DeliveriesDiffer, Diagnostic, Event, RunFingerprint, RunResult
from harness.model.verdict import Verdict
from harness.reports.filter import ReportFilter
from harness.reports.per_subject import file_stems, sources_by_subject


def test_a_file_name_is_safe(golden: Golden) -> None:
    golden.table("file_stems.txt", lambda name: file_stems([name])[name])
    assert file_stems(["ä" * 200]) == {"ä" * 200: "ä" * 50}


def test_names_that_would_collide_get_a_digest() -> None:
    stems = file_stems(["a/b", "a b", "A-B", "ok", "u\u0308", "\u00fc"])
    assert len({stem.casefold() for stem in stems.values()}) == 6
    assert stems["ok"] == "ok"
    for name in ("a/b", "A-B"):
        assert re.fullmatch("[aA]-[bB]-[0-9a-f]{8}", stems[name])
    assert stems["a/b"] == file_stems(["a/b", "a-b"])["a/b"]


@given(st.sets(st.text(max_size=8)))
def test_every_name_has_a_file_of_its_own(names: set[str]) -> None:
    stems = file_stems(names)
    assert len({stem.casefold() for stem in stems.values()}) == len(names)
    for stem in stems.values():
        assert stem and len(stem.encode()) <= 120
        assert not stem.startswith((".", "-")) and not re.search(r"[/\\\0-\x1f:*?\"<>|]", stem)


def test_a_source_has_the_runs_of_its_subject_and_the_problems(tmp_path: Path) -> None:
    fingerprints = tuple(RunFingerprint("s", name, "k") for name in ("ada", "a*", "idle"))
    problem = Diagnostic("s", "broken")
    events: tuple[Event, ...] = (
        STARTED._replace(fingerprints=fingerprints),
        *(run("1", subject="ada"), run("1", subject="a*"), problem),
        run("2", Verdict.DIFFERS, subject="ada"),
        DeliveriesDiffer("s/2", "ada", 1, 2, "why"),
        run("1", Verdict.DIFFERS, suite="t", subject="late"),
        ENDED,
    )
    (tmp_path / "r").write_text("".join(map(event_line, events)), encoding="utf-8")
    (tmp_path / "again").write_text("".join(map(event_line, events[:2])), encoding="utf-8")
    files = [str(tmp_path / "r"), str(tmp_path / "again")]
    sources = sources_by_subject(files, ReportFilter())
    assert list(sources) == ["ada", "a*", "idle", "late"]
    for name, source in sources.items():
        found = list(source())
        assert found == list(source())
        assert {event.subject for event in found if isinstance(event, RunResult)} <= {name}
        assert problem in found
    cases = [event.case for event in sources["ada"]() if isinstance(event, RunResult)]
    assert cases == ["2", "1"]  # the first one was run again
    assert list(sources_by_subject(files, ReportFilter(("a*",), ("s",)))) == ["ada", "a*"]
    assert list(sources_by_subject(files, ReportFilter((), ("t",)))) == ["late"]
