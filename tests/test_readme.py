"""The README's commands and numbers are true; its consoles are run by website/test_consoles.py."""

from __future__ import annotations

import re

from support.xtest import TOP

README = TOP / "README.md"


def test_ci_runs_the_second_command_as_it_stands() -> None:
    shown = re.findall(r"^python3 -m venv .*$", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert [command.rsplit("&& ", 1)[1] for command in shown] == [
        ".venv/bin/xtest",
        ".venv/bin/tox",
    ]
    assert shown[1] in (TOP / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_the_readme_counts_the_bundled_cases() -> None:
    inputs = list((TOP / "test_cases").rglob("*-in.json"))
    assert len({file.parent for file in inputs}) == 8
    assert f"{len(inputs):,} cases of eight suites" in README.read_text(encoding="utf-8")
