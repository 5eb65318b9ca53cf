"""Handle the signals that stop xtest: exit at once while it starts, clean up while it runs."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_INTERRUPTED: Final = 130  # ExitCode.INTERRUPTED; importing it takes time without a handler


class _Deferral:
    is_active = False
    is_interrupted = False  # since it became active


def exit_when_stopped() -> None:
    """From now on, exit at once, without a traceback from the middle of an import."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # if it is ignored, waitpid fails
    _handle(_exit)


def clean_up_when_stopped() -> None:
    """From now on, raise KeyboardInterrupt once."""
    _handle(_interrupt)


@contextmanager
def deferred_interruption() -> Iterator[None]:
    """Delay KeyboardInterrupt until the end of the block, unless there is a second signal."""
    outer, _Deferral.is_active = _Deferral.is_active, True
    is_over = False
    try:
        yield
        is_over = True
    finally:
        _Deferral.is_active = outer
        if not outer:
            is_late, _Deferral.is_interrupted = _Deferral.is_interrupted, False
            # If the block did not end, another exception is being raised, such as that of a second
            # signal.
            if is_late and is_over:
                _raise_once()


def _handle(handler: signal._HANDLER) -> None:
    for number in STOP_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, handler)


def _exit(_number: int, _frame: FrameType | None) -> None:
    os._exit(_INTERRUPTED)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    if _Deferral.is_active and not _Deferral.is_interrupted:
        _Deferral.is_interrupted = True
    else:
        _raise_once()


def _raise_once() -> None:
    # A second signal must not interrupt the killing of subjects. A handler that does nothing, not
    # SIG_IGN: Python would report a pending signal that becomes ignored.
    for number in STOP_SIGNALS:
        signal.signal(number, lambda _number, _frame: None)
    raise KeyboardInterrupt
