"""The plan: which runs a selection of suites, cases and deliveries comes to, in what order.

Pure: suites that were listed in, runs out. Nothing is read and nothing is started.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from harness.records import Subject, Verdict
from harness.runs.deliveries import DELIVERIES, Delivery
from harness.suites.corpus import Suite
from harness.suites.naming import CaseName, pattern_of, selects
from harness.suites.policy import SuiteSettings

__all__ = [
    "Plan",
    "PlannedRun",
    "Selection",
    "Shard",
    "Target",
    "idle_patterns",
    "idle_tags",
    "parse_shard",
    "repeat_command",
]

_SHARD: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
_WITHOUT: Final = "!"  # in front of a tag: the cases that do not have it


class Target(NamedTuple):
    """A suite, how the user named it, and the subject that it is run against. `is_default_subject`:
    the program that the suite itself names."""

    suite: Suite
    argument: str
    subject: Subject
    is_default_subject: bool

    @property
    def key(self) -> tuple[str, str]:
        """The names of suite and subject, which no other target of the same run has."""
        return self.suite.name, self.subject.name


class Shard(NamedTuple):
    """One of `of` equal parts of a selection, counted from 1: its cases are dealt like cards, so
    that each is in exactly one shard, and no shard has two more than another."""

    number: int
    of: int

    def takes(self, place: int) -> bool:
        """Whether the case at this place of the selection, from 0, is in this shard."""
        return place % self.of == self.number - 1


class Selection(NamedTuple):
    """Which cases are run: all, or those that fit every part that is there.

    `patterns`: one of them means the case. `tags`: it has one of them, and none of those that
    stand behind a "!". `shard`: a part of what is left so far. `failed` and `new`: what is
    remembered of the last run decides (one of them is enough where both are asked for).
    """

    patterns: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    shard: Shard | None = None
    failed: bool = False
    new: bool = False

    @property
    def asks_memory(self) -> bool:
        """Whether it depends on earlier runs, and so on the subject."""
        return self.failed or self.new

    def takes(self, name: CaseName, settings: SuiteSettings) -> bool:
        """Whether a case has a right name and right tags."""
        if self.patterns and not any(selects(pattern, name) for pattern in self.patterns):
            return False
        return not self.tags or self._takes_tags(settings.tags_for(name))

    def _takes_tags(self, tags: tuple[str, ...]) -> bool:
        wanted = [tag for tag in self.tags if not tag.startswith(_WITHOUT)]
        if wanted and not any(tag in tags for tag in wanted):
            return False
        return not any(_WITHOUT + tag in self.tags for tag in tags)


class PlannedRun(NamedTuple):
    """A case of a suite (its place among the suite's names is `at`) that is to be run against a
    subject, with these deliveries; which of them make a difference for its input is seen when it is
    read. Those of `earlier` have their verdicts already, and are not run again."""

    target: Target
    name: CaseName
    deliveries: tuple[Delivery, ...]
    at: int
    earlier: tuple[tuple[Delivery, Verdict], ...] = ()


class Plan:
    """The runs, target by target, in natural order of the cases. With `wanted` None, each suite's
    cases are fed plain, and in all the ways that it declares must not matter.

    They are made whenever they are gone through, and never kept: there may be very many. `picks`
    has a byte for each case of each target, by its key; those with 0 are passed over.
    """

    __slots__ = ("_picks", "_selection", "_targets", "_wanted")

    def __init__(
        self,
        targets: Sequence[Target],
        selection: Selection,
        wanted: tuple[Delivery, ...] | None,
        picks: Mapping[tuple[str, str], bytearray] | None = None,
    ) -> None:
        self._targets = targets
        self._selection = selection
        self._wanted = wanted
        self._picks = picks

    def __iter__(self) -> Iterator[PlannedRun]:
        shard, picks = self._selection.shard, self._picks
        # Dealt over all suites: many small ones make equal shards, too.
        for place, run in enumerate(self._selected()):
            if shard is not None and not shard.takes(place):
                continue
            if picks is None or picks[run.target.key][run.at]:
                yield run

    def _selected(self) -> Iterator[PlannedRun]:
        """The runs of all cases with a right name and right tags."""
        for target in self._targets:
            deliveries = _declared(target.suite) if self._wanted is None else self._wanted
            for at, name in enumerate(target.suite.names):
                if self._selection.takes(name, target.suite.settings):
                    yield PlannedRun(target, name, deliveries, at)


def _declared(suite: Suite) -> tuple[Delivery, ...]:
    declared = {Delivery.PLAIN, *(Delivery(name) for name in suite.settings.deliveries)}
    return tuple(delivery for delivery in DELIVERIES if delivery in declared)


def idle_patterns(targets: Sequence[Target], selection: Selection) -> tuple[str, ...]:
    """The patterns of a selection that mean no case at all: slips of the pen, most likely."""
    return tuple(
        pattern
        for pattern in selection.patterns
        if not any(selects(pattern, name) for target in targets for name in target.suite.names)
    )


def idle_tags(targets: Sequence[Target], selection: Selection) -> tuple[str, ...]:
    """The tags of a selection that no case has. One behind a "!" may well be had by none."""
    wanted = {tag for tag in selection.tags if not tag.startswith(_WITHOUT)}
    for target in targets:
        settings = target.suite.settings
        if wanted and any(rule.tags for rule in settings.rules):
            for name in target.suite.names:
                wanted.difference_update(settings.tags_for(name))
    return tuple(tag for tag in dict.fromkeys(selection.tags) if tag in wanted)


def parse_shard(text: str) -> Shard | None:
    """The shard that "2/3" means; None: it means none."""
    found = _SHARD.fullmatch(text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        return None
    return Shard(int(found[1]), int(found[2]))


def repeat_command(
    run: PlannedRun, delivery: Delivery, options: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """The command line that runs just this again; `options` are those of the run that decide what
    comes of it."""
    target = run.target
    # A folder's name may look like an option.
    argument = f"./{target.argument}" if target.argument.startswith("-") else target.argument
    words: tuple[str, ...] = ("xtest", "run", argument, "--case", pattern_of(run.name))
    if delivery is not Delivery.PLAIN:
        words += ("--deliver", delivery.value)
    words += options
    if target.subject.setting is not None:
        return (*words, "--subject", target.subject.name)
    return words if target.is_default_subject else (*words, "--", *target.subject.command)
