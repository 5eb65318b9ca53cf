"""The README's consoles are run as they stand, and must print what it shows.

Times differ from run to run, and are made alike on both sides; nothing else is.
"""

from __future__ import annotations

import re
from pathlib import Path

from consoles import TOP, consoles_of, play, same

README = TOP / "README.md"


def test_the_consoles_of_the_readme_are_real(tmp_path: Path) -> None:
    played = play(consoles_of(README), tmp_path)
    assert played
    for command, printed, shown in played:
        assert same(printed, shown), f"{command}\n{printed}"


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
