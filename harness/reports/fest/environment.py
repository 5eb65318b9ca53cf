"""Render the templates of fest pages: files that work offline and run no script."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.text import escape_nonprintable

__all__ = ["render"]

_ENVIRONMENT: Final = Environment(
    loader=PackageLoader("harness.reports.fest", "page"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters["shown"] = escape_nonprintable


def render(template: str, **values: Any) -> str:
    """Return a page."""
    style = _ENVIRONMENT.get_template("fest.css").render()
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none';"
        " form-action 'none'"
    )
    page = _ENVIRONMENT.get_template(template)
    return page.render(policy=Markup(policy), style=Markup(style), **values)
