"""Programs of Debian's that tests need: what each is for is in .ci/setup."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def need(program: str) -> str:
    """The path of a program of Debian's; without it the test is passed over, or fails in CI."""
    found = shutil.which(program)
    return found or pass_over(f"{program} is not installed (.ci/setup installs it)")


def pass_over(reason: str) -> NoReturn:
    """Skip a test that this machine cannot run, or let it fail in CI."""
    if os.environ.get("XTEST_REQUIRE_SYSTEM"):
        pytest.fail(reason)
    pytest.skip(reason)
