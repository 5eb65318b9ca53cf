"""Talk to a Dask scheduler, and take nothing but bytes from it."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import cache
from queue import Empty, SimpleQueue
from typing import Any, Final

import dask
import distributed
from dask.utils import parse_timedelta

from harness.errors import UsageError

_CONNECT_S: Final = 15
_ANSWER_S: Final = 5
_SILENCE_S: Final = 60.0  # after which a silent worker is not waited for any more
# Dask sends the type of a result with it, as a pickle.
_HARMLESS: Final = {("builtins", "bytes")}


class ConnectionLost(Exception):
    """The scheduler has ended, or can no longer be reached."""


class _RefusedPickle(AttributeError):
    """The error that Dask expects for a pickle that cannot be loaded."""


class _Client(distributed.Client):
    def _handle_task_erred(
        self, key: Any = None, exception: object = None, traceback: object = None
    ) -> None:
        """Note that a task failed, without the exception, which is a pickle."""
        handle: Any = super()._handle_task_erred
        handle(key, "the task failed")


class DaskClient:
    """A connection to a scheduler. Raises UsageError if there is none at this address.

    From then on, this process loads no pickle that names a class or a function: a worker could
    send one that runs code.
    """

    def __init__(self, address: str, security: distributed.Security | None) -> None:
        silence()
        _refuse_pickles()
        self.address: Final = address
        self.is_lost = False
        self._ended: SimpleQueue[tuple[object, bytes | None]] = SimpleQueue()
        # Other settings of Dask on this machine must not open a port or load code.
        config = {"distributed.client.preload": [], "distributed.comm.timeouts.connect": _CONNECT_S}
        with dask.config.set(config):
            try:
                connect: Any = _Client
                self._client = connect(
                    address,
                    security=security,
                    timeout=_CONNECT_S,
                    set_as_default=False,
                    direct_to_workers=False,
                )
            except (OSError, ValueError, TypeError, RuntimeError) as problem:
                reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
                raise UsageError(f"--cluster {address}: no scheduler answered: {reason}") from None

    @property
    def silence_s(self) -> float:
        """The seconds without a sign of life after which a worker counts as lost.

        Dask's own setting counts if it is shorter.
        """
        setting = dask.config.get("distributed.scheduler.worker-ttl")
        return min(_SILENCE_S, parse_timedelta(setting or _SILENCE_S))

    @property
    def dashboard(self) -> str:
        """The address of Dask's own page about the cluster."""
        return str(self._client.dashboard_link or "")

    def workers(self) -> dict[str, int]:
        """Return the number of threads of each worker. Raises ConnectionLost."""
        return dict(self._ask("ncores"))

    def last_signs(self) -> dict[str, float]:
        """Return when each worker gave its last sign of life, on the clock of the scheduler.

        Raises ConnectionLost.
        """
        workers = self._ask("identity", n_workers=-1)["workers"]
        return {address: float(worker["last_seen"]) for address, worker in workers.items()}

    def pending_jobs(self) -> int:
        """Return the number of jobs in a queue without a worker so far. Raises ConnectionLost.

        Only the schedulers of `host` can answer this.
        """
        return int(self._ask("pending_jobs"))

    def _ask(self, question: str, **arguments: object) -> Any:
        try:
            # An outage makes Dask forget all tasks, even if it is short.
            if self._client.status == "running":
                ask = getattr(self._client.scheduler, question)
                return self._client.sync(ask, callback_timeout=self.silence_s, **arguments)
        except (OSError, RuntimeError, TimeoutError):
            pass
        self.is_lost = True
        raise ConnectionLost

    def submit(
        self, key: object, worker: str, function: Callable[..., bytes], *arguments: str | bytes
    ) -> Any:
        """Start a task on a worker; `ended` returns the key when it ends or is cancelled."""
        future = self._client.submit(
            function, *arguments, workers=[worker], allow_other_workers=False, pure=False, retries=0
        )
        future.add_done_callback(lambda done: self._ended.put((key, _result_of(done))))
        return future

    def ended(self, timeout: float) -> tuple[object, bytes | None] | None:
        """Return a task that has ended and its result, None if it failed or was cancelled."""
        with suppress(Empty):
            return self._ended.get(timeout=timeout)
        return None

    def cancel(self, future: Any) -> None:
        with suppress(OSError, RuntimeError, CancelledError):
            future.cancel(force=True)

    def tell_all(self, function: Callable[[str], None], argument: str) -> None:
        """Call a function in every worker at once, beside its tasks."""

        def call() -> None:
            # AttributeError: a worker sent an exception instead of an answer.
            with suppress(AttributeError, OSError, RuntimeError, TimeoutError):
                self._client.run(function, argument, on_error="ignore")

        if self._client.status == "running" and not self.is_lost:
            # A worker that hangs does not answer.
            caller = threading.Thread(target=call, daemon=True)
            caller.start()
            caller.join(_ANSWER_S)

    def close(self) -> None:
        with suppress(OSError, RuntimeError, TimeoutError):
            self._client.close(timeout=0 if self.is_lost else 2)


def tls_security(options: dict[str, str | bool]) -> distributed.Security | None:
    """Return what Dask needs for encrypted connections, or None without options."""
    make: Any = distributed.Security
    return make(**options) if options else None


def silence() -> None:
    """Keep Dask and its libraries from printing in this process; xtest reports what matters."""
    logging.disable()  # many of their loggers have handlers of their own


def _result_of(future: Any) -> bytes | None:
    if future.status != "finished":
        return None
    try:
        result = future.result()
    except BaseException:  # pylint: disable=broad-exception-caught  # whatever the other side sent
        return None
    return result if isinstance(result, bytes) else None


@cache
def _refuse_pickles() -> None:
    sys.addaudithook(_refuse_classes)


def _refuse_classes(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "pickle.find_class" and arguments not in _HARMLESS:
        raise _RefusedPickle("xtest takes only bytes from a cluster")
