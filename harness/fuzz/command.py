"""`xtest fuzz`: find inputs on which programs disagree. Source: docs/howto/fuzz.md."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from harness.delivery.registry import Delivery
from harness.errors import UsageError
from harness.fuzz.campaign import Campaign, Ranges, run_campaign
from harness.fuzz.items import FuzzSettings, Lane
from harness.fuzz.making import Inputs, make_inputs
from harness.fuzz.report import (
    RUNS,
    SavedCases,
    SuiteCampaign,
    branch_lines,
    events,
    finding_lines,
    missing_lines,
    save_cases,
)
from harness.fuzz.workload import FuzzWorkload
from harness.model.case import InputKind
from harness.model.sessions import SessionMode
from harness.options import arguments, messages
from harness.options.arguments import ExecutionOptions
from harness.options.command import Command, require_command
from harness.options.completers import complete_files, complete_subjects
from harness.options.new_cases import suite_to_extend
from harness.options.runs import open_results
from harness.options.setup import Setup, require_programs, set_up
from harness.options.targets import find_targets
from harness.project.subjects import need_project
from harness.project.targets import Target
from harness.reports.text.display import display_for, style_and_width
from harness.results.results_file import find_damage
from harness.text import did_you_mean, escape_nonprintable, pluralize, quote, shell_line, wrap

_SESSION_BATCH: Final = 250, 500  # least and most inputs of an item
_ITEMS: Final = 8  # at least, if there are enough inputs
_TIMED_BATCH: Final = 100  # ... with --seconds, which cuts off items
_FRESH_BATCH: Final = 10
_INPUTS: Final = 1_000
_MOST_INPUTS: Final = 10_000_000
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class FuzzOptions(NamedTuple):
    """The options of `xtest fuzz` and `xtest shrink`, but for those on execution."""

    suites: tuple[str, ...]
    subjects: tuple[str, ...]
    reference: str | None = None
    inputs: int | None = None
    seconds: float | None = None
    input_seed: int | None = None
    examples: int = 3
    invalid: bool = False
    to: str = ""
    results: str = ""
    append: bool = False


reference_option = click.option(
    "--reference",
    metavar="NAME",
    shell_complete=complete_subjects,
    help="The subject of xtest.toml that is right.",
)


@click.command("fuzz", cls=Command, takes_command=True)
@arguments.required_suites_argument
@arguments.subject_option
@reference_option
@click.option(
    "--inputs",
    type=click.IntRange(1, _MOST_INPUTS),
    metavar="N",
    help="Make N inputs [1000, or as many as --seconds allows].",
)
@click.option("--seconds", type=arguments.Seconds(), metavar="S", help="Make inputs for S seconds.")
@click.option(
    "--seed",
    "input_seed",
    type=click.IntRange(0, 2**32 - 1),
    metavar="N",
    help="Make the inputs of an earlier run.",
)
@click.option(
    "--examples",
    type=click.IntRange(1, 100),
    default=3,
    metavar="N",
    help="Show at most N inputs of each cause [3].",
)
@click.option("--invalid", is_flag=True, help="Also break the schema, in one place.")
@click.option(
    "--to",
    default="",
    metavar="SUITE",
    shell_complete=complete_files,
    help="Save what is found as cases of this folder.",
)
@arguments.results_option("Write the findings to FILE as a run, for reports.")
@arguments.append_option
@arguments.execution_options
@arguments.session_mode_option
@arguments.cluster_options
@click.pass_obj
@arguments.with_execution
def command(
    subject: tuple[str, ...] | None, /, *, execution: ExecutionOptions, **values: Any
) -> int:
    """Find inputs on which programs disagree: xtest fuzz SUITE --subject A --subject B

    With `-- COMMAND`, or one subject: crashes, timeouts, output that is not JSON or breaks the
    output schema, and answers that change from run to run or with the delivery. Inputs follow the
    input schema of the suite, or the shapes of its inputs.
    """
    options = FuzzOptions(**values)
    if options.input_seed is None:
        options = options._replace(input_seed=random.SystemRandom().randrange(2**32))
    suites, setup = prepare(options, subject, execution, "fuzz")
    file = open_results(options.results, appends=options.append) if options.results else None
    with nullcontext() if file is None else closing(file), suite_for_findings(options) as options:
        campaigns = list(_campaigns(suites, setup, options, execution))
        if file is not None:
            repeat = _repeat_command(suites, options)
            for event in events(campaigns, repeat, has_reference=options.reference is not None):
                file.write(event)
            messages.print_failures(find_damage(options.results, file))
    return max(each.campaign.status for each in campaigns)


@contextmanager
def suite_for_findings(options: FuzzOptions) -> Iterator[FuzzOptions]:
    """Provide the options with the folder of the suite of --to, created if necessary.

    Raises UsageError before anything runs.
    """
    if not options.to:
        yield options
        return
    with suite_to_extend(options.to) as suite:
        yield options._replace(to=str(suite.folder))


def _campaigns(
    suites: Sequence[Sequence[Target]],
    setup: Setup,
    options: FuzzOptions,
    execution: ExecutionOptions,
) -> Iterator[SuiteCampaign]:
    """Run a campaign for each suite, up to an interrupted one."""
    seed = options.input_seed or 0
    made = [make_inputs(each[0].suite, seed, is_invalid=options.invalid) for each in suites]
    for targets, inputs in zip(suites, made, strict=True):
        campaign = _fuzz(targets, inputs, setup, options, execution)
        yield SuiteCampaign(targets, campaign)
        if campaign.interrupted:
            return


def prepare(
    options: FuzzOptions,
    command_words: tuple[str, ...] | None,
    execution: ExecutionOptions,
    verb: str,
) -> tuple[list[list[Target]], Setup]:
    """Return the targets of each suite, the reference first. Raises UsageError."""
    require_command(command_words)
    wanted = options.subjects
    if options.reference is not None:
        _check_reference(options.reference, command_words)
        wanted = (*wanted, options.reference) if wanted else ()
    found = find_targets(options.suites, command_words, wanted, verb=verb)
    setup = set_up(found, execution)
    require_programs(setup)
    messages.print_problems(found.problems)
    if found.problems:
        raise UsageError("nothing was run")
    by_suite: dict[str, list[Target]] = {}
    for target in setup.targets:
        by_suite.setdefault(target.suite.name, []).append(target)
    for name, targets in by_suite.items():
        names = [target.subject.name for target in targets]
        if options.reference is not None:
            if options.reference not in names or len(names) < 2:
                raise UsageError(
                    f"--reference {quote(options.reference)}: must be a subject of {quote(name)},"
                    " beside others"
                )
            targets.sort(key=lambda target: target.subject.name != options.reference)
        settings = targets[0].suite.settings
        kinds = {settings.policy_for(each)[1] for each in targets[0].suite.names}
        if kinds == {InputKind.RAW}:
            raise UsageError(f"{quote(name)}: its inputs are raw bytes; fuzz makes JSON")
    return list(by_suite.values()), setup


def _check_reference(name: str, command_words: tuple[str, ...] | None) -> None:
    """Raise UsageError unless --reference names a subject of xtest.toml."""
    option = f"--reference {quote(name)}"
    if command_words is not None:
        raise UsageError(f"{option}: cannot be combined with a command after --")
    project = need_project(option)
    known = [subject.name for subject in project.config.subjects]
    if name not in known:
        raise UsageError(
            f"{project.where}: {option}: no subject has this name; {did_you_mean(name, known)}"
        )


def workload(
    targets: Sequence[Target],
    setup: Setup,
    options: FuzzOptions,
    execution: ExecutionOptions,
    made: Inputs,
    *,
    existing: tuple[bytes, ...] = (),
) -> FuzzWorkload:
    """Return the workload of a suite: a lane for each subject, or repetitions of a single one."""
    lanes = tuple(Lane(number) for number in range(len(targets)))
    if len(targets) == 1:
        lanes = (Lane(0), Lane(0), Lane(0, Delivery.PRETTY, is_sample=True))
    settings = FuzzSettings(
        lanes,
        options.input_seed or 0,
        options.invalid,
        len(targets) == 1,
        execution.wall,
        execution.sessions.mode,
        existing,
    )
    return FuzzWorkload(targets, setup.sandbox, settings, made.maker)


def _fuzz(
    targets: Sequence[Target],
    made: Inputs,
    setup: Setup,
    options: FuzzOptions,
    execution: ExecutionOptions,
) -> Campaign:
    work = workload(targets, setup, options, execution, made)
    inputs = options.inputs or (_MOST_INPUTS if options.seconds else _INPUTS)
    with setup.cluster as cluster:
        campaign = run_campaign(
            work,
            Ranges(inputs, _batch_size(work, inputs, is_timed=options.seconds is not None)),
            execution,
            cluster,
            examples=options.examples,
            seconds=options.seconds,
        )
    conclude(campaign, targets, options, repeat=_repeat_command([targets], options))
    print_summary(campaign, options, made)
    return campaign


def _batch_size(work: FuzzWorkload, inputs: int, *, is_timed: bool) -> int:
    has_sessions = all(target.subject.session is not None for target in work.targets)
    if not has_sessions or work.settings.session_mode is SessionMode.OFF:
        return _FRESH_BATCH
    least, most = _SESSION_BATCH
    return _TIMED_BATCH if is_timed else min(most, max(least, inputs // _ITEMS))


def conclude(
    campaign: Campaign,
    targets: Sequence[Target],
    options: FuzzOptions,
    *,
    repeat: tuple[str, ...],
    case: str = "",
) -> None:
    """Show the findings, and write what --to asks for."""
    name, has_reference = targets[0].suite.name, options.reference is not None
    letters = list(_LETTERS[: max(len(targets), len(RUNS))])
    messages.print_lines(_subject_lines(letters, targets, options))
    display = display_for(sys.stdout)
    messages.print_lines(
        finding_lines(campaign, letters, display, suite=name, case=case, repeat=repeat)
    )
    if options.to:
        try:
            saved = save_cases(Path(options.to), campaign.confirmed, has_reference=has_reference)
        except UsageError as problem:
            campaign.losses.append(str(problem))
        else:
            messages.print_lines(_saved_lines(saved, options.to))
    for loss in dict.fromkeys(campaign.losses):
        messages.print_message(escape_nonprintable(loss))


def _saved_lines(saved: SavedCases, to: str) -> Iterator[str]:
    """Return lines on the cases that were saved, and what to do about missing outputs."""
    folder = escape_nonprintable(to)
    present = f"; {saved.present:,} were there" if saved.present else ""
    yield f"{pluralize(saved.written, 'case')} saved in {folder}{present}"
    if saved.unanswered:
        remedy = shell_line(("xtest", "accept", to, "--missing", "--", "PROGRAM"))
        number = "all" if saved.unanswered == saved.written else f"{saved.unanswered:,}"
        yield f"{number} without an output, as nothing says which is right: {remedy} writes it"


def _subject_lines(
    letters: Sequence[str], targets: Sequence[Target], options: FuzzOptions
) -> Iterator[str]:
    for letter, target in zip(letters, targets, strict=False):
        note = " (the reference)" if options.reference == target.subject.name else ""
        yield f"{letter}  {escape_nonprintable(target.subject.shown)}{note}"
    if len(targets) == 1:
        for letter, run in zip(letters[1:], RUNS[1:], strict=False):
            yield f"{letter}  {run}"


def print_summary(campaign: Campaign, options: FuzzOptions, made: Inputs) -> None:
    found = pluralize(len(campaign.findings), "cause") if campaign.findings else "nothing found"
    if not campaign.inputs:
        found = "nothing was run"
    speed = f", {campaign.speed}" if campaign.inputs else ""
    more = f" and {campaign.more_causes:,} more" if campaign.more_causes else ""
    where = "the shapes of its inputs" if made.is_learned else "its input schema"
    lines = [""]
    if campaign.gave_up:
        lines.append(
            f"ended early, as all of the first {pluralize(campaign.inputs, 'input')} reached a"
            " limit: --wall, or [limits] of suite.toml"
        )
    if campaign.missing:
        number = pluralize(campaign.missing, "input")
        lines.append(f"{number} could not be made from {where}{made.maker.why_missing()}")
    if campaign.brief_timeouts:
        lines.append(f"{pluralize(campaign.brief_timeouts, 'timeout')} did not occur again")
    if 0 < campaign.inputs <= made.maker.existing:
        own = pluralize(made.maker.existing, "input")
        lines.append(f"nothing was made, as the suite's own inputs come first ({own})")
    elif campaign.inputs and not made.is_learned and not campaign.gave_up:
        lines += branch_lines(made.schema, campaign.hits)
    if not made.is_learned:
        lines += missing_lines(made.schema)
    lines.append(
        f"{pluralize(campaign.inputs, 'input')} from {where}{speed}, seed {options.input_seed}:"
        f" {found}{more}"
    )
    _, width = style_and_width(sys.stdout)
    messages.print_lines(part for line in lines for part in wrap(line, width))


def subject_words(options: FuzzOptions) -> list[str]:
    """Return the options that name the subjects and the reference."""
    words = [word for name in dict.fromkeys(options.subjects) for word in ("--subject", name)]
    return [*words, *(() if options.reference is None else ("--reference", options.reference))]


def _repeat_command(suites: Sequence[Sequence[Target]], options: FuzzOptions) -> tuple[str, ...]:
    arguments_of = dict.fromkeys(targets[0].argument for targets in suites)
    words = ["xtest", "fuzz", *arguments_of, *subject_words(options)]
    words += ("--seed", str(options.input_seed))
    if options.inputs and options.seconds is None:
        words += ("--inputs", str(options.inputs))
    if options.invalid:
        words.append("--invalid")
    if not options.subjects and len(suites[0]) == 1:
        words += ("--", *suites[0][0].subject.command)
    return tuple(words)
