"""Render the templates of fest pages: files that work offline and run no script."""

from __future__ import annotations

from typing import Any, Final

from markupsafe import Markup

from harness.reports.web import content_policy, templates

_ENVIRONMENT: Final = templates("harness.reports.fest")


def render(template: str, **values: Any) -> str:
    """Return a page."""
    style = _ENVIRONMENT.get_template("fest.css").render()
    page = _ENVIRONMENT.get_template(template)
    return page.render(policy=content_policy(style), style=Markup(style), **values)
