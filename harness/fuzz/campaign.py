"""Run made inputs, group what they show by cause, and shrink a few of each group."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Final, NamedTuple

from harness.engine.workload import RemotePool
from harness.fuzz.causes import Cause
from harness.fuzz.items import Found, FuzzResult, Item
from harness.fuzz.workload import FuzzWorkload
from harness.jsonio.fast import decode
from harness.model.case import InputKind
from harness.model.compared import Separation
from harness.model.exit_codes import ExitCode
from harness.options.arguments import ExecutionOptions
from harness.options.working import start_work
from harness.text import pluralize

_MOST_CAUSES: Final = 40  # that are shrunk; more are counted
_PROBE: Final = 10  # inputs of the first item; if all of them reach a limit, no others run
_FAST: Final = 10  # inputs a second, of which no fraction is shown
_SHORTEST_S: Final = 1e-3
_LEAST: Final = 5  # ... of so many


class Example(NamedTuple):
    """A shrunk input that shows a cause, and the number of the input that it was made from."""

    number: int
    stdin: bytes
    details: Separation


@dataclass
class CauseFinding:
    """The inputs that show one cause: how many, the `smallest`, and some that were shrunk.

    Without examples, fresh processes did not show it, unless that `is_unknown`.
    """

    cause: Cause
    inputs: int
    smallest: Found
    examples: list[Example] = field(default_factory=list)
    is_unknown: bool = True


@dataclass
class Campaign:
    """The totals of a run, and its findings in the order of the inputs that showed them first."""

    inputs: int = 0
    missing: int = 0
    wall_s: float = 0.0
    hits: set[int] = field(default_factory=set)
    findings: list[CauseFinding] = field(default_factory=list)
    more_causes: int = 0
    unjudged: int = 0  # inputs with which a companion failed
    brief_timeouts: int = 0  # inputs whose timeout a repetition did not show
    losses: list[str] = field(default_factory=list)
    gave_up: bool = False  # all inputs of the first item reached a limit
    interrupted: bool = False
    progress: str = ""

    @property
    def status(self) -> ExitCode:
        if self.interrupted:
            return ExitCode.INTERRUPTED
        if self.losses or not self.inputs:
            return ExitCode.FAULT
        return ExitCode.FAILED if self.findings else ExitCode.OK

    @property
    def speed(self) -> str:
        """The number of inputs that ran in a second, as shown."""
        speed = self.inputs / max(self.wall_s, _SHORTEST_S)
        return f"{speed:,.0f} a second" if speed >= _FAST else f"{speed:.1f} a second"

    @property
    def confirmed(self) -> list[CauseFinding]:
        return [each for each in self.findings if each.examples]


class Ranges(Sequence[Item]):
    """The items of a number of inputs: the first ones, then `size` in each."""

    def __init__(self, inputs: int, size: int) -> None:
        self._inputs, self._size = inputs, size

    def __len__(self) -> int:
        return 1 + max(0, -(-(self._inputs - _PROBE) // self._size))

    def __getitem__(self, number):  # type: ignore[no-untyped-def]  # only numbers are asked for
        if not 0 <= number < len(self):
            raise IndexError(number)
        start = _PROBE + (number - 1) * self._size if number else 0
        return Item(start, min(self._size if number else _PROBE, self._inputs - start))


def run_campaign(
    work: FuzzWorkload,
    items: Sequence[Item],
    execution: ExecutionOptions,
    cluster: RemotePool | None,
    *,
    examples: int,
    seconds: float | None = None,
) -> Campaign:
    """Run the items, and shrink what they show; after `seconds`, no more inputs begin."""
    campaign, begun = Campaign(), time.monotonic()
    ends_at = inf if seconds is None else begun + seconds
    found: list[Found] = []
    faults: dict[int, str] = {}
    for result in _results(work, items, execution, cluster, campaign, ends_at=ends_at):
        if _is_hopeless(result):
            # Which later inputs have run depends on how many run at once.
            campaign.gave_up = len(items) > 1
            campaign.inputs = campaign.missing = campaign.unjudged = 0
            campaign.hits.clear()
            found.clear()
            faults.clear()
        campaign.inputs += 0 if result.note else result.inputs - result.missing
        campaign.missing += result.missing
        campaign.hits |= set(result.hits)
        found += result.found
        campaign.unjudged += result.unjudged
        if result.unjudged:
            faults[result.start] = result.fault
        campaign.losses += filter(None, [result.note])
        campaign.wall_s = time.monotonic() - begun
        causes = pluralize(len({one.cause for one in found}), "cause")
        campaign.progress = f"{pluralize(campaign.inputs, 'input')}, {campaign.speed}, {causes}"
        if campaign.gave_up:
            break
    campaign.progress = ""
    if faults:
        number = pluralize(campaign.unjudged, "input")
        campaign.losses.append(f"{number} not judged: {faults[min(faults)]}")
    _shrink_all(work, found, execution, cluster, campaign, examples=examples)
    return campaign


def _is_hopeless(result: FuzzResult) -> bool:
    """Return whether each of the first inputs takes all that it is allowed."""
    inputs = result.inputs - result.missing
    is_slow = all(one.cause.is_slow for one in result.found)
    return not result.start and _LEAST <= inputs == len(result.found) and is_slow


def _shrink_all(
    work: FuzzWorkload,
    found: Iterable[Found],
    execution: ExecutionOptions,
    cluster: RemotePool | None,
    campaign: Campaign,
    *,
    examples: int,
) -> None:
    """Group what was found by cause, and add the findings with their smallest inputs, shrunk."""
    groups: dict[Cause, list[Found]] = {}
    for one in sorted(found):
        groups.setdefault(one.cause, []).append(one)
    campaign.more_causes = max(0, len(groups) - _MOST_CAUSES)
    kept = list(groups.items())[:_MOST_CAUSES]
    by_cause = {cause: CauseFinding(cause, len(all_of), all_of[0]) for cause, all_of in kept}
    campaign.findings = list(by_cause.values())
    chosen = {
        one.number: one
        for _, all_of in kept
        for one in sorted(all_of, key=lambda one: (len(one.stdin), one.number))[:examples]
    }
    for one in reversed(chosen.values()):
        by_cause[one.cause].smallest = one
    if not chosen or campaign.interrupted:
        return
    items = [Item(one.number, 1, one.stdin, one.cause) for one in chosen.values()]
    shrunk = _results(work, items, execution, cluster, campaign, step="shrinking")
    for result in sorted(shrunk, key=lambda result: result.start):
        campaign.losses += filter(None, [result.note])
        for one in result.found:
            _add_example(campaign, by_cause[chosen[result.start].cause], one, result.details)
    for finding in campaign.findings:
        finding.examples.sort(key=lambda each: (len(each.stdin), each.stdin))
    _drop_brief_timeouts(campaign)
    _check_examples(work, campaign)


def _drop_brief_timeouts(campaign: Campaign) -> None:
    """Drop the timeouts that did not occur again: other runs took the processor."""
    for finding in list(campaign.findings):
        is_unseen = not finding.examples and not finding.is_unknown
        if is_unseen and finding.cause.has_timeout:
            campaign.findings.remove(finding)
            campaign.brief_timeouts += finding.inputs


def _add_example(
    campaign: Campaign, seen: CauseFinding, one: Found, details: Separation | None
) -> None:
    """Add an example of a cause that sessions showed to the finding that it confirms, if any."""
    seen.is_unknown = False
    if details is None:
        return
    finding = next((each for each in campaign.findings if each.cause == one.cause), None)
    if finding is None:
        finding = CauseFinding(one.cause, 0, one, is_unknown=False)
        campaign.findings.append(finding)
    if finding is not seen:
        finding.inputs += 1
        seen.inputs -= 1
        if not seen.inputs:
            campaign.findings.remove(seen)
    if all(one.stdin != each.stdin for each in finding.examples):
        finding.examples.append(Example(one.number, one.stdin, details))


def _check_examples(work: FuzzWorkload, campaign: Campaign) -> None:
    """Drop examples about which the suite's validator and the generator disagree, and say so."""
    if not campaign.confirmed:
        return
    # Importing jsonschema takes 90 ms: only for findings.
    from harness.suites.schema_checks import load_validator  # pylint: disable=import-outside-toplevel

    validator = load_validator(work.targets[0].suite)
    if validator.input is None:
        return
    for finding in campaign.confirmed:
        kept = []
        for example in finding.examples:
            values = decode(example.stdin).values
            is_valid = validator.input_violation(InputKind.JSON, values) is None
            if is_valid == work.maker.accepts(values):
                kept.append(example)
            else:
                word = "valid" if is_valid else "not valid"
                campaign.losses.append(
                    f"input {example.number:,}: not reported: it is {word} by the suite's validator"
                )
        finding.examples = kept


def _results(
    work: FuzzWorkload,
    items: Sequence[Item],
    execution: ExecutionOptions,
    cluster: RemotePool | None,
    campaign: Campaign,
    *,
    step: str = "",
    ends_at: float = inf,
) -> Iterator[FuzzResult]:
    noun = "finding" if step else "part"
    with start_work(
        work, items, execution, cluster, noun=noun, step=step, ends_at=ends_at
    ) as running:
        try:
            for result in running.results():
                yield result
                if campaign.progress:
                    running.show(campaign.progress)
        except KeyboardInterrupt:
            campaign.interrupted = True
            yield from running.rest()
        campaign.losses += running.losses
