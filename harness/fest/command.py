"""`xtest fest`: run a test fest: suites of teams against programs of teams."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Final

import click

from harness.authoring.mutants import Mutant, ReferenceOutput, reference_output
from harness.engine.workload import RemotePool
from harness.errors import CANNOT_WRITE, UsageError, os_reason, usage_errors
from harness.fest.chaffs import PROGRAM_FOLDER, chaff_mutants, write_chaff
from harness.fest.config import (
    FEST_FILE,
    Fest,
    find_fest,
    need_fest,
    test_folders,
)
from harness.fest.events import CaseStatus, FestEvent, Role, Ruling, fest_line
from harness.fest.execution import FestExecution, read_fest
from harness.fest.report_values import REVEALED, Reveal
from harness.fest.reports import FEST_FORMATS, check_lines, score_lines
from harness.fest.runs import planned_run
from harness.fest.scores import FestResults, FestScores
from harness.fest.session import NO_SANDBOX, FestSession, prepare
from harness.files import write_in
from harness.jsonio.fast import decode
from harness.model.events import RunResult
from harness.model.exit_codes import ExitCode
from harness.model.protection import SandboxKind
from harness.options import arguments, messages
from harness.options.arguments import AUTO, ExecutionOptions
from harness.options.command import Command
from harness.options.completers import complete_files
from harness.options.working import require_all
from harness.project.targets import Target
from harness.reports.registry import STDOUT, ReportRequest
from harness.reports.text.display import style_and_width
from harness.reports.writer import earlier_output, refuse_overwriting, write_document
from harness.results.results_file import ContinuedResultsFile, InvalidResultsFile, find_damage
from harness.text import did_you_mean, escape_nonprintable, pluralize, quote

_INCOMPLETE: Final = "the fest is incomplete, so nothing is scored"
_UNFINISHED: Final = "the fest is incomplete, so scores are not final"
_PREFIX: Final = "mutant-"  # of the folders of chaffs that are made

_sandbox_option = click.option(
    "--sandbox",
    type=click.Choice((AUTO, *(kind.value for kind in SandboxKind), NO_SANDBOX)),
    default=AUTO,
    is_flag=False,
    flag_value=AUTO,
    metavar="[=KIND]",
    help="Run programs in a sandbox: bwrap, landlock, none, or whichever works [auto].",
)


@click.group("fest")
def command() -> None:
    """Run a test fest: score teams' suites and programs: xtest fest run

    Suites and programs come from many teams; fest.toml says where they are. Correct programs, the
    wheats, decide which cases are valid; wrong ones, the chaffs, show how thorough a suite is.
    """


@command.command("check", cls=Command)
@click.argument("suite", metavar="SUITE", shell_complete=complete_files)
@arguments.jobs_option
@arguments.rebuild_option
@_sandbox_option
@arguments.with_execution
def check(suite: str, execution: ExecutionOptions) -> int:
    """Check the cases of a suite: xtest fest check SUITE

    Shows which cases are valid, and how many chaffs they catch. SUITE is a folder of cases, or the
    name of a team. The exit status is 1 if a case is invalid or contested, or if there are no
    cases.
    """
    fest = need_fest()
    folder = Path(suite)
    if not os.path.isdir(folder):
        folders = test_folders(fest)
        if suite not in folders:
            raise UsageError(f"{quote(suite)}: no such folder or team of {fest.where}")
        folder = folders[suite]
    elif os.path.samefile(folder, fest.folder):
        raise UsageError(f"{quote(suite)}: the folder of the fest; name a team or its suite")
    name = Path(os.path.abspath(folder)).name
    without_rulings = fest._replace(config=fest.config._replace(rulings=()))
    session = prepare(without_rulings, {name: folder}, (Role.WHEAT, Role.CHAFF), execution)
    results = FestResults()
    status = _run(session, execution, results)
    scores = FestScores(results, ())
    for problem in session.problems:
        messages.print_message(escape_nonprintable(f"{name}: {problem.message}"))
    if status != ExitCode.OK:
        return status
    _, width = style_and_width(sys.stdout)
    messages.print_lines(check_lines(scores, width))
    is_valid = all(each.status is CaseStatus.VALID for each in scores.cases)
    return ExitCode.OK if is_valid and scores.cases else ExitCode.FAILED


@command.command("run", cls=Command)
@arguments.results_option(
    "Write every event to FILE, as JSON Lines; runs that FILE already has are not repeated."
)
@arguments.jobs_option
@arguments.rebuild_option
@_sandbox_option
@arguments.cluster_options
@arguments.with_execution
def run(results: str, execution: ExecutionOptions) -> int:
    """Run programs on all cases, and score them: xtest fest run

    Cases are checked, then judged by every wheat, three times; then chaffs and programs run. After
    a late submission, only what is new runs. The exit status is 0 if the fest ran to
    its end, and each run could be judged.
    """
    fest = need_fest()
    session = prepare(fest, test_folders(fest), tuple(Role), execution, results)
    messages.print_problems(session.problems)
    if fest.config.chaffs and all(each.role is not Role.CHAFF for each in session.plan.programs):
        messages.print_note(f"{fest.where}: chaffs matches no folder")
    collected = FestResults()
    try:
        with session.setup.cluster as cluster:
            status = _run(session, execution, collected, results, cluster)
    except InvalidResultsFile as problem:
        raise UsageError(f"--results {problem}") from None
    except OSError as problem:
        if not results:
            raise
        raise UsageError(
            f"--results {escape_nonprintable(results)}: {os_reason(problem)}"
        ) from None
    if status == ExitCode.OK:
        scores = _scores(collected, fest.config.rulings, fest.where)
        _, width = style_and_width(sys.stdout)
        messages.print_lines(score_lines(scores, width))
        if collected.faults:
            messages.print_message(escape_nonprintable(_faults_text(collected.faults)))
            return ExitCode.FAULT
    return status


def _faults_text(faults: Sequence[str]) -> str:
    number = pluralize(len(faults), "judgement")
    return f"{number} failed, and count as failures; the same command repeats them: {min(faults)}"


@command.command("report", cls=Command)
@click.argument("file", metavar="FILE", shell_complete=complete_files)
@arguments.repeatable(
    "--to",
    "reports",
    "NAME=PATH",
    complete_files,
    f"{', '.join(FEST_FORMATS)}; PATH is a folder for formats with several files",
    required=True,
)
@click.option(
    "--reveal",
    type=click.Choice([level.value for level in Reveal]),
    default=Reveal.SCORES.value,
    help=f"The content of a team's page. {REVEALED} [{Reveal.SCORES.value}].",
)
def report(file: str, reports: tuple[str, ...], reveal: str) -> None:
    """Make reports of a fest: xtest fest report FILE --to NAME=PATH

    FILE was written by xtest fest run --results. Scores follow the rulings in the nearest
    fest.toml, or else those in FILE; nothing runs again.
    """
    requests = [_parse_request(word) for word in reports]
    refuse_overwriting(requests, [file])
    results, fest = FestResults(), find_fest()
    for event in read_fest(file):
        results.add(event)
    if not results.is_complete:
        messages.print_note(f"{escape_nonprintable(file)}: {_UNFINISHED}")
    if fest is None:
        scores = _scores(results, results.plan.rulings, FEST_FILE)
    else:
        scores = _scores(results, fest.config.rulings, fest.where)
    for request in requests:
        _write_report(request, scores, Reveal(reveal))


@command.command("chaffs", cls=Command)
@click.option(
    "--from",
    "program",
    required=True,
    metavar="PROGRAM",
    shell_complete=complete_files,
    help="A wheat: its name, or its folder.",
)
@click.option(
    "--most",
    type=click.IntRange(1, 1000),
    default=10,
    metavar="N",
    help="Make at most N chaffs [10].",
)
@arguments.jobs_option
@arguments.rebuild_option
@_sandbox_option
@arguments.with_execution
def chaffs(program: str, most: int, execution: ExecutionOptions) -> None:
    """Make chaffs from a wheat: xtest fest chaffs --from PROGRAM

    Each chaff is a copy of the wheat with one fault in its outputs, like a mutant of `xtest
    selftest`. The wheat runs on the submitted inputs, to find mutants that change something.
    """
    fest = need_fest()
    session = prepare(fest, test_folders(fest), (Role.WHEAT,), execution)
    for folder, mutant in _make_chaffs(fest, session, program, most, execution):
        what = f"{mutant.where}: {mutant.what}" if mutant.where else mutant.what
        messages.print_lines([escape_nonprintable(f"{os.path.relpath(folder)}  {what}")])


def _scores(results: FestResults, rulings: Sequence[Ruling], where: str) -> FestScores:
    """Return the scores under the rulings of the file `where`. Raises UsageError."""
    try:
        return FestScores(results, rulings)
    except ValueError as problem:
        raise UsageError(f"{where}: {problem}") from None


def _parse_request(word: str) -> ReportRequest:
    """Return the report that NAME=PATH names. Raises UsageError."""
    name, _, path = word.partition("=")
    if name not in FEST_FORMATS:
        hint = did_you_mean(name, list(FEST_FORMATS))
        raise UsageError(f"--to {quote(word)}: unknown report format {quote(name)}; {hint}")
    if not path or (path == STDOUT and FEST_FORMATS[name].is_folder):
        raise UsageError(f"--to {quote(word)}: the path is missing; write {name}=PATH")
    return ReportRequest("--to", name, path)


def _write_report(request: ReportRequest, scores: FestScores, reveal: Reveal) -> None:
    form = FEST_FORMATS[request.name]
    documents = form.documents(scores, reveal)
    if not form.is_folder:
        write_document(request, lambda: iter(documents.values()))
        return
    with usage_errors(str(request), CANNOT_WRITE):
        os.makedirs(request.file, exist_ok=True)
        for name, text in documents.items():
            data = text.encode("utf-8", "backslashreplace")
            write_in(Path(request.file), name, [data], earlier_output(name))


def _run(
    session: FestSession,
    execution: ExecutionOptions,
    collected: FestResults,
    path: str = "",
    cluster: RemotePool | None = None,
) -> ExitCode:
    """Run what the results file `path` does not have yet, and add all events to it.

    Without a path, nothing is written. If results are missing at the end, print why, and return the
    exit status that says so. Raises OSError or InvalidResultsFile.
    """
    fest = FestExecution(session, execution, cluster)
    with closing(ContinuedResultsFile(path, fest_line)) if path else nullcontext() as file:

        def keep(events: Iterable[FestEvent]) -> None:
            for event in events:
                if file is not None:
                    file.write(event)
                collected.add(event)

        keep(fest.opening(path))
        if file is not None:
            file.settle()
        keep(fest.events())
        damage = [] if file is None else find_damage(path, file)
    if damage:
        return messages.print_failures(damage)
    return ExitCode.OK if collected.is_complete else _report_losses(fest.losses)


def _report_losses(losses: Sequence[str]) -> ExitCode:
    """Print why results are missing, and return the exit status that says so."""
    for loss in losses:
        messages.print_message(escape_nonprintable(loss))
    messages.print_message(_INCOMPLETE if losses else f"interrupted: {_INCOMPLETE}")
    return ExitCode.FAULT if losses else ExitCode.INTERRUPTED


# Chaffs.


def _make_chaffs(
    fest: Fest, session: FestSession, program: str, most: int, execution: ExecutionOptions
) -> Iterator[tuple[Path, Mutant]]:
    """Write chaffs; yield the folder and the mutant of each. Raises UsageError."""
    wheat = _find_wheat(fest, session, program)
    target = _target_folder(fest)
    mutants = chaff_mutants(_outputs(session, wheat, execution), most)
    if not mutants:
        raise UsageError(f"{quote(program)}: no mutant changes its output on a submitted input")
    subject = wheat.subject
    assert subject.context is not None
    for number, mutant in enumerate(mutants, 1):
        slug = re.sub("[^a-z0-9]+", "-", f"{mutant.where} {mutant.what}".lower()).strip("-")
        folder = target / f"{_PREFIX}{number:02}-{slug}"[:80]
        with usage_errors(escape_nonprintable(str(folder)), CANNOT_WRITE):
            shutil.copytree(subject.context.own_folder, folder / PROGRAM_FOLDER, symlinks=True)
            write_chaff(folder, mutant, subject.command, fest.config.program[0])
        yield folder, mutant


def _find_wheat(fest: Fest, session: FestSession, program: str) -> Target:
    """Return the wheat with this name or folder. Raises UsageError."""
    folder = os.path.realpath(program)
    for target in session.setup.targets:
        context = target.subject.context
        if target.subject.name == program or (
            context is not None and os.path.realpath(context.own_folder) == folder
        ):
            return target
    raise UsageError(f"--from {quote(program)}: no wheat of {fest.where} has this name or folder")


def _target_folder(fest: Fest) -> Path:
    """Return the folder of `chaffs` in fest.toml. Raises UsageError if chaffs cannot be made."""
    pattern = fest.config.chaffs
    if not isinstance(pattern, str) or os.path.basename(pattern) != "*":
        raise UsageError(f'{fest.where}: chaffs must be a folder and "/*", such as "chaffs/*"')
    if not fest.config.program[0].startswith("./"):
        raise UsageError(f'{fest.where}: program must begin with "./" for chaffs to be made')
    folder = Path(fest.folder, os.path.dirname(pattern))
    made = sorted(folder.glob(f"{_PREFIX}*")) if folder.is_dir() else []
    if made:
        shown = escape_nonprintable(os.path.relpath(made[0]))
        raise UsageError(f"{shown}: already exists; remove {_PREFIX}* first")
    return folder


def _outputs(
    session: FestSession, wheat: Target, execution: ExecutionOptions
) -> Sequence[ReferenceOutput]:
    """Return the outputs of a wheat on all inputs that it answers with JSON, in order."""
    fest = FestExecution(session, execution)
    runs = [planned_run(wheat, place) for place in range(len(session.inputs))]
    by_input = {each.case_index: each.event for each in fest.results(runs)}
    require_all(fest.losses)
    events = [event for _, event in sorted(by_input.items()) if isinstance(event, RunResult)]
    outputs = [*filter(None, map(_output_of, events))]
    if events and not outputs:
        name = quote(wheat.subject.name)
        raise UsageError(f"{name}: no JSON printed on a submitted input: {events[0].message}")
    return outputs


def _output_of(event: RunResult) -> ReferenceOutput | None:
    """Return what a wheat printed in a run, or None if that is not JSON, or not whole."""
    if event.evidence is None or event.exit is None:
        return None
    stdout = event.evidence.stdout
    values, fault = decode(stdout.data)
    is_whole = fault is None and not stdout.is_truncated and not event.verdict.is_limit
    return reference_output(values, event.exit) if is_whole else None
