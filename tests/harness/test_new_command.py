"""`xtest new` as its users meet it: whole processes, whole messages, exit statuses, real files."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent.parent
XTEST = [sys.executable, "-m", "harness", "new"]


def new(
    *arguments: str, folder: Path, stdin: bytes = b"[1, 2]\n"
) -> subprocess.CompletedProcess[str]:
    """One run of xtest new in a folder, without a terminal of its own to ask on."""
    done = subprocess.run(
        [*XTEST, *arguments],
        cwd=folder,
        capture_output=True,
        check=False,
        input=stdin,
        env={**os.environ, "PYTHONPATH": str(TOP)},
        start_new_session=True,
    )
    output, errors = done.stdout.decode(), done.stderr.decode()
    return subprocess.CompletedProcess(done.args, done.returncode, output, errors)


def files_of(folder: Path) -> dict[str, bytes]:
    """All files in a folder, hidden ones too, but for those that a test put there itself."""
    own = ("suite.toml", "in.json", "out.json")
    return {
        entry.name: entry.read_bytes()
        for entry in sorted(folder.iterdir())
        if entry.is_file() and entry.name not in own
    }


@pytest.fixture(name="corpus")
def _corpus(tmp_path: Path) -> Path:
    """A folder with the suite `s`, of one case, and with a schema of either side."""
    suite = tmp_path / "s"
    suite.mkdir()
    (suite / "suite.toml").write_text(
        'program = "cat"\ninput = "in.json"\noutput = "out.json"\n'
        '[[cases]]\nmatch = "bad-*"\nexit = "nonzero"\n',
        encoding="utf-8",
    )
    (suite / "in.json").write_text('{"items": {"type": ["array", "number"]}}', encoding="utf-8")
    (suite / "out.json").write_text('{"items": {"type": "array"}}', encoding="utf-8")
    (suite / "7-in.json").write_bytes(b"[7]\n")
    (suite / "7-out.json").write_bytes(b"[7]\n")
    return tmp_path


ONE = {"7-in.json": b"[7]\n", "7-out.json": b"[7]\n"}


def test_a_case_is_the_input_byte_for_byte_and_what_the_program_printed(corpus: Path) -> None:
    given = b'\t[1,\r\n 2, "\xc3\xa9"]'
    done = new("s", "--yes", "--", "sed", "s/2/3.0/", folder=corpus, stdin=given)
    assert done.stdout == (
        "s/8, its output by sed s/2/3.0/\n"
        "  input     8-in.json, 15 bytes\n"
        "    \\t[1,\\r\n"
        '     2, "é"]\n'
        "  expected  8-out.json, 17 bytes\n"
        "    \\t[1,\\r\n"
        '     3.0, "é"]\n'
        "written: 8-in.json, 8-out.json\n"
    )
    assert (done.returncode, done.stderr) == (0, "")
    printed = given.replace(b"2", b"3.0")
    assert files_of(corpus / "s") == ONE | {"8-in.json": given, "8-out.json": printed}


def test_the_suites_own_program_is_the_reference_unless_one_is_named(corpus: Path) -> None:
    done = new("s", "--yes", "--prefix", "more", folder=corpus)
    assert done.stdout.splitlines()[0] == "s/more-1, its output by cat"
    assert done.returncode == 0
    assert files_of(corpus / "s")["more-1-out.json"] == b"[1, 2]\n"


def test_a_folder_without_cases_becomes_a_suite(tmp_path: Path) -> None:
    (tmp_path / "fresh").mkdir()
    assert new("fresh", "--yes", "--", "cat", folder=tmp_path).returncode == 0
    assert sorted(files_of(tmp_path / "fresh")) == ["1-in.json", "1-out.json"]
    (tmp_path / "planned").mkdir()
    (tmp_path / "planned" / "suite.toml").write_text('program = "cat"', encoding="utf-8")
    assert new("planned", "--yes", folder=tmp_path).returncode == 0


def test_without_a_terminal_it_is_shown_and_not_written(corpus: Path) -> None:
    done = new("s", folder=corpus)
    assert done.stdout.splitlines()[-2:] == ["  expected  8-out.json, 7 bytes", "    [1, 2]"]
    assert done.stderr == (
        "xtest: not written: there is no terminal to ask on; --yes writes without asking\n"
    )
    assert done.returncode == 1
    assert files_of(corpus / "s") == ONE


@pytest.mark.parametrize(
    ("answer", "status"), [(b"y\n", 0), (b"YES\n", 0), (b"n\n", 1), (b"\n", 1), (b"\x04", 1)]
)
def test_a_terminal_is_asked(corpus: Path, answer: bytes, status: int) -> None:
    given, ours = os.pipe()
    os.write(ours, b"[1]")
    os.close(ours)
    child, terminal = pty.fork()
    if child == 0:  # the terminal is that of this process, and only that
        os.chdir(corpus)
        os.dup2(given, 0)
        os.environ["PYTHONPATH"] = str(TOP)
        os.execv(XTEST[0], [*XTEST, "s"])
    os.close(given)
    shown = b""
    while b"[y/N]" not in shown:
        shown += os.read(terminal, 1024)
    os.write(terminal, answer)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == status
    os.close(terminal)
    assert ("8-in.json" in files_of(corpus / "s")) is (status == 0)


def test_what_the_suite_does_not_say_yet_is_told(corpus: Path) -> None:
    done = new("s", "--raw", "--exit", "3", "--yes", "--", "sh", "-c", "echo []; exit 3",
               folder=corpus, stdin=b"[1")  # fmt: skip
    assert done.stdout.splitlines()[5:] == [
        "  add to    suite.toml",
        "    [[cases]]",
        '    match = "8"',
        "    exit = 3",
        '    input = "raw"',
        "written: 8-in.json, 8-out.json",
    ]
    assert done.returncode == 0


def test_what_the_suite_says_already_need_not_be_told(corpus: Path) -> None:
    done = new("s", "--prefix", "bad", "--yes", "--", "sh", "-c", "echo []; exit 3", folder=corpus)
    assert done.stdout.splitlines()[-2:] == ["    []", "written: bad-1-in.json, bad-1-out.json"]
    assert done.returncode == 0


def test_the_same_values_in_other_bytes_are_told_and_taken(corpus: Path) -> None:
    done = new("s", "--yes", folder=corpus, stdin=b" [7]")
    assert "  note      case 7 has the same values in other bytes\n" in done.stdout
    assert done.returncode == 0


def test_an_off_schema_input_is_taken_where_that_is_meant(corpus: Path) -> None:
    done = new("s", "--off-schema", "--yes", "--", "echo", "[]", folder=corpus, stdin=b'"a"')
    assert done.stdout.splitlines()[-2:] == [
        '    input = "off-schema"',
        "written: 8-in.json, 8-out.json",
    ]
    assert done.returncode == 0


# What is refused.


@pytest.mark.parametrize(
    ("arguments", "stdin", "said"),
    [
        (
            ("s",),
            b"[1,",
            "not written: the input is cut short at byte 3 (line 1, column 4): the text ends inside"
            " an array; here: [1,-->; if that is meant: --raw",
        ),
        (
            ("s",),
            b'"text"',
            "not written: the input breaks its schema at /0: 'text' is not of type 'array',"
            " 'number'; if that is meant: --off-schema",
        ),
        (
            ("s", "--off-schema"),
            b"[1]",
            "not written: the input is declared off-schema, and keeps the schema",
        ),
        (("s",), b"[7]\n", "not written: case 7 has this input already"),
        (("s", "--raw"), b"[7]\n", None),
        (
            ("s", "--prefix", "a/b"),
            b"1",
            '--prefix "a/b": no prefix of a case; it is printable text without a slash, and does'
            " not begin with a dot",
        ),
        (
            ("s", "--prefix", "x" * 250),
            b"1",
            f'--prefix "{"x" * 59}…": too long for the name of a file',
        ),
        (("s", "--"), b"1", "no command stands behind --"),
        (
            ("s/7-in.json",),
            b"1",
            "s/7-in.json: a file; a suite is a folder: xtest run s --case 7",
        ),
        (
            ("nothing",),
            b"1",
            "nothing: no suite.toml names its program, so say which one knows the answer: xtest new"
            " nothing -- COMMAND",
        ),
        (("many", "--", "cat"), b"1", "many: one suite is wanted, and these are: many/a, many/b"),
        (
            ("packed", "--", "cat"),
            b"1",
            "packed: its cases are packed, in cases.jsonl; unpack them, add the case, and pack them"
            " again",
        ),
        (("broken",), b"1", 'broken/suite.toml: unknown key "tittle"; did you mean "title"?'),
    ],
)
def test_nonsense_is_told_and_nothing_is_written(
    corpus: Path, arguments: tuple[str, ...], stdin: bytes, said: str | None
) -> None:
    for name in ("nothing", "many/a", "many/b", "packed", "broken"):
        (corpus / name).mkdir(parents=True)
    for name in ("many/a/1-in.json", "many/b/1-in.json"):
        (corpus / name).write_bytes(b"")
    packed = b'{"case":"1","in":{"text":"1"},"out":{"text":"1"}}\n'
    (corpus / "packed" / "cases.jsonl").write_bytes(packed)
    (corpus / "broken" / "suite.toml").write_bytes(b'tittle = "x"')
    if said is None:
        said = "not written: case 7 has this input already"
        (corpus / "s" / "suite.toml").write_bytes(
            b'program = "cat"\n[[cases]]\nmatch = "*"\ninput = "raw"\n'
        )
    command = arguments if "--" in arguments else (*arguments, "--yes")
    done = new(*command, folder=corpus, stdin=stdin)
    assert done.stderr == f"xtest: {said}\n"
    assert (done.returncode, done.stdout) == (2, "")
    assert files_of(corpus / "s") == ONE


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            ("no-such-program",),
            "no-such-program: no such program, neither beside this Python nor on PATH",
        ),
        (("./s",), "./s: not-started: ./s is a folder, not a program"),
        (
            ("sh", "-c", "kill -SEGV $$"),
            "sh -c 'kill -SEGV $$': crashed: ended by SIGSEGV, having printed nothing",
        ),
        (
            ("sh", "-c", "echo why >&2; exit 3"),
            "sh -c 'echo why >&2; exit 3': its exit status is 3, not 0; if that is meant: --exit 3;"
            " its standard error ends: why",
        ),
        (
            ("echo", "[1"),
            "echo '[1': malformed: output is cut short at byte 3 (line 2, column 1): the text ends"
            " inside an array (a bracket or quote left open, or output that was never flushed?);"
            " here: [1\\n-->",
        ),
        (
            ("echo", "[] 5"),
            "echo '[] 5': its output breaks its schema at /1: 5 is not of type 'array'",
        ),
    ],
)
def test_a_program_that_falls_short_makes_no_case(
    corpus: Path, command: tuple[str, ...], said: str
) -> None:
    done = new("s", "--yes", "--", *command, folder=corpus)
    assert done.stderr == f"xtest: not written: {said}\n"
    assert (done.returncode, done.stdout) == (1, "")
    assert files_of(corpus / "s") == ONE


def test_a_program_that_does_not_end_makes_no_case(corpus: Path) -> None:
    settings = 'program = "cat"\n[limits]\nwall_s = 0.1\n'
    (corpus / "s" / "suite.toml").write_text(settings, encoding="utf-8")
    done = new("s", "--yes", "--", "sleep", "60", folder=corpus)
    assert re.sub("[0-9.]+ s of", "0 s of", done.stderr) == (
        "xtest: not written: sleep 60: silent: printed nothing within 0.1 s (0 s of processor time"
        " used)\n"
    )
    assert done.returncode == 1
    assert files_of(corpus / "s") == ONE


def test_a_folder_that_cannot_be_written_is_told(corpus: Path) -> None:
    (corpus / "s" / "8-out.json").symlink_to("nowhere")
    (corpus / "s" / "8-out.json").rename(corpus / "s" / "9-out.json")
    done = new("s", "--yes", "--", "sh", "-c", "ln -s nowhere s/10-out.json; cat", folder=corpus)
    assert done.stderr == "xtest: not written: s/10-out.json: file exists\n"
    assert done.returncode == 2
    assert files_of(corpus / "s") == ONE
