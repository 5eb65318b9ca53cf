"""Deliveries: the ways in which a case's input can be dressed and fed, none of which should matter.

Their names, and what is said of them; what they do to an input is in dressing.py. Pure.
Source: docs/deliveries.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import Final

from harness.events import DeliveriesDiffer, Judged
from harness.records import Verdict
from harness.words import did_you_mean, quoted

__all__ = ["DELIVERIES", "Delivery", "difference_of", "parse_deliveries", "summary"]

_SHOWN: Final = 60  # characters of a name that is none, in a message


class Delivery(Enum):
    """Every delivery, by its name on the command line and in suite.toml."""

    PLAIN = "plain"
    COMPACT = "compact"
    PRETTY = "pretty"
    ESCAPED = "escaped"
    CRLF = "crlf"
    NO_FINAL_NEWLINE = "no-final-newline"
    WHITE_SPACE = "white-space"
    BYTE_BY_BYTE = "byte-by-byte"
    SLOW = "slow"
    CUT = "cut"
    AT_ONCE = "at-once"
    VALUE_BY_VALUE = "value-by-value"

    @property
    def description(self) -> str:
        """What it does to the input, in one line."""
        return _WORDS[self][0]

    @property
    def when(self) -> str:
        """The end of a sentence that begins with "when the input"."""
        return _WORDS[self][1]

    @property
    def is_paced(self) -> bool:
        """Whether some of its pieces wait; the others are one piece, which can be written before
        the program starts."""
        return self in _PACED


DELIVERIES: Final = tuple(Delivery)


def parse_deliveries(text: str) -> tuple[Delivery, ...]:
    """The deliveries that an option names, with commas between them, or "all"; each once, in the
    order of `DELIVERIES`. Raises ValueError for a name that is none."""
    names = [name.strip() for name in text.split(",")]
    known = ["all", *(delivery.value for delivery in DELIVERIES)]
    for name in names:
        if name not in known:
            raise ValueError(
                f"unknown delivery {quoted(name, _SHOWN)}; {did_you_mean(name, known)}"
            )
    return tuple(each for each in DELIVERIES if "all" in names or each.value in names)


def summary(outcomes: Mapping[Delivery, Verdict]) -> str | None:
    """One line on how the deliveries of a case differ; None where they do not. A fault of our own
    is not counted, neither way."""
    verdicts = {
        delivery: outcomes[delivery]
        for delivery in DELIVERIES
        if outcomes.get(delivery, Verdict.HARNESS_FAULT) is not Verdict.HARNESS_FAULT
    }
    if len(set(verdicts.values())) < 2:
        return None
    passed = [each for each, verdict in verdicts.items() if verdict is Verdict.PASSED]
    failed = [each for each, verdict in verdicts.items() if verdict is not Verdict.PASSED]
    if not passed:
        return f"fails every delivery, but not alike: {_by_verdict(verdicts)}"
    if len(failed) <= len(passed):
        return f"passes {_some(passed)}; fails only {_when(failed, verdicts)}"
    return f"passes only {_when(passed, verdicts)}; fails {_some(failed)}"


def difference_of(event: Judged, outcomes: Mapping[Delivery, Verdict]) -> DeliveriesDiffer | None:
    """What is told behind the last run of a case whose deliveries differ; None where they do not.
    `event` is any of its runs."""
    message = summary(outcomes)
    if message is None:
        return None
    return DeliveriesDiffer(
        where=f"{event.suite}/{event.case}",
        subject=event.subject,
        passed=sum(verdict is Verdict.PASSED for verdict in outcomes.values()),
        of=len(outcomes),
        message=message,
    )


# What is said of the outcomes.


def _by_verdict(verdicts: Mapping[Delivery, Verdict]) -> str:
    groups: dict[Verdict, list[Delivery]] = {}
    for delivery, verdict in verdicts.items():
        groups.setdefault(verdict, []).append(delivery)
    return ", ".join(f"{verdict.value} ({_names(group)})" for verdict, group in groups.items())


def _some(deliveries: Sequence[Delivery]) -> str:
    if len(deliveries) <= 3:
        return _listed([delivery.value for delivery in deliveries], "and")
    return f"{_names(deliveries[:2])} and {len(deliveries) - 2} more"


def _when(deliveries: Sequence[Delivery], among: Collection[Delivery]) -> str:
    pieces = {Delivery.BYTE_BY_BYTE, Delivery.SLOW, Delivery.CUT} & {*among}
    all_pieces = len(pieces) > 1 and pieces <= {*deliveries}
    reasons = [each.when for each in deliveries if not (all_pieces and each in pieces)]
    reasons += ["comes in pieces"] if all_pieces else []
    # More than three reasons make no sentence that anybody would read.
    if len(reasons) > 3:
        return _names(deliveries)
    return f"when the input {_listed(reasons, 'or')} ({_names(deliveries)})"


def _names(deliveries: Sequence[Delivery]) -> str:
    return ", ".join(delivery.value for delivery in deliveries)


def _listed(words: Sequence[str], conjunction: str) -> str:
    if len(words) == 1:
        return words[0]
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}"


# What each does to the input, in one line; and the end of a sentence: when the input ...
_WORDS: Final[Mapping[Delivery, tuple[str, str]]] = {
    Delivery.PLAIN: ("the file's own bytes, as they are", "comes as it stands in its file"),
    Delivery.COMPACT: ("no white space", "has no white space"),
    Delivery.PRETTY: ("indented, over many lines", "is spread over many lines"),
    Delivery.ESCAPED: (
        "every character beyond ASCII, and the first of each string, as \\uXXXX",
        "has \\u escapes",
    ),
    Delivery.CRLF: ("line ends are CRLF", "has CRLF line ends"),
    Delivery.NO_FINAL_NEWLINE: ("nothing after the last value", "has no final line end"),
    Delivery.WHITE_SPACE: (
        "70,000 bytes of white space before it, and as many after it",
        "has white space around it",
    ),
    Delivery.BYTE_BY_BYTE: (
        "each byte by itself (of a long input: those at its ends)",
        "comes byte by byte",
    ),
    Delivery.SLOW: ("in up to 8 pieces, cut between tokens, 0.1 s apart", "comes slowly"),
    Delivery.CUT: (
        "in pieces, cut inside characters, escapes, numbers, words and strings",
        "is cut inside a token",
    ),
    Delivery.AT_ONCE: (
        "in one piece, when the program already waits for it",
        "comes late and all at once",
    ),
    Delivery.VALUE_BY_VALUE: (
        "each value when the one before it was answered",
        "waits for each answer",
    ),
}
_PACED: Final = frozenset(
    {Delivery.BYTE_BY_BYTE, Delivery.SLOW, Delivery.CUT, Delivery.AT_ONCE, Delivery.VALUE_BY_VALUE}
)
