"""Read the results file of a fest, which `AppendedResultsFile` writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.model.fest import FestEvent, FestStarted, parse_fest_event
from harness.runner.results_file import InvalidResultsFile, opened
from harness.text import shorten_to_width

_LONGEST: Final = 1 << 26  # bytes of a line
_SHOWN: Final = 200  # characters of the reason why a line is invalid


def read_fest(path: str) -> Iterator[FestEvent]:
    """Yield the events of a fest; a last line that was cut short is skipped.

    Raises InvalidResultsFile.
    """
    with opened(path) as file:
        number = 0
        while line := file.readline(_LONGEST):
            number += 1
            try:
                event = parse_fest_event(line.decode("ascii"))
            except ValueError as problem:
                if number > 1 and not file.read(1):
                    return
                reason = shorten_to_width(str(problem), _SHOWN)
                raise InvalidResultsFile(path, f"not results of a fest: {reason}", number) from None
            if (number == 1) != isinstance(event, FestStarted):
                raise InvalidResultsFile(path, "results of a fest begin with fest-started", number)
            yield event
    if not number:
        raise InvalidResultsFile(path, "the file is empty")
