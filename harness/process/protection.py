"""Keep subjects from reaching into this process: its descriptors, its memory, and its /proc."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from typing import Final

_PR_SET_DUMPABLE: Final = 4  # <linux/prctl.h>
_FIRST: Final = 3  # after the standard streams


def forbid_tracing() -> None:
    """Keep processes of the same user from tracing this one and its future children.

    They can then neither reopen its descriptors through /proc nor read its memory. Programs that
    those children execute can be traced as usual.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def inheritable_descriptors() -> list[int]:
    """Return the descriptors that a started program would inherit beside its standard streams."""
    found = []
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        with suppress(OSError):  # that of the listing is closed
            if descriptor >= _FIRST and os.get_inheritable(descriptor):
                found.append(descriptor)
    return found


def close_on_exec() -> None:
    """Make no started program inherit descriptors beside its standard streams."""
    for descriptor in inheritable_descriptors():
        os.set_inheritable(descriptor, False)
