"""The limits that apply to a run."""

from __future__ import annotations

import pytest

from harness.engine.jobs import effective_limits
from harness.model.case import Policy
from harness.model.limits import Limits
from harness.model.subject import Subject


@pytest.mark.parametrize(
    ("own", "subject_s", "wall_s", "expected"),
    [
        ((), 2, None, 2),  # instead of the 6 s of a suite
        (("wall_s",), 2, None, 6),
        (("wall_s",), 9, None, 9),
        (("cpu_s",), 2, None, 2),
        (("wall_s",), 2, 1.0, 1),
    ],
)
def test_a_subject_never_lowers_a_limit_that_a_case_sets(
    own: tuple[str, ...], subject_s: float, wall_s: float | None, expected: float
) -> None:
    policy = Policy(limits=Limits(wall_s=6), case_limits=own)
    subject = Subject("prog", ("prog",), limits=(("wall_s", subject_s),))
    assert effective_limits(policy, subject, wall_s).wall_s == expected
