"""Lint the scripts of a suite: captures, expectations that nothing can meet, and the handshake.

A message equal to the expected one always meets an expectation, and `ignore` never skips it. So
only captures, times and the size of the output can contradict a script.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from harness.authoring.lint_rules import LintRule
from harness.dialogue.templates import has_stray_mark, references
from harness.jsonio.decoder import Json, encode
from harness.judging.dialogue_walk import step_comparison
from harness.judging.rules import rules_of
from harness.model.case import Case
from harness.model.comparison import ArrayOrder, Comparison
from harness.model.dialogue import Action, Capture, Script, Step, TalkRules
from harness.text import format_number, pluralize, quote

_FEWEST: Final = 3  # scripts that begin alike
_EXPECTATIONS: Final = (Action.EXPECT, Action.EXPECT_ALL, Action.QUIET, Action.EXIT)
_STRAY: Final = '"${" begins no reference: names have letters, digits and _; "$${" stands for "${"'


class ScriptFinding(NamedTuple):
    """A finding on a script; `step` is the index of a step in its file."""

    rule: LintRule
    message: str
    step: int


class ScriptLinter:
    """Lints the scripts of a suite one after the other, then what they have in common."""

    def __init__(self, rules: TalkRules) -> None:
        names = (one.name for step in rules.start for one in step.captures)
        self.unused_in_start: Final = set(names)  # captures that no script so far uses
        self._start: Final = [_without_id(step) for step in rules.start]
        self._beginnings: Final = defaultdict[int, list[int]](list)  # cases by their first step

    def lint(self, at: int, case: Case, *, is_bare: bool) -> Iterator[ScriptFinding]:
        """Yield the findings on the script of the case with this index."""
        script = case.script
        assert script is not None
        yield from self._lint_captures(script)
        if not any(step.action in _EXPECTATIONS for step in script.steps):
            yield ScriptFinding(LintRule.NO_EXPECTATION, "the script expects nothing", 0)
        for number, step in _own_steps(script):
            if any(map(has_stray_mark, step.values)):
                yield ScriptFinding(LintRule.STRAY_MARK, _STRAY, number)
            for one in step.captures:
                if reason := _contradiction(step.values[0], one, step, case.policy.comparison):
                    yield ScriptFinding(LintRule.IMPOSSIBLE_STEP, reason, number)
        yield from _lint_times(script, case.policy.limits.wall_s)
        own = [step for _, step in _own_steps(script)]
        if is_bare or not own:
            return
        if self._start and [_without_id(step) for step in own[: len(self._start)]] == self._start:
            message = "the script repeats start of [talk], which already comes before it"
            yield ScriptFinding(LintRule.HANDSHAKE, message, 0)
        if not self._start and own[0].action is Action.SEND:
            self._beginnings[hash(encode(own[0].values[0]))].append(at)

    def odd_beginnings(self) -> tuple[list[int], str]:
        """Return the cases that begin unlike most scripts of the suite, and a message."""
        alike = max(self._beginnings.values(), key=len, default=[])
        others = [at for group in self._beginnings.values() if group is not alike for at in group]
        if len(alike) < _FEWEST or len(alike) <= len(others):
            return [], ""
        message = f"the script does not begin as {pluralize(len(alike), 'other script')} do: a"
        message += " missing handshake? start of [talk] comes before all but those with bare = true"
        return sorted(others), message

    def _lint_captures(self, script: Script) -> Iterator[ScriptFinding]:
        unused: dict[str, Step] = {}
        for step in script.steps:
            used = set[str]().union(*map(references, step.values))
            of_start = {name for name in used if _is_of_start(unused.get(name))}
            self.unused_in_start.difference_update(of_start)
            for name in used:
                unused.pop(name, None)
            for one in step.captures:
                yield from _unused(one.name, unused.get(one.name))
                unused[one.name] = step
        for name, step in unused.items():
            yield from _unused(name, step)


def _unused(name: str, step: Step | None) -> Iterator[ScriptFinding]:
    if step is not None and step.label.isdecimal():
        message = f"no later step uses the captured value {quote(name)}"
        yield ScriptFinding(LintRule.UNUSED_CAPTURE, message, int(step.label) - 1)


def _is_of_start(step: Step | None) -> bool:
    return step is not None and step.label.startswith("start ")


def _own_steps(script: Script) -> list[tuple[int, Step]]:
    return [(int(step.label) - 1, step) for step in script.steps if step.label.isdecimal()]


def _without_id(step: Step) -> tuple[Action, bytes, int, Sequence[str]]:
    """Return what a step does, but for the ids of its messages."""
    texts = []
    for value in step.values:
        members = (
            {key: each for key, each in value.items() if key != "id"}
            if isinstance(value, dict)
            else value
        )
        texts.append(encode(members))
    return step.action, step.raw, step.status, texts


def _contradiction(value: Json, one: Capture, step: Step, comparison: Comparison) -> str:
    """Return why no message equal to an expected one has a value to capture, or ""."""
    rules = rules_of(step_comparison(step, comparison)).below(0)
    for name in one.path:
        here, below = rules.here, rules.below(name)
        if isinstance(value, dict):
            below = below.among(value)
        is_captured = any(map(references, value if isinstance(value, dict) else [value]))
        if is_captured or here.ignore or here.schema is not None or below.here.ignore:
            return ""
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, dict) and (here.extra or here.keys is not None):
            return ""
        elif isinstance(value, list) and here.order is not ArrayOrder.LIST:
            return ""
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            hint = "; extra = true allows other members" if isinstance(value, dict) else ""
            where = f"nothing at {one.pointer} to capture as {quote(one.name)}"
            return f"the expected message has {where}{hint}"
        rules = below
    return ""


def _lint_times(script: Script, wall_s: float) -> Iterator[ScriptFinding]:
    own = _own_steps(script)
    for number, step in own:
        if step.action is not Action.QUIET and step.within_s is not None and step.within_s > wall_s:
            yield ScriptFinding(LintRule.IDLE_LIMIT, within_message(wall_s), number)
    quiet = [step.within_s or 0.0 for step in script.steps if step.action is Action.QUIET]
    if sum(quiet) >= wall_s:
        number = next((at for at, step in own if step.action is Action.QUIET), 0)
        message = f"the script is quiet for {format_number(sum(quiet))} s, but wall_s ends its run"
        yield ScriptFinding(
            LintRule.IMPOSSIBLE_STEP, f"{message} after {format_number(wall_s)} s", number
        )


def within_message(wall_s: float) -> str:
    return f"within has no effect: wall_s ({wall_s:g}) is reached first"
