"""Draw docs/pictures/test-explorer.svg anew by running pytest: python website/explorer.py

The drawing imitates VS Code's Test Explorer. Tree, outcomes and message are those of a real run.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from harness.text import pluralize

PICTURE: Final = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "test-explorer.svg"
INI: Final = """[pytest]
xtest_suites = suites
xtest_subject = python3 add.py
"""
SETTINGS: Final = """{
  "python.testing.pytestEnabled": true,
  "python.testing.autoTestDiscoverOnSavePattern": "**/*.{py,json,toml}"
}
"""
_PROGRAM: Final = """import json, sys

print(sum(number for number in json.load(sys.stdin) if number > 0))
"""
_CASES: Final = {
    "none/1": ("[]", "0"),
    "none/2": ("[0, 0]", "0"),
    "sums/1": ("[1, 2]", "3"),
    "sums/2": ("[5, -2]", "3"),
    "sums/3": ("[4, 4, 4]", "12"),
}

_SIZE: Final = (960, 370)
_BAR: Final = 34  # height of the title
_SIDE: Final = 300  # width of the tree
_EDITOR: Final = 150  # height of the settings
_LINE: Final = 19
_ROW: Final = 24
_FONTS: Final = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace"
_STYLE: Final = f"""text{{font:13px system-ui,sans-serif;fill:#cccccc;white-space:pre}}
.m{{font-family:{_FONTS}}}
.d{{fill:#a0a0a0}}
.w{{fill:#ffffff}}
"""
_GREEN: Final = "#73c991"
_RED: Final = "#f48771"


class CaseOutcome(NamedTuple):
    """A case of a suite, and whether it passed."""

    suite: str
    name: str
    passed: bool


class RunOfTests(NamedTuple):
    """The outcomes in the order of the run, and the message of the first failure."""

    outcomes: tuple[CaseOutcome, ...]
    message: tuple[str, ...]


def run_tests(folder: Path) -> RunOfTests:
    """Write a project into an empty folder, and run pytest there."""
    for case, (stdin, expected) in _CASES.items():
        file = folder / "suites" / case
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_name(f"{file.name}-in.json").write_text(f"{stdin}\n", encoding="ascii")
        file.with_name(f"{file.name}-out.json").write_text(f"{expected}\n", encoding="ascii")
    (folder / "add.py").write_text(_PROGRAM, encoding="ascii")
    (folder / "pytest.ini").write_text(INI, encoding="ascii")
    log = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "--color=no"],
        cwd=folder,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    ).stdout
    outcomes = re.findall(r"^(\S+)::(\S+) (PASSED|FAILED)", log, re.MULTILINE)
    message = re.search(r"^_+ \S+ _+\n(.*?)\n-+ rerun", log, re.DOTALL | re.MULTILINE)
    assert message is not None
    return RunOfTests(
        tuple(CaseOutcome(suite, name, word == "PASSED") for suite, name, word in outcomes),
        tuple(message[1].splitlines()),
    )


def explorer_svg(run: RunOfTests) -> str:
    """Return the drawing as an SVG document."""
    return "".join(_parts(run))


def _parts(run: RunOfTests) -> Iterator[str]:
    width, height = _SIZE
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
    yield f'width="{width}" height="{height}" role="img" aria-labelledby="title">\n'
    yield '<title id="title">A drawing of the Test Explorer of VS Code</title>\n'
    yield f"<style>\n{_STYLE}</style>\n"
    yield f'<rect width="{width}" height="{height}" rx="10" fill="#1f1f1f"/>\n'
    yield f'<path d="M0 {_BAR}h{width}M{_SIDE} {_BAR}v{height - _BAR}'
    yield f'M{_SIDE} {_BAR + _EDITOR}h{width - _SIDE}" stroke="#3c3c3c"/>\n'
    yield _text(width // 2, 22, "A drawing of VS Code", 'class="d" text-anchor="middle"')
    yield from _tree(run.outcomes)
    yield from _block(_BAR, ".vscode/settings.json", SETTINGS.splitlines())
    yield from _block(_BAR + _EDITOR, "TEST RESULTS", run.message)
    yield "</svg>\n"


def _tree(outcomes: tuple[CaseOutcome, ...]) -> Iterator[str]:
    passed = sum(each.passed for each in outcomes)
    yield _text(16, 60, "TESTING", 'class="d"')
    yield _text(16, 86, f"{passed}/{pluralize(len(outcomes), 'test')} passed", 'class="w"')
    rows = [(0, "adder", passed == len(outcomes)), (1, "suites", passed == len(outcomes))]
    for suite, cases in groupby(outcomes, key=lambda each: each.suite):
        members = list(cases)
        rows.append((2, Path(suite).name, all(each.passed for each in members)))
        rows += [(3, each.name, each.passed) for each in members]
    for number, (depth, name, is_green) in enumerate(rows):
        x, y = 16 + 18 * depth, 116 + _ROW * number
        if depth < 3:
            yield f'<path d="M{x} {y - 7}l4 4 4-4" fill="none" stroke="#cccccc"/>'
        if not is_green and depth == 3:
            yield f'<rect y="{y - 17}" width="{_SIDE}" height="{_ROW}" fill="#37373d"/>'
        yield _icon(x + 22, y - 5, is_green)
        yield _text(x + 36, y, name)


def _icon(x: int, y: int, is_green: bool) -> str:
    mark = "m-4 0 3 3 5-6" if is_green else "m-3-3 6 6m0-6-6 6"
    colour = _GREEN if is_green else _RED
    return (
        f'<circle cx="{x}" cy="{y}" r="7.5" fill="none" stroke="{colour}"/>'
        f'<path d="M{x} {y}{mark}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
    )


def _block(top: int, title: str, lines: tuple[str, ...] | list[str]) -> Iterator[str]:
    yield _text(_SIDE + 16, top + 24, title, 'class="d"')
    for number, line in enumerate(lines):
        yield _text(_SIDE + 16, top + 52 + _LINE * number, line, 'class="m"')


def _text(x: int, y: int, text: str, looks: str = "") -> str:
    return f'<text x="{x}" y="{y}" {looks}>{escape(text)}</text>\n'.replace(" >", ">")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        PICTURE.write_text(explorer_svg(run_tests(Path(scratch))), encoding="utf-8")
