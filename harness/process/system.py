"""Choose the back end: by what the system offers, never by its name.

XTEST_BACKEND=portable chooses the one for any POSIX system.
"""

from __future__ import annotations

import os
from typing import Final

from harness.errors import UsageError
from harness.process.backend import Backend
from harness.process.linux import LinuxBackend
from harness.process.portable import PortableBackend

_VARIABLE: Final = "XTEST_BACKEND"


def _choose() -> Backend:
    wanted = os.environ.get(_VARIABLE, "")
    if not wanted:
        return LinuxBackend() if hasattr(os, "pidfd_open") else PortableBackend()
    for kind in (LinuxBackend, PortableBackend):
        if wanted == kind.name:
            return kind()
    raise UsageError(f"{_VARIABLE} must be linux or portable, not {ascii(wanted)}")


SYSTEM: Final = _choose()
