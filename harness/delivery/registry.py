"""Declare every delivery: a way of laying out and feeding a case's input.

Deliveries must not affect the output. Each is one member of `Delivery`; the functions it uses are
in transforms.py. Source: docs/deliveries.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from harness.delivery import transforms
from harness.delivery.transforms import MOST_PAUSED, whole
from harness.model.case import InputKind
from harness.model.events import DeliveriesDiffer, RunResult
from harness.model.transcript import Chunk
from harness.model.verdict import FactEnum, Verdict
from harness.text import did_you_mean, quote

LARGE_INPUT: Final = 65_536  # bytes; laying out a longer input may take seconds


class Delivery(FactEnum):
    """A way of laying out and feeding a case's input, by its name on the command line.

    `condition` completes "fails when the input ...". `transform` returns another text of
    the same values; `pace` yields it in chunks.
    """

    transform: Callable[[bytes], bytes]
    pace: Callable[[bytes], Iterator[Chunk]]
    description: str
    condition: str

    PLAIN = "plain", bytes, whole, "the file's own bytes, unchanged", "is the file's own bytes"
    COMPACT = "compact", transforms.compact, whole, "no white space", "has no white space"
    PRETTY = (
        "pretty",
        transforms.pretty,
        whole,
        "indented, on many lines",
        "is spread over many lines",
    )
    ESCAPED = (
        "escaped",
        transforms.escaped,
        whole,
        "every non-ASCII character, and the first character of each string, as \\uXXXX",
        "has \\u escapes",
    )
    CRLF = "crlf", transforms.crlf, whole, "CRLF line endings", "has CRLF line endings"
    NO_FINAL_NEWLINE = (
        "no-final-newline",
        transforms.no_final_newline,
        whole,
        "nothing after the last value",
        "has no final line ending",
    )
    WHITE_SPACE = (
        "white-space",
        transforms.white_space,
        whole,
        "70,000 bytes of white space before and after the input",
        "has white space around it",
    )
    BYTE_BY_BYTE = (
        "byte-by-byte",
        bytes,
        transforms.byte_by_byte,
        "one byte at a time (a long input: only at both ends)",
        "arrives byte by byte",
    )
    SLOW = (
        "slow",
        bytes,
        transforms.slow,
        "in up to 8 pieces, cut between tokens, 0.1 s apart",
        "arrives slowly",
    )
    CUT = (
        "cut",
        bytes,
        transforms.cut,
        "in pieces, cut inside characters, escapes, numbers, words and strings",
        "is cut inside a token",
    )
    AT_ONCE = (
        "at-once",
        bytes,
        transforms.at_once,
        "in one piece, after the program has started",
        "arrives late and all at once",
    )
    VALUE_BY_VALUE = (
        "value-by-value",
        bytes,
        transforms.value_by_value,
        "each value after the answer to the one before",
        "waits for each answer",
    )

    @property
    def is_paced(self) -> bool:
        """Return whether its chunks are spread over time."""
        return self.pace is not whole


def parse_deliveries(text: str) -> tuple[Delivery, ...]:
    """Return the deliveries in a comma-separated option, or all for "all".

    Each is returned once, in the order of `Delivery`. Raises ValueError for an unknown name.
    """
    names = [name.strip() for name in text.split(",")]
    known = ["all", *(delivery.value for delivery in Delivery)]
    for name in names:
        if name not in known:
            raise ValueError(f"unknown delivery {quote(name)}; {did_you_mean(name, known)}")
    return tuple(each for each in Delivery if "all" in names or each.value in names)


def feed(delivery: Delivery, stdin: bytes, kind: InputKind) -> Iterator[Chunk]:
    """Yield the chunks of an input, none of them empty; standard input is closed after the last.

    At most `MOST_PAUSED` chunks and the first one are delayed, by `MOST_PAUSE_S` in all; only those
    of value-by-value wait for answers. Raises ValueError for raw input not delivered plain.
    """
    if kind is InputKind.RAW and delivery is not Delivery.PLAIN:
        raise ValueError(f'raw input can only be delivered plain, not "{delivery.value}"')
    return delivery.pace(delivery.transform(stdin))


def distinct_deliveries(
    selected: Collection[Delivery], stdin: bytes, kind: InputKind, *, conversation: bool
) -> tuple[Delivery, ...]:
    """Return the selected deliveries to run for a case, in the order of `Delivery`.

    Raw input is only delivered plain, value-by-value needs a suite of conversations, and of
    deliveries with the same chunks only the first one is run, unless the input is large.
    """
    possible = [each for each in Delivery if each in selected]
    if kind is InputKind.RAW:
        possible = [each for each in possible if each is Delivery.PLAIN]
    elif not conversation:
        possible = [each for each in possible if each is not Delivery.VALUE_BY_VALUE]
    if len(stdin) > LARGE_INPUT:
        return tuple(possible)
    distinct: dict[tuple[Chunk, ...], Delivery] = {}
    for delivery in possible:
        # Only value-by-value has more chunks, and its second one differs from all others.
        chunks = tuple(islice(feed(delivery, stdin, kind), MOST_PAUSED + 1))
        distinct.setdefault(chunks, delivery)
    return tuple(distinct.values())


def describe_differences(outcomes: Mapping[Delivery, Verdict]) -> str | None:
    """Return how the deliveries of a case differ, or None; faults of xtest do not count."""
    verdicts = {
        delivery: outcomes[delivery]
        for delivery in Delivery
        if outcomes.get(delivery, Verdict.HARNESS_FAULT) is not Verdict.HARNESS_FAULT
    }
    if len(set(verdicts.values())) < 2:
        return None
    passed = [each for each, verdict in verdicts.items() if verdict is Verdict.PASSED]
    failed = [each for each, verdict in verdicts.items() if verdict is not Verdict.PASSED]
    if not passed:
        return f"fails every delivery, with different verdicts: {_by_verdict(verdicts)}"
    if len(failed) <= len(passed):
        return f"passes {_first_names(passed)}; fails only {_when(failed, verdicts)}"
    return f"passes only {_when(passed, verdicts)}; fails {_first_names(failed)}"


def deliveries_differ_event(
    event: RunResult, outcomes: Mapping[Delivery, Verdict]
) -> DeliveriesDiffer | None:
    """Return the event after the last run of a case, given any of its runs, if they differ."""
    message = describe_differences(outcomes)
    if message is None:
        return None
    return DeliveriesDiffer(
        where=f"{event.suite}/{event.case}",
        subject=event.subject,
        passed=sum(verdict is Verdict.PASSED for verdict in outcomes.values()),
        of=len(outcomes),
        message=message,
    )


# The parts of a summary.


def _by_verdict(verdicts: Mapping[Delivery, Verdict]) -> str:
    groups: dict[Verdict, list[Delivery]] = {}
    for delivery, verdict in verdicts.items():
        groups.setdefault(verdict, []).append(delivery)
    return ", ".join(f"{verdict.value} ({_names(group)})" for verdict, group in groups.items())


def _first_names(deliveries: Sequence[Delivery]) -> str:
    if len(deliveries) <= 3:
        return _join([delivery.value for delivery in deliveries], "and")
    return f"{_names(deliveries[:2])} and {len(deliveries) - 2} more"


def _when(deliveries: Sequence[Delivery], among: Collection[Delivery]) -> str:
    pieces = {Delivery.BYTE_BY_BYTE, Delivery.SLOW, Delivery.CUT} & {*among}
    all_pieces = len(pieces) > 1 and pieces <= {*deliveries}
    reasons = [each.condition for each in deliveries if not (all_pieces and each in pieces)]
    reasons += ["arrives in pieces"] if all_pieces else []
    # A sentence with more than three reasons is hard to read.
    if len(reasons) > 3:
        return _names(deliveries)
    return f"when the input {_join(reasons, 'or')} ({_names(deliveries)})"


def _names(deliveries: Sequence[Delivery]) -> str:
    return ", ".join(delivery.value for delivery in deliveries)


def _join(words: Sequence[str], conjunction: str) -> str:
    if len(words) == 1:
        return words[0]
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}"
