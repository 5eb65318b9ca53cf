"""Format the findings of a campaign: as lines of text, as cases, and as events of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.files import read_regular
from harness.fuzz.campaign import Campaign, CauseFinding, Example
from harness.fuzz.causes import Cause
from harness.fuzz.schema import CompiledSchema
from harness.jsonio.pointers import describe_place
from harness.model.compared import GroupOutput, SeparatingInput
from harness.model.events import (
    Diagnostic,
    Event,
    Evidence,
    Excerpt,
    RunEnded,
    RunResult,
    RunStarted,
)
from harness.model.exit_codes import ExitCode
from harness.model.subject import SubjectInfo
from harness.model.verdict import Verdict
from harness.options.new_cases import write_case
from harness.project.targets import Target
from harness.reports.terminal.compare import separation_lines
from harness.reports.text.display import Display, neutral
from harness.reports.text.events import label_line, one_line, room_for_text
from harness.text import escape_nonprintable, pluralize, shorten
from harness.version import VERSION

RUNS: Final = ("a run", "a second run", "a run with the pretty delivery")  # of one program
_MOST_MISSED: Final = 12  # branches that are listed
_ROOM: Final = 200  # characters of an input in a message
_UNKNOWN: Final = "interrupted before it was confirmed and shrunk"
_UNREPEATED: Final = "interrupted before it was repeated: other programs may have slowed it down"
_UNSEEN: Final = "not in fresh processes: it depends on a session, or changes from run to run"


def cause_text(cause: Cause, letters: Sequence[str]) -> str:
    """Return a cause in words; `letters` stand for what is compared."""
    last = len(letters) - 1  # a single program's runs and deliveries may share one
    groups = " | ".join(
        " ".join(dict.fromkeys(letters[min(each, last)] for each in group))
        for group in cause.groups
        if len(cause.groups) > 1
    )
    kinds = "; ".join(kind or "answers" for kind in cause.kinds)
    found = _with_place(cause, kinds if any(cause.kinds) else "")
    return f"{groups}  {found}" if groups else found


def _with_place(cause: Cause, kinds: str) -> str:
    """Return how outputs failed, and where they differ."""
    words = kinds.replace("exit-status", "exit status")
    where = describe_place(cause.place, alone=True) or "the whole output"
    place = f"at {where}" if cause.change or cause.place else ""
    one, _, other = cause.change.partition(" or ")
    change = f"({one if one == other else cause.change})" if cause.change else ""
    return " ".join(filter(None, (words, place, change)))


def finding_lines(
    campaign: Campaign,
    letters: Sequence[str],
    display: Display,
    *,
    suite: str,
    case: str,
    repeat: Sequence[str],
) -> Iterator[str]:
    """Return the lines of all findings, each with its examples.

    These are named by their numbers, or as the `case` of the suite.
    """
    style = display.style
    for finding in campaign.findings:
        text = escape_nonprintable(shorten(cause_text(finding.cause, letters), display.width))
        yield ""
        yield f"{style(text, 'strong')}  {pluralize(finding.inputs, 'input')}"
        if not finding.examples:
            data = finding.smallest.stdin
            text = one_line(Excerpt(data, len(data)), room_for_text(display))
            yield label_line("input", text, style)
            yield label_line("note", _why_no_example(finding), style)
        for example in finding.examples:
            of = SeparatingInput(
                suite, case or str(example.number), len(example.stdin), finding.cause.groups
            )
            shown = example.details._replace(of=of, repeat=tuple(repeat))
            yield from list(separation_lines(shown, display._replace(style=neutral(style))))[1:]


def _why_no_example(finding: CauseFinding) -> str:
    if not finding.is_unknown:
        return _UNSEEN
    return _UNREPEATED if finding.cause.has_timeout else _UNKNOWN


def branch_lines(schema: CompiledSchema, hits: set[int]) -> Iterator[str]:
    """Return how many branches of a schema were hit, and which were not."""
    missed = [where for where, number in schema.branches.items() if number not in hits]
    if schema.branches:
        total = len(schema.branches)
        line = f"branches of the schema: {total - len(missed):,} of {total:,} hit"
        shown = ", ".join(missed[:_MOST_MISSED])
        more = f" and {len(missed) - _MOST_MISSED:,} more" if len(missed) > _MOST_MISSED else ""
        yield f"{line}; never: {shown}{more}" if missed else line


def missing_lines(schema: CompiledSchema) -> Iterator[str]:
    """Return the parts of a schema for which nothing can be generated."""
    for word, where in schema.unknown.items():
        yield f"{escape_nonprintable(word)} at {where}: cannot be generated, and is not checked"
    for word, where in schema.too_large.items():
        yield f"{word} at {where}: too large to be generated"


def case_names(findings: Sequence[CauseFinding]) -> Iterator[tuple[str, CauseFinding, Example]]:
    """Yield a name for each example: its cause, and a number."""
    counts: dict[str, int] = {}
    for finding in findings:
        for example in finding.examples:
            slug = finding.cause.slug
            counts[slug] = counts.get(slug, 0) + 1
            yield f"{slug}-{counts[slug]}", finding, example


def right_group(finding: CauseFinding, *, has_reference: bool) -> int | None:
    """Return the group whose output is right: of the reference, or of the majority."""
    groups = finding.cause.groups
    if has_reference:
        return 0
    sizes = sorted((len(group) for group in groups), reverse=True)
    if len(sizes) > 1 and sizes[0] > sizes[1]:
        return next(n for n, group in enumerate(groups) if len(group) == sizes[0])
    return None


class SavedCases(NamedTuple):
    """The number of cases that were written, of those without an output, and of those that were
    there before."""

    written: int = 0
    unanswered: int = 0
    present: int = 0


def save_cases(
    folder: Path, findings: Sequence[CauseFinding], *, has_reference: bool
) -> SavedCases:
    """Write each example as a case that is not there. Raises UsageError."""
    known = {read_regular(path) for path in sorted(folder.glob("*-in.json"))}
    saved = SavedCases()
    for name, finding, example in case_names(findings):
        if example.stdin in known:
            saved = saved._replace(present=saved.present + 1)
            continue
        stem, _, number = name.rpartition("-")
        count = int(number)
        while (folder / f"{stem}-{count}-in.json").exists():
            count += 1
        known.add(example.stdin)
        files = {f"{stem}-{count}-in.json": example.stdin}
        right = right_group(finding, has_reference=has_reference)
        output = None if right is None else example.details.outputs[right]
        if output is not None and not output.failed and not output.evidence.stdout.is_truncated:
            files[f"{stem}-{count}-out.json"] = output.evidence.stdout.data
        write_case(folder, files)
        lacks = int(len(files) == 1)
        saved = saved._replace(written=saved.written + 1, unanswered=saved.unanswered + lacks)
    return saved


class SuiteCampaign(NamedTuple):
    """The campaign of a suite for its targets."""

    targets: Sequence[Target]
    campaign: Campaign

    @property
    def suite(self) -> str:
        return self.targets[0].suite.name


def events(
    campaigns: Sequence[SuiteCampaign], command_line: tuple[str, ...], *, has_reference: bool
) -> Iterator[Event]:
    """Yield a run in which each example is a case, failed by all but the reference or majority.

    Its problems are the findings without an example, and why inputs are missing.
    """
    results = [
        result for each in campaigns for result in _run_results(each, has_reference=has_reference)
    ]
    subjects = {
        target.subject.name: target.subject for each in campaigns for target in each.targets
    }
    yield RunStarted(
        VERSION,
        datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        tuple(each.suite for each in campaigns),
        len(results),
        1,
        subjects=tuple(
            SubjectInfo(name, subject.command, title=subject.title)
            for name, subject in subjects.items()
        ),
        command_line=command_line,
    )
    yield from results
    for each in campaigns:
        yield from (Diagnostic(each.suite, text) for text in _problems(each))
    counts = Counter(result.verdict.value for result in results)
    wall_s = sum(each.campaign.wall_s for each in campaigns)
    status = max(each.campaign.status for each in campaigns)
    yield RunEnded(counts, wall_s, status, status is ExitCode.INTERRUPTED)


def _problems(of: SuiteCampaign) -> Iterator[str]:
    subjects = [target.subject.name for target in of.targets]
    for finding in of.campaign.findings:
        if not finding.examples:
            data = finding.smallest.stdin
            text = one_line(Excerpt(data, len(data)), _ROOM)
            cause = " ".join(cause_text(finding.cause, subjects).split())
            yield f"{cause}: {_why_no_example(finding)}; the input: {text}"
    yield from dict.fromkeys(of.campaign.losses)


def _run_results(of: SuiteCampaign, *, has_reference: bool) -> Iterator[RunResult]:
    subjects = [target.subject.name for target in of.targets]
    for name, finding, example in case_names(of.campaign.findings):
        if len(subjects) == 1:
            yield _result_of_program(of.suite, name, subjects[0], finding.cause, example)
            continue
        right = right_group(finding, has_reference=has_reference)
        outputs = example.details.outputs
        for number, group in enumerate(finding.cause.groups):
            is_right = number == right and len(outputs) > 1 and not outputs[number].failed
            evidence = _evidence_beside(outputs, number, right, subjects)
            for member in group:
                yield RunResult(
                    *(of.suite, name, subjects[member], "plain"),
                    Verdict.PASSED if is_right else _verdict(finding.cause.kinds[number]),
                    "" if is_right else _message(finding.cause, subjects, number, right),
                    evidence=None if is_right else evidence,
                )


def _evidence_beside(
    outputs: Sequence[GroupOutput], number: int, right: int | None, subjects: Sequence[str]
) -> Evidence:
    """Return the evidence of a group, with the output that it is compared with: the right one, or
    that of another group, under the name of its first subject."""
    evidence = outputs[number].evidence
    other = right if right is not None else int(number == 0)
    if other == number or other >= len(outputs):
        return evidence
    is_expected = right is not None and not outputs[right].failed
    name = "" if is_expected else subjects[outputs[other].members[0]]
    return evidence._replace(expected=outputs[other].evidence.stdout, expected_by=name)


def _result_of_program(
    suite: str, name: str, subject: str, cause: Cause, example: Example
) -> RunResult:
    """Return the result of a single program: its failure, or that two of its runs differ."""
    outputs, delivery = example.details.outputs, Delivery.PLAIN
    if len(outputs) == 1:
        evidence, message = outputs[0].evidence, cause_text(cause, [subject])
    else:
        one, other = (group[0] for group in cause.groups[:2])
        is_repeated = other == 1
        delivery = Delivery.PLAIN if is_repeated else Delivery.PRETTY
        how = "from run to run" if is_repeated else "with the delivery"
        kinds = "; ".join(kind or "answers" for kind in cause.kinds) if any(cause.kinds) else ""
        message = f"changes {how}: {_with_place(cause, kinds)}"
        evidence = outputs[1].evidence._replace(
            expected=outputs[0].evidence.stdout, expected_by=RUNS[one]
        )
    kind = next(filter(None, cause.kinds), "")
    return RunResult(
        suite, name, subject, delivery.value, _verdict(kind), message, evidence=evidence
    )


def _message(cause: Cause, subjects: Sequence[str], number: int, right: int | None) -> str:
    """Return why a group fails: what it does unlike the right one, or unlike all others."""
    if number == right:
        return cause_text(cause, subjects)
    others = [
        subjects[each]
        for index, group in enumerate(cause.groups)
        if index != number and right in (None, index)
        for each in group
    ]
    return f"unlike {', '.join(others)}: {_with_place(cause, cause.kinds[number])}"


def _verdict(kind: str) -> Verdict:
    name = kind.split(" ", 1)[0]
    found = next((each for each in Verdict if each.value == name), None)
    if found is None or found is Verdict.PASSED:
        return Verdict.DIFFERS
    return found
