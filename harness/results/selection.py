"""Turn the options that select cases into a plan, and report what is wrong with them.

Source: docs/selecting.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery, parse_deliveries
from harness.engine.plan import (
    WORDS,
    Plan,
    Selection,
    Shard,
    parse_shard,
    unmatched_patterns,
    unmatched_tags,
)
from harness.errors import UsageError
from harness.model.case_names import parse_range, selects
from harness.model.events import Diagnostic
from harness.project.targets import Target
from harness.results.last_run import select_by_last_run
from harness.suites.cases import own_rule
from harness.text import (
    did_you_mean,
    escape_nonprintable,
    pluralize,
    quote,
    shorten_to_width,
    truncate,
)

# One of several patterns, separated by commas; a comma in brackets stands for itself.
_PATTERN: Final = r"(?:^|, *)((?:\[[^]]*\]|[^,])+)"
_EXAMPLES: Final = 3  # names of cases in a message
_SHOWN: Final = 60  # characters of a word of the caller's in a message


class SelectedRuns(NamedTuple):
    """The plan of the selected runs, the problems of the selection, and the reason why the plan is
    empty where that is not an error (otherwise empty)."""

    plan: Plan
    problems: tuple[Diagnostic, ...]
    why_nothing_ran: str


def selection_of(
    cases: tuple[str, ...], tags: tuple[str, ...], shard: str | None, **last_run: bool
) -> Selection:
    """Return the selection that options ask for. Raises UsageError for invalid values."""
    for tag in tags:
        if not tag.removeprefix("!"):
            raise UsageError(
                f"--tag {quote(tag, _SHOWN)}: the tag is empty; give a tag of suite.toml"
            )
    part = None
    if shard is not None:
        part = parse_shard(shard)
        if part is None:
            raise UsageError(
                f"--shard {quote(shard, _SHOWN)}: must be I/N, the I-th of N parts,"
                " such as 1/3, 2/3 or 3/3"
            )
    patterns = [each for text in cases for each in re.findall(_PATTERN, text) or [text]]
    return Selection(tuple(patterns), tags, part, **last_run)


def requested_deliveries(names: str | None, option: str) -> tuple[Delivery, ...] | None:
    """Return the deliveries that the value of this option names (None: it was not given), or None
    for all that each suite declares. Raises UsageError."""
    if names is None:
        return (Delivery.PLAIN,)
    if names == "all":
        return None
    try:
        return parse_deliveries(names)
    except ValueError as problem:
        shown = escape_nonprintable(names) or '""'
        raise UsageError(f"{option} {shown}: {problem}") from None


def select_runs(
    targets: Sequence[Target],
    selection: Selection,
    wanted: tuple[Delivery, ...] | None,
    folder: str,
) -> SelectedRuns:
    """Return the plan of a selection, with its problems, such as patterns that match no case.

    `wanted` is as in Plan, and `folder` is the cache folder.
    """
    problems = [*_unmatched(targets, selection), *_undeliverable(targets, wanted)]
    plan = Plan(targets, selection, wanted)
    if selection.shard is not None and not problems:
        problems += _empty_shard(targets, selection, selection.shard)
    picks, first, why_nothing_ran = None, None, ""
    if selection.failed_first:
        first = select_by_last_run(targets, plan, Selection(failed=True), folder).picks
    if selection.needs_last_run:
        picks, unknown, why_nothing_ran = select_by_last_run(targets, plan, selection, folder)
        problems += unknown
    plan = Plan(targets, selection, wanted, picks, first)
    return SelectedRuns(plan, tuple(problems), why_nothing_ran)


def _unmatched(targets: Sequence[Target], selection: Selection) -> Iterator[Diagnostic]:
    for each in unmatched_patterns(targets, selection):
        yield Diagnostic(
            "--case " + (each or '""'), f"matches no case; {_name_hint(each, targets)}"
        )
    for tag in unmatched_tags(targets, selection):
        yield Diagnostic(f"--tag {tag}", f"no case has this tag; {_tag_hint(tag, targets)}")


def _name_hint(pattern: str, targets: Sequence[Target]) -> str:
    """Return how to write a pattern that is SUITE/CASE, as reports name cases, or some names."""
    if pattern.startswith(WORDS):
        return "no name or title has all these words"
    numbers = parse_range(pattern)
    if numbers is not None and numbers[0] > numbers[1]:
        return "the range runs backwards"
    suite, _, rest = pattern.rpartition("/")
    suites = {target.suite.name: target.suite for target in targets}
    if suite in suites and any(selects(rest, name) for name in suites[suite].names):
        return f"write --case {rest}"
    names = dict.fromkeys(text for each in suites.values() for text in each.name_texts)
    first = [shorten_to_width(name, _SHOWN) for name in islice(names, _EXAMPLES)]
    return f"the {'only name is' if len(names) == 1 else 'first names are'} {', '.join(first)}"


def _undeliverable(
    targets: Sequence[Target], wanted: tuple[Delivery, ...] | None
) -> Iterator[Diagnostic]:
    """Report value-by-value as the only delivery of suites that are not conversations."""
    if wanted != (Delivery.VALUE_BY_VALUE,) or not targets:
        return
    suites = [target.suite for target in targets]
    if any(suite.settings.conversation for suite in suites):
        return
    names = tuple(dict.fromkeys(escape_nonprintable(suite.name) for suite in suites))
    which = f"{names[0]} lacks" if len(names) == 1 else f"all of these lack: {', '.join(names)}"
    yield Diagnostic(
        f"--deliver {Delivery.VALUE_BY_VALUE.value}",
        f"requires conversation = true in suite.toml, which {truncate(which, 200)}",
    )


def _tag_hint(tag: str, targets: Sequence[Target]) -> str:
    tags = {
        known
        for suite in {target.suite.name: target.suite for target in targets}.values()
        for index, name in enumerate(suite.names)
        for known in suite.settings.tags_for(name, own_rule(suite, name, index))
    }
    return did_you_mean(tag, sorted(tags)) if tags else "these suites have no tags"


def _empty_shard(targets: Sequence[Target], selection: Selection, shard: Shard) -> list[Diagnostic]:
    """Report a shard that no case belongs to: there are more shards than cases."""
    total = sum(1 for _ in Plan(targets, selection._replace(shard=None), ()))
    if not 0 < total < shard.number:
        return []
    problem = f"empty; the selection divides into at most {pluralize(total, 'part')}"
    return [Diagnostic(f"--shard {shard.number}/{shard.of}", problem)]
