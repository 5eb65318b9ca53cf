"""Draw a film of a terminal as an SVG that is animated by CSS alone. Pure.

The screens form a vertical strip, which moves up behind a window. Each different line is drawn once
and reused. Without animation, or if the reader prefers reduced motion, the last screen is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from film_scene import COLUMNS, LINES, Film, Frame, TextRun

_CELL: Final = 8.4  # width of a character in most monospaced fonts of 14 px
_LINE: Final = 19
_MARGIN: Final = 16
_BAR: Final = 34
_WIDTH: Final = COLUMNS * _CELL + 2 * _MARGIN
_SCREEN: Final = LINES * _LINE
_HEIGHT: Final = _BAR + _SCREEN + _MARGIN
_DARK: Final = "#0d1117"
_LIGHT: Final = "#e6edf3"
_DIM: Final = "#9198a1"
# The class of a colour, and the colour itself, with a contrast of at least 6:1 to _DARK.
_COLOURS: Final = {
    "default": ("", _LIGHT),
    "red": ("r", "#ff7b72"),
    "green": ("g", "#56d364"),
    "brown": ("y", "#e3b341"),
    "brightblack": ("d", _DIM),
}
_BOLD: Final = "b"
_FONTS: Final = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace"


def svg_of(film: Film) -> str:
    """Return the film as an SVG document, with its text as the description."""
    return "".join(_parts(film))


def _parts(film: Film) -> Iterator[str]:
    frames = film.frames
    size = f'viewBox="0 0 {_WIDTH:g} {_HEIGHT}" width="{_WIDTH:g}" height="{_HEIGHT}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"'
    yield ' aria-labelledby="title text">\n<title id="title">A run of xtest in a terminal</title>\n'
    yield f'<desc id="text">{escape(chr(10).join(film.text).strip())}</desc>\n'
    yield f"<style>\n{_style(frames)}</style>\n"
    yield f'<rect width="{_WIDTH:g}" height="{_HEIGHT}" rx="10" fill="{_DARK}"/>\n'
    yield f'<rect x=".5" y=".5" width="{_WIDTH - 1:g}" height="{_HEIGHT - 1}" rx="9.5"'
    yield ' fill="none" stroke="#3d444d"/>\n'
    for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        yield f'<circle cx="{_MARGIN + 6 + 20 * number}" cy="17" r="6" fill="{colour}"/>\n'
    lines = {line: f"l{n}" for n, line in enumerate(_unique_lines(frames))}
    yield "<defs>\n"
    for line, name in lines.items():
        yield f'<g id="{name}">{"".join(map(_text, line))}</g>\n'
    yield "</defs>\n"
    yield f'<svg x="{_MARGIN}" y="{_BAR}" width="{COLUMNS * _CELL:g}" height="{_SCREEN}">\n'
    yield '<g class="film">\n'
    for number, frame in enumerate(frames):
        yield f'<g transform="translate(0 {number * _SCREEN})">'
        for row, line in enumerate(frame.lines):
            if line:
                yield f'<use href="#{lines[line]}" y="{row * _LINE}"/>'
        x, y = frame.cursor
        yield f'<rect class="cursor" x="{x * _CELL:g}" y="{y * _LINE + 2}" '
        yield 'width="8" height="15"/></g>\n'
    yield "</g>\n</svg>\n</svg>\n"


def _unique_lines(frames: tuple[Frame, ...]) -> dict[tuple[TextRun, ...], None]:
    return {line: None for frame in frames for line in frame.lines if line}


def _text(run: TextRun) -> str:
    """Return a run as text that is as wide as its cells in any font."""
    looks = f"{_COLOURS[run.colour][0]} {_BOLD if run.is_bold else ''}".strip()
    looks = f' class="{looks}"' if looks else ""
    place = f'x="{run.column * _CELL:g}" y="14" textLength="{len(run.text) * _CELL:g}"'
    return f"<text {place}{looks}>{escape(run.text)}</text>"


def _style(frames: tuple[Frame, ...]) -> str:
    whole = sum(frame.seconds for frame in frames)
    lines = [f"text{{font:14px {_FONTS};fill:{_LIGHT};white-space:pre}}"]
    lines += [f".{name}{{fill:{colour}}}" for name, colour in _COLOURS.values() if name]
    lines += [f".{_BOLD}{{font-weight:700}}", f".cursor{{fill:{_DIM};opacity:.7}}"]
    lines += [f".film{{{_shift(len(frames) - 1)}}}", "@keyframes film{"]
    at = 0.0
    for number, frame in enumerate(frames):
        lines.append(f"{100 * at / whole:.3f}%{{{_shift(number)}}}")
        at += frame.seconds
    lines += [f"100%{{{_shift(len(frames) - 1)}}}", "}"]
    moving = f".film{{animation:film {whole:.2f}s step-end infinite}}"
    lines.append(f"@media (prefers-reduced-motion:no-preference){{{moving}}}")
    return "\n".join(lines) + "\n"


def _shift(frames: int) -> str:
    """Return the CSS that moves the strip up by a number of screens."""
    return f"transform:translateY({-frames * _SCREEN}px)"
