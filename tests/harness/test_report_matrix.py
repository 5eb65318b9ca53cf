"""A matrix as text, Markdown and JSON: whole tables, and what could go wrong in a cell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from harness.events import Judged
from harness.records import Verdict
from harness.report.matrix import View, matrix_lines, percent
from harness.several.matrix import Matrix
from harness.suites.bundled import schemas_folder


def matrix_of(**verdicts: str) -> Matrix:
    """A matrix of subjects, whose verdicts are a letter a case; "/" begins the next suite."""
    names = {"p": Verdict.PASSED, "d": Verdict.DIFFERS, "i": Verdict.INVALID_CASE}
    matrix = Matrix(list(verdicts))
    for subject, letters in verdicts.items():
        for number, part in enumerate(letters.split("/")):
            for case, letter in enumerate(part, 1):
                if letter in names:
                    suite = ("easy", "hard")[number]
                    matrix.add(Judged(suite, str(case), subject, "plain", names[letter], ""))
    return matrix


def lines(matrix: Matrix, layout: str = "text", **view: object) -> list[str]:
    """The lines of a matrix."""
    return list(matrix_lines(matrix, View({}, **view), layout))  # type: ignore[arg-type]  # of View


THREE = matrix_of(js="ppi/dp", c="pdi/--", perl="ppi/pd")


TEXT = """\
subject        easy        hard         all
js       2/2  100 %  1/2 50.0 %  3/4 75.0 %
c        1/2 50.0 %           -  1/2 50.0 %
perl     2/2  100 %  1/2 50.0 %  3/4 75.0 %

agreement          js           c
c          1/2 50.0 %
perl       2/4 50.0 %  1/2 50.0 %

3 subjects, 4 cases: 1 passed by all, 3 by some, 0 by none; 1 broken case left out
"""

NARROW = """\
agreement          js
c          1/2 50.0 %
perl       2/4 50.0 %

agreement           c
perl       1/2 50.0 %

3 subjects, 4 cases: 1 passed
by all, 3 by some, 0 by none;
1 broken case left out
"""

MARKDOWN = """\
| subject | language | easy | hard | all |
|:--|:--|--:|--:|--:|
| js | Java\\|Script | 2/2 100 % | 1/2 50.0 % | 3/4 75.0 % |
| c | C | 1/2 50.0 % | - | 1/2 50.0 % |
| perl |  | 2/2 100 % | 1/2 50.0 % | 3/4 75.0 % |

| agreement | js | c |
|:--|--:|--:|
| c | 1/2 50.0 % |  |
| perl | 2/4 50.0 % | 1/2 50.0 % |

| case | js | c | perl |
|:--|:--|:--|:--|
| easy/1 | passed | passed | passed |
| easy/2 | passed | differs | passed |
| easy/3 | invalid-case | invalid-case | invalid-case |
| hard/1 | differs | - | passed |
| hard/2 | passed | - | differs |

3 subjects, 4 cases: 1 passed by all, 3 by some, 0 by none; 1 broken case left out
"""


def test_a_matrix_is_a_table_of_scores_and_one_of_agreement_and_a_sentence() -> None:
    assert lines(THREE) == TEXT.splitlines()


def test_markdown_has_the_same_tables_and_nothing_in_it_is_markup() -> None:
    languages = {"js": "Java|Script", "c": "C"}
    shown = matrix_lines(THREE, View(languages, with_cases=True), "markdown")
    assert list(shown) == MARKDOWN.splitlines()


def test_json_is_one_object_with_all_that_was_counted() -> None:
    view = View({"js": "JavaScript"}, with_cases=True)
    (line,) = matrix_lines(matrix_of(js="pd", c="pi"), view, "json")
    assert json.loads(line) == {
        "format": 1,
        "subjects": [
            {
                "name": "js",
                "language": "JavaScript",
                "passed": 1,
                "cases": 2,
                "broken": 0,
                "suites": {
                    "easy": {
                        "passed": 1,
                        "cases": 2,
                        "broken": 0,
                        "verdicts": {"passed": 1, "differs": 1},
                    }
                },
            },
            {
                "name": "c",
                "passed": 1,
                "cases": 1,
                "broken": 1,
                "suites": {
                    "easy": {
                        "passed": 1,
                        "cases": 1,
                        "broken": 1,
                        "verdicts": {"passed": 1, "invalid-case": 1},
                    }
                },
            },
        ],
        "agreement": [{"subjects": ["js", "c"], "agree": 1, "cases": 1}],
        "passed_by": {"all": 1, "some": 0, "none": 1},
        "cases": [
            {"suite": "easy", "case": "1", "verdicts": {"js": "passed", "c": "passed"}},
            {"suite": "easy", "case": "2", "verdicts": {"js": "differs", "c": "invalid-case"}},
        ],
    }
    (line,) = lines(THREE, "json")
    assert "cases" not in json.loads(line)
    assert "hard" not in json.loads(line)["subjects"][1]["suites"]


def test_json_keeps_its_schema_which_is_closed() -> None:
    schema = json.loads(Path(schemas_folder(), "matrix.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    assert schema["$defs"]["verdict"]["enum"] == [verdict.value for verdict in Verdict]
    validator = Draft202012Validator(schema)
    for matrix in (THREE, Matrix()):
        for with_cases in (False, True):
            view = View({"js": "JavaScript"}, with_cases)
            (line,) = matrix_lines(matrix, view, "json")
            validator.validate(json.loads(line))
            assert not validator.is_valid({**json.loads(line), "more": 1})


def test_one_subject_on_one_suite_has_one_table_of_one_column() -> None:
    assert lines(matrix_of(js="pp")) == [
        "subject        easy",
        "js       2/2  100 %",
        "",
        "1 subject, 2 cases: 2 passed by all, 0 by some, 0 by none",
    ]


def test_cases_are_shown_with_the_verdict_of_each_subject() -> None:
    shown = lines(matrix_of(js="p/d", c="d/"), with_cases=True)
    assert shown[-4:-2] == ["easy/1  passed   differs", "hard/1  differs  -"]


def test_what_is_too_wide_goes_on_below_with_the_names_in_front() -> None:
    view = View({"js": "JavaScript"}, with_cases=True, width=35)
    shown = list(matrix_lines(matrix_of(js="p/d", c="d/p", perl="p/p"), view, "text"))
    assert max(map(len, shown[:-1])) <= 35
    assert shown[:12] == [
        "subject  language          easy",
        "js       JavaScript  1/1  100 %",
        "c                    0/1    0 %",
        "perl                 1/1  100 %",
        "",
        "subject  language          hard",
        "js       JavaScript  0/1    0 %",
        "c                    1/1  100 %",
        "perl                 1/1  100 %",
        "",
        "subject  language           all",
        "js       JavaScript  1/2 50.0 %",
    ]
    narrow = list(matrix_lines(matrix_of(js="p"), view._replace(width=1), "text"))
    assert narrow[1] == "js       JavaScript  1/1  100 %"  # a line is never without a column


def test_in_a_narrow_terminal_no_row_is_empty_and_no_word_is_broken() -> None:
    shown = lines(THREE, width=30)
    assert shown[-10:] == NARROW.splitlines()
    assert max(map(len, shown)) <= 30


def test_who_passes_nothing_or_ran_nothing_that_another_ran_is_not_in_the_agreement() -> None:
    matrix = matrix_of(js="pd", none="dd", c="pp", other="/p", nothing="dd")
    assert [line for line in lines(matrix) if "agreement" in line or line.startswith("c ")] == [
        *("c        2/2  100 %           -  2/2  100 %", "agreement          js"),
        "c          1/2 50.0 %",
    ]
    assert "agreement" not in "\n".join(lines(matrix_of(a="d", b="p", c="d")))
    # Where some pairs have cases, those that have none are told apart from those of the other half.
    across = matrix_of(a="p", b="/p", c="p/p")
    assert lines(across)[5:8] == [
        "agreement           a           b",
        "c          1/1  100 %  1/1  100 %",
        "",
    ]
    assert lines(matrix_of(a="p", b="p/p", c="/p"))[5:8] == [
        "agreement           a           b",
        "b          1/1  100 %",
        "c                   -  1/1  100 %",
    ]


@pytest.mark.parametrize("layout", ["text", "markdown"])
def test_the_agreement_of_many_is_shown_on_demand(layout: str) -> None:
    eight = dict.fromkeys("abcdefgh", "p")
    assert "agreement" in "\n".join(lines(matrix_of(**eight), layout))
    nine = matrix_of(**eight, i="p")
    assert "agreement" not in "\n".join(lines(nine, layout))
    assert "agreement" in "\n".join(lines(nine, layout, with_agreement=True))
    assert len(json.loads(lines(nine, "json")[0])["agreement"]) == 36


def test_a_style_sees_what_is_good_and_what_is_bad_and_no_word_is_changed_by_it() -> None:
    def marked(text: str, role: str) -> str:
        return f"<{role} {text}>"

    shown = lines(matrix_of(js="pd", c="pp", perl=""), style=marked)
    assert shown[1:3] == ["js       <bad 1/2 50.0 %>", "c        <good 2/2  100 %>"]
    assert shown[0] == "<dim subject>  <dim       easy>"


def test_names_are_shown_safe_and_short() -> None:
    matrix = Matrix()
    matrix.add(Judged("s\x1b" + "x" * 99, "1", "a\n<b>", "plain", Verdict.PASSED, ""))
    text, markdown = lines(matrix), lines(matrix, "markdown")
    assert "\\x1b" in text[0] and len(text[0]) < 80
    assert text[1].startswith("a\\n<b>")
    assert markdown[2].startswith("| a\\\\n\\<b\\> |")


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [
        *((0, 5, "0 %"), (5, 5, "100 %"), (1, 3, "33.3 %"), (2, 3, "66.6 %")),
        *((1_999, 2_000, "99.9 %"), (99_999, 100_000, "99.9 %"), (1, 100_000, "0.1 %")),
    ],
)
def test_a_percentage_is_100_only_of_all_and_0_only_of_nothing(
    part: int, whole: int, said: str
) -> None:
    assert percent(part, whole) == said


def test_the_example_of_the_page_is_what_is_shown() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "subjects.md").read_text("utf-8")
    matrix = matrix_of(js=f"{'p' * 20}/{'p' * 30}", c=f"{'p' * 20}/{'p' * 29}d")
    view = View({"js": "JavaScript", "c": "C"})
    shown = "\n".join(f"    {line}".rstrip() for line in matrix_lines(matrix, view, "text"))
    assert f"\n{shown}\n" in page
