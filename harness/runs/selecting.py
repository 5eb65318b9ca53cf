"""From the options that select cases to a plan, with what is wrong about them.

What a selection means is in plan.py; what is remembered, in memory.py, which alone looks at the
world. Source: docs/selecting.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from harness.events import Problem
from harness.runs.deliveries import Delivery, parse_deliveries
from harness.runs.memory import picked
from harness.runs.plan import Plan, Selection, Shard, Target, idle_patterns, idle_tags, parse_shard
from harness.suites.naming import selects
from harness.usage import UsageFault
from harness.words import cut, did_you_mean, quoted, visible

__all__ = ["Chosen", "asked_deliveries", "choose", "selection_of"]

_SHOWN: Final = 60  # characters of a word of the caller's in a message


class Chosen(NamedTuple):
    """The plan of what was selected, what is wrong with the selection, and what to say of a plan
    without runs where that is no fault (otherwise empty)."""

    plan: Plan
    problems: tuple[Problem, ...]
    idle: str


def selection_of(
    cases: tuple[str, ...], tags: tuple[str, ...], shard: str | None, *, failed: bool, new: bool
) -> Selection:
    """The selection that options stand for. Raises UsageFault for values that cannot be."""
    for tag in tags:
        if not tag.removeprefix("!"):
            raise UsageFault(f"--tag {quoted(tag, _SHOWN)}: a tag is missing; see suite.toml")
    part = None
    if shard is not None:
        part = parse_shard(shard)
        if part is None:
            raise UsageFault(
                f"--shard {quoted(shard, _SHOWN)}: I/N is expected, the I-th of N parts,"
                " such as 1/3, 2/3 and 3/3"
            )
    return Selection(cases, tags, part, failed, new)


def asked_deliveries(names: str | None, option: str) -> tuple[Delivery, ...] | None:
    """The deliveries that stood behind this option (None: it was not there); None: all that each
    suite declares. Raises UsageFault."""
    if names is None:
        return (Delivery.PLAIN,)
    if names == "all":
        return None
    try:
        return parse_deliveries(names)
    except ValueError as problem:
        raise UsageFault(f"{option} {visible(names)}: {problem}") from None


def choose(
    targets: Sequence[Target],
    selection: Selection,
    wanted: tuple[Delivery, ...] | None,
    folder: str,
) -> Chosen:
    """The plan of a selection; what means no case is a problem. `wanted` is as Plan has it, and
    `folder` is where the memory is."""
    problems = [*_idle(targets, selection), *_undeliverable(targets, wanted)]
    plan = Plan(targets, selection, wanted)
    if selection.shard is not None and not problems:
        problems += _empty_shard(targets, selection, selection.shard)
    if not selection.asks_memory:
        return Chosen(plan, tuple(problems), "")
    found = picked(targets, plan, selection, folder)
    problems += (Problem(where, fault) for where, fault in found.faults)
    return Chosen(Plan(targets, selection, wanted, found.picks), tuple(problems), found.idle)


def _idle(targets: Sequence[Target], selection: Selection) -> list[Problem]:
    """What means no case at all: slips of the pen."""
    patterns = idle_patterns(targets, selection)
    said = [Problem(f"--case {each}", f"means no case{_meant(each, targets)}") for each in patterns]
    for tag in idle_tags(targets, selection):
        said.append(Problem(f"--tag {tag}", f"no case has this tag; {_hint(tag, targets)}"))
    return said


def _meant(pattern: str, targets: Sequence[Target]) -> str:
    """A hint for who names a case as reports do, the suite in front."""
    suite, _, rest = pattern.rpartition("/")
    names = (
        name for target in targets if target.suite.name == suite for name in target.suite.names
    )
    return f"; write --case {rest}" if any(selects(rest, name) for name in names) else ""


def _undeliverable(
    targets: Sequence[Target], wanted: tuple[Delivery, ...] | None
) -> Iterator[Problem]:
    """A delivery that is all that is asked for, and that none of the suites can have."""
    if wanted != (Delivery.VALUE_BY_VALUE,) or not targets:
        return
    suites = [target.suite for target in targets]
    if any(suite.settings.conversation for suite in suites):
        return
    names = tuple(dict.fromkeys(visible(suite.name) for suite in suites))
    which = f"{names[0]} is not" if len(names) == 1 else f"none of these is: {', '.join(names)}"
    yield Problem(
        f"--deliver {Delivery.VALUE_BY_VALUE.value}",
        f"this is for suites with conversation = true in suite.toml, which {cut(which, 200)}",
    )


def _hint(tag: str, targets: Sequence[Target]) -> str:
    rules = (rule for target in targets for rule in target.suite.settings.rules)
    known = sorted({known for rule in rules for known in rule.tags or ()})
    return did_you_mean(tag, known) if known else "no suite.toml here gives any tags"


def _empty_shard(targets: Sequence[Target], selection: Selection, shard: Shard) -> list[Problem]:
    """A shard that no case falls to: there are more shards than cases."""
    total = sum(1 for _ in Plan(targets, selection._replace(shard=None), ()))
    if not 0 < total < shard.number:
        return []
    what = f"is empty: {total} selected; make fewer parts"
    return [Problem(f"--shard {shard.number}/{shard.of}", what)]
