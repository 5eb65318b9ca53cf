"""Checkouts, file systems and environments as other machines have them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.debian import need
from support.suites import write_files, write_program, write_suite
from support.xtest import XTEST, Xtest

PASSED = "all 2 passed"
COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


@pytest.fixture(name="insensitive")
def _insensitive(tmp_path: Path) -> Iterator[Path]:
    """A folder whose names are the same in capitals and small letters."""
    image, folder = tmp_path / "image", tmp_path / "insensitive"
    folder.mkdir()
    with image.open("wb") as file:
        file.truncate(32 << 20)
    subprocess.run([need("mkntfs"), "-Q", "-F", str(image)], capture_output=True, check=True)
    mount = [need("lowntfs-3g"), "-o", "ignore_case,permissions", str(image), str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine allows no mounts by FUSE")  # nothing of Debian's would help
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.system
def test_names_that_collide_are_refused(xtest: Xtest, insensitive: Path) -> None:
    cases = {"A-1": ('"A"', '"A"'), "a-1": ('"a"', '"a"')}
    write_suite(xtest.folder / "s", cases, "")
    assert xtest("pack", "s", "-o", "s.jsonl").returncode == 0
    message = '"a-1-in.json" and "A-1-in.json" are one file in this file system'
    (insensitive / "full").mkdir()
    write_files(insensitive, {"full/x": ""})
    for words in ((str(insensitive / "s"),), (str(insensitive / "full"), "--force")):
        done = xtest("unpack", "s.jsonl", "-o", *words)
        assert (done.returncode, message in done.stderr) == (2, True)
    assert not (insensitive / "s").exists()
    write_files(
        xtest.folder, {f"t/{each}/1-{end}.json": "1" for each in "Aa" for end in ("in", "out")}
    )
    done = xtest("import", "folders", "t", "--to", str(insensitive / "t"), "--pairs")
    assert (done.returncode, "file exists" in done.stderr) == (2, True)
    assert not list((insensitive / "t").rglob("*.json"))


@pytest.mark.system
def test_reports_of_names_that_collide_are_apart(xtest: Xtest, insensitive: Path) -> None:
    for name in ("both", "Both"):
        write_suite(xtest.folder / name, {"1": "1"})
    done = xtest("run", "both", "Both", "--report", f"site={insensitive / 'o'}", "--", "cat")
    assert done.returncode == 0
    assert len(list((insensitive / "o").glob("both-*.html"))) == 2


@pytest.mark.system
def test_a_suite_that_is_named_twice_in_capitals_too_runs_once(
    xtest: Xtest, insensitive: Path
) -> None:
    write_suite(insensitive / "s", {"1": "1", "2": "2"})
    done = xtest("run", str(insensitive / "S"), str(insensitive / "s"), "--", "cat")
    assert (done.returncode, PASSED in done.stdout) == (0, True), done


def test_a_name_is_found_in_any_normal_form(xtest: Xtest) -> None:
    rule = f'[[cases]]\nmatch = "{COMPOSED}-*"\ntitle = "x"\n'
    write_suite(xtest.folder / "s", {f"{DECOMPOSED}-1": "1", f"{DECOMPOSED}-2": "1"}, rule)
    assert PASSED in xtest("run", "s", "--", "cat").stdout
    done = xtest("run", "s", "--case", f"{COMPOSED}-2", "--", "cat")
    assert "1 of 1 passed" in done.stdout


def test_a_checkout_with_windows_line_ends_works(xtest: Xtest) -> None:
    files = {
        "xtest.toml": 'suites = ["s", "t", "u"]\n[subjects.cat]\ncommand = ["cat"]\n',
        "s/suite.toml": '[limits]\nwall_s = 20\n\n[[cases]]\nmatch = "1"\ntitle = "x"\n',
        **{f"s/{case}-{end}.json": "[1,\n2]\n" for case in "12" for end in ("in", "out")},
        "t/suite.toml": "",
        "t/cases.jsonl": '{"case": "a", "in": {"text": "1"}, "out": {"text": "1"}}\n',
        "u/suite.toml": '[talk]\nframing = "lines"\n',
        "u/1-talk.jsonl": '{"send": {"a": 1}}\n{"expect": {"a": 1}}\n',
    }
    for name, text in files.items():
        path = xtest.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.replace("\n", "\r\n").encode())
    done = xtest("run")
    assert "all 4 passed" in done.stdout, done
    write_program(xtest.folder / "p", "cat")
    program = xtest.folder / "p"
    program.write_bytes(program.read_bytes().replace(b"\n", b"\r\n"))
    assert "Windows line ending in its first line" in xtest("run", "s", "--", "./p").stdout


@pytest.mark.parametrize("kind", ["spaces", "long", "link", "absent"])
def test_any_temporary_folder_will_do(xtest: Xtest, kind: str) -> None:
    write_suite(xtest.folder / "s", {"1": "1", "2": "2"})
    names = {"spaces": "a b 'c", "long": f"{'l' * 200}/{'m' * 200}", "link": "link", "absent": "no"}
    folder = xtest.folder / names[kind]
    if kind == "link":
        (xtest.folder / "target").mkdir()
        folder.symlink_to("target")
    elif kind != "absent":
        folder.mkdir(parents=True)
    done = xtest("run", "s", "-j2", "--", "cat", env={"TMPDIR": str(folder)})
    assert (done.returncode, PASSED in done.stdout) == (0, True), done


@pytest.mark.parametrize("home", ["", "/dev/null", "/sys"])
def test_a_home_that_cannot_be_written_is_named_once(xtest: Xtest, home: str) -> None:
    write_suite(xtest.folder / "s", {"1": "1", "2": "2"})
    variables = xtest.environment(HOME=home)
    for name in ("XDG_CACHE_HOME", *(() if home else ("HOME",))):
        del variables[name]
    done = subprocess.run(
        [*XTEST, "run", "s", *(["--cached"] if home else []), "--", "cat"],
        cwd=xtest.folder,
        env=variables,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, PASSED in done.stdout) == (0, True), done
    assert done.stderr.count("was not saved") == bool(home)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts something over /dev/shm")
def test_shared_memory_is_not_needed(xtest: Xtest) -> None:
    write_suite(xtest.folder / "s", {"1": "1", "2": "2"})
    hidden = 'mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && exec "$@"'
    done = xtest.run(
        *("unshare", "--mount", "--", "sh", "-c", hidden, "sh", *XTEST, "run", "s", "--", "cat")
    )
    assert (done.returncode, PASSED in done.stdout) == (0, True), done
