"""--failed and --new: what is remembered of each case, and what is selected by it."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest
from support.events import KNOWN, OUTGROWN, run
from support.suites import target_in, write_suite

from harness.engine.plan import Plan, Selection
from harness.model.events import RunResult
from harness.model.subject import ExecutionContext, Subject
from harness.model.verdict import Verdict
from harness.project.targets import Target
from harness.results.last_run import (
    LastRun,
    SelectedCases,
    mean_seconds,
    select_by_last_run,
    target_identity,
)
from harness.results.store import FILE_NAME, Space, Store
from harness.suites.cases import case_digest

FAILED, NEW = Selection(failed=True), Selection(new=True)


def target(folder: Path, *names: str) -> Target:
    """Return a suite with these cases, which are written, and a program for it."""
    write_suite(folder, {name: ("[1]", "1") for name in names})
    return target_in(folder, Subject("./prog", ("./prog",)))


def note(memory: LastRun, whose: Target, *runs: RunResult) -> None:
    names = list(whose.suite.names)
    for event in runs:
        at = [name.text for name in names].index(event.case)
        content = case_digest(whose.suite, names[at], at)
        memory.record(whose, at, event._replace(content=content))


def remember(cache: Path, whose: Target, *runs: RunResult) -> None:
    memory = LastRun(Store(str(cache)))
    note(memory, whose, *runs)
    memory.write(is_cached=False)


def picks(cache: Path, whose: Target, selection: Selection) -> list[str]:
    """Return the selected cases; a diagnostic fails the test."""
    found = look(cache, whose, selection)
    assert not found.problems
    plan = Plan([whose], selection, (), found.picks)
    names = [planned.name.text for planned in plan]
    assert bool(found.why_nothing_ran) == (not names)
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


def test_a_known_failure_is_not_selected_but_an_unexpected_pass_is(
    cache: Path, ours: Target
) -> None:
    remember(cache, ours, KNOWN._replace(case="1"), OUTGROWN._replace(case="2"))
    assert picks(cache, ours, FAILED) == ["2"]


def test_a_case_with_several_deliveries_failed_if_one_did(cache: Path, ours: Target) -> None:
    remember(cache, ours, run("1"), run("1", Verdict.MALFORMED), run("1"))
    assert picks(cache, ours, FAILED) == ["1"]


def test_a_failed_start_does_not_make_a_case_new(cache: Path, ours: Target) -> None:
    remember(cache, ours, run("1"))
    remember(cache, ours, run("1", Verdict.NOT_STARTED))
    assert picks(cache, ours, FAILED) == ["1"]
    assert "1" not in picks(cache, ours, NEW)


def test_each_subject_suite_and_folder_has_a_memory_of_its_own(
    cache: Path, ours: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(cache, ours, run("1", Verdict.DIFFERS))
    arguments = ours._replace(subject=Subject("./prog", ("./prog", "-x")))
    for stranger in (arguments, target(tmp_path / "t", "1")):
        assert look(cache, stranger, FAILED).problems
    os.symlink(ours.suite.folder, tmp_path / "link")
    assert picks(cache, target(tmp_path / "link"), FAILED) == ["1"]
    monkeypatch.chdir(tmp_path)  # where ./prog is another program
    assert look(cache, ours, FAILED).problems
    assert look(cache, ours._replace(is_default_subject=True), FAILED).problems


def test_a_store_that_cannot_be_written_is_reported(cache: Path, ours: Target) -> None:
    outcomes = LastRun(Store(str(cache), most_bytes=2048))
    note(outcomes, ours, run("1", Verdict.DIFFERS))
    assert outcomes.write(is_cached=False) == (
        "this run was not saved for --failed and --new:"
        f" {cache / FILE_NAME}: database or disk is full"
    )


def test_a_configured_subject_is_another_one_in_another_folder_or_environment(
    cache: Path, ours: Target
) -> None:
    def in_setting(folder: str, **variables: str) -> Target:
        context = ExecutionContext(folder, tuple(variables.items()))
        return ours._replace(subject=ours.subject._replace(context=context))

    remember(cache, in_setting("/impl", A="1"), run("1", Verdict.DIFFERS))
    assert picks(cache, in_setting("/impl", A="1"), FAILED) == ["1"]
    for other in (ours, in_setting("/impl"), in_setting("/impl", A="2"), in_setting("/", A="1")):
        assert look(cache, other, FAILED).problems


def test_the_mean_duration_is_of_runs_of_the_subject(cache: Path, tmp_path: Path) -> None:
    whose = target(tmp_path / "s", *"123")
    assert not mean_seconds([whose], str(cache))
    not_started = run("3", Verdict.NOT_STARTED)
    remember(cache, whose, run("1", wall_s=0.25), run("2", wall_s=0.75), not_started)
    assert mean_seconds([whose], str(cache)) == {whose.key: 0.5}


def test_a_case_is_remembered_by_its_name_while_the_suite_changes(
    cache: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "s"
    remember(cache, target(folder, *"123"), run("1"), run("2", Verdict.DIFFERS), run("3"))
    larger = target(folder, "0", *"123", "4")
    assert picks(cache, larger, FAILED) == ["2"]
    assert picks(cache, larger, NEW) == ["0", "4"]
    remember(cache, larger, run("4", Verdict.DIFFERS), run("2"))
    for name in "12":
        for side in ("in", "out"):
            (folder / f"{name}-{side}.json").unlink()
    smaller = target(folder, "0", "3", "4")
    remember(cache, smaller, run("0", Verdict.DIFFERS))
    assert picks(cache, smaller, FAILED) == ["0", "4"]
    assert picks(cache, smaller, NEW) == []
    again = target(folder, *"12")
    assert picks(cache, again, FAILED) == ["0", "4"]
    assert picks(cache, again, NEW) == []


def test_what_is_damaged_in_the_store_is_forgotten(cache: Path, ours: Target) -> None:
    remember(cache, ours, run("1", Verdict.DIFFERS))
    with closing(Store(str(cache))) as store:
        space = Space("outcomes", target_identity(ours))
        assert {key for key, _ in store.entries(space)} == {b"entries", b"mean seconds", b"names"}
        store.put(space, [(b"names", b"damaged")])
    assert look(cache, ours, FAILED).why_nothing_ran
    remember(cache, ours, run("2", Verdict.DIFFERS))
    assert picks(cache, ours, FAILED) == ["2"]
