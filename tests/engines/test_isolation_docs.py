"""The examples of docs/isolation.md, run as one session, compared with the page line for line."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "isolation.md"


def session(markdown: str) -> str:
    """The fenced lines of a page as doctest wants them: an empty line of output spelled out, and
    everything outside a fence an empty line, so that line numbers stay."""
    lines: list[str] = []
    fenced = False
    for line in markdown.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        lines.append((line or "<BLANKLINE>") if fenced and not line.startswith("```") else "")
    return "\n".join(lines)


def test_every_example_of_the_page_gives_what_the_page_shows() -> None:
    source = session(PAGE.read_text(encoding="utf-8"))
    examples = doctest.DocTestParser().get_doctest(source, {}, PAGE.name, str(PAGE), 0)
    report: list[str] = []
    failed, attempted = doctest.DocTestRunner().run(examples, out=report.append)
    assert not failed, "".join(report)
    assert attempted == source.count(">>> ") > 40
