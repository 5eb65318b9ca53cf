"""--failed and --new: what is remembered of each case, and what is selected by it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.events import KNOWN, OUTGROWN
from support.suites import target_in, write_suite

from harness.model.events import Judged
from harness.model.subject import ExecutionContext, Subject
from harness.model.verdict import Verdict
from harness.project.targets import Target
from harness.runner import store
from harness.runner.last_run import LastRun, SelectedCases, mean_seconds, select_by_last_run
from harness.runner.plan import Plan, Selection
from harness.runner.store import FILE_NAME
from harness.suites.cases import case_digest

FAILED, NEW = Selection(failed=True), Selection(new=True)


def target(folder: Path, *names: str) -> Target:
    """Return a suite with these cases, which are written, and a program for it."""
    write_suite(folder, {name: ("[1]", "1") for name in names})
    return target_in(folder, Subject("./prog", ("./prog",)))


def run_of(
    whose: Target, case: str, verdict: Verdict = Verdict.PASSED
) -> tuple[Target, int, Judged]:
    """A run of a case, and what became of it."""
    names = list(whose.suite.names)
    at = [name.text for name in names].index(case)
    content = "" if verdict is Verdict.INVALID_CASE else case_digest(whose.suite, names[at], at)
    event = Judged("s", case, "./prog", "plain", verdict, "", content=content)
    return whose, at, event


def remember(cache: Path, whose: Target, **verdicts: Verdict) -> None:
    """A run of these cases (`_1` is case 1) that ended with these verdicts."""
    memory = LastRun(str(cache))
    for case, verdict in verdicts.items():
        memory.note(*run_of(whose, case.removeprefix("_"), verdict))
    memory.write()


def picks(cache: Path, whose: Target, selection: Selection) -> list[str]:
    """Return the selected cases; a diagnostic fails the test."""
    found = look(cache, whose, selection)
    assert not found.faults
    plan = Plan([whose], selection, (), found.picks)
    names = [run.name.text for run in plan]
    assert bool(found.idle) == (not names)
    return names


def look(cache: Path, whose: Target, selection: Selection) -> SelectedCases:
    """Select from a plan of everything."""
    return select_by_last_run([whose], Plan([whose], selection, ()), selection, str(cache))


@pytest.fixture(name="cache")
def _cache(tmp_path: Path) -> Path:
    """A folder for the memory, which is not there yet."""
    return tmp_path / "cache" / "xtest"


@pytest.fixture(name="ours")
def _ours(tmp_path: Path) -> Target:
    """A suite of four cases and a program."""
    return target(tmp_path / "s", "1", "2", "10", "bad-1")


def test_a_known_failure_is_not_picked_and_one_that_passes_is(cache: Path, ours: Target) -> None:
    memory = LastRun(str(cache))
    for known, case in ((KNOWN, "1"), (OUTGROWN, "2")):
        whose, at, event = run_of(ours, case, known.verdict)
        memory.note(whose, at, event._replace(known=known.known))
    memory.write()
    assert picks(cache, ours, FAILED) == ["2"]


def test_a_case_with_several_deliveries_failed_if_one_did(cache: Path, ours: Target) -> None:
    memory = LastRun(str(cache))
    for verdict in (Verdict.PASSED, Verdict.MALFORMED, Verdict.PASSED):
        memory.note(*run_of(ours, "1", verdict))
    memory.write()
    assert picks(cache, ours, FAILED) == ["1"]


def test_a_program_that_could_not_be_started_has_run_before_nevertheless(
    cache: Path, ours: Target
) -> None:
    remember(cache, ours, _1=Verdict.PASSED)
    remember(cache, ours, _1=Verdict.NOT_STARTED)
    assert picks(cache, ours, FAILED) == ["1"]
    assert "1" not in picks(cache, ours, NEW)


def test_with_both_one_of_the_two_is_enough(cache: Path, ours: Target) -> None:
    remember(cache, ours, _1=Verdict.PASSED, _2=Verdict.DIFFERS, _10=Verdict.PASSED)
    both = Selection(failed=True, new=True)
    assert picks(cache, ours, both) == ["2", "bad-1"]
    remember(cache, ours, _2=Verdict.PASSED, **{"bad-1": Verdict.PASSED})
    message = "nothing failed in the last run, and no case is new or changed"
    assert look(cache, ours, both).idle == message


def test_each_subject_suite_and_folder_has_a_memory_of_its_own(
    cache: Path, ours: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(cache, ours, _1=Verdict.DIFFERS)
    other = ours._replace(subject=Subject("./other", ("./other",)))
    arguments = ours._replace(subject=Subject("./prog", ("./prog", "-x")))
    for stranger in (other, arguments, target(tmp_path / "t", "1")):
        assert look(cache, stranger, FAILED).faults
    os.symlink(ours.suite.folder, tmp_path / "link")
    assert picks(cache, target(tmp_path / "link"), FAILED) == ["1"]
    monkeypatch.chdir(tmp_path)  # where ./prog is another program
    assert look(cache, ours, FAILED).faults
    assert look(cache, ours._replace(is_default_subject=True), FAILED).faults


def test_a_store_that_cannot_be_written_fails_a_selection_and_no_run(
    cache: Path, ours: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = LastRun(str(cache))
    outcomes.note(*run_of(ours, "1", Verdict.DIFFERS))
    monkeypatch.setattr(store, "MOST_BYTES", 2048)
    assert outcomes.write() == (
        "the outcomes of this run are not remembered:"
        f" {cache / FILE_NAME}: database or disk is full"
    )
    (cache / FILE_NAME).unlink()
    (cache / FILE_NAME).mkdir()
    assert outcomes.write() == ""
    assert look(cache, ours, NEW).faults == [("--new", f"{cache / FILE_NAME}: is a directory")]


def test_a_configured_subject_is_another_one_in_another_folder_or_environment(
    cache: Path, ours: Target
) -> None:
    def in_setting(folder: str, **variables: str) -> Target:
        context = ExecutionContext(folder, tuple(variables.items()))
        return ours._replace(subject=ours.subject._replace(context=context))

    remember(cache, in_setting("/impl", A="1"), _1=Verdict.DIFFERS)
    assert picks(cache, in_setting("/impl", A="1"), FAILED) == ["1"]
    for other in (ours, in_setting("/impl"), in_setting("/impl", A="2"), in_setting("/", A="1")):
        assert look(cache, other, FAILED).faults


def test_the_mean_duration_is_of_runs_of_the_subject(cache: Path, tmp_path: Path) -> None:
    whose = target(tmp_path / "s", *"123")
    assert not mean_seconds([whose], str(cache))
    memory = LastRun(str(cache))
    for case, wall_s in (("1", 0.25), ("2", 0.75)):
        _, at, event = run_of(whose, case)
        memory.note(whose, at, event._replace(wall_s=wall_s))
    memory.note(*run_of(whose, "3", Verdict.NOT_STARTED))
    memory.write()
    assert mean_seconds([whose], str(cache)) == {whose.key: 0.5}
