"""Continue in a child process, so that no subject outlives this one, however it ends."""

from __future__ import annotations

import os
import signal
import sys
from typing import Final, NoReturn

from harness.interruption import STOP_SIGNALS
from harness.model.exit_codes import ExitCode
from harness.model.transcript import Exited
from harness.process.process_state import forbid_tracing
from harness.process.reaper import Reaper, become_subreaper, end_with_parent
from harness.process.termination import MOST_STOPS, to_ending
from harness.text import signal_name

_BY_KERNEL: Final = 0x80  # SI_KERNEL: the terminal signals the whole group, the child included


def continue_in_child() -> None:
    """Return in a forked child, while the parent waits for it and exits with its status.

    If the parent is killed, the child is interrupted, and kills its subjects. If the child is
    killed, the parent adopts its subjects and kills them.
    """
    become_subreaper()
    forbid_tracing()
    parent = os.getpid()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (*STOP_SIGNALS, signal.SIGCHLD))
    pid = os.fork()
    if pid:
        _exit_like(pid, Reaper(sole_parent=True))
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    end_with_parent(parent)


def _exit_like(pid: int, reaper: Reaper) -> NoReturn:
    """Forward stop signals to a child until it ends, then exit with its status."""
    stops = 0
    while True:
        received = signal.sigwaitinfo((*STOP_SIGNALS, signal.SIGCHLD))
        if received.si_signo != signal.SIGCHLD:
            if received.si_code != _BY_KERNEL:
                os.kill(pid, received.si_signo)
            continue
        reaped, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
        if reaped and not os.WIFSTOPPED(status):
            break
        if reaped and os.WSTOPSIG(status) == signal.SIGSTOP:  # by a subject, not by the terminal
            stops += 1
            os.kill(pid, signal.SIGCONT if stops <= MOST_STOPS else signal.SIGKILL)
    ending = to_ending(status)
    if isinstance(ending, Exited):
        _exit(ending.status)
    reaper.sweep_all({})
    why = f"killed by {signal_name(ending.number)}"
    if stops > MOST_STOPS:
        why = f"stopped by a subject {stops} times"
    print(f"xtest: a process of xtest was {why}", file=sys.stderr)
    _exit(ExitCode.FAULT)


def _exit(status: int) -> NoReturn:
    # Not sys.exit: the child has done everything that an exit does, such as flushing.
    os._exit(status)  # pylint: disable=protected-access
