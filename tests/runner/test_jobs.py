"""Jobs: the limits of a run."""

from __future__ import annotations

from harness.model.case import Case, Policy
from harness.model.limits import Limits
from harness.model.subject import Subject
from harness.runner.jobs import override_limits

CASE = Case("s", "1", b"1", b"1", [], policy=Policy(limits=Limits(wall_s=1, cpu_s=1, processes=1)))


def test_the_command_line_overrides_the_subject_which_overrides_the_suite() -> None:
    subject = Subject("x", ("x",), limits=(("wall_s", 2.0), ("cpu_s", 2.0)))
    assert override_limits(CASE, Subject("x", ("x",))) == CASE
    limits = override_limits(CASE, subject, 3.0).policy.limits
    assert (limits.wall_s, limits.cpu_s, limits.processes) == (3.0, 2.0, 1)
