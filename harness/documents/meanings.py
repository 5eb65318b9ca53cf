"""What each verdict means, in a sentence for who meets the word in a report.

Words alone. Source: the table of docs/verdicts.md, which says the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from harness.records import Verdict

__all__ = ["KNOWN", "MEANINGS"]

MEANINGS: Final[Mapping[Verdict, str]] = MappingProxyType(
    {
        Verdict.INVALID_CASE: "The case itself is broken; nothing was run.",
        Verdict.NOT_STARTED: (
            "The program could not be started: no such file, not executable, a bad interpreter."
        ),
        Verdict.SILENT: "A time limit fell before anything was printed.",
        Verdict.STALLED: "Something was printed, and then the limit for the whole answer fell.",
        Verdict.CPU_LIMIT: "The program used more processor time than it may.",
        Verdict.MEMORY_LIMIT: "It used more memory than it may.",
        Verdict.OUTPUT_LIMIT: "It printed more than it may.",
        Verdict.PROCESS_LIMIT: "It had more processes at once than it may.",
        Verdict.CRASHED: "A signal ended it.",
        Verdict.MALFORMED: (
            "What it printed is not JSON, is not UTF-8, or ends in the middle of a value."
        ),
        Verdict.TOO_FEW: "It printed JSON, and fewer values than expected.",
        Verdict.TOO_MANY: "It printed more values than expected.",
        Verdict.DIFFERS: "It printed as many values as expected, and not the same.",
        Verdict.EXIT_STATUS: "The values are right, and the exit status is not as expected.",
        Verdict.PASSED: "The values agree, and so does the exit status.",
        Verdict.FLAKY: "Repeated runs got different verdicts (only where runs are repeated).",
        Verdict.HARNESS_FAULT: (
            "xtest itself failed. This is never blamed on the program; please report it."
        ),
    }
)
KNOWN: Final = "It fell short as the suite says that it does: a known failure."
