"""The settings of a suite, as records; their defaults hold for a suite without a suite.toml.

The keys of the file are declared in suite_toml.py. An index finds the rules of a case among
thousands. Source: docs/suites.md.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import chain
from typing import Any, Final, Generic, NamedTuple, TypeVar

from harness.delivery.registry import Delivery
from harness.jsonio.pointers import path_matches
from harness.model.case import CaseInfo, Companion, ExitRange, InputKind, Policy
from harness.model.case_names import CaseName, Match, as_patterns, exact_texts, selects
from harness.model.comparison import Comparison
from harness.model.dialogue import TalkRules
from harness.model.events import KnownFailure, RunResult
from harness.model.limits import Limits
from harness.model.protection import Protection
from harness.model.subject import Subject
from harness.model.suite_info import GradingRule, Visibility
from harness.model.verdict import Verdict
from harness.text import matches_glob

Entries = tuple[tuple[str, Any], ...]  # the keys of a table that are set, and their values

_Value = TypeVar("_Value")

_MOST_PLACES: Final = 5  # in a message

DELIVERY_NAMES: Final = tuple(delivery.value for delivery in Delivery)


class Grading(NamedTuple):
    """The points of a whole suite (None: one per case), and when students see its cases."""

    points: float | None = None
    visibility: Visibility = Visibility.VISIBLE


class CaseRule(NamedTuple):
    """One `[[cases]]` table: a pattern, and its settings for these cases; None where not set.

    The members of a line of a packed suite are a rule, too, whose pattern is not matched. `limits`
    and `compare` replace those of the suite, key by key.
    """

    match: Match
    exit: ExitRange | None = None
    input: InputKind | None = None
    tags: tuple[str, ...] | None = None
    points: float | None = None
    visibility: Visibility | None = None
    all_or_nothing: bool | None = None  # the cases score points only if all of them pass
    known: KnownRule | None = None  # whose pattern is not matched
    limits: Entries | None = None
    compare: Entries | None = None
    any: bool | None = None  # whether several outputs are right
    title: str | None = None
    description: str | None = None
    link: str | None = None
    group: str | None = None
    checker: tuple[str, ...] | None = None
    hint: str | None = None
    files: tuple[str, ...] | None = None
    bare: bool | None = None  # whether a script stands alone


class KnownRule(NamedTuple):
    """One `[[known]]` table, or `known` of a `[[cases]]` table: expected failures, and why.

    They may have any verdict or delivery, and fail any tests, if none is named. `contents` are the
    fingerprints of its cases, by name, as far as they were recorded.
    """

    match: Match
    reason: str
    link: str = ""
    subject: str = "*"
    verdicts: tuple[Verdict, ...] = ()
    deliveries: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    contents: Mapping[str, str] | None = None
    file: str = "suite.toml"  # or the subject's own

    def lists(self, subject: Subject, delivery: str) -> bool:
        """Return whether the table lists runs of its cases by a subject with a delivery."""
        is_listed = not self.deliveries or delivery in self.deliveries
        return is_listed and self.concerns(subject)

    def concerns(self, subject: Subject) -> bool:
        """Return whether the glob matches the name, the program, or the command line."""
        program = "" if subject.context is not None else subject.command[0]
        names = (subject.name, program, os.path.basename(program), " ".join(subject.command))
        return any(matches_glob(text, self.subject) for text in names)

    def mismatch(self, event: RunResult) -> str:
        """Return how a run with a predicted verdict fails otherwise than listed, or ""."""
        if event.content and (self.contents or {}).get(event.case, event.content) != event.content:
            return "the case has changed since it was listed"
        if not self.tests or event.verdict is Verdict.PASSED:
            return ""
        new, fixed = compare_tests(self.tests, event.failed_tests)
        if not event.failed_tests:
            return "more than the listed tests failed"
        parts = [f"{_join(new)} failed, too"] * bool(new)
        parts += [f"{_join(fixed)} passed"] * bool(fixed)
        return "; ".join(parts)


def may_pass(verdicts: Sequence[Verdict]) -> bool:
    """Return whether a table with these verdicts lists cases that pass sometimes."""
    return Verdict.PASSED in verdicts or Verdict.FLAKY in verdicts


def expects(verdicts: Sequence[Verdict], event: RunResult) -> bool:
    """Return whether a table with these verdicts expects that of a run.

    Without any, it expects each failure; with `flaky`, a pass, and any failure unless it names
    some. The runs of a flaky case must all be as expected.
    """
    if not verdicts:
        return event.verdict is not Verdict.PASSED
    failures = [each for each in verdicts if each not in (Verdict.PASSED, Verdict.FLAKY)]
    expected = {*verdicts, *([Verdict.PASSED] if may_pass(verdicts) else ())}
    return not failures or expected.issuperset(event.verdicts or (event.verdict,))


def compare_tests(listed: Sequence[str], failed: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the places of failed tests that no listed path matches, and the paths that match none.

    Most paths are written by `xtest known`, and are those of places.
    """
    new = [place for place in failed if place not in listed]
    left = [path for path in listed if path not in failed]
    new = [place for place in new if not any(path_matches(path, place) for path in left)]
    fixed = [path for path in left if not any(path_matches(path, place) for place in failed)]
    return new, fixed


def _join(places: Sequence[str]) -> str:
    more = len(places) - _MOST_PLACES
    shown = ", ".join(places[:_MOST_PLACES])
    return f"{shown} and {more:,} more" if more > 0 else shown


class RenderedSide(Enum):
    INPUT = "input"
    OUTPUT = "output"  # expected and printed values


class Render(NamedTuple):
    """The `[render]` table: the command of a program that draws JSON values, and which it draws."""

    command: tuple[str, ...]
    draws: tuple[RenderedSide, ...] = (RenderedSide.OUTPUT,)


class SandboxRules(NamedTuple):
    """The `[sandbox]` table: what must hold for every run."""

    require: tuple[Protection, ...] = ()


class Assertions(NamedTuple):
    """The `[assertions]` table: a pattern of the expected values that count as one test each."""

    each: str = ""


class CaseSettings(NamedTuple):
    """The settings of a case; cases to which the same tables apply share them."""

    policy: Policy
    kind: InputKind
    tags: tuple[str, ...]
    info: CaseInfo | None
    has_several: bool  # correct outputs


class SuiteSettings(NamedTuple):
    name: str = ""
    title: str = ""
    program: str = ""
    input: str = ""
    output: str = ""
    exit: ExitRange = ExitRange()
    deliveries: tuple[str, ...] = DELIVERY_NAMES
    conversation: bool = False
    stateless: bool = False
    limits: Limits = Limits()
    comparison: Comparison = Comparison()
    grading: Grading = Grading()
    rules: tuple[CaseRule, ...] = ()
    known: tuple[KnownRule, ...] = ()
    render: Render | None = None
    sandbox: SandboxRules = SandboxRules()
    files: tuple[str, ...] = ()
    assertions: Assertions = Assertions()
    checker: tuple[str, ...] = ()
    talk: TalkRules = TalkRules()
    companions: tuple[Companion, ...] = ()

    @property
    def checkers(self) -> tuple[tuple[str, ...], ...]:
        """The commands of all checkers, of the suite and of its cases."""
        commands = (self.checker, *(rule.checker or () for rule in self.rules))
        return tuple(filter(None, commands))

    @property
    def commands(self) -> tuple[tuple[str, ...], ...]:
        """The commands that run in the folder of the suite: of checkers and companions."""
        return (*self.checkers, *(companion.command for companion in self.companions))

    def for_case(self, name: CaseName, own: CaseRule | None = None) -> CaseSettings:
        """Return all that the tables, and the `own` rule of its line, say about running a case."""
        if own is not None:
            return self._for_case(name, own)
        rules = tuple(index_of(self.rules).numbers(name)) if self.rules else ()
        known, by_rules = _CASE_SETTINGS.get(id(self), (None, {}))
        if known is None or len(by_rules) >= _MOST_INDEXES:
            if len(_CASE_SETTINGS) >= _MOST_INDEXES:
                _CASE_SETTINGS.clear()
            known, by_rules = _CASE_SETTINGS[id(self)] = self, {}
        settings = by_rules.get(rules)
        if settings is None:
            settings = by_rules[rules] = self._for_case(name)
        return settings

    def _for_case(self, name: CaseName, own: CaseRule | None = None) -> CaseSettings:
        policy, kind = self._policy_for(name)
        tags, info = self.tags_for(name, own), self.info_for(name, own)
        return CaseSettings(policy, kind, tags, info, self.has_alternatives(name, own))

    def policy_for(self, name: CaseName) -> tuple[Policy, InputKind]:
        settings = self.for_case(name)
        return settings.policy, settings.kind

    def _policy_for(self, name: CaseName) -> tuple[Policy, InputKind]:
        comparison, limits = self.comparison, self.limits
        own_limits: dict[str, Any] = {}
        for rule in self._matching(name):
            if rule.limits or rule.compare:
                own_limits |= dict(rule.limits or ())
                comparison = override_comparison(comparison, rule)
        exits = self._setting(name, "exit", self.exit)
        if own_limits:
            limits = limits._replace(**own_limits)
        checker = self._setting(name, "checker", self.checker)
        policy = Policy(
            comparison,
            exits,
            limits,
            self.assertions.each,
            tuple(own_limits),
            checker,
            self.companions,
        )
        return policy, self._setting(name, "input", InputKind.JSON)

    # In the line of a packed case, its `own` rule wins.

    def tags_for(self, name: CaseName, own: CaseRule | None = None) -> tuple[str, ...]:
        return self._setting(name, "tags", (), own)

    def info_for(self, name: CaseName, own: CaseRule | None = None) -> CaseInfo | None:
        """Return what the rules say about a case for people, or None if nothing."""
        if own is None and index_of(self.rules).keys.isdisjoint(CaseInfo._fields):
            return None
        info = CaseInfo(*(self._setting(name, key, "", own) for key in CaseInfo._fields))
        return info if any(info) else None

    def has_alternatives(self, name: CaseName, own: CaseRule | None = None) -> bool:
        """Return whether the expected output of a case lists several correct ones."""
        return self._setting(name, "any", False, own)

    def is_bare(self, name: CaseName, own: CaseRule | None = None) -> bool:
        """Return whether the script of a case stands without those of `[talk]` around it."""
        return self._setting(name, "bare", False, own)

    def points_for(self, name: CaseName) -> float | None:
        """Return the points that rules give a case, or None if it shares those of the suite."""
        return self._setting(name, "points", None)

    def deciding_rule(self, name: CaseName, key: str) -> CaseRule | None:
        """Return the last rule that applies to a case and sets a key, or None."""
        for rule in reversed(self._matching(name)):
            if getattr(rule, key) is not None:
                return rule
        return None

    @property
    def file_patterns(self) -> tuple[str, ...]:
        """The globs of the files that subjects may read, of the suite and of its cases."""
        return self.files + tuple(each for rule in self.rules for each in rule.files or ())

    @property
    def has_known_failures(self) -> bool:
        return bool(self.known) or "known" in index_of(self.rules).keys

    def known_failure(
        self, subject: Subject, name: CaseName, event: RunResult
    ) -> KnownFailure | None:
        """Return the known failure that lists a run, or None if no table does.

        The first table that predicts the run is taken, or else the first that lists it; `[[known]]`
        tables come before the `known` of `[[cases]]`. A case that was renamed is found by its
        content. A pass that a table names is a pass like any other.
        """
        if not all(verdict.subject_ran for verdict in event.verdicts or (event.verdict,)):
            return None
        index = index_of(self.known)
        matching = index.matching(name)
        renamed = index.by_content.get(event.content)
        if renamed is not None and renamed not in matching:
            matching.append(renamed)
        listing = [rule for rule in matching if rule.lists(subject, event.delivery)]
        case_rule = self.deciding_rule(name, "known")
        if case_rule is not None and case_rule.known is not None:
            listing.append(case_rule.known)
        if not listing:
            return None
        for rule in listing:
            if expects(rule.verdicts, event) and not rule.mismatch(event):
                is_pass = event.verdict is Verdict.PASSED
                return None if is_pass else KnownFailure(rule.reason, rule.link)
        rule = next((rule for rule in listing if expects(rule.verdicts, event)), listing[0])
        mismatch = rule.mismatch(event) if expects(rule.verdicts, event) else ""
        return KnownFailure(rule.reason, rule.link, False, mismatch, rule.file)

    def _matching(self, name: CaseName) -> Sequence[CaseRule]:
        return index_of(self.rules).matching(name) if self.rules else ()

    def _setting(
        self, name: CaseName, key: str, default: _Value, own: CaseRule | None = None
    ) -> _Value:
        if not self.rules and own is None:
            return default
        rule = self.deciding_rule(name, key)
        if own is not None and getattr(own, key) is not None:
            rule = own
        value: _Value = default if rule is None else getattr(rule, key)
        return value


def override_comparison(comparison: Comparison, rule: CaseRule) -> Comparison:
    """Return a comparison with the keys that a rule sets; its `at` comes last, and so decides."""
    entries = dict(rule.compare or ())
    return comparison._replace(**entries | {"at": comparison.at + entries.get("at", ())})


# Rules of a case, among thousands.

_Rule = TypeVar("_Rule", bound=CaseRule | KnownRule | GradingRule)


class RuleIndex(Generic[_Rule]):
    """An index of tables such as `[[cases]]`; tables for single cases are found by the case's name.

    A suite may have a table for each of thousands of cases, or one that names them all.
    """

    def __init__(self, rules: tuple[_Rule, ...]) -> None:
        self._rules = rules
        self._named: dict[str, list[int]] = {}
        self._others: list[int] = []
        self._last: tuple[CaseName, list[int]] | None = None
        # The keys that any of them sets.
        self.keys = {
            key for rule in rules for key in rule._fields if getattr(rule, key) is not None
        }
        # Those that recorded the content of a case.
        self.by_content: dict[str, _Rule] = {}
        for number, rule in enumerate(rules):
            for content in (getattr(rule, "contents", None) or {}).values():
                self.by_content.setdefault(content, rule)
            texts = [exact_texts(pattern) for pattern in as_patterns(rule.match)]
            if None in texts:
                self._others.append(number)
            else:
                for text in dict.fromkeys(chain.from_iterable(filter(None, texts))):
                    self._named.setdefault(text, []).append(number)

    def numbers(self, name: CaseName) -> list[int]:
        """Return the places of the rules that match a case, ascending."""
        if self._last is None or self._last[0] != name:
            others = (at for at in self._others if selects(self._rules[at].match, name))
            self._last = name, sorted([*self._named.get(name.text, ()), *others])
        return self._last[1]

    def matching(self, name: CaseName) -> list[_Rule]:
        return [self._rules[number] for number in self.numbers(name)]


# By the identity of rules, which an index keeps alive: hashing thousands of them takes long.
_INDEXES: Final[dict[int, RuleIndex[Any]]] = {}
_MOST_INDEXES: Final = 1_000


# By the identity of the settings, which are kept alive, and the places of the rules.
_CASE_SETTINGS: Final[dict[int, tuple[SuiteSettings, dict[tuple[int, ...], CaseSettings]]]] = {}


def index_of(rules: tuple[_Rule, ...]) -> RuleIndex[_Rule]:
    """Return the index of some rules, made at the first call."""
    index = _INDEXES.get(id(rules))
    if index is None:
        if len(_INDEXES) >= _MOST_INDEXES:
            _INDEXES.clear()
        index = _INDEXES[id(rules)] = RuleIndex(rules)
    return index


def unmatched_patterns(patterns: Iterable[str], names: Collection[CaseName]) -> Iterator[str]:
    """Yield the patterns that match none of the cases."""
    exact = [(pattern, exact_texts(pattern)) for pattern in patterns]
    wanted = {text for _, texts in exact for text in texts or ()}
    # One pass: a packed suite is read on each.
    known = {name.text for name in names if name.text in wanted} if wanted else set[str]()
    for pattern, texts in exact:
        if texts is None:
            is_matched = any(selects(pattern, name) for name in names)
        else:
            is_matched = not known.isdisjoint(texts)
        if not is_matched:
            yield pattern
