"""Known failures: the runs that a [[known]] table lists, and whether its prediction holds."""

from __future__ import annotations

from support.golden import Golden
from support.suites import parse_settings
from support.tables import check_table

from harness.model.case_names import input_name
from harness.model.events import Judged
from harness.model.subject import Subject
from harness.model.verdict import Verdict

PYTHON = Subject("/usr/bin/python3 mine.py", ("/usr/bin/python3", "mine.py"))


def test_the_known_failure_of_a_run(golden: Golden) -> None:
    def known(example: tuple[str, str, str, str]) -> str:
        text, verdict, case, delivery = example
        event = Judged("s", case, PYTHON.name, delivery, Verdict(verdict), "")
        return str(parse_settings(text).known_failure(PYTHON, input_name(case), event))

    check_table(golden, __file__, "known_failures.txt", known)
