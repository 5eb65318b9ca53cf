"""Tests with programs of Debian's: a loud line where one is missing, a failure where CI asks.

What each needs is in .ci/setup. tox runs these in its `system` environment.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from debian import need

TOP = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.system


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


def test_a_program_in_c_is_judged_like_any_other(tmp_path: Path) -> None:
    source = tmp_path / "echo.c"
    source.write_text(
        "#include <stdio.h>\n"
        "int main(void) { int c; while ((c = getchar()) != EOF) putchar(c); return 0; }\n",
        encoding="ascii",
    )
    subprocess.run([need("gcc"), "-o", str(tmp_path / "echo"), str(source)], check=True)
    suite(tmp_path / "s")
    done = xtest("run", "s", "-q", "--", "./echo", folder=tmp_path)
    assert done.stdout.startswith("all 2 passed in ")


def test_a_program_in_javascript_is_judged_like_any_other(tmp_path: Path) -> None:
    node = need("node")
    script = tmp_path / "echo.js"
    script.write_text("process.stdin.pipe(process.stdout);\n", encoding="ascii")
    suite(tmp_path / "s")
    done = xtest("run", "s", "-q", "--", node, "echo.js", folder=tmp_path)
    assert done.stdout.startswith("all 2 passed in ")


# The programs of languages/.

C_FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
# What memory and arithmetic must not do in C ends the program, with a message on standard error.
CHECKED = ["-O2", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def in_javascript(program: str) -> list[str]:
    """The command of a program in JavaScript."""
    return [need("node"), str(TOP / "languages" / "javascript" / f"{program}.mjs")]


def in_c(folder: Path, *flags: str) -> list[str]:
    """The command of xtictactoe in C, built into the folder without a warning."""
    sources = sorted(map(str, (TOP / "languages" / "c").glob("*.c")))
    built = str(folder / "xtictactoe")
    subprocess.run([need("gcc"), *C_FLAGS, *flags, "-o", built, *sources], check=True)
    return [built]


def passes(program: str, command: list[str], folder: Path) -> None:
    """Hold a program to its bundled suite, in every delivery; a busy machine may take its time."""
    options = ["--deliver", "all", "--wall", "300", "-q"]
    done = xtest("run", program, *options, "--", *command, folder=folder)
    assert (done.stdout[:4], done.stderr, done.returncode) == ("all ", "", 0), done.stdout


@pytest.mark.parametrize("program", ["xtiles", "xboard", "xtictactoe"])
def test_a_program_in_javascript_passes_the_suite_in_every_delivery(
    program: str, tmp_path: Path
) -> None:
    passes(program, in_javascript(program), tmp_path)


def test_the_program_in_c_passes_the_suite_in_every_delivery_with_its_memory_checked(
    tmp_path: Path,
) -> None:
    passes("xtictactoe", in_c(tmp_path, *CHECKED), tmp_path)


PROJECT = """\
suites = ["xtiles", "xboard", "xtictactoe"]

[subjects.python]
command = ["{program}"]

[subjects.javascript]
command = ["node", "{program}.mjs"]
folder = "javascript"

[subjects.c]
command = ["./xtictactoe"]
folder = "c"
build = ["sh", "-c", "gcc -std=c11 -O2 -o xtictactoe *.c"]
suites = ["xtictactoe"]
"""


def test_the_matrix_in_the_readme_is_real(tmp_path: Path) -> None:
    need("node")
    need("gcc")
    for language in ("javascript", "c"):
        shutil.copytree(TOP / "languages" / language, tmp_path / language)
    (tmp_path / "xtest.toml").write_text(PROJECT, encoding="utf-8")
    done = xtest("matrix", "--format", "markdown", folder=tmp_path)
    table, _, _ = done.stdout.partition("\n\n")
    assert done.returncode == 0, done.stdout + done.stderr
    readme = (TOP / "README.md").read_text(encoding="utf-8")
    assert f"\n\n{table}\n\n" in readme
    assert f"```toml\n{PROJECT}```" in readme


# One line each: a tile that turns the other way, an integer that may be negative, depth.
PLANTED = [
    ("tiles.mjs", "const k = degrees / 45;", "const k = (360 - degrees) / 45;"),
    ("form.mjs", "/^(0|[1-9][0-9]*)$/", "/^-?(0|[1-9][0-9]*)$/"),
    ("json.mjs", "const MAX_DEPTH = 512;", "const MAX_DEPTH = 511;"),
]


def test_compare_finds_three_faults_planted_in_copies_without_expected_outputs(
    tmp_path: Path,
) -> None:
    node, inputs = need("node"), tmp_path / "inputs"
    inputs.mkdir()
    for each in (TOP / "test_cases" / "xtiles").glob("*-in.json"):
        shutil.copy(each, inputs)
    subjects = [f"{node} {TOP}/languages/javascript/xtiles.mjs"]
    for number, (file, right, wrong) in enumerate(PLANTED):
        copy = shutil.copytree(TOP / "languages" / "javascript", tmp_path / f"copy{number}")
        text = (copy / file).read_text(encoding="utf-8")
        assert text.count(right) == 1, right
        (copy / file).write_text(text.replace(right, wrong), encoding="utf-8")
        subjects.append(f"{node} {copy}/xtiles.mjs")
    options = ["--wall", "60", "--limit", "1000", "--reference", subjects[0]]
    done = xtest("compare", *subjects, *options, "--", "inputs", folder=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    separated = re.findall(r"^([A-D |]+)  (\S+)  ([0-9,]+) bytes?$", done.stdout, re.MULTILINE)
    assert {groups for groups, _, _ in separated} >= {"A C D | B", "A B D | C", "A B C | D"}
    sizes = [int(size.replace(",", "")) for _, _, size in separated]
    assert sizes == sorted(sizes)


QUESTIONS = {"xtiles": b'[22,90,"C"]', "xtictactoe": b'{"ask":["player"]}'}


def commands(folder: Path) -> list[tuple[list[str], bytes]]:
    """Each program that answers value by value, and a value that it answers."""
    found = [(in_javascript(program), question) for program, question in QUESTIONS.items()]
    return [*found, (in_c(folder, "-O2"), QUESTIONS["xtictactoe"])]


def test_programs_of_other_languages_take_no_arguments_and_say_so(tmp_path: Path) -> None:
    for command, _ in [*commands(tmp_path), (in_javascript("xboard"), b"")]:
        done = subprocess.run([*command, "x"], input=b"", capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (2, b""), command
        assert done.stderr.startswith(b"no arguments expected"), command


def test_programs_of_other_languages_answer_at_once_and_end_with_130_when_interrupted(
    tmp_path: Path,
) -> None:
    for command, question in commands(tmp_path):
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            assert program.stdin is not None and program.stdout is not None
            program.stdin.write(question)
            program.stdin.flush()
            assert program.stdout.readline().endswith(b"\n"), command
            program.send_signal(signal.SIGINT)
            assert program.wait() == 130, command


def test_programs_of_other_languages_end_with_141_when_nobody_reads(tmp_path: Path) -> None:
    for command, question in commands(tmp_path):
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            assert program.stdout is not None
            program.stdout.close()
            program.communicate(question)
            assert program.returncode == 141, command


def test_the_speed_benchmark_runs_and_both_sides_pass(tmp_path: Path) -> None:
    need("gcc")
    done = subprocess.run(
        [sys.executable, str(TOP / "benchmarks" / "run_speed.py"), "20", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("20 cases of cat, two at once, 1 rounds in turn; medians:\n")


def sandboxed(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """One run of a shell script in the sandbox, on the suite of the folder."""
    need("bwrap")
    return xtest("run", "s", "--sandbox", "--case", "1", "--", "sh", "-c", script, folder=folder)


def test_a_sandboxed_program_answers_like_any_other(tmp_path: Path) -> None:
    suite(tmp_path / "s")
    assert "all 1 passed" in sandboxed(tmp_path, "cat").stdout


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("touch here", "Read-only file system"),
        ("cat /proc/net/route >&2; ls /sys/class/net >&2; exec 3<>/dev/tcp/127.0.0.1/9", "sh: "),
        ("ls -A $OLDHOME /tmp >&2; echo $HOME >&2", "/tmp"),
    ],
    ids=["writes", "network", "home"],
)
def test_a_sandboxed_program_reaches_nothing(tmp_path: Path, script: str, said: str) -> None:
    suite(tmp_path / "s")
    done = sandboxed(tmp_path, script)
    assert done.returncode == 1
    assert said in done.stdout
    assert not (tmp_path / "here").exists()


def test_a_sandboxed_program_sees_no_process_but_its_own_and_leaves_none(tmp_path: Path) -> None:
    suite(tmp_path / "s")
    done = sandboxed(tmp_path, "(setsid sleep 987 &) ; sleep 0.1; ls /proc | grep -c '^[0-9]' >&2")
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("    stderr")]
    assert int(line.split()[1]) < 10
    assert b"sleep\x00987" not in b"".join(
        file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline")
    )


def test_a_crash_in_the_sandbox_keeps_its_name(tmp_path: Path) -> None:
    suite(tmp_path / "s")
    done = sandboxed(tmp_path, "kill -SEGV $$")
    assert "crashed  s/1  ended by SIGSEGV" in done.stdout


def suite(folder: Path) -> None:
    """A suite that an echo passes."""
    folder.mkdir()
    for name, text in {"1": '["é"]\n', "2": "1 2 3"}.items():
        for side in ("in", "out"):
            (folder / f"{name}-{side}.json").write_text(text, encoding="utf-8")


# What a reader of the page would do, played in the page itself; the title then says what was seen.
READER = """
<script>
const seen = [], find = (id) => document.getElementById(id);
const look = () => {
  const frames = [...document.querySelectorAll("g.frame")];
  const visible = frames.flatMap((frame, k) => getComputedStyle(frame).display === "none" ? [] : [k]);
  const tiles = [...document.querySelectorAll("g.tile")];
  const lying = tiles.filter((tile) => getComputedStyle(tile).display !== "none").length;
  seen.push(`${visible}:${lying}:${find("slider").value}:${find("count").textContent}`);
};
const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
const slide = (value) => { find("slider").value = value; find("slider").dispatchEvent(new Event("input")); };
look();
for (const id of ["next", "next", "back", "last", "first"]) { find(id).click(); look(); }
for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home"]) { press(key); look(); }
slide(7); look();
document.querySelectorAll("#moves a")[3].click(); look();
seen.push(find("caption").textContent);
seen.push(String(document.querySelectorAll("script").length), String(window.harmed));
document.title = seen.join("|");
</script>
"""


def test_the_page_of_a_game_steps_through_it_in_a_browser(tmp_path: Path) -> None:
    chromium = need("chromium")
    name = "<img src=x onerror=window.harmed=1><script>window.harmed=1</script>"
    page = tmp_path / "game.html"
    ran = subprocess.run(
        [sys.executable, "-m", "xtests.xref", "--html", str(page)],
        input=f'["{name}", "Rosa", "Ida"]'.encode(),
        env={**os.environ, "PYTHONPATH": str(TOP)},
        check=True,
        capture_output=True,
    )
    assert ran.stderr == b""
    assert _title_after(chromium, page).split("|") == [
        *("0:0:0:move 0 of 10", "1:1:1:move 1 of 10", "2:2:2:move 2 of 10", "1:1:1:move 1 of 10"),
        *("10:8:10:move 10 of 10", "0:0:0:move 0 of 10"),
        *("1:1:1:move 1 of 10", "2:2:2:move 2 of 10", "1:1:1:move 1 of 10"),
        *("10:8:10:move 10 of 10", "0:0:0:move 0 of 10"),
        *("7:6:7:move 7 of 10", "3:3:3:move 3 of 10"),
        "Start: Ida (red) begins with tile 8 at 0° on (5, 0), its avatar on port C.",
        *("2", "undefined"),
    ]


def _title_after(chromium: str, page: Path) -> str:
    """The title of a page when its reader has gone. The reader is no script of the page's own, so
    the page's policy is taken away for it: test_tsuro_page.py looks at that."""
    text = page.read_text(encoding="utf-8")
    read = re.sub("<meta http-equiv=[^>]*>", "", text).replace("</body>", f"{READER}</body>")
    page.write_text(read, encoding="utf-8")
    dumped = _dumped(chromium, page)
    return unescape(re.findall("<title>(.*?)</title>", dumped, re.DOTALL)[0])


def test_the_policy_of_the_page_lets_its_own_script_and_style_run(tmp_path: Path) -> None:
    chromium = need("chromium")
    page = tmp_path / "game.html"
    subprocess.run(
        [sys.executable, "-m", "xtests.xref", "--html", str(page)],
        input=b'["Tom", "Rosa", "Ida"]',
        env={**os.environ, "PYTHONPATH": str(TOP)},
        check=True,
        capture_output=True,
    )
    dumped = _dumped(chromium, page)
    assert '<div id="controls">' in dumped  # no longer hidden, by the script
    assert "move 0 of 10" in dumped


def _dumped(chromium: str, page: Path) -> str:
    """The page as it is when its scripts have run."""
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={page.parent / 'p'}",
    ]
    ran = subprocess.run(
        [chromium, *options, "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout


# TAP, read by prove of Debian's perl.


def proved(document: str, folder: Path) -> tuple[int, str]:
    """The exit status of prove on a TAP document, and what it says."""
    (folder / "report.tap").write_text(document, encoding="utf-8")
    done = subprocess.run(
        [need("prove"), "--exec", "cat", "report.tap"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def doubling(folder: Path, *expected: str) -> None:
    """A suite of cases that are given their number."""
    (folder / "suite").mkdir()
    for number, output in enumerate(expected, 1):
        (folder / "suite" / f"{number}-in.json").write_text(f"{number}", "ascii")
        (folder / "suite" / f"{number}-out.json").write_text(output, "ascii")


def test_prove_counts_what_xtest_counts(tmp_path: Path) -> None:
    doubling(tmp_path, "1", "2", "0", "0", "nonsense")
    known = '[[known]]\nmatch = "4"\nreason = "# SKIP issue #4"\n'
    (tmp_path / "suite" / "suite.toml").write_text(known, "ascii")
    done = xtest("run", "suite", "--report", "tap=-", "--", "cat", folder=tmp_path)
    assert done.returncode == 2
    status, said = proved(done.stdout, tmp_path)
    assert status == 1
    assert "Failed 2/5 subtests" in said and "Failed tests:  3, 5" in said
    assert "Parse errors" not in said


def test_prove_is_content_where_xtest_is(tmp_path: Path) -> None:
    doubling(tmp_path, "1", "2", "0")
    (tmp_path / "suite" / "suite.toml").write_text(
        '[[known]]\nmatch = "3"\nreason = "x"\n', "ascii"
    )
    done = xtest("run", "suite", "--report", "tap=-", "--", "cat", folder=tmp_path)
    assert done.returncode == 0
    status, said = proved(done.stdout, tmp_path)
    assert (status, said.splitlines()[1]) == (0, "All tests successful.")
    assert "Tests=3, " in said


def test_prove_is_told_of_results_that_end_early(tmp_path: Path) -> None:
    doubling(tmp_path, "1", "2")
    xtest("run", "suite", "--results", "r", "--", "cat", folder=tmp_path)
    lines = (tmp_path / "r").read_bytes().splitlines(keepends=True)
    (tmp_path / "r").write_bytes(lines[0] + lines[1])
    done = xtest("report", "r", "--to", "tap", folder=tmp_path)
    status, said = proved(done.stdout, tmp_path)
    assert (done.returncode, status) == (0, 1)
    assert "Failed test:  2" in said and "Parse errors" not in said


def test_xmllint_takes_the_junit_report(tmp_path: Path) -> None:
    doubling(tmp_path, "1", "0", "nonsense")
    xtest("run", "suite", "--report", "junit=r.xml", "--", "cat", folder=tmp_path)
    schema = TOP / "tests" / "data" / "junit" / "jenkins-junit.xsd"
    done = subprocess.run(
        [need("xmllint"), "--noout", "--schema", str(schema), "r.xml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "r.xml validates\n")
