"""The formats of reports by name, and how they are asked for."""

from __future__ import annotations

import pytest
from told_events import ALL, made

from harness.documents.formats import FORMATS, Wanted, refuse_several, wanted_reports
from harness.usage import UsageFault


def test_reports_are_asked_for_by_name_and_file() -> None:
    assert wanted_reports(["junit=a=b.xml", "tap=-", "json=/dev/stdout"], "--report") == (
        *(Wanted("junit", "a=b.xml"), Wanted("tap", "-"), Wanted("json", "-")),
    )
    assert wanted_reports(["junit"], "--to", bare="-") == (Wanted("junit", "-"),)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        (
            "junti=f",
            '--report junti=f: no format of reports is called "junti"; did you mean "junit"?',
        ),
        (
            "html:r.html",
            '--report html:r.html: no format of reports is called "html:r.html"; did you mean'
            " html=r.html?",
        ),
        (
            "=f",
            f'--report =f: no format of reports is called ""; known: {", ".join(FORMATS)}',
        ),
        (
            "junit",
            "--report junit: the file is missing; write --report junit=FILE (- is standard output)",
        ),
        (
            "tap=",
            "--report tap=: the file is missing; write --report tap=FILE (- is standard output)",
        ),
        (
            "\x1b" + "x" * 99,
            f'--report \\x1b{"x" * 55}…: no format of reports is called "\\x1b{"x" * 55}…";'
            f" known: {', '.join(FORMATS)}",
        ),
    ],
)
def test_nonsense_is_told_with_what_to_do(word: str, said: str) -> None:
    with pytest.raises(UsageFault) as caught:
        wanted_reports([word], "--report")
    assert str(caught.value) == said


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_makes_a_document_of_a_run_the_same_each_time(name: str) -> None:
    assert made(name, *ALL) == made(name, *ALL) != ""


def test_a_format_for_one_subject_is_refused_where_there_are_several() -> None:
    wanted = wanted_reports(["tap=t", "gradescope=g\x1b"], "--report")
    refuse_several(wanted, "--report", ["x"])
    refuse_several(wanted[:1], "--report", ["x", "y"])
    more = "and Gradescope grades one submission; run one of them, or all with --results, of which"
    more = f"{more} xtest report FILE --subject NAME --to gradescope makes one for each"
    for subjects, said in (
        (["x", "\x1b"], "2 subjects (x, \\x1b)"),
        (list("abcd"), "4 subjects (a, b, c, ...)"),
    ):
        with pytest.raises(UsageFault) as caught:
            refuse_several(wanted, "--report", subjects)
        assert str(caught.value) == f"--report gradescope=g\\x1b: there are {said}, {more}"
