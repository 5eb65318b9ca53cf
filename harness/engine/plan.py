"""Plan the runs that a selection of suites, cases and deliveries consists of, in order.

No program is started, and no file is read but the lines of packed suites.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.model.case_names import WITHOUT, CaseName, pattern_of, selects
from harness.model.verdict import Verdict
from harness.project.targets import Target
from harness.suites.cases import own_rule
from harness.suites.loading import Suite
from harness.suites.settings import CaseRule, SuiteSettings

_SHARD: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
WORDS: Final = "~"  # before words that the title or name of a case must have


class Shard(NamedTuple):
    """One of `of` parts of a selection, counted from 1, whose sizes differ by at most one case.

    Cases are assigned in turn, so that each is in exactly one shard.
    """

    number: int
    of: int

    def takes(self, place: int) -> bool:
        """Return whether the case at this place of the selection, from 0, is in this shard."""
        return place % self.of == self.number - 1


class Selection(NamedTuple):
    """Criteria that a case must meet to be run; absent ones do not count.

    `patterns`: it matches one of them. `tags`: it has one of them, and none after a "!". `shard`:
    it is in this part of the cases selected so far. `failed` and `new`: it meets one of them by the
    last run. `failed_first` only changes the order.
    """

    patterns: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    shard: Shard | None = None
    failed: bool = False
    new: bool = False
    failed_first: bool = False

    @property
    def needs_last_run(self) -> bool:
        """True if the selection depends on the last run, and so on the subject."""
        return self.failed or self.new

    @property
    def args(self) -> tuple[str, ...]:
        """The arguments that select these cases, but for those that depend on the last run."""
        args = ["--case", ",".join(self.patterns)] if self.patterns else []
        args += (arg for tag in self.tags for arg in ("--tag", tag))
        args += ["--shard", f"{self.shard.number}/{self.shard.of}"] if self.shard else []
        return tuple(args)

    @property
    def needs_lines(self) -> bool:
        """True if the selection depends on what the lines of packed suites say about cases."""
        return bool(self.tags) or any(each.startswith(WORDS) for each in self.patterns)

    def takes(self, name: CaseName, settings: SuiteSettings, own: CaseRule | None = None) -> bool:
        """Return whether the patterns and tags select a case; `own` is the rule of its line."""
        if self.patterns and not any(_selects(each, name, settings, own) for each in self.patterns):
            return False
        return not self.tags or self._takes_tags(settings.tags_for(name, own))

    def _takes_tags(self, tags: tuple[str, ...]) -> bool:
        wanted = [tag for tag in self.tags if not tag.startswith(WITHOUT)]
        if wanted and not any(tag in tags for tag in wanted):
            return False
        return not any(WITHOUT + tag in self.tags for tag in tags)


class PlannedRun(NamedTuple):
    """A case to run against a subject in these deliveries, and its index in its suite.

    Deliveries that make no difference for its input are dropped when it is read. Those in `earlier`
    have their verdicts already, and are not run again.
    """

    target: Target
    name: CaseName
    deliveries: tuple[Delivery, ...]
    case_index: int
    earlier: tuple[tuple[Delivery, Verdict], ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The planned runs, target by target, in the order of its suite.

    With `wanted` None each suite uses the plain delivery and those that it declares. `picks` has a
    byte for each case of each target, by its key; cases with 0 are left out. Those with another
    byte in `first` come before all others. Runs are created by each iteration and never stored:
    there may be very many.
    """

    targets: Sequence[Target]
    selection: Selection
    wanted: tuple[Delivery, ...] | None
    picks: Mapping[tuple[str, str], bytearray] | None = None
    first: Mapping[tuple[str, str], bytearray] | None = None

    @property
    def takes_all(self) -> bool:
        """True if each case of each target is planned."""
        selection = self.selection
        selects_some = selection.patterns or selection.tags or selection.shard
        return not selects_some and self.picks is None

    def __iter__(self) -> Iterator[PlannedRun]:
        runs = self._selected() if self.takes_all else self._picked()
        return runs if self.first is None else self._ordered(self.first)

    def _ordered(self, first: Mapping[tuple[str, str], bytearray]) -> Iterator[PlannedRun]:
        for is_first in (True, False):
            for run in self._picked():
                if bool(first[run.target.key][run.case_index]) is is_first:
                    yield run

    def _picked(self) -> Iterator[PlannedRun]:
        shard, picks = self.selection.shard, self.picks
        # Over all suites: many small suites make equal shards, too.
        for place, run in enumerate(self._selected()):
            if shard is not None and not shard.takes(place):
                continue
            if picks is None or picks[run.target.key][run.case_index]:
                yield run

    def _selected(self) -> Iterator[PlannedRun]:
        selection = self.selection
        takes_all = not (selection.patterns or selection.tags)
        for target in self.targets:
            deliveries = _declared(target.suite) if self.wanted is None else self.wanted
            cases = _cases(target.suite, with_lines=selection.needs_lines)
            for index, (name, own) in enumerate(cases):
                if takes_all or selection.takes(name, target.suite.settings, own):
                    yield PlannedRun(target, name, deliveries, index)


def targets_with_runs(runs: Iterable[PlannedRun]) -> list[tuple[Target, int]]:
    """Return the targets that have runs, each with the number of its runs."""
    if isinstance(runs, Plan) and runs.takes_all:
        counts = [(target, len(target.suite.names)) for target in runs.targets]
        return [(target, count) for target, count in counts if count]
    targets: dict[tuple[str, str], Target] = {}
    numbers = Counter[tuple[str, str]]()
    for run in runs:
        key = run.target.key
        targets[key] = run.target
        numbers[key] += 1
    return [(target, numbers[key]) for key, target in targets.items()]


def _cases(suite: Suite, *, with_lines: bool) -> Iterator[tuple[CaseName, CaseRule | None]]:
    """Return the cases of a suite; of packed ones, perhaps with the rules in their lines."""
    if with_lines:
        return ((name, own_rule(suite, name, index)) for index, name in enumerate(suite.names))
    return zip(suite.names, repeat(None), strict=False)


def _selects(pattern: str, name: CaseName, settings: SuiteSettings, own: CaseRule | None) -> bool:
    """Return whether a pattern matches a case, or the words after a "~" are in name or title."""
    if not pattern.startswith(WORDS):
        return selects(pattern, name)
    info = settings.info_for(name, own)
    text = f"{name.text} {info.title if info is not None else ''}".lower()
    return all(word in text for word in pattern.removeprefix(WORDS).lower().split())


def _declared(suite: Suite) -> tuple[Delivery, ...]:
    declared = {Delivery.PLAIN, *(Delivery(name) for name in suite.settings.deliveries)}
    return tuple(delivery for delivery in Delivery if delivery in declared)


def unmatched_patterns(targets: Sequence[Target], selection: Selection) -> tuple[str, ...]:
    """Return the patterns of a selection that match no case at all."""
    return tuple(
        pattern
        for pattern in selection.patterns
        if not any(
            _selects(pattern, name, target.suite.settings, own)
            for target in targets
            for name, own in _cases(target.suite, with_lines=pattern.startswith(WORDS))
        )
    )


def unmatched_tags(targets: Sequence[Target], selection: Selection) -> tuple[str, ...]:
    """Return the tags of a selection, other than those after a "!", that no case has."""
    wanted = {tag for tag in selection.tags if not tag.startswith(WITHOUT)}
    for target in targets:
        suite, settings = target.suite, target.suite.settings
        if wanted and (suite.packed is not None or any(rule.tags for rule in settings.rules)):
            for name, own in _cases(suite, with_lines=True):
                wanted.difference_update(settings.tags_for(name, own))
    return tuple(tag for tag in dict.fromkeys(selection.tags) if tag in wanted)


def parse_shard(text: str) -> Shard | None:
    """Return the shard that a text such as "2/3" names, or None if it names none."""
    match = _SHARD.fullmatch(text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        return None
    return Shard(int(match[1]), int(match[2]))


def repeat_command(
    run: PlannedRun, delivery: Delivery, repeat_args: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return the command line that repeats a run; `repeat_args` are those it depends on."""
    target = run.target
    # The name of a folder may look like an option.
    argument = f"./{target.argument}" if target.argument.startswith("-") else target.argument
    args: tuple[str, ...] = ("xtest", "run", argument, "--case", pattern_of(run.name))
    if delivery is not Delivery.PLAIN:
        args += ("--deliver", delivery.value)
    args += repeat_args
    if target.subject.context is not None:
        return (*args, "--subject", target.subject.name)
    return args if target.is_default_subject else (*args, "--", *target.subject.command)


def repeat_command_like(command: tuple[str, ...], name: CaseName) -> tuple[str, ...]:
    """Return the command line that repeats a run of another case, given that of a first one."""
    place = command.index("--case") + 1
    return (*command[:place], pattern_of(name), *command[place + 1 :])
