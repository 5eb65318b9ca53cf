"""Declare a case: its input, its expected output, and how it is judged."""

from __future__ import annotations

import os
from binascii import crc32
from collections.abc import Iterator
from enum import Enum
from itertools import zip_longest
from typing import Final, NamedTuple

from harness.jsonio.decoder import Json, Number, encode
from harness.model.comparison import Comparison
from harness.model.dialogue import Script
from harness.model.limits import Limits


class InputKind(Enum):
    JSON = "json"  # a stream of values that conforms to the suite's schema
    OFF_SCHEMA = "off-schema"  # a stream of values that violates the schema on purpose
    RAW = "raw"  # bytes that are not parsed


class ExitRange(NamedTuple):
    """The exit statuses that a case accepts: `least` to `most`, inclusive.

    Without `shell_failures`, it does not accept the statuses with which shells and env report that
    they could not run a command.
    """

    least: int = 0
    most: int = 0
    shell_failures: bool = True

    def accepts(self, status: int) -> bool:
        if status in SHELL_FAILURES and not self.shell_failures:
            return False
        return self.least <= status <= self.most

    def __str__(self) -> str:
        if self == NONZERO:
            return "nonzero"
        return str(self.least) if self.least == self.most else f"{self.least}-{self.most}"


# Source: POSIX, Shell Command Language, 2.8.2.
SHELL_FAILURES: Final = frozenset((126, 127))
NONZERO: Final = ExitRange(1, 255, shell_failures=False)


class CompanionRole(Enum):
    """The side of the connection that a companion is on, which decides when it starts."""

    CLIENT = "client"  # once something listens on the port
    SERVER = "server"  # before the program, which starts once it listens


class Companion(NamedTuple):
    """One `[[companions]]` table: a command that runs beside the program, `copies` times."""

    command: tuple[str, ...]
    name: str = ""
    role: CompanionRole = CompanionRole.CLIENT
    copies: int = 1
    reads_input: bool = False  # whether each reads the input of the case
    exit: ExitRange = ExitRange()

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of each of them, for people."""
        name = self.name or os.path.basename(self.command[0])
        return (
            tuple(f"{name} {at + 1}" for at in range(self.copies)) if self.copies > 1 else (name,)
        )


class Policy(NamedTuple):
    comparison: Comparison = Comparison()
    exit: ExitRange = ExitRange()
    limits: Limits = Limits()
    test_path: str = ""  # of the values that count as tests, or empty
    case_limits: tuple[str, ...] = ()  # the limits that the case sets for itself
    checker: tuple[str, ...] = ()  # the command that judges values in place of equality, or empty
    companions: tuple[Companion, ...] = ()


class CaseInfo(NamedTuple):
    """The texts of a suite about a case, for people."""

    title: str = ""
    description: str = ""
    link: str = ""
    group: str = ""
    hint: str = ""  # for the author of a program that fails


class Case(NamedTuple):
    """A case as read from its files: the bytes for standard input and the expected output.

    Until it `is_parsed`, its values are unknown, and so is whether it is valid. If it `has_several`
    right outputs, `alternatives` has the values of each, `exits` the exit statuses of each if some
    have their own, and `expected` the values of the first. `stdin` of a
    dialogue (`is_talk`) is the text of its script; it expects no other output.
    """

    suite: str
    name: str
    stdin: bytes
    expected_text: bytes
    expected: list[Json]
    kind: InputKind = InputKind.JSON
    tags: tuple[str, ...] = ()
    policy: Policy = Policy()
    is_parsed: bool = True
    alternatives: tuple[list[Json], ...] = ()
    exits: tuple[ExitRange | None, ...] = ()
    has_several: bool = False
    info: CaseInfo | None = None
    is_talk: bool = False
    script: Script | None = None  # of a dialogue, once it is parsed

    @property
    def content(self) -> str:
        """A fingerprint of what is in its files."""
        return content_digest(self.stdin, self.expected_text, has_several=self.has_several)


class InvalidCase(NamedTuple):
    """A case that is broken itself and cannot be run."""

    suite: str
    name: str
    reason: str
    exceeds_memory: bool = False  # for this machine, but perhaps not for others


def right_outputs(case: Case) -> Iterator[Case]:
    """Yield a case for each of its right outputs, which is then its only one."""
    if not case.alternatives:
        yield case
    plain = case._replace(alternatives=(), exits=(), has_several=False)
    for values, own_exit in zip_longest(case.alternatives, case.exits):
        one = plain._replace(expected=values, expected_text=stream_text(values))
        if own_exit is not None:
            one = one._replace(policy=case.policy._replace(exit=own_exit))
        yield one


def listed_outputs(case: Case) -> list[Json]:
    """Return the values of the expected output, or the list of all right ones as in its file."""
    if not case.alternatives:
        return case.expected
    return [
        values if own_exit is None else {"values": values, "exit": _json_of(own_exit)}
        for values, own_exit in zip_longest(case.alternatives, case.exits)
    ]


def _json_of(exits: ExitRange) -> Json:
    return Number(f"{exits}") if exits.least == exits.most else f"{exits}"


def stream_text(values: list[Json]) -> bytes:
    """Return a stream of values, one a line."""
    return "".join(f"{encode(value)}\n" for value in values).encode()


def content_digest(stdin: bytes, expected: bytes, *, has_several: bool = False) -> str:
    """Return a fingerprint of a case: 16 hexadecimal digits, 8 for each side."""
    right = crc32(expected, 1 if has_several else 0)
    return (crc32(stdin) << 32 | right).to_bytes(8, "big").hex()
