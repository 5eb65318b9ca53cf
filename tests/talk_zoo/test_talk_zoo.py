"""Servers that misbehave in conversation: the table of README.md declares the verdicts."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, NamedTuple

import pytest
from support.suites import read_events, write_files
from support.xtest import (
    HIDES_PROC,
    TOP,
    XTEST,
    as_ordinary_user,
    clean_environment,
    without_linux,
)

from harness.process.system import SYSTEM

HERE: Final = Path(__file__).resolve().parent
KEEPER: Final = TOP / "tests" / "zoo" / "keeper.py"
PATIENCE_S: Final = 300  # after which a run of xtest counts as hung
WITHIN_S: Final = 10
WALL_S: Final = 30
PEAK_MIB: Final = 80
FRAMINGS: Final = ("values", "lines", "content-length")
FRAMED: Final = "content-length"  # with which every vice can be tried
MIB_OF_TEXT: Final = "x" * (1 << 20)  # more than a pipe holds

SETTINGS: Final = f"""\
[talk]
framing = "%s"
within = {WITHIN_S}
ignore = [{{ method = "log" }}]
answer = [{{ when = {{ method = "roots" }}, result = [] }}]

[limits]
wall_s = {WALL_S}
output_mib = 4
"""
_ROW: Final = re.compile(
    r"^\| `([a-z0-9-]+)` \| ([a-z-]+) \| ([a-z-]+) \| ([a-z-]+) \|$", re.MULTILINE
)


def _read_table() -> dict[str, dict[str, str]]:
    """Return the verdicts of the vices, by framing."""
    rows = _ROW.findall((HERE / "README.md").read_text(encoding="utf-8"))
    return {
        framing: {row[0]: row[1 + column] for row in rows if row[1 + column] != "-"}
        for column, framing in enumerate(FRAMINGS)
    }


VERDICTS: Final = _read_table()


class Seen(NamedTuple):
    """The observations of one run of xtest."""

    hung: bool
    peak_mib: float
    left: list[str]  # the processes that outlived it
    verdicts: dict[str, str]
    longest_s: float


def _script(vice: str) -> str:
    """Return a packed case."""
    note = MIB_OF_TEXT if vice == "stops-reading" else ""
    steps = [
        {"send": {"id": 1, "method": vice}},
        {"expect": {"id": 1, "result": "ok"}},
        {"send": {"method": "note", "params": note}},
        {"quiet": 0.1},
        {"send": {"id": 2, "method": "again", "params": note}},
        {"expect": {"id": 2, "result": "ok"}},
    ]
    return json.dumps({"case": vice, "talk": steps})


@pytest.fixture(name="folder")
def _folder() -> Iterator[Path]:
    """A folder that every user can enter: pytest has its own folders for itself."""
    folder = Path(mkdtemp(prefix="talk-zoo-"))
    shutil.copy(HERE / "vices.py", folder / "vices.py")
    for framing, verdicts in VERDICTS.items():
        cases = "".join(f"{_script(vice)}\n" for vice in verdicts)
        suite = {"suite.toml": SETTINGS % framing, "cases.jsonl": cases}
        write_files(folder, {f"{framing}/{name}": text for name, text in suite.items()})
    subprocess.run(["chmod", "-R", "a+rwX", str(folder)], check=True)
    yield folder
    shutil.rmtree(folder)


def _play(
    folder: Path,
    framing: str,
    under: Sequence[str] = (),
    environment: dict[str, str] | None = None,
    within: Sequence[str] = (),
) -> Seen:
    """Run all vices at once, and again alone, up to three times, those that were too slow.

    To repeat all timeouts, as `xtest run` does by itself, would take minutes.
    """
    play = partial(_play_once, folder, framing, under=under, environment=environment, within=within)
    seen = play(["-j8"])
    for _ in range(3):
        late = [
            vice
            for vice, verdict in seen.verdicts.items()
            if verdict in ("silent", "stalled") and verdict != VERDICTS[framing][vice]
        ]
        if not late:
            break
        alone = play(["-j1", *(word for vice in late for word in ("--case", vice))])
        seen = Seen(
            seen.hung or alone.hung,
            max(seen.peak_mib, alone.peak_mib),
            seen.left + alone.left,
            seen.verdicts | alone.verdicts,
            max(seen.longest_s, alone.longest_s),
        )
    return seen


def _play_once(
    folder: Path,
    framing: str,
    options: Sequence[str],
    *,
    under: Sequence[str],
    environment: dict[str, str] | None,
    within: Sequence[str],
) -> Seen:
    """Run xtest with the keeper under a command, or xtest alone within one."""
    report, results = folder / "report.json", folder / "results.jsonl"
    xtest = [*XTEST, "run", str(folder / framing), *options, "--no-retry-timeouts", "--no-give-up"]
    xtest += ["--results", str(results), "--", str(folder / "vices.py")]
    xtest += ["framed"] * (framing == FRAMED)
    keeper = [sys.executable, "-I", str(KEEPER), str(report), str(PATIENCE_S)]
    subprocess.run(
        [*under, *keeper, *within, *xtest],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        env=clean_environment(folder, TMPDIR=str(folder), **(environment or {})),
    )
    seen = json.loads(report.read_bytes())
    judged = [event for event in read_events(results) if event["event"] == "judged"]
    return Seen(
        seen["hung"],
        seen["peak_mib"],
        seen["left"],
        {event["case"]: event["verdict"] for event in judged},
        max(event["wall_s"] for event in judged),
    )


@pytest.mark.parametrize("framing", FRAMINGS)
def test_a_vice_gets_its_verdict_in_bounded_time_and_memory(folder: Path, framing: str) -> None:
    seen = _play(folder, framing)
    assert seen.verdicts == VERDICTS[framing]
    assert (seen.hung, seen.left) == (False, [])
    assert seen.longest_s < WALL_S
    assert seen.peak_mib <= PEAK_MIB


@pytest.mark.system
@pytest.mark.parametrize("framing", FRAMINGS)
def test_an_ordinary_user_gets_the_same_verdicts(folder: Path, framing: str) -> None:
    seen = _play(folder, framing, as_ordinary_user())
    assert seen.verdicts == VERDICTS[framing]
    assert (seen.hung, seen.left) == (False, [])


# The whole product takes minutes, and is a part of tox -e portable.
@pytest.mark.parametrize(
    ("framing", "within"),
    [
        pytest.param(framing, within, id=f"{framing}-{'without_proc' if within else 'proc'}")
        for framing in FRAMINGS
        for within in ((), HIDES_PROC)
        if not SYSTEM.has_namespaces or (framing == FRAMED and not within)
    ],
)
def test_the_portable_back_end_gives_the_same_verdicts(
    folder: Path, framing: str, within: Sequence[str]
) -> None:
    if within and os.geteuid() != 0:
        pytest.skip("only root can hide /proc")
    seen = _play(folder, framing, environment=without_linux(), within=within)
    assert seen.verdicts == VERDICTS[framing]
    assert not seen.hung
    assert seen.longest_s < WALL_S


def test_each_vice_has_a_row() -> None:
    source = (HERE / "vices.py").read_text(encoding="utf-8")
    names = set(re.findall(r'^    "([a-z0-9-]+)":', source, re.MULTILINE))
    assert names | {"answers-notifications"} == set().union(*VERDICTS.values())
