"""The page of a game that xref writes, played in Chromium as its reader plays it."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from support.debian import need
from support.xtest import Xtest

pytestmark = pytest.mark.system

# What a reader of the page would do, played in the page itself; the title then holds what was seen.
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
const gone = () => [...document.querySelectorAll("g[data-from] > g.gone")]
  .filter((trail) => getComputedStyle(trail.parentElement).display !== "none").length;
const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
const slide = (value) => { find("slider").value = value; find("slider").dispatchEvent(new Event("input")); };
look(); seen.push(getComputedStyle(find("result")).display);
for (const id of ["next", "next", "back", "last", "first"]) { find(id).click(); look(); }
for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home"]) { press(key); look(); }
slide(7); look(); seen.push(gone());
slide(10); look(); seen.push(gone(), getComputedStyle(find("result")).display);
window.setInterval = (step, pause) => { seen.push(`every ${pause} ms`); return 1; };
find("play").click();
find("speed").value = "300"; find("speed").dispatchEvent(new Event("change"));
find("play").click();
document.querySelectorAll("#moves a")[3].click(); look();
seen.push(find("caption").textContent);
seen.push(String(document.querySelectorAll("script").length), String(window.harmed));
document.title = seen.join("|");
</script>
"""


def write_page(xtest: Xtest, names: str) -> Path:
    """Let players with these names play, and return the page of their game."""
    page = xtest.folder / "game.html"
    ran = subprocess.run(
        [sys.executable, "-m", "xtests.xref", "--html", str(page)],
        input=names.encode(),
        env=xtest.environment(),
        check=True,
        capture_output=True,
    )
    assert ran.stderr == b""
    return page


def dump_page(page: Path) -> str:
    """Return the page as it is after its scripts have run."""
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={page.parent}/p"]
    command = [need("chromium"), *options, "--dump-dom", page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_page_steps_through_the_game(xtest: Xtest) -> None:
    name = "<img src=x onerror=window.harmed=1><script>window.harmed=1</script>"
    page = write_page(xtest, f'["{name}", "Rosa", "Ida"]')
    # The policy of the page would not let the reader's script run; test_tsuro_page.py checks it.
    text = re.sub("<meta http-equiv=[^>]*>", "", page.read_text(encoding="utf-8"))
    page.write_text(text.replace("</body>", f"{READER}</body>"), encoding="utf-8")
    title = unescape(re.findall("<title>(.*?)</title>", dump_page(page), re.DOTALL)[0])
    assert title.split("|") == [
        # The result would spoil the game.
        *("1:1:1:move 1 of 10", "none"),
        *("2:2:2:move 2 of 10", "3:3:3:move 3 of 10", "2:2:2:move 2 of 10"),
        *("10:8:10:move 10 of 10", "0:0:0:move 0 of 10"),
        *("1:1:1:move 1 of 10", "2:2:2:move 2 of 10", "1:1:1:move 1 of 10"),
        *("10:8:10:move 10 of 10", "0:0:0:move 0 of 10"),
        *("7:6:7:move 7 of 10", "1", "10:8:10:move 10 of 10", "2", "block"),
        *("every 900 ms", "every 300 ms", "3:3:3:move 3 of 10"),
        "Start: Ida (red) begins with tile 8 at 0° on (5, 0), its avatar on port C.",
        *("2", "undefined"),
    ]


def test_the_policy_of_the_page_lets_its_own_script_and_style_run(xtest: Xtest) -> None:
    dumped = dump_page(write_page(xtest, '["Tom", "Rosa", "Ida"]'))
    assert '<div id="controls">' in dumped  # no longer hidden, by the script
    assert "move 1 of 10" in dumped
