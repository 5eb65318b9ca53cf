"""Programs of Debian's that tests need: what each is for is in .ci/setup."""

from __future__ import annotations

import os
import shutil

import pytest


def need(program: str) -> str:
    """The path of a program of Debian's; without it the test is passed over, or fails in CI."""
    found = shutil.which(program)
    if found is None:
        message = f"{program} is not installed (.ci/setup installs it)"
        if os.environ.get("XTEST_REQUIRE_SYSTEM"):
            pytest.fail(message)
        pytest.skip(message)
    return found
