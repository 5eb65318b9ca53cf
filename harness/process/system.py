"""Choose the back end: by what the system offers, never by its name.

XTEST_BACKEND=portable chooses the one for any POSIX system.
"""

from __future__ import annotations

import os
from typing import Final

from harness.errors import UsageError
from harness.process.backend import Backend

_VARIABLE: Final = "XTEST_BACKEND"


def _choose() -> Backend:
    wanted = os.environ.get(_VARIABLE, "") or ("linux" if hasattr(os, "pidfd_open") else "portable")
    # Importing psutil takes 7 ms.
    # pylint: disable=import-outside-toplevel
    if wanted == "linux":
        from harness.process.linux import LinuxBackend

        return LinuxBackend()
    if wanted == "portable":
        from harness.process.portable import PortableBackend

        return PortableBackend()
    raise UsageError(f"{_VARIABLE} must be linux or portable, not {ascii(wanted)}")


SYSTEM: Final = _choose()
