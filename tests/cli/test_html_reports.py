"""xtest writes HTML reports: of a run, of its results file, and of a matrix."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from support.suites import write_suite
from support.xtest import Xtest

CONFIG = """suites = ["xrules"]
[subjects.good]
command = ["{program}"]
[subjects.echo]
command = ["/bin/cat"]
"""


def embedded(file: Path, name: str) -> Any:
    page = file.read_text(encoding="utf-8")
    found = re.search(f'<script type="application/json" id="{name}">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


def test_a_run_and_its_results_make_the_same_page_with_boards(xtest: Xtest, tmp_path: Path) -> None:
    words = ("run", "xrules", "--case", "10-12", "--results", "r.jsonl", "--report", "html=a.html")
    assert xtest(*words, "--", "/bin/cat").returncode == 1
    again = ("report", "r.jsonl", "--to", "html=b.html", "--draw", "xrules")
    assert xtest(*again).returncode == 0
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    runs = embedded(tmp_path / "a.html", "data")
    assert [run[2] for run in runs] == ["10", "11", "12"]
    assert [run[7]["b"][0][:3] for run in runs] == [["input", "", place] for place in (0, 1, 2)]
    assert len(embedded(tmp_path / "a.html", "pictures")) == 3


def test_a_report_runs_a_renderer_only_of_a_suite_that_is_named(
    xtest: Xtest, tmp_path: Path
) -> None:
    settings = '[render]\ncommand = ["/bin/touch", "../ran"]\n'
    write_suite(tmp_path / "s", {"1": "[1]"}, settings)
    xtest("run", "s", "--results", "r.jsonl", "--", "echo", "2")
    assert xtest("report", "r.jsonl", "--to", "html=a.html").returncode == 0
    assert not (tmp_path / "ran").exists()
    assert xtest("report", "r.jsonl", "--to", "html=a.html", "--draw", "s").returncode == 0
    assert (tmp_path / "ran").exists()


def test_a_matrix_makes_a_page_of_all_subjects(xtest: Xtest, tmp_path: Path) -> None:
    (tmp_path / "xtest.toml").write_text(CONFIG, encoding="utf-8")
    assert xtest("matrix", "--case", "10-11", "--report", "html=m.html").returncode == 1
    assert embedded(tmp_path / "m.html", "names")["subjects"] == ["echo", "good"]
    page = (tmp_path / "m.html").read_text(encoding="utf-8")
    cells = re.findall(r'<a href="#subject=(\w+)&amp;suite=xrules">([^<]*)</a>', page)
    assert cells == [("echo", "0/2"), ("good", "2/2")]
