"""The style, the controls and the script of the page of a game.

page.py allows the style and the script in its content security policy by their hashes.
"""

from __future__ import annotations

from typing import Final

from engines.svg import dark_style
from engines.tsuro.picture import DARK, FILLS

__all__ = ["CONTROLS", "LOADER", "SCRIPT", "STYLE"]


def _button(name: str, label: str, content: str) -> str:
    return (
        f'<button type="button" id="{name}" title="{label}" aria-label="{label}">{content}</button>'
    )


def _icon(path: str) -> str:
    # Drawn, as not every font has these symbols.
    return (
        '<svg viewBox="0 0 24 24" width="18" height="18" fill="currentColor" aria-hidden="true">'
        f'<path d="{path}"/></svg>'
    )


_BUTTONS: Final = "\n".join(
    [
        _button("first", "To the start", _icon("M5 4h3v16H5zM20 4v16L9 12z")),
        _button("back", "One move back", _icon("M18 4v16L6 12z")),
        _button("play", "Play", "Play"),
        _button("next", "One move on", _icon("M6 4v16l12-8z")),
        _button("last", "To the end", _icon("M16 4h3v16h-3zM4 4v16l11-8z")),
    ]
)

# The script removes `hidden`: without it, the controls would do nothing.
CONTROLS: Final = f"""\
<div id="controls" hidden>
<div id="buttons">
{_BUTTONS}
</div>
<input type="range" id="slider" min="0" value="0" aria-label="Move">
<p id="pace"><output id="count" for="slider"></output>
<label>Speed <select id="speed">
<option value="2000">slow</option><option value="900" selected>normal</option><option value="300">fast</option>
</select></label></p>
<p id="keys">Keys: ← and →, Home and End, space to play.</p>
</div>"""

_DOTS: Final = "\n".join(f".dot.{color} {{ background: {fill}; }}" for color, fill in FILLS.items())

STYLE: Final = f"""
:root {{
  color-scheme: light dark;
  --paper: #fbf8f2; --ink: #2b241d; --quiet: #75624e; --line: #d9cbb5; --chosen: #efe2c8;
}}
@media (prefers-color-scheme: dark) {{
  :root {{ --paper: #1c1916; --ink: #ece4d8; --quiet: #b3a58f; --line: #4a4138; --chosen: #3a3229; }}
}}
* {{ box-sizing: border-box; }}
body {{
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.45 system-ui, "Segoe UI", "DejaVu Sans", sans-serif;
}}
main {{
  max-width: 72rem; margin: 0 auto; padding: 1rem;
  display: grid; gap: .75rem 1.5rem; grid-template-columns: minmax(0, 1fr);
}}
h1 {{ font-size: 1.3rem; margin: 0; }}
figure {{ margin: 0; }}
figure svg {{ display: block; width: 100%; height: auto; max-height: 78vh; }}
.out {{ display: none !important; }}
#side {{ display: grid; gap: 1rem; align-content: start; }}
#caption {{ margin: 0; min-height: 4.4em; }}
#result {{ margin: .2rem 0 0; color: var(--quiet); }}
#buttons {{ display: flex; gap: .4rem; }}
button {{
  display: flex; flex: 1; align-items: center; justify-content: center;
  min-height: 2.75rem; min-width: 2.75rem; padding: 0 .5rem; font: inherit; cursor: pointer;
  color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .5rem;
}}
button:hover {{ background: var(--chosen); }}
button:disabled {{ opacity: .4; cursor: default; background: transparent; }}
#slider {{ width: 100%; height: 2.5rem; margin: 0; accent-color: #a9805a; }}
#pace {{ display: flex; justify-content: space-between; align-items: center; margin: 0; }}
select {{
  min-height: 2rem; padding: 0 .4rem; font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--line); border-radius: .5rem;
}}
#keys {{ margin: .4rem 0 0; font-size: .85rem; }}
#keys, output, label {{ color: var(--quiet); font-variant-numeric: tabular-nums; }}
#moves ol {{ margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }}
#moves a {{
  display: block; padding: .3rem .4rem; color: inherit; text-decoration: none;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere;
}}
#moves a:hover, #moves a[aria-current] {{ background: var(--chosen); }}
#caption, #result {{ overflow-wrap: anywhere; }}
.round {{ color: var(--quiet); }}
.dot {{
  display: inline-block; width: .75em; height: .75em; border-radius: 50%;
  border: 1px solid var(--quiet); margin-right: .3em;
}}
{_DOTS}
{dark_style(DARK)}
@media (min-width: 56rem) {{
  main {{ grid-template-columns: minmax(0, 1fr) 22rem; }}
  header {{ grid-column: 1 / -1; }}
  #board svg {{ max-height: calc(100vh - 7rem); }}
  #side {{ height: calc(100vh - 7rem); grid-template-rows: auto auto minmax(8rem, 1fr); }}
  #moves {{ position: relative; overflow-y: auto; }}
}}
"""

SCRIPT: Final = """
"use strict";
(() => {
  const find = (id) => document.getElementById(id);
  const every = (what) => [...document.querySelectorAll(what)];
  const frames = every("g.frame"), layers = every("[data-from]"), links = every("#moves a");
  const last = frames.length - 1, slider = find("slider"), speed = find("speed");
  const from = (layer) => Number(layer.dataset.from);
  const placed = every("g.tile").map(from).filter((number) => number > 0);
  const opening = placed.length ? Math.min(...placed) : 0;
  let shown = -1, timer = 0;

  function show(number) {
    const wanted = Math.min(Math.max(number, 0), last);
    if (wanted === shown) return;
    shown = wanted;
    frames.forEach((frame, k) => frame.classList.toggle("out", k !== shown));
    layers.forEach((layer) => layer.classList.toggle("out", from(layer) > shown));
    links.forEach((link, k) => {
      if (k === shown) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    // In a narrow window, the list does not scroll by itself.
    const current = links[shown], list = find("moves");
    list.scrollTop = current.offsetTop - (list.clientHeight - current.offsetHeight) / 2;
    find("caption").replaceChildren(...links[shown].cloneNode(true).childNodes);
    slider.value = shown;
    slider.setAttribute("aria-valuetext", `move ${shown} of ${last}`);
    find("count").textContent = `move ${shown} of ${last}`;
    find("first").disabled = find("back").disabled = shown === 0;
    find("last").disabled = find("next").disabled = shown === last;
    // The page in the frame of a notebook has no address of its own.
    if (location.protocol !== "about:") history.replaceState(null, "", `#${shown}`);
  }

  function label_play(word) {
    find("play").textContent = find("play").title = word;
    find("play").setAttribute("aria-label", word);
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    label_play("Play");
  }

  function play() {
    if (timer) { pause(); return; }
    if (shown === last) show(opening);
    timer = setInterval(step, Number(speed.value));
    label_play("Pause");
  }

  function step() {
    show(shown + 1);
    if (shown === last) pause();
  }

  function change_speed() {
    if (!timer) return;
    clearInterval(timer);
    timer = setInterval(step, Number(speed.value));
  }

  const go = (number) => { pause(); show(number); };
  const of_address = () => {
    const number = Number.parseInt(location.hash.slice(1), 10);
    return Number.isNaN(number) ? opening : number;
  };
  const keys = {
    ArrowLeft: () => go(shown - 1), ArrowRight: () => go(shown + 1),
    Home: () => go(0), End: () => go(last), " ": play,
  };
  document.addEventListener("keydown", (event) => {
    const is_pressing = event.target.closest("button, a") && event.key === " ";
    if (event.target.closest("select")) return;
    if (event.ctrlKey || event.metaKey || event.altKey || is_pressing || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  find("first").addEventListener("click", () => go(0));
  find("back").addEventListener("click", () => go(shown - 1));
  find("play").addEventListener("click", play);
  find("next").addEventListener("click", () => go(shown + 1));
  find("last").addEventListener("click", () => go(last));
  slider.addEventListener("input", () => go(Number(slider.value)));
  speed.addEventListener("change", change_speed);
  window.addEventListener("hashchange", () => go(of_address()));
  links.forEach((link, k) => link.addEventListener("click", (event) => {
    event.preventDefault();
    go(k);
  }));
  slider.max = last;
  find("controls").hidden = false;
  show(of_address());
})();
"""

# PACKED stands for the page, compressed by zlib, in Base64.
LOADER: Final = """
<script>
(async () => {
  const bytes = Uint8Array.from(atob("PACKED"), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const page = await new Response(stream).text();
  document.open();
  document.write(page);
  document.close();
})();
</script>
"""
