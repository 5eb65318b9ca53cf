"""A fest reports the progress of each step."""

from __future__ import annotations

import pytest

from harness.cli.fest import StepProgress


def test_a_step_tells_how_many_runs_have_ended(capsys: pytest.CaptureFixture[str]) -> None:
    for every_s in (0, 3_600):
        progress = StepProgress(every_s)
        progress.begin("wheats", 3)
        for _ in range(3):
            progress.count()
        progress.begin("chaffs", 0)
    assert capsys.readouterr().err.splitlines() == [
        *("xtest: wheats: 3 runs", "xtest: wheats: 1 of 3 runs", "xtest: wheats: 2 of 3 runs"),
        "xtest: wheats: 3 runs",
    ]
