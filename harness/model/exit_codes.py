"""Declare the exit statuses of `xtest`. Source: docs/reference/exit-statuses.md."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    OK = 0  # everything passed
    FAILED = 1  # a subject failed
    FAULT = 2  # of usage, of the suite, or of xtest
    INTERRUPTED = 130
