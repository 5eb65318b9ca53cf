"""Count the calls that a function makes: the same number in every run."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType


def count_calls(run: Callable[[], object]) -> int:
    """Return how many functions, builtins included, a function calls when caches are filled."""
    count = 0

    def profile(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    run()
    before = sys.getprofile()
    gc.disable()  # Hypothesis hooks into the garbage collector
    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(before)
        gc.enable()
    return count
