"""Make the chaffs of a fest from one of its wheats."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from harness.authoring.chaffs import PROGRAM_FOLDER, ChaffMutant, chaff_mutants, write_chaff
from harness.authoring.mutants import ReferenceOutput, reference_output
from harness.cli.fest_session import Session
from harness.errors import CANNOT_WRITE, UsageError, usage_errors
from harness.jsonio.fast import decode
from harness.project.fest_config import Fest
from harness.project.fest_programs import Entrant
from harness.runner.fest_runs import FestPair, FestRunner, FestSetup
from harness.text import escape_nonprintable, quote

_PREFIX: Final = "mutant-"


def make_chaffs(
    fest: Fest, session: Session, program: str, most: int, jobs: int | None
) -> Iterator[tuple[Path, ChaffMutant]]:
    """Write chaffs; yield the folder and the mutant of each. Raises UsageError."""
    wheat = _find_wheat(fest, session, program)
    target = _target_folder(fest)
    mutants = chaff_mutants(_outputs(session, wheat, jobs), most)
    if not mutants:
        raise UsageError(f"{quote(program)}: no output on any submitted input has a mutant")
    subject = session.plan.entrants[wheat].target.subject
    assert subject.context is not None
    for number, mutant in enumerate(mutants, 1):
        words = re.sub("[^a-z0-9]+", "-", f"{mutant.where} {mutant.what}".lower()).strip("-")
        folder = target / f"{_PREFIX}{number:02}-{words}"[:80]
        with usage_errors(escape_nonprintable(str(folder)), CANNOT_WRITE):
            shutil.copytree(subject.context.folder, folder / PROGRAM_FOLDER, symlinks=True)
            write_chaff(folder, mutant, subject.command, fest.config.program[0])
        yield folder, mutant


def _find_wheat(fest: Fest, session: Session, program: str) -> int:
    """Return the place of a wheat with this name or folder."""
    folder = os.path.realpath(program)
    for place, (_, target) in enumerate(session.plan.entrants):
        context = target.subject.context
        if target.subject.name == program or (
            context is not None and os.path.realpath(context.folder) == folder
        ):
            return place
    raise UsageError(f"--from {quote(program)}: no wheat of {fest.where} has this name or folder")


def _target_folder(fest: Fest) -> Path:
    """Return the folder that `chaffs` means, which must have no chaffs that were made before."""
    pattern = fest.config.chaffs
    if not isinstance(pattern, str) or os.path.basename(pattern) != "*":
        raise UsageError(f'{fest.where}: chaffs must be a folder and "/*", such as "chaffs/*"')
    if not fest.config.program[0].startswith("./"):
        raise UsageError(f'{fest.where}: program must begin with "./" for chaffs to be made')
    folder = Path(fest.folder, os.path.dirname(pattern))
    made = sorted(folder.glob(f"{_PREFIX}*")) if folder.is_dir() else []
    if made:
        shown = escape_nonprintable(os.path.relpath(made[0]))
        raise UsageError(f"{shown}: was made before; remove {_PREFIX}* first")
    return folder


def _outputs(session: Session, wheat: int, jobs: int | None) -> Sequence[ReferenceOutput]:
    """Return the outputs of a wheat on all inputs that it answers with JSON, in order."""
    plan, entrant = session.plan, session.plan.entrants[wheat]
    pairs = [FestPair(0, place) for place in range(len(plan.inputs))]
    setup = FestSetup([Entrant(*entrant)], [""], plan.inputs, session.sandbox)
    runner = FestRunner(setup, jobs or os.cpu_count() or 1)
    answers = {answer.input: answer for answer in runner.answers(pairs)}
    outputs = []
    for each in plan.inputs:
        stdout, status = answers[each.digest].stdout, answers[each.digest].exit
        if stdout is not None and status is not None and not stdout.is_truncated:
            values, fault = decode(stdout.data)
            if fault is None:
                outputs.append(reference_output(values, status))
    return outputs
