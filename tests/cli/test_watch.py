"""`xtest run --watch`: rounds, what starts them, and the keys of a terminal."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.processes import lives
from support.suites import read_judged, write_files, write_program, write_suite
from support.terminals import Terminal, terminal
from support.xtest import XTEST, Xtest, await_process, without_notes

WAITING = "xtest: waiting for changes; Ctrl-C ends\n"


def await_round(running: subprocess.Popen[str]) -> list[str]:
    """Return the lines of standard error up to the end of a round."""
    assert running.stderr is not None
    lines = [running.stderr.readline()]
    while lines[-1] != WAITING:
        assert lines[-1], lines
        lines.append(running.stderr.readline())
    return without_notes("".join(lines[:-1])).splitlines()


def save(path: Path, text: str) -> None:
    """Replace a file at once: two changes might start two rounds."""
    new = path.with_name(".xtest-part")
    new.write_text(text, encoding="ascii")
    new.chmod(0o755)
    os.replace(new, path)


def end(running: subprocess.Popen[str]) -> list[str]:
    """Press Ctrl-C, and return the lines of standard output."""
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate()
    assert (running.returncode, errors) == (130, "")
    return output.splitlines()


def test_what_failed_runs_first_and_files_of_xtest_start_no_round(
    xtest: Xtest, tmp_path: Path
) -> None:
    suite = write_suite(tmp_path / "s", {"1": "1", "2": ("2", "0"), "3": "3"})
    words = ("--watch", "-v", "-j1", "--results", "s/r.jsonl", "--report", "csv=s/r.csv")
    with xtest.start("run", "s", *words, "--", "cat") as running:
        await_round(running)
        write_files(suite, {"__pycache__/x.py": "", ".1-in.json.swp": "", "#1-in.json#": ""})
        save(suite / "2-out.json", "2")
        # The report that a run wrote into the suite is named in a note.
        notes = 'xtest: note: s: "r.csv"'
        causes = [line for line in await_round(running) if not line.startswith(notes)]
        assert causes == ["xtest: s/2-out.json changed"]
        lines = end(running)
    cases = [line.split()[1] for line in lines if line.startswith(("passed", "differs"))]
    assert cases == ["s/1", "s/2", "s/3", "s/2", "s/1", "s/3"]
    # Each round replaces the results of the one before.
    assert [event["case"] for event in read_judged(suite / "r.jsonl")] == ["2", "1", "3"]


def test_builds_run_again_only_after_changes_of_their_sources(xtest: Xtest, tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "s", {"1": ("1", "0")})
    source = write_program(tmp_path / "impl" / "source", "exec cat")
    write_files(tmp_path, {"data/a/old.txt": ""})
    build = json.dumps(["sh", "-c", "cp source prog && chmod +x prog"])  # writes into the folder
    config = 'suites = ["s"]\nwatch = ["data/*/*.txt"]\n[subjects.mine]\nfolder = "impl"\n'
    config += f'command = ["./prog"]\nbuild = {build}\n'
    save(tmp_path / "xtest.toml", config)
    built = "xtest: building mine: sh -c 'cp source prog && chmod +x prog'"
    with xtest.start("run", "--watch", "-q") as running:
        assert await_round(running) == [built]
        save(suite / "1-out.json", "1")
        assert await_round(running) == ["xtest: s/1-out.json changed"]
        save(source, "#!/bin/sh\necho 1\n")
        assert await_round(running) == ["xtest: impl/source changed", built]
        (tmp_path / "data" / "a" / "unwatched").touch()
        save(tmp_path / "data" / "a" / "new.txt", "")
        assert await_round(running) == ["xtest: data/a/new.txt changed", built]
        # A mistake in a file ends nothing.
        save(tmp_path / "xtest.toml", "suites = 1\n")
        first, second = await_round(running)
        assert (first, second[:26]) == ("xtest: xtest.toml changed", "xtest: xtest.toml: suites ")
        save(tmp_path / "xtest.toml", config)
        assert await_round(running) == ["xtest: xtest.toml changed", built]
        lines = end(running)
    assert [line.partition(" in ")[0] for line in lines] == [
        "0 of 1 passed",
        *["1 of 1 passed"] * 4,
    ]


def test_a_folder_that_is_replaced_stays_watched(xtest: Xtest, tmp_path: Path) -> None:
    write_suite(tmp_path / "s", {"1": "1"})
    program, _ = (write_program(tmp_path / name / "prog", "exec cat") for name in ("impl", "new"))
    config = 'suites = ["s"]\n[subjects.mine]\nfolder = "impl"\ncommand = ["./prog"]\n'
    save(tmp_path / "xtest.toml", config)
    with xtest.start("run", "--watch", "-q") as running:
        await_round(running)
        os.rename(tmp_path / "impl", tmp_path / "old")
        os.rename(tmp_path / "new", tmp_path / "impl")
        assert await_round(running)[0].startswith("xtest: impl")
        save(program, "#!/bin/sh\necho 1\n")
        assert await_round(running) == ["xtest: impl/prog changed"]
        end(running)


def test_a_change_stops_the_round_that_runs(xtest: Xtest, tmp_path: Path) -> None:
    write_suite(tmp_path / "s", {"1": "1"})
    write_program(tmp_path / "prog", "echo $$ > begun; exec sleep 600")
    with xtest.start("run", "s", "--watch", "-q", "--wall", "600", "--", "./prog") as running:
        subject = await_process(tmp_path / "begun", running)
        save(tmp_path / "prog", "#!/bin/sh\nexec cat\n")
        assert await_round(running) == ["xtest: prog changed"]
        assert not lives(int(subject.name))
        stopped, passed = end(running)
    assert stopped.startswith("interrupted after 0 runs")
    assert passed.startswith("1 of 1 passed")


def test_a_subject_that_writes_its_own_files_does_not_run_forever(
    xtest: Xtest, tmp_path: Path
) -> None:
    suite = write_suite(tmp_path / "s", {"1": "1"})
    write_program(tmp_path / "prog", "echo 1 >> log; exec cat")
    config = 'suites = ["s"]\n[subjects.mine]\nfolder = "."\ncommand = ["./prog"]\n'
    save(tmp_path / "xtest.toml", config)
    with xtest.start("run", "--watch", "-q") as running:
        assert running.stderr is not None
        lines = [running.stderr.readline()]
        while without_notes(lines[-1]) in ("", WAITING, "xtest: log changed\n"):
            lines.append(running.stderr.readline())
        assert lines[-1] == "xtest: note: log changes in every round; does the program write it?\n"
        assert lines.count("xtest: log changed\n") == 2
        save(suite / "1-in.json", " 1")
        while (lines := await_round(running)) == []:
            continue
        assert lines == ["xtest: s/1-in.json changed"]
        end(running)


def test_a_full_disk_is_reported_without_a_traceback(xtest: Xtest, tmp_path: Path) -> None:
    write_suite(tmp_path / "s", {"1": "1"})
    with (
        Path("/dev/full").open("wb") as full,
        xtest.start("run", "s", "--watch", "--", "cat", stdout=full.fileno()) as running,
    ):
        assert await_round(running) == ["xtest: no space left on device"]


def test_keys_run_again_accept_and_quit(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "s", {"1": "1", "2": ("2", "0"), "3": "3"})
    keys = "watching:  enter rerun  f failed only  a accept  q quit"
    command = [*XTEST, "run", "s", "--watch", "-v", "-j1", "--", "cat"]
    with terminal(command, tmp_path, columns=60, lines=30) as shown:
        lines = shown.await_that(lambda lines: keys in lines)
        assert [line.split()[1] for line in lines if " s/" in line] == ["s/1", "s/2", "s/3"]
        shown.type("\n")
        shown.await_that(lambda lines: lines[:1] == ["rerun requested"] and keys in lines)
        shown.type("f")
        lines = shown.await_that(
            lambda lines: lines[:1] == ["rerun of failed cases"] and keys in lines
        )
        assert not any(line.startswith("passed") for line in lines)
        shown.type("a")
        shown.await_that(lambda lines: any("[q]uit:" in line for line in lines))
        shown.type("y\n")
        lines = shown.await_that(
            lambda lines: (
                lines[:1] == ["s/2-out.json changed"] and "watching:  enter rerun  q quit" in lines
            )
        )
        assert (suite / "2-out.json").read_text(encoding="ascii") == "2\n"
        first = [line.startswith("program  cat") for line in lines].index(True)
        assert lines[first + 1].startswith("passed  s/2")
        shown.type("q")
        shown.to_the_end()
        assert shown.running.wait() == 0


@contextmanager
def stopped_watch(folder: Path) -> Iterator[Terminal]:
    """Start a watch in a shell, and stop it with Ctrl-Z."""
    write_suite(folder / "s", {"1": "1"})
    with terminal(["bash", "--norc"], folder) as shown:
        shown.type(shlex.join([*XTEST, "run", "s", "--watch", "--", "cat"]) + "\n")
        shown.await_that(lambda lines: any("watching:" in line for line in lines))
        shown.type("\x1a")
        shown.await_that(lambda lines: any("Stopped" in line for line in lines))
        yield shown


def test_keys_work_after_ctrl_z_and_fg(tmp_path: Path) -> None:
    with stopped_watch(tmp_path) as shown:
        shown.type("fg; echo status $?; exit\n")
        shown.await_that(lambda lines: any("fg" in line for line in lines))
        shown.type("q")
        assert "status 0" in shown.to_the_end()


def test_a_watch_in_the_background_can_be_ended(tmp_path: Path) -> None:
    with stopped_watch(tmp_path) as shown:
        shown.type("bg; kill %1; wait %1; echo status $?; exit\n")
        assert "status 130" in shown.to_the_end()


@pytest.mark.parametrize("has_hup", [True, False])
@pytest.mark.parametrize("is_running", [True, False])
def test_a_watch_ends_with_its_terminal(tmp_path: Path, *, has_hup: bool, is_running: bool) -> None:
    write_suite(tmp_path / "s", {"1": "1"})
    write_program(tmp_path / "prog", "echo $$ > begun; exec sleep 600" if is_running else "cat")
    command = [*XTEST, "run", "s", "--watch", "--wall", "600", "--", "./prog"]
    if not has_hup:
        command = ["sh", "-c", 'trap "" HUP; exec "$@" 2> errors', "sh", *command]
    with terminal(command, tmp_path) as shown:
        subject = None
        if is_running:
            subject = await_process(tmp_path / "begun", shown.running)
        else:
            shown.await_that(lambda lines: any("watching:" in line for line in lines))
        shown.close()
        assert shown.running.wait(60) == 130
    assert subject is None or not lives(int(subject.name))
    assert has_hup or "Traceback" not in (tmp_path / "errors").read_text(encoding="utf-8")
