"""Declare every verdict, in the order in which causes are checked. Source: docs/verdicts.md."""

from __future__ import annotations

from enum import Enum
from functools import cached_property
from typing import Final, Self

# How reports describe a failure that suite.toml lists as known.
KNOWN_FAILURE: Final = "It failed as the suite expects: a known failure."
# How the message of a `harness-fault` begins for want of memory, processes or descriptors.
MACHINE_LIMIT: Final = "a limit of this machine"


class FactEnum(Enum):
    """An enumeration whose members are tuples: a name for users, then the facts of the member.

    The facts are attributes, in the order in which the class annotates them.
    """

    def __new__(cls, value: str, *facts: object) -> Self:
        member = object.__new__(cls)
        member._value_ = value
        for name, fact in zip(cls.__annotations__, facts, strict=True):
            setattr(member, name, fact)
        return member


class Category(Enum):
    """The kind of a verdict: what went wrong, and on whose side."""

    PASSED = "passed"
    FAULT = "fault"  # of the suite or of xtest, never the subject's
    SKIPPED = "skipped"  # not claimed by the subject; in no denominator
    NOT_STARTED = "not-started"
    LIMIT = "limit"  # xtest killed the program
    CRASHED = "crashed"
    MALFORMED = "malformed"
    VALUES = "values"  # the output is JSON, but not the expected values
    EXIT_STATUS = "exit-status"
    FLAKY = "flaky"
    NOT_RUN = "not-run"


class Verdict(FactEnum):
    """The judgement of one run; its value is the name in reports and results files."""

    category: Category
    description: str

    # Counters of verdicts call it often, and Enum's own is a function in Python.
    __hash__ = object.__hash__

    INVALID_CASE = "invalid-case", Category.FAULT, "The case itself is broken; nothing was run."
    SKIPPED = "skipped", Category.SKIPPED, "The subject does not claim the case; it was not run."
    NOT_STARTED = (
        "not-started",
        Category.NOT_STARTED,
        "The program could not be started: no such file, not executable, a bad interpreter, or a"
        " failed build.",
    )
    SILENT = "silent", Category.LIMIT, "A time limit was reached before anything was printed."
    STALLED = (
        "stalled",
        Category.LIMIT,
        "Something was printed, then the time limit for the whole output was reached.",
    )
    CPU_LIMIT = "cpu-limit", Category.LIMIT, "The program used more processor time than allowed."
    MEMORY_LIMIT = "memory-limit", Category.LIMIT, "The program used more memory than allowed."
    OUTPUT_LIMIT = "output-limit", Category.LIMIT, "The program printed more than allowed."
    PROCESS_LIMIT = (
        "process-limit",
        Category.LIMIT,
        "The program ran more processes at once than allowed.",
    )
    CRASHED = "crashed", Category.CRASHED, "A signal killed the program."
    MALFORMED = (
        "malformed",
        Category.MALFORMED,
        "The output is not JSON, is not UTF-8, or ends in the middle of a value.",
    )
    TOO_FEW = "too-few", Category.VALUES, "The output is JSON, with fewer values than expected."
    TOO_MANY = "too-many", Category.VALUES, "The output has more values than expected."
    DIFFERS = (
        "differs",
        Category.VALUES,
        "The output has as many values as expected, but they are not equal.",
    )
    EXIT_STATUS = (
        "exit-status",
        Category.EXIT_STATUS,
        "The exit status is not the expected one, and the output is correct or incomplete.",
    )
    PASSED = "passed", Category.PASSED, "The values and the exit status are as expected."
    FLAKY = "flaky", Category.FLAKY, "Repeated runs (`--repeat`) had different verdicts."
    HARNESS_FAULT = (
        "harness-fault",
        Category.FAULT,
        "xtest or a companion failed, or judging was stopped: the output was not judged.",
    )
    NOT_RUN = (
        "not-run",
        Category.NOT_RUN,
        "The run of xtest ended before this run had a verdict (`--deadline`), or the subject was"
        " given up after timeouts.",
    )

    @property
    def colour(self) -> str:
        """The colour role of the verdict in reports: `good`, `bad`, `dim`, or `odd` for faults."""
        if self.category is Category.PASSED:
            return "good"
        if self.category is Category.SKIPPED:
            return "dim"
        return "odd" if self.category in (Category.FAULT, Category.NOT_RUN) else "bad"

    @cached_property
    def is_fault(self) -> bool:
        """Return whether the suite or xtest failed, not the subject."""
        return self.category is Category.FAULT

    @cached_property
    def is_limit(self) -> bool:
        """Return whether xtest killed the program because it reached a limit."""
        return self.category is Category.LIMIT

    @property
    def is_failure(self) -> bool:
        """Return whether a run of the subject failed."""
        return self.subject_ran and self is not Verdict.PASSED

    @cached_property
    def subject_ran(self) -> bool:
        """Return whether the verdict says something about how the subject ran."""
        return self.category is not Category.NOT_STARTED and self.concerns_subject

    @cached_property
    def concerns_subject(self) -> bool:
        """Return whether the verdict says whether the subject is right."""
        return self.category not in (Category.FAULT, Category.SKIPPED, Category.NOT_RUN)
