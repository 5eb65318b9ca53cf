"""SVG markup: escaping and numbers."""

from __future__ import annotations

from engines.svg import document, element, text


def test_text_and_attributes_are_escaped() -> None:
    assert text("<&>") == "&lt;&amp;&gt;"
    assert element("a", class_="x", font_family='"B" <&>') == (
        '<a class="x" font-family="&quot;B&quot; &lt;&amp;&gt;"/>'
    )


def test_numbers_have_at_most_two_decimals_and_no_negative_zero() -> None:
    assert (
        element("a", x=1.0, y=-0.001, r=1 / 3, n=123456) == '<a x="1" y="0" r="0.33" n="123456"/>'
    )


def test_a_document_has_a_size_and_a_title() -> None:
    assert document("<g/>", width=2.5, height=3, title="A < B") == (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2.5 3" width="2.5" height="3" '
        'role="img"><title>A &lt; B</title><g/></svg>'
    )
