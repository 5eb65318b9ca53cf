"""The page of a game that xref writes, played in Chromium as its reader plays it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.chromium import Browser

# What a reader of the page would do, and what is then seen.
READER = """(() => {
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
  return seen;
})()"""


@pytest.mark.system
def test_the_page_steps_through_the_game(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "game.html"
    name = "<img src=x onerror=window.harmed=1><script>window.harmed=1</script>"
    command = [sys.executable, "-m", "xtests.xref", "--html", str(page)]
    subprocess.run(command, input=f'["{name}", "Rosa", "Ida"]'.encode(), check=True)
    with browser.tab() as tab:
        tab.open(page.as_uri())
        assert tab.value(READER) == [
            # The result stands above the board from the beginning.
            *("1:1:1:move 1 of 10", "block"),
            *("2:2:2:move 2 of 10", "3:3:3:move 3 of 10", "2:2:2:move 2 of 10"),
            *("10:8:10:move 10 of 10", "0:0:0:move 0 of 10"),
            *("1:1:1:move 1 of 10", "2:2:2:move 2 of 10", "1:1:1:move 1 of 10"),
            *("10:8:10:move 10 of 10", "0:0:0:move 0 of 10"),
            *("7:6:7:move 7 of 10", 1, "10:8:10:move 10 of 10", 2, "block"),
            *("every 900 ms", "every 300 ms", "3:3:3:move 3 of 10"),
            "Start: Ida (red) begins with tile 8 at 0° on (5, 0), its avatar on port C.",
            *("1", "undefined"),
        ]
        # The policy of the page lets its own script and style run.
        assert not tab.complaints()
