"""The command line as its users meet it: whole processes, whole messages, exit statuses."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

XTEST = [sys.executable, "-m", "harness"]
TOP = Path(__file__).resolve().parent.parent.parent


def xtest(
    *arguments: str, folder: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """One run of xtest in a folder, its output as text."""
    return subprocess.run(
        [*XTEST, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(TOP), **(environment or {})},
    )


def suite(folder: Path, cases: dict[str, tuple[str, str]], settings: str = "") -> Path:
    """A folder with these cases: name to input and expected output."""
    folder.mkdir(parents=True)
    for name, (stdin, expected) in cases.items():
        (folder / f"{name}-in.json").write_text(stdin, encoding="utf-8")
        (folder / f"{name}-out.json").write_text(expected, encoding="utf-8")
    if settings:
        (folder / "suite.toml").write_text(settings, encoding="utf-8")
    return folder


@pytest.fixture(name="echo")
def _echo(tmp_path: Path) -> Path:
    """A folder that holds the suite `echo`, which `cat` passes but for case 2."""
    suite(
        tmp_path / "echo",
        {"1": ("[1]\n", "[1]"), "2": ('{"a": 1}\n', '{"a": 2}\n'), "10": ("", "")},
    )
    return tmp_path


def test_everything_passed_is_exit_status_0(echo: Path) -> None:
    done = xtest("run", "echo", "--case", "1", "--case", "10", "--", "cat", folder=echo)
    assert done.returncode == 0
    assert done.stderr == ""
    *table, blank, last = done.stdout.splitlines()
    assert table == [
        "",
        "suite  subject  cases  passed  failed  broken",
        "echo   cat          2       2       0       0",
    ]
    assert blank == ""
    assert last.startswith("all 2 passed in ")


def test_a_failure_shows_all_that_one_needs(echo: Path) -> None:
    done = xtest("run", "echo", "--", "sh", "-c", "echo look >&2; cat", folder=echo)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[1] == "differs  echo/2  1 difference, the first at /0/a: 2 expected, 1 printed"
    assert lines[2:6] == [
        '    input      {"a": 1}',
        '    expected   {"a": 2}',
        '    printed    {"a": 1}',
        "    stderr     look",
    ]
    assert lines[6].startswith("    ended      exit status 0, after 0.")
    assert lines[7] == "    repeat     xtest run echo --case 2 -- sh -c 'echo look >&2; cat'"
    assert lines[-1].startswith("2 of 3 passed in ") and lines[-1].endswith(": 1 differs")


def test_the_command_line_that_repeats_a_case_repeats_it(echo: Path) -> None:
    lines = xtest("run", "echo", "--", "cat", folder=echo).stdout.splitlines()
    (repeat,) = [line.split(maxsplit=2)[2] for line in lines if line.startswith("    repeat")]
    words = repeat.split(" ")
    again = xtest(*words[1:] if words[0] == "xtest" else words, folder=echo)
    assert again.returncode == 1
    assert "echo/2" in again.stdout and "0 of 1 passed" in again.stdout


def test_options_may_stand_behind_the_suite_and_the_command_is_untouched(echo: Path) -> None:
    done = xtest(
        "run",
        "echo",
        "-q",
        "--case=1",
        "--",
        "sh",
        "-c",
        'echo "[$#]"',
        "x",
        "--",
        "-v",
        folder=echo,
    )
    assert (done.returncode, done.stdout.split(" in ")[0]) == (1, "0 of 1 passed")
    done = xtest(
        "run", "echo", "-q", "--case=1", "--", "sh", "-c", 'echo "[$#]"', "x", "--", folder=echo
    )
    assert (done.returncode, done.stdout.split(" in ")[0]) == (0, "all 1 passed")


def test_verbose_has_a_line_for_each_that_passed_in_a_pipe(echo: Path) -> None:
    done = xtest("run", "echo", "-v", "-j1", "--case", "1", "--", "cat", folder=echo)
    assert done.stdout.startswith("passed  echo/1  ")


def test_a_program_that_is_not_there_is_told_once_and_counted(echo: Path) -> None:
    done = xtest("run", "echo", "--", "./no-such-file", folder=echo)
    assert done.returncode == 1
    assert (
        done.stdout.splitlines()[1]
        == f"not-started  echo/1  ./no-such-file: no such file or directory in {echo}"
    )
    assert done.stdout.count("no such file") == 1
    assert done.stdout.splitlines()[-1].endswith(": 3 not-started")


def test_a_bare_name_that_nothing_answers_to(echo: Path) -> None:
    done = xtest("run", "echo", "--", "no-such-program", folder=echo)
    assert done.returncode == 1
    reason = "no such program, neither beside this Python nor on PATH"
    expected = f"not-started  echo/1  no-such-program: {reason}"
    assert done.stdout.splitlines()[1] == expected


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("none --fast", "no such program, neither beside this Python nor on PATH; the space is"),
        ("./none --fast", "no such file or directory in {echo}; the space is"),
    ],
)
def test_a_command_in_one_word_is_told_where_arguments_go(echo: Path, word: str, said: str) -> None:
    done = xtest("run", "echo", "--case=1", "--", word, folder=echo)
    assert done.returncode == 1
    why = said.format(echo=echo)
    assert done.stdout.splitlines()[1] == (
        f"not-started  echo/1  {word}: {why} taken for a part of its name: a program with"
        " arguments stands behind --, or in xtest.toml, in words of their own"
    )


def test_a_program_of_this_folder_wants_a_dot_and_a_slash(echo: Path) -> None:
    (echo / "mine").touch()
    done = xtest("run", "echo", "--case=1", "--", "mine", folder=echo)
    assert done.stdout.splitlines()[1] == (
        "not-started  echo/1  mine: no such program, neither beside this Python nor on PATH; in"
        " this folder it is ./mine"
    )


def test_a_program_of_suite_toml_is_looked_for_in_the_callers_folder(echo: Path) -> None:
    (echo / "echo" / "mine").write_text("#!/bin/sh\nexec cat\n", encoding="utf-8")
    (echo / "echo" / "mine").chmod(0o755)
    (echo / "echo" / "suite.toml").write_text('program = "./mine"\n', encoding="utf-8")
    done = xtest("run", "echo", "--case=1", folder=echo)
    assert done.stdout.splitlines()[1] == (
        f"not-started  echo/1  ./mine: no such file or directory in {echo}"
    )
    assert xtest("run", ".", "--case=1", folder=echo / "echo").returncode == 0
    path = echo / "echo" / "none"
    done = xtest("run", "echo", "--case=1", "--", str(path), folder=echo)
    assert done.stdout.splitlines()[1] == (
        f"not-started  echo/1  {path}: no such file or directory"
    )


def test_a_program_with_a_slash_is_relative_to_the_callers_folder(echo: Path) -> None:
    program = echo / "mine"
    program.write_text("#!/bin/sh\nexec cat\n", encoding="utf-8")
    program.chmod(0o755)
    assert xtest("run", "echo", "-q", "--case=1", "--", "./mine", folder=echo).returncode == 0


def test_an_orphan_is_loud_and_valid_cases_still_run(echo: Path) -> None:
    (echo / "echo" / "3-in.json").write_text("1", encoding="utf-8")
    done = xtest("run", "echo", "--", "cat", folder=echo)
    assert done.returncode == 2
    assert "invalid-case  echo/3  3-in.json is an orphan: there is no 3-out.json" in done.stdout
    assert done.stdout.splitlines()[-1].endswith(": 1 invalid-case, 1 differs")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nowhere/"], "xtest: nowhere/: no such folder"),
        (
            ["run", "echo"],
            "xtest: echo: no suite.toml names its program, so say which one to run:"
            " xtest run echo -- COMMAND",
        ),
        (["run", "echo", "--"], "xtest: no command stands behind --"),
        (["run", "--"], "xtest: no command stands behind --"),
        (
            ["run", "--", "./my prog", "-x"],
            "xtest: no suite is named, and each of the bundled ones is for a program of its own:"
            " xtest run SUITE -- './my prog' -x\n",
        ),
        (["run", "empty", "--", "cat"], "xtest: empty: no cases in this folder or below it"),
        (["list", "--", "cat"], "xtest: list takes no command behind --"),
        (["run", "echo", "-j", "0", "--", "cat"], "Invalid value for '-j' / '--jobs'"),
        (["run", "echo", "--bogus", "--", "cat"], "No such option"),
        (["bogus"], 'No such command "bogus"; to run a suite: xtest run bogus\n'),
        (
            ["lynt", "--", "cat"],
            'No such command "lynt"; did you mean "lint"? to run a suite: xtest run lynt\n',
        ),
        (["run", "echo", "/bin/cat"], "xtest: /bin/cat: a file; a suite is a folder; a program"),
        (["run", "echo", "cat", "-v"], "); a program under test stands behind --\n"),
        (
            ["run", "echo", "--results", "no/such/file", "--", "cat"],
            "xtest: --results no/such/file: no such file or directory",
        ),
    ],
)
def test_faults_of_usage_say_what_to_do_and_exit_with_2(
    echo: Path, arguments: list[str], message: str
) -> None:
    (echo / "empty").mkdir()
    done = xtest(*arguments, folder=echo)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_a_selection_of_nothing_is_a_fault(echo: Path) -> None:
    done = xtest("run", "echo", "--case", "77", "--", "cat", folder=echo)
    assert done.returncode == 2
    assert done.stdout == "problem  --case 77: means no case\nnothing was run\n"


def test_a_broken_suite_toml_does_not_keep_other_suites_from_running(echo: Path) -> None:
    suite(echo / "odd", {"1": ("1", "1")}, 'titel = "x"\n')
    done = xtest("run", "odd", "echo", "--case", "1", "--", "cat", folder=echo)
    assert done.returncode == 2
    assert 'unknown key "titel"; did you mean "title"?' in done.stdout
    assert "all 1 passed" in done.stdout


def test_the_program_of_suite_toml_is_run_when_none_is_given(tmp_path: Path) -> None:
    suite(tmp_path / "s", {"1": ("1", "1")}, 'program = "cat"\n')
    done = xtest("run", "s", folder=tmp_path)
    assert done.returncode == 0
    assert "s      cat          1       1       0       0" in done.stdout


def test_results_are_one_event_a_line(echo: Path) -> None:
    done = xtest("run", "echo", "-q", "--results", "r.jsonl", "--", "cat", folder=echo)
    assert done.returncode == 1
    lines = (echo / "r.jsonl").read_text(encoding="ascii").splitlines()
    events = [json.loads(line) for line in lines]
    assert [event["event"] for event in events] == ["run-started", *["judged"] * 3, "run-ended"]
    assert {event["case"]: event["verdict"] for event in events[1:-1]} == {
        "1": "passed",
        "2": "differs",
        "10": "passed",
    }
    assert events[-1]["exit"] == 1


def test_results_are_on_disk_while_it_runs_and_sigint_ends_with_130(tmp_path: Path) -> None:
    suite(tmp_path / "s", {"1": ("", ""), "2": ("5\n", "5")})
    pid_file = tmp_path / "pid"
    script = f"read n && echo $$ >{pid_file} && exec sleep 60"
    with subprocess.Popen(
        [
            *XTEST,
            "run",
            "s",
            "-j1",
            "--wall",
            "60",
            "--results",
            "r",
            "--",
            "sh",
            "-c",
            f"{script}; true",
        ],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TOP)},
    ) as running:
        while not (pid_file.exists() and pid_file.read_text(encoding="ascii")):
            assert running.poll() is None, running.communicate()
            time.sleep(0.01)  # until the second case is under way
        so_far = (tmp_path / "r").read_text(encoding="ascii").splitlines()
        assert [json.loads(line)["event"] for line in so_far] == ["run-started", "judged"]
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    assert running.returncode == 130
    assert err == ""
    assert out.splitlines()[-1].startswith("interrupted after 1 run, 1 passed, in ")
    assert json.loads((tmp_path / "r").read_text(encoding="ascii").splitlines()[-1])["interrupted"]
    subject = Path(f"/proc/{pid_file.read_text(encoding='ascii').strip()}")
    assert not subject.exists()


def test_list_shows_name_cases_program_and_title(tmp_path: Path) -> None:
    suite(
        tmp_path / "all" / "b",
        {"1": ("1", "1"), "x-2": ("1", "1")},
        'title = "B"\nprogram = "cat"\n',
    )
    suite(tmp_path / "all" / "a", {"1": ("1", "1")})
    done = xtest("list", "all", "--cases", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "all/a  1\n    1\nall/b  2  cat  B\n    1\n    x-2\n"


def test_a_reader_of_our_output_that_goes_away_ends_us_quietly(echo: Path) -> None:
    command = " ".join([*XTEST, "run", "echo", "-v", "--", "cat", "| true"])
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=echo,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(TOP)},
    )
    assert done.stderr == ""


def test_check_holds_cases_against_their_schemas(tmp_path: Path) -> None:
    folder = suite(
        tmp_path / "s",
        {"1": ("[1]", "[1]"), "2": ('"x"', '"x"')},
        'program = "cat"\ninput = "in.schema.json"\n',
    )
    schema = {"type": "array", "items": {"type": "array"}}
    (folder / "in.schema.json").write_text(json.dumps(schema), encoding="utf-8")
    assert xtest("run", "s", folder=tmp_path).returncode == 0
    done = xtest("run", "s", "--check", folder=tmp_path)
    assert done.returncode == 2
    assert (
        "invalid-case  s/2  the input breaks its schema at /0: 'x' is not of type 'array'"
        in done.stdout
    )


def run_on_a_terminal(folder: Path, *arguments: str, **variables: str) -> str:
    """What xtest writes to a terminal of its own."""
    ours, its = pty.openpty()
    with subprocess.Popen(
        [*XTEST, *arguments],
        cwd=folder,
        stdin=its,
        stdout=its,
        stderr=its,
        env={**os.environ, "PYTHONPATH": str(TOP), "TERM": "xterm-256color", **variables},
    ) as running:
        os.close(its)
        written = b""
        while True:
            try:
                chunk = os.read(ours, 65_536)
            except OSError:  # Linux: the other side of the terminal is closed
                break
            written += chunk
        running.wait()
    os.close(ours)
    return written.decode()


def test_a_terminal_gets_colours_and_no_progress_of_a_moment(echo: Path) -> None:
    written = run_on_a_terminal(echo, "run", "echo", "--", "cat")
    assert "\x1b[31mdiffers\x1b[0m" in written
    assert "\x1b[K" not in written
    assert written.rstrip().endswith("\x1b[0m")


def test_no_color_is_respected_on_a_terminal(echo: Path) -> None:
    assert "\x1b[31m" not in run_on_a_terminal(echo, "run", "echo", "--", "cat", NO_COLOR="1")


def test_a_failure_shows_a_screenful_of_differences_unless_all_are_asked_for(
    tmp_path: Path,
) -> None:
    suite(tmp_path / "s", {"1": (json.dumps([0] * 50), json.dumps([1] * 50))})
    some = xtest("run", "s", "--", "cat", folder=tmp_path).stdout.splitlines()
    assert "    (and 36 more; --full shows all)" in some
    all_ = xtest("run", "s", "--full", "--", "cat", folder=tmp_path).stdout.splitlines()
    assert "    -   1  at /0/49" in all_
    assert not [line for line in all_ if "more" in line]


def test_a_terminal_with_room_gets_two_columns_and_a_narrow_one_gets_one(tmp_path: Path) -> None:
    suite(tmp_path / "s", {"1": ("[0, 2]", "[1, 3]")})
    arguments = ("run", "s", "--", "cat")
    wide = run_on_a_terminal(tmp_path, *arguments, NO_COLOR="1", COLUMNS="120", LINES="40")
    assert f"      1{' ' * 17} |   0{' ' * 19}/0/0" in wide
    narrow = run_on_a_terminal(tmp_path, *arguments, NO_COLOR="1", COLUMNS="60", LINES="40")
    assert "    -   1  at /0/0" in narrow


def test_a_pipe_gets_no_escape_codes_whatever_the_subject_prints(tmp_path: Path) -> None:
    suite(tmp_path / "s", {"1": ("1", "2")})
    done = xtest("run", "s", "--", "printf", '"\\033[31mred\\033[0m"', folder=tmp_path)
    assert done.returncode == 1
    assert "\x1b" not in done.stdout


def test_a_pipe_gets_colours_where_they_are_asked_for(echo: Path) -> None:
    command = ("run", "echo", "--", "cat")
    red = "\x1b[31mdiffers\x1b[0m"
    for variables, has_colours in (
        ({"FORCE_COLOR": "1"}, True),
        ({"CLICOLOR_FORCE": "1"}, True),
        ({"CLICOLOR_FORCE": "0"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ):
        done = xtest(*command, folder=echo, environment=variables)
        assert (red in done.stdout) is has_colours, variables


def test_clicolor_0_and_a_dumb_terminal_have_no_colours(echo: Path) -> None:
    for variables in ({"CLICOLOR": "0"}, {"TERM": "dumb"}):
        assert "\x1b" not in run_on_a_terminal(echo, "run", "echo", "--", "cat", **variables)


def test_a_locale_without_letters_gets_escapes(tmp_path: Path) -> None:
    suite(tmp_path / "s", {"1": ('"→"', '"é"')})
    plain = {"PYTHONIOENCODING": "ascii"}
    done = xtest("run", "s", "--", "cat", folder=tmp_path, environment=plain)
    assert (done.returncode, done.stderr) == (1, "")
    assert '    expected   "\\xe9"\n    printed    "\\u2192"\n' in done.stdout


def test_version_is_the_projects(tmp_path: Path) -> None:
    text = (TOP / "pyproject.toml").read_text(encoding="utf-8")
    (version,) = [line for line in text.splitlines() if line.startswith("version = ")]
    done = xtest("--version", folder=tmp_path)
    assert done.stdout.split() == ["xtest", version.split('"')[1]]
