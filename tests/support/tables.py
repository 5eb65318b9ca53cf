"""Golden tables: a line for each example, `INPUT => RESULT`, where INPUT is a Python literal.

To add an example, add a line with its input and run `pytest --update-golden`.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from support.golden import Golden

from harness.model import comparison
from harness.model.comparison import Comparison
from harness.model.limits import Limit
from harness.model.transcript import Ending, Exited, NotStarted, Signalled, Transcript

_ARROW = " =>"


def check_table(golden: Golden, test: str, name: str, result_of: Callable[[Any], str]) -> None:
    """Compare the results of a golden table, a file in the folder `golden` beside a test file."""
    lines = Path(test).with_name("golden").joinpath(name).read_text(encoding="utf-8").splitlines()
    seen: set[str] = set()
    for number, line in enumerate(lines):
        if line and not line.startswith("#"):
            given = line.partition(_ARROW)[0]
            assert given not in seen, f"{given} is there twice"
            seen.add(given)
            result = printable(result_of(literal_eval(given)))
            lines[number] = f"{given}{_ARROW} {result}".rstrip()
    golden(name, "".join(f"{line}\n" for line in lines))


def comparison_of(expression: str = "Comparison()") -> Comparison:
    """Return the comparison that an expression in a golden table stands for."""
    # Our own tables hold the expressions, not what a program printed.
    made: Comparison = eval(expression, vars(comparison))  # pylint: disable=eval-used
    return made


def transcript_of(run: dict[str, Any]) -> Transcript:
    """Return the transcript of a run in a golden table: stdout, exit or signal, limit, ..."""
    others = dict(run)
    stdout = others.pop("stdout", b"")
    ending: Ending = Exited(others.pop("exit", 0))
    if "signal" in others:
        ending = Signalled(others.pop("signal"))
    if "not_started" in others:
        ending = NotStarted(others.pop("not_started"))
    limit = Limit(others.pop("limit")) if "limit" in others else None
    return Transcript(ending, stdout, stdout_bytes=len(stdout), limit=limit, **others)


def printable(text: str) -> str:
    """Return a text with escapes for all but printable ASCII."""
    return "".join(char if " " <= char <= "~" else ascii(char)[1:-1] for char in text)


def check_refusals(
    golden: Golden, test: str, name: str, functions: Iterable[Callable[..., object]]
) -> None:
    """Compare the messages of the ValueErrors that functions raise for the arguments in a table.

    An example is the name of a function and its arguments.
    """
    by_name = {function.__name__: function for function in functions}

    def refusal(example: tuple[Any, ...]) -> str:
        function, *arguments = example
        with pytest.raises(ValueError) as caught:
            by_name[function](*arguments)
        return str(caught.value)

    check_table(golden, test, name, refusal)
