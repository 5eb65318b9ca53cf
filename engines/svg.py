"""SVG markup as text: elements, escaped character data and whole documents.

Numbers have at most two decimals, so equal pictures are equal byte for byte. Source: SVG 1.1; for
escaping, XML 1.0 section 2.4.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["dark_style", "document", "element", "text"]

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def element(tag: str, *children: str, **attributes: str | float) -> str:
    """Return one element. Attribute `stroke_width` is written `stroke-width`, and `class_` is
    written `class`. Children are markup, as returned by `element` or `text`."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for name, value in attributes.items()
    )
    if not children:
        return f"<{tag}{written}/>"
    return f"<{tag}{written}>{''.join(children)}</{tag}>"


def text(content: str) -> str:
    """Return text as escaped character data."""
    return content.translate(_ESCAPES)


def document(
    *children: str,
    width: float,
    height: float,
    title: str,
    dark: Mapping[str, str] | None = None,
) -> str:
    """Return a whole SVG document of `width` by `height` user units, titled for screen readers.

    `dark` has the colours for dark pages, as for `dark_style`; without it, the page around the
    picture sees to them.
    """
    return element(
        "svg",
        element("title", text(title)),
        *([] if dark is None else [element("style", dark_style(dark))]),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        width=width,
        height=height,
        role="img",
    )


def dark_style(dark: Mapping[str, str]) -> str:
    """Return rules that replace colours on a dark page.

    A key is a colour of fills and strokes, or an element and the colour of its fill, which comes
    first: "text #ffffff".
    """
    rules = "".join(_dark_rule(*key.rpartition(" "), shade) for key, shade in dark.items())
    return f"@media(prefers-color-scheme:dark){{{rules}}}"


def _dark_rule(tag: str, _: str, colour: str, shade: str) -> str:
    fill = f'{tag}[fill="{colour}"]{{fill:{shade}}}'
    return fill if tag else f'{fill}[stroke="{colour}"]{{stroke:{shade}}}'


def _attribute(value: str | float) -> str:
    return text(value) if isinstance(value, str) else _number(value)


def _number(value: float) -> str:
    # "+ 0" turns -0.0 into 0.0, and "g" drops a trailing ".0".
    return f"{round(value, 2) + 0:g}" if value < 100_000 else str(value)
