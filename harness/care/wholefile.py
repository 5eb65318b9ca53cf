"""Files that are written whole or not at all, whoever interrupts.

What is made stands under a hidden name beside the file until it is complete, and then takes its
place. Who may read the file, and where a link leads, stays as it was.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

__all__ = ["beside", "write_whole"]


def write_whole(path: Path, fill: Callable[[BinaryIO], object]) -> None:
    """Write a file, in the place of the one that may be there. `fill` writes what is to be in it.
    Raises OSError, and leaves the old file then."""
    target = Path(os.path.realpath(path))
    part = beside(target)
    file = part.open("xb")
    try:
        with file:
            fill(file)
            with suppress(FileNotFoundError):
                os.fchmod(file.fileno(), stat.S_IMODE(os.stat(target).st_mode))
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except BaseException:  # an interruption, too, leaves nothing behind
        with suppress(OSError):
            part.unlink()
        raise


def beside(path: Path) -> Path:
    """A hidden name in the folder of a path, which no other process takes."""
    return Path(os.path.abspath(path)).parent / f".xtest-{os.getpid()}.part"
