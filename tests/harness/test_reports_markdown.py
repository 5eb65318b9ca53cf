"""Markdown: tables, failures folded away, nothing of a program's that acts, and a bounded size."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt
from told_events import ALL, CRASHED, DIFFERS, ENDED, KNOWN, STARTED, evidence, made, run

from harness.documents.markdown import code, fenced, table_code
from harness.events import Event, Known, Problem, RunEnded, ShownDifference
from harness.records import Verdict

READER = MarkdownIt("commonmark").enable("table")


def test_the_head_has_how_it_went_and_a_row_for_each_suite_and_subject() -> None:
    other = run("1", suite="t", subject="./a|b")
    assert made("markdown", STARTED, run("1"), KNOWN, other, ENDED).startswith("""\
## xtest: 2 of 3 passed; 1 known failure

| suite | subject | runs | passed | known | failed | broken |
|:--|:--|--:|--:|--:|--:|--:|
| `s` | `x` | 2 | 1 | 1 | 0 | 0 |
| `t` | <code>&#46;/a&#124;b</code> | 1 | 1 | 0 | 0 | 0 |

| cases passed | <code>&#46;/a&#124;b</code> | `x` |
|:--|--:|--:|
| `s` | - | 1/2 |
| `t` | 1/1 | - |

Of 3 cases, 2 are passed by all subjects, 0 by some, 1 by none.

""")


def test_a_failure_is_folded_and_has_its_differences_as_a_diff() -> None:
    assert (
        made("markdown", STARTED, DIFFERS, ENDED).partition("### ")[2]
        == """\
`s`, `x`: 1 failed

<details><summary><b>differs</b> <code>s/3</code> <code>why 3</code></summary>

```text
input      3
expected   [6]
printed    6
stderr     oops
```

```diff
- [6]  at /0
+ 6
```

```sh
xtest run s --case 3
```

</details>

"""
    )


def test_known_failures_stand_in_a_list_at_the_end() -> None:
    document = made("markdown", *ALL)
    assert document.endswith("""\
<details><summary>1 known failure</summary>

- `s/5`, `x`: `issue #5, https://example.org/5`

</details>
""")
    assert "### `s`, `x`: 3 failed, 2 broken\n" in document
    assert "known      otherwise: issue #6\n" in document
    bare = made("markdown", STARTED, KNOWN._replace(known=Known("why")), ENDED)
    assert "- `s/5`, `x`: `why`\n" in bare


def test_problems_and_idle_runs_are_told() -> None:
    document = made("markdown", STARTED, Problem("a", "b `c` @d"), ENDED)
    assert document == ("## xtest: nothing was run\n\n### 1 problem\n\n- `a`: ``b `c` @d``\n\n")
    idle = RunEnded({}, 0.0, 0, idle="nothing fell short")
    assert made("markdown", STARTED, idle) == (
        "## xtest: nothing was run: `nothing fell short`\n\n"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a", "`a`"),
        ("", "` `"),
        ("`", "`` ` ``"),
        ("a``b`c", "```a``b`c```"),
        (" a", "`  a `"),
        ("a\nb\u202e", "`a\\nb\\u202e`"),
    ],
)
def test_code_is_shown_as_it_is(text: str, shown: str) -> None:
    assert code(text) == shown


def test_code_in_a_table_is_ended_by_nothing() -> None:
    assert table_code("a`b") == "``a`b``"
    assert table_code("a\\|b") == "<code>a&#92;&#124;b</code>"
    assert fenced("diff", ["- a", "+ ````"]) == "`````diff\n- a\n+ ````\n`````\n"


def test_what_a_program_prints_is_no_markup() -> None:
    evil = "</details></summary>\n\n```\n# <script>alert(1)</script> @all [a](http://b) | x"
    failure = run(
        *("3", Verdict.DIFFERS),
        message=evil,
        suite=evil,
        subject=evil,
        evidence=evidence(ShownDifference("/" + evil, evil, evil), stdout=evil, stderr=evil),
    )
    tokens = READER.parse(made("markdown", STARTED, failure, Problem(evil, evil), ENDED))
    html = "".join(token.content for token in tokens if token.type == "html_block")
    assert "<script" not in html and html.count("</details>") == 1
    inner = [child for token in tokens for child in token.children or []]
    assert {child.type for child in inner} <= {"text", "code_inline", "html_inline"}
    assert {child.content for child in inner if child.type == "html_inline"} <= {
        *("<code>", "</code>"),
    }
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h2", "h3", "h3"]


def a_hundred_kilobytes(failing: int, groups: int) -> list[Event]:
    """Runs with long texts, in so many groups."""
    long = evidence(ShownDifference("/0", "9" * 4_000, "8" * 4_000), stdout="7" * 9_000)
    return [
        run(str(at), Verdict.DIFFERS, evidence=long, suite=f"s{at % groups}", message="m" * 3_000)
        for at in range(failing)
    ]


@pytest.mark.parametrize(("failing", "groups"), [(300, 1), (300, 3), (300, 300)])
def test_it_fits_into_a_comment_and_what_is_left_out_is_counted(failing: int, groups: int) -> None:
    known = [KNOWN._replace(case=str(at)) for at in range(400)]
    runs = a_hundred_kilobytes(failing, groups)
    document = made("markdown", STARTED, *runs, *known, ENDED)
    assert len(document.encode()) < 62_000
    shown = document.count("<b>differs</b>")
    assert shown > 5
    assert "more known failures, left out for size." in document
    if groups == 1:
        assert f"\n… and {failing - shown} more runs, left out for size.\n" in document
    if groups == 3:
        assert document.count("### ") == 3
    if groups == 300:
        assert "more sections, left out for size." in document
        assert "more rows, left out for size." in document


def test_many_subjects_are_cut_to_some_columns() -> None:
    events = [run("1", subject=f"subject-{at}") for at in range(14)]
    document = made("markdown", STARTED, *events, ENDED)
    assert "\n… and 2 more subjects, left out for size.\n" in document
    assert CRASHED.signal == "SIGSEGV"


def test_a_long_message_stands_below_its_heading_as_a_whole() -> None:
    long = "9" * 150
    document = made("markdown", STARTED, run("1", Verdict.NOT_STARTED, message=long), ENDED)
    assert f"<code>{'9' * 119}…</code></summary>\n\n`{long}`\n\n```sh\n" in document
