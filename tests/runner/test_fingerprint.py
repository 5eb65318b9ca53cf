"""Fingerprints of runs: what changes them, and what does not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.model.subject import ExecutionContext, Subject
from harness.project.targets import Target
from harness.runner import fingerprint as basis
from harness.runner.fingerprint import fingerprints_of, named_files
from harness.suites.loading import read_suite


@pytest.fixture(name="here")
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a suite, a program, and a file that it reads; we are in it."""
    monkeypatch.chdir(tmp_path)
    for file in ("s/1-in.json", "s/1-out.json", "prog", "rules.json", "src/a.py", "src/b/c.py"):
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).write_text("1", encoding="utf-8")
    Path("s/suite.toml").write_text('title = "T"\n', encoding="utf-8")
    Path("prog").chmod(0o755)
    return tmp_path


def key(
    command: tuple[str, ...] = ("./prog", "--rules=rules.json", "rules.json"),
    options: tuple[str, ...] = (),
    depends: tuple[str, ...] = (),
    environment: dict[str, str] | None = None,
) -> str:
    """The key of the suite in the folder s, and of a command."""
    suite = read_suite("s", Path("s"))
    target = Target(suite, "s", Subject(command[0], command), is_default_subject=False)
    found = fingerprints_of([target], options, depends, environment or {})[0]
    assert (found.suite, found.subject) == ("s", command[0])
    return found.key


@pytest.mark.usefixtures("here")
def test_it_is_the_same_as_long_as_nothing_changes() -> None:
    before = key()
    os.utime("prog", (1, 1))
    text = (
        '# new\ntitle = "Another"\nprogram = "p"\n[grading]\npoints = 3\n[render]\ncommand = "p"\n'
    )
    Path("s/suite.toml").write_text(text, encoding="utf-8")
    Path("s/1-in.json").write_text("2", encoding="utf-8")  # a case is known by itself
    Path("src/a.py").write_text("2", encoding="utf-8")
    assert key(environment={"TERM": "x", "HOME": "/"}) == before
    assert len(before) == 32


def write(file: str, text: str) -> Callable[[], object]:
    """Return a function that writes a file."""
    return lambda: Path(file).write_text(text, encoding="utf-8")


def folder_for_program() -> None:
    """The program is a folder now."""
    os.unlink("prog")
    os.mkdir("prog")


def other_folder_for_suite() -> None:
    """The suite is elsewhere, and a link leads there."""
    os.rename("s", "t")
    os.symlink("t", "s")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "change",
    [
        write("prog", "2"),
        write("rules.json", "2"),
        write("s/suite.toml", "exit = 1"),
        write("s/suite.toml", "[limits]\nwall_s = 3"),
        write("s/suite.toml", '[compare]\nignore = ["/0"]'),
        write("s/suite.toml", '[[cases]]\nmatch = "1"\ninput = "raw"'),
        write("s/suite.toml", '[[known]]\nmatch = "1"\nreason = "x"'),
        lambda: os.unlink("prog"),
        folder_for_program,
        other_folder_for_suite,
    ],
)
def test_it_changes_with_the_subject_and_with_the_policy(change: Callable[[], object]) -> None:
    before = key()
    change()
    assert key() != before


@pytest.mark.usefixtures("here")
def test_it_changes_with_words_options_and_environment() -> None:
    found = {
        key(),
        key(("./prog", "rules.json")),
        key(options=("--wall", "3")),
        key(environment={"PYTHONPATH": "src"}),
        key(environment={"PYTHONPATH": "other"}),
        key(depends=("src",)),
        key(depends=("src", "rules.json")),
    }
    assert len(found) == 7


@pytest.mark.usefixtures("here")
def test_it_changes_with_the_folder_that_the_subject_runs_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = key(("cat",))
    os.symlink(os.path.abspath("s"), "src/s")
    monkeypatch.chdir("src")
    assert key(("cat",)) != before


@pytest.mark.usefixtures("here")
def test_what_a_subject_depends_on_counts_to_the_last_file_that_somebody_wrote() -> None:
    before = key(depends=("src",))
    for ignored in ("src/.hidden", "src/__pycache__/a.pyc", "src/.git/x", "src/b/node_modules/x"):
        Path(ignored).parent.mkdir(exist_ok=True)
        Path(ignored).write_text("1", encoding="utf-8")
    assert key(depends=("src",)) == before
    Path("src/b/c.py").write_text("2", encoding="utf-8")
    assert key(depends=("src",)) != before


@pytest.mark.usefixtures("here")
def test_a_pipe_that_a_subject_depends_on_is_not_read() -> None:
    os.mkfifo("src/pipe")
    assert key(depends=("src",))


@pytest.mark.usefixtures("here")
def test_a_large_file_is_known_by_its_size_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(basis, "_MOST_READ", 3)
    Path("prog").write_text("1234", encoding="utf-8")
    before = key()
    os.utime("prog", (1, 1))
    assert key() != before


@pytest.mark.usefixtures("here")
def test_the_files_of_a_command_are_its_program_and_the_words_that_are_files() -> None:
    words = ("./prog", "src", "-x", "--rules=rules.json", "rules.json", "nope=", "=")
    assert named_files(Subject("p", words)) == ["./prog", "rules.json", "rules.json"]
    (cat, file) = named_files(Subject("cat", ("cat", "src/a.py")))
    assert (os.path.basename(cat), file) == ("cat", "src/a.py")
    assert not named_files(Subject("no", ("no-such-program", "src")))


def test_the_files_of_a_configured_subject_are_those_of_its_folder_and_path(here: Path) -> None:
    context = ExecutionContext(str(here / "src"), (("PATH", str(here)),))
    found = named_files(Subject("p", ("prog", "a.py", "rules.json"), context))
    assert found == [f"{here}/prog", f"{here}/src/a.py"]
    found = named_files(Subject("p", ("../prog", "../rules.json"), context))
    assert found == [f"{here}/src/../prog", f"{here}/src/../rules.json"]
