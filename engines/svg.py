"""SVG as text: the one place that writes tags and escapes what stands in them.

Pure: no files, no display. Numbers are printed with at most two decimals, so that pictures of
equal boards are equal byte for byte. Source: SVG 1.1, and XML 1.0 section 2.4 for what is escaped.
"""

from __future__ import annotations

__all__ = ["document", "element", "text"]

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def element(tag: str, *children: str, **attributes: str | float) -> str:
    """One element. `stroke_width=2` becomes `stroke-width="2"`, `class_` becomes `class`; the
    children are markup already (from `element` or `text`)."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for name, value in attributes.items()
    )
    if not children:
        return f"<{tag}{written}/>"
    return f"<{tag}{written}>{''.join(children)}</{tag}>"


def text(content: str) -> str:
    """Character data: any text, escaped."""
    return content.translate(_ESCAPES)


def document(*children: str, width: float, height: float, title: str) -> str:
    """A whole picture, `width` by `height` user units, with its title for screen readers."""
    return element(
        "svg",
        element("title", text(title)),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        width=width,
        height=height,
        role="img",
    )


def _attribute(value: str | float) -> str:
    return text(value) if isinstance(value, str) else _number(value)


def _number(value: float) -> str:
    # A whole float loses its ".0", and -0.0 its sign: equal boards, equal text.
    return f"{round(value, 2) + 0:g}" if value < 100_000 else str(value)
