"""A process that puts cases to a program of the packages first on its path, which serves requests.

    python request_runner.py CASES

CASES is a JSON file: a list of [program, case, input file, output file, exit status], of which all
have the same program. It prints the first case that is not answered so, and stops; or `all passed`.
Of the exit status it sees nothing. Takes of the harness what the program takes, and no
more, since that may be what has the fault; the program's own stdio is no part of this.
"""

from __future__ import annotations

import json
import resource
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.jsontext import Json, Printable
    from xtests.refusal import Pointer

# Processor time for all cases, so that a busy machine changes nothing: ten times what they take.
CPU_SECONDS: Final = 20


def main(cases_file: str) -> None:
    """Run the cases until one is not answered as expected, and say which."""
    # A fault may make a program go on for ever.
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    cases = json.loads(Path(cases_file).read_bytes())
    try:
        (answer,) = {import_module(f"xtests.{case[0]}").answer for case in cases}
    except Exception as problem:  # pylint: disable=broad-exception-caught  # noticed: that is all
        print(f"the program cannot be loaded: {problem!r}")
        return
    for _, case, input_file, output_file, _ in cases:
        expected = _plain(Path(output_file).read_text(encoding="utf-8").splitlines())
        found = _found(answer, Path(input_file).read_bytes())
        if found != expected:
            print(f"{case}: {expected} expected, found {found}")
            return
    print("all passed")


def _found(answer: Callable[[Json, Pointer], Printable], text: bytes) -> list[str]:
    try:
        return _plain(_printed(answer, text))
    except Exception as problem:  # pylint: disable=broad-exception-caught  # as above
        return [repr(problem)]


def _plain(lines: list[str]) -> list[str]:
    """The values of an output as comparable lines: members in order, without an error's message."""
    values = [json.loads(line) for line in lines]
    for value in values:
        if isinstance(value, dict) and isinstance(value.get("error"), dict):
            value["error"].pop("message", None)
    return [json.dumps(value, sort_keys=True) for value in values]


def _printed(answer: Callable[[Json, Pointer], Printable], text: bytes) -> list[str]:
    """What the program prints, put together from its pure parts."""
    # Imported here: they are the packages' own, and may have the fault.
    # pylint: disable=import-outside-toplevel
    from harness.jsontext import PROGRAM_DEPTH, Decoder, encode
    from xtests.refusal import EVERYTHING, Refused, element, malformed

    decoder = Decoder(PROGRAM_DEPTH)
    answers: list[Printable] = []
    for k, value in enumerate(decoder.feed(text) + decoder.close()):
        try:
            answers.append(answer(value, element(EVERYTHING, k)))
        except Refused as refusal:
            answers.append(refusal.error_object())
    if decoder.fault is not None:
        answers.append(malformed(decoder.fault).error_object())
    return [encode(each) for each in answers]


if __name__ == "__main__":
    main(sys.argv[1])
