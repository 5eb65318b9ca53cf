"""`xtest compare` as its users meet it: whole processes, whole messages, exit statuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

TOP = Path(__file__).resolve().parent.parent.parent


def compare(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One run of xtest compare in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "harness", "compare", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(TOP)},
    )


def report(*arguments: str, folder: Path) -> dict[str, Any]:
    """The same as JSON."""
    done = compare("--format", "json", *arguments, folder=folder)
    read: dict[str, Any] = json.loads(done.stdout)
    return read


def inputs(folder: Path, *texts: str, settings: str = "") -> None:
    """A folder of inputs, 1.json and so on."""
    folder.mkdir()
    for number, text in enumerate(texts, start=1):
        (folder / f"{number}.json").write_text(text, encoding="utf-8")
    if settings:
        (folder / "suite.toml").write_text(settings, encoding="utf-8")


def program(folder: Path, name: str, text: str) -> None:
    """A program of sh."""
    (folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    (folder / name).chmod(0o755)


# Adds the numbers of an array up: [1, 2] comes to 3. To be read in one look.
RIGHT = """
words=$(tr -d '[] \\n' | tr , ' ')
sum=0 count=0
for word in $words; do
  sum=$((sum + word)) count=$((count + 1))
done
echo "{\\"sum\\": $sum, \\"count\\": $count}"
"""
FAULTS = {
    # Of a sum below zero it forgets the sign.
    "no-sign": ("echo", "sum=${sum#-}\necho"),
    # It loses all numbers behind the third one.
    "three": ("count=$((count + 1))", "count=$((count + 1))\n  test $count = 3 && break"),
    # Of no numbers at all it does not know what to say.
    "nothing": ("echo", "test $count = 0 && exit 3\necho"),
}
SUMS = ("[1]", "[1, 2]", "[]", "[-1]", "[1, 2, 3]", "[-1, -2]", "[1, 1, 1, 1]", "[1, 2, 3, 4, 5]")


def faulty_copies(folder: Path) -> None:
    """The program, a copy of it with each fault, and inputs."""
    inputs(folder / "sums", *SUMS)
    program(folder, "right", RIGHT)
    for name, (old, new) in FAULTS.items():
        assert RIGHT.count(old) == 1
        program(folder, name, RIGHT.replace(old, new))


def test_three_planted_faults_are_found_without_expected_outputs(tmp_path: Path) -> None:
    faulty_copies(tmp_path)
    found = report("./right", *(f"./{name}" for name in FAULTS), "--", "sums", folder=tmp_path)
    assert [(of["case"], of["groups"]) for of in found["separating"]] == [
        ("3", [[0, 1, 2], [3]]),
        ("4", [[0, 2, 3], [1]]),
        ("6", [[0, 2, 3], [1]]),
        ("7", [[0, 1, 3], [2]]),
        ("8", [[0, 1, 3], [2]]),
    ]
    assert found["groups"][0] == {"groups": [[0, 1, 2, 3]], "inputs": 3}


def test_the_page_shows_what_is_printed(tmp_path: Path) -> None:
    faulty_copies(tmp_path)
    page = (TOP / "docs" / "compare.md").read_text(encoding="utf-8")
    line, shown = page.split("```console\n$ xtest compare ")[1].split("```")[0].split("\n", 1)
    assert compare(*line.split(), folder=tmp_path).stdout == shown


def test_what_separates_subjects_is_shown_with_who_said_what(tmp_path: Path) -> None:
    inputs(tmp_path / "in", '{"a": [1, 2, 3, 4, 5, 6, 7, 8, 9], "b": 1}\n', '"x"\n', "[1]\n")
    program(tmp_path, "same", "cat")
    program(tmp_path, "other", "sed -e 's/4/5/' -e 's/\"b\": 1/\"b\": 2/'")
    program(tmp_path, "dies", 'read line; test "$line" = "[1]" && kill -SEGV $$; echo "$line"')
    done = compare("./same", "./other", "./dies", "--", "in", folder=tmp_path)
    assert done.stdout == (
        "A  ./same\n"
        "B  ./other\n"
        "C  ./dies\n"
        "\n"
        "A B | C  in/3  4 bytes\n"
        "    input      [1]\n"
        "    A B        [1]\n"
        "    C          crashed: ended by SIGSEGV, having printed nothing\n"
        "    repeat     xtest compare ./same ./other ./dies --case 3 -- in\n"
        "\n"
        "A C | B  in/1  43 bytes\n"
        '    input      {"a": [1, 2, 3, 4, 5, 6, 7, 8, 9], "b": 1}\n'
        '    A C        {"a": [1, 2, 3, 4, 5, 6, 7, 8, 9], "b": 1}\n'
        '    B          {"a": [1, 2, 3, 5, 5, 6, 7, 8, 9], "b": 2}\n'
        "    - A C, + B\n"
        "      {\n"
        '        "a": [\n'
        "          … 2 equal values …\n"
        "          3\n"
        "    -     4  at /0/a/3\n"
        "    +     5\n"
        "          5\n"
        "          … 4 equal values …\n"
        "        ]\n"
        '    -   "b": 1  at /0/b\n'
        '    +   "b": 2\n'
        "      }\n"
        "    repeat     xtest compare ./same ./other ./dies --case 1 -- in\n"
        "\n"
        "alike, in %      A      B      C   fell short\n"
        "A  ./same        -   66.6   66.6\n"
        "B  ./other    66.6      -   33.3\n"
        "C  ./dies     66.6   33.3      -   1 crashed\n"
        "\n"
        "        1  A B C\n"
        "        1  A B | C\n"
        "        1  A C | B\n"
        "3 inputs: 1 alike, 2 separate the subjects\n"
    )
    assert (done.returncode, done.stderr) == (1, "")


def test_subjects_that_all_agree_are_status_0(tmp_path: Path) -> None:
    inputs(tmp_path / "in", "1", '{"a": 1, "b": 2}')
    program(tmp_path, "spaced", "sed 's/: /:  /g'")
    done = compare("cat", "./spaced", "--", "in", folder=tmp_path)
    assert done.stdout == (
        "A  cat\n"
        "B  ./spaced\n"
        "\n"
        "alike, in %      A      B\n"
        "A  cat           -  100.0\n"
        "B  ./spaced  100.0      -\n"
        "\n"
        "        2  A B\n"
        "2 inputs: all subjects answer alike\n"
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_falling_short_alike_is_agreement_and_is_told(tmp_path: Path) -> None:
    inputs(tmp_path / "in", "oops", "1")
    done = compare("cat", "cat -u", "--", "in", folder=tmp_path)
    assert done.stdout.splitlines()[-1] == (
        "2 inputs: all subjects answer alike; on 1 of them all fell short"
    )
    assert done.returncode == 0


def test_the_reference_comes_first_and_others_are_held_to_it(tmp_path: Path) -> None:
    inputs(tmp_path / "in", "[1]")
    done = compare("cat", "echo 2", "--reference", "echo 2", "--", "in", folder=tmp_path)
    assert done.stdout.splitlines()[:8] == [
        "A  echo 2 (the reference)",
        "B  cat",
        "",
        "A | B  in/1  3 bytes",
        "    input      [1]",
        "    A          2",
        "    B          [1]",
        "    repeat     xtest compare cat 'echo 2' --case 1 --reference 'echo 2' -- in",
    ]
    found = report("cat", "echo 2", "--reference", "echo 2", "--", "in", folder=tmp_path)
    ((_, other),) = [shown["answers"] for shown in found["shown"]]
    assert (found["reference"], other["beside"]) == (0, 0)
    assert other["differences"] == [{"at": "/0", "expected": "2", "actual": "[1]"}]


def test_the_policy_of_the_suite_says_what_is_equal(tmp_path: Path) -> None:
    program(tmp_path, "other", "tr 12 21; exit 1")
    settings = '[compare]\nunordered = ["/0"]\n[[cases]]\nmatch = "1"\nexit = "0-1"\n'
    inputs(tmp_path / "in", "[1, 2]", "[1, 2]", settings=settings)
    found = report("cat", "./other", "--", "in", folder=tmp_path)
    assert [of["case"] for of in found["separating"]] == ["2"]
    said = [answer["ending"] for answer in found["shown"][0]["answers"]]
    assert said == ["exit status 0", "exit status 1"]


def test_a_command_shown_with_a_separating_input_asks_just_this_again(tmp_path: Path) -> None:
    inputs(tmp_path / "in", "1", "2", "3")
    found = report("cat", "echo 1", "--wall", "5", "--", "in", folder=tmp_path)
    words = found["shown"][0]["repeat"]
    assert words == ["xtest", "compare", "cat", "echo 1", "--case", "2", "--wall", "5", "--", "in"]
    again = compare(*words[2:], folder=tmp_path)
    assert again.stdout.splitlines()[-1] == "1 input: 0 alike, 1 separates the subjects"


def test_only_the_smallest_are_shown_and_the_others_counted(tmp_path: Path) -> None:
    inputs(tmp_path / "in", "[1,2,3]", "[1,2]", "[1]", "0")
    done = compare("cat", "echo 0", "--limit", "2", "--", "in", folder=tmp_path)
    heads = [line for line in done.stdout.splitlines() if line.startswith("A | B  ")]
    assert heads == ["A | B  in/3  3 bytes", "A | B  in/2  5 bytes"]
    assert "(1 input more; --limit 3 shows more)" in done.stdout.splitlines()


def test_bundled_suites_are_compared_by_name_and_selected_as_elsewhere(tmp_path: Path) -> None:
    done = compare(
        "cat", "cat -u", "--case", "1-4", "--shard", "2/2", "--", "xtiles", folder=tmp_path
    )
    assert done.stdout.splitlines()[-1].startswith("2 inputs: all subjects answer alike")
    assert done.returncode == 0


def test_several_runs_at_once_come_to_the_same(tmp_path: Path) -> None:
    inputs(tmp_path / "in", *(f"[{number}]" for number in range(12)))
    program(tmp_path, "odd", "sed 's/[13579]/0/'")
    one, many = (
        compare("cat", "./odd", "-j", jobs, "--", "in", folder=tmp_path).stdout for jobs in "17"
    )
    assert one == many


def test_a_broken_input_is_told_and_the_others_are_compared(tmp_path: Path) -> None:
    inputs(tmp_path / "in", "1")
    (tmp_path / "in" / "01.json").write_text("2", encoding="utf-8")
    (tmp_path / "in" / "x.json").write_text("3", encoding="utf-8")
    done = compare("cat", "cat -u", "--", "in", folder=tmp_path)
    assert done.stdout.splitlines()[2] == (
        "problem  in/1: 01.json and 1.json both claim to be case 1"
    )
    assert done.stdout.splitlines()[-1] == "1 input: all subjects answer alike"
    assert done.returncode == 2


NONSENSE = [
    (
        ("cat", "cat -u"),
        "compare needs inputs behind --, a suite or a folder:"
        " xtest compare 'node a.js' ./b -- SUITE",
    ),
    (
        ("cat", "--", "in"),
        "compare takes two subjects or more, each one word of the shell:"
        " xtest compare 'node a.js' ./b -- SUITE",
    ),
    (
        ("cat", "cat", "--", "in"),
        "cat: named twice; whether a program always says the same is seen by xtest run --repeat",
    ),
    (("cat", "'cat", "--", "in"), '"\'cat": no command line: no closing quotation'),
    (("cat", " ", "--", "in"), '" ": an empty command is no subject'),
    (
        ("cat", "no-such-program 1", "--", "in"),
        "no-such-program: no such program, neither beside this Python nor on PATH",
    ),
    (("cat", "./none", "--", "in"), "./none: no such file"),
    (("cat", "in/1.json", "--", "in"), "in/1.json: not executable"),
    (
        ("cat", "echo 1", "--reference", "echo", "--", "in"),
        '--reference "echo": none of the subjects; did you mean "echo 1"?',
    ),
    (
        ("cat", "cat -u", "--", "in/1.json"),
        "in/1.json: a file; inputs are a suite or a folder of them: name in, and pick with --case",
    ),
    (
        ("cat", "cat -u", "--", "xtile"),
        "xtile: no such folder, and no bundled suite of that name (did you mean xtiles?)",
    ),
    (
        ("cat", "cat -u", "--shard", "3", "--", "in"),
        '--shard "3": I/N is expected, the I-th of N parts, such as 1/3, 2/3 and 3/3',
    ),
    (
        (*(f"echo {number}" for number in range(27)), "--", "in"),
        "27 subjects: 26 can be compared at once",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), NONSENSE)
def test_nonsense_is_refused_with_a_message_and_status_2(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    inputs(tmp_path / "in", "1")
    done = compare(*arguments, folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"xtest: {message}\n")


def test_a_selection_that_means_nothing_is_a_problem(tmp_path: Path) -> None:
    inputs(tmp_path / "in", "1")
    done = compare("cat", "cat -u", "--case", "9", "--", "in", folder=tmp_path)
    assert done.stdout == (
        "A  cat\nB  cat -u\nproblem  --case 9: means no case\n0 inputs: nothing was compared\n"
    )
    assert done.returncode == 2


def test_a_suite_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    inputs(tmp_path / "in", "1", settings="x = 1\n")
    done = compare("cat", "cat -u", "--", "in", folder=tmp_path)
    assert done.stdout.splitlines()[2].startswith(
        'problem  in: in/suite.toml: unknown key "x"; known: title, program'
    )
    assert done.returncode == 2


def test_an_interruption_tells_what_was_found_so_far(tmp_path: Path) -> None:
    inputs(tmp_path / "in", "1", "2\n", "3\n")
    waits = 'read line; test "$line" = 3 && echo >begun && sleep 600; echo "$line"'
    program(tmp_path, "waits", waits)
    words = [sys.executable, "-m", "harness", "compare", "-j1", "cat", "./waits", "--", "in"]
    environment = {**os.environ, "PYTHONPATH": str(TOP)}
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, env=environment) as started:
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        started.send_signal(signal.SIGINT)
        assert started.stdout is not None
        shown = started.stdout.read().decode()
    assert shown.splitlines()[-1] == "interrupted after 2 inputs: all subjects answer alike"
    assert started.returncode == 130


def test_on_a_terminal_a_line_says_how_far_it_has_come_and_goes_away(tmp_path: Path) -> None:
    inputs(tmp_path / "in", "1", "2")
    words = [sys.executable, "-m", "harness", "compare", "-j1", "cat", "echo 1", "--", "in"]
    environment = {**os.environ, "PYTHONPATH": str(TOP), "TERM": "xterm"}
    ours, theirs = os.openpty()
    try:
        subprocess.run(
            words,
            cwd=tmp_path,
            check=False,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
        )
        told = os.read(ours, 10_000).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert told == (
        "\r1 input, 0 of them separating\x1b[K\r2 inputs, 1 of them separating\x1b[K\r\x1b[K"
    )


# Subjects of an xtest.toml.


def project(folder: Path, text: str) -> None:
    """An xtest.toml with a subject `here`, and what else it says."""
    here = (
        "[subjects.here]\ncommand = ['./{suite}.sh']\nfolder = 'impl'\nenvironment = { A = '7' }\n"
    )
    (folder / "xtest.toml").write_text(here + text, encoding="utf-8")
    (folder / "impl").mkdir()
    program(folder / "impl", "s.sh", "cat >/dev/null; pwd >&2; echo $A")
    inputs(folder / "s", "1", "7")


def test_a_name_of_xtest_toml_is_that_subject_in_its_folder_and_environment(
    tmp_path: Path,
) -> None:
    project(tmp_path, "build = ['touch', 'built']\n")
    done = compare("cat", "here", "--", "s", folder=tmp_path)
    assert (done.returncode, done.stderr) == (1, "xtest: building here: touch built\n")
    assert "alike, in %" in done.stdout
    assert done.stdout.endswith("2 inputs: 1 alike, 1 separates the subjects\n")
    assert (tmp_path / "impl" / "built").exists()
    # In any folder below, and the command that repeats it means the same.
    done = compare("here", "cat", "--case", "1", "--", "../s", folder=tmp_path / "impl")
    assert "repeat     xtest compare here cat --case 1 -- ../s\n" in done.stdout


def test_limits_of_a_subject_hold_instead_of_the_suites(tmp_path: Path) -> None:
    project(tmp_path, "limits = { wall_s = 0.05 }\n")
    program(tmp_path / "impl", "s.sh", "sleep 600")
    done = compare("cat", "here", "--", "s", folder=tmp_path)
    assert done.returncode == 1
    assert "B          silent: " in done.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[subject.b]", 'xtest: xtest.toml: unknown key "subject"; did you mean "subjects"?'),
        ("[subjects.b]\ncommand = ['./nix']", "./nix: no such file"),
        ("[subjects.b]\ncommand = ['./xtest.toml']", "./xtest.toml: not executable"),
        (
            "[subjects.b]\ncommand = ['{program}']",
            "s: no suite.toml names its program, for which {program} stands in [subjects.b] of"
            " xtest.toml",
        ),
        (
            "[subjects.b]\ncommand = ['cat']\nbuild = ['false']",
            "its build failed: false, in {folder}: exit status 1",
        ),
        (
            "[subjects.b]\ncommand = ['nix-nix']",
            "nix-nix: no such program, neither beside this Python nor on PATH",
        ),
        (
            "",
            "b: no such program, neither beside this Python nor on PATH",
        ),
    ],
)
def test_a_subject_of_xtest_toml_that_cannot_be_run_is_a_fault_of_usage(
    tmp_path: Path, text: str, message: str
) -> None:
    project(tmp_path, text)
    done = compare("cat", "b", "--", "s", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].endswith(message.replace("{folder}", str(tmp_path)))


def test_inputs_may_be_suites_of_xtest_toml_by_name(tmp_path: Path) -> None:
    (tmp_path / "suites").mkdir()
    inputs(tmp_path / "suites/public", "1")
    (tmp_path / "xtest.toml").write_text('suites = ["suites/public"]', encoding="utf-8")
    (tmp_path / "below").mkdir()
    for folder, path in ((tmp_path, "suites/public"), (tmp_path / "below", "../suites/public")):
        done = compare("cat", "tr 1 2", "--", "public", folder=folder)
        assert (done.returncode, done.stderr) == (1, "")
        assert f"xtest compare cat 'tr 1 2' --case 1 -- {path}" in done.stdout
    done = compare("cat", "tr 1 2", "--", "pubic", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("xtest: pubic: no such folder")
    (tmp_path / "xtest.toml").unlink()
    done = compare("cat", "tr 1 2", "--", "public", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("xtest: public: no such folder")
