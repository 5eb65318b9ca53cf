"""Fingerprints of runs: what changes them, and what does not."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.suites import target_in, write_files

from harness.errors import UsageError
from harness.model.subject import ExecutionContext, SkipRule, Subject
from harness.project.program_lookup import named_files
from harness.results.file_digests import DigestBounds, FileDigests
from harness.results.fingerprint import FingerprintContext, fingerprints_of


@pytest.fixture(name="here", autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a suite, a program, and a file that it reads; we are in it."""
    monkeypatch.chdir(tmp_path)
    files = ("s/1-in.json", "s/1-out.json", "bin/prog", "rules.json", "src/a.py", "src/b/c.py")
    write_files(tmp_path, {**dict.fromkeys(files, "1"), "s/suite.toml": 'title = "T"\n'})
    Path("bin/prog").chmod(0o755)
    return tmp_path


def key(
    subject: Subject | str = "bin/prog --rules=src/a.py", *, files: int = 100, **context: Any
) -> str:
    """Return the key of the suite in the folder s, and of a subject or a command."""
    if isinstance(subject, str):
        words = tuple(subject.split())
        subject = Subject(words[0], words)
    surroundings = FingerprintContext((), (), {}, {})._replace(**context)
    with closing(FileDigests("/dev/null", bounds=DigestBounds(files=files))) as digests:
        targets = [target_in(Path("s"), subject)]
        found = fingerprints_of(targets, surroundings, digests, required=True)[0]
    assert (found.suite, found.subject) == ("s", subject.name)
    return found.key


def test_it_is_the_same_as_long_as_nothing_changes() -> None:
    before = key()
    os.utime("bin/prog", (1, 1))
    text = '# new\ntitle = "X"\nprogram = "p"\n[grading]\npoints = 3\n[render]\ncommand = "p"\n'
    text += (
        '[[known]]\nmatch = "*"\nreason = "r"\nlink = "l"\n[[cases]]\nmatch = "1"\ntitle = "X"\n'
    )
    Path("s/suite.toml").write_text(text, encoding="utf-8")
    Path("s/1-in.json").write_text("2", encoding="utf-8")  # a case is known by itself
    Path("rules.json").write_text("2", encoding="utf-8")  # not beside what the command names
    assert key(environment={"TERM": "x", "HOME": "/"}) == before
    assert len(before) == 32


def test_it_changes_with_the_claims_of_a_subject_but_not_with_their_reasons() -> None:
    rules = [SkipRule("a"), SkipRule("b", "link"), SkipRule("a", match=("1",))]
    found = [key(Subject("cat", ("cat",), skip=(rule,))) for rule in rules]
    assert found[0] == found[1] != found[2]


def write(file: str, text: str) -> Callable[[], object]:
    return lambda: Path(file).write_text(text, encoding="utf-8")


def put_a_folder_for_the_program() -> None:
    os.unlink("bin/prog")
    os.mkdir("bin/prog")


def put_a_link_for_the_suite() -> None:
    os.rename("s", "t")
    os.symlink("t", "s")


@pytest.mark.parametrize(
    "change",
    [
        write("bin/prog", "2"),
        write("bin/.env", "2"),
        write("src/a.py", "2"),
        write("src/b/c.py", "2"),
        lambda: os.chmod("bin/prog", 0o644),
        write("s/suite.toml", "exit = 1"),
        lambda: os.unlink("bin/prog"),
        put_a_folder_for_the_program,
        put_a_link_for_the_suite,
    ],
)
def test_it_changes_with_the_subject_and_with_the_policy(change: Callable[[], object]) -> None:
    before = key()
    change()
    assert key() != before


def test_it_changes_with_words_options_environment_and_version() -> None:
    found = {
        key(),
        key("bin/prog src/a.py"),
        key(options=("--wall", "3")),
        key(environment={"PYTHONPATH": "src"}),
        key(environment={"PYTHONPATH": "other"}),
        key(depends=("src",)),
        key(depends=("src", "rules.json")),
        key(versions={"bin/prog": "17"}),  # which the subject prints
    }
    assert len(found) == 8


def test_it_changes_with_the_folder_that_the_subject_runs_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, there = key("cat"), key(Subject("cat", ("cat",), ExecutionContext("/")))
    os.symlink(os.path.abspath("s"), "src/s")
    monkeypatch.chdir("src")
    assert key("cat") != before
    assert key(Subject("cat", ("cat",), ExecutionContext("/"))) == there


def test_a_subject_that_says_what_it_depends_on_depends_on_that_and_its_command(here: Path) -> None:
    context = ExecutionContext(str(here))
    subject = Subject("p", ("bin/prog",), context, depends=(f"{here}/src", f"{here}/*.json"))
    before = key(subject)
    Path("bin/other").touch()
    assert key(subject) == before
    keys = {before}
    for file in ("bin/prog", "src/b/c.py", "rules.json", "more.json"):
        Path(file).write_text("3", encoding="utf-8")
        keys.add(key(subject))
    assert len(keys) == 5


def test_what_belongs_to_another_subject_is_left_out(here: Path) -> None:
    claimed = {f"{here}/src/b": {"b"}, f"{here}/src/a.py": {"a", "b"}}
    one = Subject("a", ("bin/prog",), ExecutionContext(str(here)), depends=(f"{here}/src",))
    keys = [key(one, depends=("src/b",), claimed=claimed)]
    for file in ("src/b/c.py", "src/a.py"):
        Path(file).write_text("3", encoding="utf-8")
        keys.append(key(one, depends=("src/b",), claimed=claimed))
    assert keys[0] == keys[1] != keys[2]


def test_a_program_on_path_stands_alone(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(here / "bin"), prepend=":")
    before = key("prog"), key("bin/prog")
    Path("bin/other").touch()
    assert (key("prog"), key("bin/prog")) == before


def test_data_in_the_current_folder_do_not_count_unless_they_are_named() -> None:
    Path("prog").touch()
    found = [key("./prog")]
    Path("notes").touch()
    found.append(key("./prog"))
    Path("module.py").touch()
    found.append(key("./prog"))
    assert found[0] == found[1] != found[2]
    before = key("./prog", depends=(".",))
    Path("notes").unlink()
    assert key("./prog", depends=(".",)) != before


def test_a_program_of_a_virtual_environment_depends_on_its_packages() -> None:
    packages = Path("lib/python3.11/site-packages")
    (packages / "numpy-1.0.dist-info").mkdir(parents=True)
    Path("pyvenv.cfg").touch()
    before = key("bin/prog")
    Path("src/a.py").write_text("2", encoding="utf-8")
    assert key("bin/prog") == before
    (packages / "numpy-1.0.dist-info").rename(packages / "numpy-1.1.dist-info")
    assert key("bin/prog") != before


def test_a_subject_with_too_many_files_has_no_fingerprint() -> None:
    with pytest.raises(UsageError) as caught:
        key(files=1)
    assert str(caught.value) == (
        "src: too many files, or files too large, to tell whether bin/prog has changed; name"
        " the files that it needs, with depends in xtest.toml or --depends"
    )
    assert key(files=1, depends=("src/a.py",))


def test_the_files_of_a_command_are_its_program_and_the_words_that_are_files() -> None:
    words = ("bin/prog", "-x", "--rules=rules.json", "-cp", "src/*:no:src/b", "=", "")
    assert named_files(Subject("p", words)) == ["bin/prog", "rules.json", "src", "src/b"]
    found = named_files(Subject("cat", ("cat", "src/a.py")))
    assert (os.path.basename(found[0]), found[1:]) == ("cat", ["src/a.py"])
    assert named_files(Subject("no", ("no-such-program", "src"))) == ["src"]
    assert named_files(Subject("no", ("./no",))) == ["./no"]


def test_the_files_of_a_configured_subject_are_those_of_its_folder_and_path(here: Path) -> None:
    context = ExecutionContext(str(here / "src"), (("PATH", str(here / "bin")),))
    found = named_files(Subject("p", ("prog", "a.py", "rules.json"), context))
    assert found == [f"{here}/bin/prog", f"{here}/src/a.py"]
    found = named_files(Subject("p", ("../bin/prog", "../rules.json"), context))
    assert found == [f"{here}/src/../bin/prog", f"{here}/src/../rules.json"]
