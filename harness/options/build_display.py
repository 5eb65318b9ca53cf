"""Show builds on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from harness.files import is_terminal, terminal_size
from harness.options import messages
from harness.text import escape_ci_commands, escape_nonprintable, shorten_to_width

_SHOWN_LINES: Final = 20  # of the output of a failed build, the last ones
_ERASE: Final = "\r\x1b[K"  # the line that the cursor is in


class TerminalBuilds:
    """Shows each build while it runs, and the end of the output of a failed one."""

    @contextmanager
    def building(self, heading: str) -> Iterator[None]:
        """Show a line; on a terminal, erase it at the end."""
        if not is_terminal(sys.stderr):
            messages.print_message(heading)
            yield
            return
        width = terminal_size(sys.stderr).columns - 1  # in the last column, some terminals wrap
        line = shorten_to_width(f"xtest: {heading}", width)
        print(line, end="", file=sys.stderr, flush=True)
        try:
            yield
        finally:
            print(_ERASE, end="", file=sys.stderr, flush=True)

    def failed(self, heading: str, output: Sequence[str]) -> None:
        """Print the last lines."""
        if is_terminal(sys.stderr):
            messages.print_message(heading)
        for line in output[-_SHOWN_LINES:]:
            print(escape_ci_commands(f"    {escape_nonprintable(line)}"), file=sys.stderr)
        if len(output) > _SHOWN_LINES:
            print(f"    (the last {_SHOWN_LINES} of {len(output):,} lines)", file=sys.stderr)
