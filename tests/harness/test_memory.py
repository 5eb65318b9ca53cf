"""The memory of earlier runs: what it keeps, what it picks, and that nothing can break a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.events import Judged, Known
from harness.records import Setting, Subject, Verdict
from harness.runs.memory import Memory, Picked, memory_folder, picked
from harness.runs.plan import Plan, Selection, Target
from harness.suites.corpus import content_in, read_suite
from harness.suites.naming import CaseName

FAILED, NEW = Selection(failed=True), Selection(new=True)


def suite(folder: Path, names: Sequence[str]) -> Path:
    """A folder with these cases."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / f"{name}-in.json").write_text("[1]", encoding="utf-8")
        (folder / f"{name}-out.json").write_text("1", encoding="utf-8")
    return folder


def target(folder: Path, program: str = "./prog") -> Target:
    """The suite in a folder as it is now, and a program for it."""
    found = read_suite(folder.name, folder)
    return Target(found, folder.name, Subject(program, (program,)), is_default_subject=False)


def run_of(
    whose: Target, case: str, verdict: Verdict = Verdict.PASSED
) -> tuple[Target, int, Judged]:
    """A run of a case, and what became of it."""
    names = [name.text for name in whose.suite.names]
    at = names.index(case)
    name = list(whose.suite.names)[at]
    content = "" if verdict is Verdict.INVALID_CASE else content_in(whose.suite, name, at)
    event = Judged("s", case, "./prog", "plain", verdict, "", content=content)
    return whose, at, event


def remember(cache: Path, whose: Target, **verdicts: Verdict) -> None:
    """A run of these cases (`_1` is case 1) that ended with these verdicts."""
    memory = Memory(str(cache))
    for case, verdict in verdicts.items():
        memory.note(*run_of(whose, case.removeprefix("_"), verdict))
    memory.write()


def picks(cache: Path, whose: Target, selection: Selection) -> list[str]:
    """The cases that are picked; there is to be no fault."""
    found = look(cache, whose, selection)
    assert not found.faults
    plan = Plan([whose], selection, (), found.picks)
    assert bool(found.idle)  # what to say if they are none
    return [run.name.text for run in plan]


def look(cache: Path, whose: Target, selection: Selection) -> Picked:
    """What memory says to a plan of everything."""
    return picked([whose], Plan([whose], selection, ()), selection, str(cache))


@pytest.fixture(name="cache")
def _cache(tmp_path: Path) -> Path:
    """A folder for the memory, which is not there yet."""
    return tmp_path / "cache" / "xtest"


@pytest.fixture(name="ours")
def _ours(tmp_path: Path) -> Target:
    """A suite of four cases and a program."""
    return target(suite(tmp_path / "s", ["1", "2", "10", "bad-1"]))


def test_what_fell_short_is_picked_and_what_did_not_run_keeps_what_it_had(
    cache: Path, ours: Target
) -> None:
    passed, differs = Verdict.PASSED, Verdict.DIFFERS
    remember(cache, ours, _1=passed, _2=differs, _10=differs)
    assert picks(cache, ours, FAILED) == ["2", "10"]
    remember(cache, ours, _2=passed)
    assert picks(cache, ours, FAILED) == ["10"]
    remember(cache, ours, _1=Verdict.SILENT)
    assert picks(cache, ours, FAILED) == ["1", "10"]
    remember(cache, ours, _1=passed, _2=passed, _10=passed, **{"bad-1": differs})
    assert picks(cache, ours, FAILED) == ["bad-1"]


def test_every_verdict_that_counts_is_remembered(cache: Path, ours: Target) -> None:
    for verdict in Verdict:
        remember(cache, ours, _1=verdict)
        assert picks(cache, ours, FAILED) == ([] if verdict is Verdict.PASSED else ["1"])


def test_a_known_failure_is_not_picked_and_one_that_passes_is(cache: Path, ours: Target) -> None:
    memory = Memory(str(cache))
    for case, verdict, holds in (("1", Verdict.DIFFERS, True), ("2", Verdict.PASSED, False)):
        whose, at, event = run_of(ours, case, verdict)
        memory.note(whose, at, event._replace(known=Known("why", holds=holds)))
    memory.write()
    assert picks(cache, ours, FAILED) == ["2"]


def test_a_case_that_ran_in_several_ways_fell_short_if_one_did(cache: Path, ours: Target) -> None:
    memory = Memory(str(cache))
    for verdict in (Verdict.PASSED, Verdict.MALFORMED, Verdict.PASSED):
        memory.note(*run_of(ours, "1", verdict))
    memory.write()
    assert picks(cache, ours, FAILED) == ["1"]


def test_new_is_what_never_ran_and_what_has_changed(cache: Path, ours: Target) -> None:
    assert picks(cache, ours, NEW) == ["1", "2", "10", "bad-1"]
    remember(cache, ours, _1=Verdict.PASSED, _2=Verdict.DIFFERS, _10=Verdict.NOT_STARTED)
    assert picks(cache, ours, NEW) == ["10", "bad-1"]
    changed = ours.suite.folder / "2-out.json"
    changed.write_text("2", encoding="utf-8")
    assert picks(cache, ours, NEW) == ["2", "10", "bad-1"]
    changed.write_text("1", encoding="utf-8")
    os.utime(changed, (0, 0))
    assert picks(cache, ours, NEW) == [
        "10",
        "bad-1",
    ]  # what it holds counts, not when it was written
    (ours.suite.folder / "1-in.json").unlink()
    assert picks(cache, target(ours.suite.folder), NEW) == ["1", "10", "bad-1"]


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
    said = "nothing fell short the last time, and no case is new or changed"
    assert look(cache, ours, both).idle == said


def test_cases_that_come_and_go_do_not_mix_up_the_others(cache: Path, tmp_path: Path) -> None:
    names = ["2", "7", "A-1", "a b-3", "é\\n\n-4", "\udc80-5"]
    before = target(suite(tmp_path / "s", names))
    memory = Memory(str(cache))
    for name in ("2", "a b-3", "é\\n\n-4", "\udc80-5"):
        memory.note(*run_of(before, name, Verdict.CRASHED))
    memory.write()
    for gone in ("2-in.json", "2-out.json", "7-in.json", "7-out.json"):
        (before.suite.folder / gone).unlink()
    after = target(suite(tmp_path / "s", ["1", "3", "9", "b-1"]))
    failed = picks(cache, after, FAILED)
    assert sorted(failed) == sorted(["a b-3", "é\\n\n-4", "\udc80-5"])
    remember(cache, after, _3=Verdict.DIFFERS)
    assert sorted(picks(cache, after, FAILED)) == sorted([*failed, "3"])


def test_each_subject_suite_and_folder_has_a_memory_of_its_own(
    cache: Path, ours: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(cache, ours, _1=Verdict.DIFFERS)
    other = ours._replace(subject=Subject("./other", ("./other",)))
    arguments = ours._replace(subject=Subject("./prog", ("./prog", "-x")))
    for stranger in (other, arguments, target(suite(tmp_path / "t", ["1"]))):
        assert look(cache, stranger, FAILED).faults
    os.symlink(ours.suite.folder, tmp_path / "link")
    assert picks(cache, target(tmp_path / "link"), FAILED) == ["1"]
    monkeypatch.chdir(tmp_path)  # where ./prog is another program
    assert look(cache, ours, FAILED).faults
    assert look(cache, ours._replace(is_default_subject=True), FAILED).faults


def test_where_nothing_is_remembered_failed_says_so_and_new_takes_all(
    cache: Path, ours: Target
) -> None:
    assert look(cache, ours, FAILED) == Picked(
        {ours.key: bytearray(4)},
        [
            (
                "s",
                "--failed: no run of ./prog on this suite is remembered; run it once without"
                " --failed",
            )
        ],
        "",
    )
    assert look(cache, ours, NEW) == Picked(
        {ours.key: bytearray(b"\1\1\1\1")}, [], "no case is new or changed"
    )


def test_an_empty_selection_is_no_reason_to_be_idle(cache: Path, ours: Target) -> None:
    nothing = Selection(("99",), failed=True)
    remember(cache, ours, _1=Verdict.PASSED)
    assert look(cache, ours, FAILED).idle == "nothing fell short the last time"
    assert picked([ours], Plan([ours], nothing, ()), nothing, str(cache)).idle == ""


@pytest.mark.parametrize(
    "damage",
    ["1", "1 x 1", "x 0 1", "1 0 one", "1 \\xe9 1", f"1 {'f' * 18} 1", "1 0 1\\", "\x00", "é"],
)
def test_a_memory_that_is_damaged_is_told_of_and_replaced_by_the_next_run(
    cache: Path, ours: Target, damage: str
) -> None:
    remember(cache, ours, _1=Verdict.DIFFERS)
    (file,) = cache.iterdir()
    file.write_bytes(file.read_bytes() + damage.encode())
    found = look(cache, ours, FAILED)
    assert found.faults == [("s", f"{file}: not a memory of xtest; remove it")]
    assert not any(found.picks[ours.key])
    remember(cache, ours, _2=Verdict.DIFFERS)
    assert picks(cache, ours, FAILED) == ["2"]


def test_a_memory_of_somebody_else_under_the_same_name_is_none(cache: Path, ours: Target) -> None:
    remember(cache, ours, _1=Verdict.DIFFERS)
    (file,) = cache.iterdir()
    file.write_text("of another format\n1 0 1\n", encoding="ascii")
    assert look(cache, ours, FAILED).faults[0][1].startswith("--failed: no run of ./prog")


def test_a_memory_that_cannot_be_read_is_told_of(cache: Path, ours: Target) -> None:
    remember(cache, ours, _1=Verdict.DIFFERS)
    (file,) = cache.iterdir()
    file.unlink()
    file.mkdir()
    assert look(cache, ours, FAILED).faults == [("s", f"{file}: is a directory")]
    remember(cache, ours, _1=Verdict.DIFFERS)  # cannot be written, which nobody minds
    assert list(cache.iterdir()) == [file]  # and nothing is left lying about


def test_a_configured_subject_is_another_one_in_another_folder_or_environment(
    cache: Path, ours: Target
) -> None:
    def in_setting(folder: str, **variables: str) -> Target:
        setting = Setting(folder, tuple(variables.items()))
        return ours._replace(subject=ours.subject._replace(setting=setting))

    remember(cache, in_setting("/impl", A="1"), _1=Verdict.DIFFERS)
    assert picks(cache, in_setting("/impl", A="1"), FAILED) == ["1"]
    for other in (ours, in_setting("/impl"), in_setting("/impl", A="2"), in_setting("/", A="1")):
        assert look(cache, other, FAILED).faults


def test_two_subjects_on_one_suite_are_remembered_and_picked_apart(
    cache: Path, ours: Target
) -> None:
    theirs = ours._replace(subject=Subject("./theirs", ("./theirs",)))
    memory = Memory(str(cache))
    memory.note(*run_of(ours, "1", Verdict.DIFFERS))
    at, event = run_of(ours, "2", Verdict.DIFFERS)[1:]
    memory.note(theirs, at, event)
    memory.write()
    both = [ours, theirs]
    found = picked(both, Plan(both, FAILED, ()), FAILED, str(cache))
    runs = Plan(both, FAILED, (), found.picks)
    assert [(run.target.subject.name, run.name.text) for run in runs] == [
        ("./prog", "1"),
        ("./theirs", "2"),
    ]


def test_where_nothing_can_be_written_nothing_is_said(tmp_path: Path, ours: Target) -> None:
    for folder in (Path("/dev/null"), Path("/proc/nobody"), tmp_path / "s" / "1-in.json"):
        remember(folder, ours, _1=Verdict.DIFFERS)
        assert look(folder, ours, FAILED).faults[0][1].startswith("--failed: no run of ./prog")


def test_a_large_suite_takes_a_line_of_some_30_bytes_a_case(cache: Path) -> None:
    names = [CaseName("", number) for number in range(1, 100_001)]
    whole = read_suite("s", suite(cache.parent.parent / "large", ["1"]))._replace(
        files={name: () for name in names}
    )
    large = Target(whole, "s", Subject("p", ("p",)), is_default_subject=True)
    memory = Memory(str(cache))
    event = Judged("s", "", "p", "plain", Verdict.DIFFERS, "", content="0123456789abcdef")
    for at in range(0, 100_000, 2):
        memory.note(large, at, event)
    memory.write()
    (file,) = cache.iterdir()
    assert file.stat().st_size < 30 * 50_000
    assert sum(look(cache, large, FAILED).picks[large.key]) == 50_000


def test_the_folder_is_where_the_environment_puts_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert memory_folder({}) == "/home/me/.cache/xtest"
    assert memory_folder({"XDG_CACHE_HOME": "/c"}) == "/c/xtest"
    assert memory_folder({"XDG_CACHE_HOME": "relative"}) == "/home/me/.cache/xtest"
    assert memory_folder({"XTEST_CACHE": "here", "XDG_CACHE_HOME": "/c"}) == "here"
    assert memory_folder({"XTEST_CACHE": ""}) == "/home/me/.cache/xtest"
