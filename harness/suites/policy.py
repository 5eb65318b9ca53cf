"""suite.toml as values: its text is parsed and checked here, and each case's policy drawn from it.

Pure: text in, records out, with every fault by its key and the nearest known name. What the file
may say is in schemas/suite.schema.json; a test holds the two together. Source: docs/suites.md.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, NamedTuple

from harness.jsontext import LAXITIES
from harness.judging.comparison import Comparison, Order, PlaceRule
from harness.judging.comparison_words import (
    NUMBERS_WANTED,
    ORDER_WANTED,
    SCHEMA_WANTED,
    STRINGS_WANTED,
    Written,
    allowances,
    numbers_way,
    order_way,
    schema_way,
    strings_way,
)
from harness.judging.rules import unsound
from harness.paths import parse_pattern
from harness.records import ExitRange, InputKind, Limits, Policy, Verdict, Visibility
from harness.runs.deliveries import Delivery
from harness.suites.naming import CaseName, parse_range, selects
from harness.suites.tables import (
    AMOUNT_WANTED,
    COUNT_WANTED,
    SHOWN,
    SIZE_WANTED,
    TEXT_WANTED,
    Grammar,
    Place,
    Refusal,
    Table,
    a_count,
    a_size,
    a_table,
    a_text,
    a_truth,
    an_amount,
    parsed,
    texts,
)
from harness.words import cut, did_you_mean, quoted, visible

__all__ = [
    "DELIVERIES",
    "CaseRule",
    "Drawn",
    "Grading",
    "KnownRule",
    "Render",
    "SuiteSettings",
    "SuiteTomlError",
    "limits_said",
    "parse_suite_toml",
]

# Those that a suite can declare, by name.
DELIVERIES: Final = tuple(delivery.value for delivery in Delivery)


class SuiteTomlError(ValueError):
    """A suite.toml that cannot be accepted; the message says where, what was expected and found.

    `table`, `number` (from 0, among the tables of that name) and `key` are the place, as far as it
    is known; what is no TOML has none.
    """

    def __init__(self, said: str, place: Place = ("", 0, "")) -> None:
        super().__init__(said)
        self.table, self.number, self.key = place


class Grading(NamedTuple):
    """What a suite is worth where it is graded (None: a point for each case), and who sees that."""

    points: float | None = None
    visibility: Visibility = Visibility.VISIBLE


class CaseRule(NamedTuple):
    """One `[[cases]]` table: the cases it is for, and what it says of them (None: nothing)."""

    match: str
    exit: ExitRange | None = None
    input: InputKind | None = None
    tags: tuple[str, ...] | None = None
    points: float | None = None
    visibility: Visibility | None = None

    def applies_to(self, name: CaseName) -> bool:
        """Whether the pattern means this case: the same patterns as on the command line."""
        return selects(self.match, name)


class KnownRule(NamedTuple):
    """One `[[known]]` table: the cases that some subject is known to fail, why, and where that is
    talked about. `verdicts` and `deliveries` are those it is for; empty: all of them."""

    match: str
    reason: str
    link: str = ""
    subject: str = "*"
    verdicts: tuple[Verdict, ...] = ()
    deliveries: tuple[str, ...] = ()

    def applies_to(self, name: CaseName) -> bool:
        """Whether the pattern means this case, whoever the subject is."""
        return selects(self.match, name)


class Drawn(Enum):
    """Which values of a case a renderer makes pictures of."""

    INPUT = "input"
    OUTPUT = "output"  # what was expected, and what was printed


class Render(NamedTuple):
    """The `[render]` table: a program that makes a picture of a JSON value, as the words of its
    command, and the values it is given."""

    command: tuple[str, ...]
    draws: tuple[Drawn, ...] = (Drawn.OUTPUT,)


class SuiteSettings(NamedTuple):
    """All that a suite.toml says; the defaults are those of a suite without one."""

    title: str = ""
    program: str = ""
    input: str = ""
    output: str = ""
    exit: ExitRange = ExitRange()
    deliveries: tuple[str, ...] = DELIVERIES
    conversation: bool = False
    limits: Limits = Limits()
    comparison: Comparison = Comparison()
    grading: Grading = Grading()
    rules: tuple[CaseRule, ...] = ()
    known: tuple[KnownRule, ...] = ()
    render: Render | None = None

    def policy_for(self, name: CaseName) -> tuple[Policy, InputKind, tuple[str, ...]]:
        """What holds for one case: policy, kind of input, tags. Of the rules that apply, the last
        one that speaks of a thing decides it."""
        tags: tuple[str, ...] = ()
        expected_exit, kind = self.exit, InputKind.JSON
        for rule in self.rules:
            if rule.applies_to(name):
                expected_exit = rule.exit if rule.exit is not None else expected_exit
                kind = rule.input if rule.input is not None else kind
                tags = rule.tags if rule.tags is not None else tags
        return Policy(self.comparison, expected_exit, self.limits), kind, tags

    def tags_for(self, name: CaseName) -> tuple[str, ...]:
        """The tags of one case, as `policy_for` has them."""
        for rule in reversed(self.rules):
            if rule.tags is not None and rule.applies_to(name):
                return rule.tags
        return ()

    def points_for(self, name: CaseName) -> float | None:
        """The points that one case has of its own; None: it has its share of the suite's."""
        for rule in reversed(self.rules):
            if rule.points is not None and rule.applies_to(name):
                return rule.points
        return None


_TOP: Final = (
    "title program input output exit deliveries conversation limits compare render grading cases"
    " known"
)
_GRAMMAR: Final = Grammar(
    keys={
        "": tuple(_TOP.split()),
        "limits": Limits._fields,
        "compare": tuple("numbers unordered ignore strings allow at".split()),
        "compare.at": tuple("path numbers strings order key schema ignore".split()),
        "render": Render._fields,
        "grading": Grading._fields,
        "cases": CaseRule._fields,
        "known": KnownRule._fields,
    },
    heads={
        "limits": "[limits]",
        "compare": "[compare]",
        "compare.at": "[[compare.at]]",
        "render": "[render]",
        "grading": "[grading]",
        "cases": "[[cases]]",
        "known": "[[known]]",
    },
)


def parse_suite_toml(text: bytes, where: str) -> SuiteSettings:
    """The settings in a suite.toml. `where` names the file in messages. Raises SuiteTomlError."""
    try:
        return _settings(Table(_GRAMMAR, parsed(text, Written)))
    except Refusal as problem:
        raise SuiteTomlError(f"{where}: {problem}", problem.place) from None


# What the tables say.


def _settings(table: Table) -> SuiteSettings:
    return SuiteSettings(
        title=table.take("title", "", TEXT_WANTED, a_text),
        program=table.take("program", "", "the name of a program", a_text),
        input=table.take("input", "", "the file name of a schema", a_text),
        output=table.take("output", "", "the file name of a schema", a_text),
        exit=table.take("exit", ExitRange(), _EXIT_WANTED, _exit),
        deliveries=table.take("deliveries", DELIVERIES, "a list of names", _deliveries),
        conversation=table.take("conversation", False, "true or false", a_truth),
        limits=Limits(**limits_said(table.inner("limits"))),
        comparison=_comparison(table.inner("compare")),
        grading=_grading(table.inner("grading")),
        rules=tuple(_rule(rule) for rule in table.each("cases")),
        known=tuple(_known(rule) for rule in table.each("known")),
        render=_render(table),
    )


def limits_said(table: Table) -> dict[str, Any]:
    """What a [limits] table says, by the names of Limits; of what it is silent, nothing."""
    said = {
        name: table.take(name, None, *_LIMITS.get(name, (AMOUNT_WANTED, an_amount)))
        for name in Limits._fields
    }
    return {name: value for name, value in said.items() if value is not None}


_LIMITS: Final = {name: (COUNT_WANTED, a_count) for name in ("processes", "open_files")}


def _comparison(table: Table) -> Comparison:
    usual = Comparison()
    comparison = Comparison(
        numbers=table.take("numbers", usual.numbers, NUMBERS_WANTED, numbers_way),
        unordered=table.take("unordered", (), _PATHS_WANTED, _paths),
        ignore=table.take("ignore", (), _PATHS_WANTED, _paths),
        strings=table.take("strings", usual.strings, STRINGS_WANTED, strings_way),
        allow=table.take("allow", (), _ALLOW_WANTED, allowances),
        at=tuple(_place_rule(rule) for rule in table.each("at", "compare.")),
    )
    if problem := unsound(comparison):
        raise Refusal(f"[compare] {cut(visible(problem), 400)}")
    return comparison


def _place_rule(table: Table) -> PlaceRule:
    rule = PlaceRule(
        paths=table.need("path", _PATH_WANTED, _path_or_paths),
        numbers=table.take("numbers", None, NUMBERS_WANTED, numbers_way),
        strings=table.take("strings", None, STRINGS_WANTED, strings_way),
        order=table.take("order", None, ORDER_WANTED, order_way),
        key=table.take("key", None, "the name of a member", _key),
        schema=table.take("schema", None, SCHEMA_WANTED, schema_way),
        ignore=table.take("ignore", None, "true or false", a_truth),
    )
    if rule == PlaceRule(rule.paths):
        table.refuse(
            f"says nothing of its path; known: {', '.join(_GRAMMAR.keys['compare.at'][1:])}"
        )
    if rule.order is Order.LIST and rule.key is not None:
        table.refuse('a key pairs the elements of a set or multiset, and the order is "list"')
    return rule


def _grading(table: Table) -> Grading:
    return Grading(
        points=table.take("points", None, SIZE_WANTED, a_size),
        visibility=table.take("visibility", Visibility.VISIBLE, _VISIBILITY_WANTED, _visibility),
    )


def _rule(table: Table) -> CaseRule:
    return CaseRule(
        match=table.need("match", _MATCH_WANTED, _match),
        exit=table.take("exit", None, _EXIT_WANTED, _exit),
        input=table.take("input", None, '"json", "off-schema" or "raw"', _kind),
        tags=table.take("tags", None, "a list of texts that are not empty", texts),
        points=table.take("points", None, SIZE_WANTED, a_size),
        visibility=table.take("visibility", None, _VISIBILITY_WANTED, _visibility),
    )


def _known(table: Table) -> KnownRule:
    return KnownRule(
        match=table.need("match", _MATCH_WANTED, _match),
        reason=table.need("reason", "why the subject falls short, in one line", a_text),
        link=table.take("link", "", "a text that is not empty, such as a URL", a_text),
        subject=table.take("subject", "*", "a glob on the subject's name", a_text),
        verdicts=table.take("verdicts", (), "a list of verdicts of a subject", _verdicts),
        deliveries=table.take("deliveries", (), "a list of names", _deliveries),
    )


def _render(table: Table) -> Render | None:
    if table.take("render", None, "a table", a_table) is None:
        return None
    inner = table.inner("render")
    return Render(
        command=inner.need("command", _COMMAND_WANTED, _command),
        draws=inner.take("draws", (Drawn.OUTPUT,), _DRAWS_WANTED, _draws),
    )


_COMMAND_WANTED: Final = 'a command such as "xdraw tsuro", or a list of its words'
_DRAWS_WANTED: Final = '"output", "input", or a list of both'
_EXIT_WANTED: Final = 'a status from 0 to 255, a range such as "1-125", or "nonzero"'
_PATHS_WANTED: Final = 'a list of JSON Pointers (with * and **), such as ["/0/winners"]'
_PATH_WANTED: Final = 'a JSON Pointer (with * and **), such as "/*/score", or a list of them'
_ALLOW_WANTED: Final = f"a list of these: {', '.join(LAXITIES)}"
_VISIBILITY_WANTED: Final = '"visible", "hidden", "after_due_date" or "after_published"'
_MATCH_WANTED: Final = 'a glob on the names of cases, or a range such as "40-59"'


# One value each: None, or a refusal of its own, where it is not what the key takes.


def _exit(value: Any) -> ExitRange | None:
    if value == "nonzero":
        return ExitRange(1, 255)
    numbers = parse_range(value) if isinstance(value, str) and len(value) <= 7 else None
    if isinstance(value, int) and not isinstance(value, bool):
        numbers = (value, value)
    if numbers is None or not 0 <= numbers[0] <= numbers[1] <= 255:
        return None
    return ExitRange(*numbers)


def _match(value: Any) -> str | None:
    numbers = parse_range(value) if isinstance(value, str) else None
    if numbers is not None and numbers[0] > numbers[1]:
        raise Refusal(f"the range {quoted(value, SHOWN)} runs backwards")
    return a_text(value)


def _kind(value: Any) -> InputKind | None:
    return next((kind for kind in InputKind if kind.value == value), None)


def _visibility(value: Any) -> Visibility | None:
    return next((each for each in Visibility if each.value == value), None)


# Those that a subject can get for what it did.
_SHORT: Final = {
    verdict.value: verdict
    for verdict in Verdict
    if verdict
    not in (Verdict.INVALID_CASE, Verdict.NOT_STARTED, Verdict.PASSED, Verdict.HARNESS_FAULT)
}


def _verdicts(value: Any) -> tuple[Verdict, ...] | None:
    names = texts(value)
    if not names:
        return None
    _refuse_others(names, tuple(_SHORT), "no failure")
    return tuple(_SHORT[name] for name in names)


def _deliveries(value: Any) -> tuple[str, ...] | None:
    names = texts(value)
    if not names:
        return None
    _refuse_others(names, DELIVERIES, "no delivery")
    return names


def _refuse_others(names: tuple[str, ...], known: tuple[str, ...], nothing: str) -> None:
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise Refusal(f"{nothing} is called {quoted(name, SHOWN)}; {hint}")
        if names.count(name) > 1:
            raise Refusal(f'"{name}" stands there twice')


def _paths(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        return None
    for path in value:
        parse_pattern(path)  # raises PathError
    return tuple(value)


def _path_or_paths(value: Any) -> tuple[str, ...] | None:
    return _paths([value] if isinstance(value, str) else value) or None


def _key(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _command(value: Any) -> tuple[str, ...] | None:
    words = value.split() if isinstance(value, str) else value
    if not isinstance(words, list) or not words or not a_text(words[0]):
        return None
    # Behind the program, an empty word may well be meant; no word can hold U+0000.
    if not all(isinstance(word, str) and "\0" not in word for word in words):
        return None
    return tuple(words)


def _draws(value: Any) -> tuple[Drawn, ...] | None:
    names = texts([value] if isinstance(value, str) else value)
    if not names or len(set(names)) < len(names) or not set(names) <= set(_DRAWN):
        return None
    return tuple(_DRAWN[name] for name in names)


_DRAWN: Final = {drawn.value: drawn for drawn in Drawn}
