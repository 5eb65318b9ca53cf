"""`xtest compare`: run subjects on the same inputs and show where they differ.

Which outputs are equal, and which differences are shown, is decided in harness/analysis.
Source: docs/compare.md.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from bisect import insort
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Any, Final, NamedTuple

import click

from harness.analysis.divergence import (
    ComparedInput,
    ComparedOutputs,
    ComparisonTotals,
    SeparatingInput,
    Separation,
    SubjectOutput,
    compare_outputs,
)
from harness.analysis.grouping import OutcomeGroups, OutputGroup
from harness.cli import common
from harness.cli.completers import complete_subjects_or_programs
from harness.cli.sandboxing import choose_sandbox, sandbox_words
from harness.delivery.registry import Delivery
from harness.errors import UsageError
from harness.model.case import Case, Policy
from harness.model.case_names import CaseName, pattern_of
from harness.model.events import Diagnostic, Evidence, Excerpt, ShownDifference
from harness.model.exit_codes import ExitCode
from harness.model.judgement import Judgement
from harness.model.limits import Limit, Limits
from harness.model.sessions import SessionOptions
from harness.model.subject import Subject
from harness.model.transcript import Exited, Job, NotStarted, Signalled, Transcript
from harness.model.verdict import Verdict
from harness.process.killable import KillableQueue, Stopped
from harness.process.loop import EndedRun
from harness.process.process_state import require_open_files
from harness.process.sandbox import run_in
from harness.project.builds import build
from harness.project.config import chosen_subjects
from harness.project.program_lookup import command_line, find_program, no_program_text
from harness.project.subjects import (
    Project,
    find_project,
    matching_suites,
    subject_anywhere,
    subject_on,
)
from harness.project.targets import pair_suites, program_targets
from harness.reports.analysis_json import comparison_json
from harness.reports.terminal.display import display_for
from harness.reports.terminal.groups import separation_lines, subject_lines, sum_lines
from harness.runner import judge_process
from harness.runner.ipc import Records
from harness.runner.plan import PlannedRun, Selection
from harness.runner.selection import select_runs
from harness.runner.session_passes import SessionPasses, passes_in_workers, right_transcript
from harness.suites.bundled import test_cases_folder
from harness.suites.cases import BrokenCase, own_rule, read_case, read_input
from harness.suites.discovery import find_inputs
from harness.suites.loading import Suite, read_suite
from harness.suites.shared_files import suite_variables
from harness.text import (
    did_you_mean,
    escape_ci_commands,
    escape_ci_json,
    escape_nonprintable,
    pluralize,
    quote,
)

__all__ = ["command"]

_MOST_SUBJECTS: Final = 26  # one letter each
_SUBJECT_NAME: Final = re.compile("[^/\\s]+")  # in xtest.toml; a command may look like one
_GLOB: Final = re.compile("[^/\\s]*[*?[][^/\\s]*")  # of such names
_NAME: Final = 60  # characters of a name in a message
_EXAMPLE: Final = "xtest compare 'node a.js' ./b -- SUITE"
_RECORDS: Final = Records(
    *(CaseName, ComparedInput, Transcript, Exited, Signalled, NotStarted, Limit, Limits),
    *(ComparedOutputs, OutputGroup, Judgement, Verdict, Separation, SeparatingInput),
    *(SubjectOutput, Evidence, Excerpt, ShownDifference),
)


class _CompareOptions(NamedTuple):
    """The options of `xtest compare`; subjects and inputs as written on the command line."""

    subjects: tuple[str, ...]
    inputs: tuple[str, ...]
    selection: Selection
    reference: str | None
    jobs: int | None
    wall: float | None
    sandbox: str | None
    shown: tuple[str, ...]
    sessions: SessionOptions
    limit: int
    full: bool


@click.command("compare", context_settings=common.HELP)
@click.argument(
    "subjects", nargs=-1, metavar="SUBJECT...", shell_complete=complete_subjects_or_programs
)
@common.case_options
@click.option(
    "--reference",
    metavar="SUBJECT",
    shell_complete=complete_subjects_or_programs,
    help="This subject is right; the others are compared with it.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=10,
    metavar="N",
    help="Show the N smallest inputs that separate the subjects [10].",
)
@click.option("--full", is_flag=True, help="Show all differences, up to 200 per pair of groups.")
@common.format_option()
@common.jobs_option
@common.wall_option
@common.sandbox_options
@common.session_options
@click.pass_obj
def command(inputs: tuple[str, ...] | None, /, form: str, **options: Any) -> int:
    """Show where programs differ: xtest compare 'node a.js' ./b [SUBJECT]... -- SUITE|FOLDER...

    Every SUBJECT (a command in one shell word; a name, a glob or @TAG of xtest.toml) gets every
    input. Expected outputs are not needed: inputs with different outputs are shown, the smallest
    first.
    """
    if not inputs:
        raise UsageError(f"compare requires a suite or a folder of inputs after --: {_EXAMPLE}")
    asked = _CompareOptions(inputs=inputs, **options)
    project = find_project() if any(map(_SUBJECT_NAME.fullmatch, asked.subjects)) else None
    comparison = _Comparison(asked, _subjects(asked, project), project)
    interrupted = False
    try:
        comparison.run()
    except KeyboardInterrupt:
        interrupted = True  # still print what was found
    _show_progress("")
    totals = comparison.totals(interrupted=interrupted)
    _print(totals, asked, as_json=form == "json")
    if interrupted:
        return ExitCode.INTERRUPTED
    if totals.problems or not totals.agreement.inputs:
        return ExitCode.FAULT
    return ExitCode.FAILED if totals.separating else ExitCode.OK


def _subjects(options: _CompareOptions, project: Project | None) -> list[Subject]:
    """Return the subjects, the reference first."""
    given = options.subjects
    twice = next((word for word in given if given.count(word) > 1), None)
    if twice is not None:
        raise UsageError(
            f"{escape_nonprintable(twice)}: named twice; to see whether a program is flaky, use"
            " xtest run --repeat"
        )
    words = list(given) if project is None else _expanded(project, given)
    if len(words) < 2:
        raise UsageError(
            f"compare requires two subjects or more, each in one shell word: {_EXAMPLE}"
        )
    if len(words) > _MOST_SUBJECTS:
        raise UsageError(f"{len(words)} subjects: at most {_MOST_SUBJECTS} can be compared")
    if options.reference is not None:
        if options.reference not in words:
            hint = did_you_mean(options.reference, words)
            raise UsageError(
                f"--reference {quote(options.reference, _NAME)}: not one of the subjects; {hint}"
            )
        words.remove(options.reference)
        words.insert(0, options.reference)
    return [*_looked_up(words, project)]


def _expanded(project: Project, words: Sequence[str]) -> list[str]:
    """Replace @TAG and globs by the names of subjects of xtest.toml. Raises UsageError."""
    names: dict[str, None] = {}
    for word in words:
        if word.startswith("@") or _GLOB.fullmatch(word):
            found = chosen_subjects(project.config, (word,))
            names |= dict.fromkeys(subject.name for subject in found)
        else:
            names[word] = None
    return list(names)


def _looked_up(words: Sequence[str], project: Project | None) -> Iterator[Subject]:
    """Resolve the words of the command line to subjects, and build those of xtest.toml."""
    named = {}
    if project is not None:
        named = {name: subject_anywhere(project, one) for name, one in project.by_name.items()}
        for fault in build(project, [word for word in words if word in named]).values():
            raise UsageError(fault)
    for word in words:
        # Its folder and command line depend on the suite: see _placed.
        yield named[word] if word in named else _subject(word)


def _subject(word: str) -> Subject:
    """Return the subject for a command line in one shell word. Raises UsageError."""
    try:
        argv = tuple(shlex.split(word))
    except ValueError as problem:
        reason = str(problem).lower()
        raise UsageError(f"{quote(word, _NAME)}: not a command line: {reason}") from None
    if not argv:
        raise UsageError(f"{quote(word, _NAME)}: an empty command cannot be run")
    program = find_program(argv[0])
    if program is None:
        raise UsageError(no_program_text(argv[0]))
    _check_program(argv[0], program)
    return Subject(word, argv)


def _check_program(name: str, path: str) -> None:
    # Otherwise subjects that cannot start would all have the same outcome.
    if not os.access(path, os.X_OK):
        what = "not executable" if os.path.exists(path) else "no such file"
        raise UsageError(f"{escape_nonprintable(name)}: {what}")


# Running the subjects.


@dataclass(slots=True)
class _Unit:
    """One input in progress, and the runs of the subjects so far, by their numbers."""

    place: int
    planned: PlannedRun
    stdin: bytes
    policy: Policy
    runs: dict[int, tuple[Transcript, Limits]] = field(default_factory=dict)


class _Comparison:  # pylint: disable=too-many-instance-attributes  # what runs, and what was found
    """Run all inputs. Full outputs are kept only for the smallest inputs that separate subjects."""

    def __init__(
        self, options: _CompareOptions, subjects: list[Subject], project: Project | None
    ) -> None:
        inputs = options.inputs
        if not all(map(os.path.exists, inputs)):
            inputs = matching_suites(inputs)
        # The subject of a target is not used: a plan needs one.
        suites = find_inputs(inputs, test_cases_folder())
        targets, problems = pair_suites(
            suites, program_targets, lambda found: read_suite(found.name, found.folder, inputs=True)
        )
        selected = select_runs(targets, options.selection, (Delivery.PLAIN,), "")
        self._options = options
        self._project = project
        self._configs = {} if project is None else project.by_name
        self._subjects = subjects
        self._plan = selected.plan
        self._suites = {target.suite.name: target.suite for target in targets}
        self._sandbox = choose_sandbox(
            options.sandbox, [target.suite for target in targets], subjects, (), options.shown
        )
        self._settled = SessionPasses({}, [], [])
        self._agreement = OutcomeGroups(len(subjects))
        self._separating: list[tuple[int, int, SeparatingInput]] = []
        # The smallest of them, with their sizes and places.
        self._shown: list[tuple[tuple[int, int], Separation]] = []
        self.problems = [*problems, *selected.problems]

    def run(self) -> None:
        parallel = self._options.jobs or os.cpu_count() or 1
        self._settled = self._in_sessions()
        require_open_files(parallel)
        queue = KillableQueue[_Unit, tuple[_Unit, bytes | Stopped]](
            self._answer, judge_process.BOUNDS, lambda unit, answer: (unit, answer)
        )
        runs = run_in(
            *(self._sandbox, self._jobs(), parallel, dict(os.environ)),
            sole_parent=True,
            background=queue,
        )
        # Closed explicitly: an exception would keep subjects running as long as its traceback.
        with closing(queue), closing(runs):
            for ended in runs:
                if not isinstance(ended, EndedRun):
                    self._settle(*ended)
                    continue
                (unit, number, limits), transcript = ended
                unit.runs[number] = transcript, limits
                if len(unit.runs) == len(self._subjects):
                    queue.submit(unit, partial(self._request, unit))

    def totals(self, *, interrupted: bool) -> ComparisonTotals:
        return ComparisonTotals(
            subjects=tuple(subject.name for subject in self._subjects),
            has_reference=self._options.reference is not None,
            agreement=self._agreement,
            separating=[of for _, _, of in sorted(self._separating, key=lambda each: each[:2])],
            shown=[shown for _, shown in self._shown],
            problems=self.problems,
            interrupted=interrupted,
        )

    def _in_sessions(self) -> SessionPasses:
        """Run what subjects can settle in sessions: cases with a right output."""
        runs = [
            planned._replace(
                target=planned.target._replace(subject=self._placed(subject, suite)[0])
            )
            for subject in self._subjects
            if subject.name in self._configs and self._configs[subject.name].session is not None
            for planned in self._plan
            for suite in (planned.target.suite,)
        ]
        options = self._options
        settled = passes_in_workers(
            *(runs, options.sessions),
            parallel=options.jobs,
            wall_s=options.wall,
            sandbox=self._sandbox,
        )
        for finding in settled.findings:
            self.problems.append(Diagnostic(finding.where, finding.message))
        return settled

    def _jobs(self) -> Iterator[tuple[tuple[_Unit, int, Limits], Job | Transcript]]:
        placed: dict[str, list[tuple[Subject, tuple[str, ...]]]] = {}
        for place, planned in enumerate(self._plan):
            suite = planned.target.suite
            try:
                stdin = read_input(suite, planned.name, planned.at)
            except BrokenCase as flaw:
                where = f"{suite.name}/{planned.name.text}"
                self.problems.append(Diagnostic(where, str(flaw)))
                continue
            if suite.name not in placed:
                placed[suite.name] = [self._placed(subject, suite) for subject in self._subjects]
            unit = _Unit(place, planned, stdin, suite.settings.policy_for(planned.name)[0])
            for number, (subject, argv) in enumerate(placed[suite.name]):
                limits = self._limits(subject, unit.policy.limits)
                settled = self._settled_run(planned, subject)
                job = Job(argv, stdin, limits, None, subject.context)
                job = job._replace(variables=suite_variables(suite.folder))
                yield (unit, number, limits), settled or job

    def _limits(self, subject: Subject, limits: Limits) -> Limits:
        own: dict[str, Any] = dict(subject.limits)
        if self._options.wall is not None:
            own["wall_s"] = self._options.wall
        return limits._replace(**own)

    def _settled_run(self, planned: PlannedRun, subject: Subject) -> Transcript | None:
        """Return what stands for a run if it passed in a session."""
        planned = planned._replace(target=planned.target._replace(subject=subject))
        if self._settled.has(planned):
            case = read_case(planned.target.suite, planned.name, planned.at)
            if isinstance(case, Case):
                return right_transcript(case, planned)
        return None

    def _placed(self, subject: Subject, suite: Suite) -> tuple[Subject, tuple[str, ...]]:
        """Return a subject as it runs on a suite, and its command line. Raises UsageError."""
        config = self._configs.get(subject.name)
        if self._project is not None and config is not None:
            subject = subject_on(self._project, config, suite)
            name = subject.command[0]
            if subject.context is not None and "/" in name:
                _check_program(name, os.path.join(subject.context.folder, name))
        argv = command_line(subject)
        if isinstance(argv, str):
            raise UsageError(argv)
        return subject, argv

    def _request(self, unit: _Unit) -> bytes:
        planned = unit.planned
        order, most = (len(unit.stdin), unit.place), self._options.limit
        is_shown = len(self._shown) < most or order < self._shown[-1][0]
        ordered = [unit.runs[number] for number in sorted(unit.runs)]
        compared = ComparedInput(
            planned.target.suite.name,
            planned.name.text,
            unit.stdin,
            tuple(transcript for transcript, _ in ordered),
            tuple(limits for _, limits in ordered),
            self._repeat(planned) if is_shown else (),
        )
        return _RECORDS.pack((planned.name, planned.at, compared))

    def _answer(self, request: bytes) -> bytes:
        """Compare the outputs for an input; called in another process."""
        name, at, compared = _RECORDS.unpack(request)
        suite = self._suites[compared.suite]
        policy = suite.settings.policy_for(name)[0]
        has_several = suite.settings.has_alternatives(name, own_rule(suite, name, at))
        case = read_case(suite, name, at) if has_several else None
        right = case.alternatives if isinstance(case, Case) else ()
        return _RECORDS.pack(compare_outputs(compared, policy, right))

    def _settle(self, unit: _Unit, answer: bytes | Stopped) -> None:
        suite, case, size = unit.planned.target.suite.name, unit.planned.name.text, len(unit.stdin)
        if isinstance(answer, Stopped):
            reason = f"comparing stopped {answer.reason}"
            self.problems.append(Diagnostic(f"{suite}/{case}", reason))
            return
        answers, groups, details = _RECORDS.unpack(answer)
        self._agreement.add(answers, groups)
        if len(groups) > 1:
            of = SeparatingInput(suite, case, size, groups)
            self._separating.append((size, unit.place, of))
            if details is not None:
                insort(self._shown, ((size, unit.place), details), key=itemgetter(0))
                del self._shown[self._options.limit :]
        count = pluralize(self._agreement.inputs, "input")
        _show_progress(f"{count}, {len(self._separating):,} of them separating")

    def _repeat(self, planned: PlannedRun) -> tuple[str, ...]:
        options, argument = self._options, planned.target.argument
        words = ["xtest", "compare", *options.subjects, "--case", pattern_of(planned.name)]
        if options.reference is not None:
            words += ["--reference", options.reference]
        if options.wall is not None:
            words += ["--wall", repr(options.wall).removesuffix(".0")]
        words += sandbox_words(options.sandbox, options.shown)
        return (*words, "--", argument)


# Showing.


def _show_progress(text: str) -> None:
    """Replace the progress line on a terminal; print nothing elsewhere."""
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)


def _print(compared: ComparisonTotals, options: _CompareOptions, *, as_json: bool) -> None:
    if as_json:
        print(escape_ci_json(json.dumps(comparison_json(compared))))
        return
    display = display_for(sys.stdout, full=options.full)
    shown = (separation_lines(each, display) for each in compared.shown)
    sums = sum_lines(compared, options.limit, display.style)
    for line in chain(subject_lines(compared, display.style), *shown, sums):
        print(escape_ci_commands(line))
