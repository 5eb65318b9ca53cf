"""SVG as tests read it: one element a line, elements by tag, and contrast of colours."""

from __future__ import annotations

import re
from xml.etree import ElementTree


def split_elements(svg: str) -> str:
    """Return an SVG document with one element a line, for golden files."""
    return svg.replace("><", ">\n<") + "\n"


def elements(svg: str, tag: str) -> list[ElementTree.Element]:
    """Return the elements of a tag in drawing order."""
    return list(ElementTree.fromstring(svg).iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def darkened(svg: str) -> str:
    """Return an SVG document with the colours that its style sheet gives it on a dark page."""
    root = ElementTree.fromstring(svg)
    rules = re.findall(r'([a-z]*)\[(fill|stroke)="(#[0-9a-f]{6})"\]\{\2:(#[0-9a-f]{6})\}', svg)
    assert rules
    for element in root.iter():
        old = dict(element.attrib)
        # A rule with an element is more specific.
        for tag, attribute, colour, shade in sorted(rules):
            if old.get(attribute) == colour and element.tag.endswith(f"}}{tag}" if tag else ""):
                element.set(attribute, shade)
    return ElementTree.tostring(root, encoding="unicode")


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours `#rrggbb`, 1 to 21, as WCAG 2.1 defines it."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    levels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in levels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
