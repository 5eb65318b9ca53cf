"""Name the cause of a finding: who stands apart, how, and where. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

from harness.engine.retries import TIMEOUTS
from harness.jsonio.decoder import Json
from harness.jsonio.fast import decode
from harness.judging.grouping import ComparableOutput, comparable_output, group_outputs, separation
from harness.model.case import ExitRange, Policy
from harness.model.compared import Groups, SeparatingInput, Separation
from harness.model.limits import Limits
from harness.model.transcript import Transcript
from harness.model.verdict import Category, Verdict

_INDEX: Final = re.compile(r"(?<=/)[0-9]+(?=/|$)")
_WORD: Final = re.compile("[^a-z0-9]+")
_DETAIL: Final = re.compile(r"\w+")
_LONGEST: Final = 40  # characters of a name
_EXIT_STATUS: Final = Verdict.EXIT_STATUS.value
SCHEMA: Final = "breaks the output schema"


class Cause(NamedTuple):
    """The facts that findings of one cause share.

    `groups` are the numbers of the runs with equal outputs, `kinds` how each group failed, or "".
    `place` is where the outputs first differ, with `*` for indices, and `change` what differs.
    """

    groups: Groups
    kinds: tuple[str, ...]
    place: str = ""
    change: str = ""

    @property
    def has_timeout(self) -> bool:
        return any(verdict.value in self.kinds for verdict in TIMEOUTS)

    @property
    def is_slow(self) -> bool:
        """Return whether a run may take all that it is allowed."""
        limits = (verdict for verdict in Verdict if verdict.category is Category.LIMIT)
        return any(verdict.value in self.kinds for verdict in limits)

    @property
    def slug(self) -> str:
        """A name for files, from the parts that people recognize."""
        words = " ".join((*filter(None, dict.fromkeys(self.kinds)), self.place, self.change))
        name = _WORD.sub("-", words.lower()).strip("-")[:_LONGEST].strip("-")
        return re.sub(r"-(?=[0-9]+$)", "", name) or "differs"


class Examined(NamedTuple):
    """The cause of the difference between the runs of an input, or None, and its details.

    Instead, the pattern of a `refusal` in a session, which does not tell how the program ends, or
    the `fault` of a companion, of which no subject is to blame.
    """

    cause: Cause | None = None
    details: Separation | None = None
    refusal: str = ""
    fault: str = ""


def examine(
    stdin: bytes,
    runs: Sequence[tuple[Transcript, Limits]],
    policy: Policy,
    *,
    violation: Callable[[list[Json]], str] | None,
    exits: Collection[ExitRange] = (),
    has_details: bool,
) -> Examined:
    """Compare the runs of an input; `violation` also judges a single program's output.

    A single program may print values and exit as any case allows: `exits` are those of all cases.
    """
    answers = [comparable_output(each, policy._replace(limits=limits)) for each, limits in runs]
    if fault := _fault(answers):
        return Examined(fault=fault)
    groups = group_outputs(answers, policy.comparison)
    kinds = tuple(_kind(answers[group[0]], exits) for group in groups)
    place = change = ""
    if len(groups) == 1 and violation is not None and not kinds[0]:
        place = violation(decode(runs[0][0].stdout).values)
        kinds = (SCHEMA,) if place else kinds
    if len(groups) == 1 and (violation is None or not kinds[0]):
        return Examined()
    if len(groups) == 1:
        groups = (groups[0][:1],)  # the same cause, in however many deliveries it was seen
    elif violation is not None and 1 not in groups[0]:
        # Two plain runs differ, so that another delivery shows nothing more.
        groups, kinds = ((0,), (1,)), tuple(_kind(answers[run], exits) for run in (0, 1))
    of = SeparatingInput("", "", len(stdin), groups)
    details = separation(
        of, stdin, [each for each, _ in runs], answers, policy.comparison, repeat=()
    )
    first = next((one for each in details.outputs for one in each.evidence.differences), None)
    if first is not None:
        place = _INDEX.sub("*", first.pointer)
        change = f"{_type(first.expected)} or {_type(first.actual)}"
    return Examined(Cause(groups, kinds, place, change), details if has_details else None)


def _fault(answers: Sequence[ComparableOutput]) -> str:
    """Return the first message about a run that failed through no fault of its subject, or ""."""
    failures = (each.failure for each in answers if each.failure is not None)
    return next((each.message for each in failures if each.verdict.is_fault), "")


def refusal_pattern(stdin: bytes, messages: Sequence[bytes]) -> str:
    """Return what the messages of all runs share with those about similar inputs.

    Numbers and words of the input are left out, but not whether other messages have them, too.
    """
    known = set(_DETAIL.findall(stdin.decode()))
    texts = [message.decode("utf-8", "surrogateescape") for message in messages]
    details = [set(_DETAIL.findall(text)) for text in texts]
    patterns = []
    for index, text in enumerate(texts):
        others = set().union(*(words for at, words in enumerate(details) if at != index))

        def mark(match: re.Match[str], others: set[str] = others) -> str:
            word = match[0]
            if word not in known and not word[0].isdecimal():
                return word
            return "=" if word in others else "#"

        patterns.append(_DETAIL.sub(mark, text))
    return "\n".join(patterns)


def general(steps: Sequence[int | str]) -> str:
    """Return a place without indices."""
    return "".join(f"/{'*' if isinstance(step, int) else step}" for step in steps)


def _kind(answer: ComparableOutput, exits: Collection[ExitRange]) -> str:
    name, status = answer.kind
    words = "" if name == "values" else name
    failed = answer.failure_name
    if not failed and status is not None and any(each.accepts(status) for each in exits):
        return ""
    if not words and failed:
        words = failed
    if status is None:
        return words
    return f"{words} {status}" if words == _EXIT_STATUS else f"{words} status {status}".strip()


def _type(text: str | None) -> str:
    """Return the type of a JSON text in a difference, true, false and null as they are."""
    if text is None:
        return "nothing"
    if text in ("true", "false", "null"):
        return text
    names = {"[": "array", "{": "object", '"': "string"}
    return names.get(text[:1], "number")
