"""`xtest accept` as its users meet it: whole processes, whole messages, a terminal."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

TOP = Path(__file__).resolve().parent.parent.parent
ACCEPT = [sys.executable, "-m", "harness", "accept"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(TOP)}
SCHEMA = '{"$schema": "https://json-schema.org/draft/2020-12/schema", "maxItems": 1}'


def accept(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One run of xtest accept in a folder, without a terminal."""
    return subprocess.run(
        [*ACCEPT, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=ENVIRONMENT,
    )


def on_terminal(keys: str, *arguments: str, folder: Path) -> tuple[int, str]:
    """One run with a terminal on standard input, where these keys wait: status and output."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, keys.encode())
        done = subprocess.run(
            [*ACCEPT, *arguments],
            cwd=folder,
            stdin=theirs,
            capture_output=True,
            text=True,
            check=False,
            env=ENVIRONMENT,
        )
    finally:
        os.close(theirs)
        os.close(ours)
    return done.returncode, done.stdout + done.stderr


def until_asked(stream: IO[bytes], times: int) -> None:
    """Read what a process prints until it has asked so often."""
    seen = b""
    while seen.count(b"[y/n/a/q]") < times:
        chunk = os.read(stream.fileno(), 4_096)
        assert chunk, seen
        seen += chunk


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    """A folder with the suite `s`: `cat` passes case 1, and differs on 2 and 3."""
    suite = tmp_path / "s"
    suite.mkdir()
    for name, stdin, expected in (("1", "1", " 1 "), ("2", "[2]", "[0]\n"), ("3", "3 4", "3")):
        (suite / f"{name}-in.json").write_text(stdin, encoding="utf-8")
        (suite / f"{name}-out.json").write_text(expected, encoding="utf-8")
    return tmp_path


def outputs(folder: Path) -> dict[str, str]:
    """The expected outputs of the suite, as they are now."""
    files = sorted((folder / "s").glob("*-out.json"))
    return {file.name[0]: file.read_text(encoding="utf-8") for file in files}


AS_THEY_WERE = {"1": " 1 ", "2": "[0]\n", "3": "3"}
SHOWN = """\
change  s/2  1 difference, the first at /0/0: 0 expected, 2 printed
change  s/3  1 value expected, 2 printed; the expected ones are right
"""


def test_without_a_terminal_the_changes_are_shown_and_nothing_is_written(folder: Path) -> None:
    done = accept("s", "--", "cat", folder=folder)
    assert done.stdout == (
        f"{SHOWN}3 cases: 1 unchanged, 2 not written\n"
        "nobody is there to confirm: run it on a terminal, or with --all\n"
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert outputs(folder) == AS_THEY_WERE


def test_a_dry_run_writes_nothing_and_says_by_its_status_that_something_would_change(
    folder: Path,
) -> None:
    done = accept("s", "--dry-run", "--", "cat", folder=folder)
    assert done.stdout == f"{SHOWN}3 cases: 1 unchanged, 2 not written\n"
    assert done.returncode == 1
    assert outputs(folder) == AS_THEY_WERE
    done = accept("s", "--dry-run", "--case", "1", "--", "cat", folder=folder)
    assert (done.returncode, done.stdout) == (0, "1 case: 1 unchanged\n")


def test_all_writes_what_differs_and_leaves_the_rest_byte_for_byte(folder: Path) -> None:
    done = accept("s", "--all", "--", "cat", folder=folder)
    assert done.stdout == (
        "change  s/2  1 difference, the first at /0/0: 0 expected, 2 printed\n"
        "    written: s/2-out.json\n"
        "change  s/3  1 value expected, 2 printed; the expected ones are right\n"
        "    written: s/3-out.json\n"
        "3 cases: 1 unchanged, 2 written\n"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert outputs(folder) == {"1": " 1 ", "2": "[2]\n", "3": "3\n4\n"}
    assert accept("s", "--", "cat", folder=folder).stdout == "3 cases: 3 unchanged\n"


def test_a_person_confirms_one_change_and_declines_another(folder: Path) -> None:
    status, told = on_terminal("maybe\ny\nn\n", "s", "--", "cat", folder=folder)
    assert told == (
        "change  s/2  1 difference, the first at /0/0: 0 expected, 2 printed\n"
        "    write s/2-out.json? [y/n/a/q] "
        "    y: yes, n: no, a: this and all that follow, q: this and all that follow stay\n"
        "    write s/2-out.json? [y/n/a/q] "
        "    written: s/2-out.json\n"
        "change  s/3  1 value expected, 2 printed; the expected ones are right\n"
        "    write s/3-out.json? [y/n/a/q] "
        "3 cases: 1 unchanged, 1 written, 1 not written\n"
    )
    assert status == 1
    assert outputs(folder) == {**AS_THEY_WERE, "2": "[2]\n"}


@pytest.mark.parametrize(
    ("keys", "status", "second", "third"),
    [
        ("a\n", 0, "[2]\n", "3\n4\n"),
        ("q\n", 1, "[0]\n", "3"),
        ("Y\nYES\n", 0, "[2]\n", "3\n4\n"),
        ("no\ny\n", 1, "[0]\n", "3\n4\n"),
        ("\x04", 1, "[0]\n", "3"),  # the end of input
    ],
)
def test_all_that_follow_can_be_answered_at_once(
    folder: Path, keys: str, status: int, second: str, third: str
) -> None:
    assert on_terminal(keys, "s", "--", "cat", folder=folder)[0] == status
    assert outputs(folder) == {"1": " 1 ", "2": second, "3": third}


def test_ctrl_c_at_the_question_keeps_what_was_written_and_no_more(folder: Path) -> None:
    ours, theirs = pty.openpty()
    command = [*ACCEPT, "s", "--", "cat"]
    with subprocess.Popen(
        command, cwd=folder, stdin=theirs, stdout=subprocess.PIPE, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None
        os.write(ours, b"y\n")
        until_asked(process.stdout, 2)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
    os.close(theirs)
    os.close(ours)
    assert outputs(folder) == {**AS_THEY_WERE, "2": "[2]\n"}
    assert not list((folder / "s").glob(".*"))


def test_a_file_that_somebody_changed_while_the_question_stood_is_not_overwritten(
    folder: Path,
) -> None:
    ours, theirs = pty.openpty()
    command = [*ACCEPT, "s", "--case", "2", "--", "cat"]
    with subprocess.Popen(
        command, cwd=folder, stdin=theirs, stdout=subprocess.PIPE, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None
        until_asked(process.stdout, 1)
        (folder / "s" / "2-out.json").write_text("[7]", encoding="utf-8")
        os.write(ours, b"y\n")
        told = process.stdout.read()
        assert process.wait() == 1
    os.close(theirs)
    os.close(ours)
    assert b"    not written: s/2-out.json was changed in the meantime\n" in told
    assert outputs(folder)["2"] == "[7]"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 5; kill -SEGV $$", "crashed: ended by SIGSEGV, having printed 1 whole value"),
        ("echo 5; exit 3", "the exit status is 3, not 0"),
        (
            "echo five",
            "malformed: output is not JSON at byte 1 (line 1, column 2): the word false"
            " expected, found 'i' (a message for people? print those on standard error);"
            " here: f-->ive\\n",
        ),
    ],
)
def test_a_case_of_a_program_that_fell_short_is_never_touched(
    folder: Path, script: str, why: str
) -> None:
    done = accept("s", "--case", "1", "--all", "--", "/bin/sh", "-c", script, folder=folder)
    assert done.stdout == f"refused  s/1  {why}\n1 case: 1 refused\n"
    assert (done.returncode, done.stderr) == (1, "")
    assert outputs(folder) == AS_THEY_WERE


def test_a_case_of_a_program_that_timed_out_is_never_touched(folder: Path) -> None:
    command = ("--case", "1", "--all", "--wall", "0.2", "--", "sleep", "60")
    done = accept("s", *command, folder=folder)
    told, last = done.stdout.splitlines()
    assert told.startswith("refused  s/1  silent: printed nothing within 0.2 s (")
    assert (done.returncode, last) == (1, "1 case: 1 refused")
    assert outputs(folder) == AS_THEY_WERE


def test_what_is_not_printed_twice_is_no_expected_output(folder: Path) -> None:
    script = "test -e here && echo 6 || { touch here; echo 5; }"
    done = accept("s", "--case", "1", "--all", "--", "/bin/sh", "-c", script, folder=folder)
    assert done.stdout == (
        "refused  s/1  a second run did not come to the same"
        " (differs: 1 difference, the first at /0: 5 expected, 6 printed)\n"
        "1 case: 1 refused\n"
    )
    assert done.returncode == 1
    assert outputs(folder) == AS_THEY_WERE


def test_an_output_that_breaks_the_suites_schema_is_refused(folder: Path) -> None:
    (folder / "s" / "suite.toml").write_text('output = "o.json"\n', encoding="utf-8")
    (folder / "s" / "o.json").write_text(SCHEMA, encoding="utf-8")
    done = accept("s", "--all", "--", "cat", folder=folder)
    assert done.stdout == (
        "change  s/2  1 difference, the first at /0/0: 0 expected, 2 printed\n"
        "    written: s/2-out.json\n"
        "refused  s/3  what it printed cannot stand as expected: the expected output breaks its"
        " schema at its top: [3, 4] is too long\n"
        "3 cases: 1 unchanged, 1 written, 1 refused\n"
    )
    assert done.returncode == 1


def test_an_input_without_an_output_is_told_of_and_gets_one_if_asked_for(folder: Path) -> None:
    (folder / "s" / "004-in.json").write_text("[4]", encoding="utf-8")
    done = accept("s", "--case", "4", "--", "cat", folder=folder)
    assert done.stdout == (
        "invalid  s/4  004-in.json is an orphan: there is no 004-out.json; --missing writes it\n"
        "1 case: 1 invalid\n"
    )
    assert done.returncode == 2
    done = accept("s", "--case", "4", "--missing", "--all", "--", "cat", folder=folder)
    assert done.stdout == (
        "new  s/4  1 value printed\n    [4]\n    written: s/004-out.json\n1 case: 1 written\n"
    )
    assert done.returncode == 0
    assert (folder / "s" / "004-out.json").read_text(encoding="utf-8") == "[4]\n"


def test_the_programs_own_bytes_are_written_if_asked_for(folder: Path) -> None:
    command = ("--case", "3", "--all", "--layout", "printed", "--", "cat")
    assert accept("s", *command, folder=folder).returncode == 0
    assert outputs(folder)["3"] == "3 4"


def test_a_broken_case_is_a_fault_of_the_corpus_and_the_others_are_gone_through(
    folder: Path,
) -> None:
    (folder / "s" / "2-out.json").write_text("[", encoding="utf-8")
    done = accept("s", "--all", "--", "cat", folder=folder)
    assert done.stdout == (
        "invalid  s/2  2-out.json is cut short at byte 1 (line 1, column 2): the text ends inside"
        " an array; here: [-->\n"
        "change  s/3  1 value expected, 2 printed; the expected ones are right\n"
        "    written: s/3-out.json\n"
        "3 cases: 1 unchanged, 1 written, 1 invalid\n"
    )
    assert done.returncode == 2
    assert outputs(folder)["2"] == "["


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("s", "--"), "xtest: no command stands behind --\n"),
        (
            ("s",),
            "xtest: s: no suite.toml names its program, so say which one to run:"
            " xtest accept s -- COMMAND\n",
        ),
        (
            ("s", "--", "no-such-program"),
            "xtest: no-such-program: no such program, neither beside this Python nor on PATH\n",
        ),
        (
            ("s", "--all", "--dry-run", "--", "cat"),
            "xtest: --all writes, and --dry-run writes nothing: choose one\n",
        ),
        (
            ("xboards", "--", "cat"),
            "xtest: xboards: no such folder, and no bundled suite of that name"
            " (did you mean xboard?)\n",
        ),
        (
            ("s", "--case", "9", "--", "cat"),
            "xtest: --case 9: means no case\nxtest: no case is selected\n",
        ),
        (
            ("packed", "--", "cat"),
            "xtest: packed: its cases stand in cases.jsonl, which is not rewritten; unpack them"
            " (xtest unpack packed -o FOLDER), accept there, and pack them again\n",
        ),
        (
            ("badschema", "--", "cat"),
            'xtest: badschema: no schema "none.json", neither in the suite\'s folder nor bundled\n',
        ),
    ],
)
def test_nonsense_is_refused_with_a_message_and_status_2(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    packed = folder / "packed"
    packed.mkdir()
    line = '{"case":"1","in":{"text":"1"},"out":{"text":"2"}}\n'
    (packed / "cases.jsonl").write_text(line, encoding="utf-8")
    bad = folder / "badschema"
    bad.mkdir()
    (bad / "suite.toml").write_text('output = "none.json"\n', encoding="utf-8")
    for side in ("in", "out"):
        (bad / f"1-{side}.json").write_text("1", encoding="utf-8")
    done = accept(*arguments, folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)
    assert outputs(folder) == AS_THEY_WERE


@pytest.mark.parametrize(
    ("arguments", "last"),
    [
        ((), "Error: Missing argument 'SUITE...'."),
        (
            ("s", "--layout", "neat"),
            "Error: Invalid value for '--layout': 'neat' is not one of"
            " 'lines', 'pretty', 'printed'.",
        ),
    ],
)
def test_words_that_are_no_such_command_are_told_with_the_usage(
    folder: Path, arguments: tuple[str, ...], last: str
) -> None:
    done = accept(*arguments, folder=folder)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == last


def test_a_folder_that_cannot_be_written_is_told_of(folder: Path) -> None:
    (folder / "s" / "2-out.json").unlink()
    (folder / "s" / "2-out.json").symlink_to("/proc/version")
    done = accept("s", "--case", "2", "--all", "--", "cat", folder=folder)
    assert done.returncode == 2
    assert "invalid  s/2  2-out.json" in done.stdout


def test_cases_are_selected_by_tag_shard_and_memory_as_in_run(folder: Path) -> None:
    settings = '[[cases]]\nmatch = "2-3"\ntags = ["odd"]\n'
    (folder / "s" / "suite.toml").write_text(settings, encoding="utf-8")
    tagged = ("--dry-run", "--tag", "odd", "--shard", "1/2", "--", "cat")
    assert accept("s", *tagged, folder=folder).stdout.splitlines()[0] == SHOWN.splitlines()[0]
    unknown = accept("s", "--dry-run", "--failed", "--", "cat", folder=folder)
    assert unknown.stderr.startswith(
        "xtest: s: --failed: no run of cat on this suite is remembered"
    )
    command = [sys.executable, "-m", "harness", "run", "s", "--case", "1", "--", "cat"]
    subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, check=True)
    nothing = accept("s", "--failed", "--", "cat", folder=folder)
    assert nothing.stdout == "nothing fell short the last time: nothing to accept\n"
    assert nothing.returncode == 0
