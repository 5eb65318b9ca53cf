"""Make chaffs: copies of a correct program, each with one of selftest's mutants in its outputs.

A chaff runs without an installed xtest: its folder has the program, the mutant and, in a zip file,
this module with all that it imports. Source: docs/howto/test-fest.md.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from harness.authoring.json_shape import EveryElement, Step, replace_value
from harness.authoring.mutants import MUTATORS, STREAM_MUTATORS, Mutant, ReferenceOutput, mutants_of
from harness.files import open_own, read_regular, write_new_files
from harness.jsonio.decoder import Json, encode
from harness.jsonio.fast import decode

_ROOT: Final = Path(__file__).parents[2]  # only valid where xtest is installed
PROGRAM_FOLDER: Final = "program"  # the folder with a copy of the correct program
_MUTANT: Final = "mutant.json"
_ZIP: Final = "xtest.zip"
_LAUNCHER: Final = """#!{python}
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "{zip}"))
from harness.fest.chaffs import main

sys.exit(main(here))
"""


def chaff_mutants(outputs: Sequence[ReferenceOutput], most: int) -> list[Mutant]:
    """Return at most `most` mutants that differ from the outputs and from each other.

    They are spread evenly over all such mutants, so that each part of the output is changed.
    """
    distinct: dict[tuple[tuple[int, bytes], ...], Mutant] = {}
    for mutant in filter(_is_independent, mutants_of(outputs)):
        changed = tuple(
            (number, text.text)
            for number, text in mutant.outputs.items()
            if text != outputs[number].printed
        )
        if changed:
            distinct.setdefault(changed, mutant)
    mutants = [*distinct.values()]
    number = min(most, len(mutants))
    return [mutants[place * len(mutants) // number] for place in range(number)]


def write_chaff(folder: Path, mutant: Mutant, command: Sequence[str], launcher: str) -> None:
    """Write a chaff, started by `launcher`, beside its copy of the program. Raises OSError."""
    entries = {"command": list(command), "what": mutant.what, "where": mutant.where}
    path = mutant.path.steps if mutant.path is not None else ()
    steps = [each.value if isinstance(each, EveryElement) else [each] for each in path]
    text = json.dumps({**entries, "steps": steps}, indent=2) + "\n"
    write_new_files({folder / _MUTANT: text.encode()})
    with (
        open(open_own(folder / _ZIP, os.O_CREAT | os.O_EXCL), "wb") as file,
        zipfile.ZipFile(file, "w") as archive,
    ):
        for module in _own_modules():
            archive.write(_ROOT / module, str(module))
    program = folder / launcher
    write_new_files({program: _LAUNCHER.format(python=sys.executable, zip=_ZIP).encode()})
    program.chmod(0o755)


@cache
def _own_modules() -> tuple[Path, ...]:
    """Return the files of this module and of all modules of xtest that it imports."""
    code = f"import sys; import {__name__}; print(*[m for m in sys.modules if m[:8] == 'harness.'])"
    command = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    modules = [Path(*name.split(".")) for name in ("harness", *done.stdout.split())]
    return tuple(
        each / "__init__.py" if (_ROOT / each).is_dir() else each.with_suffix(".py")
        for each in modules
    )


def main(here: str) -> int:
    """Run the program of a chaff on standard input, and print the mutant of its output."""
    entries = json.loads(read_regular(os.path.join(here, _MUTANT)))
    folder = os.path.join(here, PROGRAM_FOLDER)
    done = subprocess.run(entries["command"], cwd=folder, stdout=subprocess.PIPE, check=False)
    values, fault = decode(done.stdout)
    if fault is None:
        steps = tuple(_step(each) for each in entries["steps"])
        values = _mutate(values, entries["what"], steps)
    text = "".join(f"{encode(value)}\n" for value in values).encode()
    sys.stdout.buffer.write(done.stdout if fault is not None else text)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def _is_independent(mutant: Mutant) -> bool:
    """Return whether a mutant can be made without the outputs of other cases."""
    return mutant.what in (STREAM_MUTATORS if mutant.path is None else MUTATORS)


def _mutate(values: list[Json], what: str, steps: tuple[Step, ...]) -> list[Json]:
    if not steps:
        return STREAM_MUTATORS[what](values)
    changed = replace_value(values, steps, MUTATORS[what])
    return changed if isinstance(changed, list) else values


def _step(entry: Any) -> Step:
    step: Step = entry[0] if isinstance(entry, list) else EveryElement(entry)
    return step
