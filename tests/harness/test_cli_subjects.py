"""xtest.toml as its users meet it: `xtest run` in a project, and `xtest init`; whole processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.several.config import Config, parse_config

TOP = Path(__file__).resolve().parent.parent.parent

WHERE = """#!/bin/sh
cat >/dev/null
printf '["%s", "%s", "%s"]' "${PWD##*/}" "$COLOUR" "$1"
"""


def xtest(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One run of xtest in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "harness", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(TOP)},
    )


def judged(folder: Path) -> list[dict[str, Any]]:
    """The events that judge, from the results file `r`."""
    lines = (folder / "r").read_text(encoding="ascii").splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == "judged"]


def outcomes(folder: Path) -> list[str]:
    """Which subject got which verdict on which suite, from the results file `r`."""
    events = (f"{one['subject']} {one['suite']} {one['verdict']}" for one in judged(folder))
    return sorted(events)


def suite(folder: Path, expected: str, *, given: str = "1") -> None:
    """A suite of one case."""
    folder.mkdir(parents=True)
    (folder / "1-in.json").write_text(given, encoding="utf-8")
    (folder / "1-out.json").write_text(expected, encoding="utf-8")


def write(folder: Path, text: str) -> None:
    """The folder's xtest.toml."""
    (folder / "xtest.toml").write_text(text, encoding="utf-8")


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    """A project: the suites cases/one and cases/two, and a program impl/where.sh."""
    suite(tmp_path / "cases" / "one", '["impl", "blue", "one"]')
    suite(tmp_path / "cases" / "two", "2", given="2")
    (tmp_path / "impl").mkdir()
    program = tmp_path / "impl" / "where.sh"
    program.write_text(WHERE, encoding="utf-8")
    program.chmod(0o755)
    write(tmp_path, PROJECT)
    return tmp_path


PROJECT = """
suites = ["cases"]

[subjects.where]
command = ["./where.sh", "{suite}"]
folder = "impl"
environment = { COLOUR = "blue" }
suites = ["one"]

[subjects.echo]
command = ["cat"]
tags = ["simple"]
"""


def test_without_arguments_each_suite_is_run_against_the_subjects_that_serve_it(
    folder: Path,
) -> None:
    done = xtest("run", "--results", "r", folder=folder)
    assert (done.returncode, done.stderr) == (1, "")
    assert outcomes(folder) == [
        "echo cases/one differs",
        "echo cases/two passed",
        "where cases/one passed",
    ]


def test_the_file_is_found_from_any_folder_below_it_and_paths_start_at_the_file(
    folder: Path,
) -> None:
    done = xtest("run", "--subject", "where", "--results", "r", folder=folder / "cases" / "two")
    assert (done.returncode, done.stderr) == (0, "")
    (event,) = judged(folder / "cases" / "two")
    repeat = ["xtest", "run", "../one", "--case", "1", "--subject", "where"]
    assert event["repeat"] == repeat
    assert xtest(*repeat[1:], folder=folder / "cases" / "two").returncode == 0


@pytest.mark.parametrize(
    ("words", "whom"),
    [
        (["run", "cases/one"], ["echo one differs", "where one passed"]),
        (
            ["run", "cases", "--subject", "@simple"],
            ["echo cases/one differs", "echo cases/two passed"],
        ),
        (["run", "--subject=w*"], ["where cases/one passed"]),
        (["run", "cases/two", "--subject", "echo"], ["echo two passed"]),
        (["run", "--", "cat"], ["cat cases/one differs", "cat cases/two passed"]),
    ],
)
def test_a_command_line_narrows_what_is_configured(
    folder: Path, words: list[str], whom: list[str]
) -> None:
    command = words.index("--") if "--" in words else len(words)
    xtest(*words[:command], "--results", "r", *words[command:], folder=folder)
    assert outcomes(folder) == whom


def test_a_suite_of_the_file_can_be_called_by_the_end_of_its_path(folder: Path) -> None:
    write(folder, PROJECT.replace('["cases"]', '["cases/one", "cases/two"]', 1))
    done = xtest("run", "two", "--results", "r", folder=folder / "impl")
    assert (done.returncode, done.stderr) == (0, "")
    assert outcomes(folder / "impl") == ["echo two passed"]


def test_a_suite_that_no_subject_serves_is_run_against_its_own_program(folder: Path) -> None:
    write(folder, 'suites = ["cases/two"]\n')
    (folder / "cases" / "two" / "suite.toml").write_text("program = 'cat'\n", encoding="utf-8")
    assert xtest("run", "--results", "r", folder=folder).returncode == 0
    assert outcomes(folder) == ["cat two passed"]


def test_program_is_the_one_that_the_suite_names(folder: Path) -> None:
    write(folder, "suites = ['cases/two']\n[subjects.any]\ncommand = ['/bin/{program}']\n")
    (folder / "cases" / "two" / "suite.toml").write_text("program = 'cat'\n", encoding="utf-8")
    assert xtest("run", folder=folder).returncode == 0
    (folder / "cases" / "two" / "suite.toml").unlink()
    done = xtest("run", folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "xtest: two: no suite.toml names its program, for which {program} stands in [subjects.any]"
        " of xtest.toml\n",
    )


def test_a_subjects_limits_hold_instead_of_the_suites_and_wall_beats_both(folder: Path) -> None:
    (folder / "cases" / "two" / "suite.toml").write_text(
        "[limits]\nwall_s = 0.05\nprocesses = 9\n", encoding="utf-8"
    )
    command = "command = ['sh', '-c', 'sleep 0.3; cat']\n"
    write(folder, f"suites = ['cases/two']\n[subjects.slow]\n{command}limits = {{ wall_s = 30 }}\n")
    assert xtest("run", "--results", "r", folder=folder).returncode == 0
    assert xtest("run", "--wall", "0.05", "--results", "r", folder=folder).returncode == 1
    assert outcomes(folder) == ["slow two silent"]


def test_a_path_of_the_subjects_own_finds_its_program(folder: Path) -> None:
    path = f"{folder / 'impl'}:/bin:/usr/bin"
    text = f"command = ['where.sh', 'one']\nfolder = 'impl'\nenvironment = {{ PATH = '{path}'"
    write(folder, f"suites = ['cases/one']\n[subjects.w]\n{text}, COLOUR = 'blue' }}\n")
    assert xtest("run", folder=folder).returncode == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("command = ['./nix']", "./nix: no such file or directory in {top}"),
        ("command = ['./notes']", "./notes is not executable (chmod +x ./notes)"),
        (
            "command = ['./odd']",
            "./odd asks for the interpreter /no/such, which cannot be run",
        ),
        (
            "command = ['cat']\nfolder = 'nowhere'",
            "its folder {top}/nowhere: no such file or directory",
        ),
        ("command = ['cat']\nfolder = 'notes'", "its folder {top}/notes: not a directory"),
        (
            "command = ['no-such-program']",
            "no-such-program: no such program, neither beside this Python nor on PATH",
        ),
    ],
)
def test_why_a_subject_could_not_be_started_is_told_as_of_any_command(
    folder: Path, text: str, message: str
) -> None:
    (folder / "notes").write_text("x", encoding="utf-8")
    (folder / "odd").write_text("#!/no/such\n", encoding="utf-8")
    (folder / "odd").chmod(0o755)
    write(folder, f"suites = ['cases/two']\n[subjects.a]\n{text}\n")
    assert xtest("run", "--results", "r", folder=folder).returncode == 1
    (event,) = judged(folder)
    assert event["verdict"] == "not-started"
    assert event["message"] == message.format(top=folder)


def test_many_cases_shared_by_several_processes_run_in_the_subjects_folder(folder: Path) -> None:
    for number in range(2, 101):
        for side, text in (("in", "1"), ("out", '["impl", "blue", "one"]')):
            (folder / "cases" / "one" / f"{number}-{side}.json").write_text(text, encoding="utf-8")
    done = xtest("run", "cases/one", "--subject", "where", "-j4", "-q", folder=folder)
    assert (done.returncode, done.stdout[:14]) == (0, "all 100 passed")


def test_where_there_are_several_subjects_each_line_says_whose_run_it_is(folder: Path) -> None:
    several = xtest("run", "-v", folder=folder).stdout
    assert "\ndiffers  cases/one/1 by echo  1 difference, " in several
    assert "passed  cases/two/1 by echo  " in several
    assert "passed  cases/one/1 by where  " in several
    one = xtest("run", "--subject", "echo", "-v", folder=folder).stdout
    assert "\ndiffers  cases/one/1  1 difference, " in one
    assert "passed  cases/two/1  " in one


def test_what_is_left_of_a_run_of_several_subjects_says_whose_it_is(folder: Path) -> None:
    """Also where all of one of them was over before."""
    assert xtest("run", "--results", "r", folder=folder).returncode == 1
    events = (folder / "r").read_text(encoding="ascii").splitlines()
    assert json.loads(events[0])["subjects"] == ["where", "echo"]
    kept = [line for line in events if '"event":"judged"' not in line or '"where"' in line]
    (folder / "r").write_text("".join(f"{line}\n" for line in kept), encoding="ascii")
    rest = xtest("run", "--results", "r", "--resume", folder=folder)
    assert "\ndiffers  cases/one/1 by echo  1 difference, " in rest.stdout, rest.stderr


def test_what_fell_short_is_remembered_by_subject(folder: Path) -> None:
    assert xtest("run", "cases/one", folder=folder).returncode == 1
    done = xtest("run", "cases/one", "--failed", "--results", "r", folder=folder)
    assert done.returncode == 1
    assert outcomes(folder) == ["echo one differs"]


# xtest list


def test_list_takes_the_suites_of_the_file_and_those_that_a_subject_serves(folder: Path) -> None:
    done = xtest("list", folder=folder / "impl")
    assert (done.returncode, done.stdout) == (0, "cases/one  1\ncases/two  1\n")
    done = xtest("list", "--subject", "where", "--cases", folder=folder)
    assert (done.returncode, done.stdout) == (0, "cases/one  1\n    1\n")
    xtest("run", folder=folder)
    assert xtest("list", "--failed", folder=folder).stdout == "cases/one  1\n"
    done = xtest("list", "--new", folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "",
        "xtest: nothing to list: no case is new or changed\n",
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--subject", "x"],
            'xtest.toml: --subject "x": no subject has this name; known: where, echo',
        ),
        (["--subject", "echo", "--", "cat"], "list takes no command behind --"),
        (["--", "cat"], "list takes no command behind --"),
        (["--failed", "--"], "no command stands behind --"),
        (["cases/two", "--subject", "where"], "two: by xtest.toml, it is not served by where"),
    ],
)
def test_nonsense_for_list_is_told(folder: Path, words: list[str], message: str) -> None:
    done = xtest("list", *words, folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"xtest: {message}\n")


# Builds.


def test_a_build_is_run_once_in_the_subjects_folder_and_only_for_who_is_run(folder: Path) -> None:
    build = "build = ['sh', '-c', 'echo $COLOUR >> built']\n"
    write(folder, PROJECT.replace("folder = ", f"{build}folder = "))
    done = xtest("run", "--subject", "where", folder=folder)
    assert (done.returncode, done.stderr) == (
        0,
        "xtest: building where: sh -c 'echo $COLOUR >> built'\n",
    )
    assert (folder / "impl" / "built").read_text(encoding="utf-8") == "blue\n"
    assert xtest("run", "--subject", "echo", folder=folder).stderr == ""


@pytest.mark.parametrize(
    ("build", "printed", "why"),
    [
        (
            ["sh", "-c", "echo out; echo '\x1b[1m' >&2; exit 3"],
            "    out\n    \\x1b[1m\n",
            "exit status 3",
        ),
        (["sh", "-c", "kill -9 $$"], "", "ended by SIGKILL"),
        (["sleep", "600"], "", "it took longer than 0.2 s (build_s)"),
        (["./nix"], "", "./nix: no such file or directory in {impl}"),
        (["nix-nix"], "", "nix-nix: no such program, neither beside this Python nor on PATH"),
        (
            ["sh", "-c", "seq 25; exit 1"],
            "".join(f"    {n}\n" for n in range(6, 26)) + "    (the end of 25 lines)\n",
            "exit status 1",
        ),
    ],
)
def test_a_subject_whose_build_failed_is_not_started_and_the_others_run(
    folder: Path, build: list[str], printed: str, why: str
) -> None:
    text = f"build = {json.dumps(build)}\nbuild_s = 0.2\n" if "sleep" in build else ""
    text = text or f"build = {json.dumps(build)}\n"
    write(folder, PROJECT.replace("folder = ", f"{text}folder = "))
    done = xtest("run", "cases/one", "--results", "r", folder=folder)
    assert done.returncode == 1
    first, _, rest = done.stderr.partition("\n")
    assert first.startswith("xtest: building where: ")
    assert rest == printed
    assert outcomes(folder) == ["echo one differs", "where one not-started"]
    (event,) = (event for event in judged(folder) if event["subject"] == "where")
    command = first.removeprefix("xtest: building where: ")
    impl = folder / "impl"
    assert event["message"] == f"its build failed: {command}, in {impl}: {why.format(impl=impl)}"


# Faults of usage.


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        (
            PROJECT,
            ["--subject", "ech"],
            '{f}: --subject "ech": no subject has this name; did you mean "echo"?',
        ),
        (
            PROJECT,
            ["--subject", "echo", "--", "cat"],
            "--subject means subjects of xtest.toml, and there is a command behind --: choose one",
        ),
        (PROJECT, ["--"], "no command stands behind --"),
        (
            PROJECT,
            ["cases/two", "--subject", "where"],
            "two: by {f}, it is not served by where",
        ),
        (
            PROJECT.replace('["one"]', '["xtiles"]').replace("tags", "suites = ['xtiles']\ntags"),
            ["cases/two"],
            "two: no subject of {f} serves it, and no suite.toml names its program",
        ),
        (
            PROJECT.replace('suites = ["cases"]', "", 1),
            [],
            '{f} names no suites: add a line suites = ["FOLDER"] to it, or say which suites to run',
        ),
        (
            PROJECT.replace('["cases"]', '["casse"]', 1),
            [],
            "{f}: suites: casse: no such folder, and no bundled suite of that name ({bundled})",
        ),
        ("subject = 1", [], '{f}: unknown key "subject"; did you mean "subjects"?'),
    ],
)
def test_nonsense_is_told_and_nothing_is_run(
    folder: Path, text: str, words: list[str], message: str
) -> None:
    write(folder, text)
    done = xtest("run", *words, folder=folder)
    bundled = done.stderr.rpartition(" (")[2].rpartition(")")[0]
    said = message.format(f="xtest.toml", bundled=bundled)
    assert (done.returncode, done.stderr, done.stdout) == (2, f"xtest: {said}\n", "")


def test_a_glob_that_means_no_suite_is_a_problem_and_the_others_run(folder: Path) -> None:
    write(folder, PROJECT.replace('["one"]', '["casse/one"]'))
    done = xtest("run", folder=folder / "impl")
    assert done.returncode == 2
    assert done.stdout.splitlines()[0] == (
        'problem  ../xtest.toml: [subjects.where] suites: "casse/one" means no suite; did you mean'
        ' "cases/one"?'
    )
    assert "1 of 2 passed" in done.stdout


def test_a_subject_without_xtest_toml_is_told_how_to_get_one(tmp_path: Path) -> None:
    done = xtest("run", "--subject", "a\x1b", folder=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "xtest: --subject a\\x1b: there is no xtest.toml, neither here nor in a folder above;"
        " xtest init writes one\n",
    )


def test_an_xtest_toml_that_cannot_be_read_is_told_of(folder: Path) -> None:
    (folder / "xtest.toml").unlink()
    os.mkfifo(folder / "xtest.toml")
    done = xtest("run", folder=folder)
    assert (done.returncode, done.stderr) == (2, "xtest: xtest.toml: not a regular file\n")


def test_with_suite_and_command_the_file_is_not_looked_at(folder: Path) -> None:
    write(folder, "nonsense")
    assert xtest("run", "cases/two", "--", "cat", folder=folder).returncode == 0


# xtest init


def config_in(folder: Path) -> Config:
    """What the folder's xtest.toml says."""
    return parse_config((folder / "xtest.toml").read_bytes(), "xtest.toml")


def test_init_writes_the_suites_below_and_a_command_as_the_first_subject(tmp_path: Path) -> None:
    suite(tmp_path / "t" / "a", "1")
    suite(tmp_path / "t" / "b", "1")
    done = xtest("init", "--", "/bin/cat", "-", 'q"', folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "written: xtest.toml (2 suites, 1 subject)\n",
        "",
    )
    config = config_in(tmp_path)
    assert config.suites == ("t/a", "t/b")
    assert [(one.name, one.command) for one in config.subjects] == [
        ("cat", ("/bin/cat", "-", 'q"'))
    ]


def test_init_alone_writes_what_says_nothing_yet(tmp_path: Path) -> None:
    done = xtest("init", folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "written: xtest.toml (0 suites, 0 subjects)\n")
    assert config_in(tmp_path) == Config()


def test_init_says_which_file_it_hides(folder: Path) -> None:
    done = xtest("init", folder=folder / "impl")
    assert (done.returncode, done.stderr) == (
        0,
        "xtest: note: in this folder, it stands for ../xtest.toml\n",
    )


def test_init_never_writes_over_a_file_unless_it_is_forced(folder: Path) -> None:
    done = xtest("init", folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "xtest: xtest.toml is there already; init --force writes it anew\n",
    )
    assert (folder / "xtest.toml").read_text(encoding="utf-8") == PROJECT
    assert xtest("init", "--force", folder=folder).returncode == 0
    assert config_in(folder).suites == ("cases/one", "cases/two")
    assert [file.name for file in folder.iterdir() if file.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("words", "prepare", "message"),
    [
        (["--"], "", "xtest: no command stands behind --\n"),
        (["--forse"], "", "Error: No such option '--forse'. Did you mean '--force'?\n"),
        (["cases"], "", "Error: Got unexpected extra argument (cases)\n"),
        (
            ["--", b"\xff"],
            "",
            "xtest: init: xtest.toml is UTF-8, and a name here or the command is not\n",
        ),
        (["--force"], "folder", "xtest: xtest.toml: is a directory\n"),
    ],
)
def test_nonsense_for_init_is_told_and_nothing_is_written(
    tmp_path: Path, words: list[str | bytes], prepare: str, message: str
) -> None:
    if prepare:
        (tmp_path / "xtest.toml").mkdir()
    done = xtest("init", *(os.fsdecode(word) for word in words), folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.endswith(message)
    assert not (tmp_path / "xtest.toml").is_file()


# What other commands know of the file's suites.


SHORT = """
suites = ["cases/one", "more"]

[subjects.echo]
command = ["cat"]
suites = ["o*"]
"""


@pytest.fixture(name="short")
def _short(folder: Path) -> Path:
    """A project whose suites have names in its xtest.toml, with one below a folder of them."""
    suite(folder / "more" / "three", "3", given="3")
    write(folder, SHORT)
    return folder


def test_lint_looks_through_the_suites_of_the_file(short: Path) -> None:
    (short / "cases" / "one" / "1-out.json").write_text("oops", encoding="utf-8")
    done = xtest("lint", folder=short)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == (
        "cases/one: note: the suite has no README.md to say what its cases are for [readme]\n"
        "cases/one/1-out.json:1:1: error: not JSON: a value expected, found 'o'; here: -->oops"
        " [not-json]\n"
        "more/three: note: the suite has no README.md to say what its cases are for [readme]\n"
        "2 cases in 2 suites: 1 error, 2 notes\n"
    )
    done = xtest("lint", "one", "--ignore", "readme", folder=short / "more")
    assert done.stdout.startswith("../cases/one/1-out.json:1:1: error: ")
    assert done.stdout.endswith("1 case in 1 suite: 1 error\n")


def test_lint_tells_of_known_failures_of_no_subject_that_serves_the_suite(short: Path) -> None:
    known = '[[known]]\nmatch = "1"\nreason = "x"\nsubject = "eco"\n'
    for path in ("cases/one", "cases/two", "more/three"):
        (short / path / "suite.toml").write_text(known, encoding="utf-8")
    said = 'warning: subject = "eco" fits no subject of xtest.toml that serves this suite;'
    done = xtest("lint", "one", "three", "cases/two", "--ignore", "readme", folder=short)
    assert done.stdout == (
        f'cases/one/suite.toml:4:1: {said} did you mean "echo"? [idle-subject]\n'
        "3 cases in 3 suites: 1 warning\n"
    )
    assert done.returncode == 1
    write(short, SHORT.replace('"more"', '"nowhere"'))
    assert "idle-subject" not in xtest("lint", "cases/one", folder=short).stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "",
            'xtest.toml names no suites: add a line suites = ["FOLDER"] to it, or say which suites'
            " to lint",
        ),
        (
            'suites = ["cases/on"]',
            "xtest.toml: suites: cases/on: no such folder, and no bundled suite of that name (did"
            " you mean cases/one?)",
        ),
        ("suites = 7", "xtest.toml: suites is to be a list of folders or names of suites, found 7"),
    ],
)
def test_a_file_without_suites_that_there_are_is_refused_by_lint(
    folder: Path, text: str, said: str
) -> None:
    write(folder, text)
    done = xtest("lint", folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"xtest: {said}\n")


@pytest.mark.parametrize("name", ["one", "three"])
@pytest.mark.parametrize("words", [("run",), ("selftest",), ("accept", "--dry-run")])
def test_a_suite_of_the_file_has_a_short_name_where_a_command_is_given_too(
    short: Path, words: tuple[str, ...], name: str
) -> None:
    done = xtest(words[0], name, *words[1:], "--", "cat", folder=short)
    assert "no such folder" not in done.stderr
    assert done.stdout
    done = xtest(words[0], "nine", *words[1:], "--", "cat", folder=short)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("xtest: nine: no such folder, and no bundled suite of that name")


def test_a_case_is_added_to_a_suite_by_its_short_name(short: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "harness", "new", "three", "--yes", "--", "cat"],
        cwd=short,
        input=b"[4]",
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(TOP)},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (short / "more" / "three" / "2-out.json").read_bytes() == b"[4]"


def test_a_folder_and_a_command_are_run_whatever_the_file_says(folder: Path) -> None:
    write(folder, "nonsense")
    done = xtest("run", "cases/two", "--", "cat", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert xtest("selftest", "cases/two", "--", "cat", folder=folder).stderr == ""
